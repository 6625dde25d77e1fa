"""Pickles of plain data to plain data, without running anything: unpickled.

Torch writes its flight recorder as a pickle of dictionaries, lists, texts and numbers. A pickle can
also name functions to be called, so that one from elsewhere may run whatever it likes in who loads
it. Here every byte is looked at before any is unpickled: an operation that is not one of plain data
is refused, and nothing is left that could name, build or call. The unpickler itself refuses every
name a second time.
"""

import io
import pickle
import re
from typing import Any, NoReturn

DUMP_LIMIT = 64 << 20
"""Bytes of one dump: 2,000 records with their stacks take one to four million."""

READ_AHEAD = 128 << 10
"""Bytes, as many as `pickle` asks for at once."""

REFUSED = "a pickle that names code, which no dump of the flight recorder does; it was not loaded"

BROKEN = "a broken or cut off dump of the flight recorder"

_PLAIN = re.compile(
    # the most frequent first: numbers and texts that came before, then constants, marks, containers
    rb"(?:[qhK].|[NZ\x88\x89(.0\x85\x86\x87\]})tldesua\x94]"
    rb"|M..|J....|G.{8}|\x8a(?:\x00|\x01.|\x02..|\x03...|\x04....|\x05.{5}|\x06.{6}|\x07.{7}"
    rb"|\x08.{8})"
    rb"|[rj]..[\x00-\x3f]\x00"  # memo: an index beyond four million would fill the memory
    rb"|\x80[\x02-\x05]|\x95.{8}){0,4096}"
    rb"(?:[XTB](....)|[\x8cUC](.))?",  # a text, behind its length
    re.DOTALL,
)


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> NoReturn:
        raise pickle.UnpicklingError(f"{module}.{name}")

    def persistent_load(self, pid: Any) -> NoReturn:
        raise pickle.UnpicklingError(str(pid))


def unpickled(data: bytes) -> Any:
    """What a pickle of dictionaries, lists, tuples, texts and numbers holds.

    Raises:
        ValueError: it holds anything else, or is broken; nothing of it was run.
    """
    _check(data)
    # a file that can be peeked into is read ahead, any other one with a call for each operation
    file = io.BufferedReader(io.BytesIO(data), READ_AHEAD)
    try:
        return _PlainUnpickler(file, encoding="utf-8", errors="replace").load()
    except (pickle.UnpicklingError, EOFError, IndexError, KeyError, TypeError) as error:
        raise ValueError(BROKEN) from error
    except (AttributeError, MemoryError, OverflowError, RecursionError, UnicodeError) as error:
        raise ValueError(BROKEN) from error


def _check(data: bytes) -> None:
    """Raises ValueError where an operation is not one of plain data."""
    position, end = 0, len(data)
    while position < end:
        plain = _PLAIN.match(data, position)
        if plain is None or plain.end() == position:
            raise ValueError(REFUSED)
        length = plain[1] or plain[2] or b""
        position = plain.end() + int.from_bytes(length, "little")
    if position > end:
        raise ValueError(BROKEN)
