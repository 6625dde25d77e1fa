"""How long runs of many steps take, and how much memory: it must not grow with their number.

`python -m benchmarks.speed.numbers [--steps 10000 100000 1000000] [--kinds csv wandb …]` makes a
run of six metrics in each kind of file, scans it as `logdoctor scan` does, in a process of its
own, and prints the seconds and the most memory.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from logdoctor.sources.trackers.record_blocks import BLOCK
from logdoctor.sources.trackers.tensorboard import masked_crc32c

Step = tuple[int, dict[str, float]]

_HEADER = struct.Struct("<IHB")


def steps_of(count: int, metrics: int = 6) -> Iterator[Step]:
    """A healthy run of so many steps and metrics: values that waver, and a loss that falls."""
    names = [
        "critic/rewards/mean",
        "actor/entropy",
        "actor/grad_norm",
        "actor/pg_loss",
        "response_length/mean",
        "timing_s/step",
    ]
    names += [f"extra/part_{number}/mean" for number in range(metrics - len(names))]
    for step in range(1, count + 1):
        wave = math.sin(step * 0.7) + math.sin(step * 0.013)
        levels = (
            0.3 + 0.4 * step / count + 0.02 * wave,
            0.8 - 0.3 * step / count + 0.02 * wave,
            0.6 + 0.1 * wave,
            1.9 - 0.8 * step / count + 0.05 * wave,
            1400 + 60 * wave,
            41 + 2 * wave,
        )
        values = dict(zip(names, levels, strict=False))
        yield step, values | dict.fromkeys(names[len(levels) :], 0.5 + 0.1 * wave)


def varint(number: int) -> bytes:
    """A whole number as Protocol Buffers keep it."""
    number &= (1 << 64) - 1
    data = bytearray()
    while number > 0x7F:  # noqa: PLR2004  # seven bits a byte
        data.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*data, number])


def field(number: int, content: bytes | int) -> bytes:
    """A field of a message: bytes, or a whole number."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def tf_record(data: bytes) -> bytes:
    """As TFRecord keeps it, with both checksums."""
    size = struct.pack("<Q", len(data))
    sums = (struct.pack("<I", masked_crc32c(each)) for each in (size, data))
    return size + next(sums) + data + next(sums)


def event_file(steps: Iterable[Step]) -> Iterator[bytes]:
    """TensorBoard's: a record for each step."""
    yield tf_record(b"\x09" + struct.pack("<d", 1.7e9) + field(3, b"brain.Event:2"))
    for step, values in steps:
        scalars = (
            field(1, field(1, name.encode()) + b"\x15" + struct.pack("<f", value))
            for name, value in values.items()
        )
        yield tf_record(field(2, step) + field(5, b"".join(scalars)))


def wandb_records(steps: Iterable[Step]) -> Iterator[bytes]:
    """The history of an offline run."""
    for step, values in steps:
        items = {"_step": step, **values}
        yield field(
            2,
            b"".join(
                field(1, field(1, name.encode()) + field(16, json.dumps(value).encode()))
                for name, value in items.items()
            ),
        )


def swanlab_records(steps: Iterable[Step]) -> Iterator[bytes]:
    """The scalars of a run, of releases from 0.8 on."""
    for step, values in steps:
        for name, value in values.items():
            number = b"\x09" + struct.pack("<d", value)
            yield field(13, field(1, name.encode()) + field(2, step) + field(5, number))


def in_blocks(head: bytes, records: Iterable[bytes]) -> Iterator[bytes]:
    """Records as LevelDB's log keeps them (doc/log_format.md of LevelDB), checksums of zlib."""
    place = len(head)
    yield head
    for record in records:
        rest, is_first = record, True
        while rest or is_first:
            room = BLOCK - place % BLOCK
            if room < _HEADER.size:
                yield bytes(room)
                place += room
                continue
            now, rest = rest[: room - _HEADER.size], rest[room - _HEADER.size :]
            kind = (2 if is_first else 3) if rest else (1 if is_first else 4)
            yield _HEADER.pack(zlib.crc32(now, zlib.crc32(bytes([kind]))), len(now), kind) + now
            place += _HEADER.size + len(now)
            is_first = False


