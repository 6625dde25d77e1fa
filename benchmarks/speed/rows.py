"""The rows of the tables: what is measured against what, and what must be reached.

The goals are those of the issue "The engine"; a row without one stands for orientation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.speed.bench import RIPGREP, TRIAL, Bench
from benchmarks.speed.logs import real_logs
from benchmarks.speed.measure import (
    LEAST_ROUNDS,
    Contestant,
    Results,
    Run,
    RunFailedError,
    Spread,
    ratio,
)

MIB = 2**20
RG = "rg -i -F -f"
"""How the anchors are searched, and what that is called."""

REGEXES, DRAWS = 200, 5
"""Regexes that ripgrep is given, as the goal has it, and how many sets of them are tried."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What must be reached and what is aimed at; `at_most` where less is better."""

    must: float
    aim: float
    unit: str
    at_most: bool = False

    def reached(self, value: float) -> float:
        """How many times as good as what must be reached."""
        return self.must / value if self.at_most else value / self.must


@dataclass(frozen=True, slots=True)
class Outcome:
    """A measured row; `missing` says why there is nothing, where there is nothing."""

    key: str
    measure: str
    peer: str
    goal: Goal | None = None
    value: Spread | None = None
    cpu_value: Spread | None = None
    results: tuple[Results, ...] = ()
    missing: str | None = None
    note: str = ""


Row = Callable[[Bench], Iterator[Outcome]]


def _against(  # noqa: PLR0917  # read as the columns of a table
    bench: Bench,
    key: str,
    measure: str,
    peer: str,
    goal: Goal | None,
    contestants: Sequence[Contestant | str],
    *,
    note: str = "",
) -> Outcome:
    """Ours comes first, the peer second; how many times as fast ours is.

    Where less is better, how many times as long it takes.
    """
    absent = next((each for each in contestants if isinstance(each, str)), None)
    if absent is not None:
        return Outcome(key, measure, peer, goal, missing=absent)
    try:
        ours, theirs, *_ = results = bench.contest(
            [each for each in contestants if isinstance(each, Contestant)]
        )
    except RunFailedError as error:
        return Outcome(key, measure, peer, goal, missing=str(error))
    first, second = (ours, theirs) if goal and goal.at_most else (theirs, ours)
    return Outcome(
        key,
        measure,
        peer,
        goal,
        ratio(first, second),
        ratio(first, second, lambda run: run.cpu),
        tuple(results),
        note=note,
    )


def _by_cores(outcome: Outcome) -> Iterator[Outcome]:
    """A contest of one process against the peer, and of all cores, which come last, against it."""
    key, measure = (
        f"{outcome.key}-all-cores",
        outcome.measure.replace("one process", "as many processes as there are cores"),
    )
    if not outcome.results:
        yield from (outcome, replace(outcome, key=key, measure=measure))
        return
    *results, on_all_cores = outcome.results
    first, second = (
        (on_all_cores, results[1])
        if outcome.goal and outcome.goal.at_most
        else (results[1], on_all_cores)
    )
    values = ratio(first, second), ratio(first, second, lambda run: run.cpu)
    yield replace(outcome, results=tuple(results))
    yield Outcome(key, measure, outcome.peer, outcome.goal, *values, (on_all_cores,))


def literals(bench: Bench) -> Iterator[Outcome]:
    """Ripgrep with the anchors; other ways to search them, for orientation."""
    log = bench.logs.large
    count, options = (
        bench.pattern_file("anchors", bench.search_set.anchors),
        ("-a", "-c", "-i", "-F", "-f", str(bench.work / "anchors.txt"), str(log)),
    )
    yield from _by_cores(
        _against(
            bench,
            "literals",
            "healthy log, whole database, one process",
            f"`rg -i -F -f` of {count} anchors",
            Goal(1.0, 1.5, "× its speed"),
            [
                bench.logdoctor(log),
                bench.peer("rg", "rg -i -F -f", log, "--no-config", *options),
                bench.peer(
                    "rg", "rg -i -F -f --no-unicode", log, "--no-config", "--no-unicode", *options
                ),
                bench.logdoctor(log, "logdoctor, all cores", jobs=None),
            ],
        )
    )


