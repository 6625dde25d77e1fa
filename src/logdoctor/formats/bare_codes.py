"""Errors that have a code only, and lines that give the reason of such: is_bare_code, gives_reason,
tells_reason.

A library that fails in a call prints why on the spot, and hands up a number.
"""

import re
from typing import NamedTuple

from logdoctor.formats.system_errors import said_by_system


class CodeForm(NamedTuple):
    """How an error says a code.

    Attributes:
        expression: fits its message.
        reasoned: what the message holds where it gives the reason as well.
        samples: messages that have a code only.
        near_misses: those that say why, or something else.
    """

    expression: str
    reasoned: str
    samples: tuple[str, ...]
    near_misses: tuple[str, ...]


CODE_FORMS = (
    CodeForm(
        r"(?i)\bunhandled (?:system|cuda|nccl|gloo|ucx) error\b"
        r"|\binternal error (?:\(run with |- please report)"
        r"|\bnccl(?:System|Internal|UnhandledCuda)Error: "
        r"(?:System call|Internal check|Call to CUDA)",
        r"(?i)last error:\s*(?!exception raised|traceback)[^\s\[]|'unhandled \w+ error / \S",
        (
            "RuntimeError: NCCL error: unhandled system error (run with NCCL_DEBUG=WARN)",
            "NCCL error in: a/b.cpp:16, unhandled cuda error, NCCL version 2.19.3\nLast error:\n",
            "NCCL error in: a/b.cpp:1, internal error - please report this issue\nLast error:\n",
            "ncclInternalError: Internal check failed.",
        ),
        (
            "NCCL error in: a/b.cpp:16, unhandled system error\nLast error:\nCall to bind failed",
            "unhandled exception in a thread",
        ),
    ),
    CodeForm(
        r"(?i)\b(?:(?:error|err|return|returned|result|failure|exit) ?(?:code|value|number|status)"
        r"|code|errno|error|returned|rc|res|ret)(?: of| is| was)?[ :=]{1,3}\(?-?(?:0x[0-9a-f]{1,8}"
        r"|\d{1,10})\)?[.!]?\s*$",
        r"[^\s\w]/[\w.]|['\"`‘“][^\s'\"`]|(?i:\bbecause\b|\bdue to\b)|\n",
        (
            "RuntimeError: loader failed with code -5",
            "RuntimeError: fabric_open failed with error code 5",
            "RuntimeError: Engine init returned -1",
            "IOError: write error: 0x1f",
        ),
        (
            "RuntimeError: cannot open '/data/x': error 5",
            "RuntimeError: it failed because the cache is full, code 5",
            "ValueError: expected 5",
            "RuntimeError: the server returned 3 samples of 8",
        ),
    ),
)
"""Forms of codes."""

PASSING = (
    r"(?i)\bretry|\btrying\b|\bfall(?:ing)? ?back|\bignor|\bskip|\bwill use\b|\bNCCL INFO\b"
    r"|\boptional"
)
"""What a line says that gives the reason of something that its program went on after."""

WARNED = r"\bNCCL WARN\b|\.(?:cc|cu|h):\d+ WARN\b"
"""How NCCL begins what it says of a failure."""

_FAILED = r"(?i)fail|error|could not|cannot|unable|not found|refused|denied|invalid"
_A_CODE = r"\bres=\d|\bremote process exited\b"

COMMON_WORDS = frozenset(
    [
        "abort",
        "aborted",
        "above",
        "after",
        "again",
        "before",
        "being",
        "call",
        "called",
        "cannot",
        "check",
        "closed",
        "code",
        "core",
        "could",
        "device",
        "during",
        "engine",
        "error",
        "errors",
        "exception",
        "exit",
        "failed",
        "failure",
        "fatal",
        "file",
        "from",
        "function",
        "initialize",
        "internal",
        "launch",
        "loader",
        "main",
        "operation",
        "process",
        "python",
        "raised",
        "rank",
        "result",
        "returned",
        "runtime",
        "runtimeerror",
        "setup",
        "start",
        "started",
        "state",
        "status",
        "step",
        "system",
        "that",
        "this",
        "train",
        "training",
        "unhandled",
        "value",
        "version",
        "warn",
        "warning",
        "when",
        "with",
        "worker",
        "write",
    ]
)
"""Words that two messages may share without being of one failure."""


def is_bare_code(message: str) -> bool:
    """Whether an error's message has a code, and no reason beside it."""
    return said_by_system(re.sub(r"(?i)\berrno\b", "", message)) is None and any(
        re.search(form.expression, message) and not re.search(form.reasoned, message)
        for form in CODE_FORMS
    )


def gives_reason(message: str) -> bool:
    """Whether an error's message has the reason beside its code."""
    return said_by_system(message) is not None or any(
        re.search(form.expression, message) and re.search(form.reasoned, message)
        for form in CODE_FORMS
    )


def tells_reason(text: str) -> bool:
    """Whether a line says why a call failed, and is not about something that its program went on
    after.
    """
    if re.search(PASSING, text) or re.search(_A_CODE, text):
        return False
    is_warned = re.search(WARNED, text) is not None and re.search(_FAILED, text) is not None
    return is_warned or said_by_system(text) is not None


def telling_words(text: str) -> frozenset[str]:
    """Words, in small letters, by which two messages are known to be of one failure."""
    words = re.findall(r"[a-z]{5,}", text.lower())
    return frozenset(words) - COMMON_WORDS
