"""What to look at next where no signature knows an error: next_steps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from logdoctor.formats.library_paths import LIBRARY_PATH
from logdoctor.model import LocalText, LogEvent
from logdoctor.texts.phrases import verdict as phrases

_FRAME = (
    r"(?:> )?File \"(?P<path>[^\"]{1,400})\", line (?P<line>\d{1,7}),? in "
    r"(?P<function>[^\s(]{1,200})"
)


class _Place(NamedTuple):
    """Where a frame stands; `library` is None in the run's own code."""

    path: str
    line: str
    function: str
    library: str | None

    @property
    def name(self) -> str:
        return f"{self.function} ({self.path}:{self.line})"


def next_steps(event: LogEvent) -> tuple[LocalText, ...]:
    """Where it was raised and what called it, as its frames tell; of an error without frames,
    that they are missing.
    """
    places = list(_places(event))
    if not places:
        return (phrases.NO_FRAMES.fill(),)
    innermost = places[-1]
    own = next((place for place in reversed(places) if place.library is None), None)
    if innermost.library is None:
        return (phrases.RAISED_HERE.fill(place=innermost.name),)
    called = (phrases.CALLED_HERE.fill(place=own.name),) if own else ()
    return (
        phrases.RAISED_IN_LIBRARY.fill(place=innermost.name, library=innermost.library),
        *called,
    )


def _places(event: LogEvent) -> Iterator[_Place]:
    for frame in event.frames:
        found = re.search(_FRAME, frame)
        if found:
            library = re.search(LIBRARY_PATH, found["path"])
            name = next((each for each in library.groups() if each), None) if library else None
            yield _Place(found["path"], found["line"], found["function"], name)
