"""The commands as click knows them: each imports what it does when it is called, because help
and completion need no more than the options.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from logdoctor.cli.defaults import user_defaults
from logdoctor.cli.kinds import Option
from logdoctor.cli.options import OPERANDS, Arguments, options_of
from logdoctor.cli.terminal import (
    EXIT_INTERRUPTED,
    EXIT_UNREADABLE,
    cache_folder,
    report_as_asked,
    say_compiling,
    write,
)
from logdoctor.version import __version__

F = TypeVar("F", bound=Callable[..., Any])


def _ids() -> Sequence[str]:
    from logdoctor.cli.signature_commands import database  # noqa: PLC0415

    return [each.id for each in database(()).signatures]


def _frameworks() -> Sequence[str]:
    from logdoctor.formats.markers import FRAMEWORK_ORDER  # noqa: PLC0415

    return FRAMEWORK_ORDER


def _complete_id(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    return [CompletionItem(each) for each in _ids() if each.startswith(incomplete)]


_NAMED = (Arguments.ignored, Arguments.frameworks, Arguments.listed_framework)
_NAMES: Mapping[str, Callable[[], Sequence[str]]] = {"ID": _ids, "NAME": _frameworks}
"""What completes an option that names something, by its metavar."""


class _Text(click.ParamType):  # type: ignore[type-arg]  # click 8.1 has no argument for it
    """What a text of an option must be, by its row."""

    name = "text"

    def __init__(self, option: Option[Any]) -> None:
        self._option = option

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:  # noqa: ARG002
        return self._option.metavar

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if self._option.read is None or not isinstance(value, str):
            return value
        try:
            return self._option.read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        words = _NAMES[self._option.metavar]() if self._option in _NAMED else self._option.words
        return [CompletionItem(word) for word in words if word.startswith(incomplete)]


def _click_option(option: Option[Any]) -> Callable[[F], F]:
    if option.read is None:
        *others, name = option.names
        switch = f"{name}/{option.off}" if option.off else name
        return click.option(
            *others, switch, option.field, is_flag=True, default=option.default, help=option.says
        )
    more = {} if option.default is None else {"default": option.default}
    return click.option(
        *option.names,
        option.field,
        type=_Text(option),
        show_default=option.default not in {None, ()},
        multiple=option.is_repeatable,
        nargs=option.texts,
        required=option.is_required,
        metavar=option.metavar,
        help=option.says,
        **more,
    )


def _takes(command: str) -> Callable[[Callable[[Arguments], None]], Callable[..., None]]:
    """The options and words of a command, handed on as one argument."""

    def decorated(function: Callable[[Arguments], None]) -> Callable[..., None]:
        @functools.wraps(function)
        def called(words: tuple[str, ...] | str | None = (), **given: Any) -> None:
            told = {field: each for field, each in given.items() if each is not None}
            arguments = Arguments((words,) if isinstance(words, str) else words or (), **told)
            report_as_asked(arguments)
            function(arguments)

        wrapped: Callable[..., None] = called
        for option in reversed(options_of(command)):
            wrapped = _click_option(option)(wrapped)
        metavar = OPERANDS[command]
        return click.argument(
            "words",
            nargs=-1 if metavar.endswith("...") else 1,
            required=not metavar.startswith("["),
            metavar=metavar,
            shell_complete=_complete_id if command == "explain" else None,
        )(wrapped)

    return decorated


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "-V", "--version", prog_name="logdoctor")
def cli() -> None:
    """Find what went wrong first in a training log, why, and what to change."""


@cli.command()
@_takes("scan")
def scan(arguments: Arguments) -> None:
    """Diagnose logs: files, folders (one run each call), archives, or stdin.

    Exit code: 0 nothing found, 1 at least one diagnosis, 2 something could not be read.
    """
    from logdoctor.cli.scanning import run_scan  # noqa: PLC0415

    sys.exit(run_scan(arguments))


@cli.command()
@_takes("tail")
def tail(arguments: Arguments) -> None:
    """Follow live logs and say what goes wrong while it happens.

    SOURCE is a file (that may not be there yet), a folder or a glob (whose new files are followed
    too), or - for stdin. What is there already is read first. Ends with the whole verdict: on
    Ctrl-C, when stdin ends, or as the options say.
    """
    from logdoctor.cli.tailing import run_tail  # noqa: PLC0415

    sys.exit(run_tail(arguments))


@cli.command(context_settings={"ignore_unknown_options": False, "allow_interspersed_args": False})
@_takes("run")
def run(arguments: Arguments) -> None:
    """Run a command, pass its output through, and diagnose it when it fails.

    Exits with the command's own code (128 + N where signal N ended it). The diagnosis goes to
    stderr.
    """
    from logdoctor.cli.running import run_command  # noqa: PLC0415

    sys.exit(run_command(arguments))


@cli.command()
@_takes("batch")
def batch(arguments: Arguments) -> None:
    """Diagnose many runs: folders, archives and buckets, one diagnosis for each run, and what they
    have in common.

    Exit code: 0 nothing found, 1 at least one diagnosis, 2 something could not be read.
    """
    from logdoctor.cli.batching import run_batch  # noqa: PLC0415

    sys.exit(run_batch(arguments))


@cli.command()
@_takes("slurm")
def slurm(arguments: Arguments) -> None:
    """Diagnose a Slurm job: asks scontrol or sacct what it wrote and how it ended, and judges that;
    the tasks of an array one by one.

    Exit code: as scan's; 2 where Slurm knows no such job, or its output is not there.
    """
    from logdoctor.cli.slurm import run_slurm  # noqa: PLC0415

    sys.exit(run_slurm(arguments))


@cli.command("check")
@_takes("check")
def check_configurations(arguments: Arguments) -> None:
    """Say before a run which of its settings do not go together: scripts, YAML, JSON, Python, a
    log, or - for stdin.

    Exit code: 0 nothing found, 1 at least one violation, 2 something could not be read or nothing
    could be judged.
    """
    from logdoctor.cli.checking import run_check  # noqa: PLC0415

    sys.exit(run_check(arguments))


@cli.command()
@_takes("explain")
def explain(arguments: Arguments) -> None:
    """Show the whole page of a signature, of a rule of the verdict (--why names them), of a
    relation, or with --store of the error that has this fingerprint; of words of an error, as
    "KeyError node2pg", the signatures that fit.
    """
    from logdoctor.cli.explaining import explain as run_explain  # noqa: PLC0415
    from logdoctor.search.opening import open_automaton  # noqa: PLC0415

    run_explain(open_automaton(arguments.more, cache_folder(), say_compiling), arguments)


@cli.group()
def signatures() -> None:
    """List, check and write signatures."""


@signatures.command("list")
@_takes("signatures list")
def listed(arguments: Arguments) -> None:
    """List signatures; WORDs must all occur in id, title or cause."""
    from logdoctor.cli.signature_commands import list_signatures  # noqa: PLC0415

    list_signatures(arguments)


@signatures.command()
@_takes("signatures check")
def check(arguments: Arguments) -> None:
    """Prove the database, or with PATH other signatures together with it."""
    from logdoctor.cli.signature_commands import prove  # noqa: PLC0415

    sys.exit(prove(arguments))


@signatures.command()
@_takes("signatures new")
def new(arguments: Arguments) -> None:
    """Print the skeleton of a signature, or, with --from, the draft of one.

    --from LOG takes the first error of a log that no signature knows, LOG:LINE that of a line;
    with --store, a fingerprint takes that error of the store, and without --from the error that
    most of its runs have. What is left to write is marked TODO.
    """
    if arguments.drafted_from or arguments.known_in:
        from logdoctor.cli.drafting import draft  # noqa: PLC0415

        write(draft(arguments))
        return
    if arguments.new_component is None:
        raise click.UsageError("Missing option '--component'.")
    from logdoctor.signatures.skeleton import signature_skeleton  # noqa: PLC0415

    write(signature_skeleton(arguments.words[0], arguments.new_component))


@cli.command("note")
@_takes("note")
def note_down(arguments: Arguments) -> None:
    """Keep in a store what helped against an error: note ID "fixed by …" --store FILE.

    ID is that of a signature, or the fingerprint of an error without one. Without TEXT its notes
    are shown, without ID all. Nothing leaves the machine; --join takes over another store.
    """
    from logdoctor.cli.noting import note_in_store  # noqa: PLC0415

    sys.exit(note_in_store(arguments))


@signatures.command()
def schema() -> None:
    """Print the JSON Schema of signature files, for editors."""
    from logdoctor.signatures.reading import json_schema  # noqa: PLC0415

    write(json.dumps(json_schema(), indent=2) + "\n")


@cli.command()
@_takes("mcp")
def mcp(arguments: Arguments) -> None:
    """Serve agents over the Model Context Protocol, on stdin and stdout: read-only tools that see
    what is below the FOLDERs, and nothing else.

    The tools: diagnose, explain, search_signatures, evidence, runs, check. Needs logdoctor[mcp].
    """
    from logdoctor.cli.serving import run_mcp  # noqa: PLC0415

    sys.exit(run_mcp(arguments))


@cli.command("schema")
@_takes("schema")
def schema_of_documents(arguments: Arguments) -> None:
    """Print the JSON Schema of what --format json prints: of everything, or of one KIND: scan, line
    (of scan's jsonl), batch, batch_line or check.
    """
    from logdoctor.document.schema import KINDS, document_schema, kind_schema  # noqa: PLC0415

    kind = "".join(arguments.words)
    if kind and kind not in KINDS:
        raise click.BadParameter(f'"{kind}"; expected one of {", ".join(KINDS)}', param_hint="KIND")
    write(json.dumps(kind_schema(kind) if kind else document_schema(), indent=2) + "\n")


def run_commands(words: Sequence[str]) -> None:
    """Reads the command line and runs what it names; exits with its code.

    Raises:
        LogdoctorError: signatures, the configuration file or the user's defaults cannot be read.
    """
    defaults: dict[str, Any] = {}
    for command in OPERANDS:
        names = command.split()
        if list(words[: len(names)]) == names:
            for name in reversed(names):
                defaults = {name: defaults or user_defaults(command, words)}
    try:
        cli.main(standalone_mode=False, default_map=defaults)
    except click.exceptions.Abort:
        sys.exit(EXIT_INTERRUPTED)
    except click.ClickException as error:
        error.show()
        sys.exit(EXIT_UNREADABLE)
