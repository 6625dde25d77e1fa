"""Signature files to a database: load_signatures.

Strict: unknown, duplicate and missing keys and bad values are faults with their place, and all
faults of all files are found before it gives up.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import regex
import yaml

from logdoctor.errors import Fault, SignatureError
from logdoctor.formats.metric_names import with_common_names
from logdoctor.model import (
    Companion,
    Counterexample,
    Example,
    Extract,
    Formula,
    LocalText,
    Maturity,
    MetricBounds,
    MetricPattern,
    Oddity,
    Part,
    Pattern,
    Phase,
    Position,
    Remedy,
    Risk,
    Role,
    Setting,
    Severity,
    Signature,
    SignatureDatabase,
    When,
    Where,
)
from logdoctor.patterns.extracts import capture_names
from logdoctor.patterns.regex_costs import longest_soon
from logdoctor.patterns.templates import parse_template
from logdoctor.signatures.files import SignatureFile, bundled_path, content_version, signature_files
from logdoctor.signatures.yaml_types import (
    BothLanguages,
    Choice,
    Field,
    ListOf,
    MapOf,
    Mention,
    NameOf,
    Number,
    Reading,
    Record,
    Text,
    TextOr,
    Unreadable,
    Values,
    compose,
)

__all__ = ["bundled_path", "json_schema", "load_signatures"]

TEXT = Text()
LOG_TEXT = Text(may_have_controls=True)
TEXTS = ListOf(TEXT, one_is_enough=True)
COMPARISONS = MapOf(TEXTS)
A_PATTERN, A_SIGNATURE = NameOf("pattern"), NameOf("signature")

_KEBAB_CASE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_HUGE_REPEAT = re.compile(r"\{\d*,?\d{5,}\}|\{\d{5,}")

_WHERE = Field(
    "where",
    Choice(Where),
    "the text of the event it is tried on: message, exception, frame or line",
)
_TEMPLATE = Field("template", TEXT, "text to be found fuzzily, with typed slots")
_REGEX = Field("regex", TEXT, "text to be found exactly, with named groups")
_FRAME = Field("frame", TEXT, "short for a template with where: frame")


def _part(values: Values, reading: Reading) -> Part:
    given = [each for each in (_TEMPLATE, _REGEX, _FRAME) if each in values]
    if len(given) != 1:
        reading.fault(
            values.node,
            f"a pattern with {len(given)} of template, regex and frame",
            "expected exactly one",
        )
        raise Unreadable
    if _REGEX in values:
        _try(values, reading, "regex", lambda: _checked_regex(values[_REGEX]))
    else:
        _try(values, reading, given[0].name, lambda: parse_template(values[given[0]]))
    where = Where.FRAME if _FRAME in values else values.get(_WHERE, Where.MESSAGE)
    template = None if _REGEX in values else values[given[0]]
    found = values.maybe(_REGEX)
    return Part(template, found, where, values.position, longest_soon(found) if found else 0)


def _checked_metric(name: str) -> None:
    try:
        re.compile(with_common_names(name))
    except re.error as error:
        raise ValueError(str(error)) from error


def _checked_regex(pattern: str) -> None:
    if _HUGE_REPEAT.search(pattern):
        raise ValueError("a repeat of 10,000 or more takes longer than anyone waits")
    regex.compile(pattern)


def _try(values: Values, reading: Reading, key: str, read: Any) -> None:
    try:
        read()
    except (ValueError, regex.error) as error:
        node = next(value for name, value in values.node.value if name.value == key)
        reading.fault(node, f'bad {key} "{node.value}"', str(error))
        raise Unreadable from error


def _extract(values: Values, reading: Reading) -> Extract:
    if (_TEMPLATE in values) == (_REGEX in values):
        reading.fault(
            values.node,
            "a value to extract with both of regex and template, or neither",
            "expected exactly one",
        )
        raise Unreadable
    part = _part(values, reading)
    if not capture_names(part.template, part.regex):
        reading.fault(
            values.node, "a value to extract without a name", "expected a named group or a slot"
        )
        raise Unreadable
    return Extract(part.template, part.regex, values.position, part.soon)


EXTRACT = Record("a value to extract", (_REGEX, _TEMPLATE), _extract)
PART = Record("a pattern", (_TEMPLATE, _REGEX, _FRAME, _WHERE), _part)
_METRIC = Field(
    "metric",
    TEXT,
    "regex that fits the whole name of a metric of step lines; `<reward>` in it stands for all "
    "names that frameworks give it",
)
_IS = Field(
    "is",
    Choice(Oddity),
    "what its value is: not-finite, constant (the same as before), or zero (exactly)",
)
_ABOVE = Field("above", Number(), "its value is greater")
_BELOW = Field("below", Number(), "its value is less")
_TIMES_MEDIAN = Field(
    "times_median", Number(), "its value is more than so many times the median of the earlier ones"
)
_ABOVE_START = Field(
    "above_start", Number(), "its value is more than so many times the median of the first 20"
)
_BELOW_START = Field(
    "below_start", Number(), "its value is less than so many times the median of the first 20"
)
_BELOW_BEST = Field(
    "below_best",
    Number(),
    "its value is less than this share of the best mean that twenty values in succession held",
)
_STEPS = Field("steps", Number(), "for so many steps in succession, up to the last (default 1)")
_SHARE = Field("share", Number(), "and for this share of all steps of the run so far")
_BOUNDS = (_ABOVE, _BELOW, _TIMES_MEDIAN, _ABOVE_START, _BELOW_START, _BELOW_BEST)
_CONDITIONS = (_IS, *_BOUNDS)


def _bounds(values: Values, reading: Reading) -> MetricBounds:
    """What is given of a metric's conditions.

    Raises:
        Unreadable: none is.
    """
    if not any(each in values for each in _CONDITIONS):
        reading.fault(
            values.node,
            "a metric without a condition",
            f"expected one of {', '.join(each.name for each in _CONDITIONS)}",
        )
        raise Unreadable
    oddity = values.maybe(_IS)
    return MetricBounds(
        is_not_finite=oddity is Oddity.NOT_FINITE,
        is_constant=oddity is Oddity.CONSTANT,
        is_zero=oddity is Oddity.ZERO,
        **{each.name: values.maybe(each) for each in _BOUNDS},
    )


def _companion(values: Values, reading: Reading) -> Companion:
    _try(values, reading, "metric", lambda: _checked_metric(values[_OTHER_METRIC]))
    return Companion(values[_OTHER_METRIC], _bounds(values, reading))


_OTHER_METRIC = Field(
    "metric", TEXT, "regex that fits the whole name of another metric of the source", required=True
)
_AND = Field(
    "and",
    Record("a companion", (_OTHER_METRIC, *_CONDITIONS), _companion),
    "what the last value of another metric must fulfil at the same time",
)


def _metric(values: Values, reading: Reading) -> MetricPattern:
    bounds = _bounds(values, reading)
    beside = (_TEMPLATE, _REGEX, _FRAME, _WHERE, _P_NAME, *_OF_A_NAME)
    if any(each in values for each in beside):
        reading.fault(
            values.node, "a metric with a text beside it", "give each a pattern of its own"
        )
        raise Unreadable
    _try(values, reading, "metric", lambda: _checked_metric(values[_METRIC]))
    return MetricPattern(
        name=values[_METRIC],
        bounds=bounds,
        companion=values.maybe(_AND),
        steps=max(1, int(values.maybe(_STEPS) or 1)),
        share=values.maybe(_SHARE) or 0.0,
        position=values.position,
    )


_ALL = Field("all", ListOf(PART, at_least=2), "several patterns that must fit within one event")
_P_NAME = Field("name", TEXT, "what conditions of remedies call this pattern")
_P_TITLE = Field("title", BothLanguages(), "what is seen where this pattern fits")
_P_CAUSE = Field("cause", BothLanguages(), "what happened where this pattern fits")
_OF_A_NAME = (_P_TITLE, _P_CAUSE)


def _pattern(values: Values, reading: Reading) -> Pattern | MetricPattern:
    if _METRIC in values:
        return _metric(values, reading)
    name = values.maybe(_P_NAME)
    if name is None and any(each in values for each in _OF_A_NAME):
        reading.fault(values.node, "a title or cause of a pattern without a name", "expected name:")
        raise Unreadable
    if name is not None and not _KEBAB_CASE.fullmatch(name):
        reading.fault(
            values.node,
            f'the name "{name}" of a pattern',
            "expected words in lower case with hyphens between them",
        )
        raise Unreadable
    told = (name, values.maybe(_P_TITLE), values.maybe(_P_CAUSE))
    if any(each in values for each in (*_CONDITIONS, _AND, _STEPS, _SHARE)):
        reading.fault(
            values.node,
            "a condition on a number without a metric",
            "expected metric: and the metric's name",
        )
        raise Unreadable
    if _ALL not in values:
        return Pattern((_part(values, reading),), *told)
    if any(each in values for each in (_TEMPLATE, _REGEX, _FRAME, _WHERE)):
        reading.fault(
            values.node,
            "a pattern with all and something beside it",
            "put everything into the list of all",
        )
        raise Unreadable
    return Pattern(values[_ALL], *told)


PATTERN = Record(
    "a pattern",
    (
        _P_NAME, _TEMPLATE, _REGEX, _FRAME, _WHERE, _ALL, _METRIC, *_CONDITIONS, _AND, _STEPS,
        _SHARE, *_OF_A_NAME,
    ),
    _pattern,
)  # fmt: skip

_WHEN_FRAMEWORK = Field("framework", TEXTS, "frameworks of which one was recognised")
_WHEN_PHASE = Field(
    "phase", ListOf(Choice(Phase), one_is_enough=True), "phases of which one was running"
)
_WHEN_VERSIONS = Field("versions", COMPARISONS, "comparisons of package versions")
_WHEN_CONFIG = Field("config", COMPARISONS, "comparisons of configuration values, by dotted key")
_WHEN_CAPTURES = Field("captures", COMPARISONS, "comparisons of captures")
_WHEN_PATTERN = Field(
    "pattern",
    ListOf(A_PATTERN, one_is_enough=True),
    "names of patterns of this signature, of which one fits",
)
_WHEN_SEEN = Field(
    "seen",
    ListOf(A_SIGNATURE, one_is_enough=True),
    "ids of signatures, of which one was matched in this run",
)
WHEN = Record(
    "when",
    (
        _WHEN_FRAMEWORK, _WHEN_PHASE, _WHEN_VERSIONS, _WHEN_CONFIG, _WHEN_CAPTURES, _WHEN_PATTERN,
        _WHEN_SEEN,
    ),
    lambda values, _: When(
        values.get(_WHEN_FRAMEWORK, ()),
        values.get(_WHEN_PHASE, ()),
        values.get(_WHEN_VERSIONS, {}),
        values.get(_WHEN_CONFIG, {}),
        values.get(_WHEN_CAPTURES, {}),
        values.get(_WHEN_PATTERN, ()),
        values.get(_WHEN_SEEN, ()),
    ),
)  # fmt: skip

_FORMULAS = tuple(
    Field(each.value, TEXT, doc)
    for each, doc in (
        (Formula.HALVE, "half of the run's own value, and not less than this"),
        (Formula.DOUBLE, "twice the run's own value, and not more than this"),
        (Formula.AT_LEAST, "this, where the run's own value is less"),
        (Formula.AT_MOST, "this, where the run's own value is more"),
        (Formula.MULTIPLE_OF, "the next multiple of this from the run's own value on"),
        (Formula.NEAREST_DIVISOR_OF, "the divisor of this that is nearest to the run's own value"),
    )
)


def _setting(values: Values, reading: Reading) -> Setting:
    given = [each for each in _FORMULAS if each in values]
    if len(given) != 1:
        reading.fault(
            values.node,
            f"a value to set with {len(given)} formulas",
            f"expected one of {', '.join(each.name for each in _FORMULAS)}",
        )
        raise Unreadable
    return Setting(values[given[0]], Formula(given[0].name))


SETTING = TextOr(Record("a value to set", _FORMULAS, _setting), Setting)
_R_WHEN = Field("when", WHEN, "conditions, all of which must hold")
_R_ACTION = Field("action", BothLanguages(), "what to do, imperative, one action", required=True)
_R_SET = Field("set", MapOf(SETTING), "configuration keys and their new values")
_R_RISK = Field(
    "risk",
    Choice(Risk),
    f"what it puts at stake: {', '.join(each.value for each in Risk)}",
    required=True,
)
_R_CHECK = Field("check", BothLanguages(), "how to see that it helped", required=True)
_R_REFERENCE = Field("reference", TEXT, "a URL")
_R_NEEDS = Field("needs", COMPARISONS, "releases of packages with which it can be done")
REMEDY = Record(
    "a remedy",
    (_R_WHEN, _R_NEEDS, _R_ACTION, _R_SET, _R_RISK, _R_CHECK, _R_REFERENCE),
    lambda values, _: Remedy(
        values.get(_R_WHEN, When()),
        values[_R_ACTION],
        values.get(_R_SET, {}),
        values[_R_RISK],
        values[_R_CHECK],
        values.maybe(_R_REFERENCE),
        values.get(_R_NEEDS, {}),
    ),
)

_E_TEXT = Field("text", LOG_TEXT, "the log text, as the program prints it", required=True)
_E_CAPTURES = Field("captures", MapOf(TEXT), "captures that it must give")
_E_ORIGIN = Field("origin", TEXT, "URL, or how it was captured", required=True)
EXAMPLE = Record(
    "an example",
    (_E_TEXT, _E_CAPTURES, _E_ORIGIN),
    lambda values, _: Example(
        values[_E_TEXT], values.get(_E_CAPTURES, {}), values[_E_ORIGIN], values.position
    ),
)
_C_TEXT = Field("text", LOG_TEXT, "a near miss", required=True)
_C_WHY = Field("why", TEXT, "why a careless pattern would hit it", required=True)
COUNTEREXAMPLE = Record(
    "a counterexample",
    (_C_TEXT, _C_WHY),
    lambda values, _: Counterexample(values[_C_TEXT], values[_C_WHY], values.position),
)

_ID = Field("id", TEXT, "the name of the file without .yaml", required=True)
_REFINES = Field(
    "refines", TEXT, "id of the general signature whose place it takes for its frameworks"
)
_TITLE = Field("title", BothLanguages(), "what is seen, in a few words", required=True)
_COMPONENT = Field(
    "component", TEXT, "the software that prints it; the name of the folder", required=True
)
_SEVERITY = Field("severity", Choice(Severity), "fatal, error or warning", required=True)
_ROLE = Field("role", Choice(Role), "cause, wrapper, symptom, teardown or benign", required=True)
_MATURITY = Field("maturity", Choice(Maturity), "draft or confirmed", required=True)
_ALIASES = Field("aliases", ListOf(TEXT), "former ids")
_PATTERNS = Field(
    "patterns",
    ListOf(PATTERN, at_least=1),
    "ways to recognise it, any of which is enough",
    required=True,
)
_EXTRACT = Field(
    "extract",
    ListOf(EXTRACT),
    "values read anywhere in the event, whatever pattern fits; one that is not there is missing",
)
_LABELS = Field(
    "labels",
    MapOf(BothLanguages()),
    "what captures are called where a condition on them is told",
)
_EXCLUDES = Field("excludes", ListOf(PART), "near misses that must not count")
_FRAMEWORKS = Field("frameworks", ListOf(TEXT), "frameworks it belongs to; empty: any")
_EXPLAINS = Field("explains", ListOf(TEXT), "ids of wrappers and symptoms that this one outranks")
_STALLS = Field(
    "stalls",
    ListOf(Choice(Phase), at_least=1),
    "phases in which a run stands still in this way before it is printed, if it ever is",
)
_CAUSE = Field("cause", BothLanguages(), "what happened and how one tells", required=True)
_REMEDIES = Field(
    "remedies", ListOf(REMEDY, at_least=1), "what to change, in the order to try", required=True
)
_EXAMPLES = Field(
    "examples", ListOf(EXAMPLE, at_least=1), "texts that must be recognised", required=True
)
_COUNTEREXAMPLES = Field(
    "counterexamples",
    ListOf(COUNTEREXAMPLE, at_least=1),
    "near misses that must not",
    required=True,
)
_REFERENCES = Field(
    "references", ListOf(TEXT, at_least=1), "URLs of raise site, FAQ, issue", required=True
)

_NOTHING = LocalText("", "")


def _check_names(patterns: Iterable[Pattern], values: Values, reading: Reading) -> None:
    for name, count in Counter(each.name for each in patterns if each.name).items():
        if count > 1:
            reading.fault(
                values.node, f'{count} patterns with the name "{name}"', "expected each name once"
            )
            raise Unreadable


def _signature(values: Values, reading: Reading) -> Signature:
    if _REFINES in values and not values.get(_FRAMEWORKS, ()):
        reading.fault(
            values.node,
            "a signature that refines another has no frameworks",
            "expected the frameworks it speaks for",
        )
        raise Unreadable
    patterns = [each for each in values.get(_PATTERNS, ()) if isinstance(each, Pattern)]
    _check_names(patterns, values, reading)
    return Signature(
        id=values[_ID],
        title=values.get(_TITLE, _NOTHING),
        component=values[_COMPONENT],
        severity=values.get(_SEVERITY, Severity.ERROR),
        role=values.get(_ROLE, Role.CAUSE),
        maturity=values[_MATURITY],
        aliases=values.get(_ALIASES, ()),
        refines=values.maybe(_REFINES),
        patterns=tuple(patterns),
        metrics=tuple(
            each for each in values.get(_PATTERNS, ()) if isinstance(each, MetricPattern)
        ),
        excludes=values.get(_EXCLUDES, ()),
        frameworks=values.get(_FRAMEWORKS, ()),
        explains=values.get(_EXPLAINS, ()),
        stalls=values.get(_STALLS, ()),
        extracts=values.get(_EXTRACT, ()),
        labels=values.get(_LABELS, {}),
        cause=values.get(_CAUSE, _NOTHING),
        remedies=values[_REMEDIES],
        examples=values[_EXAMPLES],
        counterexamples=values.get(_COUNTEREXAMPLES, ()),
        references=values[_REFERENCES],
        position=values.position,
    )


_INHERITED = ("title", "severity", "role", "patterns", "cause", "counterexamples")
SIGNATURE = Record(
    "a signature",
    (
        _ID, _REFINES, _TITLE, _COMPONENT, _SEVERITY, _ROLE, _MATURITY, _ALIASES, _PATTERNS,
        _EXTRACT, _LABELS, _EXCLUDES, _FRAMEWORKS, _EXPLAINS, _STALLS, _CAUSE, _REMEDIES, _EXAMPLES,
        _COUNTEREXAMPLES, _REFERENCES,
    ),
    _signature,
    required_unless=dict.fromkeys(_INHERITED, ("refines",)),
)  # fmt: skip


def json_schema() -> dict[str, Any]:
    """JSON Schema of a signature file, for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "logdoctor signature",
        "description": (
            "A known problem: how it is recognised, what causes it, what to change. See "
            "signatures/README.md."
        ),
        **SIGNATURE.schema(),
        "allOf": [
            {"if": {"not": {"required": ["refines"]}}, "then": {"required": list(_INHERITED)}}
        ],
    }


