"""What a log shows only where a setting is in force: SETTING_EFFECTS.

A remedy that asks for such a setting has nothing to give any more where its effect is there.
"""

from typing import NamedTuple

from logdoctor.formats.marked import Marked
from logdoctor.model import LogEvent


class SettingEffect(NamedTuple):
    """A setting, and what every event has that shows it.

    Attributes:
        expressions: of which each is found in some line of the event.
        has_frames: whether the event has frames of Python as well.
        sample: lines of such an event.
        near_misses: each the lines of an event that does not show it.
    """

    key: str
    value: str
    expressions: tuple[Marked, ...]
    has_frames: bool
    sample: tuple[str, ...]
    near_misses: tuple[tuple[str, ...], ...]


SETTING_EFFECTS = (
    SettingEffect(
        "PYTHONFAULTHANDLER",
        "1",
        # of its own handlers; what Python itself gives up for is printed without them as well
        (
            Marked(
                r"Fatal Python error: "
                r"(?:Segmentation|Aborted|Bus|Floating.point|Illegal instruction)",
                ("Fatal Python error: ",),
            ),
            Marked(r"\(most recent call first\):", ("(most recent call first):",)),
        ),
        True,
        (
            "Fatal Python error: Segmentation fault",
            "",
            "Current thread 0x00007efddce2db80 (most recent call first):",
            '  File "/job/fold.py", line 12 in fold',
        ),
        (
            (
                "Fatal Python error: Segmentation fault",
                "",
                "Current thread 0x00007efddce2db80 (most recent call first):",
                "  <no Python frame>",
            ),
            (
                "Fatal Python error: none_dealloc: deallocating None",
                "",
                "Current thread 0x00007efddce2db80 (most recent call first):",
                '  File "/job/fold.py", line 12 in fold',
            ),
        ),
    ),
)


def settings_shown(event: LogEvent) -> dict[str, str]:
    """Settings that an event shows to be in force, with their values."""
    text = "\n".join([line.text for line in event.lines])
    return {
        each.key: each.value
        for each in SETTING_EFFECTS
        if bool(event.frames) >= each.has_frames
        and all(part.search(text) for part in each.expressions)
    }
