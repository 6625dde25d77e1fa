"""Of a run without findings: its good end was seen, or none was, or it waits."""

from __future__ import annotations

import json
import re

import pytest

from logdoctor.context.waiting import LINES
from logdoctor.formats.closing_words import (
    FAILED_ENDS,
    GOOD_ENDS,
    IN_FAILED_ENDS,
    WAITING,
    ClosingWords,
    says_failed,
    says_good_end,
    says_waiting,
)
from logdoctor.model import Language, RunState
from logdoctor.pipeline.scan import Scan, scan_text
from logdoctor.reports.html.run import render_run
from logdoctor.reports.run.markdown import render_markdown
from logdoctor.reports.run.painting import TextStyle
from logdoctor.reports.run.text import render_text
from logdoctor.search.automaton import Automaton
from tests.conftest import RunCli

STARTED = "INFO:launcher:starting the rollout server on port 30000\n"
NOT_UP = "INFO:launcher:Server is not up yet. Retrying\n"
STEPS = "".join(f"step:{step} - actor/loss:0.5 - actor/grad_norm:1.0\n" for step in range(1, 6))


@pytest.mark.parametrize("row", [*GOOD_ENDS, *WAITING], ids=lambda row: row.samples[0][:30])
def test_each_row_fits_its_samples_only(row: object) -> None:
    """And the question that is asked of it answers the same, near misses included."""
    says = says_good_end if row in GOOD_ENDS else says_waiting
    for sample in row.samples:  # type: ignore[attr-defined]
        assert (bool(re.search(row.pattern, sample)), says(sample)) == (True, True), sample  # type: ignore[attr-defined]
    for near_miss in row.near_misses:  # type: ignore[attr-defined]
        assert (bool(re.search(row.pattern, near_miss)), says(near_miss)) == (False, False), (  # type: ignore[attr-defined]
            near_miss
        )


@pytest.mark.parametrize("row", FAILED_ENDS, ids=lambda row: row.samples[0][:30])
def test_each_row_of_failures_fits_its_samples_only(row: ClosingWords) -> None:
    """The question that is asked of it also sees what turns its words into others, and what is
    searched in bytes stands in all of them.
    """
    for sample in row.samples:
        assert re.search(row.pattern, sample), sample
        assert says_failed(sample), sample
        assert re.search(IN_FAILED_ENDS, sample.encode()), sample
    assert [each for each in row.near_misses if says_failed(each)] == []


@pytest.mark.parametrize(
    "text",
    [
        "The job was not completed",
        "training finished with 3 errors",
        "Download the model once training is complete",
        "训练未完成",
        "run finished without success",
        "训练未结束",
        "Benchmark 3/10 done",
    ],
)
def test_what_says_the_opposite_is_no_good_end(text: str) -> None:
    """Nor what only will be."""
    assert not says_good_end(text)


@pytest.mark.parametrize(
    ("log", "state", "line"),
    [
        (STARTED, RunState.NO_END_SEEN, 1),
        (STARTED + STEPS, RunState.NO_END_SEEN, 6),
        (STARTED + STEPS + "Training complete\nbye\n", RunState.GOOD_END, 7),
        (STARTED + "2026-06-10 01:23:38,101 - INFO - Done.\n\n", RunState.GOOD_END, 2),
        (
            "Epoch 1: loss 0.5\n  100%|####| 40/40 [00:10<00:00]\rAll tasks done\n",
            RunState.GOOD_END,
            2,
        ),
        ("Training complete\n" + STEPS, RunState.NO_END_SEEN, 6),
        ("RuntimeError: a message of its own\n", RunState.PROBLEM, None),
        ("", RunState.NOTHING_READ, None),
    ],
)
def test_how_a_log_ends(automaton: Automaton, log: str, state: RunState, line: int | None) -> None:
    """With the line that shows it, the last one where none does."""
    ending = scan_text(automaton, log).ending
    assert (ending.state, ending.line) == (state, line)


NAMES = ("", "trainer: ", "INFO trainer: ", "INFO | my.train | ", "run.py:31 - ", "[main] ")
PARTS = ("loader: ", "INFO tokenizer: ", "data.train_loader: ", "cache.py:31 - ", "[download] ")
DONE = ("finished", "done.", "Done in 312.4s", "completed successfully", "finished (3 min)")
LAST_STEPS = ("finished epoch {}/{}", "Step {}/{} done", "{}/{} samples completed")
EXITS = ("exit status {}", "exit code: {}", "rc={}", "EXIT {}", "return code {}", "exited with {}")


