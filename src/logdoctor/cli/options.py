"""All options of all commands, a row each: Arguments.

Of these rows come the options that click knows, the quick path without click, `--help` and
docs/options.md.
"""

from __future__ import annotations

from collections.abc import Mapping

from logdoctor.cli.kinds import (
    Option,
    choice,
    count,
    file,
    flag,
    framework_release,
    gibibytes,
    known_framework,
    pair,
    receiver,
    seconds,
    share,
    size,
    some_seconds,
    text,
    url,
    value,
    value_or,
    values,
)

OPERANDS: Mapping[str, str] = {
    "scan": "[SOURCE]...",
    "tail": "SOURCE...",
    "run": "-- COMMAND...",
    "batch": "ROOT...",
    "check": "CONFIG...",
    "explain": "ID|WORD...",
    "signatures list": "[WORD]...",
    "signatures check": "[PATH]...",
    "signatures new": "ID",
    "note": "[ID [TEXT]]...",
    "slurm": "JOBID",
    "schema": "[KIND]",
    "mcp": "FOLDER...",
}
"""What each command takes beside its options: `[X]` may be left out, `X...` be several."""

LOGS, LIVE = ("scan", "tail", "run", "slurm"), ("tail", "run")
ALL_RUNS = (*LOGS, "batch")
DEBUGGED = (*ALL_RUNS, "check")
DATABASE = ("explain", "signatures list")
KNOWLEDGE = (*DATABASE, "mcp")

NEVER, OPENMETRICS = "never", "openmetrics"
SEVERITIES = ("warning", "error", "fatal", NEVER)


