"""Reports of NCCL's RAS to what they show: read_reports, held_up.

`ncclras` prints them as text or as JSON (docs/userguide/source/troubleshooting/ras.rst of NCCL,
src/ras/client_support.cc). A report is a snapshot: ranks that differ by some operations may be
under way, so that only a second report that says the same proves that they stand still.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

REPORTS_LIMIT = 1000
"""Reports of one file that are read."""

NO_REPORT = "no report of NCCL's RAS"

_ODD = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
"""What comes of JSON in which other things stand than in a report."""

_BEGINS = re.compile(
    r"^(?:NCCL version .+\nCUDA runtime version .+\n\s*)?Job summary$", re.MULTILINE
)
_GROUP = re.compile(
    r"^ *(?P<group>\d+) +\d+ +\d+ +\d+(?:-\d+)? +(?P<size>\d+) +\d+ +[A-Z]+ +[A-Z,]+$", re.MULTILINE
)
_HEADING = re.compile(r"#(\d+)-\d+ \(([0-9a-f]+)\) ([A-Z]+)$")
_DIFFERENT = re.compile(r" +Communicator ranks have different (?:(.+?) )?operation counts$")
_SEVERAL = re.compile(r" +(\d+) ranks have (?:launched up to operation (\d+)|not launched any)")
_ONE = re.compile(r" +Rank (\d+) has (?:launched up to operation (\d+)|not launched any)")
_RANK = re.compile(r" +(?:Rank|The missing ranks?:?) ([\d, ]+)(?: -- |$)")
_PROCESS = re.compile(
    r" -- GPU (?P<gpu>.+?) managed by process (?P<pid>\d+) on node (?P<node>\S+)$"
)


class Launched(NamedTuple):
    """Ranks that have launched as many operations of a kind.

    Attributes:
        operations: how many.
        size: how many ranks.
        ranks: those that the report names, ascending; all or none.
    """

    operations: int
    size: int
    ranks: tuple[int, ...]


class Communicator(NamedTuple):
    """What a report says of a communicator that is not as it should be; ranks are its own.

    Attributes:
        size: how many ranks it has; 0 where the report does not tell.
        different: by kind of operation, ranks that launched as many, most operations first.
        unreachable: ranks that gave no data.
        processes: where ranks run, as far as it is told.
    """

    hash: str
    size: int
    different: Mapping[str, tuple[Launched, ...]]
    unreachable: tuple[int, ...]
    processes: Mapping[int, str]


Report = tuple[Communicator, ...]
"""Communicators in the order of a report; may be empty."""


class HeldUp(NamedTuple):
    """Ranks that hold up others, as far as reports tell.

    Attributes:
        operation: what they have launched less of; None where they cannot be reached.
        is_repeated: whether two reports that follow each other say the same of what was launched;
            of ranks that cannot be reached one is enough.
    """

    communicator: Communicator
    guilty: tuple[int, ...]
    operation: str | None
    launched: tuple[Launched, ...]
    is_repeated: bool


def read_reports(text: str) -> tuple[Report, ...]:
    """The reports in a file, in their order.

    Raises:
        ValueError: there is none in it.
    """
    found = _of_json(text) if text.lstrip()[:1] == "{" else _of_text(text)
    reports = tuple(each for each, _ in zip(found, range(REPORTS_LIMIT), strict=False))
    if not reports:
        raise ValueError(NO_REPORT)
    return reports


def held_up(reports: Sequence[Report]) -> HeldUp | None:
    """Who holds up others in the last report: who cannot be reached, else who launched less than
    most; None where that is nobody.
    """
    if not reports:
        return None
    for each in reports[-1]:
        if each.unreachable:
            return HeldUp(each, each.unreachable, None, (), is_repeated=False)
    for each in reports[-1]:
        for operation, launched in each.different.items():
            behind = [one for one in launched[1:] if one.ranks]
            guilty = tuple(sorted(rank for one in behind for rank in one.ranks))
            if guilty and sum(one.size for one in launched[1:]) == len(guilty) < launched[0].size:
                is_repeated = any(
                    _said(one, each, operation) == _said(other, each, operation) == launched
                    for one, other in pairwise(reports)
                )
                return HeldUp(each, guilty, operation, launched, is_repeated)
    return None


def _said(report: Report, communicator: Communicator, operation: str) -> tuple[Launched, ...]:
    found = (each for each in report if each.hash == communicator.hash)
    return next((each.different.get(operation, ()) for each in found), ())


def _of_text(text: str) -> Iterator[Report]:
    starts = [each.start() for each in _BEGINS.finditer(text)]
    for start, end in zip(starts, (*starts[1:], len(text)), strict=True):
        part = text[start:end]
        sizes = {each["group"]: int(each["size"]) for each in _GROUP.finditer(part)}
        yield tuple(_communicators(part.splitlines(), sizes))


def _communicators(lines: Iterable[str], sizes: Mapping[str, int]) -> Iterator[Communicator]:
    """Below a heading stand its lines, up to an empty one."""
    heading, body = None, list[str]()
    for line in (*lines, ""):
        found = _HEADING.fullmatch(line)
        if heading and (found or not line.strip()):
            yield _communicator(heading, body, sizes)
            heading = None
        if found:
            heading, body = found, []
        body.append(line)


def _communicator(
    heading: re.Match[str], body: Iterable[str], sizes: Mapping[str, int]
) -> Communicator:
    operation = "collective"
    different: dict[str, list[Launched]] = {}
    unreachable: list[int] = []
    processes: dict[int, str] = {}
    for line in body:
        named = _RANK.match(line) or _ONE.match(line)
        ranks = tuple(int(each) for each in re.findall(r"\d+", named[1])) if named else ()
        if where := _PROCESS.search(line):
            said = f"process {where['pid']} on node {where['node']}, GPU {where['gpu']}"
            processes.update(dict.fromkeys(ranks, said))
        if found := _DIFFERENT.match(line):
            operation = found[1] or operation
            different[operation] = []
        elif found := _SEVERAL.match(line):
            launched = Launched(int(found[2] or 0), int(found[1]), ())
            different.setdefault(operation, []).append(launched)
        elif found := _ONE.match(line):
            different.setdefault(operation, []).append(Launched(int(found[2] or 0), 1, ranks))
        elif named and different.get(operation):
            last = different[operation].pop()
            different[operation].append(last._replace(ranks=(*last.ranks, *ranks)))
        elif named and "INCOMPLETE" in heading[3]:
            unreachable += ranks
    return Communicator(
        heading[2],
        sizes.get(heading[1], 0),
        {name: _most_first(each) for name, each in different.items()},
        tuple(sorted(unreachable)),
        processes,
    )


def _most_first(launched: Iterable[Launched]) -> tuple[Launched, ...]:
    return tuple(sorted(launched, key=lambda each: -each.operations))


def _of_json(text: str) -> Iterator[Report]:
    decoder, start = json.JSONDecoder(), 0
    while (start := text.find("{", start)) >= 0:
        try:
            told, start = decoder.raw_decode(text, start)
            yield tuple(_json_communicator(each) for each in told["communicators"])
        except _ODD as error:
            raise ValueError(NO_REPORT) from error


def _json_communicator(told: Mapping[str, Any]) -> Communicator:
    ranks = {int(each["rank"]): each for each in told.get("ranks", ())}
    missing = {int(each["rank"]): each for each in told.get("missing_ranks", ())}
    by_operation: dict[str, dict[int, list[int]]] = {}
    for rank, each in ranks.items():
        for operation, count in each.get("collective_counts", {}).items():
            by_operation.setdefault(operation, {}).setdefault(int(count), []).append(rank)
    different = {
        operation: _most_first(
            Launched(count, len(several), tuple(sorted(several)))
            for count, several in counts.items()
        )
        for operation, counts in by_operation.items()
        if len(counts) > 1
    }
    return Communicator(
        str(told["hash"]).removeprefix("0x"),
        int(told["size"]),
        different,
        tuple(rank for rank, each in sorted(missing.items()) if _is_unreachable(each)),
        {rank: _process(each) for rank, each in {**ranks, **missing}.items()},
    )


def _is_unreachable(rank: Mapping[str, Any]) -> bool:
    status = rank.get("status", {})
    return bool(status.get("unresponsive") or status.get("considered_dead"))


def _process(rank: Mapping[str, Any]) -> str:
    return f"process {rank.get('pid')} on node {rank.get('host')}, GPU {rank.get('cuda_dev')}"
