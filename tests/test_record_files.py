"""Files of offline runs, which trackers write as records in blocks, are read as the logs that they
are.
"""

from __future__ import annotations

import io
import json
import struct
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logdoctor.pipeline.scan import Scan
from logdoctor.search.automaton import Automaton
from logdoctor.sources.finding import find_sources
from logdoctor.sources.trackers.reading import BrokenTrackerFileError, read_as_lines
from logdoctor.sources.trackers.record_blocks import BLOCK

WANDB, SWANLAB = b":W&B\xe1\xbe\x00", b":SWL\xd6\xe1"
JSON, MESSAGES = SWANLAB + b"\x01", SWANLAB + b"\x02"
HEADER = struct.Struct("<IHB")


def blocks(head: bytes, records: Iterable[bytes]) -> bytes:
    """A file as LevelDB's log format says (doc/log_format.md of LevelDB), checksums of zlib."""
    data = bytearray(head)
    for record in records:
        parts = [record]
        is_first = True
        while parts:
            room = BLOCK - len(data) % BLOCK
            if room < HEADER.size:
                data += bytes(room)
                continue
            part = parts.pop()
            now, later = part[: room - HEADER.size], part[room - HEADER.size :]
            kind = (1 if is_first else 4) if not later else (2 if is_first else 3)
            data += HEADER.pack(zlib.crc32(now, zlib.crc32(bytes([kind]))), len(now), kind) + now
            parts += [later] if later else []
            is_first = False
    return bytes(data)


def varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    data = bytearray()
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    return bytes([*data, number])


def field(number: int, value: bytes | float) -> bytes:
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def scalar(step: int, key: str, value: float) -> bytes:
    number = field(1, value) if value else b""  # what is 0 is left out
    return field(13, field(1, key.encode()) + field(2, step) + field(5, number))


def log(line: str) -> bytes:
    return field(16, field(1, line.encode()) + field(2, 1))


def told(kind: str, **data: object) -> bytes:
    return json.dumps({"model_type": kind, "data": data}).encode() + b"\n"


def json_scalar(step: int, key: str, value: float | str) -> bytes:
    return told("Scalar", metric={"index": step, "data": value}, key=key, step=step)


def item(name: str, value: object) -> bytes:
    return field(1, field(1, name.encode()) + field(16, json.dumps(value).encode()))


FILES = {
    "swanlab 0.8 and later": (
        blocks(
            MESSAGES,
            [
                log("loading"),
                scalar(0, "loss", 0.5),
                scalar(0, "grad norm", 0.0),
                scalar(1, "loss", float("nan")),
                scalar(1, "__swanlab__.cpu.pct", 12.0),
                field(12, b"a column"),
                log("文 done"),
                field(11, field(1, 2) + field(2, b"Traceback\nValueError: x\n")),
            ],
        ),
        """loading
step:0 - loss:0.5 - grad norm:0
step:1 - loss:nan
文 done
swanlab: the run crashed
Traceback
ValueError: x
""",
    ),
    "swanlab 0.6 and 0.7": (
        blocks(
            JSON,
            [
                told("Header", backup_type="DEFAULT"),
                told("Log", message="loading", level="INFO"),
                json_scalar(0, "loss", 0.5),
                json_scalar(0, "kl", 0),
                json_scalar(1, "loss", "NaN"),
                json_scalar(1, "__swanlab__.cpu.pct", 12),
                told("Footer", success=False),
            ],
        ),
        "loading\nstep:0 - loss:0.5 - kl:0\nstep:1 - loss:nan\nswanlab: the run crashed\n",
    ),
    "wandb": (
        blocks(
            WANDB,
            [
                field(17, field(4, item("lr", 0.1) + item("_wandb", {}))),
                field(13, field(3, b"loading\n")),
                field(2, item("_step", 3) + item("loss", 0.5) + item("_runtime", 9)),
                field(18, field(1, 1)),
            ],
        ),
        "lr: 0.1\nloading\nstep:3 - loss:0.5\nwandb: the run ended with exit code 1\n",
    ),
}


def lines_of(data: bytes, pieces: Sequence[int] = ()) -> str:
    """Read in pieces of these sizes, then to the end."""

    class Stream(io.BytesIO):
        def read1(self, size: int | None = -1, /) -> bytes:
            wanted = left.pop(0) if left else size
            return self.read(wanted)

    left = list(pieces)
    stream = read_as_lines("run", Stream(data), data[:64])
    assert stream is not None
    return stream.read().decode()


@pytest.mark.parametrize("kind", FILES)
@given(pieces=st.lists(st.integers(1, 40), max_size=40))
def test_a_run_that_was_kept_offline_is_a_log(kind: str, pieces: list[int]) -> None:
    """Wherever its file is cut into pieces."""
    data, expected = FILES[kind]
    assert lines_of(data, pieces) == expected


