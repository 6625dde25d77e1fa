"""`logdoctor batch`, once its arguments are read."""

from __future__ import annotations

import errno
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from logdoctor.archive.batch import Call, Progress, Root, count_plans, judge_roots, rules_key
from logdoctor.archive.comparison import Comparison, compare
from logdoctor.archive.judging import Problem
from logdoctor.archive.overview import Overview, root_of
from logdoctor.archive.records import read_dated, read_places
from logdoctor.archive.roots import open_tree
from logdoctor.archive.store import Store
from logdoctor.archive.trees import Tree
from logdoctor.archive.workers import Engine, LocalEngine, Rules
from logdoctor.cli.options import NEVER, OPENMETRICS, Arguments
from logdoctor.cli.scanning import config_text
from logdoctor.cli.terminal import (
    EXIT_FOUND,
    EXIT_INTERRUPTED,
    EXIT_UNREADABLE,
    available_cores,
    cache_folder,
    note,
    say_compiling,
    shows_progress,
    terminated_as_interrupted,
    whole_writes,
    width,
    write,
    write_metrics,
)
from logdoctor.context.run_config import read_run_config
from logdoctor.errors import LogdoctorError, SourceError
from logdoctor.model import HARMLESS, Language, ScanOptions, Severity
from logdoctor.reports.archive.junit import render_junit
from logdoctor.reports.archive.openmetrics import render_openmetrics
from logdoctor.reports.archive.structured import (
    Archive,
    ReadRun,
    render_csv,
    render_json,
    render_jsonl,
)
from logdoctor.reports.archive.text import render_markdown, render_text
from logdoctor.search.automaton import Automaton
from logdoctor.search.opening import open_automaton
from logdoctor.texts.replacing import replace_file, try_replacing
from logdoctor.version import __version__

if TYPE_CHECKING:
    from typing_extensions import Self

PIECES = 200  # pieces of a report written at once

_HARMLESS = {verdict.value for verdict in HARMLESS}


class _Judged(NamedTuple):
    """What came of judging, beside what the store has."""

    failures: Sequence[Problem]
    comparison: Comparison | None = None
    was_interrupted: bool = False


def run_batch(arguments: Arguments) -> int:
    """Judges what is new, prints the report and notes; returns the exit code.

    Raises:
        LogdoctorError: signatures, the configuration file or the store cannot be read, or a package
            is missing.
    """
    renderer = _renderer(arguments)
    if arguments.html:
        _open_page(Path(arguments.html))
    rules = _rules(arguments)
    automaton = open_automaton(arguments.more, cache_folder(), say_compiling)
    key = rules_key(rules, automaton.database.version)
    engine = _engine(arguments, rules)
    roots, unopened = _open_roots(arguments.words)
    # before hours of work, not after them
    compared = tuple(map(open_tree, arguments.compared or ()))
    store = Store(arguments.store)
    calls: tuple[Call, ...] = (
        tuple(Call(root.tree.key, store.begin(root.tree.key)) for root in roots)
        if arguments.store
        else ()
    )
    judged = _judge(arguments, _Work(roots, store, engine, key, compared, automaton))
    failures = [*unopened, *judged.failures, *store.plan_problems()]
    archive = Archive(
        Overview(), failures, _new_errors(store, calls), judged.comparison, store.team_notes()
    )
    for said in store.notes:
        note(said)
    tally = _Tally(arguments.fail_on)
    names = {root.tree.key: root.argument for root in roots}
    language = Language(arguments.lang)
    renderer(tally.watch(_read_runs(store, names, archive.overview, language)), archive)
    if arguments.html:
        _write_page(Path(arguments.html), store, names, archive, language)
    store.close()
    _note_problems(archive, tally)
    return EXIT_INTERRUPTED if judged.was_interrupted else tally.exit_code(bool(archive.failures))


class _Work(NamedTuple):
    """What is to be judged, by what (`key` names it), and the two trees to be compared, if any."""

    roots: Sequence[Root]
    store: Store
    engine: Engine
    key: str
    compared: tuple[Tree, ...]
    automaton: Automaton


