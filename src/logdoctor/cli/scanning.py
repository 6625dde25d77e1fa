"""`logdoctor scan`, once its arguments are read."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from logdoctor.cli.options import NEVER, OPENMETRICS, Arguments
from logdoctor.cli.terminal import (
    EXIT_FOUND,
    EXIT_INTERRUPTED,
    EXIT_UNREADABLE,
    available_cores,
    cache_folder,
    height,
    link_targets,
    note,
    say_compiling,
    shows_progress,
    terminated_as_interrupted,
    wants_colour,
    width,
    write,
    write_metrics,
)
from logdoctor.errors import LogdoctorError, SourceError
from logdoctor.model import (
    HARMLESS,
    AnswerList,
    Language,
    Place,
    ScanResult,
    Severity,
    SignatureDatabase,
)
from logdoctor.pipeline.scan import WORTH_SHARING, Scan, ScanOptions
from logdoctor.search.opening import open_automaton
from logdoctor.sources.finding import Source, find_sources
from logdoctor.version import __version__

if TYPE_CHECKING:
    from logdoctor.cli.progress import Progress
    from logdoctor.pipeline.news import News
    from logdoctor.pipeline.processes import ProcessReaders

COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".tar", ".tgz", ".zip")
"""Endings of names whose size says nothing about how much there is to read."""

FEW_LINES, FEW_BYTES = 3, 300
"""Up to which what was pasted alone may be the short form of an error, as people tell it."""

METRICS_NAMED = 30
"""Metrics that are named where one is asked for that is not there."""

MANY_VERDICTS = ("text", "jsonl", "markdown")
"""Forms in which verdicts may follow each other."""

UNPACKED = 8
"""Times as large as its compressed form a log is taken to be; usual ones are five to twenty
times.
"""


def run_scan(arguments: Arguments) -> int:
    """Scans, prints the report and notes; returns the exit code: of several verdicts the worst.

    Raises:
        LogdoctorError: signatures or the configuration file cannot be read, or the form has room
            for one verdict only.
    """
    if not arguments.each or len(arguments.words) < 2:  # noqa: PLR2004  # that is one run
        return _scan_run(arguments)
    if arguments.form not in MANY_VERDICTS:
        raise LogdoctorError(f"--each with --format {arguments.form}: batch gives one document")
    from logdoctor.texts.masking import printable  # noqa: PLC0415  # hardly ever asked

    worst = 0
    for word in arguments.words:
        if not arguments.quiet and arguments.form != "jsonl":
            write(f"{'## ' if arguments.form == 'markdown' else ''}{printable(word)}\n\n")
        code = _scan_run(arguments.of(word))
        if code == EXIT_INTERRUPTED:
            return code
        worst = max(worst, code)
        if not arguments.quiet and arguments.form != "jsonl":
            write("\n")
    return worst


def _scan_run(arguments: Arguments) -> int:
    """The same for one run."""
    if not arguments.words and sys.stdin and sys.stdin.isatty():
        note("reading from the terminal; end with Ctrl-D (or give a file, or pipe a log in)")
    if arguments.known_in is not None and not os.path.exists(arguments.known_in):
        raise LogdoctorError(f"{arguments.known_in}: no such store; batch --store makes it")
    options = scan_options(arguments)
    automaton = open_automaton(arguments.more, cache_folder(), say_compiling)
    sources = find_sources(
        arguments.words, sys.stdin.buffer if sys.stdin else None, arguments.unpack_limit
    )
    progress = None if arguments.quiet else _progress(arguments.words, arguments.progress)
    readers = _readers(arguments, progress)
    try:
        on_news = _write_news(arguments) if arguments.form == "jsonl" else None
        scan = Scan(automaton, options, readers, on_news)
        with terminated_as_interrupted():
            result, was_interrupted = _read_all(scan, sources, progress)
    finally:
        if readers:
            readers.close()
        if progress:
            progress.close()
    if on_news:
        on_news(scan.last_news(result))
    if arguments.known_in is not None:
        from logdoctor.cli.remembering import with_memory  # noqa: PLC0415  # it opens a store

        result = with_memory(result, arguments.known_in)
    _tell(result, _guess(result, scan, automaton.database, arguments), arguments)
    _note_apart(arguments)
    for problem in (f"{each.name}: {each.problem}" for each in result.sources if each.problem):
        note(problem)
    for fault in result.signature_faults:
        note(fault)
    if was_interrupted:
        note("interrupted; what was read until then is reported")
    return EXIT_INTERRUPTED if was_interrupted else exit_code(result, arguments)


def _tell(result: ScanResult, guess: str, arguments: Arguments) -> None:
    """Prints the report, or the guess that there is instead of the all-clear, or the patch that
    was asked for.
    """
    if arguments.patch is not None:
        from logdoctor.cli.patching import write_patch  # noqa: PLC0415  # YAML
        from logdoctor.reports.run.patch import chosen_changes  # noqa: PLC0415

        write_patch(chosen_changes(result), arguments.patch)
    elif arguments.plots:
        _write_plots(result, arguments)
    elif guess:
        write(guess)
    elif arguments.form == OPENMETRICS:
        write_metrics(report(result, arguments), arguments.metrics_file)
    elif result.root or not result.has_read or not arguments.quiet:
        write(report(result, arguments))
    if not result.has_read and arguments.form != "text":
        note("nothing was read: there is no line (--allow-empty takes that for success)")


def _guess(
    result: ScanResult, scan: Scan, database: SignatureDatabase, arguments: Arguments
) -> str:
    """The signatures that fit a few words which are no log; empty where there are none."""
    lines = sum(each.lines for each in result.sources)
    size = sum(each.bytes for each in result.sources)
    is_short = 0 < lines <= FEW_LINES and size <= FEW_BYTES
    if (
        arguments.form != "text"
        or result.findings
        or result.not_seen
        or not is_short
        or result.context.last_progress
    ):
        return ""
    # hardly ever needed
    from logdoctor.reports.run.fits import fits_text  # noqa: PLC0415
    from logdoctor.reports.run.painting import TextStyle  # noqa: PLC0415
    from logdoctor.signatures.lookup import Lookup  # noqa: PLC0415

    found = Lookup(database.signatures).guess(scan.beginning)
    style = TextStyle(Language(arguments.lang), width(), wants_colour(arguments.color))
    return fits_text([each.signature for each in found], style, is_log=True) if found else ""


def _readers(arguments: Arguments, progress: Progress | None) -> ProcessReaders | None:
    """Those who read large files together; None where one process does it alone."""
    jobs = arguments.jobs or available_cores()
    if jobs == 1 or not any(map(_may_be_large, arguments.words)):
        return None  # their modules take a fifth of a start
    from logdoctor.pipeline.processes import ProcessReaders  # noqa: PLC0415

    return ProcessReaders(
        jobs, arguments.more, cache_folder(), progress.add if progress else _ignore
    )


def _may_be_large(path: str) -> bool:
    if os.path.isfile(path):
        return (
            os.path.getsize(path) * (UNPACKED if path.endswith(COMPRESSED) else 1) > WORTH_SHARING
        )
    return os.path.isdir(path)


def _ignore(_: str, __: int) -> None:
    """Nobody watches."""


def scan_options(arguments: Arguments) -> ScanOptions:
    """What the stages need to know of the arguments.

    Raises:
        LogdoctorError: the configuration file cannot be read.
    """
    values, places = _run_config(arguments)
    return ScanOptions(
        arguments.frameworks,
        values,
        arguments.redact,
        arguments.min_confidence,
        arguments.unpack_limit,
        places,
        arguments.ignored,
        is_isolated=not arguments.debug,
        wants_series=arguments.form == "html" or bool(arguments.plots),
        config_file=config_text(_own_file(arguments)),
    )


def config_text(file: str | None) -> tuple[str, str] | None:
    """The name and the text of a file of settings that the user gives; None where there is none
    that can be read.
    """
    if file is None:
        return None
    from logdoctor.sources.small_files import read_small  # noqa: PLC0415  # most scans have none

    try:
        return file, read_small(file).decode("utf-8-sig", "replace")
    except (OSError, SourceError):
        return None  # who reads its values says so


def _own_file(arguments: Arguments) -> str | None:
    return arguments.config_file or (arguments.patch if arguments.patch != "-" else None)


def _run_config(arguments: Arguments) -> tuple[Mapping[str, str], Mapping[str, Place]]:
    """What the user's own file says; one that is to be patched may be none of YAML."""
    file = _own_file(arguments)
    if file is None:
        return {}, {}
    from pathlib import Path  # noqa: PLC0415

    # YAML, which most scans do without
    from logdoctor.context.run_config import read_run_config  # noqa: PLC0415

    try:
        return read_run_config(Path(file))
    except SourceError:
        if arguments.config_file or not Path(file).is_file():
            raise
        return {}, {}


