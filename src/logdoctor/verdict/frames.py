"""Whose code raised an exception, as its frames tell: Raised, raised_by.

Python's own modules, and code without a file, only carry out what they were given: nobody is to
search their issues. So the innermost other frame decides.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from logdoctor.formats.library_paths import CALLS_WITH_ROWS, INSTALLED, NO_PACKAGE
from logdoctor.formats.markers import MARKERS, MarkerKind
from logdoctor.model import LogEvent

LIBRARY, OWN_CODE, GIVEN_FUNCTION = "library", "own-code", "given-function"
"""In whose code an exception was raised: that of an installed package or of a framework's
checkout, the run's own, or a function of that which a library calls with rows of data (map,
collator, reward).
"""

NOT_TOLD = "not-told"
"""No frame says whose code it was: what holds for that case only is a guess, and proves nothing."""

FACTS = (
    "raised_in",
    "raised_package",
    "raised_release",
    "raised_at",
    "own_at",
    "own_function",
    "given_to",
)
"""What texts and conditions of a signature may ask for as if the message had said it."""

_FRAME = (
    r"(?:> )?File \"(?P<path>[^\"]{1,400})\", line (?P<line>\d{1,7}),? in "
    r"(?P<function>[^\s(]{1,200})"
)


class Place(NamedTuple):
    """Where a frame stands.

    Attributes:
        package: in whose code; None in the run's own, empty in Python's own and without a file.
    """

    path: str
    line: str
    function: str
    package: str | None

    @property
    def name(self) -> str:
        """As a person is told."""
        return f"{self.function} ({self.path}:{self.line})"


class Raised(NamedTuple):
    """Whose code raised it.

    Attributes:
        at: the innermost frame that is not of Python's own; None where there is none.
        own: the innermost frame of the run's own code.
        given_to: of a function that a library calls with rows, that library.
    """

    at: Place | None
    own: Place | None
    given_to: str | None

    @property
    def package(self) -> str | None:
        """The package that raised it; None where it is the run's own code, or not told."""
        return (self.at.package if self.at else None) or None

    def facts(self, versions: Mapping[str, str]) -> dict[str, str]:
        """What is known of `FACTS`; `versions` are those that the log tells."""
        if self.at is None:
            return {"raised_in": NOT_TOLD}
        kind = LIBRARY if self.package else GIVEN_FUNCTION if self.given_to else OWN_CODE
        told = {
            "raised_in": kind,
            "raised_at": self.at.name,
            "raised_package": self.package,
            "raised_release": self.package and _release(self.package, versions),
            "own_at": self.own and self.own.name,
            "own_function": self.own and self.own.function,
            "given_to": self.given_to,
        }
        return {name: value for name, value in told.items() if value}


def raised_by(event: LogEvent) -> Raised:
    """Whose code raised an exception."""
    places = [each for each in places_of(event) if each.package != ""]
    own = next((each for each in reversed(places) if each.package is None), None)
    return Raised(places[-1] if places else None, own, _given_to(places))


def places_of(event: LogEvent) -> Iterator[Place]:
    """Its frames, outermost first."""
    for frame in event.frames:
        found = re.search(_FRAME, frame)
        if found:
            yield Place(found["path"], found["line"], found["function"], _package(found["path"]))


def _given_to(places: Sequence[Place]) -> str | None:
    """The library that calls the run's own code, in which it was raised, with rows of data."""
    for place in reversed(places):
        if place.package:
            is_with_rows = re.search(CALLS_WITH_ROWS, f"{place.path}:{place.function}")
            return place.package if is_with_rows and place is not places[-1] else None
    return None


def _package(path: str) -> str | None:
    installed = re.search(rf"{INSTALLED}/(\w+)", path)
    if installed:
        return installed[1]
    if re.search(NO_PACKAGE, path):
        return ""
    return next(
        (
            each.value
            for each in MARKERS
            if each.kind is MarkerKind.FRAMEWORK and "/" in each.pattern
            if re.search(each.pattern, path)
        ),
        None,
    )


def _release(package: str, versions: Mapping[str, str]) -> str:
    """`trl 0.9.6`, as far as the version is known."""
    names = (package, package.replace("_", "-"))
    version = next((versions[name] for name in names if name in versions), "")
    return f"{package} {version}".strip()
