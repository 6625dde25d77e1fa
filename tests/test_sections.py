"""Large sources in sections: the same document, whoever reads them."""

from __future__ import annotations

import gzip
import io
import itertools
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logdoctor.cli.terminal import cache_folder
from logdoctor.errors import SourceError
from logdoctor.model import ScanResult
from logdoctor.pipeline import processes, scan
from logdoctor.pipeline.processes import ProcessReaders
from logdoctor.pipeline.scan import Scan
from logdoctor.pipeline.section_reading import ReaderLostError, Readers
from logdoctor.scanning import cutting, sampling, scanner, sharing
from logdoctor.scanning.cutting import Cutter, Lessons, Section, cut_file, quiet_place
from logdoctor.scanning.relevance import ReadSettings, Screen
from logdoctor.scanning.scanner import Past
from logdoctor.search.automaton import Automaton
from logdoctor.sources.finding import Source, find_sources
from tests.log_parts import PARTS as LOG_PARTS
from tests.log_parts import TRACEBACK
from tests.readers import ReadersHere, document
from tests.thoroughness import drawn

PARTS = (
    *LOG_PARTS,
    b"".join(b"step:%d - actor/loss:nan - actor/grad_norm:1.0\n" % i for i in range(30)),
    b"algorithm.adv_estimator: grpo\nactor_rollout_ref.rollout.gpu_memory_utilization: 0.9\n",
    b"".join(b"actor_rollout_ref.rollout.gpu_memory_utilization: 0.%d\n" % i for i in range(300)),
    b"x" * 3000 + b"\n",
    b"dark\n" * 120,
)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    make_small(monkeypatch)


def make_small(patch: pytest.MonkeyPatch) -> None:
    sizes = (
        (cutting, {"FIRST": 3000, "SECTION": 5000, "WINDOW": 1500}),
        (scan, {"WORTH_SHARING": 0}),
        (scanner, {"BLOCK": 1200, "OVERLAP": 300}),
        (sampling, {"STRETCH": 200, "EDGE": 100, "NEAR": 60}),
    )
    for module, named in sizes:
        for name, size in named.items():
            patch.setattr(module, name, size)


def scanned(
    automaton: Automaton, data: bytes, readers: Readers | None = None, step: int = 1 << 20
) -> ScanResult:
    scan = Scan(automaton, readers=readers)
    scan.read(
        "x",
        [data[i : i + step] for i in range(0, len(data), step)],
        partial(cast(Callable[[bytes], BinaryIO], io.BytesIO), data),
    )
    return scan.result()


def scanned_stream(
    automaton: Automaton, chunks: Iterable[bytes], readers: Readers | None = None
) -> ScanResult:
    """As what a compressed file holds: nobody waits for it, and it cannot be opened again."""
    scan = Scan(automaton, readers=readers)
    scan.read("x", chunks, is_stored=True)
    return scan.result()


def chunks_of(data: bytes, step: int) -> Iterator[bytes]:
    return (data[i : i + step] for i in range(0, len(data), step))


@settings(deadline=None, max_examples=drawn(40))
@given(st.lists(st.sampled_from(PARTS), max_size=60), st.integers(2, 4), st.integers(100, 40_000))
def test_the_document_does_not_depend_on_who_reads(
    automaton: Automaton, parts: list[bytes], lose: int, step: int
) -> None:
    """One process, others, and others of whom some get lost; the pieces in which it arrives; and whether it can be opened again."""
    data = b"".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        make_small(patch)
        alone = document(scanned(automaton, data))
        assert document(scanned(automaton, data, step=step)) == alone
        assert document(scanned(automaton, data, ReadersHere(automaton), step)) == alone
        assert document(scanned(automaton, data, ReadersHere(automaton, lose))) == alone
        assert (
            document(scanned_stream(automaton, chunks_of(data, step), ReadersHere(automaton)))
            == alone
        )
        assert (
            document(scanned_stream(automaton, chunks_of(data, step), ReadersHere(automaton, lose)))
            == alone
        )


