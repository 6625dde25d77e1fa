"""A plan to judged runs: judge_plan, the work of one worker on any engine.

Runs are fed to the same `Scan` as `logdoctor scan` uses; members of an archive are read in the order in which they stand,
each into the scan of its own run, and nothing is unpacked to disk.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple, cast

import xxhash

from logdoctor.allowance import Allowance
from logdoctor.archive.layouts import NameTree, Plan, PlanKind, find_runs
from logdoctor.archive.roots import open_tree
from logdoctor.archive.trees import LogFile, Tree
from logdoctor.automaton import Automaton
from logdoctor.errors import SourceError
from logdoctor.model import Diagnosis, ScanOptions, ScanResult, UnknownError
from logdoctor.pipeline import Scan
from logdoctor.sources import Source, open_stream, shown_name

EXPANSION, EXPANSION_FREE = 200, 1 << 30
"""What is unpacked from a file may be so many times its size, or so many bytes, whichever is more."""

RETAINED = 32 << 20
"""Bytes of an archive's logs that are kept in memory while its members are listed, so that small ones are read once."""

READ_AHEAD = 256 << 10
"""Bytes that a file is read by where its reader asks for less."""

CHANGED = "changed while it was read; it is judged again at the next call"

_HOST = re.compile(rb"\bip=([\w.:-]{7,45})\)")


class Known(NamedTuple):
    """What a store knows of a plan: digests of its files' sizes and stamps, of their sizes alone, and of their contents."""

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
    """

    run: str
    result: ScanResult
    hosts: tuple[str, ...]
    problems: tuple[Problem, ...]


class PlanDone(NamedTuple):
    """The end of a plan.

    Attributes:
        known: what is to be known of it from now on; None where it must be judged again at the next call.
        is_judged: False where nothing has changed since it was judged.
        problems: what concerns no run in particular.
        bytes: read, as stored.
    """

    known: Known | None
    is_judged: bool
    problems: tuple[Problem, ...]
    bytes: int


def judge_plan(automaton: Automaton, options: ScanOptions, task: Task) -> Iterator[JudgedRun | PlanDone]:
    """The runs of a plan, then its end; a run's scan is let go as soon as it is judged."""
    try:
        tree = open_tree(task.root)
    except SourceError as error:
        yield PlanDone(None, True, (Problem(error.source, error.what),), 0)
        return
    yield from _Judging(automaton, options, tree, task).results()


class _Judging:
    def __init__(self, automaton: Automaton, options: ScanOptions, tree: Tree, task: Task) -> None:
        self._automaton, self._options, self._tree, self._task = automaton, options, tree, task
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
            is_changed = is_changed or _digest(each for each in self._tree.files(plan) if isinstance(each, LogFile)) != state
            yield run._replace(problems=(*run.problems, Problem(run.run, CHANGED))) if is_changed else run
        content = _digest(sorted(self._digests.items()))
        is_read = len(files) == len(found) and not is_changed and (len(self._digests) == len(files) or not self._tree.is_local)
        yield PlanDone(Known(state, sizes, content) if is_read else None, True, tuple(self._problems), size)

    def _is_unchanged(self, known: Known, files: Iterable[LogFile], state: str, sizes: str) -> bool:
        """By size and time; where only the time differs, by content, which is read for it."""
        if known.state == state:
            return True
        if known.sizes != sizes or not self._tree.is_local:
            return False
        try:
            for file in files:
                with self._tree.open(file) as stream:
                    self._digests[file.path] = _Tapped(stream).digest()
        except OSError:
            return False
        return known.content == _digest(sorted(self._digests.items()))

    def _run(self, found: Iterable[LogFile | SourceError]) -> Iterator[JudgedRun]:
        run = _RunScan(_shown(self._tree, self._task.plan.path), Scan(self._automaton, self._options))
        is_empty = True
        for file in found:
            is_empty = False
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
                    run = open_runs.setdefault(name, _RunScan(name, Scan(self._automaton, self._options)))
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
        kept: list[_Kept | SourceError] = []
        room = RETAINED
        for source in self._sources(file):
            names.append(_name_of(source))
            if isinstance(source, SourceError):
                kept.append(source)
            elif room > 0:
                data = _read_up_to(source, room)
                room -= data.size
                kept.append(data)
        prefix = _shown(self._tree, file.path)
        inside = {name.removeprefix(f"{prefix}/"): name for name in names if name.startswith(f"{prefix}/")}
        folders: set[str] = set()
        run_of: dict[str, str] = {}
        for plan in find_runs(NameTree([*inside]).list_folder):
            folders.update([plan.path] if plan.kind is PlanKind.FOLDER else ())
            run_of.update({inside[path]: f"{prefix}/{plan.path}" for path in plan.files})
        for path, name in inside.items():
            run = next((folder for folder in _parents(path) if folder in folders), None)
            if run is not None:
                run_of[name] = f"{prefix}/{run}" if run else prefix
        return _Listed(run_of, kept if room > 0 else [])

    def _sources(self, file: LogFile) -> Iterator[Source | SourceError]:
        return file_sources(self._tree, file, self._digests if self._tree.is_local else None)


