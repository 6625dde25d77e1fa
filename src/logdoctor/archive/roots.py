"""An argument of batch to the tree that it names: open_tree."""

from __future__ import annotations

import errno
from typing import BinaryIO

from logdoctor.archive.trees import LocalTree, LogFile, Tree
from logdoctor.errors import SourceError


def open_tree(root: str) -> Tree:
    """The tree of a folder, file or URL.

    Raises:
        SourceError: there is none, or it cannot be reached.
        LogdoctorError: a package is missing.
    """
    if "://" in root:
        from logdoctor.archive.clouds import CloudTree  # noqa: PLC0415  # needs logdoctor[cloud]

        return CloudTree(root)
    if root in {"", "-"}:
        raise SourceError(
            root or '""',
            "batch reads folders, files, archives and URLs; logdoctor scan reads a pipe",
        )
    return LocalTree(root)


def open_file(root: str, file: LogFile) -> BinaryIO:
    """A file below a root, wherever this is called.

    Raises:
        OSError: it cannot be opened.
    """
    try:
        return open_tree(root).open(file)
    except SourceError as error:
        raise OSError(errno.EIO, error.what) from error
