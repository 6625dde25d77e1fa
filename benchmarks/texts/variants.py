"""Other shapes in which the same failure reaches a reader: VARIANTS.

Each variant takes the lines of a log and returns lines that know which of them they were made from, so that a diagnosis
of the variant can be compared with one of the log as it was.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

from benchmarks.texts.healthy_logs import healthy_lines
from logdoctor.formats.markers import MARKERS, MarkerKind
from logdoctor.texts.masking import without_escapes

HEALTHY_LINES = 20_000
"""Lines of other writers that a log is embedded in."""

WIDTH = 80
"""Columns at which a terminal wraps."""

RANKS = 4

AHEAD = 3
"""Lines that a rank may be ahead of another."""

_STANDSTILL = re.compile(
    "|".join(
        f"(?:{marker.pattern})"
        for marker in MARKERS
        if marker.kind in (MarkerKind.PROGRESS, MarkerKind.END)
    )
    .replace("?P<step>", "?:")
    .replace("?P<total>", "?:")
    .replace("?P<version>", "?:")
)
_DRIVER = """\
Traceback (most recent call last):
  File "/app/main.py", line 41, in <module>
    ray.get(runner.run.remote(config))
  File "/usr/lib/python3/site-packages/ray/_private/worker.py", line 2822, in get
    values, debugger_breakpoint = worker.get_objects(object_refs, timeout=timeout)
  File "/usr/lib/python3/site-packages/ray/_private/worker.py", line 932, in get_objects
    raise value
ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.
	class_name: Runner
	actor_id: 3d8f2b1c0f6a4e5d9b7c1a2801000000
	pid: 4181
	namespace: 5d1f2c3b-8f0e-4a57-9a45-1c2d3e4f5a6b
	ip: 10.0.0.1
The actor is dead because its worker process has died. Worker exit type: SYSTEM_ERROR
"""


class Line(NamedTuple):
    """A line of a variant, and the number from 1 of the line that it was made from; None where it was added."""

    text: str
    origin: int | None


Variant = Callable[[Sequence[str]], list[Line]]


def as_it_was(lines: Sequence[str]) -> list[Line]:
    """The log itself."""
    return [Line(text, number) for number, text in enumerate(lines, 1)]


@cache
def _healthy() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Lines of runs that went well; of those that follow the failure, none says that a run goes on or ended."""
    draw = random.Random(7)
    lanes = [
        f"({name} pid={draw.randrange(2000, 99999)}, ip=10.0.0.{host}) "
        for host in range(2, 6)
        for name in ("WorkerDict", "RolloutWorker")
    ]
    texts = (draw.choice(lanes) + line.rstrip("\r\n") for line in healthy_lines(7))
    before = tuple(islice(texts, HEALTHY_LINES // 2))
    return before, tuple(
        islice(
            (text for text in texts if not _STANDSTILL.search(text)), HEALTHY_LINES - len(before)
        )
    )


def embedded(lines: Sequence[str]) -> list[Line]:
    """In the middle of healthy lines of other workers, who go on printing but make no step."""
    before, after = _healthy()
    return [
        *(Line(text, None) for text in before),
        *as_it_was(lines),
        *(Line(text, None) for text in after),
    ]


def ray_prefixed(lines: Sequence[str]) -> list[Line]:
    """Printed by a Ray worker on another node."""
    return [
        Line(f"(WorkerDict pid=40312, ip=10.0.0.12) {text}", number)
        for number, text in enumerate(lines, 1)
    ]


def on_four_ranks(lines: Sequence[str]) -> list[Line]:
    """Printed by four ranks at about the same time: none is more than a few lines ahead of the others."""
    draw = random.Random(len(lines))
    mixed: list[Line] = []
    for start in range(0, len(lines), AHEAD):
        turns = [rank for rank in range(RANKS) for _ in lines[start : start + AHEAD]]
        draw.shuffle(turns)
        at = [start] * RANKS
        for rank in turns:
            mixed.append(Line(f"[rank{rank}]: {lines[at[rank]]}", at[rank] + 1))
            at[rank] += 1
    return mixed


def wrapped(lines: Sequence[str]) -> list[Line]:
    """Copied from a terminal: cut at its width, also inside words, and without colours."""
    plain = [(number, without_escapes(text)) for number, text in enumerate(lines, 1)]
    return [
        Line(text[i : i + WIDTH], number)
        for number, text in plain
        for i in range(0, max(len(text), 1), WIDTH)
    ]


def driver_first(lines: Sequence[str]) -> list[Line]:
    """The driver's traceback comes before everything else, as Ray may relay it."""
    return [*(Line(text, None) for text in _DRIVER.splitlines()), *as_it_was(lines)]


def docker_json(lines: Sequence[str]) -> list[Line]:
    """As Docker's json-file driver keeps it."""
    return [
        Line(
            json.dumps(
                {
                    "log": text + "\n",
                    "stream": "stderr",
                    "time": f"{_clock(number)}.{number % 1000:09d}Z",
                },
                ensure_ascii=False,
            ),
            number,
        )
        for number, text in enumerate(lines, 1)
    ]


def kubelet(lines: Sequence[str]) -> list[Line]:
    """As the container runtime interface keeps it, every third line in two parts."""
    made = []
    for number, text in enumerate(lines, 1):
        cut = len(text) // 2 if number % 3 == 0 else 0
        if cut:
            made.append(
                Line(f"{_clock(number)}.{number % 1000:09d}Z stderr P {text[:cut]}", number)
            )
        made.append(Line(f"{_clock(number)}.{number % 1000:09d}Z stderr F {text[cut:]}", number))
    return made


def quoted(lines: Sequence[str]) -> list[Line]:
    """Pasted into a ticket."""
    return [Line(f"> {text}", number) for number, text in enumerate(lines, 1)]


def newest_first(lines: Sequence[str]) -> list[Line]:
    """As a log store lists it: time stamps, and the last line at the top."""
    return [
        Line(f"{_clock(number)}.{number % 1000:03d}Z {text}", number)
        for number, text in reversed(list(enumerate(lines, 1)))
    ]


def _clock(number: int) -> str:
    second = number // 20
    return f"2026-03-01T{8 + second // 3600 % 12:02d}:{second // 60 % 60:02d}:{second % 60:02d}"


VARIANTS: dict[str, Variant] = {
    each.__name__: each
    for each in (
        as_it_was,
        embedded,
        ray_prefixed,
        on_four_ranks,
        wrapped,
        driver_first,
        docker_json,
        kubelet,
        quoted,
        newest_first,
    )
}
"""By name."""

FAILING = frozenset({"driver_first"})
"""Variants that hold a failure even where the log has none."""