def _judge(arguments: Arguments, work: _Work) -> _Judged:
    """Judges and compares; Ctrl-C ends it, and what was judged is reported."""
    failures: Sequence[Problem] = ()
    try:
        with terminated_as_interrupted(), _Bar(work.roots, arguments) as bar:
            failures = judge_roots(
                work.roots,
                work.store,
                work.engine,
                rules=work.key,
                run_glob=arguments.run_glob,
                on_progress=bar.show,
            )
        comparison = (
            compare(*work.compared, redact=arguments.redact, automaton=work.automaton)
            if work.compared
            else None
        )
    except KeyboardInterrupt:
        kept = " and kept" if arguments.store else ""
        note(f"interrupted; what was judged until then is reported{kept}")
        return _Judged(failures, was_interrupted=True)
    return _Judged(failures, comparison)


def _rules(arguments: Arguments) -> Rules:
    file = arguments.config_file
    values, places = read_run_config(Path(file)) if file else ({}, {})
    options = ScanOptions(
        arguments.frameworks,
        values,
        arguments.redact,
        arguments.min_confidence,
        arguments.unpack_limit,
        places,
        arguments.ignored,
        is_isolated=not arguments.debug,
        keeps_series=True,
        config_file=config_text(file),
    )
    return Rules(arguments.more, cache_folder(), options, __version__)


def _note_problems(archive: Archive, tally: _Tally) -> None:
    for problem in archive.failures:
        note(f"{problem.source}: {problem.what}")
    if tally.problems:
        note(
            f"{tally.problems} logs could not be read to their end; --format json names them "
            f"under failed_to_read"
        )


def _open_roots(arguments: Iterable[str]) -> tuple[list[Root], list[Problem]]:
    """Each root once, none that lies within another; those that cannot be opened as problems."""
    roots: dict[str, Root] = {}
    problems = []
    for argument in arguments:
        try:
            tree = open_tree(argument)
            roots.setdefault(tree.key, Root(argument, tree))
        except SourceError as error:
            problems.append(Problem(error.source, error.what))
    return [
        root
        for key, root in roots.items()
        if not any(key.startswith(f"{other.rstrip('/')}/") for other in roots)
    ], problems


def _engine(arguments: Arguments, rules: Rules) -> Engine:
    jobs = arguments.jobs or available_cores()
    if arguments.engine == "ray":
        from logdoctor.archive.rays import RayEngine  # noqa: PLC0415  # needs logdoctor[ray]

        return RayEngine(rules, arguments.address)
    return LocalEngine(rules, jobs)


def _new_errors(store: Store, calls: Iterable[Call]) -> frozenset[str] | None:
    """What no earlier call has seen under any of the roots; None where there was no earlier
    call.
    """
    later = [call for call in calls if call.number > 1]
    return frozenset().union(*(store.new_errors(*call) for call in later)) if later else None


def _read_runs(
    store: Store, names: Mapping[str, str], overview: Overview, language: Language
) -> Iterator[ReadRun]:
    """The runs of the report, sorted by name; the overview is fed on the way."""
    for root, record in store.records():
        document, written = read_dated(record, language)
        overview.feed(record, document, written)
        yield ReadRun(names[root] if len(names) > 1 else None, record, document, written)