@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_is_still_being_written_is_no_fault(kind: str) -> None:
    """What its whole records tell is read; the last step may go on."""
    data, expected = FILES[kind]
    for end in range(8, len(data)):
        assert expected.startswith(lines_of(data[:end]).rstrip("\n"))
    assert lines_of(data[: len(data) // 2])


@pytest.mark.parametrize("head", [WANDB, JSON, MESSAGES])
@pytest.mark.parametrize("size", [BLOCK - 40, BLOCK - 20, BLOCK, 3 * BLOCK + 5])
def test_a_record_goes_over_blocks(head: bytes, size: int) -> None:
    """And the fill at the end of a block is none."""
    text = "x" * size
    first, then = {
        WANDB: (field(13, field(3, text.encode() + b"\n")), field(13, field(3, b"then\n"))),
        JSON: (told("Log", message=text), told("Log", message="then")),
        MESSAGES: (log(text), log("then")),
    }[head]
    assert lines_of(blocks(head, [first, then])) == f"{text}\nthen\n"


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda data: data[:60] + b"\xff" + data[61:], "a record has another checksum"),
        (lambda data: data[:6] + b"\x07" + data[7:], "version 7 of the file; expected 1 or 2"),
    ],
    ids=["checksum", "version"],
)
def test_what_stands_before_damage_is_read_and_the_damage_said(damage, said: str) -> None:  # type: ignore[no-untyped-def]
    data = blocks(MESSAGES, [log("loading"), log("y" * 60), log("then")])
    stream = read_as_lines("run", io.BytesIO(damage(data)), data[:64])
    assert stream is not None
    before = b"loading\n" if "checksum" in said else b""
    assert stream.read(len(before)) == before
    with pytest.raises(BrokenTrackerFileError, match=said):
        stream.read(1)


@pytest.mark.parametrize("place", [3, 7, 9, 40], ids=["checksum", "size", "content", "behind"])
def test_what_stands_in_the_blocks_behind_damage_is_read_as_well(place: int) -> None:
    """Records of a block tell where the next one is; blocks stand where they stand."""
    data = bytearray(blocks(MESSAGES, [log(f"line {number} {'y' * 60}") for number in range(1500)]))
    data[len(MESSAGES) + place] ^= 0xFF
    stream = read_as_lines("run", io.BytesIO(bytes(data)), bytes(data[:64]))
    assert stream is not None
    lines: list[bytes] = []
    with pytest.raises(BrokenTrackerFileError, match="another checksum"):
        lines.extend(stream)
    assert 1000 < len(lines) < 1500
    assert lines[-1].startswith(b"line 1499 ")


@given(
    st.sampled_from([WANDB, JSON, MESSAGES]),
    st.lists(
        st.one_of(
            st.binary(max_size=60),
            st.recursive(
                st.one_of(st.none(), st.booleans(), st.floats(), st.text(max_size=8)),
                lambda inner: st.one_of(
                    st.lists(inner, max_size=3),
                    st.dictionaries(
                        st.sampled_from(["model_type", "data", "metric", "step", "key", "message"]),
                        st.one_of(inner, st.sampled_from(["Scalar", "Log", "Footer"])),
                        max_size=5,
                    ),
                ),
                max_leaves=8,
            ).map(lambda value: json.dumps(value).encode()),
            st.sampled_from([2, 11, 13, 16, 17, 18]).flatmap(
                lambda number: st.binary(max_size=40).map(lambda data: field(number, data))
            ),
        ),
        max_size=6,
    ),
)
def test_records_of_anything_harm_no_other(head: bytes, records: list[bytes]) -> None:
    """What is no record is passed over; the one behind it is read."""
    known = {WANDB: field(13, field(3, b"then\n")), JSON: told("Log", message="then")}
    last = known.get(head, log("then"))
    assert lines_of(blocks(head, [*records, last])).endswith("then\n")


def test_it_is_found_in_its_folder_and_judged(automaton: Automaton, tmp_path: Path) -> None:
    """NaN in its numbers is said with the step, as in a console."""
    steps = [scalar(step, "actor/loss", 0.5 if step < 20 else float("nan")) for step in range(30)]
    folder = tmp_path / "swanlog" / "run-20261123_131058-9ek8eugo"
    folder.mkdir(parents=True)
    (folder / "run-9ek8eugo.swanlab").write_bytes(blocks(MESSAGES, steps))
    scan = Scan(automaton)
    for source in find_sources([str(tmp_path)], None):
        scan.read(source.name, source.chunks(), None)  # type: ignore[union-attr]
    (found,) = scan.result().diagnoses
    assert (found.signature.id, found.captures["step"]) == ("loss-not-finite", "20")
