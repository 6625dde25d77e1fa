"""Options that `tail` and `run` share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from logdoctor.cli.arguments import CHOICES, ScanArguments
from logdoctor.formats.markers import FRAMEWORK_ORDER
from logdoctor.live.notify import Notifier, command, webhook

_OPTIONS = (
    click.option(
        "--format",
        "form",
        type=click.Choice(CHOICES["--format"]),
        default="text",
        help="What the report is for.",
    ),
    click.option(
        "--lang", type=click.Choice(CHOICES["--lang"]), default="en", help="Language of the report."
    ),
    click.option(
        "--signatures",
        "more",
        multiple=True,
        metavar="PATH",
        help="More signatures: a YAML file or a folder; repeatable.",
    ),
    click.option(
        "--framework",
        "frameworks",
        multiple=True,
        metavar="NAME",
        help="What the run uses, if its log does not show it; repeatable.",
    ),
    click.option(
        "--config",
        "config_file",
        metavar="FILE",
        help="The run's own configuration (YAML); remedies are judged by it.",
    ),
    click.option(
        "--redact/--no-redact",
        default=True,
        help="Mask API keys, tokens and passwords in the report (default: yes).",
    ),
    click.option(
        "--min-confidence",
        type=click.FloatRange(0, 1),
        default=0.0,
        metavar="X",
        help="Leave out diagnoses below (0 to 1).",
    ),
    click.option(
        "--fail-on",
        type=click.Choice(CHOICES["--fail-on"]),
        default="error",
        help="Least severity that makes the exit code 1.",
    ),
    click.option(
        "--all", "show_all", is_flag=True, help="Show consequences and harmless things in full."
    ),
    click.option(
        "--why",
        is_flag=True,
        help="Show all reasons of every verdict, with the lines that prove them.",
    ),
    click.option(
        "--color",
        type=click.Choice(CHOICES["--color"]),
        default="auto",
        help="Colours in the text report.",
    ),
)
_WATCH_OPTIONS = (
    click.option(
        "--stall",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        help="Silence to be told (default: by the run's own pace).",
    ),
    click.option(
        "--exec",
        "command",
        metavar="CMD",
        help="Run CMD for each new diagnosis, with its JSON on stdin.",
    ),
    click.option("--webhook", metavar="URL", help="Post the JSON of each new diagnosis to URL."),
    click.option(
        "--at-most",
        "per_minute",
        type=click.IntRange(min=1),
        default=10,
        metavar="N",
        help="Notify at most N times a minute (default: 10).",
    ),
)
_SCAN_NAMES = (
    "form",
    "lang",
    "more",
    "frameworks",
    "config_file",
    "redact",
    "min_confidence",
    "fail_on",
    "show_all",
    "why",
    "color",
)


def live_options(function: Callable[..., None]) -> Callable[..., None]:
    """Adds the options; those of a scan come as one argument, `scan_arguments`."""

    @functools.wraps(function)
    def wrapped(**given: Any) -> None:
        values = {name: given.pop(name) for name in _SCAN_NAMES}
        values["frameworks"] = tuple(name.lower() for name in values["frameworks"])
        for name in values["frameworks"]:
            if name not in FRAMEWORK_ORDER:
                raise click.BadParameter(
                    f'unknown framework "{name}"; expected one of {", ".join(FRAMEWORK_ORDER)}',
                    param_hint="--framework",
                )
        if "" in values["more"]:
            raise click.BadParameter(
                "an empty name; expected a YAML file or a folder", param_hint="--signatures"
            )
        url = given["webhook"]
        if url is not None and not url.startswith(("http://", "https://")):
            raise click.BadParameter(
                f'"{url}" is no URL; expected http://… or https://…', param_hint="--webhook"
            )
        function(scan_arguments=ScanArguments(**values), **given)

    decorated: Callable[..., None] = wrapped
    for option in reversed((*_OPTIONS, *_WATCH_OPTIONS)):
        decorated = option(decorated)
    return decorated


def notifiers(
    command_line: str | None, url: str | None, per_minute: int, complain: Callable[[str], None]
) -> tuple[Notifier, ...]:
    """Those that the options ask for."""
    found = []
    if command_line:
        found.append(Notifier("--exec", command(command_line), complain, per_minute))
    if url:
        found.append(Notifier("--webhook", webhook(url), complain, per_minute))
    return tuple(found)
