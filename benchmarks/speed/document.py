"""Outcomes to Markdown: the tables of docs/performance.md, and a line for --only and --quick."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path

from benchmarks.speed.bench import Bench
from benchmarks.speed.logs import file_system
from benchmarks.speed.measure import Results, Spread
from benchmarks.speed.rows import MIB, Outcome


def replace_part(path: Path, name: str, text: str) -> None:
    """Puts a text between the markers `<!-- name: begin -->` and `<!-- name: end -->`.

    Raises:
        ValueError: the file has no such markers.
    """
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    before, found, rest = path.read_text(encoding="utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f'{path} has no markers "{begin.strip()}" and "{end}"')
    path.write_text(before + begin + text.rstrip("\n") + "\n" + end + after, encoding="utf-8")


def number(value: float) -> str:
    """Three digits that count."""
    if value >= 100:  # noqa: PLR2004
        return f"{value:,.0f}"
    return f"{value:#.3g}" if value >= 0.001 else f"{value:.4f}"  # noqa: PLR2004


def spread(value: Spread) -> str:
    """Median, and in parentheses least to greatest."""
    return f"{number(value.median)} ({number(value.least)}–{number(value.greatest)})"


def verdict(outcome: Outcome) -> str:
    """Whether the goal is reached, and by how much."""
    if outcome.goal is None:
        return ""
    if outcome.value is None:
        return "not measured"
    reached, aimed = (
        outcome.goal.reached(outcome.value.median),
        outcome.value.median / outcome.goal.aim,
    )
    if (aimed <= 1) if outcome.goal.at_most else (aimed >= 1):
        return "reached, and the aim"
    return (
        f"reached ({number(reached)} × as good)"
        if reached >= 1
        else f"**behind**: {number(reached)} of what must be"
    )


def goal_table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The rows that have a goal."""
    yield (
        "| row | measure | peer in the same run | must reach | aim | measured: median (min–max) | "
        "by CPU time | verdict |"
    )
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for each in outcomes:
        if each.goal is None:
            continue
        sign = "≤" if each.goal.at_most else "≥"
        measured = spread(each.value) if each.value else f"not measured: {each.missing}"
        by_cpu = number(each.cpu_value.median) if each.cpu_value else ""
        note = f" ({each.note})" if each.note else ""
        goals = f"{sign} {each.goal.must:g} {each.goal.unit} | {each.goal.aim:g}"
        yield (
            f"| `{each.key}` | {each.measure}{note} | {each.peer} | {goals} | {measured} | "
            f"{by_cpu} | {verdict(each)} |"
        )


def orientation_table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The rows that have none."""
    yield (
        "| row | measure | peer in the same run | logdoctor's speed ÷ peer's: median (min–max) | "
        "by CPU time |"
    )
    yield "| --- | --- | --- | --- | --- |"
    for each in outcomes:
        if each.goal is not None:
            continue
        note = f" ({each.note})" if each.note else ""
        if each.value is None:
            yield (
                f"| `{each.key}` | {each.measure} | {each.peer} | not measured: {each.missing} | |"
            )
        elif each.key.startswith(("errors", "real", "flood", "verdict")):
            yield (
                f"| `{each.key}` | {each.measure}{note} | {each.peer} | {spread(each.value)} MB/s "
                f"| {number(each.cpu_value.median) if each.cpu_value else ''} |"
            )
        else:
            yield (
                f"| `{each.key}` | {each.measure}{note} | {each.peer} | {spread(each.value)} | "
                f"{number(each.cpu_value.median) if each.cpu_value else ''} |"
            )


def process_table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Every program of every row, as it was measured."""
    yield (
        "| row | program | log, MB | rounds | wall, s: median (min–max) | CPU, s | MB/s | peak "
        "memory, MiB |"
    )
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for outcome in outcomes:
        for each in outcome.results:
            yield f"| `{outcome.key}` | {process_line(each)} |"


def process_line(each: Results) -> str:
    """The columns of one program."""
    size = each.contestant.size / 1e6
    columns = (
        each.contestant.label,
        f"{size:,.0f}" if size >= 1 else f"{size:.3f}",
        str(len(each.runs)),
        spread(each.wall),
        number(each.cpu.median),
    )
    return " | ".join(
        (*columns, number(each.speed.median) if size >= 1 else "", number(each.memory.median / MIB))
    )


def circumstances(bench: Bench, found: Sequence[str]) -> Iterator[str]:
    """The machine, the versions, and where the logs lay."""
    cpu = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    yield (
        f"- Measured on {datetime.now(timezone.utc):%Y-%m-%d}: {len(os.sched_getaffinity(0))} "
        f"cores of {cpu}, {memory:.0f} GiB of memory, {platform.system()} {platform.release()}."
    )
    yield f"- Load average when the run began: {found[0]}."
    yield (
        (
            f"- Logs on {file_system(bench.work)}, in the page cache: every contest begins with a "
            f"round that does not count."
        )
        + (f" All logs at {bench.scale:g} of their size." if bench.scale != 1 else "")
    )
    yield (
        f"- The database: {bench.search_set.signatures} signatures with "
        f"{len(bench.search_set.templates)} templates and {len(bench.search_set.regexes)} "
        f"regexes."
    )
    yield f"- Versions: {', '.join(bench.package_versions())}; {'; '.join(bench.peers.versions())}."
    yield from (f"- {line}" for line in found[1:])


def one_line(outcome: Outcome) -> str:
    """A row for the console."""
    if outcome.value is None:
        return f"{outcome.key:24} not measured: {outcome.missing}"
    goal = (
        (
            f"  [{verdict(outcome)}; must {'≤' if outcome.goal.at_most else '≥'} "
            f"{outcome.goal.must:g} {outcome.goal.unit}]"
        )
        if outcome.goal
        else ""
    )
    ours = (
        f"  {number(outcome.results[0].speed.median)} MB/s"
        if outcome.results[0].contestant.size >= MIB
        else ""
    )
    return f"{outcome.key:24} {spread(outcome.value)}{goal}{ours}  {outcome.note}"
