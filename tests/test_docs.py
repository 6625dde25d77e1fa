"""The documents say what is true."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from logdoctor.model import SignatureDatabase
from logdoctor.reports.markdown import signature_index
from logdoctor.signatures import json_schema


def test_ci_runs_the_commands_of_the_readme(repository: Path) -> None:
    """The two commands of its first block, word for word."""
    readme = (repository / "README.md").read_text(encoding="utf-8")
    block = re.search(r"```console\n(.*?)```", readme, re.DOTALL)
    assert block is not None
    commands = [line.removeprefix("$ ") for line in block[1].strip().splitlines()]
    script = (repository / ".ci" / "run").read_text(encoding="utf-8")
    assert len(commands) == 2
    assert [part in script for command in commands for part in command.split(" && ")] == [True] * 4


def test_the_list_of_signatures_is_up_to_date(repository: Path, database: SignatureDatabase) -> None:
    """`scripts/generate` writes it."""
    assert (repository / "docs" / "signatures.md").read_text(encoding="utf-8") == signature_index(database)


def test_the_schema_is_up_to_date(repository: Path) -> None:
    """`scripts/generate` writes it."""
    assert json.loads((repository / "signatures" / "schema.json").read_text(encoding="utf-8")) == json_schema()


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "signatures/README.md", "sample_logs/README.md"])
def test_links_lead_somewhere(repository: Path, document: str) -> None:
    """Every relative link has its file."""
    text = (repository / document).read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#\s]+)\)", text) if "://" not in link]
    assert [link for link in links if not ((repository / document).parent / link).exists()] == []


def test_contributing_names_every_module(repository: Path) -> None:
    """A room that is not on the map is not found."""
    text = (repository / "CONTRIBUTING.md").read_text(encoding="utf-8")
    names = {path.stem for path in (repository / "src" / "logdoctor").glob("*.py") if not path.stem.startswith("__")}
    assert {name for name in names if f"`{name}`" not in text} <= {"signature_drafts"}


def test_nothing_refers_to_what_is_outside_the_repository(repository: Path) -> None:
    """The repository stands alone."""
    outside = "../" + "shared"
    folders = ("src", "tests", "docs", "signatures", "scripts", "sample_logs", ".ci")
    files = [file for folder in folders for file in (repository / folder).rglob("*") if file.is_file() and file.suffix != ".pyc"]
    assert [file.name for file in files if outside in file.read_text(encoding="utf-8", errors="replace")] == []