@pytest.mark.usefixtures("small")
def test_a_stored_stream_that_breaks_is_judged_up_to_there(automaton: Automaton) -> None:
    """What came before it counts, its last bytes as well, whoever reads it."""
    data = b"dark\n" * 9000 + TRACEBACK

    def broken() -> Iterator[bytes]:
        yield from chunks_of(data, 700)
        raise SourceError("x", "broken or cut off")

    readers = ReadersHere(automaton)
    shared, alone = (
        scanned_stream(automaton, broken(), readers),
        scanned_stream(automaton, broken()),
    )
    assert (document(shared), shared.sources) == (document(alone), alone.sources)
    assert (shared.sources[0].bytes, shared.sources[0].problem, readers.begun > 3) == (
        len(data),
        "broken or cut off",
        True,
    )


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), None])
def test_a_stored_stream_needs_no_file_for_its_sections(
    automaton: Automaton, monkeypatch: pytest.MonkeyPatch, error: OSError | None
) -> None:
    """Where there is no room for one, or where no other process could see it, its bytes are sent."""

    def nameless() -> BinaryIO:
        if error:
            raise error
        return cast(BinaryIO, io.BytesIO())

    data = b"".join(TRACEBACK + b"dark\n" * 900 for _ in range(20))
    monkeypatch.setattr(tempfile, "TemporaryFile", nameless)
    monkeypatch.setattr(sharing, "_path_of", lambda _: "/nowhere")
    readers = ReadersHere(automaton)
    assert document(scanned_stream(automaton, chunks_of(data, 5000), readers)) == document(
        scanned(automaton, data)
    )
    assert readers.begun > 5


