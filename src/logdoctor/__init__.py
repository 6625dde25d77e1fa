"""Finds what went wrong first in an LLM training log, why, and what to change.

As a library: `from logdoctor import scan, scan_runs, load_signatures` (see `logdoctor.library`).
"""

from importlib import import_module

__version__ = "0.1.0"

_LIBRARY = ("Runs", "load_signatures", "scan", "scan_runs")


def __getattr__(name: str) -> object:
    """The library, imported when it is first asked for: the command line starts without it."""
    if name in _LIBRARY:
        return getattr(import_module("logdoctor.library"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
