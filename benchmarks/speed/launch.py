"""Runs one command and writes to stdout, as JSON, what it took.

Wall and CPU seconds, peak memory in bytes, exit code.

A process of its own, and as small as Python gets: the peak memory that Linux reports for a child is
at least that of the process it was started from.

    python -I -S launch.py '{"argv": [...], "stdin": null, "pipe": null, "stdout": "/dev/null",
    "stderr": "/dev/null", "core": null}'

`stdin` is a file to read from; `pipe` a file that `cat` feeds through a pipe; `core` the only core
it may use.
"""

import json
import os
import sys
import time


def main() -> None:
    """Reads the job from the first argument."""
    job = json.loads(sys.argv[1])
    if job["core"] is not None:
        os.sched_setaffinity(0, {job["core"]})
    feeder = None
    source = os.open(job["stdin"] or os.devnull, os.O_RDONLY)
    if job["pipe"]:
        source, sink = os.pipe()
        os.set_inheritable(sink, False)
        feeder = os.posix_spawnp(
            "cat",
            ["cat", job["pipe"]],
            os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, sink, 1), (os.POSIX_SPAWN_CLOSE, source)],
        )
        os.close(sink)
    write = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    actions = [
        (os.POSIX_SPAWN_DUP2, source, 0),
        (os.POSIX_SPAWN_OPEN, 1, job["stdout"], write, 0o644),
        (os.POSIX_SPAWN_OPEN, 2, job["stderr"], write, 0o644),
    ]
    start = time.perf_counter()
    process = os.posix_spawnp(job["argv"][0], job["argv"], os.environ, file_actions=actions)
    _, status, usage = os.wait4(process, 0)
    wall = time.perf_counter() - start
    os.close(source)
    if feeder:
        os.waitpid(feeder, 0)
    result = {
        "wall": wall,
        "cpu": usage.ru_utime + usage.ru_stime,
        "memory": usage.ru_maxrss * 1024,
        "exit_code": os.waitstatus_to_exitcode(status),
    }
    sys.stdout.write(json.dumps(result))


if __name__ == "__main__":
    main()
