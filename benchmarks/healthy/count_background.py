#!/usr/bin/env python3
"""Counts a healthy corpus into the background table: count_background.py CORPUS [FILE].

CORPUS is what benchmarks/healthy/make made: folders real, generated, said and foreign. FILE
(default: src/logdoctor/search/background.bin) is `LDBG1`, a line end, and cells by zlib. A cell
is a byte: the level of the most frequent text whose CRC-32, modulo the number of cells, is its
number. Level n stands for RAREST * 2^((n - 1) / STEPS) hits per megabyte, 0 for fewer
(background.py has both). Counted are runs of 4 and 5 letters, blanks and marks of ASCII, in lower
case, without digits; runs of 6, 8 and 10 only where they are `SURPRISE` times as frequent as their
parts tell. A hit in any kind of text counts by the weight of the kind: WEIGHTS. With --hold-out, a
quarter of the corpus is left out, for measuring (`is_held_out`). Needs numpy, which logdoctor
itself does not.
"""

from __future__ import annotations

import argparse
import re
import sys
import zlib
from pathlib import Path

import numpy as np

from logdoctor.search.background import COUNTED, RAREST, STEPS, Background

WEIGHTS = {"real": 1.0, "generated": 0.5, "said": 1.0, "foreign": 1.0}
CELLS = 1 << 22
LEAST_FILES = 2  # a text that stands in one file only tells about that file
SURPRISE = 4.0
LEAST_SURPRISING = 0.5  # hits per megabyte below which a surprise does no harm
_BATCH = 20000


def is_held_out(path: Path) -> bool:
    """A quarter of the programs and packages: all files of a program or none."""
    return zlib.crc32(re.sub(r"-\d+$", "", path.stem).encode()) % 4 == 0


def _codes() -> np.ndarray:
    codes = np.zeros(256, np.uint8)
    number = 0
    for byte in range(32, 127):
        character = chr(byte)
        if not character.isdigit() and not character.isupper():
            number += 1
            codes[byte] = number
    for byte in range(ord("A"), ord("Z") + 1):
        codes[byte] = codes[byte + 32]
    return codes


def keys_of(codes: np.ndarray, length: int) -> np.ndarray:
    """Numbers of all runs of a length without a hole."""
    count = len(codes) - length + 1
    keys = np.zeros(max(count, 0), np.uint64)
    is_whole = np.ones(max(count, 0), bool)
    for offset in range(length):
        part = codes[offset : offset + count]
        keys = (keys << np.uint64(6)) | part.astype(np.uint64)
        is_whole &= part > 0
    return keys[is_whole]


def merge(
    parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sums of rates and numbers of files of equal keys."""
    keys, where = np.unique(np.concatenate([part[0] for part in parts]), return_inverse=True)
    rates = np.bincount(where, np.concatenate([part[1] for part in parts]))
    return keys, rates, np.bincount(where, np.concatenate([part[2] for part in parts]))


def count(paths: list[tuple[Path, float]], length: int) -> tuple[np.ndarray, np.ndarray]:
    """Keys and weighted hits per megabyte of texts of a length.

    Those that stand in several files and are not too rare.
    """
    codes_of = _codes()
    merged: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None
    parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for path, weight in paths:
        keys, counts = np.unique(
            keys_of(codes_of[np.frombuffer(path.read_bytes(), np.uint8)], length),
            return_counts=True,
        )
        if length > 5:  # noqa: PLR2004  # the long ones matter only where frequent
            keys, counts = keys[counts > 2], counts[counts > 2]  # noqa: PLR2004
        parts.append((keys, counts * weight, np.ones(len(keys), np.uint16)))
        if len(parts) == 24:  # noqa: PLR2004
            merged = merge(parts if merged is None else [merged, *parts])
            parts = []
    keys, rates, in_files = merge(parts if merged is None else [merged, *parts])
    kept = (in_files >= LEAST_FILES) & (rates >= (RAREST if length <= 5 else LEAST_SURPRISING))  # noqa: PLR2004
    return keys[kept], rates[kept]


def texts(keys: np.ndarray, length: int) -> list[bytes]:
    """The texts that have these numbers."""
    codes = _codes()
    back = np.zeros(64, np.uint8)
    for byte in range(126, 31, -1):
        if codes[byte] and not chr(byte).isupper():
            back[codes[byte]] = byte
    columns = [
        back[((keys >> np.uint64(6 * (length - 1 - i))) & np.uint64(63)).astype(np.intp)]
        for i in range(length)
    ]
    flat = np.stack(columns, axis=1).tobytes()
    return [flat[i : i + length] for i in range(0, len(flat), length)]


def build(corpus: Path, *, hold_out: bool, weights: dict[str, float]) -> Background:
    """The table of a corpus."""
    paths: list[tuple[Path, float]] = []
    for kind, weight in weights.items():
        files = [
            path
            for path in sorted((corpus / kind).iterdir())
            if not (hold_out and is_held_out(path))
        ]
        size = sum(path.stat().st_size for path in files)
        paths += [(path, weight * 1e6 / size) for path in files]
    cells = bytearray(CELLS)
    for length in COUNTED:
        keys, rates = count(paths, length)
        levels = np.clip(np.round(np.log2(rates / RAREST) * STEPS) + 1, 1, 255).astype(int).tolist()
        before = Background(bytes(cells))
        stored = 0
        for text, level, rate in zip(texts(keys, length), levels, rates.tolist(), strict=True):
            if length > 5 and before.expected_hits(text.decode()) * SURPRISE > rate:  # noqa: PLR2004
                continue
            cell = zlib.crc32(text) & (CELLS - 1)
            cells[cell] = max(cells[cell], level)
            stored += 1
        print(f"{length} characters: {len(keys)} texts counted, {stored} kept", flush=True)
    return Background(bytes(cells))


def main() -> int:
    """Writes the table and tells its size."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument(
        "file",
        type=Path,
        nargs="?",
        default=Path(__file__).parents[2] / "src" / "logdoctor" / "search" / "background.bin",
    )
    parser.add_argument("--hold-out", action="store_true", help="leave a quarter of the corpus out")
    parser.add_argument(
        "--weights",
        type=float,
        nargs=len(WEIGHTS),
        metavar=tuple(map(str.upper, WEIGHTS)),
        default=tuple(WEIGHTS.values()),
    )
    options = parser.parse_args()
    table = build(
        options.corpus,
        hold_out=options.hold_out,
        weights=dict(zip(WEIGHTS, options.weights, strict=True)),
    )
    raw = table.to_bytes()
    options.file.write_bytes(raw)
    print(
        f"{options.file}: {len(raw)} bytes, {len(table.cells) - table.cells.count(0)} of "
        f"{len(table.cells)} cells used"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
