"""`logdoctor run` leaves the command as it is."""

from __future__ import annotations

import fcntl
import os
import pty
import resource
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest

from logdoctor.command.child import Child

SLURM_ENDS = "slurmstepd-vm: error: *** JOB 6 ON vm CANCELLED AT 2026-11-21T21:47:17 ***"
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB"


@pytest.fixture(scope="module")
def environment() -> Mapping[str, str]:
    """One in which the database is compiled already."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.run(
        [sys.executable, "-m", "logdoctor", "scan", "--allow-empty"],
        input=b"",
        env=environment,
        check=True,
        capture_output=True,
    )
    return environment


def run(
    environment: Mapping[str, str], *words: str, options: tuple[str, ...] = (), **more: object
) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "logdoctor", "run", *options, "--", *words]
    given = {"capture_output": True, **more}
    return subprocess.run(command, env=environment, timeout=60, check=False, **given)  # type: ignore[call-overload, no-any-return]


def python(text: str) -> tuple[str, ...]:
    return (sys.executable, "-c", text)


def test_output_passes_byte_for_byte(environment: Mapping[str, str]) -> None:
    """stdout and stderr stay apart, whatever is in them; where the command succeeds, nothing is added."""
    text = "import sys; sys.stdout.buffer.write(bytes(range(256)) * 4000); sys.stderr.buffer.write(b'\\xff\\0half')"
    done = run(environment, *python(text))
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        bytes(range(256)) * 4000,
        b"\xff\0half",
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("raise SystemExit(7)", 7),
        ("import os; os.kill(os.getpid(), 9)", 137),
        ("import os; os.abort()", 134),
    ],
)
def test_the_exit_code_is_the_commands(
    environment: Mapping[str, str], text: str, code: int
) -> None:
    """Or 128 and the number of the signal."""
    assert run(environment, *python(text)).returncode == code


def test_a_failure_is_diagnosed_on_stderr(environment: Mapping[str, str]) -> None:
    """And what comes after it in the arguments belongs to the command."""
    done = run(
        environment, *python(f"import sys; print({OOM!r}); sys.exit(len(sys.argv))"), "--lang", "zh"
    )
    assert (done.returncode, done.stdout) == (3, OOM.encode() + b"\n")
    assert b"GPU memory" in done.stderr
    assert b"<output>:1" in done.stderr


def test_what_came_just_before_the_end_is_diagnosed_too(environment: Mapping[str, str]) -> None:
    """It was not handed on yet, because what was before it had just been."""
    done = run(
        environment,
        *python(
            f"import sys, time; print('step 1', flush=True); time.sleep(0.008); print({OOM!r}); sys.exit(3)"
        ),
    )
    assert (done.returncode, b"<output>:2" in done.stderr) == (3, True)


def test_a_failure_without_a_reason_is_said_to_be_one(environment: Mapping[str, str]) -> None:
    """It is no `No problem found`."""
    done = run(environment, "false")
    assert (
        done.returncode,
        b"the command failed (exit code 1)" in done.stderr,
        b"No problem" in done.stderr,
    ) == (1, True, False)


def test_a_command_that_is_not_there(environment: Mapping[str, str], tmp_path: Path) -> None:
    """127 and 126, as a shell has it."""
    assert run(environment, "no-such-command-here").returncode == 127
    (tmp_path / "plain").write_text("text")
    assert run(environment, str(tmp_path / "plain")).returncode == 126


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
def test_signals_are_forwarded(environment: Mapping[str, str], number: signal.Signals) -> None:
    """The command decides what they mean."""
    text = f"import signal, sys, time; signal.signal({int(number)}, lambda *_: sys.exit(42)); print('ready', flush=True); time.sleep(60)"
    command = [sys.executable, "-m", "logdoctor", "run", "--", *python(text)]
    with subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(number)
        assert process.wait(30) == 42


def test_a_terminal_stays_one(environment: Mapping[str, str]) -> None:
    """With its size; what the user types arrives, and Ctrl-C is the command's own."""
    text = "import os, sys; print(os.isatty(0), os.isatty(1), os.isatty(2), os.get_terminal_size(), input(), flush=True)\ntry: input()\nexcept KeyboardInterrupt: sys.exit(5)"
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "logdoctor", "run", "--", *python(text)]
    process = subprocess.Popen(
        command, env=environment, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
    )
    os.close(slave)
    os.write(master, b"typed\n")
    printed = b""
    while b")" not in printed and select.select([master], [], [], 20)[0]:
        printed += os.read(master, 1000)
    time.sleep(0.3)
    os.write(master, b"\x03")
    assert process.wait(30) == 5
    os.close(master)
    assert b"True True True os.terminal_size(columns=" in printed


