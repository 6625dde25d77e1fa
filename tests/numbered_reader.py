"""A reader that can be killed: appends each line's number to OUT, keeps its place in STATE, ends when END is there and read."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

from logdoctor.live.follow import Follower
from logdoctor.live.state import LiveState, read_state, write_state


def main(log: str, out: str, state: str, end: str) -> None:
    stop: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _frame: stop.append(number))
    follower = Follower([log], time.monotonic, read_state(state).marks)
    quiet = 0
    with Path(out).open("a", encoding="ascii") as numbers:
        while not stop and quiet < 20:
            is_over = Path(end).exists()
            pieces = list(follower.poll())
            lines = b"".join(piece.data for piece in pieces).split()
            numbers.writelines(f"{line.decode()}\n" for line in lines[1::3])
            if not Path(state).exists():
                write_state(state, LiveState(follower.marks()))
            Path(f"{out}.ready").touch()
            quiet = quiet + 1 if is_over and not pieces else 0
            time.sleep(0.002)
    write_state(state, LiveState(follower.marks()))


if __name__ == "__main__":
    main(*sys.argv[1:])