def _write_plots(result: ScanResult, arguments: Arguments) -> None:
    """Draws the metrics that were asked for.

    Raises:
        LogdoctorError: the run has none that is called so.
    """
    from logdoctor.reports.run.curve import plotted  # noqa: PLC0415  # hardly ever asked
    from logdoctor.reports.run.painting import Pen, TextStyle  # noqa: PLC0415

    style = TextStyle(Language(arguments.lang), width(), wants_colour(arguments.color))
    lines = list(plotted(arguments.plots, result, Pen(style)))
    if not lines:
        names = list(dict.fromkeys(each.metric for each in result.series))
        told = ", ".join(names[:METRICS_NAMED]) + (" ..." if len(names) > METRICS_NAMED else "")
        raise LogdoctorError(
            f'no metric "{", ".join(arguments.plots)}"; '
            + (f"there are {told}" if names else "this run prints none")
        )
    write("\n".join(lines) + "\n")


def report(result: ScanResult, arguments: Arguments) -> str:
    """The report as the user asked for it; imports only the renderer that is needed."""
    language = Language(arguments.lang)
    renderers: dict[str, Callable[[], str]] = {
        "text": lambda: _text(result, language, arguments),
        "json": lambda: _json(result, language),
        "jsonl": lambda: _jsonl(result, language),
        "markdown": lambda: _markdown(result, language, arguments),
        "html": lambda: _html(result, language),
        "github": lambda: _github(result, language),
        OPENMETRICS: lambda: _metrics(result, arguments),
    }
    return renderers[arguments.form]()


