"""Files that are appended to hold runs one after the other; the last one is judged."""

from __future__ import annotations

import pytest

from logdoctor.events.appended_runs import OPENING, REACH, RerunReader
from logdoctor.model import LogLine, ScanResult
from logdoctor.model.history import RERUN_LINES
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton

BANNER = "Sun Aug 17 00:40:32 2025\nJob 263121 starts on dgx-15\nUsing the data in /data/aloha\nWriting to /out/7\n"
AGAIN = "Thu Aug 21 01:31:46 2025\nJob 263122 starts on dgx-02\nUsing the data in /data/aloha\nWriting to /out/8\n"
LIBRARIES = (
    "2024-12-03 08:08:56.096190: E external/local_xla/xla/stream_executor/cuda/cuda_fft.cc:485] Unable to register cuFFT factory\n"
    "/opt/venv/lib/python3.10/site-packages/apex/optim.py: some notice of a library\n"
)
SERVER = "INFO 09-30 18:28:54 [api_server.py:1896] vLLM API server version 0.10.2\n"
STEPS = "".join(
    f"processed the {name} batch\n"
    for name in ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
)
PROGRESS = "".join(f"step:{step} - actor/loss:0.5 - actor/grad_norm:1.0\n" for step in range(1, 4))
STEPPED = (
    " iteration       20/      20 | elapsed time per iteration (ms): 500.0 | lm loss: 9.0E+00 |\n"
    "[after training is done] datetime: 2026-01-01 10:00:00\n"
)
BEGUN = "> initializing torch distributed ...\n"
UNCAUGHT = """\
[rank3]: Traceback (most recent call last):
[rank3]:   File "/app/core/shards.py", line 80, in check
[rank3]:     raise OddShard(a)
[rank3]: OddShard: no such shard
"""
STATISTICS = "".join(
    f"- {name} request count: 0\n"
    for name in ("RegisterNode", "DrainNode", "GetAllNodeInfo", "GetInternalConfig")
)


def daemon(pid: int, *, starts: bool) -> str:
    """What Ray's GCS prints when it starts, and every minute from then on."""
    prefix = f"[2024-05-25 19:43:20,906 I {pid} {pid}] (gcs_server)"
    start = (
        f"{prefix} io_service_pool.cc:35: IOServicePool is running with 1 io_service.\n" * starts
    )
    return f"{start}{prefix} gcs_server.cc:250: GcsNodeManager: \n{STATISTICS}"


GONE = "[2024-05-25 19:44:10,004 W 207 207] (gcs_server) gcs_worker_manager.cc:55: Reporting worker exit, worker id = 5a1c, node id = d863, address = 127.0.0.1, exit_type = SYSTEM_ERROR, exit_detail = Worker unexpectedly exits with a connection error code 10054. An existing connection was forcibly closed by the remote host. There are some potential root causes. (1) The process is killed by SIGKILL by OOM killer due to high memory usage.\n"


def failure(program: str, message: str) -> str:
    return f'Traceback (most recent call last):\n  File "/app/{program}", line 27, in <module>\n    main()\n{message}\n'


OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.19 GiB is free."
MODULE = "ModuleNotFoundError: No module named 'wandb'"


def answer(result: ScanResult) -> tuple[str | None, int]:
    """The root's signature, and how many runs are told."""
    root = result.root
    told = sum("one after the other" in each.en for each in result.not_seen)
    return (getattr(root, "signature").id if root else None, told)  # noqa: B009


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (
            BANNER + STEPS + failure("train.py", OOM) + AGAIN + STEPS + failure("train.py", MODULE),
            ("module-missing", 1),
        ),
        (
            BANNER + STEPS + failure("train.py", OOM) + AGAIN + STEPS + failure("train.py", OOM),
            ("cuda-out-of-memory", 1),
        ),
        (BANNER + STEPS + failure("train.py", OOM) + AGAIN + RERUN_LINES * "went on\n", (None, 1)),
        (BANNER + STEPS + failure("train.py", OOM) + AGAIN + STEPS, ("cuda-out-of-memory", 0)),
        (BANNER + STEPS + failure("train.py", OOM) + AGAIN + PROGRESS, (None, 1)),
        (
            BANNER
            + STEPS
            + failure("train.py", OOM)
            + AGAIN
            + STEPS
            + failure("evaluate.py", MODULE),
            ("cuda-out-of-memory", 1),
        ),
        (
            LIBRARIES + STEPS + failure("train.py", OOM) + LIBRARIES + failure("train.py", MODULE),
            ("cuda-out-of-memory", 0),
        ),
        (BANNER + STEPS + AGAIN + STEPS + failure("train.py", OOM), ("cuda-out-of-memory", 0)),
        (
            BANNER + STEPS + failure("train.py", OOM) + STEPS + failure("train.py", MODULE),
            ("cuda-out-of-memory", 0),
        ),
        (
            2 * failure("train.py", MODULE)
            + BANNER
            + STEPS
            + failure("train.py", OOM)
            + AGAIN
            + RERUN_LINES * "went on\n",
            (None, 1),
        ),
        (
            failure("train.py", MODULE) + BANNER + STEPS + failure("train.py", OOM),
            ("cuda-out-of-memory", 0),
        ),
        (
            2 * failure("train.py", MODULE) + STEPS + RERUN_LINES * "went on\n",
            ("module-missing", 0),
        ),
        (SERVER + failure("serve.py", OOM) + SERVER + RERUN_LINES * "served\n", (None, 1)),
        (
            SERVER + failure("serve.py", OOM) + SERVER + failure("serve.py", MODULE),
            ("module-missing", 1),
        ),
        (SERVER + failure("serve.py", OOM) + 2 * (SERVER + 40 * "served\n"), (None, 1)),
        (SERVER + failure("serve.py", OOM) + RERUN_LINES * "served\n", ("cuda-out-of-memory", 0)),
        (
            daemon(207, starts=True)
            + STEPS
            + GONE
            + daemon(207, starts=False)
            + RERUN_LINES * "count\n",
            ("ray-worker-died-unexpectedly", 0),
        ),
        (
            daemon(207, starts=True)
            + STEPS
            + GONE
            + daemon(311, starts=True)
            + RERUN_LINES * "count\n",
            (None, 1),
        ),
    ],
    ids=[
        "another failure",
        "the same failure",
        "a healthy one",
        "one that only began",
        "a short one that made steps",
        "another program",
        "libraries only",
        "no failure before",
        "one run",
        "a healthy one, after tries that died at once",
        "one run after a try that died at once",
        "tries that died at once, and another program",
        "a server that came up the second time",
        "a server that failed twice",
        "a server that was started again after it had come up",
        "a server that was not started again",
        "statistics that a process prints every minute",
        "the same of another process",
    ],
)
def test_the_last_run_is_judged_where_the_opening_comes_again_after_a_failure(
    automaton: Automaton, log: str, expected: tuple[str | None, int]
) -> None:
    assert answer(scan_text(automaton, log)) == expected


