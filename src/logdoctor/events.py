"""Log lines to events: EventGrouper.

A push machine. A traceback is one event from its header to the end of its message, also where other writers' lines stand
between its own; each exception of a chain is an event. A line that lights up outside a traceback is an event with the
indented lines below it.
"""

from __future__ import annotations

import re
from collections import deque

from logdoctor.model import AnchorKind, Lane, LogEvent, LogLine

FRAMES_LIMIT = 400
"""Lines of a traceback before it is given up waiting for its exception line."""

TAIL_LIMIT = 30
"""Lines that a message may go on for when they are indented."""

LOOSE_TAIL_LIMIT = 10
"""Lines that an exception's message may go on for when they are not."""

LIT_TAIL_LIMIT = 3
"""Lines below an exception line that belong to it even where they light up themselves."""

AFTER_LIMIT = 3
"""Lines below an event that are kept with it."""

STREAMS_LIMIT = 4096
"""Writers whose messages may be open at once; beyond, all are ended."""

_HEADER_TEXT = "Traceback (most recent call last):"
_HEADER_LENGTHS = range(len(_HEADER_TEXT) - 4, len(_HEADER_TEXT) + 5)
_HEADER_RATIO = 80  # per cent; a header with four damaged characters has 88
_HEADER = re.compile(r"Traceback \(most recent call last\)")
_FRAME = re.compile(r"\s*(?:[|+] ?)*File .{1,400}, line \d+|\s+.{0,10}\".{1,400}\", ?\w{3,6} ?\w?\d+")
_CONNECTOR = re.compile(r"\s*(?:[|+] ?)*(?:During handling of the above exception|The above exception was the direct cause)")
_INSIDE = re.compile(r"\s|[~^]+$|\.\.\. |\[Previous line repeated|\|")
_TYPE = re.compile(r"(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:\([\w.]+\))?(?=\s*:\s|:?\s*$|:$)")
_EXCEPTION = re.compile(
    r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Timeout|Failure|Fault|Died|Crashed|NotFound|Unavailable|Invalid|Full)"
    r"(?:\([\w.]+\))?(?=\s*:|\s*$)"
)
_WARNING = re.compile(r"(?:\w+\.)*\w*Warning\b")
_OWN_LINE = re.compile(r"\S+: (?:error|fatal|warning)\b", re.IGNORECASE)
_EVENT_KINDS = frozenset({AnchorKind.TEMPLATE, AnchorKind.REGEX, AnchorKind.ERROR})


class _Draft:
    """An event in the making."""

    def __init__(self, stream: Lane, before: tuple[LogLine, ...], first: LogLine, *, is_traceback: bool) -> None:
        self.stream = stream
        self.before = before
        self.lines = [first]
        self.is_traceback = is_traceback
        self.frames: list[list[str]] = []
        self.head: int | None = None
        self.after: list[LogLine] = []
        self.announced_level: str | None = None
        self.is_seen = False  # a settling has passed since it began
        self.is_told = False  # it was handed on and only waits for lines that belong to it

    def finished(self) -> LogEvent:
        head = self.head if self.head is not None else len(self.lines) - 1
        text = self.lines[head].text.strip()
        kind = _EXCEPTION.match(text) or (_TYPE.match(text) if self.is_traceback and self.head is not None else None)
        return LogEvent(
            lines=tuple(self.lines),
            head=head,
            exception=kind[0] if kind and not _WARNING.match(text) else None,
            message=" ".join(line.text.strip() for line in self.lines[head:]),
            frames=tuple(" ".join(frame) for frame in self.frames),
            before=self.before,
            after=tuple(self.after),
            is_traceback=self.is_traceback,
            level=self.lines[head].level or self.lines[0].level or self.announced_level,
        )


