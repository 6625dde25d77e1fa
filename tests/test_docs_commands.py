"""What the documents say to type can be typed: each command is read by the program as a shell would hand it over."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
import yaml

from logdoctor.cli.commands import cli
from scripts.release_notes import notes

REPOSITORY = Path(__file__).parents[1]
PAGES = [
    REPOSITORY / "README.md",
    *(page for page in sorted((REPOSITORY / "docs").glob("*.md")) if page.name != "options.md"),
    REPOSITORY / "docs" / "skill" / "SKILL.md",
]


def commands(page: Path) -> list[str]:
    """Lines after a prompt that call logdoctor, and what is called so between backticks."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    typed = [line[2:] for line in lines if line.startswith("$ ")]
    return [each for each in typed if re.search(r"(^|[|&] ?)logdoctor ", each)]


def calls(command: str) -> list[list[str]]:
    """The words behind each `logdoctor` of a line, without comments, pipes and redirections."""
    found: list[list[str]] = []
    lexer = shlex.shlex(command, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    words: list[str] | None = None
    skips = False
    for word in lexer:
        if word[0] in "|&;<>":
            words, skips = (words, True) if word[0] in "<>" else (None, False)
        elif skips:
            skips = False
        elif word == "logdoctor" and words is None:
            words = []
            found.append(words)
        elif words is not None:
            words.append(word)
    return found


def parse(words: list[str]) -> None:
    """Reads the words as click does, without running anything."""
    context = cli.make_context("logdoctor", list(words))
    command: click.Command = cli
    rest = [*context._protected_args, *context.args]
    while isinstance(command, click.Group):
        name, found, rest = command.resolve_command(context, rest)
        assert name is not None
        assert found is not None
        context = found.make_context(name, rest, parent=context)
        command, rest = found, [*context._protected_args, *context.args]


ALL = [
    pytest.param(words, id=f"{page.name}: {command[:60]}")
    for page in PAGES
    for command in commands(page)
    for words in calls(command)
]


@pytest.mark.parametrize("words", ALL)
def test_a_documented_command_can_be_typed(words: list[str]) -> None:
    """Its command, its options and their values are there."""
    parse([word for word in words if word not in {"…", "..."}])


def test_what_cannot_be_typed_is_found() -> None:
    """Else the test above would prove nothing."""
    assert len(ALL) > 50
    for words in (
        ["scam", "a.log"],
        ["scan", "--fromat", "json"],
        ["scan", "--format", "xml"],
        ["slurm"],
    ):
        with pytest.raises(click.ClickException):
            parse(words)


def test_the_pages_of_the_site_are_there() -> None:
    """Each that mkdocs.yml names, and each page of docs/ is named."""
    text = (REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8")
    named = set(re.findall(r"([\w/-]+\.md)$", text, re.MULTILINE))
    pages = {each.name for each in (REPOSITORY / "docs").glob("*.md")}
    assert {each for each in named if not (REPOSITORY / "docs" / each).is_file()} == set()
    assert pages - named == set()


def test_a_release_has_notes() -> None:
    """The section of its version, and of no other."""
    text = "# Changelog\n\n## 0.2.0 (2026)\n\n### A\n\n- new\n\n## 0.1.0 (2025)\n\n- old\n"
    assert notes("0.2.0", text) == "### A\n\n- new\n"
    assert notes("0.1.0", text) == "- old\n"
    with pytest.raises(LookupError):
        notes("0.3", text)


def test_the_release_workflow_reads_only_but_for_the_release() -> None:
    """It may write where it makes the release, and each action is of a major version."""
    text = (REPOSITORY / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    workflow = yaml.load(text, Loader=yaml.BaseLoader)
    assert workflow["permissions"] == {"contents": "read"}
    writing = [
        name for name, job in workflow["jobs"].items() if "write" in str(job.get("permissions"))
    ]
    used = [
        step["uses"] for job in workflow["jobs"].values() for step in job["steps"] if "uses" in step
    ]
    assert writing == ["release"]
    assert [each for each in used if not re.fullmatch(r"actions/[\w-]+@v\d+", each)] == []