def csv_file(steps: Iterable[Step]) -> Iterator[bytes]:
    """Lightning's `metrics.csv`."""
    is_first = True
    for step, values in steps:
        if is_first:
            yield (",".join(["epoch", "step", *values]) + "\n").encode()
        is_first = False
        yield f"0,{step},{','.join(f'{value:.7g}' for value in values.values())}\n".encode()


def _each(line: Callable[[int, dict[str, float]], str]) -> Callable[[Iterable[Step]], Any]:
    return lambda steps: ((line(step, values) + "\n").encode() for step, values in steps)


def _console(step: int, values: dict[str, float]) -> str:
    return f"step:{step} - " + " - ".join(f"{name}:{value:.6g}" for name, value in values.items())


def trainer_state(steps: Iterable[Step]) -> Iterator[bytes]:
    """What transformers' Trainer keeps."""
    yield b'{"best_metric": null, "log_history": ['
    for step, values in steps:
        yield (json.dumps({"step": step, **values}, indent=2) + ",\n").encode()
    yield b'{"train_runtime": 1.0}], "max_steps": 0}'


class Kind(NamedTuple):
    """A kind of file: what it is called, and its bytes."""

    file: str
    content: Callable[[Iterable[Step]], Iterator[bytes]]


KINDS = {
    "console": Kind("train.log", _each(_console)),
    "jsonl": Kind("steps.jsonl", _each(lambda step, v: json.dumps({"step": step, "data": v}))),
    "csv": Kind("metrics.csv", csv_file),
    "tensorboard": Kind("events.out.tfevents.1700000000.host.1.0", event_file),
    "wandb": Kind("run-abc123.wandb", lambda s: in_blocks(b":W&B\xe1\xbe\x00", wandb_records(s))),
    "swanlab": Kind(
        "run-abc123.swanlab", lambda s: in_blocks(b":SWL\xd6\xe1\x02", swanlab_records(s))
    ),
    "trainer": Kind("trainer_state.json", trainer_state),
    "mlflow": Kind(
        "mlruns/0/" + "0123456789abcdef" * 2 + "/metrics/loss",
        _each(lambda step, v: f"{1700000000000 + step} {v['actor/pg_loss']:.7g} {step}"),
    ),
}


def write(kind: str, folder: Path, steps: Iterable[Step]) -> Path:
    """Makes the file in that folder."""
    path = folder / KINDS[kind].file
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.writelines(KINDS[kind].content(steps))
    return path


def cost_of(path: Path, *options: str) -> dict[str, Any]:
    """What `logdoctor scan` takes for it: `wall` seconds, `memory` bytes, `exit_code`."""
    job: dict[str, Any] = dict.fromkeys(("stdin", "pipe", "core"))
    job["argv"] = [sys.executable, "-m", "logdoctor", "scan", *options, str(path)]
    job["stdout"] = job["stderr"] = os.devnull
    launcher = Path(__file__).with_name("launch.py")
    told = subprocess.run(
        [sys.executable, "-I", "-S", str(launcher), json.dumps(job)],
        check=True,
        capture_output=True,
    ).stdout
    return dict(json.loads(told))


def main() -> None:
    """Makes the files, scans them, and prints figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--metrics", type=int, default=6)
    parser.add_argument("--format", default="text")
    arguments = parser.parse_args()
    for kind in arguments.kinds:
        for steps in arguments.steps:
            with tempfile.TemporaryDirectory() as folder:
                path = write(kind, Path(folder), steps_of(steps, arguments.metrics))
                cost, size = cost_of(path, "--format", arguments.format), path.stat().st_size
            print(
                f"{kind:12} {steps:>9,} steps {size / 1e6:8.1f} MB {cost['wall']:7.1f} s "
                f"{cost['memory'] / 1e6:6.0f} MB  exit code {cost['exit_code']}",
                flush=True,
            )


if __name__ == "__main__":
    main()