@pytest.mark.parametrize("has_input", [True, False])
def test_a_terminal_gets_the_same_bytes(environment: Mapping[str, str], has_input: bool) -> None:
    """As it would without us; its line ends are not made twice."""
    command = python("print('one\\ntwo\\r50%\\r100%\\n\\x1b[31mred\\x1b[0m')")
    printed = []
    for words in (command, (sys.executable, "-m", "logdoctor", "run", "--", *command)):
        master, slave = pty.openpty()
        stdin = slave if has_input else subprocess.DEVNULL
        process = subprocess.Popen(
            words,
            env=environment,
            stdin=stdin,
            stdout=slave,
            stderr=slave,
            preexec_fn=partial(own_terminal, has_input),  # noqa: PLW1509
        )
        os.close(slave)
        text = b""
        while chunk := read_terminal(master):
            text += chunk
        assert process.wait(30) == 0
        os.close(master)
        printed.append(text)
    assert printed[0] == printed[1] == b"one\r\ntwo\r50%\r100%\r\n\x1b[31mred\x1b[0m\r\n"


def own_terminal(has_input: bool) -> None:
    os.setsid()
    if has_input:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def read_terminal(master: int) -> bytes:
    try:
        return os.read(master, 1000)
    except OSError:
        return b""


def test_a_job_of_the_background_is_not_stopped(
    environment: Mapping[str, str], tmp_path: Path
) -> None:
    """`logdoctor run … > file &` in a shell with job control leaves the terminal to those in front."""
    master, slave = pty.openpty()
    script = f"set -m; {sys.executable} -m logdoctor run -- echo text > {tmp_path / 'out'} & wait $!; echo code $?; exit"
    process = subprocess.Popen(
        ["bash", "-c", script],
        env=environment,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        preexec_fn=partial(own_terminal, True),  # noqa: PLW1509
    )
    os.close(slave)
    text = b""
    while select.select([master], [], [], 20)[0] and (chunk := read_terminal(master)):
        text += chunk
    process.kill()
    process.wait()
    os.close(master)
    assert (b"code 0" in text, (tmp_path / "out").read_text()) == (True, "text\n")


def test_output_comes_without_delay(environment: Mapping[str, str]) -> None:
    """A prompt without a line end arrives while the command waits."""
    command = [
        sys.executable,
        "-m",
        "logdoctor",
        "run",
        "--",
        *python("print('name? ', end='', flush=True); input()"),
    ]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert os.read(process.stdout.fileno(), 100) == b"name? "
        process.communicate(b"\n", 30)
        assert process.returncode == 0


def test_the_output_is_kept(environment: Mapping[str, str], tmp_path: Path) -> None:
    """Both streams, in the order in which they came."""
    log = tmp_path / "run.log"
    done = run(
        environment, "sh", "-c", "echo one; sleep 0.2; echo two >&2", options=("--log", str(log))
    )
    assert (done.returncode, log.read_bytes()) == (0, b"one\ntwo\n")


SECRET = "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH"


def test_the_output_that_is_kept_holds_no_secrets(
    environment: Mapping[str, str], tmp_path: Path
) -> None:
    """Of what passes through not a byte is changed; in the file secrets are masked, wherever they were cut on their way."""
    log = tmp_path / "run.log"
    text = f"import sys, time; sys.stdout.buffer.write(b'\\xff 10%\\r 20%\\r\\nHF_TOKEN={SECRET[:9]}'); sys.stdout.flush(); time.sleep(0.3); print('{SECRET[9:]} end')"
    done = run(environment, *python(text), options=("--log", str(log)))
    assert done.stdout == b"\xff 10%\r 20%\r\nHF_TOKEN=" + SECRET.encode() + b" end\n"
    assert log.read_bytes() == b"\xff 10%\r 20%\r\nHF_TOKEN=[redacted] end\n"
    run(environment, *python(text), options=("--no-redact", "--log", str(log)))
    assert log.read_bytes() == done.stdout


def test_a_log_that_is_a_pipe_without_a_reader_holds_nothing_up(
    environment: Mapping[str, str], tmp_path: Path
) -> None:
    """It is refused in words."""
    os.mkfifo(tmp_path / "pipe")
    done = run(environment, "echo", "text", options=("--log", str(tmp_path / "pipe")))
    assert (done.returncode, done.stdout) == (0, b"text\n")
    assert done.stderr.count(b"the command goes on") == 1