def regexes(bench: Bench) -> Iterator[Outcome]:
    """Ripgrep with 200 of the templates and regexes: the draw of several that it is fastest with.

    Which it is given decides more than their number: for some sets it finds literals to look for
    first, for others it must run its automaton on every byte.
    """
    log = bench.logs.large
    measure, goal = "healthy log, whole database, one process", Goal(2.0, 3.0, "× its speed")
    if bench.peers.program("rg") is None:
        yield Outcome("regexes", measure, "`rg -i -f`", goal, missing=bench.peers.missing["rg"])
        return
    speeds = sorted(
        ((bench.ripgrep_speed(draw), draw) for draw in bench.draws(REGEXES, DRAWS)), reverse=True
    )
    count = bench.pattern_file("regexes", speeds[0][1])
    spread = " / ".join(f"{speed:.2g}" for speed, _ in speeds)
    yield from _by_cores(
        _against(
            bench,
            "regexes",
            measure,
            f"`rg -i -f` of {count} signature regexes",
            goal,
            [
                bench.logdoctor(log),
                bench.peer(
                    "rg", "rg -i -f", log, *RIPGREP, str(bench.work / "regexes.txt"), str(log)
                ),
                bench.logdoctor(log, "logdoctor, all cores", jobs=None),
            ],
            note=(
                f"of {len(bench.understood)}, the fastest of {DRAWS} draws: {spread} MB/s on "
                f"{TRIAL / 1e6:.0f} MB"
            ),
        )
    )


def fuzzy(bench: Bench) -> Iterator[Outcome]:
    """Ugrep's approximate search, on a slice because it would take minutes."""
    log, part = bench.logs.large, bench.logs.healthy(int(20_000_000 * min(1.0, bench.scale * 5)))
    count = bench.pattern_file("fuzzy", bench.fifty_templates)
    yield from _by_cores(
        _against(
            bench,
            "fuzzy",
            "healthy log, whole database, one process",
            f"`ugrep -Z2 -f` of {count} templates",
            Goal(30, 60, "× its speed"),
            [
                bench.logdoctor(log),
                bench.peer(
                    "ugrep",
                    "ugrep -Z2 -i -f",
                    part,
                    "-a",
                    "-c",
                    "-i",
                    "-Z2",
                    "-f",
                    str(bench.work / "fuzzy.txt"),
                    str(part),
                ),
                bench.logdoctor(log, "logdoctor, all cores", jobs=None),
            ],
            note=f"ugrep on {part.stat().st_size / 1e6:.0f} MB; speeds are compared",
        )
    )


def memory(bench: Bench) -> Iterator[Outcome]:
    """A long log through a pipe."""
    log = bench.logs.large
    ours = bench.logdoctor(None, "logdoctor on stdin", pipe=log)
    goal = Goal(64, 32, "MiB", at_most=True)
    try:
        (results,) = bench.contest([ours], rounds=3)
    except RunFailedError as error:
        yield Outcome("memory", "healthy log on stdin, peak memory", "", goal, missing=str(error))
        return
    yield Outcome(
        "memory",
        "healthy log on stdin, peak memory",
        "",
        goal,
        Spread.of([run.memory / MIB for run in results.runs]),
        None,
        (results,),
    )


def errors(bench: Bench) -> Iterator[Outcome]:
    """Logs with many error lines, on one core; `wc -l` says what reading them takes."""
    for percent in (30, 5, 1):
        for kind in ("bursts", "scattered"):
            log, made = bench.logs.failing(kind, percent)
            goal = Goal(100, 250, "MB/s") if percent == 30 else None  # noqa: PLR2004  # the row of the issue
            share = f"{made.error_lines:,} of {made.lines:,} lines are errors"
            outcome = _against(
                bench,
                f"errors-{percent}-{kind}",
                f"{percent} % error lines, {kind}, one core",
                "`wc -l`",
                None,
                [
                    bench.logdoctor(log, core=bench.core),
                    bench.peer("wc", "wc -l", log, "-l", str(log), core=bench.core),
                ],
            )
            if outcome.value is None:
                yield Outcome(
                    outcome.key, outcome.measure, outcome.peer, goal, missing=outcome.missing
                )
                continue
            slower = outcome.results[0].wall.median / outcome.results[1].wall.median
            note = f"{share}; {slower:.1f} × the time of `wc -l`"
            speeds = Spread.of(
                [log.stat().st_size / 1e6 / run.cpu for run in outcome.results[0].runs]
            )
            yield Outcome(
                outcome.key,
                outcome.measure,
                outcome.peer,
                goal,
                outcome.results[0].speed,
                speeds,
                outcome.results,
                note=note,
            )


