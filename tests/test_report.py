"""What a person sees: the time line of a long run, what was not seen, and the progress line."""

from __future__ import annotations

import io

import pytest

from logdoctor.cli.progress import Progress
from logdoctor.model import Language
from logdoctor.pipeline.scan import scan_text
from logdoctor.reports.run.layout import columns, in_lines, spread
from logdoctor.reports.run.painting import TextStyle
from logdoctor.reports.run.text import render_text
from logdoctor.reports.run.time_line import LONG_RUN_LINES
from logdoctor.search.automaton import Automaton

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.19 GiB is free."
CRASH = f"""\
[rank3]: Traceback (most recent call last):
[rank3]:   File "/app/verl/workers/fsdp_workers.py", line 655, in update_actor
[rank3]:     loss.backward()
[rank3]: {OOM}
"""
DEAD = "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n\tclass_name: WorkerDict\n"
UNKNOWN = "somelib.errors.OddShardError: shard 7 is odd\n"
STEPS = "".join(
    f"step:{step} - actor/loss:0.{step % 7}5 - actor/grad_norm:1.{step % 9}\n"
    for step in range(LONG_RUN_LINES)
)


def report(
    automaton: Automaton,
    log: str,
    language: Language = Language.EN,
    width: int = 80,
    *,
    show_why: bool = False,
) -> list[str]:
    style = TextStyle(language, width, show_why=show_why)
    return render_text(scan_text(automaton, log), style).splitlines()


def test_a_long_run_has_a_time_line(automaton: Automaton) -> None:
    """Steps, the root and what followed from it, each with its ranks, in the order of the log."""
    lines = report(automaton, STEPS + CRASH + DEAD * 3, show_why=True)
    start = lines.index("Time line  <text>, lines 1 to 1,010")
    rows = [line.split("│") for line in lines[start + 1 : start + 4]]
    assert [(row[0].strip(), row[2].strip()) for row in rows] == [
        ("steps", ""),
        ("cuda-out-of-memory", "rank 3"),
        ("ray-actor-died", ""),
    ]
    assert (rows[0][1].strip("─ "), rows[1][1].strip(), rows[2][1].strip()) == ("", "✖", "▪")


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("language", list(Language))
def test_the_time_line_fits_the_terminal(
    automaton: Automaton, language: Language, width: int
) -> None:
    """In both languages."""
    rows = [
        line
        for line in report(automaton, STEPS + CRASH + DEAD, language, width, show_why=True)
        if line.count("│") == 2
    ]
    assert (len(rows), max(columns(row) for row in rows) <= width) == (3, True)


@pytest.mark.parametrize(
    ("prefix", "shown"),
    [
        ("2026-02-06 15:38:30,123 - ERROR - ", "2026-02-06 15:38:30.123"),
        ("ERROR 10-20 12:00:00 [core.py:700] ", "10-20 12:00:00"),
        ("[rank3]:[E923 15:45:08.084919234 x.cpp:607] ", "09-23 15:45:08.084"),
    ],
)
def test_times_read_as_people_write_them(automaton: Automaton, prefix: str, shown: str) -> None:
    """Also where the log gives no year."""
    where = next(
        line
        for line in report(automaton, prefix + OOM + "\n", width=120)
        if line.startswith("Where")
    )
    assert shown in where.split(" · ")


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("language", list(Language))
def test_what_followed_takes_one_line_each(
    automaton: Automaton, language: Language, width: int
) -> None:
    """With its place, ranks and counts."""
    log = UNKNOWN + "".join(
        f"[rank{rank}]: {line}\n" for rank in (0, 1, 2) for line in DEAD.splitlines()
    )
    lines = report(automaton, log, language, width)
    followed = lines[
        lines.index({Language.EN: "What followed from it", Language.ZH: "由此引发"}[language]) + 1 :
    ][:2]
    assert (columns(followed[0]) <= width, followed[1:]) in ((True, []), (True, [""]))
    assert followed[0].endswith(
        {Language.EN: "<text>:2 · rank 0-2 · 3 times", Language.ZH: "<text>:2 · rank 0-2 · 3 次"}[
            language
        ]
    )


def test_a_run_that_went_well_is_one_line(automaton: Automaton) -> None:
    """Whatever it lived on after; `--all` shows that."""
    log = CRASH + "".join(
        f"[rank3]: step:{step} - actor/loss:0.5 - actor/grad_norm:1.0\n" for step in range(1, 6)
    )
    facts = "last step 5 · harmless: 1 (--all shows them)"
    assert report(automaton, log) == [f"? No error found, no end seen · lines read: 9 · {facts}"]
    assert report(automaton, log + "Training complete\n") == [
        f"✔ No problem found · lines read: 10 · {facts}"
    ]
    assert len(render_text(scan_text(automaton, log), TextStyle(show_all=True)).splitlines()) > 20


