"""Where the code of libraries lies: LIBRARY_PATH, packages_in."""

import re
from collections.abc import Iterable

INSTALLED = r"(?:site|dist)-packages"
"""The folder of what pip installs."""

LIBRARY_PATH = (
    rf"{INSTALLED}/(?P<name>\w+)|/lib/python\d[\d.]*/(?!{INSTALLED})(?P<standard>\w+)"
    r"|<(?P<frozen>frozen [\w.]+|string|stdin)>"
)
"""A file that is not the run's own, and the name of its library: a package, a module of Python's
own, or code without a file.
"""

_PACKAGE = rf"{INSTALLED}/(?P<installed>\w+)/|/(?P<checkout>\w+)/(?P=checkout)/\w"


def packages_in(frames: Iterable[str]) -> frozenset[str]:
    """Names of the packages, installed or beside the code of their own repository, whose files
    stand in these frames.
    """
    found = (each for frame in frames for each in re.finditer(_PACKAGE, frame))
    return frozenset(each["installed"] or each["checkout"] for each in found)
