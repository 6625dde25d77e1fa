"""Scan result for a person at a terminal: render_text.

In this order: one line that says it all, the evidence, why, what to change, what followed from it,
what was not seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import click

from logdoctor.model import (
    HARMLESS,
    Applies,
    Diagnosis,
    Evidence,
    JudgedRemedy,
    Language,
    MatchKind,
    Risk,
    ScanResult,
    Severity,
    UnknownError,
    Verdict,
)
from logdoctor.reports.run.layout import columns, shortened, spread, wrapped
from logdoctor.texts.phrases import Phrase
from logdoctor.texts.phrases import reports as phrases
from logdoctor.texts.phrases.words import (
    COLON,
    IN_BRACKETS,
    PHASE_NAMES,
    RISK_NAMES,
    SEVERITY_NAMES,
    VERDICT_NAMES,
    WITH_COUNT,
)

REMEDIES_SHOWN = 5
"""Remedies that a person gets to see at once; a longer list is not tried from its top."""

EVIDENCE_LINES = 4
"""Screen lines that the proving line may take."""

MARGINS_COLUMNS = 10
"""Columns of what stands before, between and behind the parts of a problem told in one line."""

LONG_RUN_LINES = 1000
"""Lines from which a log has a time line."""

ROWS_SHOWN, LABEL_COLUMNS, RANKS_COLUMNS = 8, 30, 20
"""Rows of a time line, and the columns of its names and ranks."""

_MARKS = {Applies.YES: "✔", Applies.UNKNOWN: "?", Applies.NO: "✘"}
_COLOURS = {Severity.FATAL: "red", Severity.ERROR: "red", Severity.WARNING: "yellow"}


class TextStyle(NamedTuple):
    """How it is written.

    Attributes:
        width: columns of the terminal.
        colour: whether to use colours.
        show_all: whether consequences and harmless things are shown in full.
        show_why: whether all reasons of everything found are shown, harmless things included.
    """

    language: Language = Language.EN
    width: int = 100
    colour: bool = False
    show_all: bool = False
    show_why: bool = False

    @property
    def lists_harmless(self) -> bool:
        """Whether harmless things are named, not only counted."""
        return self.show_all or self.show_why


def render_text(result: ScanResult, style: TextStyle) -> str:
    """The whole report with a line end; one line where nothing is wrong."""
    return "\n".join(_Writer(style).report(result)) + "\n"


class _Writer:
    def __init__(self, style: TextStyle) -> None:
        self._style = style
        self._language = style.language

    def report(self, result: ScanResult) -> Iterator[str]:
        root, others = result.root, result.others
        if root:
            yield from self._whole(root, self._last_step(result))
        else:
            yield self._healthy_line(result)
        yield from self._folded(
            phrases.INDEPENDENT, [each for each in others if each.verdict is Verdict.INDEPENDENT]
        )
        yield from self._folded(
            phrases.FOLLOWED, [each for each in others if each.verdict is Verdict.CONSEQUENCE]
        )
        yield from self._harmless(
            [each for each in others if each.verdict in HARMLESS], has_root=root is not None
        )
        yield from self._time_line(result)
        if result.not_seen:
            yield ""
            yield self._heading(phrases.NOT_SEEN)
            for text in result.not_seen:
                yield from self._prose(text.in_language(self._language), bullet="- ")

    def _time_line(self, result: ScanResult) -> Iterator[str]:
        """Where in a long log the root, what followed, and the steps stand; each row says its
        ranks.
        """
        root = result.root
        if root is None:
            return
        source = root.evidence[0].source
        lines = max((each.lines for each in result.sources if each.name == source), default=0)
        harmful = [
            each
            for each in (root, *result.others)
            if each.verdict not in HARMLESS and each.evidence[0].source == source
        ]
        steps = result.context.steps.get(source, ())
        if lines < LONG_RUN_LINES or (len(harmful) == 1 and not steps):
            return
        yield ""
        yield f"{self._heading(phrases.TIME_LINE)}  " + self._dim(
            self._say(phrases.LINES_OF, source=source, lines=f"{lines:,}")
        )
        names = [
            (each.signature.id if isinstance(each, Diagnosis) else each.title, each)
            for each in sorted(harmful[:ROWS_SHOWN], key=_first_spot)
        ]
        label = min(LABEL_COLUMNS, max(columns(name) for name, _ in names))
        bar = max(10, self._style.width - label - RANKS_COLUMNS - 8)
        if steps:
            yield self._row(self._say(phrases.STEPS), label, _span(spread(steps, lines, bar)), "")
        for name, each in names:
            marks = spread(each.spots, lines, bar)
            if each is root:
                at = min(bar - 1, (root.evidence[0].line - 1) * bar // lines)
                marks = marks[:at] + "✖" + marks[at + 1 :]
            ranks = self._say(phrases.RANK, ranks=_ranges(each.ranks)) if each.ranks else ""
            yield self._row(name, label, marks, ranks)

    def _row(self, name: str, label: int, marks: str, ranks: str) -> str:
        name = shortened(name, label) if columns(name) > label else name
        return (
            f"  {name}{' ' * (label - columns(name))} │{marks}│ "
            f"{self._dim(shortened(ranks, RANKS_COLUMNS))}"
        ).rstrip()

    def _healthy_line(self, result: ScanResult) -> str:
        readable = [each for each in result.sources if each.problem is None or each.lines]
        if not readable and result.sources:
            return self._paint(f"? {self._say(phrases.NOTHING_READ)}", "yellow")
        details = [self._say(phrases.LINES_READ, lines=f"{sum(each.lines for each in readable):,}")]
        if len(readable) > 1:
            details.append(self._say(phrases.SOURCES, count=len(readable)))
        details += self._last_step(result)
        harmless = sum(each.verdict in HARMLESS for each in result.others)
        if harmless and not self._style.lists_harmless:
            details.append(self._say(phrases.HARMLESS_SEEN, count=harmless))
        return self._paint(f"✔ {self._say(phrases.HEALTHY)}", "green") + self._dim(
            f" · {' · '.join(details)}"
        )

    def _last_step(self, result: ScanResult) -> Iterator[str]:
        progress = result.context.last_progress
        if progress and progress.step is not None:
            yield self._say(
                phrases.LAST_STEP,
                step=f"{progress.step}/{progress.total}" if progress.total else progress.step,
            )

    def _whole(
        self, item: Diagnosis | UnknownError, more_facts: Iterable[str] = ()
    ) -> Iterator[str]:
        if isinstance(item, UnknownError):
            yield from self._whole_unknown(item, more_facts)
        else:
            yield from self._whole_diagnosis(item, more_facts)

    def _whole_diagnosis(self, diagnosis: Diagnosis, more_facts: Iterable[str]) -> Iterator[str]:
        signature = diagnosis.signature
        colour = _COLOURS[signature.severity]
        yield self._paint(
            f"{'!' if signature.severity is Severity.WARNING else '✖'} {self._title(diagnosis)}",
            colour,
            bold=True,
        )
        facts = [SEVERITY_NAMES[signature.severity].in_language(self._language), signature.id]
        facts.append(self._say(phrases.CONFIDENCE, value=round(100 * diagnosis.confidence)))
        if diagnosis.kind is MatchKind.FUZZY:
            facts.append(self._say(phrases.FUZZY, score=diagnosis.score))
        yield "  " + self._dim(" · ".join((*facts, *more_facts)))
        if diagnosis.hang:
            yield f"  {self._say(phrases.HANG_RANKS, **diagnosis.captures)}"
        yield from self._because(diagnosis, "  ")
        yield from self._evidence(diagnosis)
        yield ""
        yield self._heading(phrases.WHY)
        yield from self._prose(diagnosis.cause.in_language(self._language))
        yield ""
        yield self._heading(phrases.TRY)
        shown = self._shown(diagnosis.remedies)
        for number, remedy in enumerate(shown, 1):
            yield from self._remedy(number, remedy)
        if len(shown) < len(diagnosis.remedies):
            yield "  " + self._dim(
                self._say(phrases.MORE_REMEDIES, count=len(diagnosis.remedies) - len(shown))
            )
        yield ""
        yield f"  {self._dim(self._label(phrases.MORE))}logdoctor explain {signature.id}"
        yield from (
            f"  {self._dim(self._label(phrases.LINK))}{url}" for url in signature.references[:1]
        )

    def _shown(self, remedies: Sequence[JudgedRemedy]) -> Sequence[JudgedRemedy]:
        fitting = [each for each in remedies if each.applies is not Applies.NO]
        return remedies if self._style.show_all else fitting[:REMEDIES_SHOWN]

    def _whole_unknown(self, error: UnknownError, more_facts: Iterable[str]) -> Iterator[str]:
        yield self._paint(f"✖ {shortened(error.title, self._style.width - 2)}", "red", bold=True)
        facts = (
            self._say(phrases.UNKNOWN_ERROR),
            f"{self._say(phrases.FINGERPRINT)} {error.fingerprint}",
            *more_facts,
        )
        yield "  " + self._dim(" · ".join(facts))
        yield from self._because(error, "  ")
        yield from self._evidence(error)
        if error.next_steps:
            yield ""
            yield self._heading(phrases.LOOK_NEXT)
            for step in error.next_steps:
                yield from self._prose(step.in_language(self._language), bullet="- ")
        if error.nearest:
            yield ""
            yield self._heading(phrases.NEAREST)
            for signature_id, score in error.nearest:
                yield f"  logdoctor explain {signature_id}  " + self._dim(f"{round(100 * score)} %")

    def _because(self, item: Diagnosis | UnknownError, indent: str) -> Iterator[str]:
        """Why it has its verdict: the deciding reason, or all of them with their rules. A line of
        the source where it stands itself needs no name.
        """
        for reason in item.because if self._style.show_why else item.because[:1]:
            facts = [self._label(phrases.BECAUSE) + reason.text.in_language(self._language)]
            if reason.source != item.evidence[0].source:
                facts.append(f"{reason.source}:{reason.line}")
            if self._style.show_why:
                facts.append(self._say(phrases.BY_RULE, rule=reason.rule))
            room = self._style.width - len(indent) - 2
            for i, line in enumerate(wrapped(" · ".join(facts), room)):
                yield self._dim(f"{indent}{'  ' if i else ''}{line}")

    def _evidence(self, item: Diagnosis | UnknownError) -> Iterator[str]:
        evidence = item.evidence[0]
        facts = [f"{evidence.source}:{evidence.line}", *self._lane_facts(evidence, item)]
        yield ""
        first, *more = wrapped(
            " · ".join(facts), self._style.width - columns(self._say(phrases.WHERE)) - 2
        )
        yield f"{self._heading(phrases.WHERE)}  {first}"
        yield from (f"    {line}" for line in more)
        context = evidence.context or ((evidence.line, evidence.text),)
        digits = max(len(str(number)) for number, _ in context)
        room = self._style.width - digits - 7
        for number, text in context:
            if number == evidence.line and text == evidence.text:
                for i, part in enumerate(
                    wrapped(shortened(text, EVIDENCE_LINES * room, evidence.focus), room)
                ):
                    margin = f"  ▶ {number:>{digits}} │ " if i == 0 else f"    {'':>{digits}} │ "
                    yield self._paint(margin + part, "bright_white", bold=True)
            else:
                yield self._dim(f"    {number:>{digits}} │ {shortened(text, room)}")

    def _lane_facts(self, evidence: Evidence, item: Diagnosis | UnknownError) -> Iterator[str]:
        lane = evidence.lane
        ranks = item.ranks or ((lane.rank,) if lane.rank is not None else ())
        if ranks:
            yield self._say(phrases.RANK, ranks=_ranges(ranks))
        if lane.host:
            yield self._say(phrases.HOST, host=lane.host)
        if lane.actor:
            yield self._say(phrases.ACTOR, actor=lane.actor)
        if isinstance(item, Diagnosis) and item.phase:
            yield self._say(
                phrases.PHASE_TOLD,
                phase=PHASE_NAMES[item.phase].in_language(self._language),
                by=item.phase_told_by,
            )
        if evidence.time:
            yield _clock(evidence.time)
        if item.occurrences > 1:
            yield self._say(phrases.TIMES, count=item.occurrences)
        if item.lanes > 1:
            yield self._say(phrases.LANES, count=item.lanes)

    def _remedy(self, number: int, remedy: JudgedRemedy) -> Iterator[str]:
        colour = {Applies.YES: "green", Applies.UNKNOWN: "yellow", Applies.NO: None}[remedy.applies]
        yield from self._prose(
            remedy.action.in_language(self._language),
            bullet=f"{number}. {_MARKS[remedy.applies]} ",
            colour=colour,
        )
        indent = "       "
        yield from self._prose(
            self._say(IN_BRACKETS, text=remedy.why.in_language(self._language)),
            bullet=indent,
            dim=True,
        )
        for key, value in remedy.settings.items():
            now = f"{self._dim(remedy.current[key])} → " if key in remedy.current else ""
            yield (
                f"  {indent}{self._dim(self._say(phrases.SET))} {self._paint(f'{key}:', 'cyan')} "
                f"{now}{self._paint(value, 'cyan')}"
            )
        if remedy.risk is not Risk.SAFE:
            yield (
                f"  {indent}{self._dim(self._label(phrases.RISK))}"
                f"{RISK_NAMES[remedy.risk].in_language(self._language)}"
            )
        yield from self._prose(
            f"{self._label(phrases.CHECK)}{remedy.check.in_language(self._language)}",
            bullet=indent,
            dim=True,
        )
        if remedy.reference:
            yield f"  {indent}{self._dim(remedy.reference)}"

    def _folded(self, heading: Phrase, items: Sequence[Diagnosis | UnknownError]) -> Iterator[str]:
        if not items:
            return
        yield ""
        yield self._heading(heading)
        for item in items:
            if self._style.show_all:
                yield from self._whole(item)
                yield ""
            else:
                yield from self._one_line(item)
                # that it followed from the root stands in the heading
                if self._style.show_why or item.verdict is not Verdict.CONSEQUENCE:
                    yield from self._because(item, "    ")

    def _harmless(self, items: Sequence[Diagnosis | UnknownError], has_root: bool) -> Iterator[str]:
        if self._style.lists_harmless:
            yield from self._folded(phrases.HARMLESS, items)
        elif items and has_root:
            yield ""
            yield f"{self._heading(phrases.HARMLESS)}  " + self._dim(
                self._say(WITH_COUNT, what=len(items), count=self._say(phrases.SHOW_ALL))
            )

    def _one_line(self, item: Diagnosis | UnknownError) -> Iterator[str]:
        """Title, place, ranks and counts; what does not fit is left out of the title."""
        title = self._title(item) if isinstance(item, Diagnosis) else item.title
        said = " · ".join(self._counts(item))
        place = f"{item.evidence[0].source}:{item.evidence[0].line}"
        if columns(title) + columns(place) + columns(said) + MARGINS_COLUMNS > self._style.width:
            place = place.rsplit("/", 1)[-1]
        facts = f"{place} · {said}" if said else place
        yield (
            f"  · {shortened(title, self._style.width - columns(facts) - MARGINS_COLUMNS)}"
            + self._dim(f" · {facts}")
        )

    def _counts(self, item: Diagnosis | UnknownError) -> Iterator[str]:
        lane = item.evidence[0].lane
        ranks = item.ranks or ((lane.rank,) if lane.rank is not None else ())
        if ranks:
            yield self._say(phrases.RANK, ranks=_ranges(ranks))
        if item.occurrences > 1:
            yield self._say(phrases.TIMES, count=item.occurrences)
        if item.verdict in HARMLESS:
            yield VERDICT_NAMES[item.verdict].in_language(self._language)

    def _title(self, diagnosis: Diagnosis) -> str:
        return diagnosis.title.in_language(self._language)

    def _say(self, phrase: Phrase, **values: object) -> str:
        return phrase.say(self._language, **values)

    def _label(self, phrase: Phrase) -> str:
        return self._say(phrase) + self._say(COLON)

    def _heading(self, phrase: Phrase) -> str:
        return self._paint(self._say(phrase), None, bold=True)

    def _prose(
        self, text: str, bullet: str = "", colour: str | None = None, *, dim: bool = False
    ) -> Iterator[str]:
        first, rest = "  " + bullet, "  " + " " * len(bullet)
        for i, line in enumerate(wrapped(text, self._style.width - len(first))):
            yield (first if i == 0 else rest) + (
                self._dim(line) if dim else self._paint(line, colour)
            )

    def _paint(self, text: str, colour: str | None, *, bold: bool = False) -> str:
        return painted(text, colour, self._style, bold=bold)

    def _dim(self, text: str) -> str:
        return click.style(text, dim=True) if self._style.colour else text


def _clock(time: str) -> str:
    """A time as people write it: without the marks of what is missing, and at most to the
    millisecond.
    """
    date_and_time, _, fraction = (
        time.removeprefix("--").removeprefix("T").replace("T", " ").partition(".")
    )
    return f"{date_and_time}.{fraction[:3]}" if fraction else date_and_time


def _span(marks: str) -> str:
    """From the first mark to the last: between them only some of many are known."""
    first, last = len(marks) - len(marks.lstrip()), len(marks.rstrip())
    return f"{' ' * first}{'─' * (last - first)}{' ' * (len(marks) - last)}"


def _first_spot(item: Diagnosis | UnknownError) -> int:
    return min((item.evidence[0].line, *item.spots))


def painted(text: str, colour: str | None, style: TextStyle, *, bold: bool = False) -> str:
    """The text in that colour, where colours are wanted."""
    return (
        click.style(text, fg=colour, bold=bold or None)
        if style.colour and (colour or bold)
        else text
    )


def _ranges(numbers: Iterable[int]) -> str:
    """Ascending numbers with runs folded: `0-3, 8`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
