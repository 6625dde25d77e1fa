"""What is known of a metric so far, as data that a file can keep: Streak."""

from typing import Any, NamedTuple

from logdoctor.model import AnchorKind, Lane, LogLine

Rule = tuple[str, bool, bool, float | None, float | None, float | None, int]
"""A metric pattern without its place: a streak is of no use to a rule that has changed."""


class Beginning(NamedTuple):
    """The first value that held: its line, the text around it, and its name and value as they
    stand there.
    """

    line: LogLine
    text: str
    name: str
    value: str


class Streak(NamedTuple):
    """The course of one metric of one source under one rule, up to a line.

    Attributes:
        metric: its name.
        seen_line: the number of that line.
        earlier: the last values that the median is taken of, in their order.
        gap_sizes, gap_count, usual_gap: how far apart its lines stood, in lines: the first
            distances in ascending order, how many there were, and their median.
        last: the last value, if any.
        held: values that held in succession, up to the last.
        lasted: steps in which they came.
        began: where they began; None where `held` is 0.
        typical: the median that they are compared with.
    """

    source: str
    signature_id: str
    rule: Rule
    metric: str
    seen_line: int
    earlier: tuple[float, ...]
    gap_sizes: tuple[int, ...]
    gap_count: int
    usual_gap: int
    last: float | None
    held: int
    lasted: int
    began: Beginning | None
    typical: float | None


def encoded(streak: Streak) -> list[Any]:
    """As JSON has it; numbers that are not finite, and those of the median, as the bytes of
    doubles.
    """
    *key, earlier, sizes, gap_count, usual_gap, last, held, lasted, began, typical = streak
    first = began and [_encoded_line(began.line), began.text, began.name, began.value]
    return [
        *key,
        _packed(earlier),
        sizes,
        gap_count,
        usual_gap,
        None if last is None else _packed((last,)),
        held,
        lasted,
        first,
        typical,
    ]


def decoded(row: Any) -> Streak:
    """The streak again.

    Raises:
        ValueError, TypeError: it is none.
    """
    (
        source,
        signature_id,
        rule,
        metric,
        seen_line,
        earlier,
        sizes,
        gap_count,
        usual_gap,
        last,
        held,
        lasted,
        began,
        typical,
    ) = row
    line, text, name, value = began or (None, "", "", "")
    streak = Streak(
        str(source),
        str(signature_id),
        _rule(rule),
        str(metric),
        int(seen_line),
        _unpacked(earlier),
        tuple(map(int, sizes)),
        int(gap_count),
        int(usual_gap),
        None if last is None else _unpacked(last)[0],
        int(held),
        int(lasted),
        Beginning(_decoded_line(line), str(text), str(name), str(value)) if began else None,
        None if typical is None else float(typical),
    )
    if (
        streak.held < 0
        or (streak.began is None) != (streak.held == 0)
        or (streak.gap_count and not streak.gap_sizes)
    ):
        raise ValueError(row)
    return streak


def _rule(row: Any) -> Rule:
    name, is_not_finite, is_constant, above, below, times_median, steps = row
    bounds = [None if each is None else float(each) for each in (above, below, times_median)]
    return (
        str(name),
        bool(is_not_finite),
        bool(is_constant),
        bounds[0],
        bounds[1],
        bounds[2],
        int(steps),
    )


def _encoded_line(line: LogLine) -> list[Any]:
    # anchors are numbers of one database
    return [*line._replace(anchors=(), kinds=sorted(line.kinds))]  # type: ignore[arg-type]


def _decoded_line(row: Any) -> LogLine:
    (
        source,
        number,
        raw,
        text,
        lane,
        stream,
        time,
        level,
        is_record,
        _,
        kinds,
        repeats,
        end,
        left_out,
    ) = row
    return LogLine(
        str(source),
        int(number),
        str(raw),
        str(text),
        Lane(*lane),
        Lane(*stream),
        None if time is None else str(time),
        None if level is None else str(level),
        bool(is_record),
        (),
        frozenset(map(AnchorKind, kinds)),
        int(repeats),
        int(end),
        int(left_out),
    )


def _packed(values: tuple[float, ...]) -> str:
    import base64  # noqa: PLC0415  # only where a file keeps it
    import struct  # noqa: PLC0415

    return base64.b64encode(struct.pack(f"<{len(values)}d", *values)).decode()


def _unpacked(text: Any) -> tuple[float, ...]:
    import base64  # noqa: PLC0415
    import struct  # noqa: PLC0415

    try:
        data = base64.b64decode(text, validate=True)
        return struct.unpack(f"<{len(data) // 8}d", data)
    except (ValueError, struct.error) as error:
        raise ValueError(text) from error
