"""logdoctor in a program of one's own: scan, scan_runs, load_signatures.

from logdoctor import scan, scan_runs

root = scan("train.log").root
table = scan_runs("archive/", store="runs.sqlite").to_pandas()
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, cast

from logdoctor.archive.batch import Progress, Root, judge_roots, rules_key
from logdoctor.archive.judging import Problem
from logdoctor.archive.overview import Overview
from logdoctor.archive.records import read_dated
from logdoctor.archive.roots import open_tree
from logdoctor.archive.store import Store
from logdoctor.archive.workers import Engine, InlineEngine, LocalEngine, Rules
from logdoctor.errors import SourceError
from logdoctor.model import Language, ScanOptions, ScanResult, SignatureDatabase
from logdoctor.pipeline.scan import Scan
from logdoctor.reports.archive.structured import ReadRun
from logdoctor.search.opening import open_automaton
from logdoctor.sources.finding import find_sources
from logdoctor.version import __version__

Path = str | os.PathLike[str]

_OPTIONS = ScanOptions()

CACHE_FOLDER = "~/.cache/logdoctor"
"""Where compiled databases are kept unless a call says otherwise; what the environment says
(`XDG_CACHE_HOME`) only the command line reads.
"""


class ShownResult(ScanResult):
    """A result that shows itself in a notebook."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        # only a notebook asks
        from logdoctor.reports.html.fragment import run_fragment  # noqa: PLC0415

        return run_fragment(self)


def load_signatures(*more: Path, cache_folder: Path = CACHE_FOLDER) -> SignatureDatabase:
    """The signatures that come with logdoctor, and those in these files and folders.

    Raises:
        SignatureError: signature files are broken.
    """
    return open_automaton(_paths(more), _folder(cache_folder)).database


def scan(
    *sources: Path | BinaryIO,
    signatures: Sequence[Path] = (),
    options: ScanOptions = _OPTIONS,
    cache_folder: Path = CACHE_FOLDER,
) -> ShownResult:
    """The verdict over one run, as `logdoctor scan` gives it; a notebook shows it.

    What cannot be read is noted in the result's `sources`, and nothing is raised for it.

    Args:
        sources: files, folders, archives and binary streams; at least one.
        signatures: files and folders with more signatures.
        options: frameworks and configuration where the log does not show them, and what is left
            out.
        cache_folder: where compiled signatures are kept.

    Raises:
        ValueError: there is no source.
        SignatureError: signature files are broken.
    """
    if not sources:
        raise ValueError("no source; expected files, folders, archives or binary streams")
    run = Scan(open_automaton(_paths(signatures), _folder(cache_folder)), options)
    for source in sources:
        is_path = isinstance(source, str | os.PathLike)
        stream = None if is_path else cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, source)))
        for each in find_sources(
            [os.fspath(cast(Path, source)) if is_path else "-"], stream, options.unpack_limit
        ):
            if isinstance(each, SourceError):
                run.note_unreadable(each)
            else:
                run.read(each.name, each.chunks(), each.open_again)
    return ShownResult(*run.result())


def scan_runs(
    *roots: Path,
    store: Path | None = None,
    jobs: int = 1,
    run_glob: str | None = None,
    signatures: Sequence[Path] = (),
    options: ScanOptions = _OPTIONS,
    cache_folder: Path = CACHE_FOLDER,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Runs:
    """The verdicts over all runs under these folders, archives and URLs, as `logdoctor batch` gives
    them.

    Args:
        roots: at least one.
        store: a SQLite file that keeps the results, so that the next call judges only what is new
            or changed.
        jobs: processes; more than one need `if __name__ == "__main__":` around the call, as
            `multiprocessing` does.
        run_glob: paths of runs below their root (`*`, `**`, `?`), instead of recognising layouts.
        signatures: files and folders with more signatures.
        options: as for `scan`.
        cache_folder: where compiled signatures are kept.
        on_progress: called after each run or archive.

    Raises:
        ValueError: there is no root.
        SourceError: a root cannot be opened.
        StoreError: the store cannot be used or written.
        SignatureError: signature files are broken.
    """
    if not roots:
        raise ValueError("no root; expected folders, archives or URLs")
    options = options._replace(
        config=dict(options.config), config_places=dict(options.config_places)
    )
    rules = Rules(_paths(signatures), _folder(cache_folder), options, __version__)
    opened = [Root(root, open_tree(root)) for root in _paths(roots)]
    kept = Store(None if store is None else os.fspath(store))
    return _judged(opened, kept, rules, jobs, run_glob=run_glob, on_progress=on_progress)


def _judged(
    roots: Sequence[Root],
    store: Store,
    rules: Rules,
    jobs: int,
    *,
    run_glob: str | None,
    on_progress: Callable[[Progress], None],
) -> Runs:
    automaton = open_automaton(rules.signatures, rules.cache_folder)
    engine: Engine = LocalEngine(rules, jobs) if jobs > 1 else InlineEngine(automaton, rules)
    failures = judge_roots(
        roots,
        store,
        engine,
        rules=rules_key(rules, automaton.database.version),
        run_glob=run_glob,
        on_progress=on_progress,
    )
    names = {root.tree.key: root.argument for root in roots}
    return Runs(store, names, (*failures, *store.plan_problems()))


class Runs:
    """Judged runs, sorted by name; they stay in the store and are read as they are asked for.

    Attributes:
        failures: what could not be read of no run in particular.
    """

    def __init__(self, store: Store, names: Mapping[str, str], failures: Sequence[Problem]) -> None:
        """`names` are the roots as they were given, by key."""
        self._store, self._names = store, names
        self.failures = tuple(failures)

    def __iter__(self) -> Iterator[ReadRun]:
        return self.in_language(Language.EN)

    def in_language(self, language: Language) -> Iterator[ReadRun]:
        """The runs; texts of their documents are in this language."""
        for root, record in self._store.records():
            yield ReadRun(
                self._names[root] if len(self._names) > 1 else None,
                record,
                *read_dated(record, language),
            )

    def overview(self) -> Overview:
        """What the runs have in common."""
        overview = Overview()
        for run in self:
            overview.feed(run.record, run.document, run.written)
        return overview

    def to_arrow(self) -> Any:
        """One row for each run, as `pyarrow.Table` (columns: `logdoctor.reports.archive.rows`).

        Raises:
            LogdoctorError: pyarrow is not installed.
        """
        # needs logdoctor[parquet]
        from logdoctor.reports.archive.table import arrow_table  # noqa: PLC0415

        return arrow_table(self)

    def to_pandas(self) -> Any:
        """The same as `pandas.DataFrame`; missing values are None or NaN."""
        return self.to_arrow().to_pandas()


def _paths(paths: Sequence[Path]) -> tuple[str, ...]:
    return tuple(os.fspath(path) for path in paths)


def _folder(path: Path) -> str:
    return os.path.expanduser(os.fspath(path))
