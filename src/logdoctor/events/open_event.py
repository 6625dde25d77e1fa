"""Events in the making: Draft."""

from __future__ import annotations

import re

from logdoctor.formats.message_shapes import (
    BOX_BEGINNING,
    BOX_END,
    BOX_HEADER,
    BOX_SIDE,
    CARRIED,
    DUMP,
    DUMP_LINE,
    EXCEPTION,
    IPYTHON_BEGINNING,
    IPYTHON_HEADER,
    IPYTHON_INSIDE,
    MESSAGES,
    ORIGINAL,
    STACK,
    TYPE,
    UNNUMBERED,
    WARNING,
    Look,
    Raised,
    frame_of,
    is_frame,
    look_of,
    raised_in,
    source_of,
)
from logdoctor.formats.rows import Message
from logdoctor.formats.torchrun_tables import FailedRank, said_by
from logdoctor.formats.unsaid import Around, is_in_code, is_listed, is_manual
from logdoctor.model import AnchorKind, Lane, LogEvent, LogLine

TAIL_LIMIT = 30
"""Lines that a message may go on for when they are indented."""

LOOSE_TAIL_LIMIT = 10
"""Lines that an exception's message may go on for when they are not."""

BEFORE_LIMIT = 3
"""Lines above an event that are kept with it."""

DUMP_LIMIT = 400
"""Lines of a stack, of a crashed process's dump, or of a message known to be long."""

LIT_TAIL_LIMIT = 3
"""Lines below an exception line that belong to it even where they light up themselves."""

SCRAPS_LIMIT = 3
"""Lines from its header on in which a traceback without frames may come to its exception."""

FRAME_INDENT = 2
"""Columns by which CPython sets the frames of a traceback off from its header and its exception
line (Lib/traceback.py).
"""

TABLE_EDGE = r"={20,}\s*$"
"""First and last line of torchrun's table."""

_BEGINNINGS = frozenset({AnchorKind.MARKER, AnchorKind.TRACEBACK})

EVENT_KINDS = frozenset({AnchorKind.TEMPLATE, AnchorKind.REGEX, AnchorKind.ERROR})
"""Kinds of anchors with which an event begins outside of a traceback."""


