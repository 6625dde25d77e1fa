"""A text to a file that nobody ever sees half written: replace_file."""

from __future__ import annotations

import contextlib
import os


def replace_file(file: str, text: str) -> None:
    """Writes beside it, and puts that in its place.

    Raises:
        OSError: it cannot be written; it is as it was then.
    """
    draft = f"{file}.{os.getpid()}.new"
    try:
        with open(draft, "w", encoding="utf-8") as stream:  # noqa: PTH123  # pathlib costs a start
            stream.write(text)
            stream.flush()
            # else a machine that dies may leave an empty file of that name
            os.fsync(stream.fileno())
        os.replace(draft, file)  # noqa: PTH105
    except OSError:
        with contextlib.suppress(OSError):  # it may never have been there
            os.unlink(draft)  # noqa: PTH108
        raise