class EventGrouper:
    """Puts the lines of one source together; events leave it when the lines below them have come."""

    def __init__(self) -> None:
        self._open: dict[Lane, _Draft] = {}
        self._ended: dict[Lane, list[_Draft]] = {}  # waiting for the lines below them
        self._waiting = 0  # how many those are
        self._recent: deque[LogLine] = deque(maxlen=3)
        self._latest: _Draft | None = None
        self._number = 0

    def feed(self, line: LogLine) -> list[LogEvent]:
        """Takes the next line that was handed on; a gap in the numbers ends everything that is open."""
        is_gap = line.number > self._number + 1 or len(self._open) > STREAMS_LIMIT or self._waiting > STREAMS_LIMIT
        events = self.flush() if is_gap else []
        self._number = line.number
        for stream in dict.fromkeys((line.stream, Lane())) if self._ended else ():
            events += self._follow(stream, line)
        self._place(line)
        self._recent.append(line)
        return events

    def flush(self) -> list[LogEvent]:
        """Ends everything that is open."""
        for draft in list(self._open.values()):
            self._end(draft)
        drafts = [draft for drafts in self._ended.values() for draft in drafts]
        self._ended, self._waiting, self._latest = {}, 0, None
        self._recent.clear()
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
                draft.lines.append(line)
                return
            self._end(draft)
        if _CONNECTOR.match(line.text):
            return
        if _is_header(line) or _FRAME.match(line.text):
            self._start(line, is_traceback=True)
        elif line.kinds & _EVENT_KINDS:
            self._start(line, is_traceback=False)

    def _draft_for(self, line: LogLine) -> _Draft | None:
        draft = self._open.get(line.stream)
        if draft is None and line.stream == Lane() and not line.is_record and self._latest and self._open.get(self._latest.stream) is self._latest:
            return self._latest
        return draft

    def _grow_frames(self, draft: _Draft, line: LogLine) -> bool:
        """Adds a line to a traceback whose exception line has not come; False where it begins something else.

        A traceback that was cut off, or grows beyond all measure, ends there.
        """
        text = line.text
        if len(draft.lines) >= FRAMES_LIMIT or (draft.frames and _is_header(line)):
            self._end(draft)
            return False
        draft.lines.append(line)
        if _FRAME.match(text):
            draft.frames.append([text.strip()])
        elif not text.strip() or _is_header(line):
            pass
        elif _INSIDE.match(text):
            if draft.frames and len(draft.frames[-1]) == 1 and text.strip(" ^~|"):
                draft.frames[-1].append(text.strip())
        else:
            draft.head = len(draft.lines) - 1
        return True

    def _start(self, line: LogLine, is_traceback: bool) -> None:
        draft = _Draft(line.stream, tuple(self._recent), line, is_traceback=is_traceback)
        above = self._recent[-1] if self._recent else None
        if is_traceback and not _is_header(line) and above and above.stream == line.stream and above.number == line.number - 1 and not line.is_record:
            draft.announced_level = above.level
        if not is_traceback:
            draft.head = 0
        elif not _is_header(line):
            draft.frames.append([line.text.strip()])
        self._open[line.stream] = self._latest = draft

    def _end(self, draft: _Draft) -> None:
        del self._open[draft.stream]
        while draft.lines and not draft.lines[-1].text.strip() and len(draft.lines) > 1:
            draft.lines.pop()
        if draft.head is not None or any(line.kinds & _EVENT_KINDS for line in draft.lines):
            self._ended.setdefault(draft.stream, []).append(draft)
            self._waiting += 1


def _is_header(line: LogLine) -> bool:
    if AnchorKind.TRACEBACK in line.kinds or _HEADER.search(line.text):
        return True
    text = line.text.strip()
    return len(text) in _HEADER_LENGTHS and _resembles_header(text)


def _resembles_header(text: str) -> bool:
    from rapidfuzz import fuzz  # noqa: PLC0415  # only damaged headers need it, and its import takes as long as a scan

    return fuzz.ratio(text, _HEADER_TEXT) >= _HEADER_RATIO


def _continues(draft: _Draft, line: LogLine) -> bool:
    """Whether a line belongs to the message of an event whose head line is known."""
    head = draft.lines[draft.head or 0]
    length = len(draft.lines) - (draft.head or 0)
    text = line.text
    if not text.strip() or _is_header(line) or _FRAME.match(text) or _CONNECTOR.match(text) or AnchorKind.MARKER in line.kinds:
        return False
    if line.is_record and (line.time, line.level) != (head.time, head.level):
        return False
    if _EXCEPTION.match(text.strip()) and not draft.lines[-1].text.rstrip().endswith(":"):
        return False
    if text[0] in " \t" and not line.kinds & _EVENT_KINDS:
        return length < TAIL_LIMIT
    is_exception = draft.is_traceback or bool(_EXCEPTION.match(head.text.strip()))
    if line.kinds & _EVENT_KINDS:
        return is_exception and length <= LIT_TAIL_LIMIT and not _OWN_LINE.match(text)
    return is_exception and not line.is_record and length < LOOSE_TAIL_LIMIT
