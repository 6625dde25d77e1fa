"""Live files lose no line and double none."""

from __future__ import annotations

import bz2
import errno
import gzip
import itertools
import lzma
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NoReturn
from unittest.mock import Mock

import pytest

from logdoctor.errors import SourceError
from logdoctor.live.follow import Follower
from logdoctor.live.followed_file import HALF_LINE_LIMIT, FollowedFile
from logdoctor.live.generations import Generations
from logdoctor.live.rotation import Mark
from logdoctor.live.state import LiveState, read_state, write_state

TESTS = Path(__file__).parent
ROTATIONS = int(
    os.environ.get("LOGDOCTOR_ROTATIONS", "60")
)  # benchmarks/accuracy/prove_rotation asks for 1,000


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Reader:
    """A follower whose clock moves a second with each look."""

    def __init__(self, *arguments: Path | str, marks: object = None) -> None:
        self.clock = Clock()
        self.follower = Follower([str(each) for each in arguments], self.clock, marks)  # type: ignore[arg-type]
        self.problems: list[str] = []

    def look(self) -> bytes:
        self.clock.now += 1
        pieces = list(self.follower.poll())
        self.problems += [each.problem for each in pieces if each.problem]
        return b"".join(each.data for each in pieces)

    def by_source(self) -> dict[str, bytes]:
        self.clock.now += 1
        found: dict[str, bytes] = {}
        for piece in self.follower.poll():
            found[Path(piece.source).name] = found.get(Path(piece.source).name, b"") + piece.data
        return found


def failing(code: int) -> Callable[..., NoReturn]:
    """A call of the system that fails so."""

    def call(*_: object) -> NoReturn:
        raise OSError(code, os.strerror(code))

    return call


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def run_script(name: str, *arguments: object) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen(
        [sys.executable, str(TESTS / name), *map(str, arguments)], env=environment
    )


def start_reader(log: Path, out: Path, state: Path, end: Path) -> subprocess.Popen[bytes]:
    """One that has begun to read."""
    ready = Path(f"{out}.ready")
    ready.unlink(missing_ok=True)
    reader = run_script("numbered_reader.py", log, out, state, end)
    while not ready.exists() and reader.poll() is None:
        time.sleep(0.005)
    return reader


@pytest.mark.parametrize("scheme", ["rename", "copytruncate", "dated", "compressed"])
def test_every_line_once_through_rotation_and_restarts(tmp_path: Path, scheme: str) -> None:
    """A reader that is ended and started again while a writer rotates at full speed sees 0, 1, 2 … to the last."""
    log, out, state, end = (tmp_path / name for name in ("t.log", "numbers", "state", "end"))
    each = 2000
    log.touch()
    reader = start_reader(log, out, state, end)
    writer = run_script("rotating_writer.py", scheme, log, ROTATIONS, each)
    while writer.poll() is None:
        time.sleep(0.15)
        reader.send_signal(signal.SIGTERM)
        reader.wait()
        reader = start_reader(log, out, state, end)
    end.touch()
    assert (writer.returncode, reader.wait(60 + ROTATIONS)) == (0, 0)
    assert out.read_text().split() == [f"{number:09d}" for number in range(ROTATIONS * each)]


def test_a_file_that_is_not_there_yet(tmp_path: Path) -> None:
    """It is read from its first byte."""
    reader = Reader(tmp_path / "a.log")
    assert reader.look() == b""
    append(tmp_path / "a.log", b"one\n")
    assert reader.look() == b"one\n"


def test_half_a_line_waits_for_its_end(tmp_path: Path) -> None:
    """Also where a character is cut in two."""
    reader = Reader(tmp_path / "a.log")
    append(tmp_path / "a.log", "显".encode()[:2])
    assert reader.look() == b""
    append(tmp_path / "a.log", "显".encode()[2:] + b"\nnext")
    assert (reader.look(), next(iter(reader.follower.finish())).data) == ("显\n".encode(), b"next")


def test_a_long_line_of_drawings_is_not_waited_for(tmp_path: Path) -> None:
    """A progress bar that never ends its line is handed on in whole drawings."""
    reader = Reader(tmp_path / "a.log")
    append(tmp_path / "a.log", b"10%|#\r" * HALF_LINE_LIMIT)
    assert reader.look() == b"10%|#\r" * HALF_LINE_LIMIT


