"""Who waits for whom among the ranks of a hung run: found_hang.

A rank waits at its oldest pending operation, its head. It waits there for every member of the
group that has not reached that operation: that never launched it, or is stuck in an older one. Who
is waited for and waits for nobody holds up all others.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import Enum
from functools import cached_property
from itertools import pairwise
from math import prod
from typing import NamedTuple

from logdoctor.dumps.collectives import Group, Operation, OperationId, RankDump, Shape


class HangKind(Enum):
    """What holds the others up."""

    NEVER_CAME = "never-came"
    BEHIND = "behind"
    OTHER_OPERATION = "other-operation"
    OTHER_SHAPE = "other-shape"
    OTHER_ORDER = "other-order"
    NO_DUMP = "no-dump"
    UNCLEAR = "unclear"
    NOBODY_MISSING = "nobody-missing"
    SLOW = "slow"


class Queue(NamedTuple):
    """A group in whose operations ranks wait.

    Attributes:
        number: of the awaited collective, else of that in which a guilty rank waits, else of that
            in which most do, the oldest.
        size: how many ranks wait in any of its collectives, guilty ones left out.
    """

    group: Group
    number: int
    size: int


class Hang(NamedTuple):
    """Who holds up whom.

    Attributes:
        guilty: ranks that hold up the others, ascending; empty where the dumps do not tell.
        waiting: ranks that wait, for whomsoever, ascending.
        missing: ranks that left no dump, ascending.
        key, shape, group: the operation that is waited for.
        direct: ranks that wait in it, ascending.
        suspects: ranks of which one may be guilty, where the dumps do not tell which.
        odd, usual: what the guilty ranks launched, and what the others did, where these differ.
        launchers: an operation of a waiting rank, to tell where in the code it stands.
        last: the last operation of the first guilty rank, if there is a record of one.
        queues: groups in whose collectives ranks wait, that of `key` first, then those in which
            guilty ranks do, then those in which most others do; at most `QUEUES_KEPT`.
        queues_left: how many more there are.
    """

    kind: HangKind
    guilty: tuple[int, ...]
    waiting: tuple[int, ...]
    missing: tuple[int, ...]
    key: OperationId
    shape: Shape
    group: Group
    direct: tuple[int, ...]
    suspects: tuple[int, ...] = ()
    odd: Shape | None = None
    usual: Shape | None = None
    launchers: tuple[Operation, ...] = ()
    last: Operation | None = None
    queues: tuple[Queue, ...] = ()
    queues_left: int = 0


QUEUES_KEPT = 6
"""Groups in which ranks wait that are told one by one."""

_EQUAL_ON_ALL = (
    "all_reduce", "allreduce", "all_gather", "allgather", "_all_gather_base", "_allgather_base",
    "reduce_scatter", "_reduce_scatter_base", "broadcast", "reduce", "barrier",
)  # fmt: skip
"""Operations to which every rank brings as much as every other; of others, sizes may differ."""

BUSY_TIMES = 2
"""So many times as long as any other a slow rank was busy, and more than one part of so many of all
the time.
"""

HABIT_STEPS = 12
"""Last operations of a rank that are looked at for a step that nobody else makes."""

USUAL_LEAST = 4
"""Times that a size was used before another one counts as odd by itself."""


def found_hang(dumps: Sequence[RankDump]) -> Hang | None:
    """Who holds up whom at the last moment that the dumps show; None where nobody waits, or where
    several moments show that all went on.

    Of a rank that left several dumps, the one with most operations is its last moment, in the
    form that tells more.
    """
    moments = _moments(dumps)
    hang = Waits([each[-1] for each in moments.values()]).hang()
    if hang is None:
        return None
    held = hang.guilty or hang.direct
    if not any(_has_moved(moments[rank]) for rank in (*held, *hang.direct) if rank in moments):
        return hang
    late = _late_rank([each[-1] for each in moments.values()])
    return None if late is None else hang._replace(kind=HangKind.SLOW, guilty=(late,))


def last_moments(dumps: Iterable[RankDump]) -> Mapping[int, RankDump]:
    """By rank, the dump of its last moment."""
    return {rank: several[-1] for rank, several in _moments(dumps).items()}


def _moments(dumps: Iterable[RankDump]) -> Mapping[int, list[RankDump]]:
    """By rank, its dumps from the first moment to the last."""
    moments: dict[int, list[RankDump]] = defaultdict(list)
    for dump in dumps:
        moments[dump.rank].append(dump)
    for several in moments.values():
        several.sort(key=lambda each: (each.launched, any(one.frames for one in each.recent)))
    return moments


def _late_rank(dumps: Sequence[RankDump]) -> int | None:
    """The rank that was busy while the others waited for it: between the moment when all had come
    to one operation and its own next one.
    """
    complete: dict[OperationId, float] = {}
    for dump in dumps:
        for each in dump.recent:
            complete[each.key] = max(complete.get(each.key, 0.0), each.launched_s)
    busy = {
        dump.rank: sum(
            max(0.0, later.launched_s - complete[each.key]) for each, later in pairwise(dump.recent)
        )
        for dump in dumps
    }
    *_, second, late = (None, None, *sorted(busy, key=lambda rank: busy[rank]))
    if second is None or late is None:
        return None
    is_alone = busy[second] < busy[late] / BUSY_TIMES
    spans = [d.recent[-1].launched_s - d.recent[0].launched_s for d in dumps if d.recent]
    return late if is_alone and busy[late] > max(spans, default=0.0) / BUSY_TIMES else None


def _has_moved(moments: Sequence[RankDump]) -> bool:
    return moments[0].launched != moments[-1].launched


class Waits:
    """The ranks of one moment; a rank without a dump waits for nobody."""

    def __init__(self, dumps: Iterable[RankDump]) -> None:
        self._dumps = {each.rank: each for each in dumps}

    def hang(self) -> Hang | None:
        """Who holds up whom; None where nobody waits."""
        heads = {rank: dump.head for rank, dump in self._dumps.items()}
        self._heads = {rank: head for rank, head in heads.items() if head}
        if not self._heads:
            return self._ended()
        found = self._mismatch({each.key for each in self._heads.values()})
        for find in (
            self._idle_or_behind, self._circle, self._odd_beside_missing, self._without_dump,
            self._unclear, self._nobody_missing,
        ):  # fmt: skip
            found = found or find()
        return found

    def _ended(self) -> Hang | None:
        """What ended a run in which nobody waits any more, as some ranks are gone: a mismatch in
        the last operation of a rank.
        """
        keys = {each.recent[-1].key for each in self._dumps.values() if each.recent}
        found = self._mismatch(keys) if keys and self._missing else None
        return found if found and found.guilty else None

    @cached_property
    def _world(self) -> frozenset[int]:
        told = {rank for dump in self._dumps.values() for each in dump.groups.values()
                for rank in each.ranks}  # fmt: skip
        least = 1 + max((*told, *self._dumps))
        return frozenset(range(least if told else self._grown(least)))

    def _grown(self, least: int) -> int:
        """How many ranks there are at least, by groups that lack a member: groups of one purpose
        are of one size.
        """
        absent = least - len(self._dumps)
        lacking = max((self._lacking(each) for each in self._seen.values()), default=0)
        return least + max(0, lacking - absent)

    @cached_property
    def _purposes(self) -> Mapping[str, str]:
        return {
            each.name: each.purpose or each.name
            for dump in self._dumps.values()
            for each in dump.groups.values()
        }

    @cached_property
    def _seen(self) -> Mapping[str, Mapping[str, frozenset[int]]]:
        """By purpose and group, the ranks with records of it."""
        seen: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        for rank, dump in self._dumps.items():
            for name in dump.last:
                seen[self._purposes.get(name, name)][name].add(rank)
        return {
            purpose: {name: frozenset(ranks) for name, ranks in groups.items()}
            for purpose, groups in seen.items()
        }

    @staticmethod
    def _lacking(groups: Mapping[str, Collection[int]]) -> int:
        size = max(map(len, groups.values()))
        return sum(size - len(each) for each in groups.values())

    @property
    def _missing(self) -> frozenset[int]:
        return self._world - set(self._dumps)

    @cached_property
    def _told_members(self) -> Mapping[str, frozenset[int]]:
        told: dict[str, frozenset[int]] = {}
        for dump in self._dumps.values():
            for each in dump.groups.values():
                if each.ranks:
                    told[each.name] = told.get(each.name, frozenset()) | set(each.ranks)
        return told

    def _members(self, group: str) -> frozenset[int]:
        """Ranks of a group; where no dump says who they are, those with a record of it, and those
        without a dump that it may lack.
        """
        if group in self._told_members:
            return self._told_members[group]
        purpose = self._purposes.get(group, group)
        siblings = self._seen.get(purpose, {})
        seen = siblings.get(group, frozenset())
        size = max(map(len, siblings.values()), default=0)
        is_alone = len(siblings) <= 1
        may_lack = is_alone or len(seen) < size or purpose == "default_pg"
        return seen | (self._missing if may_lack else frozenset())

    def _waited_for(self, rank: int) -> frozenset[int]:
        """For whom a rank waits."""
        head = self._heads.get(rank)
        if head is None:
            return frozenset()
        key = head.key
        members = self._members(key.group)
        if key.pair:
            order = sorted(members)
            members = frozenset(order[each] for each in key.pair if each < len(order))
        return frozenset(
            each for each in members if each != rank and not self._has_reached(each, key)
        )

    def _has_reached(self, rank: int, key: OperationId) -> bool:
        """Whether a rank is in this operation, or has been."""
        dump = self._dumps.get(rank)
        if dump is None:
            return False
        head = self._heads.get(rank)
        if key.pair:
            return self._is_at_transfer(dump, key)
        if head and head.key == key:
            return True
        record = dump.at(key)
        if record:
            return not record.is_pending
        last = dump.last.get(key.group)
        is_stuck = head and head.key.group == key.group and head.key.number < key.number
        return last is not None and last.key.number >= key.number and not is_stuck

    @staticmethod
    def _is_at_transfer(dump: RankDump, key: OperationId) -> bool:
        """Whether a rank's part of a transfer is among those that it waits in now; transfers are
        launched in batches. One without a record of it may be through with it.
        """
        for each in dump.pending:
            if each.key.pair is None:
                return False
            if each.key[::2] == key[::2]:
                return True
        return False

    @cached_property
    def _edges(self) -> Mapping[int, frozenset[int]]:
        return {rank: self._waited_for(rank) for rank in self._heads}

    @cached_property
    def _bottoms(self) -> list[frozenset[int]]:
        """Sets of ranks that somebody waits for and that wait for nobody but each other."""
        waited = {each for several in self._edges.values() for each in several}
        components = _components(self._edges, sorted({*self._edges, *waited}))
        return [
            each
            for each in components
            if each & waited and all(self._edges.get(rank, frozenset()) <= each for rank in each)
        ]

    def _made(
        self,
        kind: HangKind,
        guilty: Collection[int],
        suspects: Collection[int] = (),
        shapes: tuple[Shape, Shape] | None = None,
        key: OperationId | None = None,
    ) -> Hang:
        """The hang around the operation that most wait in for those ranks."""
        key = key or self._awaited({*guilty, *suspects})
        direct = sorted(rank for rank, head in self._heads.items()
                        if head.key == key and rank not in guilty)  # fmt: skip
        launchers = [self._heads[each] for each in direct[:1]] or [*self._heads.values()][:1]
        shown = launchers or [each for dump in self._dumps.values() if (each := dump.at(key))]
        first = self._dumps.get(min(guilty)) if guilty else None
        purpose = self._purposes.get(key.group, key.group)
        members = tuple(sorted(self._members(key.group)))
        queues = self._queues(key, guilty)
        return Hang(
            kind,
            tuple(sorted(guilty)),
            tuple(sorted(set(self._heads) - set(guilty))),
            tuple(sorted(self._missing)),
            key,
            shapes[1] if shapes else shown[0].shape,
            Group(key.group, purpose, members),
            tuple(direct),
            tuple(sorted(suspects)),
            odd=shapes[0] if shapes else None,
            usual=shapes[1] if shapes else None,
            launchers=tuple(launchers),
            last=first.recent[-1] if first and first.recent else None,
            queues=tuple(queues[:QUEUES_KEPT]),
            queues_left=len(queues[QUEUES_KEPT:]),
        )

    def _queues(self, key: OperationId, guilty: Collection[int]) -> list[Queue]:
        """The groups in whose collectives ranks wait: that of the awaited operation, those in which
        guilty ranks do, then those in which most others do.
        """
        heads = {rank: head.key for rank, head in self._heads.items() if head.key.pair is None}
        waiting: dict[str, list[int]] = defaultdict(list)
        for rank, head in heads.items():
            waiting[head.group] += [] if rank in guilty else [head.number]
        blamed = {heads[rank].group: heads[rank].number for rank in guilty if rank in heads}
        awaited = blamed if key.pair else {**blamed, key.group: key.number}
        names = sorted(
            {*waiting, *awaited},
            key=lambda each: (each != key.group, each not in blamed, -len(waiting[each]), each),
        )
        return [self._queue(each, waiting[each], awaited.get(each)) for each in names]

    def _queue(self, name: str, numbers: Sequence[int], awaited: int | None) -> Queue:
        counts = Counter(numbers)
        most = min(counts, key=lambda each: (-counts[each], each), default=0)
        purpose = self._purposes.get(name, name)
        group = Group(name, purpose, tuple(sorted(self._members(name))))
        return Queue(group, most if awaited is None else awaited, len(numbers))

    def _awaited(self, ranks: Collection[int]) -> OperationId:
        """The operation in which most wait for any of these ranks; the oldest of these."""
        keys = Counter(
            self._heads[each].key for each, waits in self._edges.items() if waits & set(ranks)
        )
        if not keys:
            keys = Counter(each.key for each in self._heads.values())
        most = max(keys.values())
        return min((key for key, count in keys.items() if count == most), key=_by_number)

    def _mismatch(self, keys: Collection[OperationId]) -> Hang | None:
        """Ranks that brought another kind, size or type to the same operation, one of these."""
        found = []
        for key in (each for each in keys if each.pair is None):
            records = {
                rank: record
                for rank, dump in self._dumps.items()
                if key.group in dump.last and (record := dump.at(key))
            }
            kind = _difference([each.shape for each in records.values()])
            if kind:
                order = min(each.order for each in records.values())
                found.append((order, key, kind, records))
        if not found:
            return None
        _, key, kind, records = min(found, key=lambda each: each[:2])
        odd, usual = self._odd_ones(records, kind)
        sample = records[min(odd)].shape if odd else None
        suspects = () if odd else tuple(records)
        return self._made(kind, odd, suspects, (sample, usual) if sample and usual else None, key)

    def _odd_ones(
        self, records: Mapping[int, Operation], kind: HangKind
    ) -> tuple[frozenset[int], Shape | None]:
        """The ranks that differ from most, or, of two halves, from what was usual before; none
        where that does not tell; and what the others brought.
        """
        by_key: dict[object, set[int]] = defaultdict(set)
        for rank, record in records.items():
            by_key[_key(record.shape, kind)].add(rank)
        purpose = self._purposes.get(next(iter(records.values())).key.group, "")
        ranked = sorted(
            (
                len(ranks),
                max(self._habit(each, records[each]) for each in ranks),
                self._times(purpose, records[min(ranks)].shape),
                sorted(ranks),
            )
            for ranks in by_key.values()
        )
        usual = records[ranked[-1][3][0]].shape
        if ranked[-1][:3] == ranked[-2][:3]:
            return frozenset(), None
        return frozenset(records) - frozenset(ranked[-1][3]), usual

    def _times(self, purpose: str, shape: Shape) -> int:
        return sum(dump.shapes.get((purpose, shape), 0) for dump in self._dumps.values())

    def _idle_or_behind(self) -> Hang | None:
        """Ranks that wait for nothing, or in an operation that the others are through with."""
        idle, behind = set(), set()
        for bottom in self._bottoms:
            for rank in bottom:
                if rank not in self._dumps or len(bottom) > 1:
                    continue
                if rank in self._heads:
                    behind.add(rank)
                elif not self._may_have_failed(rank):
                    idle.add(rank)
        behind = {rank for rank in behind if self._is_left_behind(rank)}
        if idle or behind:
            kind = HangKind.NEVER_CAME if idle else HangKind.BEHIND
            return self._made(kind, idle | behind)
        return None

    def _is_left_behind(self, rank: int) -> bool:
        """Whether others are through with the operation that a rank is in."""
        key = self._heads[rank].key
        return any(
            self._has_reached(each, key)
            and not ((head := self._heads.get(each)) and head.key == key)
            for each in self._members(key.group) - {rank}
        )

    def _may_have_failed(self, rank: int) -> bool:
        """Whether the last operation of a rank that waits for nothing may have failed: a failed
        one looks like one that completed. Where one of its ranks left no dump, only others that
        went on prove that it did not.
        """
        last = next((each for each in reversed(self._dumps[rank].recent)
                     if each.key.pair is None), None)  # fmt: skip
        if last is None or not self._members(last.key.group) & self._missing:
            return False
        for other, dump in self._dumps.items():
            record = dump.at(last.key) if other != rank else None
            if record and not record.is_pending and dump.recent[-1].order > record.order:
                return False
        return True

    def _circle(self) -> Hang | None:
        """Ranks that wait for each other in different operations."""
        for bottom in self._bottoms:
            if len(bottom) == 1:
                continue
            keys: dict[OperationId, set[int]] = defaultdict(set)
            for rank in bottom:
                keys[self._heads[rank].key].add(rank)
            ranked = sorted(
                (
                    len(ranks),
                    max(self._habit(each, self._heads[each]) for each in ranks),
                    sorted(ranks),
                    key,
                )
                for key, ranks in keys.items()
            )
            is_told = ranked[0][:2] != ranked[1][:2]
            odd = frozenset(ranked[0][2]) if is_told else frozenset()
            shapes = None
            if odd:
                own, others = (self._heads[each[2][0]].shape for each in (ranked[0], ranked[-1]))
                shapes = (own, others)
            return self._made(
                HangKind.OTHER_ORDER, odd, () if odd else bottom, shapes, ranked[-1][3]
            )
        return None

    def _habit(self, rank: int, operation: Operation) -> int:
        """How often the least usual of a rank's last steps up to an operation was seen, anywhere:
        an operation like the one after one like the other.
        """
        until = [each for each in self._dumps[rank].recent
                 if each.order <= operation.order and each.key.pair is None]  # fmt: skip
        keys = [(self._purposes.get(each.key.group, ""), each.shape.name)
                for each in until[-HABIT_STEPS:]]  # fmt: skip
        return min(map(self._seen_steps.__getitem__, pairwise(keys)), default=0)

    @cached_property
    def _seen_steps(self) -> Counter[tuple[tuple[str, str], tuple[str, str]]]:
        seen: Counter[tuple[tuple[str, str], tuple[str, str]]] = Counter()
        for dump in self._dumps.values():
            seen.update(dump.steps)
        return seen

    def _lost(self) -> frozenset[int]:
        """Ranks without a dump for which others wait, all of whom wait for nobody else."""
        lost = {rank for bottom in self._bottoms for rank in bottom if rank not in self._dumps}
        return frozenset(lost)

    def _odd_beside_missing(self) -> Hang | None:
        """A rank that brought an unusual size to an operation that a rank without a dump was in:
        gloo ends a process that is sent too much. Where sizes of an operation may differ, only
        that of a rank's last one tells.
        """
        lost = self._missing
        for rank, dump in sorted(self._dumps.items()) if lost else ():
            for each in reversed(dump.recent):
                if each.key.pair or not self._members(each.key.group) & lost:
                    continue
                purpose = self._purposes.get(each.key.group, "")
                usual = self._usual(purpose, each.shape)
                is_told = usual and (each is dump.recent[-1] or _difference([each.shape, usual]))
                if usual and is_told:
                    return self._made(
                        HangKind.OTHER_SHAPE, {rank}, (), (each.shape, usual), each.key
                    )
        return None

    def _usual(self, purpose: str, shape: Shape) -> Shape | None:
        """The one shape that operations of this purpose and name have elsewhere, where this one
        was never seen but once, and brings more, less or another type.
        """
        counts: Counter[Shape] = Counter()
        for dump in self._dumps.values():
            for (other, each), count in dump.shapes.items():
                if other == purpose and each.name == shape.name:
                    counts[each] += count
        others = [each for each in counts if each != shape]
        if counts[shape] != 1 or len(others) != 1 or counts[others[0]] < USUAL_LEAST:
            return None
        is_alike = _key(shape, HangKind.OTHER_SHAPE) == _key(others[0], HangKind.OTHER_SHAPE)
        return None if is_alike else others[0]

    def _without_dump(self) -> Hang | None:
        """Ranks without a dump, where those of the smallest group that waits are all there but
        for them.
        """
        lost = self._lost()
        if not lost or len(self._missing) >= len(self._dumps):
            return None
        waiters = [rank for rank, waits in self._edges.items() if waits and waits <= lost]
        if not waiters:
            return None
        if any(rank not in self._heads and self._may_have_failed(rank)
               for bottom in self._bottoms for rank in bottom & set(self._dumps)):  # fmt: skip
            return None
        smallest = min(waiters, key=lambda each: (len(self._edges[each]), each))
        return self._made(HangKind.NO_DUMP, self._edges[smallest])

    def _unclear(self) -> Hang | None:
        """Ranks of which one holds up the others."""
        suspects = {rank for bottom in self._bottoms for rank in bottom
                    if rank not in self._heads}  # fmt: skip
        return self._made(HangKind.UNCLEAR, (), suspects) if suspects else None

    def _nobody_missing(self) -> Hang | None:
        """All are in the same operation, and it does not end."""
        stuck = Counter(each.key for rank, each in self._heads.items() if not self._edges[rank])
        if not stuck:
            return None
        key = max(stuck, key=lambda each: (stuck[each], each.number))
        if stuck[key] == 1 < len(self._members(key.group)):
            return None
        return self._made(HangKind.NOBODY_MISSING, (), (), None, key)


def _difference(shapes: Sequence[Shape]) -> HangKind | None:
    """What shapes of one operation differ in, if in anything that matters."""
    if len({each.name for each in shapes}) > 1:
        return HangKind.OTHER_OPERATION
    dtypes = {each.dtypes for each in shapes if each.dtypes}
    sizes = {_elements(each) for each in shapes if each.name in _EQUAL_ON_ALL}
    return HangKind.OTHER_SHAPE if len(dtypes) > 1 or len(sizes) > 1 else None


def _elements(shape: Shape) -> int:
    """How much an operation brings."""
    return sum(prod(each) for each in shape.sizes)


def _key(shape: Shape, kind: HangKind) -> object:
    return shape.name if kind is HangKind.OTHER_OPERATION else (_elements(shape), shape.dtypes)


def _by_number(key: OperationId) -> tuple[str, int, tuple[int, ...]]:
    """What orders operations: those of a group by number, a collective before a transfer."""
    return key.group, key.number, key.pair or ()


def _components(edges: Mapping[int, frozenset[int]], ranks: Iterable[int]) -> list[frozenset[int]]:
    """The strongly connected components (Tarjan), without recursion."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: list[frozenset[int]] = []
    for start in ranks:
        work = [(start, iter(edges.get(start, ())))] if start not in index else []
        while work:
            rank, rest = work[-1]
            if rank not in index:
                index[rank] = low[rank] = len(index)
                stack.append(rank)
                on_stack.add(rank)
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[rank])
                if low[rank] == index[rank]:
                    cut = stack.index(rank)
                    found.append(frozenset(stack[cut:]))
                    on_stack.difference_update(stack[cut:])
                    del stack[cut:]
            elif following not in index:
                work.append((following, iter(edges.get(following, ()))))
            elif following in on_stack:
                low[rank] = min(low[rank], index[following])
    return found
