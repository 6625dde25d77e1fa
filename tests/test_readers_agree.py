"""A text has one verdict, whoever reads it: a scan, many in sections, or a live scan in pieces.

The texts of the verdict's own tests are read each way, too: see `read_each_way` in conftest.py.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from logdoctor.model import Diagnosis
from logdoctor.pipeline import beginnings
from logdoctor.pipeline.scan import Scan
from logdoctor.search.automaton import Automaton
from logdoctor.sources.newest_first import SAMPLE
from tests.log_parts import DO_NOT_GO_TOGETHER, PARTS, SETTINGS
from tests.readers import (
    QUICK,
    document,
    read_each_way,
    read_in_sections,
    read_live,
    read_whole,
)
from tests.thoroughness import drawn

SAMPLES = sorted((Path(__file__).parents[1] / "sample_logs").rglob("*.log"))
COMPLAINT = b"loaded the checkpoint\nError: Inference path does not exist: /store/x/y\n"
BANNER = b"Sun Aug 17 00:40:3%d 2025\nJob 26312%d starts on dgx-15\nUsing the data in /data/aloha\n"
FAILED = b'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    main()\nValueError: a bad one\n'


@settings(deadline=None, max_examples=drawn(60))
@given(st.lists(st.sampled_from(PARTS), max_size=30), st.randoms(use_true_random=False))
def test_pieces_and_pauses_make_no_difference(
    automaton: Automaton, parts: list[bytes], rng: random.Random
) -> None:
    """Wherever they are, also in the middle of a line; nor does it that others read a part."""
    data = b"".join(parts)
    told = document(read_whole(automaton, data))
    assert document(read_live(automaton, data, rng)) == told
    assert document(read_in_sections(automaton, data)) == told


@settings(deadline=None, max_examples=drawn(30))
@given(
    st.lists(st.sampled_from((*PARTS, SETTINGS, SETTINGS.replace(b"510", b"254"))), max_size=8),
    st.sampled_from((b"", b"a healthy line\n" * 400)),
    st.randoms(use_true_random=False),
)
@example([SETTINGS], b"", random.Random(0))
@example([SETTINGS], b"a healthy line\n" * 400, random.Random(0))
def test_what_settings_prove_is_the_same_for_all(
    automaton: Automaton, parts: list[bytes], rest: bytes, rng: random.Random
) -> None:
    """Wherever they are printed, once, twice or never; behind so many bytes nobody looks."""
    before, after = b"".join(parts), b"Traceback (most recent call last):\n" + DO_NOT_GO_TOGETHER
    for data in (before + rest + after, rest + before + after):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(beginnings, "MOST", 5000)
            whole = read_whole(automaton, data)
            told = document(whole)
            assert document(read_live(automaton, data, rng)) == told
            assert document(read_in_sections(automaton, data)) == told
    if parts == [SETTINGS]:
        assert isinstance(whole.root, Diagnosis)
        proven = [each for each in whole.root.because if each.rule.startswith("verl-")]
        assert bool(proven) is not bool(rest)  # as of the last: behind what nobody looks at


@pytest.mark.parametrize(
    "log",
    [
        pytest.param(log, marks=pytest.mark.slow if log.stat().st_size > QUICK else (), id=log.stem)
        for log in SAMPLES
    ],
)
def test_a_sample_log_has_one_verdict(automaton: Automaton, log: Path) -> None:
    read_each_way(automaton, log.read_text(encoding="utf-8", errors="replace"))


@pytest.mark.parametrize(
    ("data", "titles"),
    [
        (COMPLAINT, ["Error: Inference path does not exist: /store/x/y"]),
        (BANNER % (1, 1) + FAILED + BANNER % (2, 2) + b"it went on\n" * 300, []),
    ],
    ids=["a complaint at the end where nothing lit up", "a run after one that failed"],
)
def test_what_only_the_ends_of_a_source_tell_is_told_live(
    automaton: Automaton, data: bytes, titles: list[str]
) -> None:
    """Its last bytes and its first ones are kept for it."""
    for seed in range(5):
        result = read_live(automaton, data, random.Random(seed))
        root = result.root
        assert [getattr(root, "title", None)] * bool(root) == titles


def test_a_pause_leaves_nothing_behind(automaton: Automaton) -> None:
    """What was told of a message that went on afterwards is judged again as a whole."""
    live = Scan(automaton)
    live.feed("x", FAILED)
    told = [live.settle().unknown_errors for _ in range(2)][-1]
    live.feed("x", b"  of all that came\n" + b"step 1 loss 0.5\n")
    live.end()
    (error,) = live.result().unknown_errors
    assert ([each.evidence[0].end_line for each in told], error.evidence[0].end_line) == ([4], 5)


def test_a_source_with_its_newest_line_first_has_its_own_numbers_everywhere(
    automaton: Automaton,
) -> None:
    """In evidence, time lines and sightings, in the last step, in what told a phase and in notes."""
    oom = (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total"
    )
    said = [
        *(f"step {i} loss 0.{i % 7}5" for i in range(600)),
        "Saving checkpoint to /ckpt/600",
        oom,
    ]
    rows = [f"2026-01-01T10:{i // 60:02d}:{i % 60:02d}.000Z {text}" for i, text in enumerate(said)]
    data = "\n".join(reversed(rows)).encode() + b"\n"
    assert len(data) > SAMPLE
    result = read_each_way(automaton, data.decode())
    (found,) = result.diagnoses
    shown = found.evidence[0]
    assert (shown.line, shown.end_line, found.spots) == (1, 1, (1,))
    assert [each.line for each in found.sightings] == [1]
    assert dict(shown.context)[2].endswith("/ckpt/600")
    assert result.context.last_progress
    assert result.context.last_progress.line == 3
    steps = result.context.steps["<text>"]
    assert (steps[0], steps[-1], list(steps)) == (3, 602, sorted(steps))
    assert found.phase_told_by in (None, "<text>:2")


def test_the_note_of_several_runs_has_the_source_s_own_number(automaton: Automaton) -> None:
    """Also where it was read from its end."""
    text = (BANNER % (1, 1) + FAILED + BANNER % (2, 2) + b"it went on\n" * 300).decode()
    rows = [
        f"2026-01-01T10:{i // 60:02d}:{i % 60:02d} {row}" for i, row in enumerate(text.splitlines())
    ]
    begins = []
    for lines in (rows, reversed(rows)):
        told = read_each_way(automaton, "\n".join(lines) + "\n").not_seen
        begins.append(re.findall(r"near line (\d+)", " ".join(each.en for each in told)))
    assert begins == [["9"], [str(len(rows) + 1 - 9)]]