@pytest.mark.parametrize("done", DONE)
def test_the_last_word_of_the_program_is_its_end(done: str) -> None:
    """By itself, or behind the program's own name; behind that of a part it is the part's."""
    assert [name for name in NAMES if not says_good_end(name + done)] == []
    assert [name for name in PARTS if says_good_end(name + done)] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_last_of_what_is_counted_is_the_end(name: str) -> None:
    """One of those before it is none, nor one of which is not said how many there are."""
    for said in LAST_STEPS:
        assert says_good_end(name + said.format(3, 3)), said
        assert not says_good_end(name + said.format(3, 10)), said
        assert not says_good_end(name + said.replace("{}/{}", "3")), said


@pytest.mark.parametrize("exit_words", EXITS)
def test_an_exit_by_0_is_a_good_end(exit_words: str) -> None:
    """By no other number, and none that a longer word or number tells."""
    assert says_good_end(exit_words.format(0))
    for status in ("1", "10", "0.5", "0x7f", "-9", "137", "0 expected"):
        assert not says_good_end(exit_words.format(status)), status


@pytest.mark.parametrize(
    "part",
    ["loading", "data loading", "download", "warmup", "dataset preparation", "init", "epoch 1"],
)
def test_the_end_of_a_part_is_no_good_end(part: str) -> None:
    """Of what comes before the run, or of one of many."""
    for said in (f"{part} completed", f"finished {part}", f"Training {part} finished"):
        assert not says_good_end(said), said
    for said in ("数据加载完成", "训练数据下载完成", "训练环境初始化完成", "训练第 3 轮结束"):
        assert not says_good_end(said), said


@pytest.mark.parametrize(
    "said",
    [
        "Training complete: FAILED",
        "Training finished with errors",
        "Job finished, status=FAILED",
        "Run finished unsuccessfully",
        "wandb: run finished (crashed)",
        "srun: job finished: TIMEOUT",
        "Training aborted, saving final checkpoint",
        "Job done: cancelled by the user",
        "training finished early: loss is NaN",
        "Final loss: nan",
        "{'train_runtime': 12.4, 'train_loss': nan, 'epoch': 1.0}",
        "Run was interrupted, saved the last checkpoint",
        "All tasks done, but 2 raised exceptions",
        "Run completed with status: ERROR",
        "Training finished, errors: 3",
        "Everything done except rank 3",
        "Training finished prematurely",
        "Training completed on rank 0 with errors",
        "Training completed, rank 0 crashed",
        "Training completed (rank: 0 crashed)",
        "All tasks done, worker 0 timed out",
        "Training completed: 0 passed 12 failed",
        "Training finished in 10.0 minutes with errors",
        "Run completed on node 0 after failure",
        "Job done. Not all jobs failed",
        "All attempts finished",
        "任务结束，状态：异常",
        "训练结束（异常退出）",
        "运行完成，但有 2 个错误",
        "训练结束：超时",
        "程序结束，返回码：-9",
        "任务结束：被取消",
        "训练被中断，已结束",
    ],
)
def test_an_end_that_is_said_to_be_bad_earns_no_tick(automaton: Automaton, said: str) -> None:
    """Whoever tells of it: the run's last words, or a line that a framework is known to end with."""
    text = f"starting\nstep 1 loss 2.0\nstep 2 loss 1.9\n{said}\n"
    result = scan_text(automaton, text)
    assert result.ending.state is not RunState.GOOD_END
    assert "✔" not in render_text(result, TextStyle())


@pytest.mark.parametrize(
    "said",
    [
        "Training complete: 0 failed",
        "Job finished, failures: 0",
        "Run finished, no tasks failed",
        "Training completed, not interrupted",
        "Job done, timeouts=0, killed: 0",
        "Training finished without any errors",
        "Run completed, errors: none, exceptions: 0",
        "Training finished, final error 0.021",
        "Training finished with error 0.02",
        "Training completed. error rate = 3.2",
        "Training finished. timeout=1800",
        "Training completed with no NaN",
        "Job finished: 0 workers crashed",
        "Run finished, none of them failed",
        "训练完成，没有出现任何异常",
        "训练完成，错误率 0.03",
        "训练完成，无异常",
        "全部任务已完成，错误 0",
        "Final loss: 0.31 (nanmean over ranks)",
    ],
)
def test_an_end_at_which_nothing_failed_is_good(automaton: Automaton, said: str) -> None:
    """That it speaks of failures says nothing."""
    text = f"starting\nstep 1 loss 2.0\nstep 2 loss 1.9\n{said}\n"
    assert scan_text(automaton, text).ending.state is RunState.GOOD_END


