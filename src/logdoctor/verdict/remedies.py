"""Remedies to judged remedies: judge_remedies.

A condition is true, false or unknown; one that is false makes the remedy unfit, else one that is
unknown leaves it open.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from logdoctor.formats.markers import APPLICATIONS
from logdoctor.model import (
    Applies,
    Change,
    JudgedRemedy,
    LocalText,
    Phase,
    Place,
    Remedy,
    RunContext,
    Setting,
    When,
)
from logdoctor.signatures import conditions, settings
from logdoctor.texts.filling import can_fill, fill, fill_both, placeholders, tell_both
from logdoctor.texts.phrases import verdict as phrases
from logdoctor.texts.phrases.words import COMPARISON_WORDS, PHASE_NAMES, VERSION_WORDS
from logdoctor.verdict.condition_words import Names, plain
from logdoctor.verdict.engine_names import keys_of, named_too
from logdoctor.verdict.frames import FACTS, NOT_TOLD

_AND = LocalText("; ", "；")
_ORDER = (Applies.YES, Applies.ALWAYS, Applies.UNKNOWN, Applies.NO)
_GRAVITY = (Applies.NO, Applies.UNKNOWN, Applies.ALWAYS, Applies.YES)

_Judged = tuple[Remedy, JudgedRemedy]


class Message(NamedTuple):
    """Another message by which the error was recognised.

    Attributes:
        patterns: names of those that fit it.
        captures: as those of `Circumstances`.
        line: where it stands.
    """

    patterns: tuple[str, ...]
    captures: Mapping[str, str]
    line: str


class Circumstances(NamedTuple):
    """What the remedies of a diagnosis are judged by.

    Attributes:
        patterns: names of the patterns that fit.
        extracts: names that only extracts read; what is not there was not said, or not found.
        seen: where each signature was matched that was, by id and alias.
        source: the source of the finding, whose lines are told without it.
        labels: what captures are called.
        titles: of the signatures that conditions ask for.
        shown: settings that the log shows to be in force by what they have printed: value, line.
        pattern_names: of all patterns that could have fitted; empty for one without a name.
        beside: the other messages by which the error was recognised, by order.
        message_line: where the message stands, if it is not that of the finding.
    """

    context: RunContext
    phase: Phase | None
    captures: Mapping[str, str]
    patterns: tuple[str, ...] = ()
    extracts: frozenset[str] = frozenset()
    seen: Mapping[str, str] = MappingProxyType({})
    source: str | None = None
    labels: Mapping[str, LocalText] = MappingProxyType({})
    titles: Mapping[str, LocalText] = MappingProxyType({})
    shown: Mapping[str, tuple[str, str]] = MappingProxyType({})
    pattern_names: frozenset[str] = frozenset({""})
    beside: tuple[Message, ...] = ()
    message_line: str | None = None

    def of_message(self, wanted: Sequence[str]) -> "Circumstances":
        """Those of the first message that one of the wanted patterns fits: a remedy that is for
        one message takes its values from that one. Without any, these.
        """
        if set(wanted) & set(self.patterns):
            return self
        fitting = (each for each in self.beside if set(wanted) & set(each.patterns))
        for patterns, captures, line in fitting:
            return self._replace(patterns=patterns, captures=captures, message_line=line)
        return self

    @property
    def names(self) -> Names:
        """What captures are called, and what they hold."""
        return Names(self.labels, self.captures)


def judge_remedies(
    remedies: Sequence[Remedy],
    circumstances: Circumstances,
    advised: JudgedRemedy | None = None,
) -> tuple[JudgedRemedy, ...]:
    """Remedies: what the log proves, what has no condition, what is open, what does not fit; of
    those that are proven, one that asks for more before one that asks for less of the same; else in
    their order. One whose action names a missing capture is left out.

    What the message itself advises comes first, unless one is proven by more than whose code
    raised it.
    """
    asked = [(each, circumstances.of_message(each.when.patterns)) for each in remedies]
    judged = [
        (remedy, _judge(remedy, of_message))
        for remedy, of_message in asked
        if all(can_fill(text, of_message.captures) for text in remedy.action)
    ]
    is_settled = any(
        _leads(remedy, each) and not _asks_frames_only(remedy.when) for remedy, each in judged
    )
    judged.sort(key=lambda pair: -1 if _leads(*pair) else _ORDER.index(pair[1].applies))
    judged = _choosing(_narrower_first(judged))
    judged.sort(key=lambda pair: _ORDER.index(pair[1].applies))
    told = tuple(each for _, each in judged)
    return told if advised is None or is_settled else (advised, *told)


def unproven(judged: Iterable[JudgedRemedy]) -> tuple[JudgedRemedy, ...]:
    """The same where nothing that is shown of the run is to be relied on."""
    return tuple(_unproven(each) if each.applies is Applies.YES else each for each in judged)


def _leads(remedy: Remedy, judged: JudgedRemedy) -> bool:
    """Whether it comes before what has no condition: it is proven, or it is for this very message
    as far as anything tells.
    """
    return judged.applies is Applies.YES or (
        judged.applies is Applies.ALWAYS and bool(remedy.when.patterns)
    )


def _narrower_first(judged: Sequence[tuple[Remedy, JudgedRemedy]]) -> list[_Judged]:
    """The same order, but for a proven remedy whose conditions are those of a proven one before
    it and some more: it is the better founded of the two.
    """
    placed: list[_Judged] = []
    for pair in judged:
        wider = (
            index
            for index, (other, how) in enumerate(placed)
            if pair[1].applies is how.applies is Applies.YES and _narrows(pair[0].when, other.when)
        )
        placed.insert(next(wider, len(placed)), pair)
    return placed


def _choosing(judged: Sequence[_Judged]) -> list[_Judged]:
    """The same; that a remedy is for this very message is no proof where it chooses nothing:
    another one is for the same message, or one that stands before it is for every message.
    """
    whys = [how.why for remedy, how in judged if _chosen(remedy, how)]
    told: list[_Judged] = []
    for remedy, how in judged:
        is_plain = whys.count(how.why) > 1 or any(
            each.applies is Applies.ALWAYS for _, each in told
        )
        told.append((remedy, _unproven(how) if is_plain and _chosen(remedy, how) else how))
    return told


def _chosen(remedy: Remedy, how: JudgedRemedy) -> bool:
    """Whether nothing but that it is for this message proves it."""
    return how.applies is Applies.YES and remedy.when == When(patterns=remedy.when.patterns)


def _unproven(how: JudgedRemedy) -> JudgedRemedy:
    return how._replace(applies=Applies.ALWAYS, why=phrases.FITS_ALWAYS.fill())


def _narrows(narrow: When, wide: When) -> bool:
    """Whether one asks all that the other asks, and of something else as well. That it is for
    fewer of the messages makes it no better founded.
    """
    asked, less = _asked(narrow), _asked(wide)
    if wide.patterns and not (narrow.patterns and {*narrow.patterns} <= {*wide.patterns}):
        return False
    return less.keys() < asked.keys() and all(asked[each] <= less[each] for each in less)


def _asked(when: When) -> dict[tuple[str, str], frozenset[str]]:
    """What a condition asks of each subject: any of these. The messages are none of them."""
    whole = {
        ("framework", ""): when.frameworks,
        ("phase", ""): when.phases,
        ("seen", ""): when.seen,
    }
    named = {"version": when.versions, "config": when.config, "capture": when.captures}
    return {subject: frozenset(wanted) for subject, wanted in whole.items() if wanted} | {
        (kind, name): frozenset(wanted)
        for kind, conditions_ in named.items()
        for name, wanted in conditions_.items()
    }


def _asks_frames_only(when: When) -> bool:
    return set(when.captures) <= set(FACTS) and when == When(captures=when.captures)


def _judge(remedy: Remedy, circumstances: Circumstances) -> JudgedRemedy:
    captures = circumstances.captures
    keys = keys_of(circumstances.context.frameworks)
    wanted = {
        keys[key].key if key in keys else key: (setting, fill(setting.text, captures))
        for key, setting in remedy.settings.items()
        if can_fill(setting.text, captures)
    }
    changes = tuple(_change(key, *each, circumstances) for key, each in wanted.items())
    judged = list(_conditions(remedy.when, circumstances))
    if changes and all(
        _is_shown(each, circumstances)
        or (each.current is not None and settings.is_in_force(*wanted[each.key], each.current))
        for each in changes
    ):
        judged.append(_in_force(changes, circumstances))
    judged.extend(_lacking(remedy, circumstances.context.versions))
    applies = _together([state for state, _ in judged])
    reasons = [why for state, why in judged if state is applies] or [phrases.FITS_ALWAYS.fill()]
    action = fill_both(remedy.action, captures)
    return JudgedRemedy(
        action=action
        if applies is Applies.NO
        else named_too(action, circumstances.context, [*wanted]),
        applies=applies,
        why=LocalText(
            _AND.en.join(each.en for each in reasons), _AND.zh.join(each.zh for each in reasons)
        ),
        settings={each.key: each.value or settings.as_text(*wanted[each.key]) for each in changes},
        current={each.key: each.current for each in changes if each.current is not None},
        risk=remedy.risk,
        check=tell_both(remedy.check, captures),
        reference=remedy.reference,
        changes=changes,
    )


def _lacking(remedy: Remedy, versions: Mapping[str, str]) -> Iterator[tuple[Applies, LocalText]]:
    """Packages that the log shows to be older than what is advised: that asks for more than it
    says. A release that is not told, or fits, proves nothing.
    """
    for name, wanted in remedy.needs.items():
        actual = versions.get(name)
        if actual and all(conditions.version_holds(actual, each) is False for each in wanted):
            yield (
                Applies.UNKNOWN,
                phrases.NEEDS_RELEASE.fill(name=name, wanted=" / ".join(wanted), actual=actual),
            )


def _together(states: Sequence[Applies]) -> Applies:
    """One condition that is false makes a remedy unfit, else one that is unknown leaves it open."""
    if not states:
        return Applies.ALWAYS
    return next(each for each in _GRAVITY if each in states)


def _change(key: str, setting: Setting, text: str, circumstances: Circumstances) -> Change:
    current, where = setting_of(circumstances.context, key)
    return Change(
        key,
        current,
        settings.new_value(setting, text, current),
        where,
        settings.is_computed(setting),
    )


def _is_shown(change: Change, circumstances: Circumstances) -> bool:
    value, _ = circumstances.shown.get(change.key, (None, ""))
    return value is not None and value == change.value


def _in_force(changes: Iterable[Change], circumstances: Circumstances) -> tuple[Applies, LocalText]:
    said = [
        phrases.LINE_SHOWS.fill(
            name=each.key, actual=each.value, line=circumstances.shown[each.key][1]
        )
        if _is_shown(each, circumstances)
        else _said(each.key, each.current or "", each.where, circumstances)
        for each in changes
    ]
    told = LocalText(_AND.en.join(each.en for each in said), _AND.zh.join(each.zh for each in said))
    return Applies.NO, phrases.IN_FORCE.fill(told=told)


def _said(key: str, value: str, where: Place | None, circumstances: Circumstances) -> LocalText:
    """That the run has this value, and the line that says so."""
    if where is None:
        return phrases.VALUE_IS.fill(name=key, actual=value)
    phrase = phrases.LINE_SETS if where.source == circumstances.source else phrases.PLACE_SETS
    return phrase.fill(name=key, actual=value, place=str(where), line=where.line)


def _conditions(when: When, circumstances: Circumstances) -> Iterator[tuple[Applies, LocalText]]:
    context, captures = circumstances.context, circumstances.captures
    if when.frameworks:
        yield _framework(when.frameworks, context.frameworks)
    if when.phases:
        yield _phase(when.phases, circumstances.phase)
    # that it is one of all messages of the signature proves nothing
    if when.patterns and not circumstances.pattern_names <= {*when.patterns}:
        yield _pattern(when.patterns, circumstances)
    if when.seen:
        yield _seen(when.seen, circumstances)
    for name, wanted in when.versions.items():
        yield _value(name, context.versions.get(name), wanted, is_version=True)
    for name, wanted in when.config.items():
        open_name = _missing((), wanted, captures)
        yield (
            _not_said(open_name, name, wanted, circumstances, is_key=True)
            if open_name
            else _configured(name, [fill(each, captures) for each in wanted], circumstances)
        )
    yield from _on_captures(when, circumstances)


def _on_captures(when: When, circumstances: Circumstances) -> Iterator[tuple[Applies, LocalText]]:
    """What has no name is said in one breath."""
    captures, unnamed = circumstances.captures, list[str]()
    for name, wanted in when.captures.items():
        if captures.get(name) == NOT_TOLD and NOT_TOLD in wanted:
            yield Applies.ALWAYS, phrases.FITS_ALWAYS.fill()  # what nobody said proves nothing
            continue
        open_name = _missing((name,), wanted, captures)
        applies, why = (
            _not_said(open_name, name, wanted, circumstances)
            if open_name
            else _capture(name, [fill(each, captures) for each in wanted], circumstances)
        )
        if applies is Applies.YES and all(map(conditions.excludes_only, wanted)):
            continue  # all the others are of many kinds: it proves nothing of this one
        if why is None:
            unnamed.append(captures[name])
        else:
            yield applies, why
    if unnamed:
        yield (
            Applies.YES,
            phrases.CAPTURE_IS.fill(actual=LocalText("”, “".join(unnamed), "”、“".join(unnamed))),
        )


def _configured(
    name: str, wanted: Sequence[str], circumstances: Circumstances
) -> tuple[Applies, LocalText]:
    actual, where = setting_of(circumstances.context, name)
    applies, why = _value(name, actual, wanted)
    if applies is Applies.YES:
        why = _said(name, actual or "", where, circumstances)
    return applies, why


def _missing(
    names: Iterable[str], wanted: Iterable[str], captures: Mapping[str, str]
) -> str | None:
    """The first name, of these and of those that operands ask for, which was not captured."""
    asked = (*names, *(name for each in wanted for name in sorted(placeholders(each))))
    return next((name for name in asked if name not in captures), None)


def _not_said(
    missing: str,
    name: str,
    wanted: Sequence[str],
    circumstances: Circumstances,
    *,
    is_key: bool = False,
) -> tuple[Applies, LocalText]:
    """A pattern that fits says all that it can, so that what it does not is another message's;
    what extracts look for may have been cut off.
    """
    names = circumstances.names
    if missing not in circumstances.extracts:
        label = names.of(missing)
        return Applies.NO, (
            phrases.LABEL_NOT_CAPTURED.fill(label=label) if label else phrases.NOT_CAPTURED.fill()
        )
    # a key of the configuration is what readers type themselves
    label = LocalText(name, name) if is_key else names.of(name)
    if tuple(conditions.split(wanted[0])) == ("!=", "") and label:
        return Applies.UNKNOWN, phrases.ABOUT_OPEN.fill(label=label)
    return Applies.UNKNOWN, _open(names.condition(label, wanted, COMPARISON_WORDS))


def _open(condition: LocalText | None) -> LocalText:
    """A condition that the log leaves open, as far as it can be told in words."""
    if condition is None:
        return phrases.OPEN_UNSAID.fill()
    return phrases.CONDITION_OPEN.fill(condition=condition)


def _pattern(wanted: Sequence[str], circumstances: Circumstances) -> tuple[Applies, LocalText]:
    if not set(wanted) & set(circumstances.patterns):
        return Applies.NO, phrases.PATTERN_IS_NOT.fill()
    if circumstances.message_line is None:
        return Applies.YES, phrases.PATTERN_IS.fill()
    return Applies.YES, phrases.PATTERN_AT.fill(line=circumstances.message_line)


def _seen(wanted: Sequence[str], circumstances: Circumstances) -> tuple[Applies, LocalText]:
    """What was not seen may stand in a log that nobody gave."""
    titles = [circumstances.titles.get(name, LocalText(name, name)) for name in wanted]
    for name, title in zip(wanted, titles, strict=True):
        if name in circumstances.seen:
            line = circumstances.seen[name]
            return Applies.YES, phrases.SEEN_AT.fill(title=title, line=line)
    told = LocalText(
        "” / “".join(each.en for each in titles), "”/“".join(each.zh for each in titles)
    )
    return Applies.UNKNOWN, phrases.SEEN_OPEN.fill(title=told)


def _framework(wanted: Sequence[str], seen: Sequence[str]) -> tuple[Applies, LocalText]:
    names = " / ".join(wanted)
    if set(wanted) & set(seen):
        return Applies.YES, phrases.FRAMEWORK_IS.fill(
            value=" / ".join(name for name in wanted if name in seen)
        )
    if set(wanted) <= set(APPLICATIONS) and set(seen) & set(APPLICATIONS):
        return Applies.NO, phrases.FRAMEWORK_IS_NOT.fill(value=names)
    return Applies.UNKNOWN, phrases.FRAMEWORK_OPEN.fill(value=names)


def _phase(wanted: Sequence[Phase], actual: Phase | None) -> tuple[Applies, LocalText]:
    names = LocalText(
        " / ".join(PHASE_NAMES[each].en for each in wanted),
        " / ".join(PHASE_NAMES[each].zh for each in wanted),
    )
    if actual is None:
        return Applies.UNKNOWN, phrases.PHASE_OPEN.fill(value=names)
    name = PHASE_NAMES[actual]
    if actual in wanted:
        return Applies.YES, phrases.PHASE_IS.fill(value=name)
    return Applies.NO, phrases.PHASE_IS_NOT.fill(value=names, actual=name)


def _capture(
    name: str, wanted: Sequence[str], circumstances: Circumstances
) -> tuple[Applies, LocalText | None]:
    """Whether it holds, and why; None where it does and neither it nor its value has a name."""
    actual, names = circumstances.captures[name], circumstances.names
    results = [conditions.holds(actual, each) for each in wanted]
    label = names.of(name)
    if any(results):
        if name == "busy" and "busy_at" in circumstances.captures:
            at, what = (circumstances.captures[each] for each in ("busy_at", "busy_with"))
            return Applies.YES, phrases.IS_BUSY.fill(place=at, what=what)
        told = phrases.FACTS_IN_WORDS.get((name, actual))
        if told or not label:
            return Applies.YES, told.fill() if told else None
        is_about = [conditions.split(each) for each in wanted] == [("!=", "")]
        phrase = phrases.ABOUT_IS if is_about else phrases.LABELLED_IS
        phrase = phrases.FACT_IS if name in FACTS else phrase
        return Applies.YES, phrase.fill(label=label, actual=actual)
    if None in results:
        return Applies.UNKNOWN, _open(names.condition(label, wanted, COMPARISON_WORDS))
    value = " / ".join(wanted)
    return Applies.NO, (
        phrases.LABELLED_IS_NOT.fill(label=label, actual=actual, value=value)
        if label
        else phrases.CAPTURE_IS.fill(actual=actual)
    )


def _value(
    name: str, actual: str | None, wanted: Sequence[str], *, is_version: bool = False
) -> tuple[Applies, LocalText]:
    holds = conditions.version_holds if is_version else conditions.holds
    results = [holds(actual, each) for each in wanted] if actual is not None else [None]
    if any(results):
        return Applies.YES, phrases.VALUE_IS.fill(name=name, actual=actual)
    if None in results:
        return Applies.UNKNOWN, _open(
            plain(name, wanted, VERSION_WORDS if is_version else COMPARISON_WORDS)
        )
    return Applies.NO, phrases.VALUE_IS_NOT.fill(name=name, actual=actual, value=" / ".join(wanted))


def config_value(config: Mapping[str, tuple[str, ...]], key: str) -> str | None:
    """The value of a dotted key, also where the log printed more or less of its path; None where
    that is not unique.
    """
    values = {value for printed in _printed(config, key) for value in config[printed]}
    return values.pop() if len(values) == 1 else None


def setting_of(context: RunContext, key: str) -> tuple[str | None, Place | None]:
    """The same of a run, and where the value was told, if that is known."""
    value = config_value(context.config, key)
    if value is None:
        return None, None
    places = (
        place for name in _printed(context.config, key) for place in context.places.get(name, ())
    )
    return value, next(places, None)


def _printed(config: Mapping[str, tuple[str, ...]], key: str) -> list[str]:
    """Keys of a configuration that may be this one."""
    if key in config:
        return [key]
    return [
        printed for printed in config if key.endswith("." + printed) or printed.endswith("." + key)
    ]