def file_sources(tree: Tree, file: LogFile, digests: dict[str, str] | None = None) -> Iterator[Source | SourceError]:
    """The logs of a file, which may be an archive; named by their paths below the root.

    Where they are asked for, the digest of the file's content is put into `digests` after it was read.
    """
    name = _shown(tree, file.path)
    try:
        with tree.open(file) as stream:
            tapped = _Tapped(stream)
            yield from open_stream(name, cast(BinaryIO, io.BufferedReader(tapped, READ_AHEAD)), Allowance(max(EXPANSION * file.size, EXPANSION_FREE)))
            if digests is not None and file.path not in digests:
                digests[file.path] = tapped.digest()
    except OSError as error:
        yield SourceError(name, (error.strerror or str(error)).lower())


def _shown(tree: Tree, path: str) -> str:
    return shown_name(path) if path else tree.name


class _Listed(NamedTuple):
    """The run of each log of an archive, by its name, and the logs themselves where they fit into memory (else empty)."""

    run_of: Mapping[str, str]
    kept: Sequence[_Kept | SourceError]


class _Kept(NamedTuple):
    """A log in memory, and what kept it from being read further."""

    name: str
    data: tuple[bytes, ...]
    error: SourceError | None

    @property
    def size(self) -> int:
        return sum(map(len, self.data))

    def chunks(self) -> Iterator[bytes]:
        yield from self.data
        if self.error:
            raise self.error


def _read_up_to(source: Source, room: int) -> _Kept:
    """What is read is at least `room` where there is as much."""
    data: list[bytes] = []
    try:
        for chunk in source.chunks():
            data.append(chunk)
            room -= len(chunk)
            if room <= 0:
                break
    except SourceError as error:
        return _Kept(source.name, tuple(data), error)
    return _Kept(source.name, tuple(data), None)


class _RunScan:
    """A run on its way to a verdict."""

    def __init__(self, name: str, scan: Scan) -> None:
        self.name = name
        self._scan = scan
        self._hosts: set[str] = set()

    def feed(self, source: Source | _Kept | SourceError) -> None:
        if isinstance(source, SourceError):
            self._scan.note_unreadable(source)
        else:
            self._scan.read(source.name, self._noting_hosts(source.chunks()))

    def judged(self) -> JudgedRun:
        result = self._scan.result()
        shown: tuple[Diagnosis | UnknownError, ...] = (*result.diagnoses, *result.unknown_errors)
        self._hosts.update(evidence.lane.host for each in shown for evidence in each.evidence if evidence.lane.host)
        problems = tuple(Problem(each.name, each.problem) for each in result.sources if each.problem)
        return JudgedRun(self.name, result, tuple(sorted(self._hosts)), problems)

    def _noting_hosts(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        for number, chunk in enumerate(chunks):
            if not number:
                self._hosts.update(found.decode() for found in set(_HOST.findall(chunk)))
            yield chunk


class _Tapped(io.RawIOBase):
    """A file whose content is hashed while it is read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._hash = xxhash.xxh3_128()
        self._is_in_order = True

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._stream.seekable()

    def seek(self, offset: int, whence: int = 0) -> int:
        self._is_in_order = False
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def readinto(self, buffer: Any) -> int:
        count = cast(int, self._stream.readinto(buffer))  # type: ignore[attr-defined]  # raw files have it
        if self._is_in_order:
            self._hash.update(memoryview(buffer)[:count])
        return count

    def digest(self) -> str:
        """Of the whole file, as far as it was not read yet from there on."""
        if not self._is_in_order:
            self._stream.seek(0)
            self._hash, self._is_in_order = xxhash.xxh3_128(), True
        while data := self._stream.read(READ_AHEAD):
            self._hash.update(data)
        return self._hash.hexdigest()


def _name_of(source: Source | _Kept | SourceError) -> str:
    return source.source if isinstance(source, SourceError) else source.name


def _parents(path: str) -> Iterator[str]:
    """The folders that a path lies in, the innermost first, the root (`""`) last."""
    while path:
        path = path.rpartition("/")[0]
        yield path


def _digest(items: Iterable[object]) -> str:
    return xxhash.xxh3_128(repr(list(items)).encode()).hexdigest()
