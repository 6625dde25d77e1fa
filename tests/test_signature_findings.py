"""What a database should not have: each kind is found in one that was made to have it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from logdoctor.checks.budget import (
    BUDGET_FILE,
    WITH_BUDGET,
    all_findings,
    lowered,
    over_budget,
    read_budget,
)
from logdoctor.checks.finding import Finding, Kind
from logdoctor.errors import Fault
from logdoctor.model import Position, SignatureDatabase
from logdoctor.signatures.files import bundled_path
from logdoctor.signatures.skeleton import signature_skeleton
from tests.small_databases import small_automaton

GOOD = signature_skeleton("worker-lost-its-batch", "demo")
TEMPLATE = "ValueError: the words that only this message has, with {count:int} as a slot"
OPTIONAL = (
    f"template: '{TEMPLATE}'",
    r"regex: 'the words that only this message has, with (?P<count>\d+)(?: of (?P<whole>\d+))?'",
)

CAUSE = "en: What happened and how one tells."
TEXT = "with 3 as a slot\n    captures"


def found(folder: Path, *changes: tuple[str, str], **others: str) -> list[Finding]:
    text = GOOD
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    for name, each in {"worker-lost-its-batch": text, **others}.items():
        (folder / f"{name.replace('_', '-')}.yaml").write_text(each, encoding="utf-8")
    return list(all_findings(small_automaton(folder)))


def test_a_good_signature_has_none(tmp_path: Path) -> None:
    """The skeleton, and one whose optional captures stand in clauses."""
    assert found(tmp_path) == []
    title = ("en: What is seen, in a few words", "en: 'Seen {count}[[ of {whole}]]'")
    assert found(tmp_path, OPTIONAL, title) == []


@pytest.mark.parametrize(
    ("kind", "changes", "said"),
    [
        (
            Kind.UNFILLED,
            [OPTIONAL, ("en: What is seen, in a few words", "en: 'Seen {count} of {whole}'")],
            'the title "Seen {count} of {whole}" has no {whole}',
        ),
        (
            Kind.UNFILLED,
            [OPTIONAL, ("zh: 发生了什么，如何判断。", "zh: '共 {whole} 个。'")],
            'the cause "共 {whole} 个。" has no {whole}',
        ),
        (
            Kind.UNFILLED,
            [OPTIONAL, ("zh: 发生了什么，如何判断。", "zh: '共 {whole} 个。其余无关。'")],
            'the cause "共 {whole} 个。其余无关。" has no {whole}',
        ),
        (
            Kind.UNFILLED,
            [OPTIONAL, ("en: How to see that it helped.", "en: 'Look for {whole}.'")],
            'the check "Look for {whole}." has no {whole} in example 1',
        ),
        (
            Kind.UNFILLED,
            [("en: What happened and how one tells.", "en: It has <count> of <path>.")],
            '"<count>" in "It has <count> of <path>." is a capture',
        ),
        (
            Kind.UNLABELLED,
            [
                (
                    "frameworks: []",
                    "extract: [{regex: 'with (?P<whole>\\d+) as a slot'}]\nframeworks: []",
                ),
                ("  - action:", "  - when: {captures: {count: '< {whole}'}}\n    action:"),
            ],
            'a condition asks for "whole", which may be missing and has no label',
        ),
        (
            Kind.EXCLUDED,
            [("frameworks: []", f"excludes: [{{template: '{TEMPLATE}'}}]\nframeworks: []")],
            'is taken by the excludes of "worker-lost-its-batch" itself',
        ),
        (
            Kind.EXCLUDED,
            [("frameworks: []", "excludes: [{regex: 'this message has, wi'}]\nframeworks: []")],
            'is taken by the excludes of "worker-lost-its-batch" itself',
        ),
        (
            Kind.REGEX_IN_TEMPLATE,
            [("  - template:", "  - template: 'it failed for .* of them in all'\n  - template:")],
            '".*" in the template "it failed for .* of them in all"',
        ),
        (
            Kind.NO_EXAMPLE,
            [("  - template:", "  - template: 'it failed for none of them at all'\n  - template:")],
            'no example of "worker-lost-its-batch" exercises "it failed for none',
        ),
        (
            Kind.PROSE_CONDITION,
            [("en: One thing to change, imperative.", "en: 'If it is slow, change it.'")],
            'the action "If it is slow, change it." begins with a condition',
        ),
        (
            Kind.PROSE_CONDITION,
            [("zh: 一项具体的修改。", "zh: 如果很慢，就修改。")],
            "begins with a condition, and there is no when",
        ),
        *(
            (Kind.JOINING_WORD, [(f"{language}: {old}", f"{language}: {new}")], "below another")
            for language, old, new in (
                ("en", "One thing to change, imperative.", "Or change another thing."),
                ("zh", "一项具体的修改。", "或修改别的。"),
            )
        ),
        (
            Kind.UNASKED_CAPTURE,
            [
                ("  - action:", "  - when: {captures: {raised_in: not-told}}\n    action:"),
                ("en: One thing to change, imperative.", "en: 'If {count} is odd, add one.'"),
            ],
            "begins with a condition on {count}, and no when asks it",
        ),
        *(
            (Kind.BROKEN_SENTENCE, [OPTIONAL, (old, f"{old[:3]} '{said}'")], f"has {fault}: ")
            for old, said, fault in (
                (CAUSE, "It is {count} of[[ {whole}]].", "a word that leads nowhere"),
                (CAUSE, "It is {count}, of[[ {whole}]] are more.", "a verb without its noun"),
                (
                    CAUSE,
                    '[[Of {whole} ]]only {count} came, as "[[{whole}]]".',
                    "nothing in quotes or brackets",
                ),
                (CAUSE, "[[Of {whole} ]]only {count} came.", "a small letter first"),
                (CAUSE, "Here ([[{whole}]]) are {count}.", "nothing in quotes or brackets"),
                (CAUSE, "Here are {count},[[ {whole}]], and more.", "two marks"),
                (
                    "zh: 发生了什么，如何判断。",
                    "批大小不是[[ {whole}]] 的整数倍。",
                    "a particle without its noun",
                ),
                ("zh: 发生了什么，如何判断。", "共有，[[{whole}]]，其余无关。", "two marks"),
            )
        ),
        *(
            (
                Kind.RUNS_ON,
                [
                    (f"template: '{TEMPLATE}'", "regex: 'ValueError: the words (?P<path>.+)'"),
                    ("the words that only this message has, with 3 as a slot", f"the words {text}"),
                    ("{count: '3'}", "{}"),
                ],
                f'"path" is "{text}" in example 1',
            )
            for text in (
                "/data/a.bin: No such file or directory",
                "/data/a.bin: permission denied for it",
                "/data/a.bin.",
                "/data/a (1",
                "/data/a.bin,",
                "/data/it`s",
            )
        ),
        (
            Kind.LOW_RISK,
            [("en: One thing to change, imperative.", "en: Delete the old checkpoints.")],
            'the risk of "Delete the old checkpoints." is safe; expected loses-data',
        ),
        (
            Kind.LOW_RISK,
            [("zh: 一项具体的修改。", "zh: 杀掉占用显存的进程。")],
            "is safe; expected affects-others",
        ),
        (
            Kind.LOW_RISK,
            [("    risk: safe", "    set: {trust_remote_code: true}\n    risk: safe")],
            "is safe; expected runs-foreign-code",
        ),
        (
            Kind.LOW_RISK,
            [("en: One thing to change, imperative.", "en: 'Run pip install -U torch.'")],
            "is safe; expected restarts-run",
        ),
        (
            Kind.FILLER,
            [(TEXT, "with 3 as a slot: connection lost\n    captures")],
            '"connection lost" in example 1',
        ),
        (
            Kind.ARITHMETIC,
            [(TEXT, "with 3 as a slot: batch (64) is not a multiple of ranks (8)\n    captures")],
            '"64) is not a multiple of ranks (8" in example 1',
        ),
        (
            Kind.ARITHMETIC,
            [(TEXT, "with 3 as a slot: 64 is smaller than 8\n    captures")],
            '"64 is smaller than 8" in example 1',
        ),
        (
            Kind.ENGLISH,
            [("en: What happened and how one tells.", "en: It begins anew.")],
            '"anew" in "It begins anew."; better: again',
        ),
        (
            Kind.IDLE_CHECK,
            [("en: How to see that it helped.", "en: The step that failed goes through.")],
            'the check "The step that failed goes through." only says that it worked',
        ),
    ],
)
def test_each_kind_is_found(
    tmp_path: Path, kind: Kind, changes: list[tuple[str, str]], said: str
) -> None:
    """In either language, with words that say where."""
    findings = found(tmp_path, *changes)
    # a template with a regex in it fits nothing
    beside = {Kind.NO_EXAMPLE} if kind is Kind.REGEX_IN_TEMPLATE else set()
    assert {each.kind for each in findings} == {kind, *beside}
    assert any(said in str(each.fault) for each in findings), findings


@pytest.mark.parametrize(
    "text", ["/data/a.bin", "C:/a (1)/b.bin", "s3://b/a.bin", "n1:6379", "torch[all]", "..."]
)
def test_a_capture_that_ends_where_its_thing_ends_is_none(tmp_path: Path, text: str) -> None:
    changes = [
        (f"template: '{TEMPLATE}'", "regex: 'ValueError: the words (?P<path>.+)'"),
        ("the words that only this message has, with 3 as a slot", f"the words {text}"),
        ("{count: '3'}", "{}"),
    ]
    assert found(tmp_path, *changes) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (TEXT, "with 3 as a slot: 64 is not a multiple of 7, 96 is not divisible by 2 * 20\n    captures"),
        (TEXT, "with 3 as a slot: 0 + 8 exceeds 8, version 12.0 exceeds 12\n    captures"),
        ("en: How to see that it helped.", "en: The step that failed prints its loss."),
        ("en: One thing to change, imperative.", "en: Delete the option from the command."),
        ("en: One thing to change, imperative.", "en: Look for an OOM kill in what dmesg prints."),
        ("zh: 一项具体的修改。", "zh: 申请更多内存（Slurm --mem），进程是被内核杀死的。"),
        ("    risk: safe", "    when: {captures: {count: '> 2'}}\n    risk: safe"),
    ],
)  # fmt: skip
def test_near_misses_are_not_found(tmp_path: Path, old: str, new: str) -> None:
    """What is true, what is part of a sum, what has a condition."""
    assert found(tmp_path, (old, new)) == []


def test_a_condition_in_prose_is_none_beside_when(tmp_path: Path) -> None:
    """Then the words only repeat it."""
    action = ("en: One thing to change, imperative.", "en: 'If it is slow, change it.'")
    when = ("    risk: safe", "    when: {captures: {count: '> 2'}}\n    risk: safe")
    assert found(tmp_path, action, when) == []


@pytest.mark.parametrize(
    ("theirs", "expected"),
    [
        (TEMPLATE, "fits the same words as a pattern of"),
        (TEMPLATE.replace("with {count:int} as", "with {count:word} as"), "fits the same examples"),
        (TEMPLATE.replace("this message has, with", "this program has, with"), None),
    ],
)
def test_two_signatures_with_one_pattern(tmp_path: Path, theirs: str, expected: str | None) -> None:
    """Told once; where their frameworks exclude one another, the framework tells them apart."""
    example = theirs.replace("{count:int}", "4").replace("{count:word}", "4")
    other = (
        GOOD.replace("worker-lost-its-batch", "z-other")
        .replace(TEMPLATE, theirs)
        .replace(TEMPLATE.replace("{count:int}", "3"), example)
        .replace("count: '3'", "count: '4'")
    )
    findings = [each for each in found(tmp_path, z_other=other) if each.kind is Kind.SAME_PATTERN]
    assert [expected in str(each.fault) for each in findings if expected] == [True] * bool(expected)
    assert len(findings) == bool(expected)
    apart = found(
        tmp_path,
        ("frameworks: []", "frameworks: [verl]"),
        z_other=other.replace("frameworks: []", "frameworks: [roll]"),
    )
    assert [each for each in apart if each.kind is Kind.SAME_PATTERN] == []


def test_a_key_of_one_framework_is_not_for_any_run(tmp_path: Path) -> None:
    """Which framework it belongs to, the remedies of others tell."""
    mine = ("    risk: safe", "    set: {demo_role.size: 3}\n    risk: safe")
    theirs = (
        GOOD.replace("worker-lost-its-batch", "z-other")
        .replace("only this message", "only that message")
        .replace("frameworks: []", "frameworks: [verl]")
        .replace("    risk: safe", "    set: {demo_role.other: 3}\n    risk: safe")
    )
    findings = found(tmp_path, mine, z_other=theirs)
    assert [(each.kind, each.signature_id) for each in findings] == [
        (Kind.FOREIGN_KEY, "worker-lost-its-batch")
    ]
    when = ("    risk: safe", "    when: {framework: verl}\n    risk: safe")
    assert found(tmp_path, mine, when, z_other=theirs) == []


def test_a_budget_is_kept_and_only_falls(tmp_path: Path) -> None:
    """A signature with more than its share has all of them told."""
    unseen = "".join(f"  - template: 'it failed for {n} of them at all'\n" for n in ("one", "none"))
    findings = found(tmp_path, ("  - template:", f"{unseen}  - template:"))
    kind = Kind.NO_EXAMPLE.value
    assert len(over_budget(findings, {})) == 2
    assert len(over_budget(findings, {kind: {"worker-lost-its-batch": 1}})) == 2
    budget = {kind: {"worker-lost-its-batch": 5, "gone": 1}, "condition-in-prose": {"gone": 1}}
    assert over_budget(findings, budget) == ()
    assert lowered(findings, budget) == {kind: {"worker-lost-its-batch": 2}}
    assert lowered([], budget) == {}
    (tmp_path / BUDGET_FILE).write_text(json.dumps(budget))
    assert (read_budget(tmp_path), read_budget(tmp_path / "no")) == (budget, {})


@pytest.mark.parametrize("kind", [each for each in Kind if each not in WITH_BUDGET])
def test_what_has_been_worked_off_is_a_fault_whatever_the_budget_says(kind: Kind) -> None:
    """No row of the file lets it in again."""
    finding = Finding(kind, "some-signature", Fault(Position("x.yaml", 1, 1), "what is wrong"))
    assert over_budget([finding], {kind.value: {"some-signature": 9}}) == (finding.fault,)


def test_the_bundled_budget_names_kinds_and_signatures_that_there_are(
    database: SignatureDatabase,
) -> None:
    """A row for each kind of which some are left, so that none starts over with what there is."""
    budget = read_budget(bundled_path())
    assert list(budget) == [each.value for each in Kind if each in WITH_BUDGET]
    unknown = {name for row in budget.values() for name in row if database.find(name) is None}
    assert unknown == set()