@pytest.mark.parametrize("end", ["Training complete", "Done.", "exit code: 0"])
@pytest.mark.parametrize(
    "said", ["512 of 512 samples failed", "all tasks failed", "skipped: all", "0/8 succeeded"]
)
def test_where_all_failed_no_end_is_good(automaton: Automaton, said: str, end: str) -> None:
    """However well the program itself ended; where one of many failed, it is."""
    text = f"starting\nreading the samples\n{said}\n{end}\n"
    result = scan_text(automaton, text)
    assert (result.root, result.ending[:3]) == (None, (RunState.NO_END_SEEN, "<text>", 3))
    assert "✔" not in render_text(result, TextStyle())
    some = text.replace(said, "1 of 512 samples failed")
    assert scan_text(automaton, some).ending.state is RunState.GOOD_END


def test_every_report_says_it(automaton: Automaton) -> None:
    """In both languages; no tick, no all-clear."""
    result = scan_text(automaton, STARTED)
    for language, words in ((Language.EN, "no end seen"), (Language.ZH, "未看到运行结束")):
        texts = (
            render_text(result, TextStyle(language)),
            render_markdown(result, language),
        )
        assert [words in text and STARTED.strip() in text for text in texts] == [True, True]
        assert [("✔" in text, "No problem" in text) for text in texts] == [(False, False)] * 2
    assert "No error found, no end seen" in render_run(result, Language.EN, "1")


def test_last_words_are_shown_without_secrets(automaton: Automaton) -> None:
    """As all lines that are shown."""
    key = "hf_" + "a1B2" * 8 + "xy"
    assert key not in (scan_text(automaton, f"logging in with {key}\n").ending.text or key)


def test_the_document_says_which_of_the_states(run_cli: RunCli) -> None:
    """Beside the exit code, which is 0 where nothing was found and 2 where nothing was read."""
    said = []
    for log in (STARTED, "Training complete\n", "", STARTED + 200 * NOT_UP):
        done = run_cli("scan", "--format", "json", stdin=log.encode())
        said.append((done.returncode, json.loads(done.stdout)["ending"]["state"]))
    assert said == [(0, "no_end_seen"), (0, "good_end"), (2, "nothing_read"), (1, "problem")]


@pytest.mark.parametrize(
    "lines",
    [
        STARTED + 200 * NOT_UP,
        STARTED + LINES * NOT_UP,
        STARTED
        + "".join(
            f"2026-06-10 01:23:{n} INFO waiting for rank {n} to be ready\n" for n in range(10, 40)
        ),
        STEPS + "".join(f"[{n}] Waiting for the lock of the cache ({n} s)\n" for n in range(30)),
        STARTED
        + "".join(f"connection refused\nattempt {n}: trying again in 5 s\n" for n in range(9)),
        STARTED + "".join(f"等待推理服务启动（第 {n} 次）\n" for n in range(30)),
    ],
)
def test_a_log_that_ends_in_waiting_is_a_problem(automaton: Automaton, lines: str) -> None:
    """At its last line of waiting, by a rule of its own."""
    result = scan_text(automaton, lines)
    assert result.ending.state is RunState.PROBLEM
    (error,) = result.unknown_errors
    assert error.verdict.value == "root_cause"
    assert error.evidence[0].line >= lines.count("\n") - 1
    assert "ends-in-waiting" in [reason.rule for reason in error.because]
    assert "waiting" in error.next_steps[0].en


@pytest.mark.parametrize(
    "lines",
    [
        STARTED + 200 * NOT_UP + "INFO:launcher:server is up\n",
        STARTED + 200 * NOT_UP + STEPS,
        STARTED + (LINES - 1) * NOT_UP,
        STARTED + "".join(f"heartbeat {n}: all 8 workers alive\n" for n in range(40)),
        STARTED + "".join(f"Engine 000: Running: {n} reqs, Waiting: 0 reqs\n" for n in range(40)),
        STARTED + 40 * "Waiting for new requests ...\n",
        STARTED + "".join(f"waiting for rollout {n}\nrollout {n} is here\n" for n in range(40)),
        STARTED + "".join(f"waiting for a batch\nstep:{n} - actor/loss:0.5\n" for n in range(40)),
    ],
    ids=["goes on", "steps", "few", "heartbeat", "gauge", "idle", "in turns", "with steps"],
)
def test_what_waits_and_gets_on_is_none(automaton: Automaton, lines: str) -> None:
    """Nor what waits for work."""
    result = scan_text(automaton, lines)
    assert (result.root, result.unknown_errors) == (None, ())


def test_fed_live_it_is_the_same(automaton: Automaton) -> None:
    """In pieces of any size."""
    log = (STARTED + 200 * NOT_UP).encode()
    scan = Scan(automaton)
    for start in range(0, len(log), 997):
        scan.feed("<text>", log[start : start + 997])
        scan.settle()
    scan.end()
    assert scan.result().root == scan_text(automaton, log.decode()).root
