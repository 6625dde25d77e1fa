"""The wire format of Protocol Buffers: fields (protobuf.dev/programming-guides/encoding)."""

from collections.abc import Iterator

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The numbers and values of a message's fields, in their order; fixed numbers as their bytes.

    Raises:
        ValueError: it is no message, or is cut off.
    """
    at, end = 0, len(message)
    while at < end:
        key, at = _varint(message, at)
        kind = key & 7
        if kind == VARINT:
            number, at = _varint(message, at)
            yield key >> 3, number
            continue
        if kind == LENGTH:
            size, at = _varint(message, at)
        elif kind in (FIXED64, FIXED32):
            size = 8 if kind == FIXED64 else 4
        else:
            raise ValueError(f"wire type {kind}")
        if size > end - at:
            raise ValueError("a field is cut off")
        yield key >> 3, message[at : at + size]
        at += size


def text_of(value: int | bytes) -> str:
    """A string field's text."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


def signed(value: int) -> int:
    """A number as int32 and int64 have it."""
    return value - (1 << 64) if value >= 1 << 63 else value


def _varint(message: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        if at >= len(message) or shift > 63:  # noqa: PLR2004  # bits of the largest
            raise ValueError("a number is cut off")
        byte = message[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:  # noqa: PLR2004  # the last of its bytes
            return number, at
        shift += 7
