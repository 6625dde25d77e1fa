"""logdoctor in a program of one's own."""

from __future__ import annotations

import io
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import logdoctor
from benchmarks.texts.archived_runs import FAILED, HEALTHY, make_runs, sample, write
from logdoctor import load_signatures, scan, scan_runs
from logdoctor.errors import SourceError
from logdoctor.model import Diagnosis, SignatureDatabase

FIRST = "dataproto-batch-smaller-than-chunks"


def test_scan_gives_the_result_of_the_command(tmp_path: Path) -> None:
    """Of a path, a folder and a stream."""
    file = write(tmp_path / "t.log", sample(FAILED[0]))
    roots = [scan(source).root for source in (file, str(tmp_path), io.BytesIO(sample(FAILED[0])))]
    assert [root.signature.id for root in roots if isinstance(root, Diagnosis)] == [FIRST] * 3
    assert [each.problem for each in scan(tmp_path / "gone.log").sources] == [
        "no such file or directory"
    ]


def test_scan_runs_gives_rows_and_tables(tmp_path: Path) -> None:
    """Kept in a store, by one process or several."""
    expected = make_runs(tmp_path / "runs")
    runs = scan_runs(tmp_path / "runs", store=tmp_path / "s.sqlite")
    assert ([run.record.run for run in runs], runs.overview().runs, runs.failures) == (
        sorted(expected),
        len(expected),
        (),
    )
    again = scan_runs(tmp_path / "runs", jobs=2)
    assert [run.document for run in again] == [run.document for run in runs]
    pytest.importorskip("pyarrow", reason="needs logdoctor[parquet]")
    assert runs.to_arrow().column("run").to_pylist() == sorted(expected)


def test_tables_become_data_frames(tmp_path: Path) -> None:
    """Where pandas is installed."""
    pytest.importorskip("pandas", reason="needs pandas")
    pytest.importorskip("pyarrow", reason="needs logdoctor[parquet]")
    write(tmp_path / "a" / "t.log", sample(FAILED[0]))
    write(tmp_path / "b" / "t.log", HEALTHY)
    frame = scan_runs(tmp_path).to_pandas()
    assert (list(frame["run"]), list(frame["failed"]), frame["signature_id"][0]) == (
        ["a", "b"],
        [True, False],
        FIRST,
    )


def test_load_signatures_gives_the_database() -> None:
    """With what can be asked of it."""
    database = load_signatures()
    found = database.find(FIRST)
    assert (isinstance(database, SignatureDatabase), found and found.id) == (True, FIRST)


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    """No source, no root, a root that is not there, a name that the package has not."""
    with pytest.raises(ValueError, match="no source"):
        scan()
    with pytest.raises(ValueError, match="no root"):
        scan_runs()
    with pytest.raises(SourceError, match="no such file or directory"):
        scan_runs(tmp_path / "gone")
    with pytest.raises(AttributeError, match="no attribute 'scam'"):
        _ = logdoctor.scam  # type: ignore[attr-defined]  # that is the point


def test_the_command_line_starts_without_the_library() -> None:
    """A plain scan imports nothing of the archive."""
    code = (
        "import sys; from logdoctor.cli.main import main; sys.argv = ['logdoctor', 'scan', '/dev/null']\n"
        "try: main()\n"
        "except SystemExit: print([n for n in sys.modules if n.startswith(('logdoctor.archive', 'logdoctor.api', 'sqlite3', 'multiprocessing'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == b"[]"


@pytest.mark.parametrize("asked", ["--version", "--help", "batch --help", "tail --no-such-option"])
def test_what_the_options_alone_tell_needs_no_scan(asked: str) -> None:
    """Nor what any other command does."""
    code = (
        f"import sys; from logdoctor.cli.main import main; sys.argv = {['logdoctor', *asked.split()]}\n"
        "try: main()\n"
        "finally: print('told', *sorted(n for n in sys.modules if n.startswith('logdoctor.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, timeout=60, check=False
    )
    told, *names = done.stdout.splitlines()[-1].split()
    assert told == b"told"
    assert {name.split(b".")[1] for name in names} <= {b"cli", b"errors", b"model", b"version"}


def test_a_scan_compiles_no_annotations() -> None:
    """`NamedTuple` compiles each one that is a text, which took a start two milliseconds."""
    code = (
        "import sys; from logdoctor.cli.main import main; sys.argv = ['logdoctor', 'scan', '--format', 'json', 'sample_logs/chatlearn-ray-channel-timeout.log']\n"
        "try: main()\n"
        "except SystemExit: print(*[each.__file__ for name, each in sys.modules.items() if name.startswith('logdoctor.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        timeout=60,
        check=True,
        text=True,
        cwd=Path(__file__).parents[1],
    )
    texts = {
        "/".join(Path(file).parts[-2:]): Path(file).read_text(encoding="utf-8")
        for file in done.stdout.splitlines()[-1].split()
    }
    with_tuples = {name for name, text in texts.items() if "(NamedTuple)" in text}
    assert "matching/matcher.py" in with_tuples
    assert {
        name for name in with_tuples if "from __future__ import annotations" in texts[name]
    } == set()


class Elements(HTMLParser):
    """The elements of a piece of HTML, their attributes, and its text."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.said = ""
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.said += data


def test_a_result_shows_itself_in_a_notebook() -> None:
    """The answer in both languages, with the line that proves it; healthy, unknown and known."""
    known = Elements(scan(io.BytesIO(sample(FAILED[0])))._repr_html_())
    assert ("batch" in known.said, "中文" in known.said, "│ AssertionError" in known.said) == (
        True,
    ) * 3
    healthy = Elements(scan(io.BytesIO(b"step:1 - loss:0.5\n"))._repr_html_())
    assert "No error found, no end seen" in healthy.said


def test_what_a_log_says_is_text_in_a_notebook() -> None:
    """No element, attribute or link comes of it."""
    text = "</pre><script>alert(1)</script><img src=x onerror=alert(1)> javascript:alert(1)"
    log = f'Traceback (most recent call last):\n  File "/a/{text}.py", line 1, in f\n    {text}\nValueError: {text}\n'
    shown = Elements(scan(io.BytesIO(log.encode()))._repr_html_())
    assert shown.names <= {
        "div",
        "p",
        "b",
        "br",
        "small",
        "code",
        "pre",
        "ul",
        "ol",
        "li",
        "details",
        "summary",
        "a",
    }
    assert shown.attributes <= {"href", "rel"}
    assert f"ValueError: {text}" in shown.said