def load_signatures(paths: Iterable[Path]) -> SignatureDatabase:
    """Reads files and folders (all `*.yaml` below them) into one database.

    Raises:
        SignatureError: with all faults of all files.
    """
    return read_signatures(signature_files(paths), SignatureDatabase((), ""))


def read_signatures(files: Sequence[SignatureFile], others: SignatureDatabase) -> SignatureDatabase:
    """Reads files into a database of their signatures only, which may name the `others`.

    Raises:
        SignatureError: with all faults of all files.
    """
    faults: list[Fault] = []
    read = [each for file in files if (each := _load_file(file, faults))]
    signatures = [signature for signature, _ in read]
    faults.extend(_cross_faults(signatures, others, complete=not faults))
    by_name = _ByName(signatures, others)
    if not faults:
        faults.extend(
            fault for each, mentions in read for fault in _mention_faults(each, mentions, by_name)
        )
    if faults:
        raise SignatureError(
            tuple(sorted(faults, key=lambda fault: (fault.position.file, fault.position.line)))
        )
    complete = (_inherit(each, by_name) for each in signatures)
    return SignatureDatabase(
        tuple(sorted(complete, key=lambda each: each.id)), content_version(files, others.version)
    )


class _ByName(Mapping[str, Signature]):
    """Signatures by ids and aliases; others are looked up when they are asked for."""

    def __init__(self, signatures: Iterable[Signature], others: SignatureDatabase) -> None:
        self._own: dict[str, Signature] = {}
        for each in signatures:
            for name in (each.id, *each.aliases):
                self._own.setdefault(name, each)
        self._others = others

    def __getitem__(self, name: str) -> Signature:
        found = self._own.get(name) or self._others.find(name)
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter({**self._own, **self._others.directory.numbers})

    def __len__(self) -> int:
        return len({**self._own, **self._others.directory.numbers})


