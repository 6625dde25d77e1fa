"""Log lines to events: EventGrouper.

A push machine. A traceback is one event from its header to the end of its message, also where other
writers' lines stand between its own; each exception of a chain is an event. A line that lights up
outside a traceback is an event with the indented lines below it. An exception that was printed
above its traceback, because another stream was flushed first, is one event with it; one that only
carries an exception of another process or thread is none beside it.
"""

from __future__ import annotations

import re
from collections import deque
from itertools import chain

from logdoctor.events.open_event import EVENT_KINDS, Draft
from logdoctor.formats.error_lines import BEGINS_EXCEPTION
from logdoctor.formats.message_shapes import (
    GROUP_RULE,
    INSIDE,
    REST_OF_FRAME,
    SPAWNED,
    Look,
    is_named,
    look_of,
    raised_type,
)
from logdoctor.formats.torchrun_tables import ROWS_BEFORE_TRACEBACK, failed_ranks
from logdoctor.model import NOBODY, AnchorKind, Lane, LogEvent, LogLine

FRAMES_LIMIT = 4000
"""Lines of a traceback before it is given up waiting for its exception line."""

DOTTED_TYPE = re.compile(r"(?:[A-Za-z_]\w*\.)+[A-Z]\w*: ")
"""An exception whose name does not end as those of exceptions do, but tells its module."""

IGNORED_ABOVE = 4
"""Lines that may stand between the announcement that an exception is thrown away and its
traceback.
"""

CALL_STACK = "Call stack:"
"""What logging prints above the frames that called it, where it could not write a record
(logging/__init__.py, handleError).
"""

REST_BELOW = 40
"""Lines within which the rest of such a traceback stands, where another process broke in with
its own.
"""

ABOVE_LIMIT = 24
"""Lines above an event by which it is told whether anybody said it: what a docstring lists."""

AFTER_LIMIT = 3
"""Lines below an event that are kept with it."""

STREAMS_LIMIT = 4096
"""Writers whose messages may be open at once; beyond, all are ended."""


