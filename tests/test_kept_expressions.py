"""Expressions that a wheel keeps are those that Python would compile."""

from __future__ import annotations

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
    (magic, size), rows = marshal.loads(kept_expressions([("ab+", 0)]))
    compiled = put_in_use(marshal.dumps(((magic + 1, size), rows)), tmp_path, monkeypatch)
    assert re.compile("ab+").fullmatch("abb")
    assert compiled == ["ab+"]


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
        "import re; from logdoctor.cli.expressions import compiler_of_re as its\n"
        "before = its().compile; import logdoctor.api, logdoctor.cli.scanning, logdoctor.cli.main\n"
        "raise SystemExit(its().compile is not before)"
    )
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "src")}
    assert (
        subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0
    )
