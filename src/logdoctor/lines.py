"""Raw lines to log lines: LineReader. Never raises: bad bytes become U+FFFD."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from logdoctor.envelopes import Opened, open_envelope, split_flattened
from logdoctor.model import AnchorKind, LogLine, RawLine, Region
from logdoctor.normalize import without_escapes
from logdoctor.prefixes import Stripped, iso_time, strip_prefixes
from logdoctor.wraps import Unwrapper

Searcher = Callable[[bytes], tuple[int, ...]]
"""Finds the anchors in a text: their numbers, ascending, each once."""

KindsOf = Callable[[tuple[int, ...]], frozenset[AnchorKind]]
"""Kinds of anchors, by their numbers."""

PARTS_LIMIT = 1 << 20
"""Characters of a line that comes in parts."""

HOSTS_LIMIT = 4096
"""Hosts that are known by their prefix."""

_HEADER = "Traceback (most recent call last):"


class LineReader:
    """Reads the lines of one source. Those that were cut or put into another format are put together and searched again."""

    def __init__(self, source: str, search: Searcher, kinds_of: KindsOf) -> None:
        self._source = source
        self._search = search
        self._kinds_of = kinds_of
        self._unwrapper = Unwrapper()
        self._hosts: set[str] = set()  # those that stand before lines as `host: `
        self._parts: dict[str, tuple[int, str]] = {}  # by channel: number of the first part, and the text so far

    def read(self, region: Region) -> Iterator[LogLine]:
        """The lines of the next region, in order."""
        if region.is_marked_only:
            yield from map(self._marked, region.lines)
            return
        texts = [_decoded(raw.data) for raw in region.lines]
        for pieces in self._unwrapper.join(texts):
            raw, text = region.lines[pieces[0]], texts[pieces[0]]
            if len(pieces) > 1:
                text = "".join(texts[i] for i in pieces)
                raw = RawLine(raw.number, b"", self._search(text.encode()))
            yield from self._lines(raw, text, region.lines[pieces[-1]].number)
        unfinished, self._parts = self._parts, {}
        for number, text in unfinished.values():
            yield from self._opened(Opened(text), number, region.lines[-1].number)

    def _marked(self, raw: RawLine) -> LogLine:
        """A line that only tells about the run; its prefixes stay."""
        text = without_escapes(raw.data.decode("utf-8", errors="replace"))
        return LogLine(self._source, raw.number, text, text, anchors=raw.anchors, kinds=self._kinds_of(raw.anchors))

    def _lines(self, raw: RawLine, text: str, end: int) -> Iterator[LogLine]:
        is_part = " std" in text[:50] and (" P" in text[:60] or bool(self._parts))
        opened = open_envelope(text) if text[:1] == "{" or is_part else None  # before blanks at a part's end are taken off
        text = text.rstrip()
        if opened:
            yield from self._opened(opened, raw.number, end)
        elif _HEADER in text and not text.endswith(_HEADER):
            yield from self._split(split_flattened(text), raw, end)
        else:
            yield self._line(raw, text, end)

    def _opened(self, opened: Opened, number: int, end: int) -> Iterator[LogLine]:
        text = opened.text
        if opened.channel is not None:
            number, before = self._parts.pop(opened.channel, (number, ""))
            text = before + text
            if opened.is_partial and len(text) < PARTS_LIMIT:
                self._parts[opened.channel] = (number, text)
                return
        for row in text.split("\n"):
            for part in split_flattened(row.rstrip()):
                line = self._line(RawLine(number, b"", self._search(part.encode())), part, end)
                lane, stream = (
                    each._replace(host=each.host or opened.host, actor=each.actor or opened.actor) if opened.host or opened.actor else each
                    for each in (line.lane, line.stream)
                )
                time = line.time or (iso_time(opened.time) if opened.time else None)
                yield line._replace(lane=lane, stream=stream, time=time, level=line.level or opened.level)

    def _split(self, parts: list[str], raw: RawLine, end: int) -> Iterator[LogLine]:
        if len(parts) == 1:
            yield self._line(raw, parts[0], end)
            return
        first = self._line(RawLine(raw.number, b"", self._search(parts[0].encode())), parts[0], end)
        yield first
        for part in parts[1:]:
            anchors = self._search(part.encode())
            yield first._replace(raw=part, text=part, is_record=False, anchors=anchors, kinds=self._kinds_of(anchors))

    def _line(self, raw: RawLine, text: str, end: int) -> LogLine:
        stripped = self._stripped(text)
        return LogLine(
            source=self._source,
            number=raw.number,
            raw=text,
            text=stripped.text,
            lane=stripped.lane,
            stream=stripped.stream,
            time=stripped.time,
            level=stripped.level,
            is_record=stripped.is_record,
            anchors=raw.anchors,
            kinds=self._kinds_of(raw.anchors),
            repeats=stripped.repeats,
            end=end,
            left_out=raw.left_out,
        )

    def _stripped(self, text: str) -> Stripped:
        """The line without its prefixes; `host: ` is one before any text once a line has shown that it is."""
        stripped = strip_prefixes(text)
        host = stripped.stream.host
        if host:
            if len(self._hosts) < HOSTS_LIMIT and text.startswith(f"{host}: "):
                self._hosts.add(host)
        elif self._hosts and ":" in text:
            host, _, rest = text.partition(":")
            if host in self._hosts:
                inner = strip_prefixes(rest.removeprefix(" "))
                return inner._replace(lane=inner.lane._replace(host=host), stream=inner.stream._replace(host=host))
        return stripped


def _decoded(data: bytes) -> str:
    return without_escapes(data.decode("utf-8", errors="replace").replace("\0", ""))