def test_truncation_begins_anew(tmp_path: Path) -> None:
    """A restart that opens its log with mode w, whether the new one is shorter or longer than what was read."""
    reader = Reader(tmp_path / "a.log")
    append(tmp_path / "a.log", b"old 1\nold 2\n")
    assert reader.look() == b"old 1\nold 2\n"
    (tmp_path / "a.log").write_bytes(b"new\n")
    assert reader.look() == b"new\n"
    (tmp_path / "a.log").write_bytes(b"newer, and much longer\n")
    assert reader.look() == b"newer, and much longer\n"


def test_a_hole_that_a_writer_leaves_after_truncation_is_skipped(tmp_path: Path) -> None:
    """A writer that does not append goes on at its old offset."""
    with (tmp_path / "a.log").open("wb", buffering=0) as writer:
        reader = Reader(tmp_path / "a.log")
        writer.write(b"one\n" * 100)
        assert reader.look() == b"one\n" * 100
        os.truncate(tmp_path / "a.log", 0)
        writer.write(b"two\n")
        assert reader.look() == b"two\n"


def test_deletion_and_creation(tmp_path: Path) -> None:
    """What came to the old file until it was deleted is read first."""
    reader = Reader(tmp_path / "a.log")
    append(tmp_path / "a.log", b"one\n")
    assert reader.look() == b"one\n"
    append(tmp_path / "a.log", b"two\n")
    (tmp_path / "a.log").unlink()
    assert reader.look() == b"two\n"
    append(tmp_path / "a.log", b"three\n")
    assert reader.look() == b"three\n"


def test_lines_that_come_to_the_old_file_after_its_renaming(tmp_path: Path) -> None:
    """logrotate's `create`: the new file is there, and the writer still at the old one."""
    with (tmp_path / "a.log").open("ab", buffering=0) as writer:
        reader = Reader(tmp_path / "a.log")
        writer.write(b"one\n")
        assert reader.look() == b"one\n"
        (tmp_path / "a.log").rename(tmp_path / "a.log.1")
        (tmp_path / "a.log").touch()
        writer.write(b"two\n")
        assert reader.look() == b"two\n"
    append(tmp_path / "a.log", b"three\n")
    assert reader.look() == b"three\n"


def test_half_a_line_goes_on_after_copy_and_truncate(tmp_path: Path) -> None:
    """And is ended where the file was renamed."""
    reader = Reader(tmp_path / "a.log")
    append(tmp_path / "a.log", b"one\nhalf ")
    assert reader.look() == b"one\n"
    shutil.copyfile(tmp_path / "a.log", tmp_path / "a.log.1")
    os.truncate(tmp_path / "a.log", 0)
    append(tmp_path / "a.log", b"line\nhalf")
    assert reader.look() == b"half line\n"
    (tmp_path / "a.log.1").rename(tmp_path / "a.log.2")
    (tmp_path / "a.log").rename(tmp_path / "a.log.1")
    append(tmp_path / "a.log", b"new\n")
    assert reader.look() == b"half\nnew\n"


def test_a_link_that_moves(tmp_path: Path) -> None:
    """`session_latest` points to another session."""
    for session in ("session_1", "session_2"):
        (tmp_path / session).mkdir()
    link = tmp_path / "session_latest"
    link.symlink_to("session_1")
    reader = Reader(link)
    append(tmp_path / "session_1" / "worker.out.log", b"one\n")
    assert reader.look() == b"one\n"
    append(tmp_path / "session_1" / "worker.out.log", b"two\n")
    append(tmp_path / "session_2" / "worker.out.log", b"three\n")
    link.unlink()
    link.symlink_to("session_2")
    assert reader.look() + reader.look() == b"two\nthree\n"


def test_new_files_in_a_folder_and_of_a_glob(tmp_path: Path) -> None:
    """They are followed from their first line; what is no log, and what is compressed, is not."""
    (tmp_path / "logs").mkdir()
    in_folder, of_glob = Reader(tmp_path / "logs"), Reader(str(tmp_path / "logs" / "*.out"))
    append(tmp_path / "logs" / "rank0.out", b"zero\n")
    append(tmp_path / "logs" / "weights.bin", b"no\n")
    append(tmp_path / "logs" / "old.log.gz", b"no\n")
    assert (in_folder.by_source(), of_glob.by_source()) == (
        {"rank0.out": b"zero\n"},
        {"rank0.out": b"zero\n"},
    )
    (tmp_path / "logs" / "attempt_1").mkdir()
    append(tmp_path / "logs" / "attempt_1" / "stderr.log", b"one\n")
    assert (in_folder.by_source(), of_glob.by_source()) == ({"stderr.log": b"one\n"}, {})


