"""Relations and a configuration to a judgement: judge, recognise."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from logdoctor.model import Severity
from logdoctor.relations.defaults import Defaults, load_defaults
from logdoctor.relations.formula import (
    Absent,
    Constant,
    Name,
    Node,
    Unfit,
    Unknown,
    evaluate,
    names_of,
)
from logdoctor.relations.model_facts import KNOWN_MODELS, model_facts, read_models
from logdoctor.relations.relation import (
    Framework,
    Judgement,
    NotJudged,
    PhaseMemory,
    Relation,
    Suggestion,
    Violation,
)
from logdoctor.relations.shipped import Shipped
from logdoctor.relations.wording import told
from logdoctor.settings.configuration import Configuration, Setting
from logdoctor.settings.interpolation import NotInterpolated, has_reference, interpolated
from logdoctor.settings.values import Value, is_count
from logdoctor.signatures.conditions import version_holds

MOST_TRIED = 512
"""Values on each side that are tried as suggestions."""

VERSION = "@version"
"""The fact that is missing where releases differ and nobody says which."""

LEAST_KEYS = 2
"""Settings that only one framework has, by which a file is taken for its."""


PHASES = (
    ("update", ("@memory_states", "@memory_activations", "@memory_logits"), 0.25),
    ("generation", ("@memory_engine", "@memory_kept"), 0.02),
)
"""What a GPU does, the facts that its memory is the sum of, and how far the sum was off, as a share
of what is not weights or states (docs/preflight.md).
"""


class Asked(NamedTuple):
    """What the user says beside the files.

    Attributes:
        framework, version: of the run; None where the files tell.
        gpus: GPUs of one node.
        gpu_memory: GiB of one GPU.
        has_failed: whether the run is over and failed, so that evidence counts.
    """

    framework: str | None = None
    version: str | None = None
    gpus: int | None = None
    nodes: int | None = None
    gpu_memory: float | None = None
    has_failed: bool = False


class RelationBase:
    """The relations of a folder, each framework's read when it is first asked for.

    Raises:
        SignatureError: files of frameworks are broken; of relations, when they are asked for.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._relations: dict[str, tuple[Relation, ...]] = {}
        try:
            self._shipped: Shipped | None = Shipped(root)
        except OSError:  # a checkout, or the user's own folder
            from logdoctor.relations.reading import load_frameworks  # noqa: PLC0415  # imports YAML

            self._shipped, self.frameworks = None, load_frameworks(root)
        else:
            self.frameworks = self._shipped.frameworks

    @property
    def models(self) -> Sequence[Mapping[str, Any]]:
        """The models that are known by their names."""
        return self._shipped.models if self._shipped else read_models(self._root / KNOWN_MODELS)

    def relations(self, name: str) -> tuple[Relation, ...]:
        """The relations of a framework, in the order of ids."""
        if name not in self._relations:
            self._relations[name] = self._read(name)
        return self._relations[name]

    def _read(self, name: str) -> tuple[Relation, ...]:
        if self._shipped:
            return self._shipped.relations(name)
        from logdoctor.relations.reading import load_relations  # noqa: PLC0415  # as above

        return load_relations(self._root, [self.frameworks[name]])

    def names(self, framework: str) -> frozenset[str]:
        """All settings that the relations of a framework name, facts and variables left out."""
        formulas = [
            node
            for relation in self.relations(framework)
            for node in (relation.when, relation.holds)
            if node
        ]
        formulas += self.frameworks[framework].machine.values()
        return frozenset(
            name for node in formulas for name in names_of(node) if name[0] not in "@$"
        )

    def defaults(self, name: str, configuration: Configuration) -> Defaults:
        """What the framework takes where a configuration sets nothing."""
        return load_defaults(self._root, name, configuration)