PRINTS_MUCH = "head -c 3000000 /dev/zero | tr '\\0' 'x'; echo; exit 7"

FAILING = """
import errno, os, sys
import logdoctor.cli.main
name, number = sys.argv[1], int(sys.argv[2])
real, calls = getattr(os, name), []
def failing(*given):
    calls.append(given)
    if len(calls) == number:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    return real(*given)
if name == "pread":
    import logdoctor.command.backlog as backlog
    backlog.MEMORY_BYTES = 1
    backlog.Backlog.__init__.__defaults__ = (1, *backlog.Backlog.__init__.__defaults__[1:])
setattr(os, name, failing)
del sys.argv[1:3]
logdoctor.cli.main.main()
"""


@pytest.mark.parametrize(
    ("name", "number", "said"),
    [
        ("fork", 1, b"the scanner could not be started (resource temporarily unavailable)"),
        ("pipe", 2, b"the scanner could not be started (resource temporarily unavailable)"),
        ("pread", 1, b"cannot be kept (resource temporarily unavailable)"),
    ],
)
def test_a_call_of_the_system_that_fails_leaves_the_command_alone(
    environment: Mapping[str, str], name: str, number: int, said: bytes
) -> None:
    """One call, whichever: the command has its output and its exit code."""
    done = subprocess.run(
        [sys.executable, "-c", FAILING, name, str(number), "run", "--", "sh", "-c", PRINTS_MUCH],
        env=environment,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, len(done.stdout)) == (7, 3_000_001)
    assert said in done.stderr
    assert b"please report" not in done.stderr


def test_a_log_that_cannot_be_written(environment: Mapping[str, str]) -> None:
    """It is said, and the command goes on; /dev/full is a disk without room."""
    done = run(environment, "echo", "text", options=("--log", "/dev/full"))
    assert (
        done.returncode,
        done.stdout,
        done.stderr.count(b"no space left on device; the command goes on"),
    ) == (0, b"text\n", 1)
    done = run(environment, "echo", "text", options=("--log", "/no/such/folder/x.log"))
    assert (done.returncode, done.stdout, done.stderr.count(b"the command goes on")) == (
        0,
        b"text\n",
        1,
    )


def test_a_disk_that_fills_under_the_log(environment: Mapping[str, str], tmp_path: Path) -> None:
    """What fits is kept, it is said once, and the command's own output is complete; a limit on files is a disk of that size."""
    log = tmp_path / "run.log"
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (50_000, 50_000))
    done = run(
        environment,
        *python("for i in range(2000): print('%099d' % i)\nraise SystemExit(3)"),
        options=("--log", str(log)),
        preexec_fn=limit,
    )
    whole = b"".join(b"%099d\n" % i for i in range(2000))
    assert (done.returncode, done.stdout, log.read_bytes()) == (3, whole, whole[:50_000])
    assert done.stderr.count(b"file too large; the command goes on") == 1


def test_half_lines_and_half_characters_pass_at_once(environment: Mapping[str, str]) -> None:
    """And what is diagnosed is put together from them."""
    text = (
        "import os, sys, time\n"
        f"for part in ('显'.encode()[:1], '显'.encode()[1:], {OOM[:20].encode()!r}, {OOM[20:].encode()!r}):\n"
        "    os.write(1, part); time.sleep(0.3)\n"
        "sys.exit(9)"
    )
    command = [sys.executable, "-m", "logdoctor", "run", "--format", "jsonl", "--", *python(text)]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert os.read(process.stdout.fileno(), 100) == "显".encode()[:1]
        rest, said = process.communicate(timeout=60)
    assert (process.returncode, rest, b'"cuda-out-of-memory"' in said) == (
        9,
        "显".encode()[1:] + OOM.encode(),
        True,
    )


def test_what_ended_a_silent_command_is_said(environment: Mapping[str, str]) -> None:
    """The signal in its exit code, where the output tells nothing."""
    done = run(environment, "sh", "-c", "kill -USR1 $$")
    assert (done.returncode, b"Exit code 138 (SIGUSR1): a scheduler's word" in done.stderr) == (
        138,
        True,
    )


def test_fail_fast_stops_a_job_that_hangs(environment: Mapping[str, str]) -> None:
    """With SIGTERM, soon after the line."""
    start = time.monotonic()
    done = run(
        environment,
        *python(f"import time; print({OOM!r}, flush=True); time.sleep(50)"),
        options=("--fail-fast", "fatal"),
    )
    assert (done.returncode, time.monotonic() - start < 30) == (143, True)
    assert b"stopping the command (--fail-fast): cuda-out-of-memory" in done.stderr


