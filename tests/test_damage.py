"""Logs as they arrive: cut, wrapped, in JSON, in parts, without line ends, with the newest line first."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logdoctor.errors import SourceError
from logdoctor.events import line_reader
from logdoctor.formats.envelopes import open_envelope, split_flattened
from logdoctor.formats.line_widths import PIECES_LIMIT, Unwrapper
from logdoctor.pipeline.scan import Scan, scan_text
from logdoctor.search.automaton import Automaton
from logdoctor.sources import newest_first
from logdoctor.sources.newest_first import SAMPLE, Chronology

TRACEBACK = """\
Traceback (most recent call last):
  File "/app/roll/distributed/scheduler/protocol.py", line 849, in chunk
    assert len(self) >= chunks, f"batch_size {len(self)} < chunks {chunks}"
AssertionError: batch_size 32 < chunks 64"""
WRAPPED = """\
(WorkerDict pid=3012, ip=10.0.0.12)   File "/app/verl/workers/fsdp_workers.py", line 52
4, in update_actor
(WorkerDict pid=3012, ip=10.0.0.12)     loss.backward()
(WorkerDict pid=3012, ip=10.0.0.12) torch.OutOfMemoryError: CUDA out of memory. Tried to alloca
te 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.19 GiB is free. Including non-PyTor
ch memory, this process has 77.89 GiB memory in use.
"""


def answered(automaton: Automaton, text: str) -> tuple[str, int, int] | None:
    """Id, first line and last line of the answer."""
    result = scan_text(automaton, text)
    if result.answer is None or not result.diagnoses:
        return None
    diagnosis = result.diagnoses[result.answer.index]
    return diagnosis.signature.id, diagnosis.evidence[0].line, diagnosis.evidence[0].end_line


def test_what_an_editor_made_pretty_is_recognised(automaton: Automaton) -> None:
    """Chats and documents set typographic quotes: every exception of the database that is
    recognised as it was printed is so behind them.
    """
    pretty = str.maketrans({"'": "’", '"': "”"})
    missed = {
        text
        for signature in automaton.database.signatures
        for example in signature.examples
        if re.match(r"[\w.]*\w(?:Error|Exception): .*['\"].*\n?\Z", text := example.text)
        and signature.id not in found_in(automaton, text.translate(pretty))
        and signature.id in found_in(automaton, text)  # of which hardly any is asked
    }
    assert missed == set()


def found_in(automaton: Automaton, text: str) -> set[str]:
    return {each.signature.id for each in scan_text(automaton, text).diagnoses}


def cut(text: str, width: int) -> str:
    return "\n".join(
        line[i : i + width] for line in text.split("\n") for i in range(0, max(len(line), 1), width)
    )


@pytest.mark.parametrize("width", [60, 72, 80, 100])
def test_a_message_that_a_terminal_cut_is_read_whole(automaton: Automaton, width: int) -> None:
    """Inside words, over many lines; the evidence spans all of them."""
    whole = (
        WRAPPED.replace("\n4, in", "4, in")
        .replace("alloca\nte", "allocate")
        .replace("PyTor\nch", "PyTorch")
    )
    found = answered(automaton, cut(whole, width))
    assert found is not None
    assert (found[0], found[2] - found[1] >= 2) == ("cuda-out-of-memory", True)


@pytest.mark.parametrize(
    "lines",
    [
        ["│ " + "x" * 76 + " │"] * 3 + ["│ y" + "x" * 75 + " │", "ValueError: bad"],
        ["a" * 70, "b" * 70, "short"],
        ["=" * 80, "x" * 80, "text", "-" * 80, "more"],
        ["y" * 300, "z" * 300, "w" * 300, "text"],
        [f"[rank{rank}]: " + "the same text " * 6 + "on each" for rank in range(4)],
        [json.dumps({"log": letter * 90 + "\n", "stream": "stderr"}) for letter in "abcd"],
        ["long line " + letter * 80 for letter in "abc"] + ["  File indented", "\tindented"],
    ],
    ids=["a box", "two lines", "rules", "too wide", "ranks", "JSON", "nothing goes on"],
)
def test_lines_of_one_length_are_not_joined_without_proof(lines: list[str]) -> None:
    """Boxes, rules, chance, and what no terminal is as wide as."""
    joined = Unwrapper().join([line.rstrip("\n") for line in lines])
    longest = [pieces for pieces in joined if len(pieces) > 1 and lines[pieces[1]][:1] in " \t│"]
    assert longest == []
    if lines[-1] != "\tindented":
        assert [len(pieces) for pieces in joined] == [1] * len(lines)


@settings(deadline=None)
@given(st.lists(st.text(alphabet="ab :(\n", max_size=130), max_size=30))
def test_unwrapping_loses_no_line(texts: list[str]) -> None:
    """The ranges are a partition, in order."""
    assert [i for pieces in Unwrapper().join(texts) for i in pieces] == list(range(len(texts)))


def docker(line: str) -> str:
    return json.dumps(
        {"log": line + "\n", "stream": "stderr", "time": "2026-03-01T08:00:00.123456789Z"}
    )


@pytest.mark.parametrize(
    "lines",
    [
        [docker(line) for line in TRACEBACK.split("\n")],
        [json.dumps({"level": "ERROR", "ts": "2026-03-01T08:00:00Z", "msg": TRACEBACK})],
        [
            json.dumps(
                {
                    "message": {
                        "message": "AssertionError",
                        "extraInfo": {"py_callstack": TRACEBACK, "timestamp": "1633455442"},
                    }
                }
            )
        ],
        [
            json.dumps({"_source": {"@timestamp": "2026-03-01T08:00:00Z", "message": line}})
            for line in TRACEBACK.split("\n")
        ],
        ["Scheduler hit an exception: " + TRACEBACK.replace("\n", "\\n")],
        ["Scheduler hit an exception: " + " ".join(TRACEBACK.split())],
        ["[2026-02-06 15:38:30 TP0] Scheduler hit an exception: " + TRACEBACK],
    ],
    ids=[
        "docker",
        "JSON logger",
        "torchrun's error.json",
        "Kibana",
        "escaped line ends",
        "lost line ends",
        "SGLang",
    ],
)
def test_a_traceback_inside_another_format_is_read(automaton: Automaton, lines: list[str]) -> None:
    """One event with its frames, wherever its line ends went."""
    found = answered(automaton, "\n".join(["before", *lines, "after"]))
    assert found is not None
    assert found[0] == "dataproto-batch-smaller-than-chunks"


def test_what_json_says_of_a_line_is_kept(automaton: Automaton) -> None:
    """Time, level, host and pod."""
    fields = {
        "time": "2026-03-01T08:00:00.5Z",
        "level": "error",
        "host": "gpu-7",
        "pod": "trainer-0",
        "message": TRACEBACK.rsplit("\n", maxsplit=1)[-1],
    }
    (diagnosis,) = scan_text(automaton, json.dumps(fields)).diagnoses
    evidence = diagnosis.evidence[0]
    assert (evidence.time, evidence.lane.host, evidence.lane.actor, evidence.text) == (
        "2026-03-01T08:00:00.5",
        "gpu-7",
        "trainer-0",
        "AssertionError: batch_size 32 < chunks 64",
    )


@pytest.mark.parametrize(
    "text",
    [
        '{"loss": 0.5, "step": 3}',
        '{"role": "user", "message": "ValueError: x"}',
        '{"log": 3, "stream": "stderr", "time": "x"}',
        '{"a": ',
        "{'loss': 0.5}",
        "[" * 9,
    ],
)
def test_other_json_stays_as_it_is(text: str) -> None:
    """Metrics, chats and broken JSON are no envelope."""
    assert open_envelope(text) is None


def test_a_part_ends_with_the_blank_that_it_had(automaton: Automaton) -> None:
    """The container runtime cuts anywhere: also at a blank, and where neither half says anything by itself."""
    for cut in range(5, 16):
        text = "exit code 143"[: cut - 2]
        log = f"step 1\n2026-03-01T08:00:00.1Z stderr P {text}\n2026-03-01T08:00:00.1Z stderr F {'exit code 143'[cut - 2 :]}\n"
        root = scan_text(automaton, log).root
        assert (cut, root is not None) == (cut, True)


@pytest.mark.parametrize("other", ["", "2026-03-01T08:00:00.3Z stdout F unrelated\n"])
def test_parts_of_a_line_are_joined(automaton: Automaton, other: str) -> None:
    """Docker leaves the line end out, the container runtime interface says P; other streams may stand between."""
    text = "AssertionError: batch_size 32 < chunks 64"
    kubelet = f"2026-03-01T08:00:00.1Z stderr P {text[:25]}\n{other}2026-03-01T08:00:00.2Z stderr F {text[25:]}\n"
    partial = (
        json.dumps({"log": text[:25], "stream": "stderr", "time": "2026-03-01T08:00:00Z"})
        + "\n"
        + docker(text[25:])
        + "\n"
    )
    for log in (kubelet, partial):
        found = answered(automaton, log)
        assert found is not None
        assert (found[0], found[1]) == ("dataproto-batch-smaller-than-chunks", 1)


def test_parts_whose_rest_never_comes_are_read(
    automaton: Automaton, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the end of a log, and where a line grows beyond all measure."""
    error = "AssertionError: batch_size 32 < chunks 64"
    assert answered(automaton, f"2026-03-01T08:00:00.1Z stderr P {error}\n") == (
        "dataproto-batch-smaller-than-chunks",
        1,
        1,
    )
    monkeypatch.setattr(line_reader, "PARTS_LIMIT", 30)
    log = f"2026-03-01T08:00:00.1Z stderr P {error}\n" + "2026-03-01T08:00:00.1Z stderr P x\n" * 5
    assert (answered(automaton, log) or ())[:2] == ("dataproto-batch-smaller-than-chunks", 1)


