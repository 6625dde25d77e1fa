"""Names of levels: what loggers call them, and what they are called here."""

_NAMES = {
    "TRACE": "trace",
    "DEBUG": "debug",
    "INFO": "info",
    "NOTICE": "notice",
    "WARN": "warning",
    "WARNING": "warning",
    "ERROR": "error",
    "FATAL": "fatal",
    "CRITICAL": "fatal",
}
_LETTERS = {
    "D": "debug",
    "I": "info",
    "W": "warning",
    "E": "error",
    "F": "fatal",
    "C": "fatal",
}
"""As glog, abseil and Ray's C++ write them."""

LEVEL = f"(?:{'|'.join(_NAMES)})"
"""A level as a prefix writes it out."""


def level_named(name: str) -> str | None:
    """The level of this name or letter, in capitals; None for one that nobody knows."""
    return _NAMES.get(name) or _LETTERS.get(name)
