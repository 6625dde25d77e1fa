"""How often the ranks that hold up a run are named, and how often others are.

`python -m benchmarks.accuracy.score_hangs FOLDER...`: a folder holds cases, which are folders of
dumps with `case.json` (as `sample_logs/capture/hang_ranks.py` makes them), or NVIDIA's recorded
ones with `fault_injection.log` (github.com/NVIDIA/nvidia-resiliency-ext, in
tests/attribution/unit/fr_traces, which are read where they are). A case is right where exactly the
guilty ranks are named, and the kind where the case tells one. Cases whose ranks were ended before
any wrote a dump are counted apart.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from logdoctor.dumps.dump_set import DumpSet
from logdoctor.sources.dump_files import begins_as_dump, begins_as_stacks

_NEVER = ("never launched",)
SAID = {
    **dict.fromkeys(
        ("sleep", "lock", "file", "polling", "left-early", "two-guilty", "chain", "dump-missing"),
        _NEVER,
    ),
    "skipped-to-the-end": ("never launched", "in another order", "of another kind"),
    "other-operation": ("of another kind",),
    "other-shape": ("of another size or type",),
    "other-dtype": ("of another size or type",),
    "other-order": ("in another order",),
    "frozen": ("which left no dump",),
    "holds-gil": ("which left no dump",),
    "nobody-missing": ("launched by all its ranks",),
    "slow": ("time and again",),
}
"""What the sentence must say, by what was done wrong."""


class Case(NamedTuple):
    """What is known of a case: its kind, where it tells one, and the guilty ranks."""

    folder: Path
    kind: str | None
    guilty: frozenset[int]


class Outcome(NamedTuple):
    """What was said of a case."""

    case: Case
    said: str
    named: frozenset[int]
    dumps: int

    @property
    def is_right(self) -> bool:
        """Exactly the guilty ranks, in a sentence of the right kind."""
        if self.case.kind == "well":
            return not self.said
        wanted = SAID.get(self.case.kind or "", ("",))
        return self.named == self.case.guilty and any(each in self.said for each in wanted)

    @property
    def innocent(self) -> frozenset[int]:
        """Ranks that are blamed and did nothing wrong."""
        return self.named - self.case.guilty


def cases(folder: Path) -> Iterator[Case]:
    """Those in a folder, by name."""
    for place in sorted(each.parent for each in folder.rglob("case.json")):
        told = json.loads((place / "case.json").read_text(encoding="utf-8"))
        yield Case(place, told["kind"], frozenset(told["guilty"]))
    for place in sorted(each.parent for each in folder.rglob("fault_injection.log")):
        text = (place / "fault_injection.log").read_text(encoding="utf-8")
        ranks = re.findall(r"(?m)^Rank (\d+), fault_type", text)
        yield Case(place, None, frozenset(map(int, ranks)))


def outcome(case: Case, *, with_stacks: bool) -> Outcome:
    """What the dumps of a case say, alone or with its stacks."""
    dumps = DumpSet()
    for file in sorted(each for each in case.folder.rglob("*") if each.is_file()):
        data = file.read_bytes()
        if begins_as_dump(data) and (with_stacks or not begins_as_stacks(data)):
            dumps.add(str(file), data)
    told = dumps.told()
    said = told.lines[0] if told else ""
    found = re.search(r"; guilty: ([\d, -]+);", said)
    named: set[int] = set()
    for part in found[1].split(", ") if found else ():
        low, _, high = part.partition("-")
        named |= set(range(int(low), int(high or low) + 1))
    return Outcome(case, said, frozenset(named), len(dumps.ranks))


def main() -> None:
    """Prints what was said wrongly, and the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--with-stacks", action="store_true", help="judge these as well")
    arguments = parser.parse_args()
    for folder in arguments.folders:
        judged = [outcome(each, with_stacks=arguments.with_stacks) for each in cases(folder)]
        outcomes = [each for each in judged if each.dumps]
        for each in outcomes:
            if not each.is_right:
                print(f"{each.case.folder.name}: guilty {sorted(each.case.guilty)}; {each.said}")
        right = sum(each.is_right for each in outcomes)
        blamed = sum(bool(each.innocent) for each in outcomes)
        empty = f"; {lost} left no dump at all" if (lost := len(judged) - len(outcomes)) else ""
        share = f"{right} of {len(outcomes)} right, innocent ranks blamed in {blamed}"
        print(f"{folder}: {share}{empty}")


if __name__ == "__main__":
    main()
