"""The command line of the suite: `benchmarks/run`."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import REPOSITORY
from benchmarks.speed.bench import Bench
from benchmarks.speed.document import (
    circumstances,
    goal_table,
    one_line,
    orientation_table,
    process_table,
    replace_part,
)
from benchmarks.speed.logs import default_work_folder
from benchmarks.speed.measure import RunFailedError, run_once
from benchmarks.speed.peers import Peers
from benchmarks.speed.picture import Bar, bar_chart
from benchmarks.speed.quick import print_quick
from benchmarks.speed.rows import ROWS, Outcome

PAGE, PICTURE = REPOSITORY / "docs" / "performance.md", REPOSITORY / "docs" / "performance.svg"


def main(arguments: Sequence[str] | None = None) -> int:
    """0, also where goals are missed: this measures. 2 where there is nothing to measure."""
    options = _options(arguments)
    executable = Path(shutil.which(str(options.logdoctor)) or options.logdoctor).absolute()
    if not executable.exists():
        print(
            (
                f'no logdoctor at "{executable}"; install this checkout (scripts/setup), or give '
                f"--logdoctor PATH"
            ),
            file=sys.stderr,
        )
        return 2
    options.work.mkdir(parents=True, exist_ok=True)
    bench = Bench(
        executable,
        options.work,
        Peers(options.work, may_install=not options.no_install),
        options.scale,
        options.rounds,
        options.seconds,
        options.real,
    )
    if options.quick:
        print_quick(bench)
        return 0
    found = [", ".join(f"{value:.1f}" for value in os.getloadavg())]
    begin = time.monotonic()
    outcomes = list(_measured(bench, options.only))
    if not options.only:
        found += _what_was_found(bench)
        print("\n".join(found[1:]))
    print(
        f"took {(time.monotonic() - begin) / 60:.1f} minutes; logs kept in {options.work}",
        file=sys.stderr,
    )
    if options.write or not (options.only or options.scale != 1):
        write_documents(bench, outcomes, found)
    else:
        print(
            "docs/performance.md is left as it was (a full run, or --write, changes it)",
            file=sys.stderr,
        )
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="benchmarks/run",
        description="Measures logdoctor beside other programs and writes docs/performance.md.",
    )
    parser.add_argument(
        "--logdoctor",
        type=Path,
        default=Path(sys.executable).parent / "logdoctor",
        metavar="PATH",
        help="the executable to measure (default: of this Python)",
    )
    parser.add_argument(
        "--work",
        type=Path,
        default=default_work_folder(),
        metavar="FOLDER",
        help="where the logs are made (default: %(default)s)",
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=list(ROWS),
        metavar="ROW",
        help=f"only this row, printed; repeatable: {', '.join(ROWS)}",
    )
    parser.add_argument(
        "--quick", action="store_true", help="50 MB against ripgrep, printed; for CI"
    )
    parser.add_argument(
        "--rounds",
        type=int,
        default=7,
        metavar="N",
        help="rounds of each contest (default: %(default)s; short ones 25)",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=45,
        metavar="S",
        help=(
            "a contest that took longer is not repeated further, but after two rounds (default: "
            "%(default)s)"
        ),
    )
    parser.add_argument(
        "--scale",
        type=float,
        default=1.0,
        metavar="X",
        help="size of all logs, for trying the suite out (default: %(default)s)",
    )
    parser.add_argument(
        "--real",
        type=Path,
        default=REPOSITORY / "sample_logs",
        metavar="FOLDER",
        help="whole logs of real runs for the row `real` (default: the samples of this repository)",
    )
    parser.add_argument(
        "--write", action="store_true", help="write the documents also after --only or --scale"
    )
    parser.add_argument(
        "--no-install",
        action="store_true",
        help="install nothing; absent peers are named in the table",
    )
    return parser.parse_args(arguments)


def _measured(bench: Bench, only: Sequence[str] | None) -> Iterator[Outcome]:
    for name in only or ROWS:
        for outcome in ROWS[name](bench):
            print(one_line(outcome), flush=True)
            yield outcome


def _what_was_found(bench: Bench) -> list[str]:
    """What logdoctor reports about the logs: speed alone would be worthless."""
    logs = [("healthy log", bench.logs.small), ("source code", bench.logs.foreign())]
    logs += [
        (f"{percent} % error lines, {kind}", bench.logs.failing(kind, percent)[0])
        for percent in (1, 30)
        for kind in ("bursts", "scattered")
    ]
    lines = []
    for name, log in logs:
        contestant = bench.logdoctor(log)
        try:
            run_once(contestant, bench.work)
        except RunFailedError as error:
            lines.append(f"Found in {name}: {error}")
            continue
        report = json.loads(Path(contestant.stdout).read_text(encoding="utf-8"))
        occurrences = sum(each["occurrences"] for each in report["diagnoses"])
        lines.append(
            f"Found in {name}: {len(report['diagnoses'])} diagnoses ({occurrences:,} "
            f"occurrences), {len(report['unknown_errors'])} errors without a signature."
        )
    return lines


def write_documents(bench: Bench, outcomes: Sequence[Outcome], found: Sequence[str]) -> None:
    """Writes the tables into docs/performance.md, and the picture."""
    parts = (
        circumstances(bench, found),
        goal_table(outcomes),
        orientation_table(outcomes),
        process_table(outcomes),
    )
    titles = ("", "### What must be reached\n", "### For orientation\n", "### Every process\n")
    replace_part(
        PAGE,
        "measured",
        "\n\n".join(
            f"{title}\n{chr(10).join(part)}".strip()
            for title, part in zip(titles, parts, strict=True)
        ),
    )
    PICTURE.write_text(
        bar_chart(
            [
                ("Speed on healthy logs, MB/s (logarithmic)", list(_speeds(outcomes)), None),
                (
                    "Times as good as what must be reached (dashed: reached)",
                    list(_goals(outcomes)),
                    1.0,
                ),
            ]
        ),
        encoding="utf-8",
    )


def _speeds(outcomes: Sequence[Outcome]) -> Iterator[Bar]:
    shown = {
        "literals",
        "literals-all-cores",
        "regexes",
        "fuzzy",
        "processes",
        "grep",
        "wc",
        "lnav",
        "drain3",
        "restart_agent",
    }
    results = {
        each.contestant.label: each
        for outcome in outcomes
        if outcome.key in shown
        for each in reversed(outcome.results)
        if outcome.key in ("literals", "literals-all-cores", "processes")
        or each.contestant.label != "logdoctor"
    }
    for label, each in sorted(results.items(), key=lambda item: -item[1].speed.median):
        if label != "logdoctor --jobs 1":
            yield Bar(
                label,
                each.speed.median,
                each.speed.least,
                each.speed.greatest,
                f"{each.speed.median:,.0f} MB/s",
                label.startswith("logdoctor"),
            )


def _goals(outcomes: Sequence[Outcome]) -> Iterator[Bar]:
    for each in outcomes:
        if each.goal and each.value:
            low, high = sorted(
                (each.goal.reached(each.value.least), each.goal.reached(each.value.greatest))
            )
            reached = each.goal.reached(each.value.median)
            yield Bar(
                (
                    f"{each.key} (must {'≤' if each.goal.at_most else '≥'} {each.goal.must:g} "
                    f"{each.goal.unit})"
                ),
                reached,
                low,
                high,
                f"{each.value.median:.3g}",
                reached >= 1,
            )


if __name__ == "__main__":
    sys.exit(main())