class Draft:
    """An event in the making."""

    def __init__(
        self, stream: Lane, above: tuple[LogLine, ...], first: LogLine, *, is_traceback: bool
    ) -> None:
        self.stream = stream
        self.above = above  # more than is kept with the event
        self.lines = [first]
        self.look = look_of(first.text)  # of the last line
        self.is_traceback = is_traceback
        self.indent = _column_of_exception(first.text) if is_traceback else 0
        is_drawn = is_traceback and self.look.is_drawn
        self.is_box = is_traceback and bool(
            re.match(BOX_BEGINNING if is_drawn else BOX_HEADER, first.text)
        )
        self.is_ipython = is_traceback and bool(
            re.match(IPYTHON_BEGINNING if is_drawn else IPYTHON_HEADER, first.text)
        )
        # its header was cut off, so that only an exception shows that it was a traceback
        self.is_unproven = is_drawn
        self.is_dump = not is_traceback and DUMP.search(first.text) is not None
        self.is_ignored = self.is_cut = False
        self.is_carrier = False  # of an exception that is printed below with its own traceback
        self.entry: FailedRank | None = None  # of torchrun's table, where it is a traceback in it
        self.kind: Message | None = None
        self.exception: str | None = None  # its type, once the head is known
        self.unprinted: str | None = None  # its message, where only a line of code tells it
        self.frames: list[list[str]] = []
        self.head: int | None = None
        # where a C++ stack begins, or the traceback of an exception that was printed above it
        self.stack: int | None = None
        self.said_above: Draft | None = None  # the exception that stands above its header
        self.after: list[LogLine] = []
        self.announced_level: str | None = None
        self.since: str | None = None
        self.connector: LogLine | None = None

    @property
    def is_awaited(self) -> bool:
        """Whether its exception line is still to come, or the end of a table in its message."""
        edges = sum(bool(re.match(TABLE_EDGE, line.text)) for line in self.lines)
        return self.head is None or edges % 2 == 1

    def found_head(self) -> None:
        """The last line says what happened."""
        self.head = len(self.lines) - 1
        text = self.lines[self.head].text.strip()
        self.kind = next(
            (kind for kind in MESSAGES if kind.mark in text and re.search(kind.head, text)), None
        )
        found = EXCEPTION.match(text) or (TYPE.match(text) if self.is_traceback else None)
        self.exception = found[0] if found and not WARNING.match(text) else None

    @property
    def raised(self) -> Raised | None:
        """What the line of code raises that its innermost frame stands at."""
        return raised_in(" ".join(self.frames[-1][1:])) if self.frames else None

    def found_in_code(self) -> None:
        """Nothing below says what happened: where its last line of code does, that is the head."""
        raised = self.raised
        if raised is None or not self.is_traceback:
            return
        code = self.frames[-1][1]
        holding = (i for i, line in enumerate(self.lines) if code in line.text)
        self.head = max(holding, default=len(self.lines) - 1)
        self.exception, self.unprinted = raised.type, raised.message

    def note_look(self, look: Look) -> None:
        """Takes note of what its last line looks like; blank lines between others are nothing."""
        if not look.is_blank:
            self.look = look

    def is_awaiting(self, below: Look) -> bool:
        """Whether its exception line is still to come where the next line looks so: a frame takes
        back what was taken for it.
        """
        if self.head is not None and below.is_frame and self._ends_in_code(below):
            if self.frames and len(self.frames[-1]) == 1:
                self.frames[-1].append(self.lines[-1].text.strip())
            self.head = self.exception = self.kind = None
        return self.head is None

    def _ends_in_code(self, frame: Look) -> bool:
        """Whether a frame right below shows that what was taken for the exception of a traceback
        that lost its indentation is another line of code.
        """
        if not self.is_traceback or self.head != len(self.lines) - 1 or frame.indent > self.indent:
            return False
        text = self.lines[-1].text.strip()
        return self.exception in (None, text) and not look_of(text).is_exception

    def finished(self) -> LogEvent:
        """The event."""
        head = self.head if self.head is not None else len(self.lines) - 1
        frames = [" ".join(frame) for frame in self.frames]
        message = " ".join(line.text.strip() for line in self.lines[head : self.stack])
        if self.is_carrier:
            message = message.removeprefix(f"{self.exception}: ")
        if self.unprinted:
            message = self.unprinted
        return LogEvent(
            lines=tuple(said_by(self.entry, line) if self.entry else line for line in self.lines),
            head=head,
            exception=None if self.is_carrier else self.exception,
            message=message,
            frames=tuple(reversed(frames) if self.is_dump else frames),
            before=self.above[-BEFORE_LIMIT:],
            after=tuple(self.after),
            is_traceback=self.is_traceback,
            level=self.lines[head].level or self.lines[0].level or self.announced_level,
            is_ignored=self.is_ignored or self._is_unsaid(message, frames),
            is_late=self.entry is not None and self.entry.number > 0,
            since=self.since,
            is_cut=self.is_cut,
            connector=self.connector,
            is_unprinted=self.unprinted is not None,
        )

    def _is_unsaid(self, message: str, frames: list[str]) -> bool:
        """Whether it stands in a manual or in source code. A line with a prefix was printed."""
        first = self.lines[0]
        is_indented = first.text[:1].isspace()
        above = [line.text for line in (self.above if is_indented else self.above[-1:])]
        if is_manual(first.text, above, frames, [line.text for line in self.lines]):
            return True
        if not is_indented or self.is_traceback or first.text != first.raw:
            return False
        around = Around(above, [line.text for line in (*self.lines[1:], *self.after)])
        return is_listed(first.text, message, around) or is_in_code(first.text, around)

    @property
    def awaits_source(self) -> bool:
        """Whether the next line of a traceback that lost its indentation is the source line of
        the frame above it.
        """
        return (
            self.look.is_frame
            and self.look.indent <= self.indent
            and bool(self.frames)
            and len(self.frames[-1]) == 1
        )

    @property
    def lost_its_frames(self) -> bool:
        """Whether what stands right below its header is no frame, but what is left of some."""
        return self.is_traceback and not self.frames and 1 < len(self.lines) <= SCRAPS_LIMIT

    def carries_what(self, header: str) -> bool:
        """Whether it only carries what was raised elsewhere, whose traceback has this header."""
        head = self.lines[self.head or 0].text
        return ORIGINAL in header and re.search(CARRIED, head) is not None

    def take_traceback(self, below: Draft) -> None:
        """Goes on with the traceback below it, which lacks an exception line: it is its own."""
        if self.stack is None:
            self.stack = len(self.lines)
        self.lines += below.lines
        self.frames, self.is_traceback = below.frames, True
        self.is_ignored |= below.is_ignored
        self.after.clear()

    def grow_drawn(self, text: str) -> bool:
        """Adds a line inside rich's box or IPython's traceback; False where it is none."""
        if not (self.is_box or self.is_ipython):
            return False
        frame, source = frame_of(text), source_of(text)
        if frame:
            self.frames.append([frame])
        elif source:
            self._point_at(*source)
        if self.is_box:
            return bool(re.match(BOX_SIDE, text) or re.match(BOX_END, text))
        is_inside = re.match(IPYTHON_INSIDE, text) if self.is_unproven else text[:1] == " "
        return bool(frame or source or is_inside)

    def _point_at(self, number: str, source: str) -> None:
        """Notes the line of code that the frame above it was in, or one whose frame was cut off."""
        if not self.frames or len(self.frames[-1]) > 1:
            self.frames.append([f"line {number}", source])
            return
        unnumbered = f", line {UNNUMBERED}, in "
        self.frames[-1] = [self.frames[-1][0].replace(unnumbered, f", line {number}, in "), source]

    def add(self, line: LogLine) -> None:
        """Adds a line to an event whose head is known."""
        if self.stack is None and self.exception and re.match(STACK, line.text):
            self.stack = len(self.lines)
        if self.is_dump and is_frame(line.text):
            self.frames.append([line.text.strip()])
        self.lines.append(line)

    def continues(self, line: LogLine, look: Look) -> bool:
        """Whether a line that looks so belongs to the message of an event whose head line is
        known.
        """
        head = self.lines[self.head or 0]
        length = len(self.lines) - (self.head or 0)
        text = line.text
        if length < DUMP_LIMIT and self._is_of_known_form(text):
            return True
        if (
            look.is_another
            or line.kinds & _BEGINNINGS
            or (look.is_exception and not self.lines[-1].text.rstrip().endswith(":"))
        ):
            return False
        if line.is_record and (line.time, line.level) != (head.time, head.level):
            return False
        if text[0] in " \t" and not line.kinds & EVENT_KINDS:
            return length < TAIL_LIMIT
        # one without a message has nothing to go on
        is_exception = head.text.strip() != self.exception and (
            self.is_traceback or bool(EXCEPTION.match(head.text.strip()))
        )
        if line.kinds & EVENT_KINDS:
            return is_exception and length <= LIT_TAIL_LIMIT
        return is_exception and not line.is_record and length < LOOSE_TAIL_LIMIT

    def _is_of_known_form(self, text: str) -> bool:
        """Whether a line is of a stack, of a dump, or of a message whose form is known."""
        if self.is_dump:
            return not text.strip() or bool(re.match(DUMP_LINE, text))
        if self.kind and re.match(self.kind.further, text):
            return True
        return (
            self.exception is not None
            and ("#" in text or "C++" in text or "call first" in text or "omitting" in text)
            and bool(re.match(STACK, text))
        )


def _column_of_exception(first: str) -> int:
    """Where the exception line of a traceback stands: below its header, or, where that was cut
    off, left of its frames.
    """
    column = len(first) - len(first.lstrip())
    return column if "raceback" in first else max(column - FRAME_INDENT, 0)
