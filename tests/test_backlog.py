"""What waits for a slower reader comes in order, and lines keep their numbers."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from logdoctor.command.backlog import FILES, Backlog, unnamed_file
from tests.thoroughness import drawn

LINE = b"a line of the output\n"


def taken(backlog: Backlog, count: int | None = None) -> bytes:
    """So many bytes of it, or all."""
    parts = []
    while (data := backlog.first()) and count != 0:
        parts.append(data[:count])
        backlog.drop(len(parts[-1]))
        count = None if count is None else count - len(parts[-1])
    return b"".join(parts)


def no_disk() -> int:
    raise OSError(errno.ENOSPC, "No space left on device")


def read_only() -> int:
    return os.open(os.devnull, os.O_RDONLY)


@settings(max_examples=drawn(60), deadline=None)
@given(st.lists(st.tuples(st.binary(max_size=300), st.integers(0, 400))))
def test_bytes_come_as_they_went(turns: list[tuple[bytes, int]]) -> None:
    """Through memory and files, however they are taken."""
    backlog = Backlog(memory_bytes=100, file_bytes=1000, open_file=unnamed_file)
    given_to, got = b"", b""
    for data, count in turns:
        backlog.add(data)
        given_to += data
        got += taken(backlog, count)
        assert backlog.size == len(given_to) - len(got)
    assert (got + taken(backlog), backlog.left_out) == (given_to, 0)


def test_where_there_are_too_many_the_oldest_are_left_out_but_not_their_line_ends() -> None:
    """What follows has the number that it would have."""
    backlog = Backlog(memory_bytes=len(LINE) * 10, file_bytes=len(LINE) * 100)
    count = (FILES + 3) * 100
    for number in range(count):
        backlog.add(LINE.replace(b"a line", b"%06d" % number))
    text = taken(backlog)
    lines = text.split(b"\n")
    assert (text.count(b"\n"), lines[count - 1][:6], lines[0]) == (
        count,
        b"%06d" % (count - 1),
        b"",
    )
    assert all(not line or int(line[:6]) == number for number, line in enumerate(lines))
    assert backlog.left_out == len(LINE) * sum(not line for line in lines[:count])


def test_a_disk_without_room_leaves_what_is_newest_in_memory() -> None:
    """Where no file can be made, and where none can be written."""
    for open_file in (no_disk, read_only):
        backlog = Backlog(
            memory_bytes=len(LINE) * 10, file_bytes=len(LINE) * 100, open_file=open_file
        )
        for _ in range(1000):
            backlog.add(LINE)
        text = taken(backlog)
        assert (text.count(b"\n"), text.endswith(LINE * 5), backlog.left_out > 0) == (
            1000,
            True,
            True,
        )


def test_a_disk_that_fills() -> None:
    """The files that there are make room."""
    left = [2]

    def two_files() -> int:
        left[0] -= 1
        return unnamed_file() if left[0] >= 0 else no_disk()

    backlog = Backlog(memory_bytes=len(LINE) * 10, file_bytes=len(LINE) * 100, open_file=two_files)
    for _ in range(1000):
        backlog.add(LINE)
    text = taken(backlog)
    assert (text.count(b"\n"), text.endswith(LINE * 5)) == (1000, True)


def test_files_are_gone_with_it() -> None:
    """They have no name, and their descriptors are closed."""
    before = sum(1 for _ in Path("/dev/fd").iterdir())
    backlog = Backlog(memory_bytes=10, file_bytes=100)
    for _ in range(100):
        backlog.add(LINE)
    backlog.clear()
    assert (backlog.size, backlog.first(), sum(1 for _ in Path("/dev/fd").iterdir())) == (
        0,
        b"",
        before,
    )