def real(bench: Bench) -> Iterator[Outcome]:
    """Whole logs of real runs, each read by a process of its own, whose start counts."""
    logs = real_logs(bench.real)
    for kind in ("failed", "successful"):
        of_kind = [log for log in logs if _has_failed(log, bench.real) is (kind == "failed")]
        measure = f"{len(of_kind)} whole logs of {kind} runs, one core"
        if not of_kind:
            yield Outcome(f"real-{kind}", measure, "", missing=f"no such log in {bench.real.name}")
            continue
        try:
            found = [bench.contest(_beside_ripgrep(bench, log), LEAST_ROUNDS) for log in of_kind]
        except RunFailedError as error:
            yield Outcome(f"real-{kind}", measure, "", missing=str(error))
            continue
        worst = max((ours for ours, *_ in found), key=lambda each: each.cpu.median)
        worst_size = worst.contestant.size / 1e6
        note = f"the longest {worst.cpu.median:.2f} s of CPU for {worst_size:.1f} MB"
        whole = [_together(each) for each in zip(*found, strict=True)]
        yield _by_itself(f"real-{kind}", measure, whole, note)


def verdict(bench: Bench) -> Iterator[Outcome]:
    """How long somebody waits for the verdict, by the size of the log: real logs one after the
    other, again and again.
    """
    for megabytes in (1, 10, 100):
        key, measure = f"verdict-{megabytes}", f"{megabytes} MB of whole logs of real runs"
        log = bench.logs.of_real(bench.real, megabytes * 1_000_000)
        if log is None:
            yield Outcome(key, measure, "", missing=f"no log in {bench.real.name}")
            continue
        contestants = [*_beside_ripgrep(bench, log), bench.logdoctor(log, "all cores", jobs=None)]
        try:
            *results, on_all_cores = bench.contest(contestants)
        except RunFailedError as error:
            yield Outcome(key, measure, "", missing=str(error))
            continue
        note = f"{results[0].wall.median:.2f} s, on all cores {on_all_cores.wall.median:.2f} s"
        yield _by_itself(key, f"{measure}, one core", [*results, on_all_cores], note)


def _beside_ripgrep(bench: Bench, log: Path) -> list[Contestant]:
    """Ours on one core, and ripgrep with the anchors where it can be had."""
    bench.pattern_file("anchors", bench.search_set.anchors)
    options = ("-a", "-c", "-i", "-F", "-f", str(bench.work / "anchors.txt"), str(log))
    peer = bench.peer("rg", RG, log, "--no-config", *options, core=bench.core)
    ours = bench.logdoctor(log, core=bench.core)
    return [ours, peer] if isinstance(peer, Contestant) else [ours]


def _has_failed(log: Path, folder: Path) -> bool:
    return not any(part.startswith("neg-") for part in log.relative_to(folder).parts)


def _together(found: Sequence[Results]) -> Results:
    """What logs took one after the other, round by round."""
    size = sum(each.contestant.size for each in found)
    runs = tuple(
        Run(
            sum(run.wall for run in runs),
            sum(run.cpu for run in runs),
            max(run.memory for run in runs),
            0,
        )
        for runs in zip(*(each.runs for each in found), strict=True)
    )
    return Results(replace(found[0].contestant, size=size), runs)


def _by_itself(key: str, measure: str, results: Sequence[Results], note: str = "") -> Outcome:
    """A row in MB a second, by the wall and by CPU, with the peak memory; ours comes first, and
    ripgrep's after it, where it was run.
    """
    ours = results[0]
    size = ours.contestant.size / 1e6
    notes = [note] if note else []
    notes += [
        f"{ratio(each, ours, lambda run: run.cpu).median:.2f} × the speed of `{RG}`"
        for each in results[1:]
        if each.contestant.label == RG
    ]
    return Outcome(
        key,
        measure,
        "",
        None,
        ours.speed,
        Spread.of([size / run.cpu for run in ours.runs]),
        tuple(results),
        note="; ".join([*notes, f"{ours.memory.greatest / MIB:.0f} MiB"]),
    )