def test_a_short_log_has_none(automaton: Automaton) -> None:
    """Its lines say it all."""
    assert not any(line.startswith("Time line") for line in report(automaton, CRASH + DEAD))


def test_marks_are_spread_over_the_log() -> None:
    """One mark in a column, or more; beyond the end counts as the end."""
    assert spread([1, 50, 51, 100, 200], 100, 10) == "·   ··   ▪"


def test_facts_stay_whole_at_the_end_of_a_line() -> None:
    """One that is longer than a line is wrapped by itself."""
    facts = ["a.log:3", "rank 0-3", "phase training step", "5 processes"]
    assert in_lines(facts, 20) == ["a.log:3 · rank 0-3", "phase training step", "5 processes"]
    assert in_lines(["a", "one two three four five six", "b"], 20) == [
        "a",
        "one two three four",
        "five six · b",
    ]
    assert in_lines([], 20) == [""]


def missing(automaton: Automaton, log: str) -> str:
    return "\n".join(each.en for each in scan_text(automaton, log).not_seen)


def test_what_was_cut_is_said(automaton: Automaton) -> None:
    """By the log's own word, or where it begins within a traceback; not of a run that went well, nor where its steps were told before."""
    note = "[output truncated]\n"
    headless = CRASH.partition("\n")[2]
    logs = (
        note + CRASH,
        headless,
        CRASH,
        note,
        f"step 1 loss 0.5\n{CRASH}Job failed, last available logs (truncated to 20,000 chars):\n",
    )
    assert [("beginning of <text> is missing" in missing(automaton, log)) for log in logs] == [
        True,
        True,
        False,
        False,
        False,
    ]


def test_a_driver_s_log_alone_is_said(automaton: Automaton) -> None:
    """Only wrappers, in Ray's words, and no line of a worker."""
    ray = '  File "/x/ray/_private/worker.py", line 2822, in get\n'
    driver = "Traceback (most recent call last):\n" + ray + "    raise value\n" + DEAD
    assert ("driver's log only" in missing(automaton, driver)) is True
    assert (
        "driver's log only"
        in missing(automaton, driver + "(WorkerDict pid=7) " + DEAD.splitlines()[0] + "\n")
    ) is False


class Clock:
    """Seconds that pass by a fixed amount at each look."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def test_a_quick_scan_draws_nothing() -> None:
    """Below two seconds there is nothing to watch."""
    stream = io.StringIO()
    progress = Progress(stream, Clock(0.3), 400, 80)
    assert list(progress.watched("train.log", [b"x" * 100] * 4)) == [b"x" * 100] * 4
    progress.close()
    assert stream.getvalue() == ""


def test_a_long_scan_draws_how_far_it_is_and_leaves_no_trace() -> None:
    """Share, amount, speed and name; the line is taken away at the end."""
    stream = io.StringIO()
    progress = Progress(stream, Clock(1.0), 4_000_000, 80)
    list(progress.watched("train.log", [b"x" * 1_000_000] * 4))
    progress.close()
    drawn = stream.getvalue().split("\r\x1b[K")
    assert drawn[1:] == [
        "████████████░░░░░░░░░░░░  50% · 2 MB · 1 MB/s · train.log",
        "██████████████████░░░░░░  75% · 3 MB · 1 MB/s · train.log",
        "████████████████████████ 100% · 4 MB · 1 MB/s · train.log",
        "",
    ]


def test_without_a_known_size_the_amount_is_shown() -> None:
    """As of a pipe; a long name loses its beginning."""
    stream = io.StringIO()
    list(
        Progress(stream, Clock(2.5), None, 40).watched(
            "/a/very/long/path/to/the/train.log", [b"x" * 5_000_000]
        )
    )
    drawn = stream.getvalue().removeprefix("\r\x1b[K")
    assert (
        drawn.startswith("5 MB · 2 MB/s · "),
        drawn.endswith("/to/the/train.log"),
        len(drawn) < 40,
    ) == (True, True, True)


def test_a_terminal_that_goes_away_is_no_error() -> None:
    """The scan goes on."""

    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(5, f"{len(text)} characters lost")

    progress = Progress(Closed(), Clock(3.0), None, 80)
    assert list(progress.watched("x", [b"1", b"2"])) == [b"1", b"2"]
    progress.close()
