"""What is found in dumps, as lines that signatures know: told_lines.

A dump has no lines of its own. What it says is told in one sentence, as if the run had logged it,
and the database knows that sentence as it knows those of programs.
"""

from collections.abc import Iterable, Iterator, Sequence

from logdoctor.dumps.collectives import Operation, OperationId, Shape
from logdoctor.dumps.flight_recorder import own_frame
from logdoctor.dumps.ras import HeldUp
from logdoctor.dumps.stacks import Apart, Stack
from logdoctor.dumps.waits import Hang, HangKind
from logdoctor.texts.ranks import ranks_text

_HAPPENED = {
    HangKind.NEVER_CAME: "never launched by rank {guilty}",
    HangKind.BEHIND: "not reached by rank {guilty}, stuck in an operation that others are through "
    "with",
    HangKind.OTHER_OPERATION: "of another kind on rank {guilty}",
    HangKind.OTHER_SHAPE: "of another size or type on rank {guilty}",
    HangKind.OTHER_ORDER: "in another order on rank {guilty}",
    HangKind.NO_DUMP: "awaited from rank {guilty}, which left no dump",
    HangKind.UNCLEAR: "awaited from one of ranks {suspects}",
    HangKind.NOBODY_MISSING: "launched by all its ranks, and not completed",
    HangKind.SLOW: "reached late by rank {guilty} time and again",
}


def told_lines(hang: Hang, stacks: Iterable[Stack] = ()) -> Iterator[str]:
    """One line that says what holds up the run, then what else is known, indented; `stacks` say
    where the ranks stand.
    """
    stood = [each for each in stacks if each.rank in (*hang.guilty, *hang.suspects)]
    guilty, suspects = ranks_text(hang.guilty), ranks_text(hang.suspects)
    is_told = hang.guilty or "{guilty}" not in _HAPPENED[hang.kind]
    happened = _HAPPENED[hang.kind].format(
        guilty=guilty if is_told else f"{suspects} (one of them)", suspects=suspects
    )
    odd = f" ({hang.odd.text} instead of {hang.usual.text})" if hang.odd and hang.usual else ""
    yield (
        f"flight recorder: collective {_named(hang.key, hang.shape)} of group "
        f"{_group(hang)} was {happened}{odd}; guilty: {guilty}; in it: "
        f"{ranks_text(hang.direct)}; waiting: {ranks_text(hang.waiting)}; without a dump: "
        f"{ranks_text(hang.missing)}{_stands(stood)}"
    )
    if hang.last:
        yield f"    rank {hang.guilty[0]} launched last: {_launched(hang.last)}"
    for each in hang.launchers:
        yield f"    those who wait launched: {_launched(each)}"


def _stands(stacks: Sequence[Stack]) -> str:
    """`; stands: rank 9 in load_shard (data.py:55)`, folded where several stand alike."""
    alike: dict[str, list[Stack]] = {}
    for each in stacks:
        alike.setdefault(each.place.text, []).append(each)
    told = [f"{_names(several)} in {place}" for place, several in list(alike.items())[:8]]
    return f"; stands: {', '.join(told)}" if told else ""


def _names(stacks: Sequence[Stack]) -> str:
    ranks = [each.rank for each in stacks if each.rank is not None]
    if len(ranks) == len(stacks):
        return f"rank {ranks_text(ranks)}"
    return ", ".join(each.name for each in stacks[:8])


def apart_lines(apart: Apart) -> Iterator[str]:
    """One line that says who stands elsewhere than the others, then where these stand."""
    yield (
        f"stacks: {_names(apart.apart)} stands outside of any collective, {len(apart.others)} "
        f"others wait in one; guilty: {_ranks(apart.apart)}; waiting: {_ranks(apart.others)}; "
        f"without a dump: none{_stands(apart.apart)}"
    )
    yield f"    most of the others: {apart.usual.text}"


def ras_lines(held: HeldUp) -> Iterator[str]:
    """One line that says who holds up a communicator in reports of NCCL's RAS, then where these
    run.
    """
    of = held.communicator
    ranks, size = ranks_text(held.guilty), f"{of.size} " if of.size else ""
    if held.operation is None:
        happened = "cannot be reached"
    else:
        most, least = held.launched[0], held.launched[-1]
        how_often = "two reports alike" if held.is_repeated else "one report"
        happened = (
            f"launched {held.operation} only up to operation {least.operations}, "
            f"{most.size} others up to {most.operations}, in {how_often}"
        )
    yield (
        f"NCCL RAS: of the {size}ranks of communicator {of.hash} {ranks} {happened}; "
        f"guilty: {ranks}"
    )
    for rank in held.guilty[:8]:
        if rank in of.processes:
            yield f"    rank {rank} of it is {of.processes[rank]}"


def _ranks(stacks: Iterable[Stack]) -> str:
    return ranks_text(each.rank for each in stacks if each.rank is not None)


def _group(hang: Hang) -> str:
    ranks = ranks_text(hang.group.ranks)
    purpose = "".join(each if each.isprintable() and each != ";" else "?" for each in
                      hang.group.purpose[:200]) or hang.group.name  # fmt: skip
    return f"{purpose} [{ranks}]"


def _named(key: OperationId, shape: Shape) -> str:
    return f"#{key.number} {shape.text}"


def _launched(operation: Operation) -> str:
    frame = own_frame(operation.frames)
    where = f" at {frame.text}" if frame else ""
    return f"{_named(operation.key, operation.shape)}{where}"
