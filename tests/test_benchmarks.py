"""The benchmark suite makes the same logs every time, with the share of errors that it says."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from benchmarks import REPOSITORY
from benchmarks.speed.bench import Bench
from benchmarks.speed.document import replace_part
from benchmarks.speed.logs import Logs
from benchmarks.speed.measure import LAUNCHER, Contestant, Results, Run, ratio
from benchmarks.speed.patterns import read_signatures, template_regex
from benchmarks.speed.peers import Peers
from benchmarks.speed.rows import ROWS
from benchmarks.texts.failing_logs import Made, write_bursts, write_scattered
from benchmarks.texts.healthy_logs import write_healthy
from benchmarks.texts.made_signatures import write_signatures
from logdoctor.search.compiling import compile_automaton
from logdoctor.signatures.reading import load_signatures


def test_the_readme_has_a_line_for_each_file() -> None:
    """What nobody can find is measured twice."""
    folder = REPOSITORY / "benchmarks"
    named = re.findall(r"^\| \[`([^`]+)`\]", (folder / "README.md").read_text(), re.MULTILINE)
    files = {str(file.relative_to(folder)) for file in (*folder.glob("*"), *folder.glob("*/*"))}
    packages = {"speed", "texts", "accuracy", "healthy"}
    kept = {
        name for name in files - packages if not re.search(r"__pycache__|__init__|README", name)
    }
    assert sorted(named) == sorted(kept)


def test_a_seed_gives_the_same_log(tmp_path: Path) -> None:
    first, second, other = (tmp_path / name for name in "abc")
    write_healthy(first, 300_000, 1)
    write_healthy(second, 300_000, 1)
    write_healthy(other, 300_000, 2)
    assert first.read_bytes() == second.read_bytes() != other.read_bytes()
    assert first.stat().st_size == pytest.approx(300_000, rel=0.02)
    assert first.read_bytes().endswith(b"\n")


@pytest.mark.parametrize("write", [write_bursts, write_scattered])
def test_errors_have_the_share_of_lines_that_was_asked_for(
    tmp_path: Path, write: Callable[..., Made]
) -> None:
    made = write(
        tmp_path / "log", 2_000_000, 0.3, 1, read_signatures(REPOSITORY / "signatures").examples
    )
    text = (tmp_path / "log").read_bytes()
    assert (made.bytes, made.lines) == (len(text), text.count(b"\n"))
    assert made.error_lines / made.lines == pytest.approx(0.3, abs=0.01)


def test_made_up_signatures_are_signatures(tmp_path: Path) -> None:
    write_signatures(tmp_path, 20, seed=1)
    database = load_signatures([tmp_path])
    assert len(database.signatures) == 20
    compile_automaton(database)


def test_a_template_becomes_a_regex_with_classes_for_its_slots() -> None:
    assert template_regex("got {n:int} of {{a}} (max)") == r"got [0-9]+ of \{a\} \(max\)"


def test_ratios_are_formed_within_rounds_and_by_byte() -> None:
    slow = Results(Contestant("slow", ("x",), 50), (Run(4, 4, 0, 0), Run(6, 6, 0, 0)))
    fast = Results(Contestant("fast", ("x",), 100), (Run(2, 2, 0, 0), Run(2, 2, 0, 0)))
    assert ratio(slow, fast).least == 4
    assert ratio(slow, fast).greatest == 6


def test_whole_logs_are_read_one_after_the_other_up_to_a_size(tmp_path: Path) -> None:
    """In the order of their paths, and again from the first; both kinds of names."""
    folder = tmp_path / "real"
    for name, text in (("a/log.txt", "one\n"), ("b.log", "three\n"), ("c/notes.txt", "no\n")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    logs = Logs(tmp_path, read_signatures(tmp_path), 0.1)
    log = logs.of_real(folder, 120)
    assert log is not None
    assert log.read_text() == "one\nthree\none\n"
    assert logs.of_real(tmp_path / "none", 120) is None


@pytest.mark.parametrize("row", ["real", "floods", "verdict"])
def test_rows_of_real_logs_and_floods_stand_beside_ripgrep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: str
) -> None:
    """Of a program that takes twice as long on small logs; without ripgrep they stand alone."""
    for name in ("neg-a", "b"):
        (tmp_path / "real" / name).mkdir(parents=True)
        (tmp_path / "real" / name / "log.txt").write_text("one\n" * 1000)
    bench = Bench(
        Path("logdoctor"),
        tmp_path,
        Peers(tmp_path, may_install=False),
        0.0001,
        real=tmp_path / "real",
        search_set=read_signatures(tmp_path),
    )

    def contest(contestants: Sequence[Contestant], _: int = 0) -> list[Results]:
        return [
            Results(each, (Run(seconds, seconds, 2**20, 0),) * 2)
            for each, seconds in zip(contestants, (4.0, 2.0, 3.0), strict=False)
        ]

    monkeypatch.setattr(bench, "contest", contest)
    monkeypatch.setattr(Peers, "program", lambda *_: "rg")
    for outcome in ROWS[row](bench):
        assert outcome.value is not None, outcome.missing
        assert "0.50 × the speed of `rg -i -F -f`; 1 MiB" in outcome.note
    monkeypatch.setattr(Peers, "program", lambda *_: None)
    bench.peers.missing["rg"] = "not there"
    for outcome in ROWS[row](bench):
        assert outcome.value is not None
        assert "rg" not in outcome.note


def test_the_launcher_tells_what_a_process_took() -> None:
    job = {
        "argv": ["sh", "-c", "cat > /dev/null; exit 3"],
        "stdin": None,
        "pipe": str(LAUNCHER),
        "stdout": "/dev/null",
        "stderr": "/dev/null",
        "core": None,
    }
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(LAUNCHER), json.dumps(job)],
        capture_output=True,
        check=True,
    )
    run = Run(**json.loads(done.stdout))
    assert run.exit_code == 3
    assert run.wall > 0
    assert run.memory > 1_000_000


def test_only_the_marked_part_of_a_document_is_replaced(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- part: begin -->\nold\n<!-- part: end -->\nafter\n")
    replace_part(page, "part", "new")
    assert page.read_text() == "before\n<!-- part: begin -->\nnew\n<!-- part: end -->\nafter\n"
    with pytest.raises(ValueError, match="no markers"):
        replace_part(page, "other", "new")
