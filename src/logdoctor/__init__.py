"""Finds what went wrong first in an LLM training log, why, and what to change.

As a library: `from logdoctor import scan, scan_runs, load_signatures` (see `logdoctor.api`).
"""

from importlib import import_module

from logdoctor.version import __version__ as __version__

_LIBRARY = ("Runs", "load_signatures", "scan", "scan_runs")


def __getattr__(name: str) -> object:
    """The library, imported when it is first asked for: the command line starts without it."""
    if name in _LIBRARY:
        return getattr(import_module("logdoctor.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
