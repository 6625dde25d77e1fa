"""Who launched which collective, drawn by rank and number: hang_charts.

Of each group in which ranks wait, the collectives around the awaited one. Ranks that stand alike
are one row.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from logdoctor.dumps.collectives import Operation, RankDump
from logdoctor.dumps.waits import Hang, Queue
from logdoctor.model.collectives import GroupChart, HangCharts, RankRole, RanksAlike, Standing

COLUMNS = 24
"""Collectives of a group that a chart shows at most."""

ROWS = 48
"""Rows that a chart has at most."""


def hang_charts(hang: Hang, dumps: Mapping[int, RankDump]) -> HangCharts:
    """The charts of a hang; `dumps` has the last moment of each rank."""
    charts = tuple(chart for each in hang.queues if (chart := _chart(hang, each, dumps)))
    return HangCharts(charts, hang.queues_left)


def _chart(hang: Hang, queue: Queue, dumps: Mapping[int, RankDump]) -> GroupChart | None:
    name = queue.group.name
    launched = [dumps[each].last[name].key.number for each in queue.group.ranks
                if each in dumps and name in dumps[each].last]  # fmt: skip
    if not launched:
        return None
    numbers = _window(queue.number, max(launched))
    records = {rank: _records(dumps[rank], name) for rank in queue.group.ranks if rank in dumps}
    pending = (each.key.number for several in records.values() for each in several.values()
               if each.is_pending)  # fmt: skip
    open_from = min(pending, default=queue.number)
    by_row: dict[tuple[RankRole, tuple[Standing, ...]], list[int]] = defaultdict(list)
    for rank in queue.group.ranks:
        standings = (
            tuple(_standings(hang, dumps[rank], records[rank], _Shown(name, numbers, open_from)))
            if rank in dumps
            else (Standing.NO_DUMP,) * len(numbers)
        )
        by_row[_role(hang, rank), standings].append(rank)
    untold = _untold([standings for _, standings in by_row])
    numbers = numbers[untold:]
    rows = [
        RanksAlike(tuple(ranks), role, standings[untold:])
        for (role, standings), ranks in by_row.items()
    ]
    shown = sorted(rows, key=lambda each: (_PLACES[each.role], each.ranks))[:ROWS]
    left_out = {rank for row in rows for rank in row.ranks} - {
        rank for row in shown for rank in row.ranks
    }
    return GroupChart(
        queue.group.purpose or name,
        queue.group.ranks,
        numbers,
        tuple(_operations(hang, name, records.values(), numbers)),
        queue.number,
        queue.size,
        tuple(sorted(shown, key=lambda each: each.ranks)),
        tuple(sorted(left_out)),
    )


_PLACES = {role: place for place, role in enumerate(RankRole)}


def _window(awaited: int, highest: int) -> tuple[int, ...]:
    """Numbers around the awaited one, up to the highest that any rank launched."""
    last = min(max(highest, awaited), awaited + COLUMNS // 2)
    first = min(1, awaited)  # a record that tells no number counts as 0
    return tuple(range(max(first, last - COLUMNS + 1), last + 1))


def _records(dump: RankDump, group: str) -> dict[int, Operation]:
    """The records that are kept of a group's collectives, by number."""
    return {
        each.key.number: each
        for each in (*dump.recent, *dump.pending)
        if each.key.group == group and each.key.pair is None
    }


def _role(hang: Hang, rank: int) -> RankRole:
    if rank in hang.guilty:
        return RankRole.GUILTY
    if rank in hang.suspects:
        return RankRole.SUSPECT
    if rank in hang.missing:
        return RankRole.MISSING
    return RankRole.WAITING if rank in hang.waiting else RankRole.NEITHER


def _untold(rows: Sequence[tuple[Standing, ...]]) -> int:
    """How many of the first collectives no dump tells anything of, but for the last of these."""
    for i, column in enumerate(zip(*rows, strict=True)):
        if set(column) - {Standing.NOT_KEPT, Standing.NO_DUMP}:
            return max(0, i - 1)
    return 0


class _Shown(NamedTuple):
    """The numbers of a group that are shown; from `open_from` on, some rank is not through."""

    group: str
    numbers: tuple[int, ...]
    open_from: int


def _standings(
    hang: Hang, dump: RankDump, records: Mapping[int, Operation], shown: _Shown
) -> Iterator[Standing]:
    last = dump.last.get(shown.group)
    for number in shown.numbers:
        record = records.get(number)
        if record and _is_odd(hang, dump.rank, record):
            yield Standing.DIFFERENT
        elif record:
            yield _of_record(record)
        elif last is None or number > last.key.number:
            # without any record of the group, what it had launched before may be no longer kept
            is_told = last or dump.is_whole or number >= shown.open_from
            yield Standing.NEVER_CAME if is_told else Standing.NOT_KEPT
        elif _is_forgotten(dump, shown.group, number):
            yield Standing.NOT_KEPT
        else:
            yield Standing.COMPLETED


def _of_record(record: Operation) -> Standing:
    if not record.is_pending:
        return Standing.COMPLETED
    return Standing.STARTED if record.is_started else Standing.SCHEDULED


def _is_forgotten(dump: RankDump, group: str, number: int) -> bool:
    """Whether an operation without a record is older than all that are, or newer than the pending
    ones that are kept, so that it may be pending as well.
    """
    is_beyond = dump.is_full and number > _newest(dump, group)
    return number < dump.oldest.get(group, 0) or is_beyond


def _newest(dump: RankDump, group: str) -> int:
    """The highest number of a group among the pending operations that are kept."""
    return max((each.key.number for each in dump.pending if each.key.group == group), default=0)


def _is_odd(hang: Hang, rank: int, record: Operation) -> bool:
    """Whether it is the operation in which a guilty rank brought something else than the others."""
    return record.key == hang.key and rank in hang.guilty and hang.odd is not None


def _operations(
    hang: Hang, group: str, records: Iterable[Mapping[int, Operation]], numbers: Iterable[int]
) -> Iterator[str]:
    listed = list(records)
    for number in numbers:
        if hang.key == (group, number, None):
            yield hang.shape.text
            continue
        texts = Counter(each[number].shape.text for each in listed if number in each)
        yield texts.most_common(1)[0][0] if texts else ""