@pytest.mark.parametrize(("severity", "is_stopped"), [("fatal", True), ("never", False)])
def test_fail_fast_stops_a_job_whose_loss_is_lost(
    environment: Mapping[str, str], severity: str, is_stopped: bool
) -> None:
    """A signature of numbers counts like any other; without it, nothing is told of an exit code 0."""
    text = """
import sys, time
for step in range(1, 60):
    print(f"step:{step} - actor/pg_loss:{'nan' if step > 20 else 0.5}", flush=True)
time.sleep(int(sys.argv[1]))
"""
    command = (*python(text), "50" if is_stopped else "0")
    done = run(environment, *command, options=("--fail-fast", severity))
    told = b"stopping the command (--fail-fast): loss-not-finite" in done.stderr
    assert (done.returncode, told) == ((143, True) if is_stopped else (0, False))


def test_fail_fast_leaves_a_job_its_time_that_is_being_ended(
    environment: Mapping[str, str],
) -> None:
    """Here by Slurm, before its time limit; what it prints on its way out stops nothing."""
    text = f"import time; print({SLURM_ENDS!r}); print('step 9 loss 0.5'); print({OOM!r}, flush=True); time.sleep(2); print('saved'); raise SystemExit(3)"
    done = run(environment, *python(text), options=("--fail-fast", "fatal"))
    assert (done.returncode, b"saved" in done.stdout, b"stopping the command" in done.stderr) == (
        3,
        True,
        False,
    )


def test_a_command_that_ignores_sigterm_is_killed() -> None:
    """When the time that it was given is over."""
    child = Child(
        python(
            "import signal, time; signal.signal(15, signal.SIG_IGN); print('ready', flush=True); time.sleep(60)"
        ),
        (),
    )
    for output in child.outputs():
        if output and b"ready" in output.data:
            child.end(0.3)
    assert child.wait() == -signal.SIGKILL


def test_a_broken_scanner_leaves_the_command_alone(
    environment: Mapping[str, str], tmp_path: Path
) -> None:
    """Here its signatures are no YAML."""
    (tmp_path / "bad.yaml").write_text("]")
    done = run(
        environment,
        *python("print('x' * 5_000_000); raise SystemExit(3)"),
        options=("--signatures", str(tmp_path / "bad.yaml")),
    )
    assert (done.returncode, len(done.stdout)) == (3, 5_000_001)
    assert b"the command goes on without a diagnosis" in done.stderr


FIND_SCANNER = (
    "import os, signal, subprocess, sys\n"
    "children = subprocess.run(['ps', '-o', 'pid=', '--ppid', str(os.getppid())], capture_output=True, text=True).stdout.split()\n"
    "scanner = next(int(each) for each in children if int(each) != os.getpid())\n"
)


def test_the_command_never_waits_for_the_scanner(environment: Mapping[str, str]) -> None:
    """Here it is stopped, while five times as much is printed as is kept in memory."""
    text = (
        f"{FIND_SCANNER}os.kill(scanner, signal.SIGSTOP)\nfor _ in range(1600): print('x' * 99_999)"
    )
    done = run(environment, *python(text))
    assert (done.returncode, len(done.stdout), done.stderr) == (0, 160_000_000, b"")


def test_a_scanner_that_is_behind_catches_up_when_the_command_has_failed(
    environment: Mapping[str, str],
) -> None:
    """And counts lines as they are."""
    text = (
        f"{FIND_SCANNER}os.kill(scanner, signal.SIGSTOP)\n"
        "for _ in range(600_000): print('x' * 99)\n"
        f"os.kill(scanner, signal.SIGCONT)\nprint({OOM!r}); sys.exit(5)"
    )
    done = run(environment, *python(text))
    assert (done.returncode, len(done.stdout), b"<output>:600001" in done.stderr) == (
        5,
        60_000_001 + len(OOM),
        True,
    )


def test_a_plain_run_imports_nothing_that_holds_up_its_command(
    environment: Mapping[str, str],
) -> None:
    """The command is started before signatures, click and what scans are there."""
    text = (
        "import sys\nfrom logdoctor.cli.main import main\nimport logdoctor.command.child\n"
        "class Started(BaseException): pass\n"
        "def start(*_, **__): raise Started\n"
        "logdoctor.command.child.subprocess.Popen = start\n"
        "sys.argv = ['logdoctor', 'run', '--lang', 'zh', '--log=/dev/null', '--fail-fast', 'fatal', '--', 'true']\n"
        "try: main()\nexcept Started: print(*sorted({'click', 'yaml', 'hyperscan', 'logdoctor.model', 'tempfile'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", text], env=environment, capture_output=True, check=False
    )
    assert done.stdout == b"\n"


