"""The small check for CI: print_quick compares with ripgrep on 50 MB, prints, and never fails."""

from __future__ import annotations

from benchmarks.speed.bench import Bench
from benchmarks.speed.document import number, spread
from benchmarks.speed.measure import Contestant, RunFailedError, ratio

SIZE = 50_000_000
ROUNDS, SECONDS = 3, 8
EXPECTED = 0.2
"""Times ripgrep's speed below which a line says that it got slower.

It is far below what is reached: machines of CI are noisy.
"""


def print_quick(bench: Bench) -> None:
    """Prints the ratio, and a remark where it is far below what it was."""
    bench.seconds = SECONDS
    log = bench.logs.healthy(SIZE)
    bench.pattern_file("anchors", bench.search_set.anchors)
    peer = bench.peer(
        "rg",
        "rg -i -F -f",
        log,
        "--no-config",
        "-a",
        "-c",
        "-i",
        "-F",
        "-f",
        str(bench.work / "anchors.txt"),
        str(log),
    )
    if not isinstance(peer, Contestant):
        print(f"benchmark: not measured: {peer}")
        return
    try:
        ours, theirs = bench.contest([bench.logdoctor(log), peer], rounds=ROUNDS)
    except RunFailedError as error:
        print(f"benchmark: not measured: {error}")
        return
    value = ratio(theirs, ours)
    print(
        f"benchmark: {spread(value)} × the speed of `rg -i -F -f` on {SIZE / 1e6:.0f} MB "
        f"({number(ours.speed.median)} MB/s; ripgrep {number(theirs.speed.median)} MB/s)"
    )
    if value.median < EXPECTED:
        print(
            f"benchmark: slower than {EXPECTED} × ripgrep; measure with benchmarks/run --only "
            f"literals"
        )
