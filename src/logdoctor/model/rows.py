"""Values of the model as rows of JSON, and back: as_row, from_row.

What a row looks like follows from the types of the fields alone, so that a field more needs no
word here. Values are those of NamedTuples whose annotations are evaluated, of enums, tuples,
frozen sets and mappings by text. Numbers in succession are packed as doubles, which is a fifth of
their digits.
"""

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import cache
from typing import Any, TypeVar, get_args, get_origin

T = TypeVar("T")
Change = Callable[[Any], Any]

NUMBERS = tuple[float, ...]
"""The type of what is packed."""


def as_row(value: Any) -> Any:
    """A NamedTuple as JSON has it."""
    kind: Any = type(value)
    change = _encoder(kind)
    return change(value) if change else value


def from_row(kind: type[T], row: Any, *, is_trusted: bool = False) -> T:
    """The value that `as_row` was given; trusted rows are known to be what it made.

    Raises:
        LookupError, ValueError, TypeError: it is no row of this kind.
    """
    record: Any = kind
    change = _decoder(record, is_trusted)
    value: T = change(row) if change else row
    return value


@cache
def _encoder(kind: Any) -> Change | None:
    """What makes rows of such values; None where they are their own rows."""
    if kind == NUMBERS:
        return _packed
    if _is_optional(kind):
        return _where_given(_encoder(_inner(kind)))
    if _is_record(kind):
        changes = _by_place(_encoder(each) for each in kind.__annotations__.values())
        return (lambda value: _changed(changes, value)) if changes else None
    origin = get_origin(kind)
    if origin is Mapping:
        return _mapped(_encoder(get_args(kind)[1]))
    inner = _encoder(get_args(kind)[0]) if origin is tuple else None
    return (lambda value: list(map(inner, value))) if inner else _AS_ROWS.get(origin)


_AS_ROWS: Mapping[Any, Change] = {frozenset: sorted}


@cache
def _decoder(kind: Any, is_trusted: bool) -> Change | None:
    """What makes such values of rows; None where rows are the values."""
    if kind == NUMBERS:
        return _unpacked
    if _is_optional(kind):
        return _where_given(_decoder(_inner(kind), is_trusted))
    if _is_record(kind):
        changes = _by_place(_decoder(each, is_trusted) for each in kind.__annotations__.values())
        make: Change = kind._make
        return (lambda row: make(_changed(changes, row))) if changes else make
    origin: Any = get_origin(kind) or kind
    if origin is Mapping:
        return _mapped(_decoder(get_args(kind)[1], is_trusted))
    if origin in {tuple, frozenset}:
        return _gathered(origin, _decoder(get_args(kind)[0], is_trusted))
    return _scalar(kind, is_trusted)


def _scalar(kind: Any, is_trusted: bool) -> Change | None:
    if issubclass(kind, Enum):
        word: Change = kind
        return word
    return None if is_trusted else lambda row: _checked(kind, row)


def _gathered(kind: Change, change: Change | None) -> Change:
    return (lambda row: kind(map(change, row))) if change else kind


def _mapped(change: Change | None) -> Change:
    """Also a proxy of a mapping becomes a mapping that JSON knows."""
    return (lambda row: {key: change(each) for key, each in row.items()}) if change else dict


def _by_place(changes: Iterable[Change | None]) -> list[tuple[int, Change]]:
    """The fields that change, by their places: most stay as they are."""
    return [(place, change) for place, change in enumerate(changes) if change]


def _changed(changes: list[tuple[int, Change]], values: Any) -> list[Any]:
    new = list(values)
    for place, change in changes:
        new[place] = change(new[place])
    return new


def _where_given(change: Change | None) -> Change | None:
    return (lambda value: None if value is None else change(value)) if change else None


def _is_record(kind: Any) -> bool:
    return hasattr(kind, "_make")


def _is_optional(kind: Any) -> bool:
    return type(None) in get_args(kind)


def _inner(kind: Any) -> Any:
    return next(each for each in get_args(kind) if each is not type(None))


def _checked(kind: type, row: Any) -> Any:
    """A text, a number or a truth value, where it is one."""
    if kind is float and type(row) is int:
        return float(row)
    if type(row) is not kind:
        raise ValueError(f"{row!r} is no {kind.__name__}")
    return row


def _packed(values: tuple[float, ...]) -> str:
    import base64  # noqa: PLC0415  # only where a file keeps them
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