def _load_file(
    file: SignatureFile, faults: list[Fault]
) -> tuple[Signature, Sequence[Mention]] | None:
    reading = Reading(str(file.path))
    signature = None
    if file.problem:
        faults.append(Fault(Position(str(file.path), 1, 1), file.problem))
        return None
    try:
        node = compose(file.content.decode("utf-8-sig"), reading)
        if node is not None:
            signature = SIGNATURE.read(node, reading)
            _check_place(signature, file.path, node, reading)
    except UnicodeDecodeError as error:
        reading.faults.append(
            Fault(
                Position(str(file.path), 1, 1),
                f"not UTF-8 at byte {error.start}",
                "save it as UTF-8",
            )
        )
    except Unreadable:
        pass
    faults.extend(reading.faults)
    return (signature, reading.mentions) if signature else None


def _check_place(signature: Signature, file: Path, node: yaml.Node, reading: Reading) -> None:
    if not _KEBAB_CASE.fullmatch(signature.id):
        reading.fault(
            node, f'id "{signature.id}"', "expected words in lower case with hyphens between them"
        )
    if signature.id != file.stem:
        reading.fault(
            node,
            f'id "{signature.id}" in file "{file.name}"',
            f'expected "{file.stem}", or rename the file',
        )


def _cross_faults(
    signatures: list[Signature], others: SignatureDatabase, complete: bool
) -> list[Fault]:
    """Faults between files; references to ids are judged only where every file could be read."""
    faults = []
    owners = _ByName(signatures, others)
    seen: set[str] = set()
    for signature in signatures:
        for name in (signature.id, *signature.aliases):
            if name in seen or others.find(name):
                faults.append(
                    Fault(
                        signature.position,
                        f'duplicate id "{name}"',
                        f"also in {(others.find(name) or owners[name]).position}; ids are unique "
                        "for ever",
                    )
                )
            seen.add(name)
    if complete:
        faults += _reference_faults(signatures, owners)
    return faults


