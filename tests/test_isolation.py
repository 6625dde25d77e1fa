"""What logdoctor itself fails on is named with its source, and touches nothing else."""

from __future__ import annotations

import base64
import gzip
import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from logdoctor.archive.judging import Task
from logdoctor.archive.layouts import Plan, PlanKind
from logdoctor.archive.workers import Rules, task_events
from logdoctor.context.metrics import MetricReader
from logdoctor.context.reader import ContextReader
from logdoctor.errors import SourceError
from logdoctor.events.grouper import EventGrouper
from logdoctor.events.line_reader import LineReader
from logdoctor.events.source_reader import SourceReader
from logdoctor.matching.recognition import Recogniser
from logdoctor.model import ScanOptions, ScanResult
from logdoctor.pipeline.examination import Examination
from logdoctor.pipeline.scan import Scan
from logdoctor.pipeline.source_scan import SourceScan
from logdoctor.scanning.cutting import SectionedScanner
from logdoctor.search.automaton import Automaton
from logdoctor.sources import finding
from logdoctor.sources.finding import Source, find_sources
from logdoctor.verdict.judging import Diagnoser

RunCli = Callable[..., "subprocess.CompletedProcess[bytes]"]

STAGES: tuple[tuple[type, str], ...] = (
    (SectionedScanner, "feed"),
    (SectionedScanner, "flush"),
    (SourceScan, "feed"),
    (SourceScan, "finish"),
    (SourceScan, "open_events"),
    (SourceReader, "read"),
    (LineReader, "read"),
    (EventGrouper, "feed"),
    (EventGrouper, "flush"),
    (ContextReader, "feed"),
    (ContextReader, "situation"),
    (ContextReader, "end_source"),
    (MetricReader, "feed"),
    (Recogniser, "recognise"),
    (Examination, "hear"),
    (Examination, "end_source"),
    (Diagnoser, "add_matches"),
    (Diagnoser, "add_unknown"),
)
RAISED = (IndexError("x"), RecursionError(), AssertionError(), UnicodeError(), MemoryError())
BAD = (
    b"step 1 loss 0.5\nTraceback (most recent call last):\n"
    b'  File "a.py", line 1, in <module>\n    main()\nValueError: a bad one\n'
    b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
)
GOOD = b"AssertionError: batch_size 32 < chunks 64\n"
NAMELESS_MEMBER = base64.b64decode(
    "UEsDBC4A//8AAAwAjYt2XVpQ0KRRACYTxdyRThQkOOuq7kBQSwECLgMuAAAADACNi3ZdWlDQpFEAAACQAQAAAAAAAAUA"
    "AAAAAAAAgAEAAAAAYS5sb2dQSwUGAAAAAAEAAQAzAAAAdIkAAAAA"
)


def raise_while(
    patch: pytest.MonkeyPatch, place: type, name: str, error: Exception, is_on: list[bool]
) -> None:
    """Has a method raise while the switch is on."""
    real = getattr(place, name)

    def failing(*arguments: Any, **more: Any) -> Any:
        if is_on[0]:
            raise error
        return real(*arguments, **more)

    patch.setattr(place, name, failing)


def good_is_told(result: ScanResult) -> bool:
    return "dataproto-batch-smaller-than-chunks" in {each.signature.id for each in result.diagnoses}


