"""A text to a file that nobody ever sees half written: replace_file, try_replacing."""

from __future__ import annotations

import contextlib
import errno
import os


def replace_file(file: str, text: str) -> None:
    """Writes beside it, or beside what it is a link to, and puts that in its place, with the mode
    that it had.

    Raises:
        OSError: it cannot be written; it is as it was then.
    """
    target = os.path.realpath(file)
    draft = _draft_of(target)
    try:
        with open(draft, "w", encoding="utf-8") as stream:  # noqa: PTH123  # pathlib costs a start
            with contextlib.suppress(OSError):  # it is new, or its disk knows no modes
                os.fchmod(stream.fileno(), os.stat(target).st_mode & 0o777)  # noqa: PTH116
            stream.write(text)
            stream.flush()
            # else a machine that dies may leave an empty file of that name
            os.fsync(stream.fileno())
        os.replace(draft, target)  # noqa: PTH105
    except OSError:
        with contextlib.suppress(OSError):  # it may never have been there
            os.unlink(draft)  # noqa: PTH108
        raise


def try_replacing(file: str) -> None:
    """Does what `replace_file` begins with, and leaves nothing of it.

    Raises:
        OSError: it could not be replaced.
    """
    target = os.path.realpath(file)
    if os.path.isdir(target):  # noqa: PTH112
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), file)
    draft = _draft_of(target)
    with open(draft, "w", encoding="utf-8"):  # noqa: PTH123
        pass
    os.unlink(draft)  # noqa: PTH108


def _draft_of(target: str) -> str:
    return f"{target}.{os.getpid()}.new"