class EventGrouper:
    """Puts the lines of one source together; events leave it when the lines below them have
    come.
    """

    def __init__(self) -> None:
        self._open: dict[Lane, Draft] = {}
        self._ended: dict[Lane, list[Draft]] = {}  # waiting for the lines below them
        self._waiting = 0  # how many those are
        # number of the line that announced that an exception was thrown away
        self._ignored: dict[Lane, int] = {}
        # number of the line that broke into a traceback whose exception was thrown away
        self._broken: dict[Lane, int] = {}
        self._recent: deque[LogLine] = deque(maxlen=ABOVE_LIMIT)
        # those that wait for the traceback below them, by writer
        self._connectors: dict[Lane, LogLine] = {}
        self._times: dict[Lane, str] = {}  # the last ones told, by writer
        self._latest: Draft | None = None
        self._number = 0

    def feed(self, line: LogLine) -> list[LogEvent]:
        """Takes the next line that was handed on; a gap in the numbers ends everything that is
        open.
        """
        is_gap = (
            line.number > self._number + 1 + line.left_out
            or len(self._open) > STREAMS_LIMIT
            or self._waiting > STREAMS_LIMIT
        )
        events = self.flush() if is_gap else []
        self._number = max(line.number, line.end)
        if self._ended:
            for stream in (line.stream, NOBODY) if line.stream != NOBODY else (NOBODY,):
                if stream in self._ended:
                    events += self._follow(stream, line)
        self._place(line)
        if line.time:
            self._times[line.stream] = line.time
        self._recent.append(line)
        return events

    def flush(self, last: int = 0) -> list[LogEvent]:
        """Ends everything that is open; a traceback that breaks off at the last line of the
        source, of that number, is an event too.
        """
        for draft in list(self._open.values()):
            draft.is_cut = not _lacks_only_what_stands_above(draft) and (
                draft.is_traceback
                and draft.head is None
                and bool(draft.frames)
                and draft.lines[-1].number == last
                and _is_open_at_its_end(draft)
            )
            self._end(draft)
        drafts = self._drafts()
        self._ended, self._waiting, self._latest = {}, 0, None
        self._recent.clear()
        self._times.clear()
        self._connectors.clear()
        self._ignored.clear()
        self._broken.clear()
        return [draft.finished() for draft in drafts]

    @property
    def standing(self) -> list[LogEvent]:
        """For logs that wait: what is open and stands complete, though it may go on."""
        return [draft.finished() for draft in self._drafts() if not draft.is_awaited]

    @property
    def first_awaited(self) -> int | None:
        """The number of the first line of what is not complete; None where that is nothing."""
        return next((draft.lines[0].number for draft in self._drafts() if draft.is_awaited), None)

    @property
    def is_inside(self) -> bool:
        """Whether the end of a traceback is still to come."""
        return any(draft.head is None for draft in self._open.values())

    def _drafts(self) -> list[Draft]:
        held = (each.said_above for each in self._open.values() if each.said_above)
        drafts = chain(held, chain.from_iterable(self._ended.values()), self._open.values())
        return sorted(drafts, key=lambda draft: draft.lines[0].number)

    def _follow(self, stream: Lane, line: LogLine) -> list[LogEvent]:
        """Gives a line to the ended events of a writer; returns those that have enough."""
        drafts = self._ended[stream]
        for draft in drafts:
            if len(draft.after) < AFTER_LIMIT:
                draft.after.append(line)
        complete = [draft for draft in drafts if len(draft.after) >= AFTER_LIMIT]
        if complete:
            self._ended[stream] = [draft for draft in drafts if len(draft.after) < AFTER_LIMIT]
            self._waiting -= len(complete)
            if not self._ended[stream]:
                del self._ended[stream]
        return [draft.finished() for draft in complete]

    def _place(self, line: LogLine) -> None:
        draft, look = self._draft_for(line), look_of(line.text)
        if draft and draft.is_awaiting(look):
            if self._grow_frames(draft, line, look):
                return
        elif draft:
            if draft.continues(line, look):
                # copies above it that were left out are no events of their own either
                draft.add(line._replace(left_out=0) if line.left_out else line)
                return
            self._end(draft, line)
        if look.is_announcing and self._ended:
            self._note_announced(line)
        if look.is_connector:
            self._connectors[line.stream] = line
            return
        if look.is_ignoring:
            self._ignored[line.stream] = line.number
        if look.is_frame or look.is_drawn or _is_header(line, look):
            self._start(line, look, is_traceback=True)
        elif line.kinds & EVENT_KINDS:
            self._start(line, look, is_traceback=False)

    def _draft_for(self, line: LogLine) -> Draft | None:
        draft = self._open.get(line.stream)
        if (
            draft is None
            and self._latest
            and _is_anybodys(line)
            and self._open.get(self._latest.stream) is self._latest
        ):
            return self._latest
        return draft

    def _note_announced(self, line: LogLine) -> None:
        """Takes back an exception that only holds those which this line says are printed below."""
        announced = GROUP_RULE.match(line.text) or re.match(SPAWNED, line.text)
        above = self._ended.get(line.stream) if announced else None
        if above and (above[-1].exception or "").endswith(
            ("ExceptionGroup", "ProcessRaisedException")
        ):
            above[-1].is_ignored = True

    def _grow_frames(self, draft: Draft, line: LogLine, look: Look) -> bool:
        """Adds a line to a traceback whose exception line has not come; False where it begins
        something else.

        A traceback that was cut off, or grows beyond all measure, ends there.
        """
        text, is_header = line.text, _is_header(line, look)
        if len(draft.lines) >= FRAMES_LIMIT or ((is_header or look.is_ignoring) and draft.frames):
            if draft.is_ignored and look.is_ignoring:
                self._broken[line.stream] = line.number
            self._end(draft)
            return False
        is_source = draft.awaits_source and look.says and not (line.is_record or look.is_typed)
        draft.lines.append(line)
        if draft.look.is_frame and not is_source and draft.frames and REST_OF_FRAME.match(text):
            draft.frames[-1][-1] += text
            return True
        draft.note_look(look)
        if look.is_frame:
            draft.frames.append([text.strip().removeprefix("> ")])
        elif is_source:
            draft.frames[-1].append(text.strip())
        elif look.is_blank or is_header or look.is_rule or draft.grow_drawn(text):
            pass
        elif draft.is_unproven:
            return self._grow_unproven(draft, line, look)
        elif (
            look.is_inside
            if not draft.indent
            else INSIDE.match(text if text[: draft.indent].strip() else text[draft.indent :])
        ):
            if look.says and draft.frames and len(draft.frames[-1]) == 1:
                draft.frames[-1].append(text.strip())
        else:
            return self._find_head(draft, line, look)
        return True

    def _find_head(self, draft: Draft, line: LogLine, look: Look) -> bool:
        """Takes the line with which a traceback ends as its exception, unless that is told by
        what stands above it, or by its last line of code, and this is another message; or it is
        what is left of frames.
        """
        if draft.lost_its_frames and not (look.is_exception or DOTTED_TYPE.match(line.text)):
            return True
        if (_lacks_only_what_stands_above(draft) or draft.raised) and not _may_end(
            draft, line, look
        ):
            draft.lines.pop()
            self._end(draft, line)
            return False
        draft.found_head()
        return True

    def _grow_unproven(self, draft: Draft, line: LogLine, look: Look) -> bool:
        """Takes what stands below a drawn traceback without a header: its exception, or else
        something of its own.
        """
        if look.is_exception or DOTTED_TYPE.match(line.text):
            draft.found_head()
            return True
        draft.lines.pop()
        self._end(draft)
        return False

    def _start(self, line: LogLine, look: Look, *, is_traceback: bool) -> None:
        is_header = _is_header(line, look)
        recent = tuple(self._recent)
        draft = Draft(line.stream, recent, line, is_traceback=is_traceback)
        if is_traceback and line.text.lstrip().startswith("traceback"):
            rows = (each.text for each in recent[-ROWS_BEFORE_TRACEBACK:])
            draft.entry = next(reversed(failed_ranks(rows)), None)
        above = recent[-1] if recent else None
        is_below = (
            above is not None and above.stream == line.stream and above.number == line.number - 1
        )
        if is_traceback and not is_header and above and is_below and not line.is_record:
            draft.announced_level = above.level
        draft.since = self._times.get(line.stream)
        draft.connector = self._connectors.pop(line.stream, None) if is_traceback else None
        announced = self._ignored.pop(line.stream, None) if is_traceback else None
        draft.is_ignored = announced is not None and line.number - announced <= IGNORED_ABOVE
        if (
            is_traceback
            and not is_header
            and line.number - self._broken.pop(line.stream, -REST_BELOW) < REST_BELOW
        ):
            draft.is_ignored = True
        if (
            is_traceback
            and not is_header
            and above
            and is_below
            and above.text.strip() == CALL_STACK
        ):
            draft.is_ignored = True
        if not is_traceback:
            draft.found_head()
        elif look.is_drawn:
            draft.grow_drawn(line.text)
        elif not is_header:
            draft.frames.append([line.text.strip()])
        else:
            draft.said_above = self._taken_from_above(line)
        self._open[line.stream] = self._latest = draft

    def _taken_from_above(self, header: LogLine) -> Draft | None:
        """The exception that stands, without a traceback, directly above a traceback's header, or
        the one that carries what this header says is the original one.
        """
        ended = self._ended.get(header.stream)
        if not ended or not ended[-1].exception:
            return None
        if ended[-1].is_traceback and not ended[-1].carries_what(header.text):
            return None
        if any(line.text.strip() for line in ended[-1].after if line is not header):
            return None
        above = ended.pop()
        self._waiting -= 1
        if not ended:
            del self._ended[header.stream]
        return above

    def _end(self, draft: Draft, below: LogLine | None = None) -> None:
        del self._open[draft.stream]
        if draft.said_above:
            above, draft.said_above = draft.said_above, None
            if draft.head is None and _is_of(above, draft):
                above.take_traceback(draft)
                draft = above
            else:
                above.is_carrier = above.carries_what(draft.lines[0].text)
                above.after = [*above.after, *draft.lines[1:]][:AFTER_LIMIT]
                self._ended.setdefault(draft.stream, []).append(above)
                self._waiting += 1
        if draft.head is None:
            draft.found_in_code()
        # what was wrapped by hand has lost its prefix
        if below and (below.stream == draft.stream or _is_anybodys(below)):
            draft.after.append(below)
        while draft.lines and not draft.lines[-1].text.strip() and len(draft.lines) > 1:
            draft.lines.pop()
        if (
            draft.is_cut
            or draft.head is not None
            or any(line.kinds & EVENT_KINDS for line in draft.lines)
        ):
            self._ended.setdefault(draft.stream, []).append(draft)
            self._waiting += 1


