"""Regular expressions that no start compiles again: use_kept_expressions, kept_expressions.

Python compiles an expression in Python, and those of one small log took a quarter of its scan. A
wheel has the code of those that the sample logs ask for, as a `.pyc` has that of a module: for the
kind of Python that built it; others compile as ever. What an expression is compiled to depends on
its text, its flags and Python alone, so that nothing that is kept can be out of date.
"""

import _sre  # type: ignore[import-not-found]
import marshal
import os
import re
import sys
from collections.abc import Callable, Iterable
from typing import Any

SHIPPED = f"expressions.{sys.implementation.cache_tag}"
"""Name of the file in the package's own folder."""

Asked = tuple["str | bytes", int]
"""The text of an expression, and its flags."""

_PACKAGE = os.path.dirname(os.path.dirname(__file__))
_CODES = (_sre.MAGIC, _sre.CODESIZE)
"""What this Python's codes are known by."""


def compiler_of_re() -> Any:
    """The module of Python that `re` has expressions compiled by."""
    return sys.modules.get("re._compiler") or sys.modules["sre_compile"]  # Python 3.10


def use_kept_expressions(path: str = os.path.join(_PACKAGE, SHIPPED)) -> None:
    """Has this process take expressions from a file before it compiles them: all of `re`, for
    good, so that only the program asks for it. Without such a file, or with one of another Python,
    nothing changes.
    """
    try:
        with open(path, "rb") as file:
            codes, kept = marshal.loads(file.read())  # noqa: S302  # the package's own, like its .pyc
    except (OSError, EOFError, ValueError, TypeError):
        return
    if codes == _CODES:
        compiler = compiler_of_re()
        compiler.compile = _looking_first(kept, compiler.compile)


def _looking_first(
    kept: dict[Asked, tuple[Any, ...]], compile_it: Callable[..., re.Pattern[Any]]
) -> Callable[..., re.Pattern[Any]]:
    def compiled(pattern: Any, flags: int = 0) -> re.Pattern[Any]:
        row = kept.get((pattern, int(flags)))
        return compile_it(pattern, flags) if row is None else _pattern(pattern, row)

    return compiled


def _pattern(pattern: "str | bytes", row: tuple[Any, ...]) -> re.Pattern[Any]:
    flags, code, *groups = row
    found: re.Pattern[Any] = _sre.compile(
        pattern, flags, memoryview(code).cast("I").tolist(), *groups
    )
    return found


def kept_expressions(asked: Iterable[Asked]) -> bytes:
    """The file of these expressions; without those that come out of it otherwise than `re` has
    them, if there are any.
    """
    compile_it: Callable[..., re.Pattern[Any]] = re.compile
    rows = {each: _row(*each) for each in sorted(asked, key=repr)}
    kept = {each: row for each, row in rows.items() if _pattern(each[0], row) == compile_it(*each)}
    return marshal.dumps((_CODES, kept))


def _row(pattern: "str | bytes", flags: int) -> tuple[Any, ...]:
    """What Python's compiler gives to its engine, as `compile` of `compiler_of_re` does."""
    compiler = compiler_of_re()
    parser = getattr(compiler, "_parser", None) or compiler.sre_parse
    parsed = parser.parse(pattern, flags)
    names = parsed.state.groupdict
    groups = dict(zip(names.values(), names, strict=True))
    return (
        int(flags | parsed.state.flags),
        b"".join(int(each).to_bytes(4, sys.byteorder) for each in compiler._code(parsed, flags)),  # noqa: SLF001
        parsed.state.groups - 1,
        names,
        tuple(map(groups.get, range(parsed.state.groups))),
    )
