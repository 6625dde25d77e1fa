"""Log lines to events: EventGrouper.

A push machine. A traceback is one event from its header to the end of its message, also where other writers' lines stand
between its own; each exception of a chain is an event. A line that lights up outside a traceback is an event with the
indented lines below it.
"""

from __future__ import annotations

import re
from collections import deque

from logdoctor.failure_tables import ROWS_BEFORE_TRACEBACK, FailedRank, failed_ranks, said_by
from logdoctor.model import AnchorKind, Lane, LogEvent, LogLine
from logdoctor.tracebacks import (
    BOX_END,
    BOX_HEADER,
    BOX_SIDE,
    DUMP,
    DUMP_LINE,
    EXCEPTION,
    GROUP_RULE,
    IGNORED,
    INSIDE,
    IPYTHON_HEADER,
    MESSAGES,
    SPAWNED,
    STACK,
    TYPE,
    WARNING,
    Message,
    begins_another,
    frame_of,
    is_connector,
    is_frame,
    is_header,
    is_manual,
    source_of,
)

FRAMES_LIMIT = 400
"""Lines of a traceback before it is given up waiting for its exception line."""

TAIL_LIMIT = 30
"""Lines that a message may go on for when they are indented."""

LOOSE_TAIL_LIMIT = 10
"""Lines that an exception's message may go on for when they are not."""

DUMP_LIMIT = 400
"""Lines of a stack, of a crashed process's dump, or of a message known to be long."""

LIT_TAIL_LIMIT = 3
"""Lines below an exception line that belong to it even where they light up themselves."""

IGNORED_ABOVE = 4
"""Lines that may stand between the announcement that an exception is thrown away and its traceback."""

BEFORE_LIMIT = 3
"""Lines above an event that are kept with it."""

FRAME_INDENT = 2
"""Columns by which CPython sets the frames of a traceback off from its header and its exception line (Lib/traceback.py)."""

AFTER_LIMIT = 3
"""Lines below an event that are kept with it."""

STREAMS_LIMIT = 4096
"""Writers whose messages may be open at once; beyond, all are ended."""

_EVENT_KINDS = frozenset({AnchorKind.TEMPLATE, AnchorKind.REGEX, AnchorKind.ERROR})


class _Draft:
    """An event in the making."""

    def __init__(self, stream: Lane, before: tuple[LogLine, ...], first: LogLine, *, is_traceback: bool) -> None:
        self.stream = stream
        self.before = before
        self.lines = [first]
        self.is_traceback = is_traceback
        self.indent = _column_of_exception(first.text) if is_traceback else 0
        self.is_box = is_traceback and bool(re.match(BOX_HEADER, first.text))
        self.is_ipython = is_traceback and bool(re.match(IPYTHON_HEADER, first.text))
        self.is_dump = not is_traceback and bool(re.search(DUMP, first.text))
        self.is_ignored = self.is_cut = False
        self.entry: FailedRank | None = None  # of torchrun's table, where it is a traceback in it
        self.kind: Message | None = None
        self.exception: str | None = None  # its type, once the head is known
        self.frames: list[list[str]] = []
        self.head: int | None = None
        self.stack: int | None = None  # where a C++ stack begins
        self.after: list[LogLine] = []
        self.announced_level: str | None = None
        self.since: str | None = None
        self.connector: LogLine | None = None
        self.is_seen = False  # a settling has passed since it began
        self.is_told = False  # it was handed on and only waits for lines that belong to it

    def found_head(self) -> None:
        """The last line says what happened."""
        self.head = len(self.lines) - 1
        text = self.lines[self.head].text.strip()
        self.kind = next((kind for kind in MESSAGES if re.search(kind.head, text)), None)
        found = EXCEPTION.match(text) or (TYPE.match(text) if self.is_traceback else None)
        self.exception = found[0] if found and not WARNING.match(text) else None

    def finished(self) -> LogEvent:
        head = self.head if self.head is not None else len(self.lines) - 1
        frames = [" ".join(frame) for frame in self.frames]
        return LogEvent(
            lines=tuple(said_by(self.entry, line) if self.entry else line for line in self.lines),
            head=head,
            exception=self.exception,
            message=" ".join(line.text.strip() for line in self.lines[head : self.stack]),
            frames=tuple(reversed(frames) if self.is_dump else frames),
            before=self.before,
            after=tuple(self.after),
            is_traceback=self.is_traceback,
            level=self.lines[head].level or self.lines[0].level or self.announced_level,
            is_ignored=self.is_ignored or is_manual(self.lines[0].text, [line.text for line in self.before], frames),
            is_late=self.entry is not None and self.entry.number > 0,
            since=self.since,
            is_cut=self.is_cut,
            connector=self.connector,
        )


