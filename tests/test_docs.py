"""The documents say what is true."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from logdoctor.model import SignatureDatabase
from logdoctor.reports.handbook.handbook import handbook
from logdoctor.signatures.reading import json_schema
from logdoctor.version import __version__
from scripts import generate


def test_ci_runs_the_commands_of_the_readme(repository: Path) -> None:
    """The two commands of its first block, word for word."""
    readme = (repository / "README.md").read_text(encoding="utf-8")
    block = re.search(r"```console\n(.*?)```", readme, re.DOTALL)
    assert block is not None
    commands = [line.removeprefix("$ ") for line in block[1].strip().splitlines()]
    script = (repository / ".ci" / "run").read_text(encoding="utf-8")
    assert len(commands) == 2
    assert [part in script for command in commands for part in command.split(" && ")] == [True] * 4


def test_the_workflow_runs_ci_and_every_version_of_python(repository: Path) -> None:
    """It may read the repository only, and each action is of a major version."""
    text = (repository / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    workflow = yaml.load(text, Loader=yaml.BaseLoader)
    assert workflow["permissions"] == {"contents": "read"}
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    assert [
        each["uses"]
        for each in steps
        if not re.fullmatch(r"\w+/[\w-]+@v\d+", each.get("uses", "a/b@v1"))
    ] == []
    everything, tests = (workflow["jobs"][name] for name in ("everything", "tests"))
    assert everything["steps"][-1]["run"] == "bash .ci/run"
    assert tests["steps"][-1]["run"] == "pytest"
    run = {everything["steps"][1]["with"]["python-version"], *tests["strategy"]["matrix"]["python"]}
    named = re.findall(
        r"Python :: (3\.\d+)", (repository / "pyproject.toml").read_text(encoding="utf-8")
    )
    assert run == set(named)


@pytest.fixture(scope="module")
def pages(database: SignatureDatabase) -> dict[str, str]:
    """The handbook as it is now, by path."""
    return dict(handbook(database))


def test_the_handbook_is_up_to_date(repository: Path, pages: dict[str, str]) -> None:
    """`scripts/generate` writes it; no page is left of a signature that is gone."""
    folder = repository / "docs" / "signatures"
    kept = {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.is_file()
    }
    assert {path for path in pages if kept.get(path) != pages[path]} | (
        kept.keys() - pages.keys()
    ) == set()


def test_pages_without_a_signature_are_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`scripts/generate` removes them, and `--check` fails."""
    monkeypatch.setattr(generate, "HANDBOOK", tmp_path)
    for name in ("README.md", "en/ray/gone.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text", encoding="utf-8")
    assert generate.superfluous([tmp_path / "README.md"]) == [tmp_path / "en" / "ray" / "gone.md"]


def test_every_signature_has_a_page_in_both_languages_and_a_line_in_each_index(
    database: SignatureDatabase, pages: dict[str, str]
) -> None:
    """By component, by framework where it has one, and by class in the coverage table."""
    for language in ("en", "zh"):
        for index in ("README.md", "coverage.md"):
            linked = set(re.findall(r"\]\(([\w]+/[\w-]+\.md)\)", pages[f"{language}/{index}"]))
            assert linked == {f"{each.component}/{each.id}.md" for each in database.signatures}
        assert {
            f"{language}/{each.component}/{each.id}.md" for each in database.signatures
        } <= pages.keys()


