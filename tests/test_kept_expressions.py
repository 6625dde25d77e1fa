"""Expressions that a wheel keeps are those that Python would compile."""

from __future__ import annotations

import builtins
import collections
import marshal
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logdoctor.cli.expressions import (
    Asked,
    compiler_of_re,
    kept_expressions,
    use_kept_expressions,
)

REPOSITORY = Path(__file__).parents[1]
ASKED: tuple[Asked, ...] = (
    ("", 0),
    (r"(?P<step>\d+)/(?P<total>\d+)|[Ee]rror(?=:)", 0),
    (r"(?i)(?<!\w)(?:ba|z|da|k)?sh: (a)?(?(1)b|c)\1{0,2}", 0),
    (r"^(?s:.)*?[^\W\d_]+$", int(re.MULTILINE)),
    (r"[一-鿿]{2,}[（(]?", int(re.IGNORECASE)),
    (r"\s # blank", int(re.VERBOSE | re.ASCII)),
    (rb"\x80[\x02-\x05](?P<name>.)", int(re.DOTALL)),
)
COMPILE: Callable[..., re.Pattern[Any]] = re.compile
MAKE: Any = collections.namedtuple  # noqa: PYI024
PARTS = st.sampled_from(
    (
        r"\d+",
        "a",
        "(b|cd)?",
        r"(?P<n>\w)",
        "[^x-z]*?",
        "(?=e)",
        "(?<!f)",
        r"\b",
        "(?i:G)",
        "文",
        ".{2,5}",
    )
)


def rows_of(data: bytes) -> dict[Asked, Any]:
    rows: dict[Asked, Any] = marshal.loads(data)[1]
    return rows


def put_in_use(data: bytes, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str | bytes]:
    """What is compiled all the same from now on."""
    compiled: list[str | bytes] = []
    compiler = compiler_of_re()
    compile_it = compiler.compile

    def noting(pattern: str | bytes, flags: int = 0) -> Any:
        compiled.append(pattern)
        return compile_it(pattern, flags)

    path = folder / "kept"
    path.write_bytes(data)
    monkeypatch.setattr(compiler, "compile", noting)
    monkeypatch.setattr(collections, "eval", eval, raising=False)
    re.purge()
    use_kept_expressions(str(path))
    return compiled


@pytest.mark.parametrize("asked", ASKED)
def test_a_kept_expression_is_the_compiled_one(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = COMPILE(*asked)
    compiled = put_in_use(kept_expressions(ASKED), tmp_path, monkeypatch)
    kept = COMPILE(*asked)
    assert kept is not plain
    assert compiled == []
    assert kept == plain  # Python compares texts, flags and codes
    assert (kept.groups, kept.groupindex) == (plain.groups, plain.groupindex)


@given(
    st.lists(PARTS, min_size=1, max_size=6).map("".join),
    st.sampled_from((0, re.IGNORECASE, re.MULTILINE, re.DOTALL)),
)
def test_any_expression_can_be_kept(pattern: str, flags: int) -> None:
    """Those that Python takes; none is left out because it came out otherwise."""
    try:
        re.compile(pattern, flags)
    except re.error:
        return
    assert set(rows_of(kept_expressions([(pattern, int(flags))]))) == {(pattern, int(flags))}


def test_others_and_other_flags_are_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = put_in_use(kept_expressions([("ab+", 0)]), tmp_path, monkeypatch)
    assert re.compile("ab+", re.IGNORECASE).fullmatch("ABB")
    assert re.compile("ac+").fullmatch("acc")
    assert re.compile(b"ab+").fullmatch(b"abb")
    assert compiled == ["ab+", "ac+", b"ab+"]


def test_what_another_python_kept_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (magic, *others), rows, makers = marshal.loads(kept_expressions([("ab+", 0)]))
    data = marshal.dumps(((magic + 1, *others), rows, makers))
    compiled = put_in_use(data, tmp_path, monkeypatch)
    assert re.compile("ab+").fullmatch("abb")
    assert compiled == ["ab+"]


MAKER = "lambda _cls, {0}: _tuple_new(_cls, ({0}))"
"""What `namedtuple` evaluates for a class with these fields."""


@pytest.mark.parametrize("fields", [("step",), ("step", "loss"), tuple(f"f{n}" for n in range(40))])
def test_a_tuple_that_is_made_by_kept_code_is_as_any(
    fields: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = MAKE("Row", fields, defaults=[None])
    maker = MAKER.format(", ".join(fields) + "," * (len(fields) == 1))
    put_in_use(kept_expressions([], [maker]), tmp_path, monkeypatch)
    monkeypatch.setattr(builtins, "eval", _refusing_texts(eval))
    kept = MAKE("Row", fields, defaults=[None])
    assert kept.__new__.__code__ == plain.__new__.__code__
    values = range(len(fields) - 1)
    assert kept(*values) == plain(*values) == (*values, None)
    assert repr(kept(*values)) == repr(plain(*values))
    with pytest.raises(TypeError, match=r"__new__\(\) got an unexpected keyword argument 'none'"):
        kept(*values, none=1)


def _refusing_texts(evaluate: Callable[..., Any]) -> Callable[..., Any]:
    def evaluated(code: Any, *names: Any) -> Any:
        assert not isinstance(code, str)
        return evaluate(code, *names)

    return evaluated


def test_tuples_are_made_by_what_the_file_says_and_others_by_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes, rows, _ = marshal.loads(kept_expressions([]))
    turned = compile("lambda _cls, a, b: _tuple_new(_cls, (b, a))", "", "eval")
    makers = {MAKER.format("a, b"): marshal.dumps(turned)}
    put_in_use(marshal.dumps((codes, rows, makers)), tmp_path, monkeypatch)
    turned_row, row = MAKE("Turned", "a b"), MAKE("Plain", "a c")
    assert (turned_row(1, 2), row(1, 2)) == ((2, 1), (1, 2))


@pytest.mark.parametrize(
    "data", [b"", b"\x00", b"not one", marshal.dumps((1, 2, 3)), marshal.dumps(7)]
)
def test_a_broken_file_is_none(
    data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = put_in_use(data, tmp_path, monkeypatch)
    assert re.compile("ab+").fullmatch("abb")
    assert compiled == ["ab+"]


def test_a_library_leaves_the_expressions_of_its_program_alone() -> None:
    """Only the program takes kept ones, because that holds for all of its process."""
    code = (
        "import collections, re; from logdoctor.cli.expressions import compiler_of_re as its\n"
        "before = its().compile; import logdoctor.api, logdoctor.cli.scanning, logdoctor.cli.main\n"
        "raise SystemExit(its().compile is not before or hasattr(collections, 'eval'))"
    )
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "src")}
    assert (
        subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0
    )