def test_a_folder_that_is_not_there_yet(tmp_path: Path) -> None:
    """`session_latest/logs` before Ray has started."""
    reader = Reader(tmp_path / "session" / "logs")
    assert reader.look() == b""
    (tmp_path / "session" / "logs").mkdir(parents=True)
    append(tmp_path / "session" / "logs" / "raylet.out", b"one\n")
    assert (reader.look() + reader.look(), reader.problems) == (b"one\n", [])


def test_rotated_files_of_a_folder_are_no_new_ones(tmp_path: Path) -> None:
    """Whatever they are renamed to."""
    reader = Reader(tmp_path)
    append(tmp_path / "a.log", b"one\n")
    assert reader.look() == b"one\n"
    (tmp_path / "a.log").rename(tmp_path / "a.log.1")
    append(tmp_path / "a.log", b"two\n")
    assert reader.look() + reader.look() == b"two\n"
    (tmp_path / "a.log").rename(tmp_path / "a-before-noon.log")
    append(tmp_path / "a.log", b"three\n")
    assert reader.look() + reader.look() == b"three\n"


def test_a_folder_in_the_place_of_a_file(tmp_path: Path) -> None:
    """It is said once, and reading goes on when a file is back."""
    reader = Reader(tmp_path / "a.log")
    append(tmp_path / "a.log", b"one\n")
    reader.look()
    (tmp_path / "a.log").unlink()
    (tmp_path / "a.log").mkdir()
    reader.look()
    reader.look()
    (tmp_path / "a.log").rmdir()
    append(tmp_path / "a.log", b"two\n")
    assert (reader.look(), reader.problems) == (b"two\n", ["is a folder now"])


def test_a_permission_that_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said once, and reading goes on when it is back."""
    reader = Reader(tmp_path / "a.log")
    append(tmp_path / "a.log", b"one\n")
    real = os.open

    def refuse(path: str, *arguments: int) -> int:
        if str(path).endswith("a.log"):
            raise PermissionError(13, "Permission denied")
        return real(path, *arguments)

    with monkeypatch.context() as patched:
        patched.setattr("logdoctor.live.followed_file.os.open", refuse)
        assert (reader.look(), reader.look()) == (b"", b"")
    assert (reader.look(), reader.problems) == (b"one\n", ["permission denied"])


def test_clocks_that_jump(tmp_path: Path) -> None:
    """A file server whose clock is set back or forth: times of files are no order of lines."""
    log = tmp_path / "a.log"
    reader = Reader(log)
    for number, changed in enumerate((1e9, 3e9, 5e8, 2e9)):
        append(log, b"%d\n" % number)
        os.utime(log, (changed, changed))
        assert reader.look() == b"%d\n" % number
        os.utime(log, (changed + 1e8, changed + 1e8))
        assert reader.look() == b""
    log.rename(tmp_path / "a.log.1")
    append(log, b"4\n")
    os.utime(log, (1, 1))
    assert reader.look() == b"4\n"


def test_a_binary_file_is_refused(tmp_path: Path) -> None:
    """Once, and what follows in it is not read."""
    reader = Reader(tmp_path / "a.log")
    append(tmp_path / "a.log", b"\x7fELF" + bytes(range(1, 30)) * 10 + b"\n")
    assert (reader.look(), reader.problems) == (b"", ["looks like a binary file, not a log"])
    append(tmp_path / "a.log", b"more\n")
    assert (reader.look(), reader.problems) == (b"", ["looks like a binary file, not a log"])


def test_more_files_than_are_kept_open(tmp_path: Path) -> None:
    """Files are closed when others grow, and go on where they were."""
    paths = [tmp_path / f"{i:03d}.log" for i in range(250)]
    reader = Reader(tmp_path)
    for text in (b"one\n", b"two\n"):
        for path in paths:
            append(path, text)
        assert reader.by_source() == {path.name: text for path in paths}
    opened = (
        [str(each.readlink()) for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
        if Path("/proc/self/fd").exists()
        else []
    )
    assert sum(str(tmp_path) in each for each in opened) <= 200


def test_idle_files_are_looked_at_seldom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten looks within a tenth of a second ask for each file once."""
    for i in range(20):
        append(tmp_path / f"{i}.log", b"x\n")
    reader = Reader(*sorted(tmp_path.glob("*.log")))
    reader.look()
    reader.clock.now += 100
    asked: list[str] = []
    real = os.stat

    def stat_and_count(path: str) -> os.stat_result:
        asked.append(path)
        return real(path)

    monkeypatch.setattr("logdoctor.live.followed_file.os.stat", stat_and_count)
    for _ in range(10):
        reader.clock.now += 0.01
        list(reader.follower.poll())
    assert len(asked) == 20


