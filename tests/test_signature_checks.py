"""The database proves itself: what is a fault, and what is only worth knowing."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from logdoctor.checks.near_duplicates import NearDuplicate, near_duplicates
from logdoctor.checks.proofs import check_signatures
from logdoctor.model import LocalText
from logdoctor.search.automaton import Automaton
from logdoctor.signatures.skeleton import signature_skeleton
from logdoctor.texts.filling import fill, fill_both, placeholders
from tests.small_databases import small_automaton

RunCli = Callable[..., "subprocess.CompletedProcess[bytes]"]
FIRST = signature_skeleton("worker-lost-its-batch", "demo")
TEMPLATE = "ValueError: the words that only this message has, with {count:int} as a slot"


def compiled(folder: Path, **files: str) -> Automaton:
    for name, text in files.items():
        (folder / f"{name.replace('_', '-')}.yaml").write_text(text, encoding="utf-8")
    return small_automaton(folder)


def said(template: str) -> str:
    return template.replace("{count:int}", "3")


def second(name: str, template: str, old: str = "", new: str = "") -> str:
    """A signature that resembles the first one."""
    text = (
        FIRST.replace("worker-lost-its-batch", name)
        .replace(TEMPLATE, template)
        .replace(said(TEMPLATE), said(template))
    )
    assert old in text
    return text.replace(old, new, 1) if old else text


def near(automaton: Automaton) -> list[tuple[str, str, int, bool]]:
    return [
        (each.signature_id, each.other_id, each.edits, each.is_taken)
        for each in near_duplicates(automaton.database)
    ]


LIKE = "ValueError: the words that only that message has, with {count:int} as a slot"


def test_a_template_within_the_radius_of_another_is_told(tmp_path: Path) -> None:
    """In both directions: either accepts what the other stands for, with the letters that differ."""
    automaton = compiled(tmp_path, worker_lost_its_batch=FIRST, z_like=second("z-like", LIKE))
    assert near(automaton) == [
        ("worker-lost-its-batch", "z-like", 2, False),
        ("z-like", "worker-lost-its-batch", 2, False),
    ]
    assert check_signatures(automaton) == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("explains: []", "explains: [worker-lost-its-batch]"),
        ("patterns:", f"excludes: [{{template: '{TEMPLATE}'}}]\npatterns:"),
        ("frameworks: []", "frameworks: [verl]"),
    ],
)
def test_what_is_told_apart_is_not_told(tmp_path: Path, old: str, new: str) -> None:
    """`explains` and distant frameworks in both directions, `excludes` in its own."""
    first = FIRST.replace("frameworks: []", "frameworks: [roll]")
    automaton = compiled(
        tmp_path, worker_lost_its_batch=first, z_like=second("z-like", LIKE, old, new)
    )
    assert ("worker-lost-its-batch", "z-like", 2, False) not in near(automaton)


def test_distant_templates_are_no_neighbours(tmp_path: Path) -> None:
    """A shared piece is not enough."""
    other = (
        "ValueError: the words that only this one has, and a great deal of others after {count:int}"
    )
    assert (
        near(compiled(tmp_path, worker_lost_its_batch=FIRST, z_other=second("z-other", other)))
        == []
    )


def test_a_pattern_that_another_signature_always_takes_is_a_fault(tmp_path: Path) -> None:
    """The same template twice: the id decides, so that the later one is never seen."""
    automaton = compiled(tmp_path, worker_lost_its_batch=FIRST, z_same=second("z-same", TEMPLATE))
    assert near(automaton) == [
        ("worker-lost-its-batch", "z-same", 0, False),
        ("z-same", "worker-lost-its-batch", 0, True),
    ]
    first, *_ = check_signatures(automaton)
    assert f'"{TEMPLATE}" of "z-same" is always recognised as "worker-lost-its-batch"' in str(first)
    assert "always recognised" not in "".join(
        map(str, check_signatures(automaton, frozenset({"worker-lost-its-batch"})))
    )


def test_the_bundled_near_duplicates_all_lose_on_the_texts_of_others(automaton: Automaton) -> None:
    """What is taken would be a fault; the rest differs in letters or is shorter."""
    assert [each for each in near_duplicates(automaton.database) if each.is_taken] == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "en: What happened and how one tells.",
            "en: 'Set x={{1} there.'",
            "has unequal braces; write each as {{ or }}",
        ),
        (
            "frameworks: []",
            "frameworks: [verl, chatlern]",
            '"chatlern" of "worker-lost-its-batch" is never recognised; expected one of roll, chatlearn, areal',
        ),
        (
            "    risk: safe",
            "    when: {framework: easyr1}\n    risk: safe",
            'framework "easyr1" of "worker-lost-its-batch" is never recognised',
        ),
        (
            "role: cause",
            "stalls: [train]\nrole: benign",
            'stalls of "worker-lost-its-batch", whose role is benign; expected a role that does harm',
        ),
        (
            "    risk: safe",
            "    when: {captures: {size: '> 3'}}\n    risk: safe",
            'asks for "size"; no pattern captures that',
        ),
    ],
)
def test_the_check_finds_texts_and_conditions_that_cannot_hold(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    """Braces, captures, frameworks and stalls."""
    assert old in FIRST
    faults = check_signatures(compiled(tmp_path, worker_lost_its_batch=FIRST.replace(old, new, 1)))
    assert [expected in str(fault) for fault in faults] == [True]


@pytest.mark.parametrize(
    ("regex", "expected"),
    [
        (r"\\d+ of \\d+ (?P<count>\\w+)", 'nothing fixed in "'),
        (
            r"return(?P<count>\\d+)",
            'times in a megabyte of healthy text, above all "return"; expected at most 30',
        ),
        (
            r"(?P<count>\\d+)(?: ranks diverged|memory)",
            'times in a megabyte of healthy text, above all "memory"; expected at most 30',
        ),
    ],
)
def test_a_text_that_stands_everywhere_is_a_fault(
    tmp_path: Path, regex: str, expected: str
) -> None:
    """As is a pattern without a text; of several branches the commonest is named."""
    faults = check_signatures(
        compiled(
            tmp_path,
            worker_lost_its_batch=FIRST.replace(f"template: '{TEMPLATE}'", f'regex: "{regex}"', 1),
        )
    )
    assert expected in str(faults[0])


def test_a_refinement_may_use_the_captures_of_the_general_signature_and_no_others(
    tmp_path: Path,
) -> None:
    """`count` is captured there, `size` nowhere."""
    refinement = """\