def floods(bench: Bench) -> Iterator[Outcome]:
    """Logs in which much is said that is the same, or nothing."""
    for kind, measure in (
        ("ranks", "512 ranks print one traceback at once"),
        ("restarts", "60 attempts, each failing on 8 ranks"),
        ("equal", "5,000,000 equal lines"),
        ("unknown", "100,000 different errors that nobody knows"),
        ("answers", "5 MB of answers of a model"),
    ):
        try:
            results = bench.contest(_beside_ripgrep(bench, bench.logs.flood(kind)))
        except RunFailedError as error:
            yield Outcome(f"flood-{kind}", measure, "", missing=str(error))
            continue
        yield _by_itself(f"flood-{kind}", f"{measure}, one core", results)


def ceiling(bench: Bench) -> Iterator[Outcome]:
    """The search alone, whose hits nobody reads: what Python's part of the work is measured by."""
    log = bench.logs.large
    bench.pattern_file("anchors", bench.search_set.anchors)
    options = ("-a", "-c", "-i", "-F", "-f", str(bench.work / "anchors.txt"), str(log))
    yield _against(
        bench,
        "search",
        "healthy log, all bytes searched once and nothing else",
        "`rg -i -F -f` of the anchors",
        None,
        [bench.search_only(log), bench.peer("rg", "rg -i -F -f", log, "--no-config", *options)],
    )
    for kind in ("bursts", "scattered"):
        failing, _ = bench.logs.failing(kind, 30)
        yield _against(
            bench,
            f"search-30-{kind}",
            f"30 % error lines, {kind}, all bytes searched once and nothing else",
            "`wc -l`",
            None,
            [bench.search_only(failing), bench.peer("wc", "wc -l", failing, "-l", str(failing))],
        )


def signatures(bench: Bench) -> Iterator[Outcome]:
    """The same log with 50, 500 and 5,000 made-up signatures beside the bundled ones."""
    log = bench.logs.large
    folders = {count: bench.made_signatures(count) for count in (50, 500, 5000)}
    contestants = [
        bench.logdoctor(log, f"logdoctor, +{count:,} signatures", signatures=folder)
        for count, folder in folders.items()
    ]
    measure = "healthy log, 5,000 made-up signatures beside the bundled ones"
    goal = Goal(0.35, 0.5, "× the speed with 50")
    try:
        fifty, five_hundred, five_thousand = bench.contest(contestants)
        (start,) = bench.contest(
            [
                bench.logdoctor(
                    bench.logs.start(),
                    "logdoctor, +5,000 signatures, 1 kB log",
                    signatures=folders[5000],
                )
            ],
            rounds=5,
        )
    except RunFailedError as error:
        yield Outcome("signatures", measure, "itself with 50", goal, missing=str(error))
        return
    middle = ratio(fifty, five_hundred)
    note = (
        f"with 500: {middle.median:.2f} ×; a 1 kB log with 5,000 takes "
        f"{start.wall.median * 1000:.0f} ms (warm cache)"
    )
    results = (five_thousand, fifty, five_hundred, start)
    yield Outcome(
        "signatures",
        measure,
        "itself with 50",
        goal,
        ratio(fifty, five_thousand),
        ratio(fifty, five_thousand, lambda run: run.cpu),
        results,
        note=note,
    )


def processes(bench: Bench) -> Iterator[Outcome]:
    """Two processes against one."""
    log = bench.logs.large
    yield _against(
        bench,
        "processes",
        "healthy log, `--jobs 2`",
        "`--jobs 1`",
        Goal(1.7, 1.9, "× its speed"),
        [
            bench.logdoctor(log, "logdoctor --jobs 2", jobs=2),
            bench.logdoctor(log, "logdoctor --jobs 1"),
        ],
    )


def start(bench: Bench) -> Iterator[Outcome]:
    """A tiny log, from the cold process to the report."""
    log = bench.logs.start()
    python = bench.interpreter
    yield _against(
        bench,
        "start",
        "1 kB log, cold process, to the JSON report",
        "`python -c pass`",
        Goal(6, 4, "× its time", at_most=True),
        [
            bench.logdoctor(log),
            Contestant("python -c pass", (python, "-c", "pass"), log.stat().st_size),
        ],
    )


