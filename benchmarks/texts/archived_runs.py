"""Archives of real logs in the layouts that users have: make_runs, for tests; make_archive, for measuring."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks import REPOSITORY
from benchmarks.texts.healthy_logs import write_healthy
from logdoctor.sources.zstd import zstd

SAMPLES = REPOSITORY / "sample_logs"
COMPRESSORS: Mapping[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstd.compress,
}


def sample(name: str) -> bytes:
    """One of the captured logs."""
    return (SAMPLES / f"{name}.log").read_bytes()


FAILED = (
    "roll-batch-smaller-than-chunks",
    "chatlearn-ray-channel-timeout",
    "trinity-trainer-oom",
    "areal-cpu-swap-space",
)
HEALTHY = b"step 1 loss 0.5\nstep 2 loss 0.4\n"


def write(path: Path, data: bytes) -> Path:
    """The file, with the folders that it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def tar_bytes(members: Mapping[str, bytes], mode: str = "w") -> bytes:
    """A tar of these members."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]  # the mode is a parameter
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def zip_bytes(members: Mapping[str, bytes]) -> bytes:
    """A zip of these members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def make_runs(root: Path) -> dict[str, str | None]:
    """Runs in many layouts; returns the sample that each run is made of, by the run's name (None: healthy)."""
    first, second, third, fourth = FAILED
    layouts: dict[str, tuple[str, str | None]] = {
        "plain/run-a/train.log": ("plain/run-a", first),
        "plain/run-b/train.log": ("plain/run-b", None),
        "ray/session_2026-03-14_21-19-58_128000_45083/logs/worker-0a-01000000-77.err": (
            "ray/session_2026-03-14_21-19-58_128000_45083",
            second,
        ),
        "torchrun/none_x1/attempt_0/0/stderr.log": ("torchrun/none_x1/attempt_0", third),
        "torchrun/none_x1/attempt_1/0/stderr.log": ("torchrun/none_x1/attempt_1", fourth),
        "slurm/slurm-4711.out": ("slurm/slurm-4711.out", first),
        "slurm/slurm-4712.out": ("slurm/slurm-4712.out", None),
        "slurm/grpo.4713.err": ("slurm/grpo.4713.err", second),
        "wandb/run-20260301_101500-ab12cd34/files/output.log": (
            "wandb/run-20260301_101500-ab12cd34",
            third,
        ),
        "trinity/project/name/log/trainer.log": ("trinity/project/name", third),
        "areal/logs/root/exp/trial0/main.log": ("areal/logs/root/exp/trial0", fourth),
        "lone.log.xz": ("lone.log.xz", first),
    }
    expected: dict[str, str | None] = {}
    for path, (run, name) in layouts.items():
        data = sample(name) if name else HEALTHY
        compress = COMPRESSORS.get(Path(path).suffix)
        write(root / path, compress(data) if compress else data)
        expected[run] = name
    inner = tar_bytes({"deep/train.log": sample(second)})
    members = {
        "2025/r0/out.log": sample(first),
        "2025/r1/out.log.gz": gzip.compress(HEALTHY),
        "2025/older.tar": inner,
    }
    write(root / "packed/old.tar.gz", tar_bytes(members, "w:gz"))
    write(root / "packed/old.tar.zst", COMPRESSORS[".zst"](tar_bytes({"train.log": sample(third)})))
    write(
        root / "packed/old.zip", zip_bytes({"a/train.log": sample(fourth), "b/train.log": HEALTHY})
    )
    expected |= {
        "packed/old.tar.gz/2025/r0": first,
        "packed/old.tar.gz/2025/r1": None,
        "packed/old.tar.gz/2025/older.tar/deep": second,
        "packed/old.tar.zst": third,
        "packed/old.zip/a": fourth,
        "packed/old.zip/b": None,
    }
    return expected


POOL = 24 << 20
"""Bytes of healthy log that the runs are cut from."""

FAILING = 0.6
"""Share of the runs that fail."""

LAYOUTS = 10
"""Kinds of runs that `make_archive` goes through."""


def make_archive(root: Path, runs: int, size: int, seed: int = 20260321) -> dict[str, bool]:
    """Always the same runs, `size` bytes of log in all, three in five failed; whether each did, by the run's name.

    Healthy text is made up (`healthy_logs`), failures are the captured logs of `sample_logs`; layouts and compressions
    take turns, and run sizes spread as `1 / x` does: many small ones, few large ones.
    """
    draw = random.Random(seed)  # not for secrets
    pool = root.parent / f"{root.name}.pool"
    write_healthy(pool, POOL, seed)
    healthy = pool.read_bytes()
    pool.unlink()
    failures = [file.read_bytes() for file in sorted(SAMPLES.glob("*.log"))]
    shares = [1 / (number % 100 + 3) for number in range(runs)]
    expected: dict[str, bool] = {}
    for number, share in enumerate(shares):
        length = min(int(size * share / sum(shares)), POOL - 1)
        start = healthy.rfind(b"\n", 0, draw.randrange(1, max(2, POOL - length))) + 1
        has_failed = draw.random() < FAILING
        data = (
            healthy[start : start + length].rpartition(b"\n")[0]
            + b"\n"
            + (draw.choice(failures) if has_failed else b"")
        )
        expected[_put(root, number, data)] = has_failed
    return expected


def _put(root: Path, number: int, data: bytes) -> str:
    """Writes one run; returns its name."""
    name, half = f"{number:05}", data.rfind(b"\n", 0, len(data) // 2) + 1
    kind = number % LAYOUTS
    path = f"kind{kind}/run-{name}"
    if kind == 0:
        write(root / path / "train.log", data)
    elif kind == 1:
        path = f"ray/session_2026-03-14_21-19-58_{name}_77"
        write(root / path / "logs" / "raylet.out", data[:half])
        write(root / path / "logs" / "worker-0a-01000000-77.err", data[half:])
    elif kind == 2:
        path = f"torchrun/job_{name}/attempt_0"
        write(root / path / "0" / "stdout.log", data[:half])
        write(root / path / "0" / "stderr.log", data[half:])
    elif kind == 3:
        path = f"slurm/slurm-1{name}.out"
        write(root / path, data)
    elif kind == 4:
        path = f"wandb/run-20260301_101500-{name}"
        write(root / path / "files" / "output.log", data)
    elif kind == 5:
        write(root / path / "log" / "trainer.log.gz", gzip.compress(data, 1))
    elif kind == 6:
        write(root / path / "train.log.zst", COMPRESSORS[".zst"](data))
    elif kind == 7:
        path = f"packed/{name}.tar.gz"
        write(root / path, _gzipped_tar({"rank0.log": data[:half], "rank1.log": data[half:]}))
    elif kind == 8:
        path = f"packed/{name}.zip/only"
        write(root / "packed" / f"{name}.zip", zip_bytes({"only/train.log": data}))
    else:
        path = f"packed/{name}.tar.zst/only"
        write(
            root / "packed" / f"{name}.tar.zst",
            COMPRESSORS[".zst"](tar_bytes({"only/train.log": data})),
        )
    return path


def _gzipped_tar(members: Mapping[str, bytes]) -> bytes:
    return gzip.compress(tar_bytes(members), 1)
