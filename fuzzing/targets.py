"""What is fuzzed: TARGETS, each a function that takes bytes and raises where a law is broken.

They need no fuzzer: the tests give them the corpus and faults of their own.
"""

from __future__ import annotations

import re
import tempfile
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from logdoctor import api
from logdoctor.archive.judging import Known, PlanDone
from logdoctor.archive.records import RunRecord
from logdoctor.archive.store import Store, StoreError
from logdoctor.document.document import render_json
from logdoctor.errors import SignatureError, SourceError
from logdoctor.live.state import read_state, write_state
from logdoctor.model import Language, ScanOptions, ScanResult, SignatureDatabase
from logdoctor.pipeline.scan import Scan
from logdoctor.relations.judging import Asked, RelationBase, judge, recognise
from logdoctor.reports.run.painting import TextStyle
from logdoctor.reports.run.text import render_text
from logdoctor.search.automaton import Automaton
from logdoctor.search.compiling import compile_addition, compile_automaton
from logdoctor.search.joining import joined
from logdoctor.search.opening import open_automaton
from logdoctor.settings.files import read_configurations
from logdoctor.signatures.reading import load_signatures
from logdoctor.sources.finding import find_sources

REPOSITORY = Path(__file__).parent.parent

UNPACKED = 2_000_000
"""Bytes that a file of the fuzzer's may unpack to."""

OPTIONS = ScanOptions(is_isolated=False, unpack_limit=UNPACKED)
"""A fault of logdoctor's own ends the input, and is not noted of its source."""

SHOWN_CONTROLS = frozenset("\n\t")
"""Of what Unicode calls a control, all that a report holds."""

TURNING = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
"""Classes of characters that turn the direction of what follows."""


class LawError(AssertionError):
    """A law does not hold for an input."""


class Target(NamedTuple):
    """Something that logdoctor reads.

    Attributes:
        what: that it reads, in a few words.
        check: raises where a law is broken.
    """

    what: str
    check: Callable[[bytes], None]


@cache
def automaton() -> Automaton:
    """The bundled database, compiled once."""
    return open_automaton((), str(Path(api.CACHE_FOLDER).expanduser()))


def check_log(data: bytes) -> None:
    """A log is told alike whole and in pieces, and what is told of it moves no cursor.

    The first byte says how long the pieces are.
    """
    size, text = 1 + 16 * (data[0] if data else 0), data[1:]
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    whole, cut = _told([text]), _told(pieces)
    if _document(whole) != _document(cut):
        raise LawError(f"in pieces of {size} bytes it is told otherwise")
    _check_shown(whole)


def _told(pieces: list[bytes]) -> ScanResult:
    run = Scan(automaton(), OPTIONS)
    run.read("log", pieces)
    return run.result()


def _document(result: ScanResult) -> str:
    return render_json(result, Language.EN, "0")


def _check_shown(result: ScanResult) -> None:
    for language in Language:
        text = render_text(result, TextStyle(language, show_all=True, show_why=True))
        for character in set(text) - SHOWN_CONTROLS:
            is_control = unicodedata.category(character) == "Cc"
            if is_control or unicodedata.bidirectional(character) in TURNING:
                raise LawError(f"the report holds the control {character!r}")


def check_file(name: str, data: bytes) -> None:
    """A file of that name, whatever is in it, is read or refused in words."""
    with _file(name, data) as path:
        run = Scan(automaton(), OPTIONS)
        for source in find_sources([str(path)], None, UNPACKED):
            if isinstance(source, SourceError):
                run.note_unreadable(source)
            else:
                run.read(source.name, source.chunks(), source.open_again)
        _check_shown(run.result())


ARCHIVES = ("a.zip", "a.tar", "a.tar.gz", "a.log.gz", "a.log.xz", "a.log.bz2", "a.log.zst")

DUMPS = ("nccl_trace_rank_0", "comm_lib_trace_rank_1", "py-spy.txt", "ras.json")

RECORDS = (
    "events.out.tfevents.1700000000.host.1.0",
    "run-abc.wandb",
    "run-abc.swanlab",
    "metrics.csv",
    "trainer_state.json",
    "wandb-summary.json",
    "metrics.jsonl",
)