def test_a_busy_machine_makes_looking_no_rarer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two looks at the clock 0.05 s pass; what counts is what looking costs."""
    append(tmp_path / "a.log", b"x\n")
    looks = []
    monkeypatch.setattr(FollowedFile, "look", lambda _file, now: looks.append(now) or iter(()))  # type: ignore[func-returns-value]
    counts = []
    for cost_clock in (lambda: 0.0, None):
        looks.clear()
        follower = Follower(
            [str(tmp_path / "a.log")],
            partial(next, itertools.count(1.0, 0.05)),
            cost_clock=cost_clock,
        )
        for _ in range(60):
            list(follower.poll())
        counts.append(len(looks))
    assert counts[0] > 2 * counts[1]


def test_state_survives_and_a_broken_one_is_refused(tmp_path: Path) -> None:
    """What was read is not read again by the next follower."""
    reader = Reader(tmp_path / "a.log")
    append(tmp_path / "a.log", b"one\nhal")
    reader.look()
    state = LiveState(reader.follower.marks(), {"a.log": 1}, ("cuda-out-of-memory",))
    write_state(str(tmp_path / "state"), state)
    assert read_state(str(tmp_path / "state")) == state
    append(tmp_path / "a.log", b"f\n")
    assert (
        Reader(tmp_path / "a.log", marks=read_state(str(tmp_path / "state")).marks).look()
        == b"half\n"
    )
    assert read_state(str(tmp_path / "none")) == LiveState()


def test_generations_that_begin_alike_are_no_copies(tmp_path: Path) -> None:
    """Every one begins with the same banner, and the new one has nothing else yet."""
    reader = Reader(tmp_path / "a.log")
    append(tmp_path / "a.log", b"banner\none\n")
    assert reader.look() == b"banner\none\n"
    (tmp_path / "a.log").rename(tmp_path / "a.log.1700000001")
    append(tmp_path / "a.log", b"banner\ntwo\n")
    (tmp_path / "a.log").rename(tmp_path / "a.log.1700000002")
    append(tmp_path / "a.log", b"banner\n")
    assert reader.look() == b"banner\ntwo\nbanner\n"


def test_two_generations_between_two_looks_while_nothing_stands_at_the_path(tmp_path: Path) -> None:
    """The first is still open when the second is read."""
    reader = Reader(tmp_path / "a.log")
    append(tmp_path / "a.log", b"one\n")
    assert reader.look() == b"one\n"
    (tmp_path / "a.log").rename(tmp_path / "a.log.1700000001")
    append(tmp_path / "a.log", b"second\n")
    (tmp_path / "a.log").rename(tmp_path / "a.log.1700000002")
    assert reader.look() == b"second\n"
    append(tmp_path / "a.log", b"3\n")
    assert reader.look() == b"3\n"


def rotated(log: Path, number: int) -> None:
    log.rename(f"{log}.{number}")


def by_rename(log: Path, to: Path) -> None:
    log.rename(to)


def by_copy(log: Path, to: Path) -> None:
    shutil.copy(log, to)
    os.truncate(log, 0)


def by_compression(log: Path, to: Path) -> None:
    to.with_name(f"{to.name}.gz").write_bytes(gzip.compress(log.read_bytes()))
    log.unlink()


@pytest.mark.parametrize("rotate", [by_rename, by_copy, by_compression])
def test_a_line_is_found_in_the_generation_that_holds_it(
    tmp_path: Path, rotate: Callable[[Path, Path], None]
) -> None:
    """Numbered through all of them, it has another number there, and another file after the next
    rotation; one that is gone is nowhere.
    """
    log, generations, lines = tmp_path / "t.log", Generations(), 0
    reader = Reader(log)

    def look() -> None:
        nonlocal lines
        reader.clock.now += 1
        for piece in reader.follower.poll():
            assert piece.path is not None
            assert piece.mark is not None
            generations.note(piece.path, piece.source, lines, piece.mark, len(piece.data))
            lines += piece.data.count(b"\n")

    def places() -> list[tuple[str, int] | None]:
        found = [generations.place(str(log), line) for line in (2, 4, 6)]
        return [(Path(each[0]).name, each[1]) if each else None for each in found]

    end = ".gz" if rotate is by_compression else ""
    for data in (b"one\ntwo\n", b"three\n"):
        append(log, data)
        look()
    assert places() == [None, None, None]
    rotate(log, tmp_path / "t.log.1")
    append(log, b"four is longer than all that was there before\nfive\n")
    look()
    assert places()[:2] == [(f"t.log.1{end}", 2), ("t.log", 1)]
    (tmp_path / f"t.log.1{end}").rename(tmp_path / f"t.log.2{end}")
    rotate(log, tmp_path / "t.log.1")
    append(log, b"six\n")
    look()
    assert (lines, places()) == (6, [(f"t.log.2{end}", 2), (f"t.log.1{end}", 1), ("t.log", 1)])
    (tmp_path / f"t.log.2{end}").unlink()
    assert places()[0] is None


def test_a_generation_that_cannot_be_looked_for_is_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its name is a courtesy: neither a folder in its place nor a full disk ends the telling."""
    log, generations = tmp_path / "t.log", Generations()
    generations.note(str(log), "t", 0, Mark(1, 2, 4, b"one\n", b"one\n", 0), 4)
    log.mkdir()
    assert generations.place("t", 1) is None
    log.rmdir()
    (tmp_path / "t.log.1.gz").write_bytes(gzip.compress(b"one\n"))
    assert generations.place("t", 1) == (f"{log}.1.gz", 1)
    monkeypatch.setattr(tempfile, "TemporaryFile", partial(Path("/dev/full").open, "wb", 0))
    assert generations.place("t", 1) is None


