"""Raw lines to log lines: read_line. Never raises: bad bytes become U+FFFD."""

from __future__ import annotations

from logdoctor.model import AnchorKind, LogLine, RawLine
from logdoctor.normalize import without_escapes
from logdoctor.prefixes import strip_prefixes


def read_marked_line(source: str, raw: RawLine, kinds: frozenset[AnchorKind]) -> LogLine:
    """Decodes a line that only tells about the run; its prefixes stay."""
    text = without_escapes(raw.data.decode("utf-8", errors="replace"))
    return LogLine(source, raw.number, text, text, anchors=raw.anchors, kinds=kinds)


def read_line(source: str, raw: RawLine, kinds: frozenset[AnchorKind]) -> LogLine:
    """Decodes a line and takes its escapes and prefixes off; `kinds` are those of its anchors."""
    text = without_escapes(raw.data.decode("utf-8", errors="replace").replace("\0", "")).rstrip()
    stripped = strip_prefixes(text)
    return LogLine(
        source=source,
        number=raw.number,
        raw=text,
        text=stripped.text,
        lane=stripped.lane,
        stream=stripped.stream,
        time=stripped.time,
        level=stripped.level,
        is_record=stripped.is_record,
        anchors=raw.anchors,
        kinds=kinds,
        repeats=stripped.repeats,
    )
