"""Later sections of large sources: what tells about the run is read where something happens, and now and then."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from logdoctor.model import AnchorKind, Role, SignatureDatabase
from logdoctor.scanning import sampling
from logdoctor.scanning.repeated_warnings import Recurrences
from logdoctor.scanning.sampling import NEAR
from logdoctor.scanning.scanner import BLOCK, Past, Scanner
from logdoctor.scanning.thinning import STRETCH
from logdoctor.search.automaton import Automaton
from logdoctor.search.engines import Hit, Search

STEP = b"step:%d - actor/loss:0.5 - actor/grad_norm:1.0\n"
FAILURE = b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
END = b"{'train_runtime': 12.3, 'train_samples_per_second': 1.0}\n"


def lit(automaton: Automaton, parts: list[bytes], step: int = 1 << 20) -> set[int]:
    """Places, in bytes, of the lines of a later section that were handed on because they lit up."""
    data = b"".join(parts)
    scanner = Scanner(automaton, past=Past({}, frozenset()))
    regions = [
        region for i in range(0, len(data), step) for region in scanner.feed(data[i : i + step])
    ]
    numbers = {
        line.number
        for region in [*regions, *scanner.flush()]
        for line in region.lines
        if line.anchors
    }
    return {place for number, place in enumerate(_starts(data), 1) if number in numbers}


def _starts(data: bytes) -> Iterator[int]:
    place = 0
    for line in data.split(b"\n"):
        yield place
        place += len(line) + 1


def steps(size: int) -> bytes:
    return b"".join(STEP % number for number in range(size // len(STEP % 1000)))


def test_of_steps_those_at_the_end_of_each_block_are_read(automaton: Automaton) -> None:
    """Elsewhere there are as many, and none is read."""
    size = 4 * BLOCK
    found = sorted(lit(automaton, [steps(size)]))
    gaps = [
        later - earlier
        for earlier, later in itertools.pairwise([0, *found, size])
        if later - earlier > 2 * STRETCH
    ]
    assert len(gaps) == 4
    assert min(gaps) >= BLOCK - 2 * STRETCH - len(STEP)
    assert size - found[-1] < 2 * len(STEP)


def test_around_a_failure_the_steps_are_read(automaton: Automaton) -> None:
    """Those in its stretch, and in the one before."""
    before, after = steps(BLOCK // 2), steps(2 * BLOCK)
    stretch = len(before) // STRETCH
    found = lit(automaton, [before, FAILURE, after])
    assert len(before) in found
    around = [place for place in found if place < BLOCK - STRETCH]
    assert 0 <= (stretch - 1) * STRETCH - min(around) < len(STEP % 1000)
    assert 0 <= (stretch + 1) * STRETCH - max(around) < len(STEP % 1000)


def test_of_many_failures_of_one_kind_the_first_are_looked_around_further(
    automaton: Automaton,
) -> None:
    """What stands right beside the others is read all the same."""
    part = steps(BLOCK // 8)
    found = lit(automaton, [part, FAILURE] * 7)
    failures = [(number + 1) * len(part) + number * len(FAILURE) for number in range(7)]
    later = [place for place in found if failures[sampling.FEW] - STRETCH < place < failures[5]]
    assert set(failures) <= found
    assert all(failure + len(FAILURE) in found for failure in failures[:-1])
    assert max(
        min(abs(place - failure) for failure in failures) for place in later
    ) <= sampling.NEAR + len(STEP) + len(FAILURE)


def test_an_end_is_read_wherever_it_stands(automaton: Automaton) -> None:
    """That a run ended must not be missed."""
    before = steps(BLOCK // 2)
    assert len(before) in lit(automaton, [before, END, steps(BLOCK)])


@pytest.mark.parametrize("step", [70_000, 1 << 20, 1 << 24])
def test_how_it_arrives_makes_no_difference(automaton: Automaton, step: int) -> None:
    """Blocks of a section end at the same places."""
    parts = [
        steps(BLOCK // 3),
        FAILURE,
        steps(2 * BLOCK),
        b"x" * (2 * BLOCK) + b"\n",
        FAILURE,
        steps(BLOCK),
    ]
    assert lit(automaton, parts, step) == lit(automaton, parts, 999)


def test_what_tells_of_an_error_in_general_is_alarming(automaton: Automaton) -> None:
    """Whatever the first signature of the database is."""
    recurrences = Recurrences(automaton, ())
    general = [
        number
        for number in range(len(automaton.codes))
        if automaton.kinds((number,)) & {AnchorKind.ERROR, AnchorKind.TRACEBACK, AnchorKind.FRAME}
    ]
    harmless = automaton.database.signatures[0]._replace(role=Role.BENIGN)
    database = SignatureDatabase(
        [harmless, *list(automaton.database.signatures)[1:]], "x", automaton.database.directory
    )
    other = Recurrences(
        Automaton(
            database,
            automaton.parts,
            automaton.traits,
            automaton.codes,
            automaton.settings,
            automaton.once,
            automaton.engines,
        ),
        (),
    )
    assert len(general) == 17
    assert not any(map(recurrences.is_harmless, general))
    assert not any(map(other.is_harmless, general))


class _Watched(Search):
    """Takes note of what is searched."""

    def course_hits(self, data: bytes, start: int = 0, end: int | None = None) -> list[Hit]:
        self.searched = [*getattr(self, "searched", []), (start, len(data) if end is None else end)]
        return super().course_hits(data, start, end)


def test_around_failures_that_stand_together_is_searched_at_once(automaton: Automaton) -> None:
    """No byte is searched twice, and what is searched in two parts is apart."""
    search = _Watched(automaton.engines)
    block = steps(BLOCK)
    places = [*range(0, BLOCK // 8, 500), *range(BLOCK // 2, BLOCK // 2 + 10 * NEAR, NEAR)]
    sampling.Sampling(search, lambda _: False).hits(
        block, ((place, (0,)) for place in places), is_final=False
    )
    assert len(search.searched) == 3
    assert all(end < start for (_, end), (start, _) in itertools.pairwise(search.searched))
    assert all(
        any(start <= max(0, place - NEAR) and place + NEAR <= end for start, end in search.searched)
        for place in places
    )