def _reference_faults(
    signatures: Iterable[Signature], owners: Mapping[str, Signature]
) -> Iterator[Fault]:
    for signature in signatures:
        general = owners.get(signature.refines or "")
        if signature.refines and (general is None or general.refines):
            what = "a refinement itself" if general else "unknown"
            yield Fault(
                signature.position,
                f'refines "{signature.refines}", which is {what}',
                "expected the id of a general signature",
            )
        unknown = (other for other in signature.explains if other not in owners)
        for other in unknown:
            yield Fault(
                signature.position,
                f'explains "{other}", which is unknown',
                "expected the id of a signature",
            )


def _mention_faults(
    signature: Signature, mentions: Iterable[Mention], by_name: Mapping[str, Signature]
) -> Iterable[Fault]:
    """Names of patterns and signatures that conditions ask for and nothing has."""
    general = by_name.get(signature.refines or "")
    patterns = [*signature.patterns, *(general.patterns if general else ())]
    names = {each.name for each in patterns if each.name}
    for kind, name, position in mentions:
        if kind == A_PATTERN.kind and name not in names:
            hint = (
                f"expected one of {', '.join(sorted(names))}" if names else "no pattern has a name"
            )
            yield Fault(position, f'unknown pattern "{name}"', hint)
        elif kind == A_SIGNATURE.kind and name not in by_name:
            yield Fault(position, f'unknown signature "{name}"', "expected the id of a signature")
        elif kind == A_SIGNATURE.kind and by_name[name] in (signature, general):
            yield Fault(
                position,
                f'"{name}" is seen wherever this signature is',
                "expected another signature",
            )


def _is_given(remedy: Remedy, own: tuple[Remedy, ...]) -> bool:
    """Whether one of a refinement's own remedies sets the same keys to the same values."""
    return bool(remedy.settings) and any(remedy.settings == each.settings for each in own)


def _inherit(signature: Signature, by_id: Mapping[str, Signature]) -> Signature:
    """A refinement completed with what it inherits; its own remedies come first."""
    if not signature.refines:
        return signature
    general = by_id[signature.refines]
    return signature._replace(
        title=general.title if signature.title == _NOTHING else signature.title,
        severity=general.severity,
        role=general.role,
        cause=general.cause if signature.cause == _NOTHING else signature.cause,
        explains=tuple(dict.fromkeys(signature.explains + general.explains)),
        stalls=signature.stalls or general.stalls,
        extracts=signature.extracts + general.extracts,
        labels={**general.labels, **signature.labels},
        excludes=signature.excludes + general.excludes if signature.patterns else (),
        remedies=signature.remedies
        + tuple(each for each in general.remedies if not _is_given(each, signature.remedies)),
        references=tuple(dict.fromkeys(signature.references + general.references)),
    )