class Arguments:
    """What the user asked for: `words` beside the options (sources, roots, a command), and each
    option by its name here; what was not given, and what the command does not have, is as its row
    says.
    """

    __slots__ = ("given", "words")

    def __init__(self, words: tuple[str, ...] = (), **given: object) -> None:
        unknown = given.keys() - {each.field for each in OPTIONS}
        if unknown:
            raise TypeError(f"no options: {', '.join(sorted(unknown))}")
        self.words = words
        self.given: Mapping[str, object] = given

    @property
    def metrics_file(self) -> str | None:
        """The file that is to hold metrics, whole at any time; None where there is none."""
        is_asked = OPENMETRICS in {self.form, self.archive_form}
        return self.output if is_asked else None

    def over(self, defaults: Mapping[str, object]) -> Arguments:
        """The same, with these where nothing was given."""
        return Arguments(self.words, **{**defaults, **self.given})

    def of(self, word: str) -> Arguments:
        """The same for one of the words."""
        return Arguments((word,), **self.given)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Arguments) and all(
            getattr(self, name) == getattr(other, name)
            for name in ("words", *(each.field for each in OPTIONS))
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Arguments({self.words}, {self.given})"

    form = choice(
        "--format",
        LOGS,
        ("text", "json", "jsonl", "markdown", "html", "github", OPENMETRICS),
        "text",
        "What the report is for.",
    )
    archive_form = choice(
        "--format",
        ("batch",),
        ("text", "json", "jsonl", "csv", "parquet", "markdown", "junit", OPENMETRICS),
        "text",
        "What the report is for.",
    )
    page_form = choice(
        "--format",
        ("explain",),
        ("text", "markdown", "json"),
        "text",
        "What the page is for; text is Markdown where it does not go to a terminal.",
    )
    list_form = choice(
        "--format",
        ("signatures list",),
        ("text", "json"),
        "text",
        "What the list is for; JSON has all that explain shows.",
    )
    check_form = choice(
        "--format",
        ("check",),
        ("text", "json", "markdown", "github"),
        "text",
        "What the report is for.",
    )
    output = value(
        "-o --output",
        ("scan", "tail", "slurm", "batch", "check", "signatures new", *DATABASE),
        "FILE",
        file,
        "Write the report to FILE instead of stdout; metrics replace it in one go, and tail does "
        "so while it follows.",
    )
    html = value(
        "--html",
        ("batch",),
        "FILE",
        file,
        "Also write a page of all runs: one file that opens in a browser, offline.",
    )
    lang = choice(
        "--lang", (*ALL_RUNS, "check", *DATABASE), ("en", "zh"), "en", "Language of the report."
    )
    show_all = flag(
        "--all",
        (*LOGS, "check"),
        "Show consequences and harmless things, or all that could not be judged, in full.",
    )
    brief = flag("--brief", LOGS, "Show the verdict in a few lines.")
    patch = value(
        "--patch",
        ("scan", "check"),
        "FILE",
        text,
        "Print, in place of the report, what to change in the run's FILE: a diff of YAML, else "
        "key=value; - for no file.",
    )
    plots = values(
        "--plot",
        ("scan",),
        "METRIC",
        text,
        "Draw, in place of the report, this metric over steps (a name or part of it, or reward, "
        "entropy, kl, length, loss ...); repeatable.",
    )
    quiet = flag("-q --quiet", ("scan",), "Print nothing where nothing is wrong, and no progress.")
    each = flag(
        "--each",
        ("scan",),
        "Judge each SOURCE by itself, with a verdict for each; without it they are one run.",
    )
    allow_empty = flag(
        "--allow-empty",
        ("scan", "tail"),
        "Exit with 0 where there was not one line to read, instead of 2.",
    )
    why = flag("--why", LOGS, "Show all reasons of every verdict, with the lines that prove them.")
    color = choice(
        "--color", LOGS, ("auto", "always", NEVER), "auto", "Colours in the text report."
    )
    progress = choice(
        "--progress",
        ("scan", "slurm", "batch"),
        ("auto", "always", NEVER),
        "auto",
        "Whether stderr shows how far reading is; auto: on a terminal.",
    )
    redact = flag(
        "--redact",
        ALL_RUNS,
        "Mask API keys, tokens and passwords in the report (default: yes).",
        default=True,
        off="--no-redact",
    )
    min_confidence = value_or(
        "--min-confidence",
        ALL_RUNS,
        "X",
        share,
        "Leave out diagnoses below (0 to 1).",
        default=0.0,
    )
    ignored = values(
        "--ignore",
        ALL_RUNS,
        "ID",
        text,
        "Take this signature, or this fingerprint, as if it were not there; repeatable.",
    )
    fail_on = choice(
        "--fail-on", ALL_RUNS, SEVERITIES, "error", "Least severity that makes the exit code 1."
    )
    settings_file = value(
        "--config-file",
        (*ALL_RUNS, *DATABASE),
        "FILE",
        text,
        "Defaults of options (TOML), instead of logdoctor.toml or [tool.logdoctor].",
    )
    is_isolated = flag("--isolated", (*ALL_RUNS, *DATABASE), "Read no file of defaults.")
    more = values(
        "--signatures",
        (*ALL_RUNS, *KNOWLEDGE),
        "PATH",
        text,
        "More signatures: a YAML file or a folder; repeatable.",
    )
    frameworks = values(
        "--framework",
        ALL_RUNS,
        "NAME",
        known_framework,
        "What the run uses, if its log does not show it; repeatable.",
    )
    config_file = value(
        "--config",
        ALL_RUNS,
        "FILE",
        text,
        "The run's own configuration (YAML); remedies are judged by it.",
    )
    debug = flag(
        "--debug",
        DEBUGGED,
        "Where logdoctor itself fails, end with the traceback to report instead of going on.",
    )
    jobs = value(
        "--jobs",
        ("scan", "batch"),
        "N",
        count,
        "Processes that read, large files together (default: the cores there are).",
    )
    unpack_limit = value(
        "--unpack-limit",
        ("scan", "batch"),
        "SIZE",
        size,
        "What a compressed file or archive may unpack to, as 20G (default: 200 times its size, at "
        "least 1 GiB).",
    )
    stall = value(
        "--stall",
        LIVE,
        "SECONDS",
        some_seconds,
        "Silence to be told (default: by the run's own pace).",
    )
    on_stall = value(
        "--on-stall",
        ("tail",),
        "CMD",
        text,
        "Run CMD once, at the first such silence; the stacks that it prints are judged.",
    )
    command = value(
        "--exec", LIVE, "CMD", text, "Run CMD for each new diagnosis, with its JSON on stdin."
    )
    webhook = value("--webhook", LIVE, "URL", url, "Post the JSON of each new diagnosis to URL.")
    chats = values(
        "--notify",
        LIVE,
        "URL",
        receiver,
        "Tell a chat or mailbox of each new diagnosis: Slack, Feishu, DingTalk, WeCom, Discord, "
        "Teams, mail and others; env:NAME and file:PATH hold the URL; repeatable.",
    )
    per_minute = value_or(
        "--at-most", LIVE, "N", count, "Notify at most N times a minute.", default=10
    )
    until_idle = value(
        "--until-idle",
        ("tail",),
        "SECONDS",
        seconds,
        "End, with the verdict, when nothing came for so long.",
    )
    pid = value("--pid", ("tail",), "PID", count, "End when this process has ended.")
    state = value(
        "--state",
        ("tail",),
        "FILE",
        file,
        "Keep in FILE where reading stands, and go on from there the next time.",
    )
    log = value(
        "--log",
        ("run",),
        "FILE",
        file,
        "Keep the output of the command in FILE, with secrets masked (see --redact).",
    )
    fail_fast = choice(
        "--fail-fast",
        ("run",),
        SEVERITIES,
        NEVER,
        "Stop the command (SIGTERM, 30 s later SIGKILL) at a diagnosis of at least this severity.",
    )
    store = value(
        "--store",
        ("batch",),
        "FILE",
        file,
        "Keep the results in this SQLite file; the next call reads only what is new or changed.",
    )
    run_glob = value(
        "--run-glob",
        ("batch",),
        "PATTERN",
        text,
        "What is a run: paths below ROOT with *, ** and ?; instead of recognising it.",
    )
    compared = pair(
        "--compare",
        ("batch",),
        "GOOD BAD",
        text,
        "Also show lines that runs under BAD have and runs under GOOD have not, and the step from "
        "which on their metrics part.",
    )
    engine = choice("--engine", ("batch",), ("local", "ray"), "local", "Where the work is done.")
    address = value(
        "--address",
        ("batch",),
        "ADDRESS",
        text,
        "The Ray cluster (default: RAY_ADDRESS, else Ray on this machine).",
    )
    gpus = value("--gpus", ("check",), "N", count, "GPUs of each node that the run gets.")
    nodes = value("--nodes", ("check",), "N", count, "Nodes that the run gets.")
    gpu_memory = value(
        "--gpu-memory", ("check",), "GIB", gibibytes, "Memory of each GPU, in GiB, as 80."
    )
    checked_framework = value(
        "--framework",
        ("check",),
        "NAME",
        framework_release,
        "What the run uses, also with its release, as verl==0.9.1 (default: what the files show, "
        "the release that is installed here).",
    )
    time_limit = value_or(
        "--time-limit",
        ("mcp",),
        "SECONDS",
        some_seconds,
        "What one call may take; what was read until then is judged.",
        default=60.0,
    )
    read_limit = value_or(
        "--read-limit",
        ("mcp",),
        "SIZE",
        size,
        "What one call may read, unpacked.",
        default=20_000_000_000,
    )
    component = value(
        "--component",
        ("signatures list",),
        "NAME",
        text,
        "Only those of this component.",
    )
    listed_framework = value(
        "--framework", ("signatures list",), "NAME", text, "Only those for this framework."
    )
    new_component = value(
        "--component",
        ("signatures new",),
        "NAME",
        text,
        "The software that prints the message (with --from: who raised it, as its frames tell).",
    )
    drafted_from = value(
        "--from",
        ("signatures new",),
        "LOG[:LINE]",
        text,
        "Draft it from an error that no signature knows: of this log, of this line, or, with "
        "--store, by its fingerprint.",
    )
    known_in = value(
        "--store",
        (*LOGS[:2], "explain", "signatures new", "note"),
        "FILE",
        text,
        "What batch --store has kept: in how many runs an error was seen, and what is noted of it.",
    )
    joined_store = value(
        "--join", ("note",), "FILE", text, "Take over the runs and notes of another store."
    )
    verbose = flag(
        "--verbose",
        ("signatures check",),
        "Also list what is left of the budget of findings, and how each template is searched: "
        "guaranteed edits, pieces with their expected hits per MB.",
    )


OPTIONS: tuple[Option[object], ...] = tuple(
    each for each in vars(Arguments).values() if isinstance(each, Option)
)
"""The rows, in the order in which help shows them."""


def options_of(command: str) -> tuple[Option[object], ...]:
    """The rows of a command."""
    return tuple(each for each in OPTIONS if command in each.commands)
