"""Searches a log for what may tell of a failure, and does nothing with what it finds.

No diagnosis can be faster.

    python search_only.py LOG

Runs on the interpreter of the program under test.
"""

import sys
from pathlib import Path

from logdoctor.scanning.scanner import BLOCK
from logdoctor.search.engines import Search
from logdoctor.search.opening import open_automaton


def main() -> None:
    """Prints how many hits there are."""
    search = Search(open_automaton((), str(Path("~/.cache/logdoctor").expanduser())).engines)
    hits = 0
    with Path(sys.argv[1]).open("rb") as file:
        while block := file.read(BLOCK):
            hits += len(search.event_hits(block))
    print(hits)


if __name__ == "__main__":
    main()