def test_a_scanner_that_is_killed_leaves_the_command_alone(environment: Mapping[str, str]) -> None:
    """The command finds and kills the process that scans."""
    text = f"{FIND_SCANNER}os.kill(scanner, signal.SIGKILL)\nprint('x' * 3_000_000); sys.exit(4)"
    done = run(environment, *python(text))
    assert (done.returncode, len(done.stdout)) == (4, 3_000_001)


def test_a_reader_that_leaves(environment: Mapping[str, str]) -> None:
    """The command gets its SIGPIPE as it would without us."""
    command = f"{sys.executable} -m logdoctor run -- sh -c 'yes; echo $? >&2' | head -1"
    done = subprocess.run(
        ["sh", "-c", command], env=environment, capture_output=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr.split()[:1]) == (b"y\n", [b"141"])


def test_a_daemon_that_keeps_the_output_open_is_not_waited_for(
    environment: Mapping[str, str],
) -> None:
    """The command's end is the end."""
    start = time.monotonic()
    done = run(environment, "sh", "-c", "sleep 30 & echo started; exit 6")
    assert (done.returncode, done.stdout, time.monotonic() - start < 20) == (6, b"started\n", True)


TRIES = """
import os, sys
from logdoctor.command.child import Child, exit_code_of

terminals = [each for each in (0, 1, 2) if os.isatty(each)]
codes = set()
for number in range(int(sys.argv[1])):
    child = Child((("true", "false")[number % 2],), terminals)
    for _ in child.outputs([], lambda: None):
        pass
    codes.add((number % 2, exit_code_of(child.wait())))
    child.restore()
print(len(terminals), sorted(codes), file=open(sys.argv[2], "w"))
"""


@pytest.mark.parametrize(
    ("has_terminal", "tries"),
    [(False, 1000), (True, 100), pytest.param(True, 1000, marks=pytest.mark.slow)],
)
def test_a_command_that_ends_at_once_keeps_its_exit_code(
    environment: Mapping[str, str], tmp_path: Path, has_terminal: bool, tries: int
) -> None:
    """However often it is tried; a third of the tries failed on a terminal."""
    file = tmp_path / "codes"
    command = [sys.executable, "-c", TRIES, str(tries), str(file)]
    if has_terminal:
        pid, master = pty.fork()
        if pid == 0:
            os.execve(sys.executable, command, dict(environment))
        while read_terminal(master):
            pass
        os.waitpid(pid, 0)
        os.close(master)
    else:
        subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, check=True)
    assert file.read_text() == f"{3 * has_terminal} [(0, 0), (1, 1)]\n"


@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGKILL, signal.SIGSEGV])
def test_run_ends_with_its_command_whatever_becomes_of_the_scanner(
    environment: Mapping[str, str], number: signal.Signals
) -> None:
    """Within ten seconds, with the verdict of the output's end and a word about it."""
    text = f"{FIND_SCANNER}os.kill(scanner, signal.{number.name})\nprint({OOM!r}); sys.exit(7)"
    start = time.monotonic()
    done = run(environment, *python(text))
    assert time.monotonic() - start < 13  # ten, and two starts on a busy machine
    assert (done.returncode, b"CUDA out of memory" in done.stdout) == (7, True)
    what = "was stopped" if number is signal.SIGSTOP else f"was ended by signal {number.value}"
    assert f"the scanner {what}; what follows is of the last 0.0 MB" in done.stderr.decode()
    assert b"<output>:1" in done.stderr


def test_a_scanner_that_stands_still_leaves_the_end_to_another(
    environment: Mapping[str, str],
) -> None:
    """Here it stands still while a hundred megabytes come."""
    text = (
        f"{FIND_SCANNER}os.kill(scanner, signal.SIGSTOP)\n"
        f"for _ in range(1_000_000): print('x' * 99)\nprint({OOM!r}); sys.exit(5)"
    )
    start = time.monotonic()
    done = run(environment, *python(text))
    assert time.monotonic() - start < 20
    assert (done.returncode, b"the scanner was stopped" in done.stderr) == (5, True)
    assert b"<output>:" in done.stderr
