"""What a remedy sets, computed from the run's own value, and where that was told."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdoctor.document.document import document
from logdoctor.errors import SignatureError
from logdoctor.model import Applies, Formula, JudgedRemedy, Language, Place, ScanResult, Setting
from logdoctor.pipeline.scan import ScanOptions, scan_text
from logdoctor.reports.run.patch import chosen_changes
from logdoctor.signatures.settings import as_text, is_in_force, new_value
from logdoctor.signatures.skeleton import signature_skeleton
from tests.small_databases import small_automaton

GOOD = signature_skeleton("worker-lost-its-batch", "demo")
ERROR = "ValueError: the words that only this message has, with 56 as a slot\n"


def judged(folder: Path, log: str, text: str, options: ScanOptions | None = None) -> ScanResult:
    (folder / "worker-lost-its-batch.yaml").write_text(text, encoding="utf-8")
    return scan_text(small_automaton(folder), log, options or ScanOptions())


def remedy(result: ScanResult) -> JudgedRemedy:
    return result.diagnoses[0].remedies[0]


def with_set(what: str, when: str = "") -> str:
    assert "    risk: safe " in GOOD
    return GOOD.replace("    risk: safe ", f"{when}    set: {{demo.size: {what}}}\n    risk: safe ")


@pytest.mark.parametrize(
    ("formula", "text", "current", "expected"),
    [
        (Formula.HALVE, "1", "8", "4"),
        (Formula.HALVE, "1", "5", "2"),
        (Formula.HALVE, "1", "1", "1"),
        (Formula.HALVE, "0.1", "0.9", "0.45"),
        (Formula.DOUBLE, "100", "64", "100"),
        (Formula.DOUBLE, "1_000", "64", "128"),
        (Formula.AT_LEAST, "64", "8", "64"),
        (Formula.AT_LEAST, "64", "128", "128"),
        (Formula.AT_MOST, "20480", "5052", "5052"),
        (Formula.MULTIPLE_OF, "8", "20", "24"),
        (Formula.NEAREST_DIVISOR_OF, "56", "6", "7"),
        (Formula.NEAREST_DIVISOR_OF, "12", "5", "4"),
        (Formula.NEAREST_DIVISOR_OF, "0", "5", None),
        (Formula.HALVE, "1", "auto", None),
        (Formula.HALVE, "1", None, None),
        (None, "True", None, "True"),
        (None, ">= 64", "8", "64"),
        (None, "<= 64", "128", "64"),
        (None, "< 64", "128", None),
        (None, "<= number of samples", "128", None),
    ],
)
def test_a_new_value_comes_from_the_current_one(
    formula: Formula | None, text: str, current: str | None, expected: str | None
) -> None:
    """A comparison that a value is to meet is a formula too, as far as it says one number."""
    assert new_value(Setting(text, formula), text, current) == expected


@pytest.mark.parametrize(
    ("formula", "text", "current", "expected"),
    [
        (None, "true", "True", True),
        (None, "true", "False", False),
        (None, "<= 20480", "5052", True),
        (None, "< 0.9", "0.9", False),
        (None, "<the longest prompt>", "4", False),
        (Formula.AT_MOST, "20480", "5052", True),
        (Formula.HALVE, "1", "1", True),
        (Formula.HALVE, "1", "8", False),
    ],
)
def test_what_is_so_already_is_known(
    formula: Formula | None, text: str, current: str, expected: bool
) -> None:
    """`0.8 → 0.8` is no advice."""
    assert is_in_force(Setting(text, formula), text, current) is expected
    assert as_text(Setting("x", Formula.HALVE), "1") == "÷ 2 (>= 1)"


def test_a_change_has_the_line_of_the_current_value(tmp_path: Path) -> None:
    """Read from the log, with captures as operands; in the document too."""
    text = with_set("{nearest-divisor-of: '{count}'}")
    result = judged(tmp_path, f"demo.size: 6\n{ERROR}", text)
    told = remedy(result)
    assert (told.applies, dict(told.settings), dict(told.current)) == (
        Applies.ALWAYS, {"demo.size": "7"}, {"demo.size": "6"},
    )  # fmt: skip
    shown = document(result, Language.EN, "")["diagnoses"][0]["remedies"][0]
    assert shown["changes"] == [
        {"key": "demo.size", "current": "6", "value": "7", "where": "<text>:1"}
    ]


def test_without_the_current_value_it_is_said_how(tmp_path: Path) -> None:
    """And the value of the change is open."""
    told = remedy(judged(tmp_path, ERROR, with_set("{halve: 2}")))
    assert dict(told.settings) == {"demo.size": "÷ 2 (>= 2)"}
    assert [(each.current, each.value, each.where) for each in told.changes] == [(None, None, None)]


def test_what_is_in_force_already_is_no_remedy(tmp_path: Path) -> None:
    """Computed or not; the line is told, or that of the configuration file."""
    for what in ("{at-most: 20480}", "'<= 20480'", "5052"):
        told = remedy(judged(tmp_path, f"demo.size: 5052\n{ERROR}", with_set(what)))
        assert (told.applies, told.why.en) == (
            Applies.NO, "it is so already: line 1 sets demo.size = 5052",
        )  # fmt: skip
    options = ScanOptions(
        config={"demo.size": "1"}, config_places={"demo.size": Place("r.yaml", 9)}
    )
    told = remedy(judged(tmp_path, ERROR, with_set("{halve: 1}"), options))
    assert (told.applies, told.why.en) == (
        Applies.NO, "it is so already: r.yaml:9 sets demo.size = 1",
    )  # fmt: skip


def test_a_condition_on_the_configuration_says_where_it_was_read(tmp_path: Path) -> None:
    """A tick stands only where something was judged, and says what."""
    text = with_set("{halve: 1}", "    when: {config: {demo.mode: fast}}\n")
    told = remedy(judged(tmp_path, f"x\ndemo.mode: fast\n{ERROR}", text))
    assert (told.applies, told.why.en, told.why.zh) == (
        Applies.YES, "line 2 sets demo.mode = fast", "第 2 行设置 demo.mode = fast",
    )  # fmt: skip
    assert remedy(judged(tmp_path, ERROR, GOOD)).applies is Applies.ALWAYS


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("{halve: 1, double: 2}", "a value to set with 2 formulas; expected one of halve, double"),
        ("{third: 1}", 'unknown key "third" in a value to set; expected one of halve'),
        ("[1]", "found a list; expected text"),
    ],
)
def test_a_formula_is_one_of_a_few(tmp_path: Path, what: str, expected: str) -> None:
    """With its place."""
    with pytest.raises(SignatureError) as caught:
        judged(tmp_path, ERROR, with_set(what))
    (fault,) = caught.value.faults
    assert (f"{fault}".partition(": ")[2].startswith(expected), fault.position.line) == (True, 22)


@pytest.mark.parametrize(
    ("what", "when", "expected"),
    [
        ("{halve: 1}", "", ["4"]),
        ("'5'", "", []),
        ("'5'", "    when: {config: {demo.mode: fast}}\n", ["5"]),
        ("'5'", "    when: {config: {demo.mode: slow}}\n", []),
        ("{halve: 1}", "    when: {config: {demo.kind: x}}\n", []),
        ("a value that fits", "    when: {config: {demo.mode: fast}}\n", []),
    ],
)
def test_what_is_proven_or_computed_is_chosen(
    tmp_path: Path, what: str, when: str, expected: list[str]
) -> None:
    """Not a value that is good for some runs, nor words."""
    log = f"demo.size: 8\ndemo.mode: fast\n{ERROR}"
    changes = chosen_changes(judged(tmp_path, log, with_set(what, when)))
    assert [each.value for each in changes] == expected
