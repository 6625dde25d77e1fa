"""Relation files: what the bundled ones prove, and how faults are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdoctor.errors import SignatureError
from logdoctor.model import Place
from logdoctor.relations.formula import names_of
from logdoctor.relations.judging import Asked, RelationBase, judge, recognise
from logdoctor.relations.proof import prove
from logdoctor.relations.reading import load_frameworks, load_relations, relations_path
from logdoctor.relations.relation import Violation
from logdoctor.settings.configuration import Configuration, Setting, Unresolved
from logdoctor.settings.values import Value
from logdoctor.texts.phrases.preflight import FACT_NAMES
from scripts.list_refusals import listed

RELATION = """\
id: {id}
title: {{en: "too large", zh: "太大"}}
severity: error
maturity: draft
holds: "{holds}"
why: {{en: "It must fit.", zh: "必须放得下。"}}
silent: true
adjust: [batch]
source: {{version: 1.0, file: a.py, line: 3}}
breaks: {{batch: 10, cards: 4}}
fits: {{batch: 8, cards: 4}}
"""


def folder(at: Path, relation: str, framework: str = "keys: [batch, cards]\n") -> Path:
    (at / "fw").mkdir(exist_ok=True)
    (at / "fw" / "_framework.yaml").write_text(framework, encoding="utf-8")
    (at / "fw" / "divisible.yaml").write_text(relation, encoding="utf-8")
    return at


def faults(root: Path) -> list[str]:
    with pytest.raises(SignatureError) as caught:
        load_relations(root, load_frameworks(root).values())
    return [str(each).removeprefix(f"{root}/fw/") for each in caught.value.faults]


def configuration(**settings: Value) -> Configuration:
    given = {key: Setting(key, each, Place("x.yaml", 1)) for key, each in settings.items()}
    return Configuration("x.yaml", given)


def test_the_bundled_relations_prove_themselves() -> None:
    """Breaking examples break, fitting ones fit, signatures that they name are there."""
    root = relations_path()
    relations = load_relations(root, load_frameworks(root).values())
    signatures = frozenset(each.stem for each in root.parent.glob("signatures/*/*.yaml"))
    assert prove(relations, signatures) == ()
    assert {each.severity.value for each in relations} <= {"error", "warning"}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("holds: ", "hold: "), 'divisible.yaml:5:1: unknown key "hold" in a relation'),
        (("% cards", "% (cards"), 'divisible.yaml:5:8: bad formula "batch % (cards == 0"; column'),
        (("batch % cards == 0", "batch % cards"), "divisible.yaml:5:8: a formula that gives a"),
        (("silent: true", "maturity: draft"), 'divisible.yaml:7:1: duplicate key "maturity"'),
        (("id: divisible", "id: other"), 'divisible.yaml:1:1: id "other" in file'),
        (("silent: true", "silent: false"), 'divisible.yaml:7:9: found "false"; expected true'),
        (("silent: true\n", ""), "divisible.yaml:1:1: error and silent; expected exactly one"),
    ],
)
def test_a_fault_has_its_place(tmp_path: Path, change: tuple[str, str], told: str) -> None:
    """File, line and column, and what was expected."""
    text = RELATION.format(id="divisible", holds="batch % cards == 0").replace(*change)
    found = faults(folder(tmp_path, text))
    assert any(each.startswith(told) for each in found), found


def test_units_that_do_not_fit_are_a_fault(tmp_path: Path) -> None:
    """Tokens are not compared with GPUs."""
    text = RELATION.format(id="divisible", holds="batch < cards")
    units = "keys: [batch]\nunits: {tokens: [batch], GPUs: [cards]}\n"
    assert faults(folder(tmp_path, text, units)) == [
        'divisible.yaml:5:8: units do not fit; "<" between tokens and GPUs'
    ]


def test_an_example_that_proves_nothing_is_a_fault(tmp_path: Path) -> None:
    """Also a signature and a setting that are not there."""
    text = RELATION.format(id="divisible", holds="batch % cards == 0")
    text = text.replace("batch: 10", "batch: 12").replace("adjust: [batch]", "adjust: [lr]")
    root = folder(tmp_path, f"{text}signature_id: gone\n")
    told = [
        each.what
        for each in prove(load_relations(root, load_frameworks(root).values()), frozenset())
    ]
    assert told == ["it holds", 'adjusts "lr"', 'unknown signature "gone"']


def test_one_file_speaks_for_several_parts(tmp_path: Path) -> None:
    """`{it}` stands for each."""
    text = RELATION.format(id="divisible", holds="{it}.batch % cards == 0")
    text = text.replace("batch: ", '"{it}.batch": ').replace("[batch]", '["{it}.batch"]')
    root = folder(tmp_path, f"for_each: [actor, critic]\n{text}")
    relations = load_relations(root, load_frameworks(root).values())
    assert [each.adjust for each in relations] == [("actor.batch",), ("critic.batch",)]
    assert prove(relations, frozenset()) == ()


def test_a_broken_relation_names_values_and_what_fits(tmp_path: Path) -> None:
    """The nearest below and above."""
    root = folder(tmp_path, RELATION.format(id="divisible", holds="batch % cards == 0"))
    found = judge(configuration(batch=10, cards=4), RelationBase(root), Asked())
    (violation,) = found.violations
    assert violation.because == (
        "batch 10 is not divisible by cards 4",
        "batch 10 不能被 cards 4 整除",
    )
    assert violation.suggestions == (("batch", 8), ("batch", 12))
    assert violation.at == ("x.yaml", 1)
    assert (found.framework, found.judged) == ("fw", 1)


@pytest.mark.parametrize(
    ("cards", "missing"),
    [
        ({}, ("cards",)),
        ({"cards": "auto"}, ("cards",)),
        ({"cards": None}, ("cards",)),
        ({"cards": 0}, ("batch", "cards")),
    ],
)
def test_what_is_not_known_is_not_judged(
    tmp_path: Path, cards: dict[str, Value], missing: tuple[str, ...]
) -> None:
    """Absent without a default, of another kind, zero below a division; and unresolved."""
    root = folder(tmp_path, RELATION.format(id="divisible", holds="batch % cards == 0"))
    for hidden in ({}, {"cards": Unresolved("cards", "$N", None, "N")} if not cards else {}):
        given = configuration(batch=10, **cards)._replace(unresolved=hidden)
        found = judge(given, RelationBase(root), Asked("fw"))
        assert (found.violations, found.judged) == ((), 0)
        assert [each.missing for each in found.not_judged] == [missing]


DEFAULTS = '{"releases": {"1.0": {"cards": 4}, "2.0": {"cards": 5}, "3.0": {"cards": 5}}}'


@pytest.mark.parametrize(
    ("version", "broken"),
    [("1.0", True), ("2.0", False), ("2.5", False), ("1.5", None), (None, None), ("9.0", False)],
)
def test_a_default_counts_where_all_releases_in_question_agree(
    tmp_path: Path, version: str | None, broken: bool | None
) -> None:
    """The told one, its neighbours, all of them; and never where settings may hide."""
    root = folder(tmp_path, RELATION.format(id="divisible", holds="batch % cards == 0"))
    (root / "fw" / "defaults.json").write_text(DEFAULTS)
    base, given = RelationBase(root), configuration(batch=10)
    found = judge(given, base, Asked("fw", version))
    assert (bool(found.violations) if found.judged else None) == broken
    hidden = given._replace(openings=(Unresolved("", "$MORE", None, "MORE"),))
    assert judge(hidden, base, Asked("fw", version)).judged == 0


def test_a_framework_is_recognised_or_not() -> None:
    """By what is started or by settings that only it has; a class stands for itself alone."""
    frameworks = RelationBase(relations_path()).frameworks
    verl = Configuration("x", programs=("python3", "verl.trainer.main_ppo"))
    roll = configuration(rollout_batch_size=1, num_return_sequences_in_group=2)
    other = configuration(num_generations=8, steps_per_generation=2)._replace(
        programs=("SDFTConfig",)
    )
    assert [recognise(each, frameworks) for each in (verl, roll, other, configuration(lr=1))] == [
        "verl",
        "roll",
        None,
        None,
    ]


def test_the_seeds_own_relations_are_there() -> None:
    """What users ran into after an hour: batches, devices, steps of the learning rate."""
    base = RelationBase(relations_path())
    devices = tuple(range(16))
    config = "actor_train.strategy_args.strategy_config."
    given: dict[str, Value] = {
        "rollout_batch_size": 6,
        "num_return_sequences_in_group": 1,
        "response_length": 1024,
        "max_steps": 1,
        "actor_train.device_mapping": devices,
        "actor_train.strategy_args.strategy_name": "megatron_train",
        f"{config}tensor_model_parallel_size": 4,
        f"{config}pipeline_model_parallel_size": 1,
        "actor_train.training_args.per_device_train_batch_size": 1,
        "actor_train.training_args.gradient_accumulation_steps": 8,
        "actor_infer.device_mapping": devices,
    }
    found = judge(configuration(**given), base, Asked(gpus=8, nodes=1))
    assert [violation.relation.id for violation in found.violations] == [
        "roll-devices-exceed-gpus",
        "roll-devices-exceed-gpus",
        "roll-learning-rate-decay-steps-zero",
        "roll-rollout-batch-not-divisible-by-ranks",
        "roll-samples-not-multiple-of-mini-batch",
    ]
    assert all(isinstance(each, Violation) for each in found.violations)


def test_every_fact_that_may_be_unknown_has_words() -> None:
    """Nobody is told the name that formulas have for it."""
    root = relations_path()
    asked = {
        name
        for each in load_relations(root, load_frameworks(root).values())
        for node in (each.when, each.holds)
        if node is not None
        for name in names_of(node)
        if name.startswith("@")
    }
    assert asked - set(FACT_NAMES) == set()
    assert len(asked) > 10


def test_what_is_set_or_not_is_told_by_its_name(tmp_path: Path) -> None:
    """With or without what the program takes where nothing is set."""
    told = []
    for holds in ("default(flag, false)", "given(default(cards, none))", "not given(batch)"):
        text = RELATION.format(id="divisible", holds=holds).replace("adjust: [batch]\n", "")
        root = folder(tmp_path, text)
        found = judge(configuration(batch=10, flag=False), RelationBase(root), Asked("fw"))
        told += [each.because.en for each in found.violations]
    assert told == [
        "flag must be true, it is false",
        "cards must be set",
        "batch must not be set to 10",
    ]


def test_places_that_refuse_settings_are_listed(tmp_path: Path) -> None:
    """Covered where a relation has the line or the text; beyond where more than settings decides."""
    file = tmp_path / "trl-1.16.0" / "trl" / "trainer" / "grpo_config.py"
    file.parent.mkdir(parents=True)
    file.write_text(
        "def check(self):\n"
        "    if self.generation_batch_size % self.num_generations != 0:\n"
        "        raise ValueError(\n"
        "            f'generation_batch_size ({self.generation_batch_size}) must be divisible by'\n"
        "            f' num_generations ({self.num_generations}).'\n"
        "        )\n"
        "    assert self.colour in ('red', 'blue'), f'no such colour: {self.colour}'\n"
        "    if not exists(self.folder):\n"
        "        raise ValueError('the folder is not there')\n"
    )
    found = [(each.site.line, each.kind) for each in listed(tmp_path, None)]
    assert found == [(3, "covered"), (7, "open"), (9, "beyond")]
