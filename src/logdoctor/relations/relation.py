"""The nouns of relations: Relation, Framework, Violation, Verdict of a configuration."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from logdoctor.model import LocalText, Maturity, Place, Position, Severity
from logdoctor.relations.formula import Node
from logdoctor.settings.configuration import Setting
from logdoctor.settings.values import Value


class Origin(NamedTuple):
    """Where a framework itself has the relation: release or commit, file, line from 1."""

    version: str
    file: str
    line: int


class Example(NamedTuple):
    """Settings that break a relation or just fit, by name as in the formula."""

    settings: Mapping[str, Value]
    position: Position


class Relation(NamedTuple):
    """What must hold between settings.

    Attributes:
        id: unique for ever.
        framework: the folder it lies in.
        severity: ERROR where the run ends or computes something else than asked; WARNING where
            it may be meant.
        when: what must be true for the relation to count; None: always.
        holds: what must be true then.
        why: what happens otherwise.
        error: what the framework prints then; None where it says nothing (silent).
        adjust: settings to change, the one to try first, first.
        versions: comparisons of the framework's version of which all must hold.
        signature_id: the signature of that failure; None where there is none.
        is_evidence: whether it is judged of failed runs only, as most that break it run well.
    """

    id: str
    framework: str
    title: LocalText
    severity: Severity
    maturity: Maturity
    when: Node | None
    holds: Node
    why: LocalText
    error: str | None
    adjust: tuple[str, ...]
    versions: tuple[str, ...]
    origin: Origin
    signature_id: str | None
    breaks: tuple[Example, ...]
    fits: tuple[Example, ...]
    references: tuple[str, ...]
    is_evidence: bool
    position: Position


class Framework(NamedTuple):
    """How the runs of a framework are recognised, and what its settings are.

    Attributes:
        name: the folder of its relations.
        programs: modules, files and commands that run it, or classes that configure it.
        keys: settings that it has and others have not.
        is_part: whether it is looked at beside the framework that a run is of (a launcher).
        package: whose releases count as its versions; empty where nothing does.
        machine: formulas for facts as `gpus`, by name; where they cannot be told, resources and
            options stand.
        units: of settings, by name; what has none is a plain number.
        aliases: other names of settings, by that name.
    """

    name: str
    programs: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    is_part: bool = False
    package: str = ""
    machine: Mapping[str, Node] = MappingProxyType({})
    units: Mapping[str, str] = MappingProxyType({})
    aliases: Mapping[str, str] = MappingProxyType({})


class Suggestion(NamedTuple):
    """One setting to another value with which the relation holds, and no other is newly broken."""

    key: str
    value: Value


class Violation(NamedTuple):
    """A relation that does not hold.

    Attributes:
        because: the relation with the values put in, in both languages.
        settings: all that it depends on, in the formula's order.
        suggestions: the nearest first for each setting.
        at: the first of its settings that the user wrote; None where all are facts or defaults.
    """

    relation: Relation
    because: LocalText
    settings: tuple[Setting, ...]
    suggestions: tuple[Suggestion, ...]
    at: Place | None


class NotJudged(NamedTuple):
    """A relation that could not be judged, and the names that this depends on (never empty)."""

    relation: Relation
    missing: tuple[str, ...]


class PhaseMemory(NamedTuple):
    """What of a GPU's memory a phase of the run is estimated to take.

    Attributes:
        gib: by the name of the fact.
        error: how far estimates were off, as a share of all parts but the first.
        most: the part that takes most.
        settings: numbers that this part depends on, as the run has them.
        there: GiB that a GPU has.
    """

    phase: str
    gib: Mapping[str, float]
    error: float
    most: str
    settings: tuple[Setting, ...]
    there: float


class Judgement(NamedTuple):
    """What the relations say of one configuration.

    Attributes:
        framework: what the run is of; None where it is not recognised.
        version: release of the framework by which defaults were taken; None where none is known.
        violations: errors first, then in the order of ids.
        not_judged: in the order of ids.
        judged: how many relations counted and could be judged.
        memory: estimates, where the user says how much a GPU has.
    """

    name: str
    framework: str | None
    version: str | None
    violations: tuple[Violation, ...] = ()
    not_judged: tuple[NotJudged, ...] = ()
    judged: int = 0
    memory: tuple[PhaseMemory, ...] = ()
