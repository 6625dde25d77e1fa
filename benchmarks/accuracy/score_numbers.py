"""What is said of made runs: `python -m benchmarks.accuracy.score_numbers` prints the figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.accuracy.made_numbers import HEALTHY, UNHEALTHY, Run
from logdoctor.cli.terminal import cache_folder
from logdoctor.model import HARMLESS
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton
from logdoctor.search.opening import open_automaton


class Said(NamedTuple):
    """The signatures that are said of a run, and the steps where they are said to begin."""

    run: Run
    onsets: dict[str, int | None]

    @property
    def is_near(self) -> bool:
        """Whether the first of them is within 5 % of the steps."""
        first = min((each for each in self.onsets.values() if each is not None), default=None)
        return first is not None and abs(first - self.run.began) <= 0.05 * self.run.steps


def said_of(automaton: Automaton, run: Run) -> Said:
    """What is found in its console."""
    result = scan_text(automaton, run.text())
    found = [each for each in result.findings if each.verdict not in HARMLESS]
    captures = {each.name: getattr(each, "captures", {}) for each in found}
    steps = {name: told.get("onset") or told.get("step") for name, told in captures.items()}
    return Said(run, {name: int(step) if step else None for name, step in steps.items()})


def scored(automaton: Automaton, runs: Sequence[Run]) -> list[Said]:
    """Of all these runs."""
    return [said_of(automaton, run) for run in runs]


def main() -> None:
    """Prints a line for each run, and the figures."""
    automaton = open_automaton((), cache_folder())
    for name, runs in (("unhealthy", UNHEALTHY), ("healthy", HEALTHY)):
        every = scored(automaton, runs)
        for each in every:
            print(f"{each.run.name:18} {each.run.fault or '':50} {each.run.began:>4} {each.onsets}")
        near = sum(each.is_near for each in every)
        print(f"{name}: {sum(bool(each.onsets) for each in every)} of {len(runs)} said, "
              f"{near} with an onset within 5 % of the steps\n")  # fmt: skip


if __name__ == "__main__":
    main()
