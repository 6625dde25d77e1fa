"""From bytes to matches: RawLine, LogLine, LogEvent, Match.

Annotations are evaluated: `NamedTuple` compiles texts one by one, which takes as long as all else
that it does.
"""

from collections.abc import Mapping
from typing import NamedTuple

from logdoctor.model.words import AnchorKind, MatchKind


class Anchor(NamedTuple):
    """Why an expression is searched.

    Attributes:
        owner: for templates and regexes the number of the part in `Automaton.parts`, for markers
            the number of the marker in `MARKERS`, for settings the number of the key in
            `Automaton.settings`; from 0. Else 0.
    """

    kind: AnchorKind
    owner: int


class RawLine(NamedTuple):
    """One line, or one drawing of a progress bar (`\\r`), as bytes without its end.

    Attributes:
        number: counts `\\n` only, from 1; several raw lines may share one.
        anchors: numbers of the anchors in it, ascending, each once; empty for a line that only
            stands near another.
        left_out: how many lines above it, alike but for numbers, were not handed on.
    """

    number: int
    data: bytes
    anchors: tuple[int, ...]
    left_out: int = 0


class Region(NamedTuple):
    """Raw lines (at least one) in the order of the source.

    Attributes:
        lines: successive ones, of which some lit up; where `is_marked_only`, all lit up and others
            may lie between.
        is_marked_only: whether nothing but markers and settings lit up, so that no event can begin
            here.
    """

    lines: tuple[RawLine, ...]
    is_marked_only: bool = False


class Lane(NamedTuple):
    """Who wrote a line, as far as its prefixes tell."""

    host: str | None = None
    rank: int | None = None
    pid: int | None = None
    actor: str | None = None


NOBODY = Lane()
"""The lane of lines whose prefixes tell nothing of their writer."""


class LogLine(NamedTuple):
    """One decoded line.

    Attributes:
        source: name of the source.
        number: as in `RawLine`.
        raw: the text without terminal escapes, as a person sees it.
        text: the text without its prefixes; its indentation is kept.
        lane: who wrote it.
        time: ISO 8601 without zone, `--MM-DDTHH:MM:SS` where the log gives no year, `THH:MM:SS`
            without a date.
        level: `error`, `fatal`, `warning`, `info` or `debug`, where a prefix says so.
        is_record: whether a logger's own prefix (time, level) begins it.
        anchors: as in `RawLine`.
        stream: who wrote it by the transport's prefixes alone, which all lines of a message carry.
        kinds: kinds of its anchors.
        repeats: how many lines it stands for (Ray's `[repeated 7x across cluster]` gives 7), at
            least 1.
        end: number of the last line that it was put together from, where it was cut; else 0 or its
            own number.
        left_out: as in `RawLine`.
    """

    source: str
    number: int
    raw: str
    text: str
    lane: Lane = NOBODY
    stream: Lane = NOBODY
    time: str | None = None
    level: str | None = None
    is_record: bool = False
    anchors: tuple[int, ...] = ()
    kinds: frozenset[AnchorKind] = frozenset()
    repeats: int = 1
    end: int = 0
    left_out: int = 0


class LogEvent(NamedTuple):
    """One message with all its lines; of a chain of exceptions, each is an event.

    Attributes:
        lines: never empty, in the order of the source.
        head: index in `lines` of the line that says what happened (for a traceback the exception
            line).
        exception: type of the exception as printed (`torch.OutOfMemoryError`), if it is one.
        message: text of the head line with the lines that continue it, joined by blanks.
        frames: of a traceback, each `File …` line joined with its source line by a blank; outermost
            first.
        before: up to three lines that precede it, for the reader.
        after: up to three lines that follow it, for the reader, and for messages that were wrapped.
        is_traceback: whether it has frames or a traceback's header.
        level: as in `LogLine`; of a traceback also where the record just above it has one.
        is_ignored: whether it is no error of its own: the interpreter threw it away (`Exception
            ignored in`), or it only holds those that are printed below it (an exception group, what
            torch's spawn raises).
        since: time of the last line that had one before it, by the same writer and near it.
        connector: the line that ties it to the exception before it, where it is one of a chain.
        is_cut: whether it is a traceback that the end of the source cut off before its exception,
            so that not all is known of that; its head is its last line of code.
        is_late: whether the launcher's table, of which it is part, says that another worker failed
            before.
        is_unprinted: whether it is a traceback without an exception line: type and message are
            those that the line of source code raises with which it ends, which is its head.
    """

    lines: tuple[LogLine, ...]
    head: int
    exception: str | None
    message: str
    frames: tuple[str, ...] = ()
    before: tuple[LogLine, ...] = ()
    after: tuple[LogLine, ...] = ()
    is_traceback: bool = False
    level: str | None = None
    is_ignored: bool = False
    is_late: bool = False
    is_cut: bool = False
    since: str | None = None
    connector: LogLine | None = None
    is_unprinted: bool = False

    @property
    def headline(self) -> str:
        """The text of the head line, with the line below where it only announces it (`…
        raised:`); of one that was not printed its message, or else the innermost frame.
        """
        if self.is_unprinted:
            return self.message
        if self.is_cut:
            return self.frames[-1]
        text = self.line.text.strip()
        below = self.lines[self.head + 1 : self.head + 2]
        return f"{text} {below[0].text.strip()}" if text.endswith(":") and below else text

    @property
    def line(self) -> LogLine:
        """The line that says what happened."""
        return self.lines[self.head]


class Match(NamedTuple):
    """An event recognised as a signature.

    Attributes:
        event: what was recognised.
        line: the line of it that proves the match.
        signature_id: id of the signature whose pattern it was.
        kind: exact where every character of a pattern is there.
        score: 1 minus the share of characters that differ.
        captures: values of the slots and named groups, by name.
        weight: number of literal characters that were recognised; the longer, the more specific.
        quote: the beginning of the recognised text, white space reduced.
        is_own_text: whether the recognised text is one that not every program may print; told of
            signatures of frameworks only.
        patterns: names of the patterns that fit, the best first; most have none.
        is_unread: whether captures and quote are those of another event, with other digits.
    """

    event: LogEvent
    line: LogLine
    signature_id: str
    kind: MatchKind
    score: float
    captures: Mapping[str, str]
    weight: int
    quote: str = ""
    is_own_text: bool = False
    patterns: tuple[str, ...] = ()
    is_unread: bool = False