@pytest.mark.parametrize("error", RAISED, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize(
    ("place", "name"), STAGES, ids=lambda each: getattr(each, "__name__", each)
)
def test_a_stage_that_raises_spoils_its_source_only(
    automaton: Automaton, monkeypatch: pytest.MonkeyPatch, place: type, name: str, error: Exception
) -> None:
    """Whatever it raises; what stands in the sources before and behind is judged."""
    is_on = [False]
    raise_while(monkeypatch, place, name, error, is_on)
    run = Scan(automaton)
    run.read("before", [b"FooError: y\n"])
    is_on[0] = True
    run.read("bad", [BAD])
    is_on[0] = False
    run.read("good", [GOOD])
    result = run.result()
    assert good_is_told(result)
    assert any("FooError" in each.title for each in result.unknown_errors)
    before, bad, good = result.sources
    assert (before.problem, good.problem) == (None, None)
    if bad.problem is not None:
        assert bad.problem.startswith(f"logdoctor failed on it ({type(error).__name__})")
    else:
        assert (place, name) == (EventGrouper, "flush"), "it was not called"


@pytest.mark.parametrize(
    ("place", "name"), STAGES, ids=lambda each: getattr(each, "__name__", each)
)
def test_a_stage_that_raises_live_spoils_its_source_only(
    automaton: Automaton, monkeypatch: pytest.MonkeyPatch, place: type, name: str
) -> None:
    """While others grow; the fault is told to the end."""
    is_on = [False]
    raise_while(monkeypatch, place, name, IndexError(), is_on)
    run = Scan(automaton)
    run.feed("good", b"")
    is_on[0] = True
    run.feed("bad", BAD)
    run.settle()
    is_on[0] = False
    run.feed("good", GOOD)
    run.settle()
    run.feed("bad", b"more\n")
    run.end()
    assert good_is_told(run.result())


def test_debug_lets_it_through(automaton: Automaton, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its own traceback."""
    raise_while(monkeypatch, Recogniser, "recognise", IndexError(), [True])
    with pytest.raises(IndexError):
        Scan(automaton, ScanOptions(is_isolated=False)).read("bad", [BAD])


@pytest.mark.parametrize(
    "name", ["_open_stream", "_file", "decompressed", "_tar_members", "_member"]
)
def test_an_opener_that_raises_spoils_its_file_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A file of a folder is named, the others come."""
    (tmp_path / "a.log.gz").write_bytes(gzip.compress(BAD))
    (tmp_path / "b.log").write_bytes(GOOD)
    real, calls = getattr(finding, name), [0]

    def failing(*arguments: Any, **more: Any) -> Any:
        calls[0] += 1
        if calls[0] == 1:
            raise IndexError
        return real(*arguments, **more)

    monkeypatch.setattr(finding, name, failing)
    found = list(find_sources([str(tmp_path)], None))
    assert len(found) == 2
    errors = [each for each in found if isinstance(each, SourceError)]
    assert len(errors) == min(calls[0], 1)
    assert all(each.is_unforeseen for each in errors)


def test_a_stream_that_raises_ends_its_source_only(automaton: Automaton) -> None:
    """In the middle of it: what came before is judged."""

    class Broken(io.RawIOBase):
        count = 0

        def read(self, _size: int = -1) -> bytes:
            self.count += 1
            if self.count > 1:
                raise ZeroDivisionError
            return GOOD * 3

    run = Scan(automaton)
    run.read("x", Source("x", Broken()).chunks())  # type: ignore[arg-type]
    result = run.result()
    assert good_is_told(result)
    assert result.sources[0].problem is not None
    assert "ZeroDivisionError" in result.sources[0].problem


@pytest.mark.parametrize("command", ["scan", "batch"])
def test_a_zip_with_a_nameless_member_hides_nothing(
    run_cli: RunCli, tmp_path: Path, command: str
) -> None:
    """108 bytes that zipfile itself fails on (Python 3.11 and before)."""
    (tmp_path / "bad.zip").write_bytes(NAMELESS_MEMBER)
    (tmp_path / "b.log").write_text("KeyError: 'x'\n")
    done = run_cli(command, tmp_path)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert b"key-missing" in done.stdout


def test_what_nothing_foresaw_is_put_in_words(tmp_path: Path) -> None:
    """The net of the program: code 2, no traceback; with --debug the traceback."""
    log = tmp_path / "x.log"
    log.write_bytes(GOOD)
    code = (
        "import sys\nfrom logdoctor.cli import scanning\n"
        "def failing(*_): raise LookupError('secret')\n"
        "scanning.report = failing\n"
        "from logdoctor.cli.main import main\nmain()\n"
    )
    told = []
    for more in ([], ["--debug"]):
        done = subprocess.run(
            [sys.executable, "-c", code, "scan", str(log), *more], capture_output=True, check=False
        )
        assert done.returncode == 2
        told.append(done.stderr.decode())
    assert told[0] == (
        "logdoctor: failed on scan (LookupError): please report this (--debug shows where)\n"
    )
    assert "Traceback" in told[1]


@pytest.mark.parametrize(
    ("words", "hint"), [(("check", "x.yaml"), True), (("explain", "x"), False)], ids=str
)
def test_debug_is_named_where_a_command_has_it_only(words: tuple[str, ...], hint: bool) -> None:
    """And then it shows where."""
    code = (
        "import sys\nfrom logdoctor.cli import main\n"
        "def failing(*_): raise LookupError('secret')\n"
        "main.plain_arguments = failing\n"
        "main.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, check=False)
    told = f"logdoctor: failed on {words[0]} (LookupError): please report this"
    assert done.stderr.decode() == told + " (--debug shows where)" * hint + "\n"


def test_a_run_of_an_archive_that_fails_is_named(
    automaton: Automaton, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without what the error says: it may quote the log."""
    raise_while(monkeypatch, Diagnoser, "judge", ValueError("hunter2"), [True])
    (tmp_path / "a.log").write_bytes(GOOD)
    rules = Rules((), str(tmp_path), ScanOptions(), "0")
    task = Task(str(tmp_path), Plan("a.log", PlanKind.FILES, ("a.log",)))
    done = list(task_events(automaton, rules, task))[-1]
    assert [each.what for each in done.problems] == [
        "logdoctor failed on it (ValueError); please report this (see --debug)"
    ]