def test_of_the_same_failure_the_last_run_s_lines_are_shown(automaton: Automaton) -> None:
    log = BANNER + failure("train.py", OOM) + AGAIN + failure("train.py", OOM)
    root = scan_text(automaton, log).root
    assert root
    assert root.evidence[0].line == len(log.splitlines())


def test_the_end_of_an_earlier_run_is_not_that_of_the_last(automaton: Automaton) -> None:
    end = "{'train_runtime': 887.186, 'train_samples_per_second': 1.803, 'train_loss': -0.0008, 'epoch': 0.05}\n"
    late = OOM.replace("torch.", "ERROR: torch.")
    log = BANNER + end + failure("export.py", MODULE) + AGAIN + STEPS + late + "\n"
    assert answer(scan_text(automaton, log)) == ("cuda-out-of-memory", 1)


def feed(reader: RerunReader, texts: list[str], first: int) -> list[int]:
    lines = (LogLine("a.log", number, text, text) for number, text in enumerate(texts, first))
    return [number for number in map(reader.feed, lines) if number]


def test_two_lines_of_the_opening_in_their_order_begin_a_run() -> None:
    reader = RerunReader(BANNER.encode())
    assert feed(reader, AGAIN.splitlines(), 100) == [100]
    assert feed(reader, list(reversed(AGAIN.splitlines())), 200) == []
    assert feed(reader, AGAIN.splitlines()[:1], 300) == []
    assert (
        feed(
            reader,
            [*AGAIN.splitlines()[:1], *["something else"] * REACH, *AGAIN.splitlines()[1:2]],
            400,
        )
        == []
    )
    assert feed(reader, AGAIN.splitlines(), 1) == []


def test_an_opening_does_not_begin_a_run_when_it_is_read_first() -> None:
    """Though lines of libraries push its telling ones far down."""
    head = (
        "INFO 05-26 18:54:03 [ray_utils.py:233] Waiting for creating a placement group\n" * 20
        + BANNER
    )
    reader = RerunReader(head.encode())
    assert feed(reader, head.splitlines(), 1) == []
    assert feed(reader, AGAIN.splitlines(), 100) == [100]


def test_a_line_that_a_warning_quotes_begins_no_run() -> None:
    """Nor do frames and their source lines: other programs print the same ones."""
    quoted = "/opt/conda/cuda.py:61: FutureWarning: the package is deprecated\n  import pynvml  # type: ignore\n"
    frames = '  File "/app/train.py", line 3, in main\n    launch_everything(config)\n'
    for head in (quoted + BANNER, frames + BANNER):
        reader = RerunReader(head.encode())
        assert feed(reader, [*head.splitlines()[:2], *BANNER.splitlines()[3:]], 100) == []


def test_an_opening_that_repeats_itself_or_fails_tells_nothing() -> None:
    for head in ("loss 0.5 of this step\n" * OPENING, "Error in the job script\n" + BANNER):
        reader = RerunReader(head.encode())
        assert feed(reader, head.splitlines(), 100) == []


@pytest.mark.parametrize(("between", "step"), [("", 20), (BEGUN, None)])
def test_the_last_step_is_one_of_the_run_that_failed(
    automaton: Automaton, between: str, step: int | None
) -> None:
    """None where another run had begun, which made no step."""
    result = scan_text(automaton, STEPPED + between + UNCAUGHT)
    assert result.root
    assert getattr(result.context.last_progress, "step", None) == step
    assert scan_text(automaton, STEPPED + between).context.last_progress