def test_a_stream_is_shared_when_much_of_it_has_come(
    automaton: Automaton, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And one that is still being written never is: its reader waits for what it tells."""
    make_small(monkeypatch)
    monkeypatch.setattr(scan, "WORTH_SHARING", 20_000)
    begun = []
    for size, is_stored in ((15_000, True), (100_000, False), (100_000, True)):
        readers = ReadersHere(automaton)
        Scan(automaton, readers=readers).read(
            "x", chunks_of(b"dark\n" * (size // 5), 1000), is_stored=is_stored
        )
        begun.append(readers.begun)
    assert begun[:2] == [0, 0]
    assert 10 < begun[2] < 20


@settings(deadline=None, max_examples=drawn(40))
@given(st.lists(st.sampled_from(PARTS), max_size=60))
def test_a_file_is_cut_like_a_stream(automaton: Automaton, parts: list[bytes]) -> None:
    """At the same bytes, between lines, and nothing is lost."""
    data = b"".join(parts)
    screen = Screen(automaton)
    with pytest.MonkeyPatch.context() as patch:
        make_small(patch)
        cutter = Cutter(automaton, screen)
        pieces: list[bytes] = [b""]
        for part in cutter.feed(data):
            if part is None:
                pieces.append(b"")
            else:
                pieces[-1] += part
        pieces[-1] += cutter.flush()
        ends = list(itertools.accumulate(map(len, pieces)))
        cuts = (
            list(cut_file(automaton, screen, io.BytesIO(data), ends[0])) if len(pieces) > 1 else []
        )
    assert b"".join(pieces) == data
    assert all(piece.endswith(b"\n") for piece in pieces[:-1])
    assert cuts == [
        (start, end if end < len(data) else None) for start, end in itertools.pairwise(ends)
    ]


@pytest.mark.usefixtures("small")
def test_no_event_is_cut_in_two(automaton: Automaton) -> None:
    """Whatever stands where a section could end."""
    rng = random.Random(5)
    parts = [
        rng.choice(
            (
                TRACEBACK,
                b"dark\n" * rng.randrange(150),
                TRACEBACK.replace(b"32", b"%d" % rng.randrange(60)),
            )
        )
        for _ in range(400)
    ]
    data = b"".join(parts)
    readers = ReadersHere(automaton)
    (diagnosis,) = scanned(automaton, data, readers).diagnoses
    assert (diagnosis.signature.id, diagnosis.occurrences) == (
        "dataproto-batch-smaller-than-chunks",
        data.count(b"AssertionError"),
    )
    assert readers.begun > 5


def test_among_nothing_but_events_there_is_no_quiet_place(automaton: Automaton) -> None:
    """And among nothing else there is, after as many lines as an event before may reach."""
    screen = Screen(automaton)
    assert quiet_place(automaton, screen, TRACEBACK * 200) is None
    assert quiet_place(automaton, screen, b"dark\n" * 49) is None
    assert quiet_place(automaton, screen, b"dark\n" * 51) == 5 * 46


@pytest.mark.usefixtures("small")
def test_what_other_processes_read_is_the_same(automaton: Automaton, tmp_path: Path) -> None:
    """Real ones, and a real file; a section that is too large for them is read here."""
    rng = random.Random(3)
    data = b"".join(rng.choice(PARTS) for _ in range(drawn(500))) + b"no line end"
    file = tmp_path / "x.log"
    file.write_bytes(data)
    readers = ProcessReaders(2, (), cache_folder())
    scan = Scan(automaton, readers=readers)
    with file.open("rb") as stream:
        scan.read(
            "x",
            iter(partial(stream.read, 1 << 20), b""),
            cast(Callable[[], BinaryIO], partial(open, file, "rb")),
        )
    compressed = tmp_path / "x.log.gz"
    compressed.write_bytes(gzip.compress(data))
    unpacked = Scan(automaton, readers=readers)
    for found in find_sources([str(compressed)], None):
        assert isinstance(found, Source)
        unpacked.read("x", found.chunks(), found.open_again, is_stored=found.is_stored)
    readers.close()
    assert (
        document(scan.result()) == document(scanned(automaton, data)) == document(unpacked.result())
    )
    (source,) = scan.result().sources
    assert (source.lines, source.bytes) == (data.count(b"\n") + 1, len(data))


@pytest.mark.usefixtures("small")
def test_processes_that_die_lose_nothing(
    automaton: Automaton, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What they were to read is read here."""
    data = b"".join(PARTS[i % len(PARTS)] for i in range(drawn(600)))
    file = tmp_path / "x.log"
    file.write_bytes(data)
    readers = ProcessReaders(2, (), str(tmp_path))
    monkeypatch.setattr(processes, "_read", _die)
    scan = Scan(automaton, readers=readers)
    scan.read("x", [data], cast(Callable[[], BinaryIO], partial(open, file, "rb")))
    with pytest.raises(ReaderLostError):
        readers.begin(
            Section(
                "x",
                b"",
                partial(io.BytesIO, b""),
                0,
                None,
                Lessons(Past({}, frozenset()), ReadSettings({})),
            )
        )()
    readers.close()
    assert document(scan.result()) == document(scanned(automaton, data))


def _die(*_: object) -> None:
    os._exit(1)


def test_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    """Also where it is killed."""
    program = (
        "import io, os, sys, time; from functools import partial; from logdoctor.pipeline.processes import ProcessReaders\n"
        "from logdoctor.scanning.cutting import *; from logdoctor.scanning.relevance import *; from logdoctor.scanning.scanner import Past\n"
        "if __name__ == '__main__':\n"
        f"    readers = ProcessReaders(2, (), {cache_folder()!r})\n"
        "    [readers.begin(Section('x', b'', partial(io.BytesIO, b''), 0, None, Lessons(Past({}, {}), ReadSettings({})))) for _ in range(2)][-1]()\n"
        "    print(*readers._processes._processes, flush=True); time.sleep(60)\n"
    )
    file = tmp_path / "program.py"
    file.write_text(program)
    with subprocess.Popen(
        [sys.executable, file], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        started = [int(each) for each in process.stdout.readline().split()]
        process.kill()
    deadline = time.monotonic() + 30
    while any(map(_is_alive, started)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert (len(started) > 0, [each for each in started if _is_alive(each)]) == (True, [])


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{process}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.usefixtures("small")
def test_a_file_that_goes_while_others_read_it_is_named(automaton: Automaton) -> None:
    """What was read until then counts."""
    data = b"dark\n" * 3000 + TRACEBACK + b"dark\n" * 3000
    opened = itertools.count()

    def open_again() -> BinaryIO:
        if next(opened) > 3:
            raise FileNotFoundError(2, "No such file or directory")
        return io.BytesIO(data)

    scan = Scan(automaton, readers=ReadersHere(automaton))
    scan.read("x", [data], open_again)
    (source,) = scan.result().sources
    assert source.problem == "no such file or directory"
    assert 3000 < source.bytes < len(data)


@pytest.mark.usefixtures("small")
def test_what_is_not_as_it_stands_in_the_file_is_read_here(automaton: Automaton) -> None:
    """A byte order mark, and a log that has its newest line first."""
    readers = ReadersHere(automaton)
    data = b"dark\n" * 3000
    scan = Scan(automaton, readers=readers)
    scan.read(
        "x", [data], partial(cast(Callable[[bytes], BinaryIO], io.BytesIO), b"\xef\xbb\xbf" + data)
    )
    newest = b"".join(
        b"2026-01-01 10:%02d:%02d something\n" % divmod(i, 60) for i in range(3599, 0, -1)
    )
    scan.read("y", [newest], partial(cast(Callable[[bytes], BinaryIO], io.BytesIO), newest))
    assert [(each.lines, each.problem) for each in scan.result().sources] == [
        (3000, None),
        (3599, None),
    ]
    assert readers.begun == 0


@pytest.mark.usefixtures("small")
def test_a_section_larger_than_memory_is_read_here(
    automaton: Automaton, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One full of events has no place to be cut at."""
    monkeypatch.setattr(sharing, "LARGEST", 10_000)
    data = b"dark\n" * 1000 + TRACEBACK * 500 + b"dark\n" * 5000
    readers = ReadersHere(automaton)
    alone = scanned(automaton, data)
    assert document(scanned(automaton, data, readers)) == document(alone)
    assert document(scanned_stream(automaton, chunks_of(data, 3000), readers)) == document(alone)
    assert (alone.diagnoses[0].occurrences, len(alone.diagnoses), readers.begun > 2) == (
        500,
        1,
        True,
    )
