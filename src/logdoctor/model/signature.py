"""A known problem: Signature, with its patterns, remedies and examples.

Annotations are evaluated: `NamedTuple` compiles texts one by one, which takes as long as all else
that it does.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from logdoctor.model.words import (
    Formula,
    LocalText,
    Maturity,
    Phase,
    Position,
    Risk,
    Role,
    Severity,
    Where,
)


class Part(NamedTuple):
    """One text to be found: a template (fuzzy) or a regex (exact); exactly one of the two is
    set.

    Attributes:
        soon: characters of the longest text of ASCII in which a search for the regex surely ends
            soon; 0 where that is not known of any.
    """

    template: str | None
    regex: str | None
    where: Where
    position: Position
    soon: int = 0


class Pattern(NamedTuple):
    """One way to recognise a signature: all its parts within one event (never empty).

    Attributes:
        name: what conditions ask for; unique in its signature.
        title, cause: what is said where this one fits, in place of the signature's own; only a
            pattern with a name has them.
    """

    parts: tuple[Part, ...]
    name: str | None = None
    title: LocalText | None = None
    cause: LocalText | None = None


class Extract(NamedTuple):
    """Values read anywhere in an event, whatever recognised it: a template or a regex, to the
    letter; exactly one of the two is set; `soon` as in `Part`.
    """

    template: str | None
    regex: str | None
    position: Position
    soon: int = 0


class MetricBounds(NamedTuple):
    """Where numbers are out of order; all conditions that are given must hold.

    Attributes:
        is_not_finite: NaN or infinite.
        is_constant: the same as the value before.
        is_zero: zero as it is printed, with no more decimals that rounding may have taken.
        above, below: bounds that the value is beyond.
        times_median: the value is so many times the median of the earlier ones.
        above_start, below_start: it is more, or less, than so many times the median of the first
            values.
        below_best: it is less than this share of the best that the run has held for a while.
    """

    is_not_finite: bool = False
    is_constant: bool = False
    is_zero: bool = False
    above: float | None = None
    below: float | None = None
    times_median: float | None = None
    above_start: float | None = None
    below_start: float | None = None
    below_best: float | None = None


class Companion(NamedTuple):
    """Another metric of the source, whose last value must be out of order as well; `name` as in
    `MetricPattern`.
    """

    name: str
    bounds: MetricBounds


class MetricPattern(NamedTuple):
    """Numbers of step lines that are out of order.

    Attributes:
        name: regex that fits the whole name of the metric, in any letter case; `<reward>` stands
            for what frameworks call it (`logdoctor.formats.metric_names`).
        steps: how many values in succession, up to the last, are beyond the bounds.
        share: and how much of all steps so far they are, from 0 to 1.
    """

    name: str
    bounds: MetricBounds
    companion: Companion | None
    steps: int
    position: Position
    share: float = 0.0


class When(NamedTuple):
    """The conditions of a remedy; all that are given must hold.

    `versions`, `config` and `captures` map a name to the comparisons of which any one must hold,
    e.g. `("<0.6",)`. `patterns` are names of patterns of which one fits the event, `seen` ids of
    signatures of which one was matched in this run.
    """

    frameworks: tuple[str, ...] = ()
    phases: tuple[Phase, ...] = ()
    versions: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    config: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    captures: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    patterns: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()


class Setting(NamedTuple):
    """What a configuration key is to be: a value, or a comparison that it must meet, as text;
    with a formula, what the run's own value is changed by.
    """

    text: str
    formula: Formula | None = None


class Remedy(NamedTuple):
    """One thing to change, with the configuration keys to set (may be empty) and how to see that
    it helped; `needs` are the releases of packages with which that can be done, as in `When`.
    """

    when: When
    action: LocalText
    settings: Mapping[str, Setting]
    risk: Risk
    check: LocalText
    reference: str | None
    needs: Mapping[str, tuple[str, ...]] = MappingProxyType({})


class Example(NamedTuple):
    """A text that must be recognised, with the captures it must give (may be empty) and where it
    comes from.
    """

    text: str
    captures: Mapping[str, str]
    origin: str
    position: Position


class Counterexample(NamedTuple):
    """A near miss that must not be recognised, and why it could be."""

    text: str
    why: str
    position: Position


class Signature(NamedTuple):
    """A known problem.

    A signature with `refines` stands for the one it names where one of its `frameworks` was
    recognised; the loader has filled in what it inherits, so that every field is complete.
    `patterns` is empty only for such a one, and where there are `metrics`. `stalls` are the phases
    in which a run stands still in this way before it is printed, if it ever is; empty where it does
    not stand still. `labels` are what readers are told for the names of captures.
    """

    id: str
    title: LocalText
    component: str
    severity: Severity
    role: Role
    maturity: Maturity
    aliases: tuple[str, ...]
    refines: str | None
    patterns: tuple[Pattern, ...]
    excludes: tuple[Part, ...]
    frameworks: tuple[str, ...]
    explains: tuple[str, ...]
    cause: LocalText
    remedies: tuple[Remedy, ...]
    examples: tuple[Example, ...]
    counterexamples: tuple[Counterexample, ...]
    references: tuple[str, ...]
    position: Position
    metrics: tuple[MetricPattern, ...] = ()
    stalls: tuple[Phase, ...] = ()
    extracts: tuple[Extract, ...] = ()
    labels: Mapping[str, LocalText] = MappingProxyType({})

    @property
    def is_general(self) -> bool:
        """Whether it is a cause that programs also catch (severity error): it yields to whatever
        says more.
        """
        return self.role is Role.CAUSE and self.severity is Severity.ERROR


class Directory(NamedTuple):
    """Numbers, from 0, of signatures by id and alias, of refinements by the id that they refine,
    of those with metrics, and of all by their component, ascending.
    """

    numbers: Mapping[str, int]
    refinements: Mapping[str, Sequence[int]]
    metrics: Sequence[int]
    components: Mapping[str, Sequence[int]]


class Wording(NamedTuple):
    """What a signature says in each of its templates: the template, and its literal texts as
    messages are compared with them; empty where it has none.
    """

    id: str
    texts: tuple[tuple[str, str], ...]


class SignatureDatabase:
    """All signatures in the order of their ids, and a hash of their contents (16 hexadecimal
    digits).
    """

    def __init__(
        self,
        signatures: Sequence[Signature],
        version: str,
        directory: Directory | None = None,
        wordings: Sequence[Wording] = (),
    ) -> None:
        """`directory` and `wordings`, that of each signature or none, spare looking through all
        signatures, where they are decoded one by one.
        """
        self.signatures = signatures
        self.version = version
        self.wordings = wordings
        self.directory = directory or _directory(signatures)

    def find(self, id_or_alias: str) -> Signature | None:
        """The signature of that id, or that once had it."""
        number = self.directory.numbers.get(id_or_alias)
        return None if number is None else self.signatures[number]

    def with_metrics(self) -> tuple[Signature, ...]:
        """The signatures that judge numbers, in the order of their ids."""
        return tuple(self.signatures[number] for number in self.directory.metrics)

    def refinements(self, general_id: str) -> tuple[Signature, ...]:
        """The signatures that refine the one of that id, in the order of their ids."""
        return tuple(
            self.signatures[number] for number in self.directory.refinements.get(general_id, ())
        )


def _directory(signatures: Sequence[Signature]) -> Directory:
    numbers: dict[str, int] = {}
    refinements: dict[str, list[int]] = {}
    components: dict[str, list[int]] = {}
    for number, signature in enumerate(signatures):
        components.setdefault(signature.component, []).append(number)
        for name in (signature.id, *signature.aliases):
            numbers.setdefault(name, number)
        if signature.refines:
            refinements.setdefault(signature.refines, []).append(number)
    return Directory(
        numbers,
        refinements,
        [number for number, signature in enumerate(signatures) if signature.metrics],
        components,
    )