def named(names: tuple[str, ...]) -> Callable[[bytes], None]:
    """The check of files whose first byte chooses their name."""

    def check(data: bytes) -> None:
        check_file(names[(data[0] if data else 0) % len(names)], data[1:])

    return check


def check_signatures(data: bytes) -> None:
    """A file of signatures is compiled and searched with, or refused with all its faults."""
    name = re.search(rb"^id: ([\w-]{1,80})$", data, re.MULTILINE)
    with (
        _file(f"{name[1].decode() if name else 'mine'}.yaml", data) as path,
        suppress(SignatureError),
    ):
        mine = joined(_formats(), compile_addition(load_signatures([path])))
        run = Scan(mine, OPTIONS)
        run.read("log", [b"ValueError: a bad one\n" + data])
        _check_shown(run.result())


@cache
def _formats() -> Automaton:
    return compile_automaton(SignatureDatabase((), ""))


SETTINGS = ("run.yaml", "run.toml", "run.sh", "run.py", "run.json")


def check_settings(data: bytes) -> None:
    """A configuration of any kind is read and judged, or its faults are named."""
    name = SETTINGS[(data[0] if data else 0) % len(SETTINGS)]
    text = data[1:].decode("utf-8-sig", "replace")
    for each in read_configurations(name, text, None):
        judge(each, _relations(), Asked(recognise(each, _relations().frameworks), None, 8, 2, 80.0))


@cache
def _relations() -> RelationBase:
    return RelationBase(REPOSITORY / "relations")


def check_state(data: bytes) -> None:
    """A state of `tail` is read and written again as it was read, or refused in words."""
    with _file("state.json", data) as path, suppress(SourceError):
        state = read_state(str(path))
        write_state(str(path), state)
        if read_state(str(path)) != state:
            raise LawError("a state that was written again is another one")


def check_store(data: bytes) -> None:
    """Of a damaged store the rows that it still tells are those that were written.

    The first four bytes say where the others stand instead of what was there.
    """
    start, damage = int.from_bytes(data[:4], "big"), data[4:]
    content = bytearray(_whole_store())
    start %= len(content)
    content[start : start + len(damage)] = damage
    with _file("runs.sqlite", bytes(content)) as path, suppress(StoreError):
        with closing(Store(str(path))) as store:
            for record in _records():
                if store.known("/runs", record.plan, "rules"):
                    store.note_found("/runs", record.plan)
            told = {record for _, record in store.records()}
        if not told <= set(_records()):
            raise LawError("a store tells of a run that nobody wrote")
        with closing(Store(str(path))) as store:
            call = store.begin("/runs")
            store.add_run("/runs", _records()[0], "rules", call)
            store.end("/runs", call)


def _records() -> tuple[RunRecord, ...]:
    return tuple(
        RunRecord(f"run{n}", f"run{n}", f"error-{n}", (f"error-{n}",), ("node",), (), bytes(900))
        for n in range(12)
    )


@cache
def _whole_store() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "runs.sqlite")
        with closing(Store(str(path))) as store:
            call = store.begin("/runs")
            for record in _records():
                store.add_run("/runs", record, "rules", call)
                done = PlanDone(Known("state", "sizes", "content"), True, (), 1)
                store.end_plan("/runs", record.plan, "rules", done, [record.run])
            store.note("error-1", "2026-01-01", "fixed by a restart")
            store.end("/runs", call)
        return path.read_bytes()


@contextmanager
def _file(name: str, data: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        yield path


TARGETS: Mapping[str, Target] = {
    "logs": Target("bytes as a log", check_log),
    "archives": Target("archives and compressed logs", named(ARCHIVES)),
    "dumps": Target("flight recorders, stacks, RAS", named(DUMPS)),
    "records": Target("what trackers write", named(RECORDS)),
    "signatures": Target("files of signatures", check_signatures),
    "settings": Target("configurations for `check`", check_settings),
    "states": Target("states of `tail`", check_state),
    "stores": Target("stores of `batch`", check_store),
}