def recognise(configuration: Configuration, frameworks: Mapping[str, Framework]) -> str | None:
    """The framework that a configuration is for; None where none or several could be meant."""
    scores: dict[str, tuple[int, int]] = {}
    # a class configures what it is named for
    is_class = any(each.isidentifier() and each[:1].isupper() for each in configuration.programs)
    for name, each in frameworks.items():
        started = sum(_runs(each, program) for program in configuration.programs)
        keys = 0 if is_class else sum(_has(configuration, key) for key in each.keys)
        if not each.is_part and (started or keys >= min(LEAST_KEYS, len(each.keys) or LEAST_KEYS)):
            scores[name] = (started, keys)
    best = sorted(scores, key=scores.__getitem__, reverse=True)
    if not best or (len(best) > 1 and scores[best[0]] == scores[best[1]]):
        return None
    return best[0]


def _runs(framework: Framework, program: str) -> bool:
    return any(
        program == each
        or program.endswith(f"/{each}")
        or (each[-1] == "*" and program.startswith(each[:-1]))
        for each in framework.programs
    )


def _has(configuration: Configuration, key: str) -> bool:
    prefix = f"{key}."
    return any(
        each == key or each.startswith(prefix)
        for each in (*configuration.settings, *configuration.unresolved)
    )


def judge(configuration: Configuration, base: RelationBase, asked: Asked) -> Judgement:
    """What the relations of the configuration's framework, and of what it is started with, say."""
    name = asked.framework or recognise(configuration, base.frameworks)
    violations: list[Violation] = []
    not_judged: list[NotJudged] = []
    judged = 0
    main = base.frameworks.get(name) if name else None
    parts = [each for each in base.frameworks.values() if each.is_part]
    memory: tuple[PhaseMemory, ...] = ()
    for part in (main, *parts) if main else parts:
        relations = base.relations(part.name)
        judging = _Judging(configuration, base, main or part, asked, relations)
        if part is main and asked.gpu_memory:
            memory = judging.memory()
        for relation in relations:
            if relation.is_evidence and not asked.has_failed:
                continue
            found = judging.of(relation)
            judged += found is not None and not isinstance(found, NotJudged)
            if isinstance(found, Violation):
                violations.append(found)
            elif isinstance(found, NotJudged) and part is main:
                not_judged.append(found)
    violations.sort(key=lambda each: (each.relation.severity is Severity.WARNING, each.relation.id))
    return Judgement(
        configuration.name,
        name,
        asked.version,
        tuple(violations),
        tuple(not_judged),
        judged,
        memory,
    )


