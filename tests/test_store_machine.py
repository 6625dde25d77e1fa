"""A store through kills, full disks, two writers, joins and damage, in any order: Machine.

What was written before stays, what was being written is there whole or not at all, and damage
takes rows away but changes none.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import tempfile
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from logdoctor.archive.records import RunRecord
from logdoctor.archive.store import Store, StoreError
from tests.thoroughness import drawn

ROOT, RULES = "/runs", "r"
KILLED, REFUSED = 9, 3

numbers = st.integers(0, 5)
seeds = st.integers(0, 2**32)


def record(number: int, seed: int) -> RunRecord:
    """A run of which nothing repeats: its rows have pages of their own."""
    content = random.Random(seed).randbytes(200 + seed % 6000)
    error = f"error-{seed % 7}"
    return RunRecord(f"run{number}", f"run{number}", error, (error,), ("节点 1",), (), content)


class Machine(RuleBasedStateMachine):
    """The store's file, and what it must hold."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.file = self.folder / "s.sqlite"
        self.runs: dict[str, RunRecord] = {}
        self.notes: set[str] = set()

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    def read(self) -> tuple[dict[str, RunRecord], set[str]]:
        with closing(Store(str(self.file))) as store:
            runs = {each.run: each for each in store.runs_with()}
            return runs, {each.text for each in store.team_notes("key-missing")}

    def in_child(self, act: Callable[[Store], object], before: Callable[[Store], object]) -> int:
        """Acts in a process of its own, which `before` has prepared to fail; its exit code."""
        child = os.fork()
        if child == 0:
            code = 1
            with suppress(BaseException):
                try:
                    store = Store(str(self.file))
                    before(store)
                    act(store)
                    code = 0
                except StoreError:
                    code = REFUSED
            os._exit(code)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    def happened_or_not(
        self, act: Callable[[Store], object], runs: dict[str, RunRecord], notes: set[str]
    ) -> Callable[[Callable[[Store], object]], int]:
        """What an act that may fail must leave: what was there, or what is there after it."""

        def run(before: Callable[[Store], object]) -> int:
            code = self.in_child(act, before)
            found = self.read()
            assert found in ((self.runs, self.notes), (runs, notes))
            assert code in (0, KILLED, REFUSED)
            assert code or found == (runs, notes)
            self.runs, self.notes = found
            return code

        return run

    @rule(number=numbers, seed=seeds)
    def add(self, number: int, seed: int) -> None:
        run = record(number, seed)
        with closing(Store(str(self.file))) as store:
            store.add_run(ROOT, run, RULES, store.begin(ROOT))
        self.runs[run.run] = run

    @rule(text=st.text("ab节\n'", min_size=1, max_size=5))
    def note(self, text: str) -> None:
        with closing(Store(str(self.file))) as store:
            store.note("key-missing", "2026-11-23T10:00:00+00:00", text)
        self.notes.add(text)

    @rule(numbers=st.tuples(numbers, numbers), seed=seeds)
    def two_writers(self, numbers: tuple[int, int], seed: int) -> None:
        with closing(Store(str(self.file))) as one, closing(Store(str(self.file))) as other:
            for store, number in zip((one, other), numbers, strict=True):
                run = record(number, seed + number)
                store.add_run(ROOT, run, RULES, 1)
                self.runs[run.run] = run

    @rule(number=numbers, seed=seeds, steps=st.integers(1, 300))
    def killed(self, number: int, seed: int, steps: int) -> None:
        """While it adds a run and notes something, after so many steps of SQLite's machine."""
        run, left = record(number, seed), [steps]

        def count() -> int:
            left[0] -= 1
            if not left[0]:
                os._exit(KILLED)
            return 0

        def act(store: Store) -> None:
            store.add_run(ROOT, run, RULES, 1)

        def before(store: Store) -> None:
            store._connection.set_progress_handler(count, 1)

        self.happened_or_not(act, {**self.runs, run.run: run}, self.notes)(before)

    @rule(number=numbers, seed=seeds, room=st.integers(0, 12_000))
    def full_disk(self, number: int, seed: int, room: int) -> None:
        """No file may grow beyond what the store has now and a little more."""
        run = record(number, seed)
        size = (self.file.stat().st_size if self.file.exists() else 0) + room - 4000
        limit = max(1, size)

        def act(store: Store) -> None:
            store.add_run(ROOT, run, RULES, 1)

        def before(_: Store) -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

        self.happened_or_not(act, {**self.runs, run.run: run}, self.notes)(before)

    @rule(number=numbers, seed=seeds, text=st.sampled_from(["from a colleague", "a"]))
    def join(self, number: int, seed: int, text: str) -> None:
        """Of a run that both have, one's own is kept."""
        other, run = self.folder / "other.sqlite", record(number, seed)
        with closing(Store(str(other))) as store:
            store.add_run(ROOT, run, RULES, 1)
            store.note("key-missing", "2026-11-23T09:00:00+00:00", text)
        with closing(Store(str(self.file))) as store:
            store.join(str(other))
        other.unlink()
        self.runs = {run.run: run, **self.runs}
        self.notes.add(text)

    @precondition(lambda self: self.file.exists())
    @rule(seed=seeds)
    def damage(self, seed: int) -> None:
        """A region is overwritten, or the end is cut off: what can be read is what was written."""
        source = random.Random(seed)
        data = bytearray(self.file.read_bytes())
        start, size = source.randrange(len(data)), source.choice((1, 60, 4000))
        if source.random() < 0.2:
            del data[start:]
        else:
            data[start : start + size] = source.randbytes(len(data[start : start + size]))
        self.file.write_bytes(data)
        try:
            runs, notes = self.read()
        except StoreError:  # refused in words; somebody takes it away
            self.file.unlink()
            runs, notes = self.read()
        assert runs.items() <= self.runs.items()
        assert notes <= self.notes
        # rows that are left out are replaced or judged anew; here they are begun anew
        self.runs, self.notes = runs, notes

    @invariant()
    def holds_what_was_written(self) -> None:
        assert self.read() == (self.runs, self.notes)


def test_nothing_is_lost_or_half_written() -> None:
    """In whatever order."""
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=drawn(25),
            stateful_step_count=12,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