def _open_page(file: Path) -> None:
    """Makes sure, before hours of work, that the page can be written.

    Raises:
        LogdoctorError: it cannot.
    """
    try:
        if not _is_device(file):
            try_replacing(str(file))
        elif not os.access(file, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise LogdoctorError(f"{file}: {(error.strerror or str(error)).lower()}") from error


def _is_device(file: Path) -> bool:
    """Whether it is a device or a pipe, which is opened once, and not replaced."""
    return file.exists() and not file.is_file() and not file.is_dir()


def _write_page(
    file: Path, store: Store, names: Mapping[str, str], archive: Archive, language: Language
) -> None:
    """The page of all runs, in both languages.

    Raises:
        LogdoctorError: the file cannot be written.
    """
    # Jinja2, which takes as long as a start
    from logdoctor.reports.html.archive import BatchDocuments, RunFacts, render_archive, run_name  # noqa: PLC0415

    documents: list[Any] = []
    facts: dict[str, RunFacts] = {}
    for each in Language:
        overview = Overview()
        runs = list(_read_runs(store, names, overview, each))
        documents.append(
            json.loads("".join(render_json(runs, archive._replace(overview=overview))))
        )
        for run in runs:
            name = run_name({"root": run.root, "run": run.record.run})
            unknown = tuple(error["fingerprint"] for error in run.document["unknown_errors"])
            facts[name] = RunFacts(
                None,
                run.record.hosts,
                tuple(run.document["context"]["frameworks"]),
                read_places(run.record),
                unknown,
            )
    page = render_archive(BatchDocuments(documents[0], documents[1], facts), language, __version__)
    try:
        if _is_device(file):
            file.write_text(page, encoding="utf-8")
        else:
            replace_file(str(file), page)
    except OSError as error:
        raise LogdoctorError(f"{file}: {(error.strerror or str(error)).lower()}") from error


class _Tally:
    """What the exit code depends on, counted while the runs go by."""

    def __init__(self, fail_on: str) -> None:
        self.problems = 0
        self._least = None if fail_on == NEVER else Severity(fail_on).rank
        self._has_found = False

    def watch(self, runs: Iterable[ReadRun]) -> Iterator[ReadRun]:
        for run in runs:
            self.problems += len(run.record.problems)
            self._has_found = self._has_found or self._is_found(run)
            yield run

    def exit_code(self, has_failures: bool) -> int:
        if has_failures or self.problems:
            return EXIT_UNREADABLE
        return EXIT_FOUND if self._has_found else 0

    def _is_found(self, run: ReadRun) -> bool:
        if self._least is None:
            return False
        diagnoses = [each for each in run.document["diagnoses"] if each["verdict"] not in _HARMLESS]
        root = root_of(run.document)
        is_unknown = (
            root is not None and "fingerprint" in root and self._least <= Severity.ERROR.rank
        )
        return is_unknown or any(
            Severity(each["severity"]).rank >= self._least for each in diagnoses
        )


class _Bar:
    """A progress bar with rate and remaining time, where the terminal is watched."""

    def __init__(self, roots: Sequence[Root], arguments: Arguments) -> None:
        self._bar: Any = None
        if shows_progress(arguments.progress):
            length = count_plans(roots, arguments.run_glob)
            self._bar = click.progressbar(
                length=length,
                file=sys.stderr,
                show_pos=True,
                item_show_func=self._rate,
                update_min_steps=1,
            )
        self._started = time.monotonic()

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar:
            self._bar.__exit__(*error)

    def show(self, progress: Progress) -> None:
        if self._bar:
            self._bar.update(1, progress)

    def _rate(self, progress: Progress | None) -> str:
        if progress is None:
            return ""
        seconds = max(time.monotonic() - self._started, 0.001)
        return f"{progress.runs / seconds:.0f} runs/s  {progress.bytes / seconds / 1e6:.0f} MB/s"


Renderer = Callable[[Iterable[ReadRun], Archive], None]


def _renderer(arguments: Arguments) -> Renderer:
    """Prints a report.

    Raises:
        LogdoctorError: a package is missing that the format needs.
    """
    language = Language(arguments.lang)
    if arguments.archive_form == "parquet":
        return _parquet_renderer()
    if arguments.archive_form == OPENMETRICS:
        return lambda runs, archive: write_metrics(
            render_openmetrics(runs, archive), arguments.metrics_file
        )
    pieces: Mapping[str, Callable[[Iterable[ReadRun], Archive], Iterator[str]]] = {
        "text": lambda runs, archive: render_text(runs, archive, language, width()),
        "markdown": lambda runs, archive: render_markdown(runs, archive, language),
        "json": render_json,
        "jsonl": render_jsonl,
        "csv": render_csv,
        "junit": render_junit,
    }
    return lambda runs, archive: _write_pieces(pieces[arguments.archive_form](runs, archive))


def _write_pieces(pieces: Iterator[str]) -> None:
    while text := "".join(islice(pieces, PIECES)):
        write(text)


def _parquet_renderer() -> Renderer:
    # needs logdoctor[parquet]
    from logdoctor.reports.archive.table import write_parquet  # noqa: PLC0415

    if sys.stdout is None or sys.stdout.isatty():
        raise LogdoctorError(
            "parquet is not for a terminal; redirect it: logdoctor batch ROOT --format "
            "parquet > runs.parquet"
        )

    def render(runs: Iterable[ReadRun], _: Archive) -> None:
        try:
            with whole_writes(sys.stdout) as out:
                write_parquet(runs, out)
        except OSError as error:
            raise LogdoctorError(
                f"the report could not be written: {(error.strerror or str(error)).lower()}"
            ) from error

    return render
