"""Lines that only failed runs have, and where their metrics part from those of good ones: compare,
for two places with runs of the same job.

Lines are compared without their prefixes and with numbers, ids, paths, ranks and hosts masked, as
errors are for their fingerprints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from logdoctor.archive.judging import Problem
from logdoctor.archive.layouts import find_runs
from logdoctor.archive.parting import Parting, partings
from logdoctor.archive.reading import file_sources
from logdoctor.archive.trees import Tree
from logdoctor.errors import SourceError
from logdoctor.formats.prefixes import strip_prefixes
from logdoctor.memo import Memo
from logdoctor.model import ScanOptions, Series
from logdoctor.pipeline.scan import Scan
from logdoctor.search.automaton import Automaton
from logdoctor.texts.digits import bytes_without_digits
from logdoctor.texts.masking import masked, printable, without_escapes
from logdoctor.texts.secrets import redacted

LINES_LIMIT = 1_000_000
"""Different lines of the good runs that are remembered; bad ones are compared with those."""

KEPT = 50_000
"""Different lines of the bad runs that are counted."""

SHOWN = 100
"""Lines of a comparison."""

LENGTH = 1000
"""Characters of a line that are compared."""

LONGEST = 1 << 20
"""Bytes of a line without an end that are kept while it is awaited."""

_LIKE_LIMIT = 200_000


class OnlyBad(NamedTuple):
    """A line that no good run has: in how many bad runs, how often, and where it stands first."""

    text: str
    runs: int
    occurrences: int
    source: str
    line: int


class Comparison(NamedTuple):
    """Good and bad runs, and the lines that only the bad ones have: in most runs first, then as
    they came; and where their metrics part, the earliest step first.

    `problems` says what could not be read or compared.
    """

    good_runs: int
    bad_runs: int
    lines: tuple[OnlyBad, ...]
    problems: tuple[Problem, ...]
    partings: tuple[Parting, ...] = ()

    def document(self) -> dict[str, Any]:
        """As JSON."""
        problems = [{"source": each.source, "problem": each.what} for each in self.problems]
        return {
            "good_runs": self.good_runs,
            "bad_runs": self.bad_runs,
            "lines": [each._asdict() for each in self.lines],
            "problems": problems,
            "partings": [each.document() for each in self.partings],
        }


class _Found:
    """A line of bad runs while they are read; `last_run` is the number of the last run that had
    it, from 1.
    """

    def __init__(self, text: str, source: str, line: int) -> None:
        self.text, self.source, self.line = text, source, line
        self.runs = self.occurrences = self.last_run = 0


def compare(
    good: Tree, bad: Tree, *, redact: bool = True, automaton: Automaton | None = None
) -> Comparison:
    """Reads all logs of both; `redact` says whether secrets in what is shown are masked. Metrics
    are compared where an `automaton` is given that reads them.
    """
    lines = _Lines()
    good_runs, known = _known_lines(lines, good)
    bad_runs, found = _found_lines(lines, bad, known)
    best = sorted(found, key=lambda each: -each.runs)[:SHOWN]
    shown = tuple(
        OnlyBad(
            redacted(each.text) if redact else each.text,
            each.runs,
            each.occurrences,
            each.source,
            each.line,
        )
        for each in best
    )
    parted = partings(_series_of(good, automaton), _series_of(bad, automaton)) if automaton else ()
    return Comparison(good_runs, bad_runs, shown, tuple(lines.problems), tuple(parted))


def _series_of(tree: Tree, automaton: Automaton) -> list[Sequence[Series]]:
    """The metrics of each run; what cannot be read was said when its lines were compared."""
    whole = tree.plan()
    runs: list[Sequence[Series]] = []
    for plan in find_runs(tree.list_folder) if whole is None else [whole]:
        scan = Scan(automaton, ScanOptions(wants_series=True))
        for file in tree.files(plan):
            for source in () if isinstance(file, SourceError) else file_sources(tree, file):
                if not isinstance(source, SourceError):
                    scan.read(source.name, source.chunks())
        runs.append(scan.result().series)
    return runs


def _known_lines(lines: _Lines, good: Tree) -> tuple[int, set[str]]:
    """How many good runs there are, and their lines, masked."""
    runs, known = 0, set[str]()
    for run, _, _, data in lines.of(good):
        runs = run
        if len(known) < LINES_LIMIT:
            known.add(lines.masked(data))
    if len(known) >= LINES_LIMIT:
        what = (
            f"more than {LINES_LIMIT:,} different lines; bad runs are compared with the first of "
            f"them"
        )
        lines.problems.append(Problem(good.name, what))
    return runs, known


def _found_lines(lines: _Lines, bad: Tree, known: set[str]) -> tuple[int, Iterable[_Found]]:
    """How many bad runs there are, and their lines that are not known, as they came."""
    runs, found = 0, dict[str, _Found]()
    for run, source, number, data in lines.of(bad):
        runs = run
        key = lines.masked(data)
        if not key or key in known or (key not in found and len(found) >= KEPT):
            continue
        each = found.setdefault(key, _Found(_text(data), source, number))
        each.occurrences += 1
        each.runs += each.last_run != run
        each.last_run = run
    return runs, found.values()


class _Lines:
    """The lines of trees; what masks them remembers lines that differ in digits only."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self._masked: Memo[bytes, str] = Memo(_LIKE_LIMIT)

    def of(self, tree: Tree) -> Iterator[tuple[int, str, int, bytes]]:
        """Number of the run, from 1, source, number of the line, from 1, and the line; an
        archive counts as one run.
        """
        whole = tree.plan()
        for run, plan in enumerate(find_runs(tree.list_folder) if whole is None else [whole], 1):
            for file in tree.files(plan):
                for source in [file] if isinstance(file, SourceError) else file_sources(tree, file):
                    try:
                        if isinstance(source, SourceError):
                            raise source
                        for number, line in enumerate(_split(source.chunks()), 1):
                            yield run, source.name, number, line
                    except SourceError as error:
                        self.problems.append(Problem(error.source, error.what))
        self.problems += [Problem(error.source, error.what) for error in tree.failures]

    def masked(self, line: bytes) -> str:
        """Without its prefixes and all that varies; empty for a blank line."""
        like = bytes_without_digits(line[:LENGTH])
        if like not in self._masked:
            self._masked[like] = masked(strip_prefixes(_text(line)).text)
        return self._masked[like]


def _split(chunks: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
        rest = rest[:LONGEST]
    if rest:
        yield rest


def _text(line: bytes) -> str:
    drawn = line.rstrip(b"\r").rpartition(b"\r")[2]
    return printable(without_escapes(drawn[:LENGTH].decode("utf-8", "replace")))
