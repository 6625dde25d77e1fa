"""Where the code of libraries lies: INSTALLED, NO_PACKAGE, packages_in, releases_in and more."""

import re
from collections.abc import Iterable

INSTALLED = r"(?:site|dist)-packages"
"""The folder of what pip installs."""

CHECKED_OUT = (
    r"(?:/(?:3rd[_-]?party|third[_-]?party|vendor(?:ed)?)|(?<!/mnt)(?<!/media)(?<!/data)(?<!/home)"
    r"/external)/(?:[\w.-]+-workspace/)?(?P<checked_out>[\w.-]+)/"
    r"|/(?P<workspace>[\w.-]+)-workspace/(?P=workspace)/"
)
"""The folder of another project's code beside the run's own."""

_NO_FILE = r"^<(?!ipython-input)[^>]*>$"
NO_PACKAGE = rf"/lib/python\d[\d.]*/(?!{INSTALLED})|\blib/python\d[\d.]*\.zip/|{_NO_FILE}"
"""A file of Python's own, or code without a file."""

CARRIES_OUT = (
    r"__(?:get|set|del)(?:attr|item|attribute)__|__call__|_(?:wrapped_)?call_impl|wrapper\w*|\w*_wrapper"
    r"|wrapped\w*|_?inner(?:_fn)?|decorate_context|_fn|_?decorator"
)
"""A function of a library that only carries out what another line asks of it: an attribute, an
element, a call.
"""

LAUNCHED = r"/bin/([\w-]+)$"
"""The file of a command that an installer made; a script of one's own has an ending."""

CALLS_WITH_ROWS = (
    r"(?i)/datasets/|/utils/data/|collat|reward|verifier|compute_metrics|scorer|grader"
)
"""File and function of a library that calls a function of the run's own with rows of data, or for
their scores.
"""

_PACKAGE = rf"{INSTALLED}/(?P<installed>\w+)/|/(?P<checkout>\w+)/(?P=checkout)/\w"


_EGG = (
    rf"{INSTALLED}/(?P<name>[A-Za-z]\w*)-(?P<release>\d[\w.+]*?)(?:-py\d[\w.-]*\.egg|\.dist-info)\b"
)


def releases_in(frames: Iterable[str]) -> dict[str, str]:
    """Releases of packages, by name, that the folders of eggs and metadata tell in these frames."""
    found = (each for frame in frames for each in re.finditer(_EGG, frame))
    return {each["name"]: each["release"] for each in found}


def packages_in(frames: Iterable[str]) -> frozenset[str]:
    """Names of the packages, installed or beside the code of their own repository, whose files
    stand in these frames.
    """
    found = (each for frame in frames for each in re.finditer(_PACKAGE, frame))
    return frozenset(each["installed"] or each["checkout"] for each in found)