def test_behind_a_hole_another_generation_begins(tmp_path: Path) -> None:
    """A writer that does not append goes on far behind the new end of a file that was copied and
    truncated; what it writes next is of the same generation, and what follows there no third one.
    """
    log, generations, old = tmp_path / "t.log", Generations(), b"old line!\n" * 10
    status = (tmp_path.stat().st_dev, 2)
    generations.note(str(log), "t", 0, Mark(*status, 100, old, old, 0), 100)
    new = bytes(100) + b"new line!\n" * 5
    generations.note(str(log), "t", 10, Mark(*status, 150, new, new, 0), 50)
    more = new + b"new line!\n"
    generations.note(str(log), "t", 15, Mark(*status, 160, more, more, 0), 10)
    (tmp_path / "t.log.1").write_bytes(old)
    log.write_bytes(more)
    found = [generations.place("t", line) for line in (10, 11, 16)]
    assert found == [(f"{log}.1", 10), (str(log), 1), (str(log), 6)]


def test_what_is_told_at_once_looks_for_a_generation_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A compressed one is unpacked each time."""
    generations, found_at = Generations(), Mock(side_effect=lambda path, _: f"{path}.1")
    for lines, inode in ((0, 2), (3, 3)):
        mark = Mark(1, inode, 4, b"one\n", b"one\n", 0)
        generations.note(str(tmp_path / "t.log"), "t", lines, mark, 4)
    monkeypatch.setattr("logdoctor.live.generations.found_at", found_at)
    place = generations.places()
    found = [place("t", line) for line in (1, 2, 3, 4, 5)]
    asked = [call.args[1].inode for call in found_at.call_args_list]
    assert ([each and each[1] for each in found], asked) == ([1, 2, 3, 1, 2], [2, 3])


def test_a_generation_whose_beginning_an_earlier_call_read_is_not_known(tmp_path: Path) -> None:
    """Its lines are called as they always are; those of later ones are found."""
    log, generations = tmp_path / "t.log", Generations()
    append(log, b"one\n")
    first = Reader(log)
    first.look()
    append(log, b"two\n")
    again = Reader(log, marks=first.follower.marks())
    for lines, data in ((1, b""), (2, b"three\n")):
        if data:
            log.rename(tmp_path / "t.log.1")
            append(log, data)
        again.clock.now += 1
        for piece in again.follower.poll():
            assert piece.mark is not None
            generations.note(str(log), piece.source, lines, piece.mark, len(piece.data))
    assert [generations.place(str(log), line) for line in (1, 2, 3)] == [None, None, (str(log), 1)]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_generations_that_were_compressed_while_nobody_followed_are_read(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    """All of them, from where reading stood; a broken one is no end of it."""
    log = tmp_path / "t.log"
    append(log, b"one\ntwo\n")
    reader = Reader(log)
    assert reader.look() == b"one\ntwo\n"
    marks = reader.follower.marks()
    end = {gzip.compress: "gz", bz2.compress: "bz2", lzma.compress: "xz"}[pack]
    append(log, b"three\n")
    (tmp_path / f"t.log.3.{end}").write_bytes(pack(log.read_bytes()))
    (tmp_path / f"t.log.2.{end}").write_bytes(pack(b"four\nfive\n"))
    (tmp_path / f"t.log.1.{end}").write_bytes(pack(b"six\n" * 1000)[:-9])
    (tmp_path / f"t.log.0.{end}").write_bytes(pack(b"seven\n"))
    log.unlink()
    append(log, b"eight\n")
    again = Reader(log, marks=marks)
    assert b"".join(again.look() for _ in range(3)) == b"three\nfour\nfive\nseven\neight\n"
    assert again.problems == []


def test_a_full_disk_is_no_broken_generation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be unpacked now is said, and read when there is room."""
    log = tmp_path / "t.log"
    append(log, b"one\n")
    reader = Reader(log)
    assert reader.look() == b"one\n"
    marks = reader.follower.marks()
    (tmp_path / "t.log.1.gz").write_bytes(gzip.compress(b"one\ntwo\n"))
    log.unlink()
    append(log, b"three\n")
    again = Reader(log, marks=marks)

    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "TemporaryFile", failing(errno.ENOSPC))
        assert again.look() == b""
    assert again.problems == ["no space left on device"]
    assert b"".join(again.look() for _ in range(3)) == b"two\nthree\n"