class EventGrouper:
    """Puts the lines of one source together; events leave it when the lines below them have come."""

    def __init__(self) -> None:
        self._open: dict[Lane, _Draft] = {}
        self._ended: dict[Lane, list[_Draft]] = {}  # waiting for the lines below them
        self._waiting = 0  # how many those are
        self._ignored: dict[Lane, int] = {}  # number of the line that announced that an exception was thrown away
        self._recent: deque[LogLine] = deque(maxlen=ROWS_BEFORE_TRACEBACK)
        self._connectors: dict[Lane, LogLine] = {}  # those that wait for the traceback below them, by writer
        self._times: dict[Lane, str] = {}  # the last ones told, by writer
        self._latest: _Draft | None = None
        self._number = 0

    def feed(self, line: LogLine) -> list[LogEvent]:
        """Takes the next line that was handed on; a gap in the numbers ends everything that is open."""
        is_gap = line.number > self._number + 1 or len(self._open) > STREAMS_LIMIT or self._waiting > STREAMS_LIMIT
        events = self.flush() if is_gap else []
        self._number = max(line.number, line.end)
        for stream in dict.fromkeys((line.stream, Lane())) if self._ended else ():
            events += self._follow(stream, line)
        self._place(line)
        if line.time:
            self._times[line.stream] = line.time
        self._recent.append(line)
        return events

    def flush(self, last: int = 0) -> list[LogEvent]:
        """Ends everything that is open; a traceback that breaks off at the last line of the source, of that number, is an event too."""
        for draft in list(self._open.values()):
            draft.is_cut = (
                draft.is_traceback and draft.head is None and bool(draft.frames) and draft.lines[-1].number == last and is_header(draft.lines[0])
            )
            self._end(draft)
        drafts = [draft for drafts in self._ended.values() for draft in drafts]
        self._ended, self._waiting, self._latest = {}, 0, None
        self._recent.clear()
        self._times.clear()
        self._connectors.clear()
        self._ignored.clear()
        return [draft.finished() for draft in sorted(drafts, key=lambda draft: draft.lines[0].number) if not draft.is_told]

    def settle(self) -> list[LogEvent]:
        """For logs that wait: hands on what was complete at the last settling and has not been handed on; it stays open."""
        drafts = [draft for drafts in (*self._ended.values(), list(self._open.values())) for draft in drafts]
        events = []
        for draft in sorted(drafts, key=lambda draft: draft.lines[0].number):
            if draft.is_seen and not draft.is_told and draft.head is not None:
                draft.is_told = True
                events.append(draft.finished())
            draft.is_seen = draft.head is not None
        return events

    @property
    def first_untold(self) -> int | None:
        """The number of the first line of what has not been handed on; None where that is nothing."""
        drafts = [draft for drafts in (*self._ended.values(), list(self._open.values())) for draft in drafts]
        return min((draft.lines[0].number for draft in drafts if not draft.is_told), default=None)

    @property
    def is_inside(self) -> bool:
        """Whether the end of a traceback is still to come."""
        return any(draft.head is None for draft in self._open.values())

    def _follow(self, stream: Lane, line: LogLine) -> list[LogEvent]:
        """Gives a line to the ended events of a writer; returns those that have enough."""
        drafts = self._ended.get(stream, [])
        for draft in drafts:
            draft.after.append(line)
        complete = [draft for draft in drafts if len(draft.after) >= AFTER_LIMIT]
        if complete:
            self._ended[stream] = [draft for draft in drafts if len(draft.after) < AFTER_LIMIT]
            self._waiting -= len(complete)
            if not self._ended[stream]:
                del self._ended[stream]
        return [draft.finished() for draft in complete if not draft.is_told]

    def _place(self, line: LogLine) -> None:
        draft = self._draft_for(line)
        if draft and draft.head is None:
            if self._grow_frames(draft, line):
                return
        elif draft:
            if _continues(draft, line):
                _add(draft, line)
                return
            self._end(draft, line)
        text = line.text
        if self._ended and text.lstrip()[:2] in ("+-", "--"):
            self._note_announced(line)
        if is_connector(text):
            self._connectors[line.stream] = line
            return
        if text.startswith("Exception ignored") and re.match(IGNORED, text):
            self._ignored[line.stream] = line.number
        if is_header(line) or is_frame(text):
            self._start(line, is_traceback=True)
        elif line.kinds & _EVENT_KINDS:
            self._start(line, is_traceback=False)

    def _draft_for(self, line: LogLine) -> _Draft | None:
        draft = self._open.get(line.stream)
        if draft is None and line.stream == Lane() and not line.is_record and self._latest and self._open.get(self._latest.stream) is self._latest:
            return self._latest
        return draft

    def _note_announced(self, line: LogLine) -> None:
        """Takes back an exception that only holds those which this line says are printed below."""
        announced = GROUP_RULE.match(line.text) or re.match(SPAWNED, line.text)
        above = self._ended.get(line.stream) if announced else None
        if above and (above[-1].exception or "").endswith(("ExceptionGroup", "ProcessRaisedException")):
            above[-1].is_ignored = True

    def _grow_frames(self, draft: _Draft, line: LogLine) -> bool:
        """Adds a line to a traceback whose exception line has not come; False where it begins something else.

        A traceback that was cut off, or grows beyond all measure, ends there.
        """
        text = line.text
        if len(draft.lines) >= FRAMES_LIMIT or (draft.frames and is_header(line)):
            self._end(draft)
            return False
        draft.lines.append(line)
        if is_frame(text):
            draft.frames.append([text.strip().removeprefix("> ")])
        elif not text.strip() or is_header(line) or GROUP_RULE.match(text) or _grow_drawn(draft, text):
            pass
        elif INSIDE.match(text if text[: draft.indent].strip() else text[draft.indent :]):
            if draft.frames and len(draft.frames[-1]) == 1 and text.strip(" ^~|"):
                draft.frames[-1].append(text.strip())
        else:
            draft.found_head()
        return True

    def _start(self, line: LogLine, is_traceback: bool) -> None:
        draft = _Draft(line.stream, tuple(self._recent)[-BEFORE_LIMIT:], line, is_traceback=is_traceback)
        if is_traceback and line.text.lstrip().startswith("traceback"):
            draft.entry = next(reversed(failed_ranks(each.text for each in self._recent)), None)
        above = self._recent[-1] if self._recent else None
        is_below = above is not None and above.stream == line.stream and above.number == line.number - 1
        if is_traceback and not is_header(line) and above and is_below and not line.is_record:
            draft.announced_level = above.level
        draft.since = self._times.get(line.stream)
        draft.connector = self._connectors.pop(line.stream, None) if is_traceback else None
        announced = self._ignored.pop(line.stream, None) if is_traceback else None
        draft.is_ignored = announced is not None and line.number - announced <= IGNORED_ABOVE
        if not is_traceback:
            draft.found_head()
        elif not is_header(line):
            draft.frames.append([line.text.strip()])
        self._open[line.stream] = self._latest = draft

    def _end(self, draft: _Draft, below: LogLine | None = None) -> None:
        del self._open[draft.stream]
        if below and below.stream == draft.stream:
            draft.after.append(below)
        while draft.lines and not draft.lines[-1].text.strip() and len(draft.lines) > 1:
            draft.lines.pop()
        if draft.is_cut or draft.head is not None or any(line.kinds & _EVENT_KINDS for line in draft.lines):
            self._ended.setdefault(draft.stream, []).append(draft)
            self._waiting += 1


