"""A plan to judged runs: judge_plan, the work of one worker on any engine.

Runs are fed to the same `Scan` as `logdoctor scan` uses; members of an archive are read in the
order in which they stand, each into the scan of its own run, and nothing is unpacked to disk.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import xxhash

from logdoctor.archive.layouts import NameTree, Plan, PlanKind, find_runs
from logdoctor.archive.reading import Kept, Tapped, file_sources, read_up_to, shown_path
from logdoctor.archive.roots import open_file, open_tree
from logdoctor.archive.trees import LogFile, Tree
from logdoctor.errors import SourceError
from logdoctor.model import ScanOptions, ScanResult
from logdoctor.pipeline.scan import Scan
from logdoctor.pipeline.section_reading import Readers
from logdoctor.search.automaton import Automaton
from logdoctor.sources.finding import Source

RETAINED = 32 << 20
"""Bytes of an archive's logs that are kept in memory while its members are listed, so that small
ones are read once.
"""

CHANGED = "changed while it was read; it is judged again at the next call"

_HOST = re.compile(rb"\bip=([\w.:-]{7,45})\)")


class Known(NamedTuple):
    """What a store knows of a plan: digests of its files' sizes and stamps, of their sizes
    alone, and of their contents.
    """

    state: str
    sizes: str
    content: str


class Task(NamedTuple):
    """A plan to be judged, and what is known of it where it was judged before by the same rules."""

    root: str
    plan: Plan
    known: Known | None = None


class Problem(NamedTuple):
    """What could not be read, and why."""

    source: str
    what: str


class JudgedRun(NamedTuple):
    """A run that was judged.

    Attributes:
        run: its path below the root.
        result: as of `scan`, sources named by their paths below the root.
        hosts: that the log names in its first megabyte or in evidence, sorted.
        problems: what of it could not be read.
        written: when the last of its files, or the archive that holds it, was written: ISO 8601 in
            UTC; None where that is not known.
    """

    run: str
    result: ScanResult
    hosts: tuple[str, ...]
    problems: tuple[Problem, ...]
    written: str | None = None


class PlanDone(NamedTuple):
    """The end of a plan.

    Attributes:
        known: what is to be known of it from now on; None where it must be judged again at the next
            call.
        is_judged: False where nothing has changed since it was judged.
        problems: what concerns no run in particular.
        bytes: read, as stored.
    """

    known: Known | None
    is_judged: bool
    problems: tuple[Problem, ...]
    bytes: int


def judge_plan(
    automaton: Automaton, options: ScanOptions, task: Task, readers: Readers | None = None
) -> Iterator[JudgedRun | PlanDone]:
    """The runs of a plan, then its end; a run's scan is let go as soon as it is judged.
    `readers` read its large logs together.
    """
    try:
        tree = open_tree(task.root)
    except SourceError as error:
        yield PlanDone(None, True, (Problem(error.source, error.what),), 0)
        return
    yield from _Judging(automaton, options, tree, task, readers).results()


class _Judging:
    def __init__(
        self,
        automaton: Automaton,
        options: ScanOptions,
        tree: Tree,
        task: Task,
        readers: Readers | None,
    ) -> None:
        self._automaton, self._options, self._tree, self._task, self._readers = (
            automaton,
            options,
            tree,
            task,
            readers,
        )
        self._digests: dict[str, str] = {}  # by path of a file
        self._problems: list[Problem] = []

    def results(self) -> Iterator[JudgedRun | PlanDone]:
        plan, known = self._task.plan, self._task.known
        found = list(self._tree.files(plan))
        files = [each for each in found if isinstance(each, LogFile)]
        state, sizes = _digest(files), _digest((each.path, each.size) for each in files)
        size = sum(each.size for each in files)
        if known and len(files) == len(found) and self._is_unchanged(known, files, state, sizes):
            yield PlanDone(Known(state, sizes, known.content), False, (), size)
            return
        runs = self._archive(files) if plan.kind is PlanKind.ARCHIVE else self._run(found)
        is_changed = False
        for run in runs:
            is_changed = (
                is_changed
                or _digest(each for each in self._tree.files(plan) if isinstance(each, LogFile))
                != state
            )
            yield (
                run._replace(problems=(*run.problems, Problem(run.run, CHANGED)))
                if is_changed
                else run
            )
        content = _digest(sorted(self._digests.items()))
        is_read = (
            len(files) == len(found)
            and not is_changed
            and (len(self._digests) == len(files) or not self._tree.is_local)
        )
        yield PlanDone(
            Known(state, sizes, content) if is_read else None, True, tuple(self._problems), size
        )

    def _is_unchanged(self, known: Known, files: Iterable[LogFile], state: str, sizes: str) -> bool:
        """By size and time; where only the time differs, by content, which is read for it."""
        if known.state == state:
            return True
        if known.sizes != sizes or not self._tree.is_local:
            return False
        try:
            for file in files:
                with self._tree.open(file) as stream:
                    self._digests[file.path] = Tapped(stream).digest()
        except OSError:
            return False
        return known.content == _digest(sorted(self._digests.items()))

    def _run(self, found: Iterable[LogFile | SourceError]) -> Iterator[JudgedRun]:
        run = _RunScan(
            shown_path(self._tree, self._task.plan.path),
            Scan(self._automaton, self._options, self._readers),
        )
        is_empty = True
        for file in found:
            is_empty = False
            run.note_written(file)
            for source in [file] if isinstance(file, SourceError) else self._sources(file):
                run.feed(source)
        if is_empty:
            run.feed(SourceError(run.name, "no log is left in it"))
        yield run.judged()

    def _archive(self, files: Iterable[LogFile]) -> Iterator[JudgedRun]:
        for file in files:
            listed = self._listed(file)
            left = Counter(listed.run_of.values())
            open_runs: dict[str, _RunScan] = {}
            for source in listed.kept or self._sources(file):
                name = listed.run_of.get(_name_of(source))
                if name is not None:
                    run = open_runs.setdefault(
                        name, _RunScan(name, Scan(self._automaton, self._options, self._readers))
                    )
                    run.note_written(file)
                    run.feed(source)
                    left[name] -= 1
                    if not left[name]:
                        yield open_runs.pop(name).judged()
                elif isinstance(source, SourceError):
                    self._problems.append(Problem(source.source, source.what))
            for run in open_runs.values():  # the archive is not what it was when it was listed
                yield run.judged()

    def _listed(self, file: LogFile) -> _Listed:
        """The logs of an archive by run, kept in memory where they are few."""
        names: list[str] = []
        kept: list[Kept | SourceError] = []
        room = RETAINED
        for source in self._sources(file):
            names.append(_name_of(source))
            if isinstance(source, SourceError):
                kept.append(source)
            elif room > 0:
                data = read_up_to(source, room)
                room -= data.size
                kept.append(data)
        prefix = shown_path(self._tree, file.path)
        inside = {
            name: _plain_path(name.removeprefix(f"{prefix}/"))
            for name in names
            if name.startswith(f"{prefix}/")
        }
        folders: set[str] = set()
        run_of_file: dict[str, str] = {}
        for plan in find_runs(NameTree(list(dict.fromkeys(inside.values()))).list_folder):
            folders.update([plan.path] if plan.kind is PlanKind.FOLDER else ())
            run_of_file.update(dict.fromkeys(plan.files, f"{prefix}/{plan.path}"))
        run_of: dict[str, str] = {}
        for name, path in inside.items():
            folder = next((each for each in _parents(path) if each in folders), None)
            if path in run_of_file:
                run_of[name] = run_of_file[path]
            elif folder is not None:
                run_of[name] = f"{prefix}/{folder}" if folder else prefix
        return _Listed(run_of, kept if room > 0 else [])

    def _sources(self, file: LogFile) -> Iterator[Source | SourceError]:
        digests = self._digests if self._tree.is_local else None
        return file_sources(
            self._tree,
            file,
            digests,
            partial(open_file, self._task.root, file),
            self._options.unpack_limit,
        )


class _Listed(NamedTuple):
    """The run of each log of an archive, by its name, and the logs themselves where they fit
    into memory (else empty).
    """

    run_of: Mapping[str, str]
    kept: Sequence[Kept | SourceError]


class _RunScan:
    """A run on its way to a verdict."""

    def __init__(self, name: str, scan: Scan) -> None:
        self.name = name
        self._scan = scan
        self._hosts: set[str] = set()
        self._written: str | None = None

    def note_written(self, file: LogFile | SourceError) -> None:
        """Says that the run is in this file."""
        if isinstance(file, LogFile) and file.written:
            self._written = max(self._written or "", file.written)

    def feed(self, source: Source | Kept | SourceError) -> None:
        if isinstance(source, SourceError):
            self._scan.note_unreadable(source)
        else:
            self._scan.read(
                source.name,
                self._noting_hosts(source.chunks()),
                source.open_again if isinstance(source, Source) else None,
            )

    def judged(self) -> JudgedRun:
        result = self._scan.result()
        self._hosts.update(
            evidence.lane.host
            for each in result.findings
            for evidence in each.evidence
            if evidence.lane.host
        )
        problems = tuple(
            Problem(each.name, each.problem) for each in result.sources if each.problem
        )
        return JudgedRun(self.name, result, tuple(sorted(self._hosts)), problems, self._written)

    def _noting_hosts(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        for number, chunk in enumerate(chunks):
            if not number:
                self._hosts.update(found.decode() for found in set(_HOST.findall(chunk)))
            yield chunk


def _name_of(source: Source | Kept | SourceError) -> str:
    return source.source if isinstance(source, SourceError) else source.name


def _plain_path(path: str) -> str:
    """A member's path without what could lead out of the archive."""
    return "/".join(part for part in path.split("/") if part not in {"", ".", ".."})


def _parents(path: str) -> Iterator[str]:
    """The folders that a path lies in, the innermost first, the root (`""`) last."""
    while path:
        path = path.rpartition("/")[0]
        yield path


def _digest(items: Iterable[object]) -> str:
    return xxhash.xxh3_128(repr(list(items)).encode()).hexdigest()
