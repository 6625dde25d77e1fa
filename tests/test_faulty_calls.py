"""A call of the system that fails, at any place of a scan or a batch: the report is whole, or says
what it lacks, and what was kept before stays.
"""

from __future__ import annotations

import gzip
import json
import resource
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from logdoctor.search.automaton import Automaton
from logdoctor.search.cache import CompiledCache
from tests.faulty_calls import CALLS, ERRORS, Faults, armed
from tests.thoroughness import drawn

BATCH_ERROR = b"AssertionError: batch_size 32 < chunks 64\n"
OOM = b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
TRIED = drawn(8)
"""Calls of a kind that fail, one in each try."""


@pytest.fixture
def folder(automaton: Automaton, tmp_path: Path) -> Path:
    """Logs, plain, compressed and in archives, beside signatures of one's own."""
    assert automaton  # no call compiles it
    logs = tmp_path / "here" / "logs"
    logs.mkdir(parents=True)
    (logs / "a.log").write_bytes(b"step 1 of 9\n" * 50 + BATCH_ERROR)
    (logs / "b.log.gz").write_bytes(gzip.compress(OOM, mtime=0))
    with zipfile.ZipFile(logs / "c.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("c.log", b"KeyError: 'x'\n")
    return tmp_path / "here"


def call(
    folder: Path, kind: str, number: int, error: int, *words: str | Path, size: int | None = None
) -> subprocess.CompletedProcess[bytes]:
    """The program, one of whose calls fails; `size` is the largest file that it may write."""
    command = ("-m", "tests.faulty_calls", str(folder), kind, str(number), str(error))
    done = subprocess.run(
        (sys.executable, *command, *map(str, words)),
        capture_output=True,
        timeout=120,
        check=False,
        cwd=Path(__file__).parent.parent,
        preexec_fn=partial(limit, size) if size is not None else None,
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    assert b"please report" not in done.stdout + done.stderr
    assert done.returncode in (0, 1, 2)
    return done


def limit(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def was_reached(folder: Path) -> bool:
    marker = Path(f"{folder}.reached")
    found = marker.exists()
    marker.unlink(missing_ok=True)
    return found


def tries(kind: str) -> Iterator[tuple[int, int]]:
    """Numbers of calls, each with one of the errors."""
    for number in range(TRIED):
        yield number, ERRORS[(number + len(kind)) % len(ERRORS)]


def lacks(document: Any) -> list[str]:
    return [each["name"] for each in document["sources"] if each.get("problem")]


@pytest.mark.parametrize("kind", CALLS)
def test_a_scan_is_whole_or_says_what_it_lacks(folder: Path, kind: str) -> None:
    words = ("scan", folder / "logs", "--format", "json")
    whole = call(folder, "none", 0, 0, *words)
    assert whole.returncode == 1
    for number, error in tries(kind):
        done = call(folder, kind, number, error, *words)
        if not was_reached(folder):
            assert done.stdout == whole.stdout
            break
        if done.stdout != whole.stdout:
            assert done.returncode == 2, (kind, number)
            assert lacks(json.loads(done.stdout)) or done.stderr, (kind, number)


@pytest.mark.parametrize("size", [0, 100, 3000])
def test_a_report_that_finds_no_room_is_not_passed_off_as_whole(folder: Path, size: int) -> None:
    out = folder / "report.json"
    words = ("scan", folder / "logs", "--format", "json", "-o", out)
    done = call(folder, "none", 0, 0, *words, size=size)
    assert done.returncode == 2
    assert b"could not be written: file too large" in done.stderr
    assert out.stat().st_size == size


@pytest.mark.parametrize("kind", CALLS)
def test_a_batch_is_whole_or_says_what_it_lacks(folder: Path, kind: str) -> None:
    """Its page is the one before or the new one, and never a part of it."""
    page = folder / "page.html"
    words = ("batch", folder / "logs", "--format", "json", "--html", page)
    whole = call(folder, "none", 0, 0, *words)
    assert whole.returncode == 1
    for number, error in tries(kind):
        page.write_text("before", encoding="utf-8")
        done = call(folder, kind, number, error, *words)
        if not was_reached(folder):
            break
        assert page.read_text(encoding="utf-8") == "before" or page.stat().st_size > len(OOM) * 100
        assert [each.name for each in folder.glob("page.html*")] == ["page.html"]
        if done.stdout != whole.stdout:
            assert done.returncode == 2, (kind, number)
            assert done.stderr or b'"problem' in done.stdout, (kind, number)


@pytest.mark.parametrize("kind", CALLS)
def test_a_cache_that_fails_makes_no_difference(tmp_path: Path, kind: str) -> None:
    for number, error in tries(kind):
        cache = CompiledCache(tmp_path / f"{kind}{number}" / "cache")
        faults = Faults(str(tmp_path), kind, number, error)
        with armed(faults), cache.held_alone():
            before = cache.read("key")
            is_kept = cache.write("key", b"compiled")
            during = cache.read("key")
        assert before is None
        assert during in ((b"compiled", None) if is_kept else (None,))
        assert cache.read("key") == (b"compiled" if is_kept else None)
        assert cache.write("key", b"compiled") is True
        assert cache.read("key") == b"compiled"
        if faults.is_on:
            break


def test_a_fault_is_reached(folder: Path) -> None:
    """The tries above are of calls that there are: of each kind a scan or a batch makes one."""
    never = []
    for kind in CALLS:
        for more in (("scan",), ("batch", "--html", folder / "page.html")):
            call(folder, kind, 0, ERRORS[0], *more, folder / "logs")
        if not was_reached(folder):
            never.append(kind)
    assert never == ["map", "lock"]
