"""Raw lines to log lines: LineReader. Never raises: bad bytes become U+FFFD."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from logdoctor.formats.common_prefixes import CommonPrefix, carriers, common_prefix
from logdoctor.formats.envelopes import Opened, open_envelope, split_flattened
from logdoctor.formats.error_lines import HEADER_TEXT
from logdoctor.formats.line_widths import Unwrapper
from logdoctor.formats.prefixes import Cut, Stripped, find_cut, iso_time, strip_prefixes
from logdoctor.model import AnchorKind, LogLine, RawLine, Region
from logdoctor.texts.digits import bytes_without_digits
from logdoctor.texts.masking import in_typescript, parts_between_escapes, without_escapes

Searcher = Callable[[bytes], tuple[int, ...]]
"""Finds the anchors in a text: their numbers, ascending, each once."""

KindsOf = Callable[[tuple[int, ...]], frozenset[AnchorKind]]
"""Kinds of anchors, by their numbers."""

PARTS_LIMIT = 1 << 20
"""Characters of a line that comes in parts."""

HOSTS_LIMIT = 4096
"""Hosts that are known by their prefix."""

REMEMBERED_LENGTH, REMEMBERED_LIMIT = 1024, 2048
"""Bytes of a line beyond which it is not remembered how it is read, and how many forms of lines
are.
"""


class _Form(NamedTuple):
    """How lines are read that differ in digits only.

    Attributes:
        kept: parts of the decoded line that are no escapes; None where there are none in it.
        is_single: whether it is one line, not an envelope of others, nor several that lost their
            ends.
        cut: where its prefixes stand.
    """

    kept: tuple[slice, ...] | None
    is_single: bool
    cut: Cut | None

    def text(self, data: bytes) -> str:
        """A line of this form, decoded and without escapes."""
        text = data.decode("utf-8", errors="replace")
        return text if self.kept is None else "".join([text[part] for part in self.kept])


class LineReader:
    """Reads the lines of one source. Those that were cut or put into another format are put
    together and searched again.
    """

    def __init__(self, source: str, search: Searcher, kinds_of: KindsOf) -> None:
        self._source = source
        self._search = search
        self._kinds_of = kinds_of
        self._unwrapper = Unwrapper()
        self._hosts: set[str] = set()  # those that stand before lines as `host: `
        # by channel: number of the first part, and the text so far
        self._parts: dict[str, tuple[int, str]] = {}

    def read(self, region: Region) -> Iterator[LogLine]:
        """The lines of the next region, in order."""
        if region.is_marked_only:
            yield from map(self._marked, region.lines)
            return
        forms = [
            _form_of(bytes_without_digits(raw.data)) if len(raw.data) <= REMEMBERED_LENGTH else None
            for raw in region.lines
        ]
        texts = [
            form.text(raw.data) if form else _decoded(raw.data)
            for form, raw in zip(forms, region.lines, strict=True)
        ]
        if not all(map(str.isascii, texts)):
            lines = tuple(map(self._in_typescript, region.lines, texts))
            region = region._replace(lines=lines)
        if len(self._hosts) < HOSTS_LIMIT:
            self._hosts |= carriers(texts)
        prefix = common_prefix(texts)
        if prefix:
            yield from self._behind(prefix, region, texts)
        elif self._unwrapper.takes(texts):
            yield from self._joined(region, forms, texts)
        else:
            for raw, form, text in zip(region.lines, forms, texts, strict=True):
                if form and form.is_single:
                    yield self._line(raw, text.rstrip(), raw.number, form)
                else:
                    yield from self._lines(raw, text, raw.number)
        unfinished, self._parts = self._parts, {}
        for number, text in unfinished.values():
            yield from self._opened(Opened(text), number, region.lines[-1].number)

    def _in_typescript(self, raw: RawLine, text: str) -> RawLine:
        """The line with the anchors that it had before somebody's editor made its quotes pretty."""
        typed = in_typescript(text)
        if typed == text:
            return raw
        anchors = {*raw.anchors, *self._search(typed.encode())}
        return raw._replace(anchors=tuple(sorted(anchors)))

    def _behind(self, prefix: CommonPrefix, region: Region, texts: list[str]) -> Iterator[LogLine]:
        """The lines of a region that have a prefix in common, without it."""
        for raw, text in zip(region.lines, texts, strict=True):
            found = prefix.applied(text.rstrip())
            if found is None:
                yield from self._lines(raw, text, raw.number)
                continue
            anchors = tuple(sorted({*raw.anchors, *self._search(found.text.encode())}))
            kinds = self._kinds_of(anchors)
            yield LogLine(
                self._source,
                raw.number,
                text.rstrip(),
                *found[:-1],
                anchors,
                kinds,
                found.repeats,
                raw.number,
                raw.left_out,
            )

    def _joined(
        self, region: Region, forms: Sequence[_Form | None], texts: Sequence[str]
    ) -> Iterator[LogLine]:
        """The lines where some were cut at a terminal's width."""
        for pieces in self._unwrapper.join(texts):
            first = pieces[0]
            raw, text, form = region.lines[first], texts[first], forms[first]
            if len(pieces) > 1:
                text = "".join(texts[i] for i in pieces)
                raw = RawLine(raw.number, b"", self._search(text.encode()))
            elif form and form.is_single:
                yield self._line(raw, text.rstrip(), raw.number, form)
                continue
            yield from self._lines(raw, text, region.lines[pieces[-1]].number)

    def _marked(self, raw: RawLine) -> LogLine:
        """A line that only tells about the run; its prefixes stay."""
        text = without_escapes(raw.data.decode("utf-8", errors="replace"))
        return LogLine(
            self._source,
            raw.number,
            text,
            text,
            anchors=raw.anchors,
            kinds=self._kinds_of(raw.anchors),
        )

    def _lines(self, raw: RawLine, text: str, end: int) -> Iterator[LogLine]:
        is_part = _may_be_part(text) and (" P" in text[:60] or bool(self._parts))
        # before blanks at a part's end are taken off
        opened = open_envelope(text) if text[:1] == "{" or is_part else None
        text = text.rstrip()
        if opened:
            yield from self._opened(opened, raw.number, end)
        elif _is_flattened(text):
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
                    each._replace(host=each.host or opened.host, actor=each.actor or opened.actor)
                    if opened.host or opened.actor
                    else each
                    for each in (line.lane, line.stream)
                )
                time = line.time or (iso_time(opened.time) if opened.time else None)
                yield line._replace(
                    lane=lane, stream=stream, time=time, level=line.level or opened.level
                )

    def _split(self, parts: list[str], raw: RawLine, end: int) -> Iterator[LogLine]:
        if len(parts) == 1:
            yield self._line(raw, parts[0], end)
            return
        first = self._line(RawLine(raw.number, b"", self._search(parts[0].encode())), parts[0], end)
        yield first
        for part in parts[1:]:
            anchors = self._search(part.encode())
            yield first._replace(
                raw=part, text=part, is_record=False, anchors=anchors, kinds=self._kinds_of(anchors)
            )

    def _line(self, raw: RawLine, text: str, end: int, form: _Form | None = None) -> LogLine:
        if form and form.cut is None and not self._hosts:
            kinds = self._kinds_of(raw.anchors)
            return LogLine(
                self._source,
                raw.number,
                text,
                text,
                anchors=raw.anchors,
                kinds=kinds,
                end=end,
                left_out=raw.left_out,
            )
        stripped = self._stripped(text, form)
        return LogLine(
            self._source,
            raw.number,
            text,
            stripped.text,
            stripped.lane,
            stripped.stream,
            stripped.time,
            stripped.level,
            stripped.is_record,
            raw.anchors,
            self._kinds_of(raw.anchors),
            stripped.repeats,
            end,
            raw.left_out,
        )

    def _stripped(self, text: str, form: _Form | None) -> Stripped:
        """The line without its prefixes; `host: ` is one before any text once a line has shown
        that it is.
        """
        stripped = (
            strip_prefixes(text)
            if form is None
            else form.cut.applied(text)
            if form.cut
            else Stripped(text)
        )
        host = stripped.stream.host
        if host:
            if len(self._hosts) < HOSTS_LIMIT and text.startswith(f"{host}: "):
                self._hosts.add(host)
        elif self._hosts and ":" in text:
            host, _, rest = text.partition(":")
            if host in self._hosts:
                inner = strip_prefixes(rest.removeprefix(" "))
                return inner._replace(
                    lane=inner.lane._replace(host=host), stream=inner.stream._replace(host=host)
                )
        return stripped


@lru_cache(maxsize=REMEMBERED_LIMIT)
def _form_of(shape: bytes) -> _Form | None:
    """The form of lines of this shape, if they have one: no digit is told from another, neither
    here nor in the tables of prefixes.
    """
    if b"\0" in shape:
        return None
    decoded = shape.decode("utf-8", errors="replace")
    text = without_escapes(decoded)
    rest = text.rstrip()
    is_single = not (text[:1] == "{" or _may_be_part(text) or _is_flattened(rest))
    return _Form(
        None if text == decoded else tuple(parts_between_escapes(decoded)),
        is_single,
        find_cut(rest) if is_single else None,
    )


def _may_be_part(text: str) -> bool:
    return " std" in text[:50]


def _is_flattened(text: str) -> bool:
    return HEADER_TEXT in text and not text.endswith(HEADER_TEXT)


def _decoded(data: bytes) -> str:
    return without_escapes(data.decode("utf-8", errors="replace").replace("\0", ""))
