"""How often a root cause is right, by what is known about it: the numbers behind the confidence.

usage: python -m benchmarks.accuracy.calibrate FOLDER...

A case is a folder with `log.txt` and `meta.yaml` below FOLDER, as score_variants.py takes them:
`root_line`, `root_line_alternatives` or `root_numbers` say where the cause stands. Prints for each
class of evidence (see `logdoctor.verdict.confidence`) how many answers it had, how many of them
stood at the root, the confidence that follows (the lower end of the likely range, so that few cases
promise little), and what the program says now; then the same by tenths of the program's own
confidence.
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

from logdoctor.model import Diagnosis
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.compiling import compile_automaton
from logdoctor.signatures.reading import bundled_path, load_signatures
from logdoctor.verdict.confidence import CLASSES

SLACK, SPAN_LIMIT = 2, 40
"""Lines by which an answer may miss the root line, and of an event that may hold it."""


def main() -> int:
    """0; 2 where there is no case."""
    cases = [
        folder
        for corpus in sys.argv[1:]
        for folder in sorted(Path(corpus).iterdir())
        if (folder / "meta.yaml").is_file()
    ]
    cases = [
        folder
        for folder in cases
        if not folder.name.startswith("neg-") and (folder / "log.txt").is_file()
    ]
    if not cases:
        print("no cases there", file=sys.stderr)
        return 2
    automaton = compile_automaton(load_signatures([bundled_path()]))
    by_class: dict[str, list[bool]] = defaultdict(list)
    by_tenth: dict[str, list[bool]] = defaultdict(list)
    for folder in cases:
        text = (folder / "log.txt").read_text(encoding="utf-8", errors="replace")
        root = scan_text(automaton, text).root
        if isinstance(root, Diagnosis):
            is_right = _is_at_root(
                root, text, yaml.safe_load((folder / "meta.yaml").read_text(encoding="utf-8"))
            )
            by_class[root.grounds].append(is_right)
            tenth = math.floor(10 * root.confidence) / 10
            by_tenth[f"{tenth:.1f} to {tenth + 0.1:.1f}"].append(is_right)
    print(
        *_table("class", by_class, {name: f"{value:.2f}" for name, value in CLASSES.items()}),
        sep="\n",
    )
    print()
    print(*_table("confidence", by_tenth, {}), sep="\n")
    return 0


def _is_at_root(root: Diagnosis, text: str, labels: Mapping[str, object]) -> bool:
    wanted = [str(labels.get("root_line")), *map(str, labels.get("root_line_alternatives") or ())]  # type: ignore[call-overload]
    lines = text.split("\n")
    numbers = labels.get("root_numbers") or [
        number
        for number, line in enumerate(lines, 1)
        if any(each.strip() in line for each in wanted)
    ]
    assert isinstance(numbers, list)
    for evidence in root.evidence:
        end = (
            evidence.end_line if evidence.end_line - evidence.line <= SPAN_LIMIT else evidence.line
        )
        if any(
            evidence.line - SLACK <= number <= max(end, evidence.line + SLACK) for number in numbers
        ):
            return True
    return False


def _table(name: str, groups: Mapping[str, list[bool]], now: Mapping[str, str]) -> Iterator[str]:
    yield f"{name:<28} answers  right  share  at least  now"
    for key, outcomes in sorted(groups.items()):
        right = sum(outcomes)
        yield (
            f"{key:<28} {len(outcomes):7} {right:6} {right / len(outcomes):6.2f} "
            f"{_least(right, len(outcomes)):9.2f}  {now.get(key, '')}"
        )


def _least(right: int, count: int) -> float:
    """Lower end of the 80 % interval of a share (Wilson's score interval, 1927)."""
    z = 1.2816
    share = right / count
    centre = share + z * z / (2 * count)
    spread = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return (centre - spread) / (1 + z * z / count)


if __name__ == "__main__":
    sys.exit(main())
