"""Regexes to their syntax trees: parse_regex."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import Any

if sys.version_info >= (3, 11):
    from re import _parser  # type: ignore[attr-defined]  # the standard library's own syntax tree of a pattern
else:
    import sre_parse as _parser

Tree = Iterable[tuple[Any, Any]]
"""Operations with their arguments, in order."""


def parse_regex(pattern: str) -> Tree:
    """The tree of a pattern; empty where it is written in syntax that only the package regex knows."""
    try:
        tree: Tree = _parser.parse(pattern)
    except (re.error, OverflowError):
        return ()
    return tree
