"""Output that comes in pieces is masked as if it came whole."""

from __future__ import annotations

import base64
import random

from hypothesis import given
from hypothesis import strategies as st

from logdoctor.texts.masked_stream import LONGEST, MaskedStream
from logdoctor.texts.secrets import redacted_lines

KEY = base64.b64encode(random.Random(3).randbytes(300)).decode()
KEY_LINES = [
    "-----BEGIN RSA PRIVATE KEY-----",
    *(KEY[i : i + 64] for i in range(0, len(KEY), 64)),
    "-----END RSA PRIVATE KEY-----",
]
LINES = [
    "step 3 | loss 2.31",
    "",
    "HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyzABCDEFGH",
    "  'password',",
    "  'correct-horse-battery'",
    "密码: hunter2hunter2",
    "postgres://root:hunter2@host/db",
    *KEY_LINES,
]


@given(
    st.lists(st.sampled_from([*([each] for each in LINES[:7]), KEY_LINES]), max_size=6),
    st.sampled_from([b"\n", b"\r\n", b"\r"]),
    st.lists(st.integers(1, 200), min_size=1, max_size=6),
)
def test_the_cutting_makes_no_difference(
    groups: list[list[str]], end: bytes, sizes: list[int]
) -> None:
    """Whatever stands together, and however it comes."""
    lines = [line for group in groups for line in group]
    data = b"".join(line.encode() + end for line in lines)
    stream, told, place = MaskedStream(), [], 0
    while place < len(data):
        size = sizes[place % len(sizes)]
        told.append(stream.feed(data[place : place + size]))
        place += size
    told.append(stream.end())
    assert b"".join(told) == b"".join(line.encode() + end for line in redacted_lines(lines))


@given(st.lists(st.binary(max_size=40)))
def test_what_is_no_secret_stays_byte_for_byte(pieces: list[bytes]) -> None:
    """Also what is no text."""
    stream = MaskedStream()
    told = b"".join([*map(stream.feed, pieces), stream.end()])
    assert told == b"".join(pieces)


def test_a_long_line_is_not_held_back() -> None:
    """It is parted at a blank, so that no secret is."""
    stream = MaskedStream()
    line = b"text " * (LONGEST // 5) + b"HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyzABCDEFGH"
    told = stream.feed(line)
    assert len(told) > LONGEST - 10
    assert told + stream.end() == b"text " * (LONGEST // 5) + b"HF_TOKEN=[redacted]"


def test_a_progress_bar_is_shown_as_it_stands() -> None:
    """Not one step late; a `\\n` that comes behind its `\\r` begins no line of its own."""
    stream = MaskedStream()
    pieces = (
        b"10%\r",
        b"20%\r",
        b"",
        b"\nHF_TOKEN=hf_abcdefghijklmnopqrstuvwxyzABCDEFGH\r",
        b"\n",
        b"\n",
    )
    told = [stream.feed(each) for each in pieces]
    assert told == [b"10%\r", b"20%\r", b"", b"\nHF_TOKEN=[redacted]\r", b"\n", b"\n"]
    assert stream.end() == b""