id: special-batch
component: demo
refines: worker-lost-its-batch
frameworks: [verl]
maturity: draft
remedies:
  - {action: {en: 'Do {count} and {size}', zh: '做 {count}'}, risk: safe, check: {en: Look, zh: 看}}
examples: [{text: "verl.trainer.main\\nValueError: the words that only this message has, with 3 as a slot", origin: made up for this test}]
references: [https://example.org/x]
"""
    faults = check_signatures(
        compiled(tmp_path, worker_lost_its_batch=FIRST, special_batch=refinement)
    )
    assert [str(fault).partition(": ")[2] for fault in faults] == [
        'a text of "special-batch" uses "{size}"; no pattern captures that'
    ]


def test_doubled_braces_are_braces_where_captures_are_filled_in() -> None:
    """In texts and in values to set; what stands between them is no capture."""
    text = 'runtime_env={{"config": {{"seconds": {seconds}}}}} and {{name}}, {gone}'
    assert (
        fill(text, {"seconds": "1800", "name": "x"})
        == 'runtime_env={"config": {"seconds": 1800}} and {name}, …'
    )
    assert placeholders(text) == {"seconds", "gone"}
    assert fill_both(LocalText("{{}}", "{a}"), {"a": "b"}) == LocalText("{}", "b")


def test_a_sentence_that_is_filled_in_ends_once() -> None:
    """In both languages; dots that leave something open stay."""
    told = {"what": "It is gone.", "open": "It goes on..."}
    assert fill_both(LocalText("Said: {what}. {open}.", "报错：{what}。"), told) == LocalText(
        "Said: It is gone. It goes on....", "报错：It is gone。"
    )


def test_near_duplicates_have_the_place_of_their_template(tmp_path: Path) -> None:
    """So that an editor can go there."""
    automaton = compiled(tmp_path, worker_lost_its_batch=FIRST, z_same=second("z-same", TEMPLATE))
    (_, taken) = near_duplicates(automaton.database)
    assert taken == NearDuplicate(
        "z-same", TEMPLATE, taken.position, "worker-lost-its-batch", TEMPLATE, 0, is_taken=True
    )
    assert Path(taken.position.file).name == "z-same.yaml"


@pytest.mark.slow  # compiles the whole database with one more
def test_the_check_takes_what_is_not_in_the_budget_for_a_fault(
    run_cli: RunCli, tmp_path: Path
) -> None:
    """A pattern without example; in signatures of one's own there is no budget."""
    text = signature_skeleton("worker-lost-its-batch", "demo")
    text = text.replace(
        "patterns:\n",
        "patterns:\n  - template: 'Process group watchdog thread terminated with exceptions'\n",
        1,
    )
    file = tmp_path / "worker-lost-its-batch.yaml"
    file.write_text(text, encoding="utf-8")
    done = run_cli("signatures", "check", "--verbose", file)
    *_, last = done.stdout.decode().splitlines()
    assert (done.returncode, last) == (2, "signatures checked: 1, faults: 1")
    assert (
        'no example of "worker-lost-its-batch" exercises "Process group watchdog thread terminated'
        in done.stderr.decode()
    )