def test_a_line_has_a_limit_of_pieces() -> None:
    """A log that is cut everywhere does not become one line."""
    texts = [
        f"{chr(97 + number % 26) * 79}{chr(97 + number // 26)}"
        for number in range(2 * PIECES_LIMIT)
    ]
    assert [len(pieces) for pieces in Unwrapper().join(texts)] == [PIECES_LIMIT, PIECES_LIMIT]


def test_a_source_too_large_to_turn_keeps_its_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not taken into memory."""
    monkeypatch.setattr(newest_first, "TURNED_LIMIT", 20)
    data = b"09:00:03 d\n09:00:02 c\n09:00:01 b\n09:00:00 a\n"
    assert in_order([data[:12], data[12:]]) == data


def test_quoted_tracebacks_stay_one_line() -> None:
    """Model output and dicts are full of them."""
    text = (
        "{'output': 'Traceback (most recent call last):\\n  File \"x.py\", line 1\\nValueError: x'}"
    )
    assert split_flattened(text) == [text]


def test_a_newest_first_export_is_read_the_other_way_round(automaton: Automaton) -> None:
    """The first cause in time is the answer, with the number that it has in the export; the reader is told."""
    later = TRACEBACK.replace(
        "AssertionError: batch_size 32 < chunks 64", "RuntimeError: CUDA error: out of memory"
    )
    lines = [
        f"2026-03-01T08:00:{number:02d}.123Z {line}"
        for number, line in enumerate(f"{TRACEBACK}\n{later}".split("\n"))
    ]
    result = scan_text(automaton, "\n".join(reversed(lines)) + "\n")
    first = result.diagnoses[0]
    assert (first.signature.id, first.evidence[0].line, first.evidence[0].end_line) == (
        "dataproto-batch-smaller-than-chunks",
        5,
        5,
    )
    assert (5, lines[3]) in first.evidence[0].context
    assert any("newest line first" in each.en for each in result.not_seen)


def in_order(chunks: Iterable[bytes]) -> bytes:
    chronology = Chronology()
    return b"".join([*map(chronology.feed, chunks), chronology.flush()])


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["09:00:03 d", "09:00:02 c", "09:00:01 b", "09:00:00 a"], [3, 2, 1, 0]),
        (["09:00:03 d", "more of d", "09:00:02 c", "09:00:01 b", "09:00:00 a"], [4, 3, 2, 0, 1]),
        (["09:00:00 a", "09:00:01 b", "09:00:02 c", "09:00:03 d"], [0, 1, 2, 3]),
        (
            ["09:00:03 d", "09:00:01 x", "09:00:03 d", "09:00:01 x", "09:00:03 d", "09:00:01 x"],
            [0, 1, 2, 3, 4, 5],
        ),
        (["text"] * 30 + ["09:00:03 d", "09:00:02 c", "09:00:01 b", "09:00:00 a"], list(range(34))),
    ],
    ids=["turned", "records stay whole", "ascending", "two clocks", "few stamps"],
)
def test_the_order_is_told_from_the_times(lines: list[str], expected: list[int]) -> None:
    """Only where hardly any time is later than the one above."""
    data = "".join(line + "\n" for line in lines)
    assert in_order([data.encode()]).decode() == "".join(lines[i] + "\n" for i in expected)


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=5))
def test_the_cutting_makes_no_difference_to_the_order(data: bytes, places: list[int]) -> None:
    """Whatever the chunks are."""
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    assert in_order([data[a:b] for a, b in itertools.pairwise(edges)]) == in_order([data])


@pytest.mark.parametrize("error", [SourceError("x", "broken archive"), KeyboardInterrupt()])
def test_what_was_read_before_a_fault_is_judged(automaton: Automaton, error: BaseException) -> None:
    """Also where less than the sample came."""

    def chunks() -> Iterable[bytes]:
        yield TRACEBACK.encode() + b"\n"
        raise error

    scan = Scan(automaton)
    if isinstance(error, KeyboardInterrupt):
        with pytest.raises(KeyboardInterrupt):
            scan.read("x", chunks())
    else:
        scan.read("x", chunks())
    assert len(TRACEBACK) < SAMPLE
    assert [each.signature.id for each in scan.result().diagnoses] == [
        "dataproto-batch-smaller-than-chunks"
    ]