def _is_header(line: LogLine, look: Look) -> bool:
    """Whether a line begins a traceback."""
    return look.is_header or AnchorKind.TRACEBACK in line.kinds


def _is_anybodys(line: LogLine) -> bool:
    """Whether nothing tells who wrote a line, so that it may go on with the one above it."""
    return line.stream == NOBODY and not line.is_record


def _is_open_at_its_end(draft: Draft) -> bool:
    """Whether a traceback without an exception line leaves open what was raised."""
    if draft.raised:
        return not draft.raised.is_whole
    return _is_header(draft.lines[0], look_of(draft.lines[0].text))


def _lacks_only_what_stands_above(draft: Draft) -> bool:
    """Whether a traceback may end without its exception line, because that was printed above."""
    return draft.head is None and draft.said_above is not None and _is_of(draft.said_above, draft)


def _is_of(said: Draft, traceback: Draft) -> bool:
    """Whether an exception may have been raised where a traceback ends."""
    if not traceback.frames:
        return False
    raised = raised_type(" ".join(traceback.frames[-1][1:]))
    return raised is None or raised == (said.exception or "").rpartition(".")[2]


def _may_end(draft: Draft, line: LogLine, look: Look) -> bool:
    """Whether a line may be the exception line of a traceback that may do without one."""
    text, raised = line.text.strip(), draft.raised
    is_anothers = line.is_record and not draft.lines[0].is_record
    type_above = (draft.said_above and draft.said_above.exception) or "\n"
    return not is_anothers and bool(
        look.is_exception
        or DOTTED_TYPE.match(text)
        or text.startswith(type_above)
        or (raised and (is_named(text, raised.type) or re.match(BEGINS_EXCEPTION, text)))
    )
