"""What the fuzzer starts from: seeds_of a target, made from the repository's own files."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from fuzzing.targets import ARCHIVES, DUMPS, RECORDS, REPOSITORY, SETTINGS

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

KEPT = Path(__file__).parent / "corpus"
"""What the fuzzer found that reaches something else than the seeds do: an archive a target."""

LARGEST = 20_000
"""Bytes of a seed; a longer file is left out."""

LOG = b'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nKeyError: 1\n'

STATE = b"""{"format": "logdoctor live 3", "marks": {"/a.log": [5, 6, 7, "YQ==", "YQ==", 8]},
"lines": {"a.log": 3}, "told": ["x"], "streaks": [], "unsent": {"webhook": ["{}"]}}"""

CURVE = b"step,loss\n1,0.5\n2,nan\n3,nan\n"

HISTORY = b'{"log_history": [{"step": 1, "loss": 2}]}'

YAML = b"defaults:\n  - ppo\na: &x [1e3, None]\nb: *x\nc: ${a.0}\nd: ${oc.env:HOME,1}\n"

SCRIPT = b"""#!/bin/bash
n=${1:-2}
python3 -m verl.trainer.main_ppo data.train_batch_size=$((n * 8)) trainer.nnodes=2 \\
    actor_rollout_ref.rollout.n=5 +actor_rollout_ref.actor.strategy=fsdp "$@"
"""


def seeds_of(target: str) -> Iterator[bytes]:
    """Inputs of the target, those that were found and kept last."""
    yield from _MADE[target]()
    if (archive := KEPT / f"{target}.zip").exists():
        with zipfile.ZipFile(archive) as kept:
            yield from (kept.read(name) for name in sorted(kept.namelist()))


def _files(*patterns: str) -> Iterator[tuple[str, bytes]]:
    for pattern in patterns:
        for path in sorted(REPOSITORY.glob(pattern)):
            if path.is_file() and path.stat().st_size <= LARGEST:
                yield path.name, path.read_bytes()


def _logs() -> Iterator[bytes]:
    yield from (b"\4" + data for _, data in _files("sample_logs/*.log"))


def _archives() -> Iterator[bytes]:
    packed = {
        "a.zip": _zipped(),
        "a.tar": _tarred(),
        "a.tar.gz": gzip.compress(_tarred(), mtime=0),
        "a.log.gz": gzip.compress(LOG, mtime=0),
        "a.log.xz": lzma.compress(LOG),
        "a.log.bz2": bz2.compress(LOG),
        "a.log.zst": zstd.compress(LOG),
    }
    yield from (bytes([number]) + packed[name] for number, name in enumerate(ARCHIVES))


def _zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("run/a.log", LOG)
        archive.writestr("run/b.log.gz", gzip.compress(LOG, mtime=0))
    return out.getvalue()


def _tarred() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        member = tarfile.TarInfo("run/a.log")
        member.size = len(LOG)
        archive.addfile(member, io.BytesIO(LOG))
    return out.getvalue()


def _dumps() -> Iterator[bytes]:
    for name, data in _files("sample_logs/hang-*/*"):
        kind = 0 if name.startswith(("nccl", "comm")) else 2 + (name.endswith("json"))
        yield bytes([kind]) + data
    yield bytes([len(DUMPS) - 2]) + b"Thread 0x7f (most recent call first):\n  File a.py, line 1\n"


def _records() -> Iterator[bytes]:
    for number, name in enumerate(RECORDS):
        ending = name.rsplit(".", 1)[-1]
        for _, data in _files(f"sample_logs/**/*.{ending}"):
            yield bytes([number]) + data
    yield bytes([RECORDS.index("metrics.csv")]) + b"step,loss\n1,0.5\n2,nan\n3,nan\n"
    yield (
        bytes([RECORDS.index("trainer_state.json")]) + b'{"log_history": [{"step": 1, "loss": 2}]}'
    )


def _signatures() -> Iterator[bytes]:
    yield from (data for _, data in _files("signatures/nccl/*.yaml", "signatures/ray/*.yaml"))


def _settings() -> Iterator[bytes]:
    of_kind = {
        "run.yaml": YAML,
        "run.toml": b"[model]\nname = 'q'\n[trainer]\nmax_steps = 10\n",
        "run.sh": SCRIPT,
        "run.py": b"from trl import GRPOConfig\nn = 4\nGRPOConfig(num_generations=n * 2)\n",
        "run.json": b'{"train_batch_size": 64, "zero_optimization": {"stage": 3}}',
    }
    yield from (bytes([number]) + of_kind[name] for number, name in enumerate(SETTINGS))


def _states() -> Iterator[bytes]:
    yield STATE


def _stores() -> Iterator[bytes]:
    yield from (place.to_bytes(4, "big") + b"\xff" * 8 for place in range(0, 40_000, 4_000))


_MADE: dict[str, Callable[[], Iterator[bytes]]] = {
    "logs": _logs,
    "archives": _archives,
    "dumps": _dumps,
    "records": _records,
    "signatures": _signatures,
    "settings": _settings,
    "states": _states,
    "stores": _stores,
}
