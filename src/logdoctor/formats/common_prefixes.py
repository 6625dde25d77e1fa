"""Prefixes that no row knows, found by what they stand before: common_prefix.

Whatever carries the lines of a program puts something in front of them: a number, a word in
brackets, a host and a bar, a time of its own. Most lines that stand together have it, and behind it
stands what else only begins a line: the header or a frame of a traceback, an exception. A host that
is no more than a name has also lines between which others stand that have none: carriers.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from logdoctor.formats.error_lines import BEGINS_EXCEPTION, ENDINGS, OTHER_ENDINGS
from logdoctor.formats.levels import LEVEL, level_named
from logdoctor.formats.prefixes import Stripped, strip_prefixes

LINES_SEEN = 200
"""First lines that stand together which are asked whether they have a prefix in common."""

LENGTH_SEEN = 300
"""Characters of them that are looked at."""

SHARE = 0.6
"""Of the lines that are not blank, how many have it: another process may write between them."""

DEPTH = 3
"""Unknown prefixes that may stand one behind the other."""

_NAME = rf"(?!{BEGINS_EXCEPTION}:)([A-Za-z][\w.-]{{0,62}}):(?: |$)"
"""What pdsh, srun and mpirun put before the lines of a host, whatever its name but that of an
exception. Keys of a listing look the same, and come once.
"""

_KINDS = (
    r"\[[^\[\]\n]{1,60}\]:?(?: |$)",
    r"\([^()\n]{1,60}\):?(?: |$)",
    r"<[^<>\n]{1,60}>:?(?: |$)",
    r"[^\s|]{1,60}(?: [^\s|]{1,40})? ?\|(?: |$)",
    r"[^\t\n]{0,60}\t",
    rf"{LEVEL} +",
    r"[A-Z][a-z]{2} [ \d]?\d \d\d:\d\d:\d\d(?:[.,]\d+)?:?(?: |$)",
    r"\+?\d[\d:.,/T+-]{0,40}(?:Z|[mu]?s)?(?: ?[AP]M)?[:>]?(?: -)?(?: |$)",
    r"\d{1,4}[-/][A-Za-z]{3}[-/]\d{2,4}[ :T]\d\d:\d\d:\d\d\S{0,10}(?: |$)",
    r"\[[^\[\]\n]{1,60}\]:?(?=\S|  )",
    r"[^\s|]{1,60}\|(?=\S|  )",
    r"(?=[^\s:>]*\d)[^\s:>\"'()]{1,40}(?::|>{1,2})(?: |$)",
    _NAME,
)
"""Forms of prefixes; of those that fit as many lines, the first counts."""

_BEGINS = (
    r"Traceback \(most recent call last\)|  File \"[^\"]{1,400}\", line \d"
    rf"|(?!\w*(?:Warning|Error handling)){BEGINS_EXCEPTION}(?:\([\w.]+\))?:(?: |$)"
    r"|Fatal Python error|terminate called after"
)
"""What only begins a line."""

_SAYS = (
    rf"Traceback \(most recent|File \"[^\"]{{1,400}}\", line \d|{BEGINS_EXCEPTION}(?:\([\w.]+\))?:"
    r"|Fatal Python error|terminate called after"
)

_WORDS_OF_SAYS = (
    "Traceback (most recent",
    'File "',
    *ENDINGS,
    *OTHER_ENDINGS,
    "Fatal Python error",
    "terminate called after",
)
"""Texts of which each line that says so has one; they are found many times as fast."""


class CommonPrefix(NamedTuple):
    """Forms of prefixes, outermost first, between which known ones may stand.

    Attributes:
        names_writers: whether it tells writers apart: a few texts that come again.
    """

    forms: tuple[str, ...]
    names_writers: bool

    def applied(self, text: str) -> Stripped | None:
        """A line without them, and what they and the known ones say; None where it has not all of
        them.
        """
        found, said = strip_prefixes(text), ""
        for form in self.forms:
            prefix = re.match(form, found.text)
            if prefix is None:
                return None
            said = said or prefix[0]
            found = _joined(found, strip_prefixes(found.text[prefix.end() :]))
        if not self.names_writers:
            return found
        if _NAME in self.forms:
            lane, stream = (
                each._replace(host=each.host or _name(said)) for each in (found.lane, found.stream)
            )
            return found._replace(lane=lane, stream=stream)
        lane, stream = (
            each._replace(actor=each.actor or _name(said)) for each in (found.lane, found.stream)
        )
        return found._replace(lane=lane, stream=stream)


def common_prefix(texts: Sequence[str], begins: str = _BEGINS) -> CommonPrefix | None:
    """What most of these lines, which stand together, begin with before what only begins a line
    (`begins`); None where that stands at the beginning, or nothing is in common.
    """
    said = [text[:LENGTH_SEEN] for text in texts[:LINES_SEEN] if text.strip()]
    if begins is _BEGINS and not _is_said(said):
        return None
    rests = [strip_prefixes(text).text for text in said]
    if any(re.match(begins, rest) for rest in rests):
        return None
    for forms in _forms(rests, len(rests) * SHARE, (), begins):
        prefix = CommonPrefix(forms, names_writers=False)
        names = [found[0] for rest in rests if (found := re.match(forms[0], rest))]
        is_writer = 1 < len(set(names)) <= len(names) / 2
        return prefix._replace(names_writers=is_writer)
    return None


def carriers(texts: Sequence[str]) -> frozenset[str]:
    """The names that stand as `name: ` before a frame of a traceback, or before the rank of who
    writes.
    """
    found = set()
    for text in texts:
        named = re.match(_NAME, text) if 'File "' in text or ": [" in text[:80] else None
        if named and named[1] not in found and not level_named(named[1].upper()):
            rest = text[named.end() :]
            is_rank = rest.startswith("[") and strip_prefixes(rest).stream.rank is not None
            if is_rank or rest.startswith('  File "'):
                found.add(named[1])
    return frozenset(found)


def _is_said(texts: Sequence[str]) -> bool:
    """Whether one of them holds what only begins a line."""
    together = "\n".join(texts)
    words = [word for word in _WORDS_OF_SAYS if word in together]
    return any(
        re.search(_SAYS, text) for text in texts if words and any(map(text.__contains__, words))
    )


def _forms(
    rests: Sequence[str], least: float, before: tuple[str, ...], begins: str
) -> Iterator[tuple[str, ...]]:
    """Forms behind which something stands that only begins a line."""
    further = []
    for form in _KINDS:
        found = [(re.match(form, rest), rest) for rest in rests]
        behind = [strip_prefixes(rest[each.end() :]).text for each, rest in found if each]
        if len(behind) < max(least, 1):
            continue
        names = {each[0] for each, _ in found if each}
        if form is _NAME and len(names) > len(behind) / 2:
            continue
        if any(re.match(begins, text) for text in behind):
            yield (*before, form)
        further.append((form, behind))
    if len(before) + 1 < DEPTH:
        for form, behind in further:
            yield from _forms([each for each in behind if each], least, (*before, form), begins)


def _joined(outer: Stripped, inner: Stripped) -> Stripped:
    """What both say; where both do, the outer one counts."""
    lane, stream = (
        one._replace(
            **{name: value for name, value in other._asdict().items() if value is not None}
        )
        for one, other in ((inner.lane, outer.lane), (inner.stream, outer.stream))
    )
    return inner._replace(
        lane=lane,
        stream=stream,
        time=outer.time or inner.time,
        level=outer.level or inner.level,
        is_record=outer.is_record or inner.is_record,
        repeats=max(outer.repeats, inner.repeats),
    )


def _name(said: str) -> str | None:
    return said.strip(" \t[]()<>|:") or None