class _Judging:
    """One configuration by the relations of one framework."""

    def __init__(
        self,
        configuration: Configuration,
        base: RelationBase,
        framework: Framework,
        asked: Asked,
        relations: Sequence[Relation],
    ) -> None:
        self._configuration = configuration
        self._framework = framework
        self._asked = asked
        self._relations = relations
        self._defaults = base.defaults(framework.name, configuration)
        self._known: dict[str, Value | Unknown] = {}
        self._all: dict[str, Value] | None = None
        self._base = base
        self._model: Mapping[str, Value] | None = None

    def of(self, relation: Relation) -> Violation | NotJudged | bool | None:
        """True where it holds, None where it does not count."""
        try:
            if not self._counts(relation, self.lookup):
                return None
            if evaluate(relation.holds, self.lookup) is True:
                return True
        except Unknown as error:
            return NotJudged(relation, tuple(sorted(error.names)))
        except Unfit:
            return NotJudged(relation, self._odd_names(relation))
        return self._violation(relation)

    def lookup(self, name: str) -> Value:
        """The value of a name.

        Raises:
            Unknown: nothing is known of it.
        """
        if name not in self._known:
            try:
                self._known[name] = self._found(name)
            except Unknown as error:
                self._known[name] = error
        known = self._known[name]
        if isinstance(known, Unknown):
            raise known
        return known

    def _counts(self, relation: Relation, lookup: Callable[[str], Value]) -> bool:
        when = relation.when is None or evaluate(relation.when, lookup)
        if when is not True:
            return False
        for comparison in relation.versions:
            if self._asked.version is None:
                raise Unknown(frozenset({VERSION}))
            if not version_holds(self._asked.version, comparison):
                return False
        return True

    def _found(self, name: str) -> Value:
        if name.startswith("$"):
            given = self._configuration.environment.get(name[1:])
            return given.value if given else None
        if name.startswith("@"):
            return self._fact(name)
        key = self._framework.aliases.get(name, name)
        for each in dict.fromkeys((name, key)):
            given = self._configuration.settings.get(each)
            if given:
                return self._resolved(each, given.value)
            if each in self._configuration.unresolved:
                raise Unknown(frozenset({each}))
        if not self._configuration.openings:
            known, value = self._defaults.of(name, self._asked.version)
            if known:
                return self._resolved(name, value)
            raise Absent(frozenset({name}))
        raise Unknown(frozenset({name}))

    def _resolved(self, key: str, value: Value) -> Value:
        if not has_reference(value):
            return value
        if self._all is None:
            taken = {} if self._configuration.openings else self._defaults.all(self._asked.version)
            given = {name: each.value for name, each in self._configuration.settings.items()}
            hidden = self._configuration.unresolved
            self._all = {
                name: each for name, each in {**taken, **given}.items() if name not in hidden
            }
        try:
            return interpolated(key, self._all)
        except NotInterpolated as error:
            raise Unknown(frozenset({key})) from error

    def _fact(self, name: str) -> Value:
        formula = self._framework.machine.get(name)
        value: Value = None
        if formula is not None:
            try:
                value = evaluate(formula, self.lookup)
            except (Unknown, Unfit):
                value = None
        if value is None:
            value = self._told(name[1:])
        if value is None:
            raise Unknown(frozenset({name}))
        return value

    def _told(self, name: str) -> Value:
        """A fact that the user, Slurm or a launcher tells, or the model's own file."""
        asked = self._asked
        telling: Mapping[str, Callable[[], Value]] = {
            "gpus": lambda: self._told("available_gpus"),
            "gpus_per_node": lambda: self._told("available_gpus_per_node"),
            "nodes": lambda: self._told("available_nodes"),
            "available_nodes": lambda: (
                asked.nodes or self._resource("nodes") or (1 if asked.gpus else None)
            ),
            "available_gpus_per_node": lambda: asked.gpus or self._resource("gpus_per_node"),
            "available_gpus": lambda: self._product("available_gpus_per_node", "available_nodes"),
            "processes": lambda: (
                self._resource("processes")
                or self._product("launched_per_node", "launched_nodes")
                or self._told("available_gpus")
            ),
            "gpu_memory": lambda: asked.gpu_memory,
            "host_memory": lambda: self._resource("host_memory"),
        }
        if name in telling:
            return telling[name]()
        if self._model is None:
            self._model = model_facts(self._configuration, lambda: self._base.models)
        return self._resource(name) or self._model.get(name)

    def _product(self, *names: str) -> Value:
        counts = [self._told(name) for name in names]
        known = [each for each in counts if is_count(each)]
        return math.prod(known) if len(known) == len(names) else None

    def _resource(self, name: str) -> Value:
        given = self._configuration.resources.get(name)
        return given.value if given else None

    def _odd_names(self, relation: Relation) -> tuple[str, ...]:
        nodes = [each for each in (relation.when, relation.holds) if each]
        names = dict.fromkeys(name for node in nodes for name in names_of(node))
        odd = [name for name in names if not _is_number(self._maybe(name))]
        return tuple(odd or names)

    def _maybe(self, name: str) -> Value:
        try:
            return self.lookup(name)
        except Unknown:
            return None

    def _violation(self, relation: Relation) -> Violation:
        settings = tuple(self._setting(name) for name in names_of(relation.holds))
        conditions = names_of(relation.when) if relation.when else ()
        places = [each.place for each in (*settings, *map(self._setting, conditions))]
        at = next((place for place in places if place), None)
        because = told(relation.holds, self.lookup)
        return Violation(relation, because, settings, tuple(self._suggestions(relation)), at)

    def _setting(self, name: str) -> Setting:
        """A setting, or what stands for it, with its value as far as it is known."""
        given = (
            self._configuration.environment.get(name[1:])
            if name.startswith("$")
            else self._configuration.settings.get(name)
        )
        return Setting(name, self._maybe(name), given.place if given else None)

    def _suggestions(self, relation: Relation) -> Iterator[Suggestion]:
        for key in relation.adjust:
            value = self._maybe(key)
            if isinstance(value, bool):
                if self._fits(relation, key, not value):
                    yield Suggestion(key, not value)
            elif isinstance(value, int):
                for step in (-1, 1):
                    near = range(value + step, value + step * (MOST_TRIED + 1), step)
                    tried = (*near, *_halves_or_doubles(value, step))
                    fitting = (
                        each for each in tried if each > 0 and self._fits(relation, key, each)
                    )
                    if (best := next(fitting, None)) is not None:
                        yield Suggestion(key, best)

    def _fits(self, relation: Relation, key: str, value: Value) -> bool:
        """Whether the relation holds with another value, and no other that held is broken."""

        def lookup(name: str) -> Value:
            if name == key:
                return value
            formula = self._framework.machine.get(name)
            if formula is not None and self._moves(formula, key):
                return evaluate(formula, lookup)
            return self.lookup(name)

        return self._state(relation, lookup) is True and not any(
            self._state(each, lookup) is False and self._state(each, self.lookup) is not False
            for each in self._relations
            if each is not relation and key in names_of(each.holds)
        )

    def _moves(self, formula: Node, key: str) -> bool:
        """Whether a fact depends on a setting, by other facts too."""
        names = names_of(formula)
        return key in names or any(
            self._moves(self._framework.machine[each], key)
            for each in names
            if each in self._framework.machine
        )

    def memory(self) -> tuple[PhaseMemory, ...]:
        """What the framework's formulas say of the memory of a GPU, as far as all of a phase is
        known.
        """
        return tuple(filter(None, (self._phase(*each) for each in PHASES)))

    def _phase(self, phase: str, parts: Sequence[str], error: float) -> PhaseMemory | None:
        gib: dict[str, float] = {}
        for part in parts:
            value = self._maybe(part) if part in self._framework.machine else None
            if not _is_number(value):
                return None
            gib[part] = float(value)  # type: ignore[arg-type]  # it is a number
        most = max(gib, key=lambda each: gib[each])
        settings = [
            self._setting(name) for name in self._settings_of(self._framework.machine[most])
        ]
        given = tuple(each for each in settings if _is_number(each.value))
        there = self._asked.gpu_memory or 0.0
        return PhaseMemory(phase, gib, error, most, given, there)

    def _settings_of(self, node: Node) -> dict[str, None]:
        """The settings that a value comes from, by other facts too."""
        if isinstance(node, Name):
            formula = self._framework.machine.get(node.name)
            if formula is not None:
                return self._settings_of(formula)
            return {node.name: None} if node.name[0] not in "@$" else {}
        if isinstance(node, Constant):
            return {}
        counted = node.operands
        if node.operator == "choose":
            counted = counted[1:2] if evaluate(counted[0], self.lookup) is True else counted[2:]
        return {name: None for each in counted for name in self._settings_of(each)}

    def _state(self, relation: Relation, lookup: Callable[[str], Value]) -> Value:
        try:
            if not self._counts(relation, lookup):
                return None
            return evaluate(relation.holds, lookup)
        except (Unknown, Unfit):
            return None


def _halves_or_doubles(value: int, step: int) -> Iterator[int]:
    """Farther values of the kind that people set, the nearest first."""
    for times in range(1, 11):
        yield value >> times if step < 0 else value << times


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def resolved_share(
    configuration: Configuration, base: RelationBase, framework: str
) -> tuple[int, Sequence[str]]:
    """How many settings that relations name are written in a configuration, and which of these
    could not be resolved.
    """
    relations = base.relations(framework)
    judging = _Judging(configuration, base, base.frameworks[framework], Asked(), relations)
    names = {
        name
        for relation in relations
        for node in (relation.when, relation.holds)
        if node
        for name in names_of(node)
        if name in configuration.settings or name in configuration.unresolved
    }
    failed = []
    for name in sorted(names):
        try:
            judging.lookup(name)
        except Unknown:
            failed.append(name)
    return len(names), failed


__all__ = ["Asked", "Name", "Node", "RelationBase", "judge", "recognise", "resolved_share"]
