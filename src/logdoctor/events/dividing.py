"""One event to two, where a line of its message begins a message of its own: divided.

A line below an exception's message may belong to it or be another's; which of the two it is, only
those can tell who know both messages.
"""

from collections.abc import Iterator

from logdoctor.events.open_event import EVENT_KINDS
from logdoctor.formats.message_shapes import EXCEPTION, WARNING
from logdoctor.formats.torchrun_tables import is_table
from logdoctor.model import LogEvent

NEIGHBOURS = 3
"""Lines around an event that are kept with it."""


def places_to_divide(event: LogEvent) -> Iterator[int]:
    """Where, in the lines of an event, its message has a line that could begin an event; nowhere
    in a launcher's table, whose entries belong together.
    """
    if is_table(event):
        return
    size = 0
    for index, line in enumerate(event.lines[event.head :], event.head):
        if size >= len(event.message):
            return  # what follows is the stack below the message
        size += len(line.text.strip()) + 1
        if index > event.head and line.kinds & EVENT_KINDS:
            yield index


def divided(event: LogEvent, place: int) -> tuple[LogEvent, LogEvent]:
    """An event up to the line of that number, and from there on."""
    above, below = event.lines[:place], event.lines[place:]
    said = " ".join(line.text.strip() for line in event.lines[event.head : place])
    rest = event.message[len(said) + 1 :]
    first = below[0]
    found = EXCEPTION.match(first.text.strip())
    return (
        event._replace(lines=above, message=said, after=(*below, *event.after)[:NEIGHBOURS]),
        event._replace(
            lines=below,
            head=0,
            exception=found[0] if found and not WARNING.match(first.text.strip()) else None,
            message=rest,
            frames=(),
            before=above[-NEIGHBOURS:],
            is_traceback=False,
            level=first.level,
            is_late=False,
            connector=None,
        ),
    )
