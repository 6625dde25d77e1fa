"""The targets of the fuzzer on their seeds and corpus, and that they see a law being broken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fuzzing import targets
from fuzzing.seeds import seeds_of
from fuzzing.targets import TARGETS, LawError
from logdoctor.archive.store import Store
from logdoctor.events.line_reader import LineReader
from logdoctor.live import state
from logdoctor.pipeline.scan import Scan
from logdoctor.pipeline.source_scan import SourceScan
from tests.thoroughness import drawn


@pytest.mark.parametrize("target", TARGETS)
def test_all_laws_hold_for_what_the_fuzzer_starts_from(target: str) -> None:
    seeds = list(seeds_of(target))
    step = max(1, len(seeds) // max(1, drawn(len(seeds))))
    assert seeds
    for data in seeds[::step]:
        TARGETS[target].check(data)


def raising(*_: Any, **__: Any) -> Any:
    raise IndexError("list index out of range")


@pytest.mark.parametrize(
    ("target", "place", "name"),
    [
        ("logs", LineReader, "read"),
        ("archives", SourceScan, "feed"),
        ("records", SourceScan, "feed"),
        ("dumps", Scan, "_read_dump"),
        ("signatures", targets, "compile_addition"),
        ("settings", targets, "judge"),
        ("states", state, "_encoded"),
        ("stores", Store, "records"),
    ],
)
def test_a_fault_of_the_programs_own_is_seen(
    monkeypatch: pytest.MonkeyPatch, target: str, place: Any, name: str
) -> None:
    monkeypatch.setattr(place, name, raising)
    with pytest.raises(IndexError):
        check_all(target)


def check_all(target: str) -> None:
    for data in seeds_of(target):
        TARGETS[target].check(data)


def told_by_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    real = targets._told
    monkeypatch.setattr(targets, "_told", lambda pieces: real(pieces[:1]))


def shown_raw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "render_text", lambda *_: "\x1b[2J")


def shown_turned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "render_text", lambda *_: "\N{RIGHT-TO-LEFT OVERRIDE}")


@pytest.mark.parametrize("break_law", [told_by_pieces, shown_raw, shown_turned])
def test_a_broken_law_of_logs_is_seen(
    monkeypatch: pytest.MonkeyPatch, break_law: Callable[[pytest.MonkeyPatch], None]
) -> None:
    break_law(monkeypatch)
    with pytest.raises(LawError):
        TARGETS["logs"].check(b"\4" + b"step 1 of 100\n" * 20 + b"KeyError: 'x'\n")


def test_a_run_that_nobody_wrote_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    targets._whole_store()
    others = tuple(each._replace(verdict="another") for each in targets._records())
    monkeypatch.setattr(targets, "_records", lambda: others)
    with pytest.raises(LawError):
        TARGETS["stores"].check(b"")


def test_a_state_that_changes_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    states = iter((state.LiveState(told=("a",)), state.LiveState(told=("b",))))
    monkeypatch.setattr(targets, "read_state", lambda _: next(states))
    with pytest.raises(LawError):
        TARGETS["states"].check(b"{}")
