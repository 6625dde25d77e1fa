"""An argument of batch to the tree that it names: open_tree."""

from __future__ import annotations

from logdoctor.archive.trees import LocalTree, Tree
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
        raise SourceError(root or '""', "batch reads folders, files, archives and URLs; logdoctor scan reads a pipe")
    return LocalTree(root)
