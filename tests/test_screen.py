"""A report fits a screen: what is kept, what gives way, and what is said of the rest."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logdoctor.model import Diagnosis, Language, ScanResult
from logdoctor.pipeline.scan import Scan, scan_text
from logdoctor.reports.run.advice import setting
from logdoctor.reports.run.fitting import Part, fitted, fixed
from logdoctor.reports.run.layout import columns, found_spans, sentences, shortened, wrapped
from logdoctor.reports.run.markdown import render_markdown
from logdoctor.reports.run.notice import render_notice
from logdoctor.reports.run.painting import TextStyle
from logdoctor.reports.run.text import render_text
from logdoctor.search.automaton import Automaton

SCREEN = 24
"""Lines of the terminal that everybody has."""

OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
    "capacity of 79.10 GiB of which 1.19 GiB is free. Including non-PyTorch memory, this process "
    "has 77.89 GiB memory in use. Of the allocated memory 70.15 GiB is allocated by PyTorch, and "
    "6.61 GiB is reserved by PyTorch but unallocated.\n"
)
DEAD = "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n"


@pytest.fixture(scope="module")
def failed(repository: Path, automaton: Automaton) -> list[ScanResult]:
    results = []
    for path in sorted((repository / "sample_logs").glob("*.log")):
        scan = Scan(automaton)
        scan.read(path.name, [path.read_bytes()])
        results.append(scan.result())
    return [each for each in results if each.root]


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("language", list(Language))
def test_nine_of_ten_failed_runs_fit_a_screen(
    failed: list[ScanResult], language: Language, width: int
) -> None:
    """With the verdict again at the end, where the report itself is longer."""
    sizes = [
        render_text(each, TextStyle(language, width, height=SCREEN)).count("\n") for each in failed
    ]
    assert len(sizes) > 70
    assert sum(size <= SCREEN for size in sizes) >= 0.9 * len(sizes)
    assert max(sizes) <= 1.25 * SCREEN


def test_all_is_all(failed: list[ScanResult]) -> None:
    """Each remedy with its check, and every other finding in full."""
    for each in failed:
        text = render_text(each, TextStyle(width=10_000, show_all=True))
        for item in each.findings:
            assert (item.title.en if isinstance(item, Diagnosis) else item.title) in text
            for remedy in item.remedies if isinstance(item, Diagnosis) else ():
                assert remedy.check.en in text


@pytest.mark.parametrize("language", list(Language))
def test_what_has_no_room_is_counted(automaton: Automaton, language: Language) -> None:
    """In one line, which says what shows it."""
    text = render_text(scan_text(automaton, OOM + DEAD), TextStyle(language, 80))
    *_, last = text.splitlines()
    assert last in {"Not shown: what followed: 1 (--all)", "未显示：由此引发 1 项（--all）"}


def test_the_verdict_stands_at_the_end_of_what_has_scrolled_away(automaton: Automaton) -> None:
    """Only on a terminal, and only where it is too low."""
    result = scan_text(automaton, OOM)
    heights = (None, 60, 10)
    reports = [render_text(result, TextStyle(height=height)).splitlines() for height in heights]
    title = reports[0][0]
    assert [(lines[0] == title, lines.count(title)) for lines in reports] == [(True, 1)] * 3
    assert [lines[-1] for lines in reports[1:]] == [reports[0][-1], f"{title} · <text>:1"]


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_what_was_captured_is_never_cut_out(automaton: Automaton, width: int) -> None:
    """Of a line that is longer than its share of the screen."""
    result = scan_text(automaton, "x" * 500 + " " + OOM)
    (diagnosis,) = result.diagnoses
    text = " ".join(
        line.partition("│ ")[2]
        for line in render_text(result, TextStyle(width=width)).splitlines()
        if "│ " in line
    )
    kept = [value for value in diagnosis.captures.values() if value in OOM]
    assert len(kept) > 1
    assert [value in text for value in kept] == [True] * len(kept)


def test_a_diagnosis_that_is_as_likely_wrong_is_called_a_guess(automaton: Automaton) -> None:
    """In words; a likely one needs none."""
    result = scan_text(automaton, OOM)
    (diagnosis,) = result.diagnoses
    unsure = result._replace(diagnoses=(diagnosis._replace(confidence=0.38),))
    for said in (
        render_text(unsure, TextStyle()),
        render_notice(unsure, TextStyle()),
        render_markdown(unsure, Language.EN),
    ):
        assert " A guess: GPU memory is full" in said.splitlines()[0]
    for sure in (render_text(result, TextStyle()), render_markdown(result, Language.EN)):
        assert ("guess" in sure, "confidence" in sure) == (False, False)


def test_the_head_says_what_the_run_uses(automaton: Automaton) -> None:
    """Frameworks with their versions, and how far it came."""
    log = "INFO vllm version 0.9.1\nstep:7 - actor/loss:0.5 - actor/grad_norm:1.0\n" + OOM
    result = scan_text(automaton, log)
    result = result._replace(
        context=result.context._replace(
            frameworks=("verl", "vllm"), versions={"vllm": "0.9.1", "torch": "2.6.0"}
        )
    )
    head = "cuda-out-of-memory · verl · vllm 0.9.1 · torch 2.6.0 · last step 7"
    assert render_text(result, TextStyle()).splitlines()[1] == f"  {head}"
    assert head in render_markdown(result, Language.EN).replace("`", "")


@pytest.mark.parametrize(
    ("key", "value", "typed"),
    [
        ("actor.rollout.n", "4", "actor.rollout.n=4"),
        ("NCCL_DEBUG", "INFO", "export NCCL_DEBUG=INFO"),
        ("--max-num-seqs", "64", "--max-num-seqs 64"),
        ("data.train_batch_size", "a multiple of 6", "data.train_batch_size: a multiple of 6"),
        ("num_generations", ">= 2", "num_generations >= 2"),
    ],
)
def test_a_setting_is_written_as_it_is_typed(key: str, value: str, typed: str) -> None:
    """Where its value is one to type."""
    assert setting(key, value) == typed


FORMS = st.lists(st.integers(0, 6), min_size=1, max_size=4).map(
    lambda sizes: [("x",) * size for size in sorted(sizes)]
)


@given(st.lists(st.builds(Part, FORMS, st.integers(0, 3)), max_size=6), st.integers(0, 30))
def test_parts_grow_as_far_as_there_is_room(parts: list[Part], room: int) -> None:
    """By their turns; the shortest forms stay where they are too long already."""
    chosen = fitted(parts, room)
    total = sum(len(part.forms[form]) for part, form in zip(parts, chosen, strict=True))
    least = sum(len(part.forms[0]) for part in parts)
    assert total <= max(room, least)
    for part, form in zip(parts, chosen, strict=True):
        if form + 1 < len(part.forms):
            assert total - len(part.forms[form]) + len(part.forms[form + 1]) > room
    assert fitted(parts, None) == [len(part.forms) - 1 for part in parts]


def test_a_lower_turn_grows_first() -> None:
    """Wherever it stands."""
    late, early = Part([(), ("a", "b")], 2), Part([(), ("c", "d")], 1)
    assert fitted([late, fixed(["x"]), early], 4) == [0, 0, 1]


@given(st.text(alphabet="ab，。、（模型 %", max_size=80), st.integers(20, 40))
def test_marks_do_not_hang_over_the_margin(text: str, width: int) -> None:
    """No line is wider than it may be, but for words that are, and nothing is lost."""
    lines = wrapped(text, width)
    assert all(
        columns(line) <= width or not any(each in line.strip()[1:-1] for each in " 模型")
        for line in lines
    )
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(st.text(alphabet="ab 1模", min_size=60, max_size=300), st.data())
def test_what_is_kept_stays_whole_and_the_text_fits(text: str, data: st.DataObject) -> None:
    """As long as all of it has room."""
    first = data.draw(st.integers(0, len(text) - 8))
    span = (first, first + data.draw(st.integers(1, 8)))
    cut = shortened(text, 40, 0, [span])
    assert columns(cut) <= 40
    assert text[slice(*span)].strip() in cut


def test_values_are_found_as_words_behind_the_proof() -> None:
    """`8` is not found in `80`; what is not there has no place."""
    text = "80 of 8 GiB; failed with 8"
    assert found_spans(text, ["8"]) == ((6, 7),)
    assert found_spans(text, ["8", "9", ""], focus=12) == ((25, 26),)


def test_sentences_end_where_one_begins() -> None:
    """No version, path or abbreviation ends one; joined they are the text."""
    text = "Use torch 2.6. Then e.g. x.y fits. 改小。再试"
    assert sentences(text) == ["Use torch 2.6. ", "Then e.g. x.y fits. 改小。", "再试"]
