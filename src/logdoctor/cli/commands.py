"""The commands as click knows them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from logdoctor.checks.near_duplicates import NearDuplicate, near_duplicates
from logdoctor.checks.proofs import (
    TemplateReport,
    check_signatures,
    template_reports,
    unproven_patterns,
)
from logdoctor.cli.arguments import (
    CHOICES,
    FAIL_FAST,
    NEVER,
    RunArguments,
    ScanArguments,
    SideArguments,
)
from logdoctor.cli.live_options import live_options
from logdoctor.cli.running import run_command
from logdoctor.cli.scanning import run_scan
from logdoctor.cli.tailing import tail
from logdoctor.cli.terminal import EXIT_INTERRUPTED, EXIT_UNREADABLE, note, write
from logdoctor.formats.markers import FRAMEWORK_ORDER
from logdoctor.model import Language, Signature, SignatureDatabase
from logdoctor.reports.handbook.signature_page import related, signature_page
from logdoctor.search.compiling import compile_automaton
from logdoctor.signatures.files import bundled_path
from logdoctor.signatures.reading import json_schema, load_signatures
from logdoctor.signatures.skeleton import draft_signature
from logdoctor.texts.masking import printable
from logdoctor.version import __version__

BATCH_FORMATS = ("text", "json", "jsonl", "csv", "parquet", "markdown")
ENGINES = ("local", "ray")
LEAST_WORD = 4  # letters of a word by which a mistyped id is looked for

_signatures_option = click.option(
    "--signatures",
    "more",
    multiple=True,
    metavar="PATH",
    help="More signatures: a YAML file or a folder; repeatable.",
)
_language_option = click.option(
    "--lang", type=click.Choice(CHOICES["--lang"]), default="en", help="Language of the report."
)


def _size(_: click.Context, __: click.Parameter, text: str | None) -> int | None:
    """The bytes that an option gives; its units are powers of 1000."""
    if text is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?([KMGT]?)B?", text, re.IGNORECASE)
    if not found:
        raise click.BadParameter(f'"{text}"; expected a number of bytes, as 500M, 20G or 1.5T')
    return int(float(found[1]) * 1000 ** " KMGT".index(found[2].upper() or " "))


_unpack_option = click.option(
    "--unpack-limit",
    callback=_size,
    metavar="SIZE",
    help=(
        "What a compressed file or archive may unpack to, as 20G (default: 200 times its size, "
        "at least 1 GiB)."
    ),
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="logdoctor")
def cli() -> None:
    """Find what went wrong first in a training log, why, and what to change."""


@cli.command()
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option(
    "--format",
    "form",
    type=click.Choice(CHOICES["--format"]),
    default="text",
    help="What the report is for.",
)
@_language_option
@_signatures_option
@click.option(
    "--framework",
    "frameworks",
    multiple=True,
    metavar="NAME",
    help="What the run uses, if its log does not show it; repeatable.",
)
@click.option(
    "--config",
    "config_file",
    metavar="FILE",
    help="The run's own configuration (YAML); remedies are judged by it.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes that read large files (default: the cores there are).",
)
@click.option(
    "--redact/--no-redact",
    default=True,
    help="Mask API keys, tokens and passwords in the report (default: yes).",
)
@click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    default=0.0,
    metavar="X",
    help="Leave out diagnoses below (0 to 1).",
)
@click.option(
    "--fail-on",
    type=click.Choice(CHOICES["--fail-on"]),
    default="error",
    help="Least severity that makes the exit code 1.",
)
@_unpack_option
@click.option(
    "--all", "show_all", is_flag=True, help="Show consequences and harmless things in full."
)
@click.option(
    "--why", is_flag=True, help="Show all reasons of every verdict, with the lines that prove them."
)
@click.option(
    "--color",
    type=click.Choice(CHOICES["--color"]),
    default="auto",
    help="Colours in the text report.",
)
def scan(  # noqa: PLR0917  # click passes options by name
    sources: tuple[str, ...], form: str, lang: str, more: tuple[str, ...],
    frameworks: tuple[str, ...], config_file: str | None, jobs: int | None, redact: bool,
    min_confidence: float, fail_on: str, unpack_limit: int | None, show_all: bool, why: bool,
    color: str,
) -> None:  # fmt: skip
    """Diagnose logs: files, folders (one run each call), archives, or stdin.

    Exit code: 0 nothing found, 1 at least one diagnosis, 2 something could not be read.
    """
    frameworks = _known_frameworks(frameworks)
    _check_number(min_confidence)
    _check_names(more)
    arguments = ScanArguments(
        sources,
        form,
        lang,
        more,
        frameworks,
        config_file,
        jobs,
        redact,
        min_confidence,
        fail_on,
        show_all,
        color,
        unpack_limit,
        why,
    )
    sys.exit(run_scan(arguments))


cli.add_command(tail)


@cli.command(context_settings={"ignore_unknown_options": False, "allow_interspersed_args": False})
@click.argument("words", nargs=-1, required=True, metavar="-- COMMAND...")
@live_options
@click.option("--log", metavar="FILE", help="Keep the output of the command in FILE.")
@click.option(
    "--fail-fast",
    type=click.Choice(FAIL_FAST),
    default=NEVER,
    help="Stop the command (SIGTERM, 30 s later SIGKILL) at a diagnosis of at least this severity.",
)
def run(  # noqa: PLR0917  # click passes options by name
    words: tuple[str, ...], scan_arguments: ScanArguments, stall: float | None,
    command: str | None, webhook: str | None,
    per_minute: int, log: str | None, fail_fast: str,
) -> None:  # fmt: skip
    """Run a command, pass its output through, and diagnose it when it fails.

    Exits with the command's own code (128 + N where signal N ended it). The diagnosis goes to
    stderr.
    """
    sys.exit(
        run_command(
            RunArguments(
                words,
                SideArguments(scan_arguments, fail_fast, stall, command, webhook, per_minute),
                log,
            )
        )
    )


@cli.command()
@click.argument("roots", nargs=-1, required=True, metavar="ROOT...")
@click.option(
    "--store",
    metavar="FILE",
    help="Keep the results in this SQLite file; the next call reads only what is new or changed.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(BATCH_FORMATS),
    default="text",
    help="What the report is for.",
)
@click.option(
    "--html",
    metavar="FILE",
    help="Also write a page of all runs: one file that opens in a browser, offline.",
)
@click.option(
    "--run-glob",
    metavar="PATTERN",
    help="What is a run: paths below ROOT with *, ** and ?; instead of recognising it.",
)
@click.option(
    "--compare",
    "compared",
    nargs=2,
    metavar="GOOD BAD",
    help="Also show lines that runs under BAD have and runs under GOOD have not.",
)
@click.option(
    "--engine", type=click.Choice(ENGINES), default="local", help="Where the work is done."
)
@click.option(
    "--address",
    metavar="ADDRESS",
    help="The Ray cluster (default: RAY_ADDRESS, else Ray on this machine).",
)
@_language_option
@_signatures_option
@click.option(
    "--framework",
    "frameworks",
    multiple=True,
    metavar="NAME",
    help="What the runs use, if their logs do not show it; repeatable.",
)
@click.option(
    "--config",
    "config_file",
    metavar="FILE",
    help="The configuration of all runs (YAML); remedies are judged by it.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes (default: the cores there are).",
)
@click.option(
    "--redact/--no-redact",
    default=True,
    help="Mask API keys, tokens and passwords in the report (default: yes).",
)
@click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    default=0.0,
    metavar="X",
    help="Leave out diagnoses below (0 to 1).",
)
@click.option(
    "--fail-on",
    type=click.Choice(CHOICES["--fail-on"]),
    default="error",
    help="Least severity that makes the exit code 1.",
)
@_unpack_option
def batch(frameworks: tuple[str, ...], **given: Any) -> None:
    """Diagnose many runs: folders, archives and buckets, one diagnosis for each run, and what they
    have in common.

    Exit code: 0 nothing found, 1 at least one diagnosis, 2 something could not be read.
    """
    # SQLite and processes, which no other command needs
    from logdoctor.cli.batching import BatchArguments, run_batch  # noqa: PLC0415

    _check_number(given["min_confidence"])
    _check_names(given["more"])
    sys.exit(run_batch(BatchArguments(frameworks=_known_frameworks(frameworks), **given)))


@cli.command()
@click.argument("signature_id", metavar="ID")
@_language_option
@_signatures_option
def explain(signature_id: str, lang: str, more: tuple[str, ...]) -> None:
    """Show the whole page of a signature."""
    database = _database(more)
    signature = _known(database, signature_id)
    write(printable(signature_page(signature, related(database)[signature.id], Language(lang))))


@cli.group()
def signatures() -> None:
    """List, check and write signatures."""


@signatures.command("list")
@click.argument("words", nargs=-1, metavar="[WORD]...")
@click.option("--component", help="Only those of this component.")
@click.option("--framework", help="Only those for this framework.")
@_language_option
@_signatures_option
def list_signatures(
    words: tuple[str, ...],
    component: str | None,
    framework: str | None,
    lang: str,
    more: tuple[str, ...],
) -> None:
    """List signatures; WORDs must all occur in id, title or cause."""
    shown = 0
    for each in _database(more).signatures:
        text = f"{each.id} {each.title.en} {each.title.zh} {each.cause.en} {each.cause.zh}".lower()
        fits = component in (None, each.component) and (
            framework is None or framework in each.frameworks
        )
        if fits and all(word.lower() in text for word in words):
            write(
                f"{each.id:<48} {each.severity.value:<8} {each.role.value:<9} "
                f"{each.title.in_language(Language(lang))}\n"
            )
            shown += 1
    if not shown:
        note("no signature fits")


@signatures.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--verbose",
    is_flag=True,
    help=(
        "Also name the patterns that no example exercises, and how each template is searched: "
        "guaranteed edits, pieces with their expected hits per MB."
    ),
)
def check(paths: tuple[str, ...], verbose: bool) -> None:
    """Prove the database, or with PATH other signatures together with it."""
    bundled = bundled_path()
    database = load_signatures([bundled, *map(Path, paths)])
    only = frozenset(each.id for each in load_ids(database, paths)) if paths else None
    automaton = compile_automaton(database)
    for report in template_reports(automaton):
        if (verbose or report.edits < report.desired_edits) and (
            only is None or report.signature_id in only
        ):
            write(_how_searched(report, verbose))
    near = [
        each
        for each in near_duplicates(database)
        if not each.is_taken and (only is None or {each.signature_id, each.other_id} & only)
    ]
    for duplicate in near:
        write(_how_near(duplicate))
    unproven = unproven_patterns(automaton, only)
    for pattern in unproven if verbose else ():
        write(f'{pattern.signature_id}: no example exercises "{pattern.text}"\n')
    faults = check_signatures(automaton, only)
    for fault in faults:
        note(str(fault))
    count = len(only) if only is not None else len(database.signatures)
    if near or unproven:
        write(
            f"near duplicates: {len(near)}, patterns that no example exercises: {len(unproven)}\n"
        )
    write(f"signatures checked: {count}, faults: {len(faults)}\n")
    sys.exit(EXIT_UNREADABLE if faults else 0)


def _how_searched(report: TemplateReport, verbose: bool) -> str:
    lowered = (
        f" (lowered from {report.desired_edits}: its texts are too short or too common)"
        if report.edits < report.desired_edits
        else ""
    )
    if not verbose:
        return (
            f"{report.signature_id}: {report.edits} edits guaranteed{lowered}: "
            f'"{report.template}"\n'
        )
    pieces = "".join(f'    "{piece}" {hits:.2g} hits/MB\n' for piece, hits in report.pieces)
    return (
        f"{report.signature_id}: {report.template}\n  {report.edits} edits "
        f"guaranteed{lowered}\n{pieces}"
    )


def _how_near(duplicate: NearDuplicate) -> str:
    how = f"with {duplicate.edits} edits" if duplicate.edits else "as it is"
    return (
        f"{duplicate.signature_id}: {duplicate.other_id} accepts the text {how}: "
        f'"{duplicate.template}" like "{duplicate.other_template}"\n'
    )


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
    write(draft_signature(signature_id, component))


@signatures.command()
def schema() -> None:
    """Print the JSON Schema of signature files, for editors."""
    write(json.dumps(json_schema(), indent=2) + "\n")


def run_commands() -> None:
    """Reads the command line and runs what it names; exits with its code.

    Raises:
        LogdoctorError: signatures or the configuration file cannot be read.
    """
    try:
        cli.main(standalone_mode=False)
    except click.exceptions.Abort:
        sys.exit(EXIT_INTERRUPTED)
    except click.ClickException as error:
        error.show()
        sys.exit(EXIT_UNREADABLE)


def _database(more: Iterable[str]) -> SignatureDatabase:
    _check_names(more)
    return load_signatures([bundled_path(), *map(Path, more)])


def _known_frameworks(names: Iterable[str]) -> tuple[str, ...]:
    frameworks = tuple(name.lower() for name in names)
    for name in frameworks:
        if name not in FRAMEWORK_ORDER:
            raise click.BadParameter(
                f'unknown framework "{name}"; expected one of {", ".join(FRAMEWORK_ORDER)}',
                param_hint="--framework",
            )
    return frameworks


def _check_number(value: float) -> None:
    if value != value:  # noqa: PLR0124  # a value that is not a number is unequal to itself
        raise click.BadParameter("not a number", param_hint="--min-confidence")


def _check_names(more: Iterable[str]) -> None:
    if "" in more:
        raise click.BadParameter(
            "an empty name; expected a YAML file or a folder", param_hint="--signatures"
        )


def _known(database: SignatureDatabase, name: str) -> Signature:
    found = database.find(name)
    if found is None:
        near = sorted(
            each.id
            for each in database.signatures
            if any(word in each.id for word in name.split("-") if len(word) >= LEAST_WORD)
        )
        hint = (
            f"; did you mean {', '.join(near[:5])}?"
            if near
            else "; logdoctor signatures list shows all"
        )
        raise click.BadParameter(f'no signature "{name}"{hint}', param_hint="ID")
    return found