def _text(result: ScanResult, language: Language, arguments: Arguments) -> str:
    from logdoctor.reports.run.notice import render_notice  # noqa: PLC0415
    from logdoctor.reports.run.painting import TextStyle  # noqa: PLC0415
    from logdoctor.reports.run.text import render_text  # noqa: PLC0415

    style = TextStyle(
        language,
        width(),
        wants_colour(arguments.color),
        arguments.show_all,
        arguments.why,
        height(),
    )
    text = render_notice(result, style) if arguments.brief else render_text(result, style)
    if not style.colour or not (targets := link_targets(each.name for each in result.sources)):
        return text
    from logdoctor.reports.run.links import linked  # noqa: PLC0415  # on a terminal only

    return linked(text, targets)


def _json(result: ScanResult, language: Language) -> str:
    from logdoctor.document.document import render_json  # noqa: PLC0415

    return render_json(result, language, __version__)


def _write_news(arguments: Arguments) -> Callable[[News], None]:
    """What writes each thing as it is found."""
    from logdoctor.reports.run.live import news_lines  # noqa: PLC0415

    return lambda news: write(news_lines(news, Language(arguments.lang)))


def _jsonl(result: ScanResult, language: Language) -> str:
    """The line that comes after all news."""
    from logdoctor.reports.run.live import summary_line  # noqa: PLC0415

    return summary_line(result, language, __version__)


