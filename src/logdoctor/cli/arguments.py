"""What the user asked for: ScanArguments, RunArguments.

Here and not beside what carries them out, so that a command can be started before that is imported.

Annotations are evaluated: `NamedTuple` compiles texts one by one, which takes as long as all else
that it does.
"""

from collections.abc import Mapping
from typing import NamedTuple

NEVER = "never"

CHOICES: Mapping[str, tuple[str, ...]] = {
    "--format": ("text", "json", "jsonl", "markdown", "html"),
    "--lang": ("en", "zh"),
    "--fail-on": ("warning", "error", "fatal", NEVER),
    "--color": ("auto", "always", "never"),
}
"""Options of a scan that take one of a few words."""

FAIL_FAST = ("warning", "error", "fatal", NEVER)
"""Severities at which a command may be stopped."""


class ScanArguments(NamedTuple):
    """What the user asked of a scan, each as its option says."""

    sources: tuple[str, ...] = ()
    form: str = "text"
    lang: str = "en"
    more: tuple[str, ...] = ()
    frameworks: tuple[str, ...] = ()
    config_file: str | None = None
    jobs: int | None = None
    redact: bool = True
    min_confidence: float = 0.0
    fail_on: str = "error"
    show_all: bool = False
    color: str = "auto"
    unpack_limit: int | None = None
    why: bool = False


class SideArguments(NamedTuple):
    """What the scan beside a command is asked to do, each as its option says."""

    scan: ScanArguments
    fail_fast: str = NEVER
    stall: float | None = None
    command: str | None = None
    webhook: str | None = None
    per_minute: int = 10


class RunArguments(NamedTuple):
    """What the user asked of a run, each as its option says."""

    words: tuple[str, ...]
    side: SideArguments
    log: str | None = None
