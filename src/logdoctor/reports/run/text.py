"""Scan result for a person at a terminal: render_text.

In this order: one line that says it all, the evidence, why, what to change, what the log does not
show, what else was seen, what followed. What a screen has no room for is counted; `--all` has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from logdoctor.model import HARMLESS, Diagnosis, LocalText, ScanResult, UnknownError, Verdict
from logdoctor.reports.run.advice import all_remedies, count_left, remedy_parts
from logdoctor.reports.run.fitting import Lines, Part, fitted, fixed
from logdoctor.reports.run.layout import columns, in_lines, sentences, shortened, wrapped
from logdoctor.reports.run.painting import Pen, TextStyle
from logdoctor.reports.run.proof import place_of, proof_part, ranges, reason_lines
from logdoctor.reports.run.time_line import time_line
from logdoctor.reports.run.titles import head_facts, healthy_lines, mark_of, memory_of, title_of
from logdoctor.texts.phrases import Phrase
from logdoctor.texts.phrases import reports as phrases
from logdoctor.texts.phrases.words import VERDICT_NAMES

SCREEN_LINES = 22
"""Lines of a report: what a terminal of 24 shows between the command and the next prompt."""

TITLE_LINES = 2
"""Screen lines that a title may take, where not everything is shown."""

CAUSE_LINES = 2
"""Screen lines of the cause, where there is room for no more."""

MARGINS_COLUMNS = 10
"""Columns of what stands before, between and behind the parts of a problem told in one line."""

DEATHS_SHOWN = 2
"""Earlier programs of the script that died, told on any screen."""

_CURVE, _REMEDIES, _NOTES, _CAUSE, _PROOF, _OTHERS, _FOLLOWED, _TIME_LINE = range(0, 80, 10)
"""Whose turn it is to grow."""

Finding = Diagnosis | UnknownError


class _Listed(NamedTuple):
    """A section of several entries: its heading, and how those that have no room are counted."""

    heading: Phrase
    entries: Sequence[Lines]
    left: Phrase
    turn: int
    least: int = 0  # entries that are shown on any screen

    def part(self, pen: Pen) -> Part:
        head = ("", pen.heading(self.heading))
        forms = [sum(self.entries[:count], head) for count in range(1, len(self.entries) + 1)]
        return Part([(), *forms][self.least :], self.turn)


def render_text(result: ScanResult, style: TextStyle) -> str:
    """The report with a line end; a line or two where nothing is wrong. All that there is to
    say with `show_all`, all findings with `show_why`, else as much as fits a screen.
    """
    pen = Pen(style)
    lines = list(_everything(result, pen) if style.lists_harmless else _screen(result, pen))
    if result.root and style.height and len(lines) >= style.height:
        mark, colour = mark_of(result.root)
        place = f" · {place_of(result.root.evidence[0])}"
        if columns(place) > style.width // 2:
            place = f" · {place.rsplit('/', 1)[-1]}"
        title = shortened(title_of(result.root, pen), style.width - columns(place) - 2)
        lines += ["", pen.paint(f"{mark} {title}", colour, bold=True) + pen.dim(place)]
    return "\n".join(lines) + "\n"


def _screen(result: ScanResult, pen: Pen) -> Iterator[str]:
    root = result.root
    if root is None:
        yield from healthy_lines(result, pen)
        for each in _lists(result, pen):
            yield from each.part(pen).forms[-1]
        return
    listed = list(_lists(result, pen))
    drawing = tuple(time_line(result, pen))
    parts = [*_root_parts(root, result, pen), *(each.part(pen) for each in listed)]
    if drawing:
        parts.append(Part([(), ("", *drawing)], _TIME_LINE))
    harmless = sum(each.verdict in HARMLESS for each in result.others)
    has_rest = bool(listed or drawing or harmless)
    chosen = fitted(parts, SCREEN_LINES - 2 * has_rest)
    for part, form in zip(parts, chosen, strict=True):
        yield from part.forms[form]
    counts = chosen[len(parts) - len(listed) - bool(drawing) :]
    left = [
        pen.say(each.left, count=len(each.entries) - each.least - count)
        for each, count in zip(listed, counts, strict=False)
        if each.least + count < len(each.entries)
    ]
    if harmless:
        left.append(pen.say(phrases.HARMLESS_LEFT, count=harmless))
    if drawing and not chosen[-1]:
        left.append(pen.say(phrases.TIME_LINE_LEFT))
    if left:
        what = pen.say(phrases.LIST_COMMA).join(left)
        yield ""
        yield from map(pen.dim, wrapped(pen.say(phrases.NOT_SHOWN, what=what), pen.style.width))


def _root_parts(root: Finding, result: ScanResult, pen: Pen) -> Iterator[Part]:
    yield fixed([*_title(root, pen, TITLE_LINES), *_head(root, result, pen)])
    yield fixed(tuple(reason_lines(root, pen, "  ")))
    yield proof_part(root, pen, _PROOF)
    yield Part([(), *_curves(root, result, pen)], _CURVE)
    if isinstance(root, UnknownError):
        yield fixed([*_next_steps(root, pen), *_nearest(root, pen)])
        return
    yield _cause(root, pen)
    yield fixed(["", pen.heading(phrases.TRY)])
    yield from remedy_parts(root, pen, _REMEDIES)
    left = count_left(root)
    more = [pen.say(phrases.MORE_REMEDIES, count=left)] if left else []
    more.append(f"logdoctor explain {root.signature.id}")
    yield fixed(["  " + pen.dim(" · ".join(more))])


def _curves(item: Finding, result: ScanResult | None, pen: Pen) -> Sequence[Lines]:
    """The course of the metric that it is about, with its onset: a smaller and a larger drawing,
    if any.
    """
    if result is None or not result.series:
        return ()
    from logdoctor.reports.run import curve  # noqa: PLC0415  # hardly any failure is of numbers

    series = curve.curve_of(item, result)
    sizes = (curve.SMALLEST, curve.SMALL) if series else ()
    return [("", *curve.curve_lines(series, result, size, pen)) for size in sizes if series]


def _cause(root: Diagnosis, pen: Pen) -> Part:
    """Its first lines, its first sentence, the first two, all of them."""
    said = sentences(pen.read(root.cause))
    forms = []
    for count in range(1, len(said) + 1):
        text = "".join(said[:count]).rstrip() + (" …" if count < len(said) else "")
        forms.append(("", *_behind(phrases.WHY, text, pen)))
    if forms and len(forms[0]) > CAUSE_LINES + 1:
        *lines, last = forms[0][: CAUSE_LINES + 1]
        forms.insert(0, (*lines, f"{last.removesuffix(' …')} …"))
    return Part(forms or [()], _CAUSE)


def _behind(heading: Phrase, text: str, pen: Pen) -> Iterator[str]:
    """A text that begins behind its heading."""
    word = pen.say(heading)
    blanks = " " * columns(word)
    for i, line in enumerate(wrapped(f"{blanks}  {text}", pen.style.width - 4)):
        yield f"{pen.heading(heading)}{line[len(blanks) :]}" if i == 0 else f"  {line}"


def _lists(result: ScanResult, pen: Pen) -> Iterator[_Listed]:
    """The sections beside the root, those that are not empty."""
    others = result.others
    beside = [each for each in others if each.verdict is Verdict.INDEPENDENT]
    beside.sort(key=_is_earlier_death, reverse=True)
    deaths = sum(map(_is_earlier_death, beside))
    followed = [each for each in others if each.verdict is Verdict.CONSEQUENCE]
    for listed in (
        _Listed(
            phrases.NOT_SEEN,
            [tuple(_note(each, pen)) for each in result.not_seen],
            phrases.NOTES_LEFT,
            _NOTES,
        ),
        _Listed(
            phrases.INDEPENDENT,
            [(_one_line(each, pen), *reason_lines(each, pen, "    ")) for each in beside],
            phrases.OTHERS_LEFT,
            _OTHERS,
            min(deaths, DEATHS_SHOWN),
        ),
        # that it followed from the root stands in the heading
        _Listed(
            phrases.FOLLOWED,
            [(_one_line(each, pen),) for each in followed],
            phrases.FOLLOWED_LEFT,
            _FOLLOWED,
        ),
    ):
        if listed.entries:
            yield listed


def _is_earlier_death(item: Finding) -> bool:
    return bool(item.because) and item.because[0].rule == "earlier-program-died"


def _everything(result: ScanResult, pen: Pen) -> Iterator[str]:
    root, others = result.root, result.others
    if root:
        yield from _whole(root, result, pen)
    else:
        yield from healthy_lines(result, pen)
    for heading, verdicts in (
        (phrases.INDEPENDENT, {Verdict.INDEPENDENT}),
        (phrases.FOLLOWED, {Verdict.CONSEQUENCE}),
        (phrases.HARMLESS, HARMLESS),
    ):
        members = [each for each in others if each.verdict in verdicts]
        if members:
            yield from ("", pen.heading(heading))
        for each in members:
            if pen.style.show_all:
                yield from (*_whole(each, None, pen), "")
            else:
                yield from (_one_line(each, pen), *reason_lines(each, pen, "    "))
    drawing = tuple(time_line(result, pen))
    yield from ("", *drawing) if drawing else ()
    if result.not_seen:
        yield from ("", pen.heading(phrases.NOT_SEEN))
        for text in result.not_seen:
            yield from _note(text, pen)


def _whole(item: Finding, result: ScanResult | None, pen: Pen) -> Iterator[str]:
    yield from _title(item, pen, None)
    yield from _head(item, result, pen)
    yield from reason_lines(item, pen, "  ")
    yield from proof_part(item, pen, _PROOF).forms[-1]
    for lines in _curves(item, result, pen)[-1:]:
        yield from lines
    if isinstance(item, UnknownError):
        yield from (*_next_steps(item, pen), *_nearest(item, pen))
        return
    yield from _cause(item, pen).forms[-1]
    if item.remedies:
        yield from ("", pen.heading(phrases.TRY))
    yield from all_remedies(item.remedies, pen)
    yield from ("", f"  logdoctor explain {item.signature.id}")
    yield from (f"  {pen.dim(url)}" for url in item.signature.references[:1])


def _title(item: Finding, pen: Pen, most: int | None) -> Iterator[str]:
    mark, colour = mark_of(item)
    title, room = title_of(item, pen), pen.style.width - 2
    for i, line in enumerate(wrapped(shortened(title, most * room) if most else title, room)):
        yield pen.paint(f"{' ' if i else mark} {line}", colour, bold=True)


def _head(item: Finding, result: ScanResult | None, pen: Pen) -> Iterator[str]:
    facts = head_facts(item, result.context if result else None, pen)
    yield from (f"  {pen.dim(line)}" for line in in_lines(facts, pen.style.width - 2))
    memory = memory_of(item, result, pen) if result else ""
    if memory:
        yield from pen.prose(memory)


def _note(text: LocalText, pen: Pen) -> Iterator[str]:
    return pen.prose(pen.read(text), bullet="- ")


def _next_steps(error: UnknownError, pen: Pen) -> Iterator[str]:
    if error.next_steps:
        yield from ("", pen.heading(phrases.LOOK_NEXT))
    for step in error.next_steps:
        yield from _note(step, pen)


def _nearest(error: UnknownError, pen: Pen) -> Iterator[str]:
    if error.nearest:
        yield from ("", pen.heading(phrases.NEAREST))
    for signature_id, score in error.nearest:
        yield f"  logdoctor explain {signature_id}  " + pen.dim(f"{round(100 * score)} %")


def _one_line(item: Finding, pen: Pen) -> str:
    """Title, place, ranks and counts; what does not fit is left out of the title."""
    title, width = title_of(item, pen), pen.style.width
    said = " · ".join(_counts(item, pen))
    place = place_of(item.evidence[0])
    if columns(title) + columns(place) + columns(said) + MARGINS_COLUMNS > width:
        place = place.rsplit("/", 1)[-1]
    facts = f"{place} · {said}" if said else place
    return f"  · {shortened(title, width - columns(facts) - MARGINS_COLUMNS)}" + pen.dim(
        f" · {facts}"
    )


def _counts(item: Finding, pen: Pen) -> Iterator[str]:
    lane = item.evidence[0].lane
    ranks = item.ranks or ((lane.rank,) if lane.rank is not None else ())
    if ranks:
        yield pen.say(phrases.RANK, ranks=ranges(ranks))
    if item.occurrences > 1:
        yield pen.say(phrases.TIMES, count=item.occurrences)
    if item.verdict in HARMLESS:
        yield pen.read(VERDICT_NAMES[item.verdict])