def compressed(bench: Bench) -> Iterator[Outcome]:
    """Compressed logs against programs that only decompress them."""
    log = bench.logs.large
    for key, ending, maker, readers in (
        ("gzip", ".gz", ("pigz", "-6", "-c"), ("igzip", "pigz")),
        ("zstd", ".zst", ("zstd", "-3", "-q", "-c"), ("zstd",)),
    ):
        goal = Goal(2.0, 1.3, "× its time", at_most=True) if key == "gzip" else None
        path = bench.peers.program(maker[0])
        if path is None:
            yield Outcome(
                key,
                f"healthy log, {ending}, one process",
                f"`{readers[0]} -dc`",
                goal,
                missing=bench.peers.missing[maker[0]],
            )
            continue
        packed = bench.logs.compressed(log, ending, (path, *maker[1:]))
        for reader in readers:
            size = log.stat().st_size
            contestants = (
                bench.logdoctor(packed, size=size),
                bench.peer(reader, f"{reader} -dc", log, "-dc", str(packed)),
                bench.logdoctor(packed, "logdoctor, all cores", jobs=None, size=size),
            )
            yield from _by_cores(
                _against(
                    bench,
                    key if len(readers) == 1 else f"{key}-{reader}",
                    f"healthy log, {ending}, one process",
                    f"`{reader} -dc > /dev/null`",
                    goal,
                    contestants,
                    note=f"{packed.stat().st_size / 1e6:.0f} MB made by `{' '.join(maker)}`",
                )
            )


def foreign(bench: Bench) -> Iterator[Outcome]:
    """Source code: text that the choice of pieces never saw."""
    log = bench.logs.foreign()
    bench.pattern_file("anchors", bench.search_set.anchors)
    options = ("-a", "-c", "-i", "-F", "-f", str(bench.work / "anchors.txt"), str(log))
    yield _against(
        bench,
        "foreign",
        "source code instead of a log, one process",
        "`rg -i -F -f` of the anchors",
        None,
        [bench.logdoctor(log), bench.peer("rg", "rg -i -F -f", log, "--no-config", *options)],
        note=f"{log.stat().st_size / 1e6:.0f} MB",
    )


def orientation(bench: Bench) -> Iterator[Outcome]:
    """Other programs on the healthy log, each against logdoctor in the same rounds."""
    log, part = bench.logs.small, bench.logs.healthy(int(20_000_000 * min(1.0, bench.scale * 5)))
    count = bench.pattern_file("anchors", bench.search_set.anchors)
    grep = ("-a", "-c", "-i", "-F", "-f", str(bench.work / "anchors.txt"), str(log))
    lnav = ("-n", "-c", ":filter-in out of memory", str(log))
    drain, agent = bench.peers.drain3(), bench.peers.restart_agent()
    for key, peer, contestant in (
        (
            "grep",
            f"GNU `grep -i -F -f` of {count} anchors",
            bench.peer("grep", "grep -i -F -f", log, *grep),
        ),
        ("wc", "`wc -l`", bench.peer("wc", "wc -l", log, "-l", str(log))),
        (
            "cat",
            "`cat` into a file in memory",
            bench.peer("cat", "cat", log, str(log), stdout=str(bench.work / "copy")),
        ),
        ("lnav", "lnav, one filter", bench.peer("lnav", "lnav -n", log, *lnav)),
        (
            "drain3",
            "Drain3, mining templates",
            Contestant("Drain3", (*drain, str(part)), part.stat().st_size)
            if drain
            else bench.peers.missing["drain3"],
        ),
        (
            "restart_agent",
            "NVIDIA's restart_agent",
            Contestant(
                "restart_agent",
                (agent[0], agent[1], agent[2], str(part), *agent[3:]),
                part.stat().st_size,
            )
            if agent
            else bench.peers.missing["nvidia-resiliency-ext"],
        ),
    ):
        yield _against(
            bench, key, "healthy log, one process", peer, None, [bench.logdoctor(log), contestant]
        )


ROWS: dict[str, Row] = {
    "literals": literals,
    "regexes": regexes,
    "fuzzy": fuzzy,
    "memory": memory,
    "errors": errors,
    "real": real,
    "verdict": verdict,
    "floods": floods,
    "ceiling": ceiling,
    "signatures": signatures,
    "processes": processes,
    "start": start,
    "compressed": compressed,
    "foreign": foreign,
    "orientation": orientation,
}
