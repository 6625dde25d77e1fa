"""The command line: what prints, reads the environment and exits."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import click

from logdoctor import __version__
from logdoctor.automaton import Automaton
from logdoctor.compile import compile_automaton
from logdoctor.errors import LogdoctorError, SignatureError, SourceError
from logdoctor.markers import FRAMEWORK_ORDER
from logdoctor.model import HARMLESS, AnswerList, Language, ScanResult, Severity, Signature, SignatureDatabase
from logdoctor.normalize import printable
from logdoctor.pipeline import Scan, ScanOptions
from logdoctor.reports.markdown import render_markdown, signature_page
from logdoctor.reports.structured import render_json, render_jsonl
from logdoctor.reports.text import TextStyle, render_text
from logdoctor.run_config import read_run_config
from logdoctor.signature_checks import check_signatures, template_reports
from logdoctor.signature_drafts import draft_signature
from logdoctor.signatures import bundled_path, json_schema, load_signatures
from logdoctor.sources import Source, find_sources

EXIT_FOUND, EXIT_UNREADABLE, EXIT_INTERRUPTED = 1, 2, 130
NEVER = "never"
LEAST_WORD = 4  # letters of a word by which a mistyped id is looked for

_signatures_option = click.option("--signatures", "more", multiple=True, metavar="PATH", help="More signatures: a YAML file or a folder; repeatable.")
_language_option = click.option("--lang", type=click.Choice([each.value for each in Language]), default="en", help="Language of the report.")


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="logdoctor")
def cli() -> None:
    """Find what went wrong first in a training log, why, and what to change."""


@cli.command()
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option("--format", "form", type=click.Choice(["text", "json", "jsonl", "markdown"]), default="text", help="What the report is for.")
@_language_option
@_signatures_option
@click.option("--framework", "frameworks", multiple=True, metavar="NAME", help="What the run uses, if its log does not show it; repeatable.")
@click.option("--config", "config_file", metavar="FILE", help="The run's own configuration (YAML); remedies are judged by it.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, metavar="N", help="Processes to use. This version always uses one.")
@click.option("--redact/--no-redact", default=True, help="Mask API keys, tokens and passwords in the report (default: yes).")
@click.option("--min-confidence", type=click.FloatRange(0, 1), default=0.0, metavar="X", help="Leave out diagnoses below (0 to 1).")
@click.option(
    "--fail-on", type=click.Choice(["warning", "error", "fatal", NEVER]), default="error", help="Least severity that makes the exit code 1."
)
@click.option("--all", "show_all", is_flag=True, help="Show consequences and harmless things in full.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colours in the text report.")
def scan(  # noqa: PLR0917  # click passes options by name
    sources: tuple[str, ...], form: str, lang: str, more: tuple[str, ...], frameworks: tuple[str, ...], config_file: str | None, jobs: int,
    redact: bool, min_confidence: float, fail_on: str, show_all: bool, color: str,
) -> None:  # fmt: skip
    """Diagnose logs: files, folders (one run each call), archives, or stdin.

    Exit code: 0 nothing found, 1 at least one diagnosis, 2 something could not be read.
    """
    del jobs
    frameworks = tuple(name.lower() for name in frameworks)
    for name in frameworks:
        if name not in FRAMEWORK_ORDER:
            raise click.BadParameter(f'unknown framework "{name}"; expected one of {", ".join(FRAMEWORK_ORDER)}', param_hint="--framework")
    if min_confidence != min_confidence:  # noqa: PLR0124  # a value that is not a number is unequal to itself
        raise click.BadParameter("not a number", param_hint="--min-confidence")
    if not sources and sys.stdin and sys.stdin.isatty():
        _note("reading from the terminal; end with Ctrl-D (or give a file, or pipe a log in)")
    options = ScanOptions(frameworks, _run_config(config_file), redact, min_confidence)
    result, was_interrupted = _read_all(_automaton(more), find_sources(sources, sys.stdin.buffer if sys.stdin else None), options)
    language = Language(lang)
    if form == "text":
        style = TextStyle(language, _width(), _wants_colour(color), show_all)
        report = render_text(result, style)
    else:
        renderers: dict[str, Callable[[], str]] = {
            "json": lambda: render_json(result, language, __version__),
            "jsonl": lambda: render_jsonl(result, language, __version__),
            "markdown": lambda: render_markdown(result, language),
        }
        report = renderers[form]()
    _print(report)
    for problem in (f"{each.name}: {each.problem}" for each in result.sources if each.problem):
        _note(problem)
    for fault in result.signature_faults:
        _note(fault)
    if was_interrupted:
        _note("interrupted; what was read until then is reported")
    sys.exit(EXIT_INTERRUPTED if was_interrupted else _exit_code(result, fail_on))


@cli.command()
@click.argument("signature_id", metavar="ID")
@_language_option
@_signatures_option
def explain(signature_id: str, lang: str, more: tuple[str, ...]) -> None:
    """Show the whole page of a signature."""
    signature = _known(_database(more), signature_id)
    _print(printable(signature_page(signature, Language(lang))))


@cli.group()
def signatures() -> None:
    """List, check and write signatures."""


@signatures.command("list")
@click.argument("words", nargs=-1, metavar="[WORD]...")
@click.option("--component", help="Only those of this component.")
@click.option("--framework", help="Only those for this framework.")
@_language_option
@_signatures_option
def list_signatures(words: tuple[str, ...], component: str | None, framework: str | None, lang: str, more: tuple[str, ...]) -> None:
    """List signatures; WORDs must all occur in id, title or cause."""
    shown = 0
    for each in _database(more).signatures:
        text = f"{each.id} {each.title.en} {each.title.zh} {each.cause.en} {each.cause.zh}".lower()
        fits = component in (None, each.component) and (framework is None or framework in each.frameworks)
        if fits and all(word.lower() in text for word in words):
            _print(f"{each.id:<48} {each.severity.value:<8} {each.role.value:<9} {each.title.in_language(Language(lang))}\n")
            shown += 1
    if not shown:
        _note("no signature fits")


@signatures.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--verbose", is_flag=True, help="Also tell how each template is searched: guaranteed edits and pieces.")
def check(paths: tuple[str, ...], verbose: bool) -> None:
    """Prove the database, or with PATH other signatures together with it."""
    bundled = bundled_path()
    database = load_signatures([bundled, *map(Path, paths)])
    only = frozenset(each.id for each in load_ids(database, paths)) if paths else None
    automaton = compile_automaton(database)
    if verbose:
        for report in template_reports(automaton):
            _print(f"{report.signature_id}: {report.template}\n  {report.edits} edits: {' | '.join(report.pieces)}\n")
    faults = check_signatures(automaton, only)
    for fault in faults:
        _note(str(fault))
    count = len(only) if only is not None else len(database.signatures)
    _print(f"signatures checked: {count}, faults: {len(faults)}\n")
    sys.exit(EXIT_UNREADABLE if faults else 0)


def load_ids(database: SignatureDatabase, paths: Iterable[str]) -> Iterator[Signature]:
    """The signatures of the database that come from below these paths."""
    roots = [Path(path).resolve() for path in paths]
    for each in database.signatures:
        file = Path(each.position.file).resolve()
        if any(file == root or root in file.parents for root in roots):
            yield each


@signatures.command()
@click.argument("signature_id", metavar="ID")
@click.option("--component", required=True, help="The software that prints the message.")
def new(signature_id: str, component: str) -> None:
    """Print the skeleton of a signature."""
    _print(draft_signature(signature_id, component))


@signatures.command()
def schema() -> None:
    """Print the JSON Schema of signature files, for editors."""
    _print(json.dumps(json_schema(), indent=2) + "\n")


def main() -> None:
    """Runs the command line and exits with its code."""
    try:
        cli.main(standalone_mode=False)
    except click.exceptions.Abort:
        sys.exit(EXIT_INTERRUPTED)
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except click.ClickException as error:
        error.show()
        sys.exit(EXIT_UNREADABLE)
    except SignatureError as error:
        for fault in error.faults:
            _note(str(fault))
        sys.exit(EXIT_UNREADABLE)
    except LogdoctorError as error:
        _note(str(error))
        sys.exit(EXIT_UNREADABLE)


def _read_all(automaton: Automaton, sources: Iterator[Source | SourceError], options: ScanOptions) -> tuple[ScanResult, bool]:
    """Reads everything; Ctrl-C ends the reading, and what was read is judged."""
    run = Scan(automaton, options)
    try:
        for source in sources:
            if isinstance(source, SourceError):
                run.note_unreadable(source)
            else:
                run.read(source.name, source.chunks())
    except KeyboardInterrupt:
        return run.result(), True
    return run.result(), False


def _exit_code(result: ScanResult, fail_on: str) -> int:
    if any(each.problem for each in result.sources) or result.signature_faults:
        return EXIT_UNREADABLE
    if fail_on == NEVER:
        return 0
    least = Severity(fail_on).rank
    found = any(each.verdict not in HARMLESS and each.signature.severity.rank >= least for each in result.diagnoses)
    is_unknown = result.answer is not None and result.answer.kind is AnswerList.UNKNOWN_ERRORS and least <= Severity.ERROR.rank
    return EXIT_FOUND if found or is_unknown else 0


def _run_config(file: str | None) -> Mapping[str, str]:
    return {} if file is None else read_run_config(Path(file))


def _database(more: Iterable[str]) -> SignatureDatabase:
    if "" in more:
        raise click.BadParameter("an empty name; expected a YAML file or a folder", param_hint="--signatures")
    return load_signatures([bundled_path(), *map(Path, more)])


def _automaton(more: Iterable[str]) -> Automaton:
    return compile_automaton(_database(more))


def _known(database: SignatureDatabase, name: str) -> Signature:
    found = database.find(name)
    if found is None:
        near = sorted(each.id for each in database.signatures if any(word in each.id for word in name.split("-") if len(word) >= LEAST_WORD))
        hint = f"; did you mean {', '.join(near[:5])}?" if near else "; logdoctor signatures list shows all"
        raise click.BadParameter(f'no signature "{name}"{hint}', param_hint="ID")
    return found


def _width() -> int:
    return min(shutil.get_terminal_size((100, 24)).columns, 120)


def _wants_colour(choice: str) -> bool:
    if choice != "auto":
        return choice == "always"
    return bool(sys.stdout) and sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def _print(text: str) -> None:
    if sys.stdout is None:
        _note("stdout is closed; there is nowhere to print to")
        sys.exit(EXIT_UNREADABLE)
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough
        _drop_output()
        sys.exit(0)
    except OSError as error:
        _drop_output()
        _note(f"the report could not be written: {(error.strerror or str(error)).lower()}")
        sys.exit(EXIT_UNREADABLE)


def _drop_output() -> None:
    """Keeps the interpreter from complaining when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _note(text: str) -> None:
    click.echo(f"logdoctor: {printable(text)}", err=True)