def _column_of_exception(first: str) -> int:
    """Where the exception line of a traceback stands: below its header, or, where that was cut off, left of its frames."""
    column = len(first) - len(first.lstrip())
    return column if "raceback" in first else max(column - FRAME_INDENT, 0)


def _grow_drawn(draft: _Draft, text: str) -> bool:
    """Adds a line inside rich's box or IPython's traceback; False where it is none."""
    if not (draft.is_box or draft.is_ipython):
        return False
    frame, source = frame_of(text), source_of(text)
    if frame:
        draft.frames.append([frame])
    elif source and draft.frames and len(draft.frames[-1]) == 1:
        draft.frames[-1].append(source)
    if draft.is_box:
        return bool(re.match(BOX_SIDE, text) or re.match(BOX_END, text))
    return bool(frame or source or text[:1] == " ")


def _add(draft: _Draft, line: LogLine) -> None:
    """Adds a line to an event whose head is known."""
    if draft.stack is None and draft.exception and re.match(STACK, line.text):
        draft.stack = len(draft.lines)
    if draft.is_dump and is_frame(line.text):
        draft.frames.append([line.text.strip()])
    draft.lines.append(line)


def _continues(draft: _Draft, line: LogLine) -> bool:
    """Whether a line belongs to the message of an event whose head line is known."""
    head = draft.lines[draft.head or 0]
    length = len(draft.lines) - (draft.head or 0)
    text = line.text
    if length < DUMP_LIMIT and _is_of_known_form(draft, text):
        return True
    if begins_another(line) or (EXCEPTION.match(text.strip()) and not draft.lines[-1].text.rstrip().endswith(":")):
        return False
    if line.is_record and (line.time, line.level) != (head.time, head.level):
        return False
    if text[0] in " \t" and not line.kinds & _EVENT_KINDS:
        return length < TAIL_LIMIT
    is_exception = draft.is_traceback or bool(EXCEPTION.match(head.text.strip()))
    if line.kinds & _EVENT_KINDS:
        return is_exception and length <= LIT_TAIL_LIMIT
    return is_exception and not line.is_record and length < LOOSE_TAIL_LIMIT


def _is_of_known_form(draft: _Draft, text: str) -> bool:
    """Whether a line is of a stack, of a dump, or of a message whose form is known."""
    if draft.is_dump:
        return not text.strip() or bool(re.match(DUMP_LINE, text))
    if draft.kind and re.match(draft.kind.further, text):
        return True
    return (
        draft.exception is not None and ("#" in text or "C++" in text or "call first" in text or "omitting" in text) and bool(re.match(STACK, text))
    )
