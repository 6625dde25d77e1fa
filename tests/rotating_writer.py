"""Numbered lines through a scheme of rotation, at full speed: `python rotating_writer.py SCHEME FILE ROTATIONS LINES_EACH`.

All generations are kept: a reader that is started again on a busy machine may be any number of them late.
"""

from __future__ import annotations

import gzip
import os
import shutil
import sys
from pathlib import Path

BURST = 50  # lines written at once


def main(scheme: str, path: Path, rotations: int, each: int) -> None:
    number = 0
    for rotation in range(rotations):
        with path.open("ab", buffering=0) as log:
            for _ in range(0, each, BURST):
                log.write(
                    b"".join(b"line %09d ............\n" % (number + i) for i in range(BURST))
                )
                number += BURST
            if scheme == "copytruncate":
                shift(path, rotation)
                shutil.copyfile(path, f"{path}.1")
                os.truncate(path, 0)
        if scheme == "rename":
            shift(path, rotation)
            path.rename(f"{path}.1")
        elif scheme == "compressed":
            shift(path, rotation, ".gz")
            path.rename(f"{path}.1")
            Path(f"{path}.1.new").write_bytes(gzip.compress(Path(f"{path}.1").read_bytes(), 1))
            Path(f"{path}.1.new").rename(f"{path}.1.gz")
            Path(f"{path}.1").unlink()
        elif scheme == "dated":
            path.rename(f"{path}.{1_700_000_000 + rotation}")


def shift(path: Path, count: int, end: str = "") -> None:
    for i in range(count, 0, -1):
        Path(f"{path}.{i}{end}").rename(f"{path}.{i + 1}{end}")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