def test_links_of_the_handbook_lead_somewhere(repository: Path, pages: dict[str, str]) -> None:
    """Every relative link has its page."""
    folder = repository / "docs" / "signatures"
    dead = {
        (path, link)
        for path, text in pages.items()
        for link in re.findall(r"\]\(([^)#\s]+)\)", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
        if "://" not in link
        and posixpath.normpath(posixpath.join(posixpath.dirname(path), link)) not in pages
        and not (folder / path).parent.joinpath(link).exists()
    }
    assert dead == set()


def test_the_schema_is_up_to_date(repository: Path) -> None:
    """`scripts/generate` writes it."""
    assert (
        json.loads((repository / "signatures" / "schema.json").read_text(encoding="utf-8"))
        == json_schema()
    )


@pytest.mark.parametrize(
    "document",
    [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "signatures/README.md",
        "sample_logs/README.md",
        "benchmarks/README.md",
        "benchmarks/healthy/README.md",
        "docs/libraries.md",
        "docs/compare.md",
        "docs/limits.md",
        "tests/README.md",
    ],
)
def test_links_lead_somewhere(repository: Path, document: str) -> None:
    """Every relative link has its file."""
    text = (repository / document).read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#\s]+)\)", text) if "://" not in link]
    assert [link for link in links if not ((repository / document).parent / link).exists()] == []


def test_the_changelog_has_a_line_a_change_the_newest_version_first(repository: Path) -> None:
    """Versions with their days, sections, and bullets that do not go on in another line."""
    lines = (repository / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines[lines.index("") :] if line]
    entries = rows[next(place for place, row in enumerate(rows) if row.startswith("## ")) :]
    heads = [re.fullmatch(r"## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)", row) for row in entries]
    versions = [tuple(map(int, head[1].split("."))) for head in heads if head]
    days = [head[2] for head in heads if head]
    assert versions == sorted(set(versions), reverse=True)
    assert days == sorted(days, reverse=True)
    assert __version__ in [head[1] for head in heads if head]
    others = [row for row, head in zip(entries, heads, strict=True) if not head]
    assert [row for row in others if not re.match(r"### [A-Z]|- .+\.$", row)] == []
    assert "### Signatures" in others


TASK = re.compile(r"^\| ([^|]+) \| ([^|]*`[^|]*) \|$", re.MULTILINE)
PATH = re.compile(r"`((?:[\w.<>*-]+/)[\w.<>*/-]*|[\w*-]+\.(?:py|md|yaml))(?: [^`]*)?`")
PART_OF_A_FILE = re.compile(r"`(\w+)` (?:of|in) `([\w/.]+\.py)`")


def places(repository: Path) -> dict[str, str]:
    """CONTRIBUTING.md's places of a change, by what one wants to do."""
    text = (repository / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = text.partition("## Where does my change belong?")[2].partition("\n## ")[0]
    return dict(TASK.findall(rows))


def found(repository: Path, path: str) -> list[Path]:
    """What stands under this path of a table; `<…>` in it stands for any name."""
    pattern = re.sub(r"<\w+>", "*", path).rstrip("/")
    tops = (repository / "src" / "logdoctor", repository)
    return [file for top in tops for file in top.glob(pattern)]


def test_the_places_of_changes_are_there(repository: Path) -> None:
    """Each file, folder and pattern of the table, and each name that is said to stand in a file."""
    rows = places(repository)
    named = [(task, path) for task, place in rows.items() for path in PATH.findall(place)]
    assert {task for task in rows if task not in dict(named)} == set()
    assert [(task, path) for task, path in named if not found(repository, path)] == []
    parts = [each for place in rows.values() for each in PART_OF_A_FILE.findall(place)]
    assert [
        (name, path)
        for name, path in parts
        if not any(name in file.read_text(encoding="utf-8") for file in found(repository, path))
    ] == []
    assert (len(rows) > 20, parts != []) == (True, True)


@pytest.mark.parametrize("path", ["formats/gone.py", "markers.py", "signatures/<component>/gone/"])
def test_a_place_that_is_gone_is_noticed(repository: Path, path: str) -> None:
    """Also where a file of this name stands in another room."""
    assert PATH.findall(f"a row in `{path}`") == [path]
    assert found(repository, path) == []


def test_every_test_is_among_the_tests_of_a_room(repository: Path) -> None:
    """tests/README.md has every room of CONTRIBUTING.md in its order, and files that exist."""
    table = re.compile(r"^\| `(\w+)` \| (.*) \|$", re.MULTILINE)
    text = (repository / "tests" / "README.md").read_text(encoding="utf-8")
    contributing = (repository / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rooms = re.findall(r"^\| `(\w+)` \| .+ \| .+ \|$", contributing, re.MULTILINE)
    assert [room for room, _ in table.findall(text)] == rooms
    named = set(re.findall(r"`([\w/]+\.py)`", text))
    there = {
        path.relative_to(repository / "tests") for path in (repository / "tests").rglob("*.py")
    }
    assert named - set(map(str, there)) == set()
    assert {str(path) for path in there if path.name.startswith("test_")} - named == set()


def test_nothing_refers_to_what_is_outside_the_repository(repository: Path) -> None:
    """The repository stands alone."""
    outside = "../" + "shared"
    folders = ("src", "tests", "docs", "signatures", "scripts", "benchmarks", "sample_logs", ".ci")
    files = [
        file
        for folder in folders
        for file in (repository / folder).rglob("*")
        if file.is_file() and file.suffix != ".pyc"
    ]
    assert [
        file.name for file in files if outside in file.read_text(encoding="utf-8", errors="replace")
    ] == []


def test_the_signature_guide_names_all_that_a_pattern_of_numbers_may_ask(repository: Path) -> None:
    guide = (repository / "signatures" / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"- metric: '(?:.|\n)+?```", guide)
    schema = json.loads((repository / "signatures" / "schema.json").read_text(encoding="utf-8"))
    (other,) = _found("and", schema)
    asked = {*other["properties"], "and", "steps"} - {"metric"}
    assert len(asked) > 8
    assert {each for each in asked if not re.search(rf"(?m)^    {each}: ", example)} == set()


def _found(name: str, schema: object) -> Iterator[dict[str, Any]]:
    """What a schema says of the properties that have a name."""
    inner = schema.values() if isinstance(schema, dict) else schema
    for each in inner if isinstance(inner, Iterable) and not isinstance(inner, str) else ():
        yield from _found(name, each)
    if isinstance(schema, dict):
        found = schema.get("properties", {}).get(name)
        yield from [found] if isinstance(found, dict) else []