def test_a_disk_that_is_gone_at_the_end_takes_no_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is said of the file."""
    log = tmp_path / "t.log"
    append(log, b"one\nhalf")
    reader = Reader(log)
    assert reader.look() == b"one\n"
    monkeypatch.setattr(os, "pread", failing(errno.EIO))
    assert [piece.problem for piece in reader.follower.finish()] == ["input/output error"]


@pytest.mark.parametrize("offset", [-1, 2, 2**63])
def test_a_state_of_places_that_no_file_has_is_refused(tmp_path: Path, offset: int) -> None:
    """As anything else that logdoctor has not written."""
    state = str(tmp_path / "state.json")
    write_state(state, LiveState({"/t.log": Mark(1, 2, offset, b"one\n", b"one\n", 3)}))
    with pytest.raises(SourceError, match="not a state of"):
        read_state(state)


def test_a_link_that_moved_twice_while_nobody_followed(tmp_path: Path) -> None:
    """What it was a link to in between is beside what it is a link to now."""
    link = tmp_path / "t.log"
    append(tmp_path / "real.1", b"one\n")
    link.symlink_to("real.1")
    reader = Reader(link)
    assert reader.look() == b"one\n"
    marks = reader.follower.marks()
    append(tmp_path / "real.1", b"two\n")
    for number in (2, 3):
        time.sleep(0.02)
        append(tmp_path / f"real.{number}", b"new %d\n" % number)
        link.unlink()
        link.symlink_to(f"real.{number}")
    again = Reader(link, marks=marks)
    assert b"".join(again.look() for _ in range(3)) == b"two\nnew 2\nnew 3\n"


def test_what_is_gone_is_said(tmp_path: Path) -> None:
    """Where the file that was read last is no longer there, from which byte on."""
    log = tmp_path / "t.log"
    append(log, b"one\n")
    reader = Reader(log)
    assert reader.look() == b"one\n"
    marks = reader.follower.marks()
    kept = log.open()  # so that its number is not given again
    log.unlink()
    append(log, b"two\n")
    again = Reader(log, marks=marks)
    assert again.look() == b"two\n"
    (problem,) = again.problems
    assert problem.startswith("what came behind byte 4 of the file that was read last is gone")
    kept.close()