def _markdown(result: ScanResult, language: Language, arguments: Arguments) -> str:
    from logdoctor.reports.run.markdown import render_markdown  # noqa: PLC0415

    return render_markdown(result, language, show_why=arguments.why, show_all=arguments.show_all)


def _note_apart(arguments: Arguments) -> None:
    """Says how to have a verdict for each file, where they hardly belong to one run."""
    if len(arguments.words) < 2 or arguments.quiet:  # noqa: PLR2004
        return
    from logdoctor.cli.together import difference_of  # noqa: PLC0415  # several files only

    difference = difference_of(arguments.words)
    if difference:
        from logdoctor.texts.phrases import live as live_phrases  # noqa: PLC0415

        language, count = Language(arguments.lang), len(arguments.words)
        because = difference.say(language)
        note(live_phrases.JUDGED_TOGETHER.say(language, count=count, because=because))


def _progress(names: Sequence[str], choice: str) -> Progress | None:
    """The line for the user; None where nobody is to see it."""
    if not shows_progress(choice):
        return None
    import time  # noqa: PLC0415
    from pathlib import Path  # noqa: PLC0415

    from logdoctor.cli.progress import Progress  # noqa: PLC0415  # only for people who watch

    files = [Path(name) for name in names]
    is_countable = bool(files) and all(
        file.is_file() and file.suffix not in COMPRESSED for file in files
    )
    total = sum(file.stat().st_size for file in files) if is_countable else None
    return Progress(sys.stderr, time.monotonic, total, width())


def _html(result: ScanResult, language: Language) -> str:
    from logdoctor.reports.html.run import render_run  # noqa: PLC0415

    return render_run(result, language, __version__)


def _github(result: ScanResult, language: Language) -> str:
    """Annotations; the summary of the job gets the report, where the job has one."""
    from logdoctor.reports.run.github import render_github  # noqa: PLC0415
    from logdoctor.reports.run.markdown import render_markdown  # noqa: PLC0415

    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        try:
            with open(summary, "a", encoding="utf-8") as file:
                file.write(f"{render_markdown(result, language)}\n")
        except OSError as error:
            note(f"GITHUB_STEP_SUMMARY: {(error.strerror or str(error)).lower()}")
    return render_github(result, language)


def _metrics(result: ScanResult, arguments: Arguments) -> str:
    from logdoctor.cli.metrics import run_metrics  # noqa: PLC0415

    return run_metrics(result, arguments.words)


def _read_all(
    run: Scan,
    sources: Iterator[Source | SourceError],
    progress: Progress | None,
) -> tuple[ScanResult, bool]:
    """Reads everything; Ctrl-C ends the reading, and what was read is judged."""
    try:
        for source in sources:
            if isinstance(source, SourceError):
                run.note_unreadable(source)
            else:
                chunks = (
                    progress.watched(source.name, source.chunks()) if progress else source.chunks()
                )
                run.read(source.name, chunks, source.open_again, is_stored=source.is_stored)
    except KeyboardInterrupt:
        return run.result(), True
    return run.result(), False


def exit_code(result: ScanResult, arguments: Arguments) -> int:
    """2 where something could not be read, or there was nothing to read and the user does not
    allow that, 1 where something was found that counts, else 0.
    """
    if any(each.problem for each in result.sources) or result.signature_faults:
        return EXIT_UNREADABLE
    if not result.has_read and not arguments.allow_empty:
        return EXIT_UNREADABLE
    if arguments.fail_on == NEVER:
        return 0
    least = Severity(arguments.fail_on).rank
    found = any(
        each.verdict not in HARMLESS and each.signature.severity.rank >= least
        for each in result.diagnoses
    )
    is_unknown = (
        result.answer is not None
        and result.answer.kind is AnswerList.UNKNOWN_ERRORS
        and least <= Severity.ERROR.rank
    )
    return EXIT_FOUND if found or is_unknown else 0
