"""One table of options: what click, the quick path and the page of options make of its rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from logdoctor.cli import commands, running, scanning
from logdoctor.cli.kinds import Option
from logdoctor.cli.options import OPERANDS, OPTIONS, Arguments, options_of
from logdoctor.cli.quick import plain_arguments
from scripts.man_page import man_page
from scripts.option_page import option_page

TEXTS = {
    "METRIC": "reward",
    "NAME": "verl",
    "PATH": "more.yaml",
    "FILE": "some.file",
    "N": "3",
    "X": "0.25",
    "GIB": "80",
    "SIZE": "1.5G",
    "SECONDS": "2.5",
    "ID": "an-id",
    "CMD": "notify -x",
    "URL": "https://example.org/hook",
}
"""A text for each kind of value."""

PLAIN = [
    pytest.param(command, option, id=f"{command} {option.names[-1]}")
    for command in ("scan", "run")
    for option in options_of(command)
]


def words_of(option: Option[Any]) -> list[str]:
    if option.read is None:
        return [option.off or option.names[-1]]
    others = [word for word in option.words if word != option.default]
    return [option.names[-1], others[-1] if others else TEXTS[option.metavar]]


def by_click(monkeypatch: pytest.MonkeyPatch, command: str, words: list[str]) -> Arguments:
    taken: list[Arguments] = []
    place, name = (running, "run_command") if command == "run" else (scanning, "run_scan")
    monkeypatch.setattr(place, name, taken.append)
    monkeypatch.setattr(commands, "report_as_asked", lambda _: None)
    done = CliRunner().invoke(commands.cli, words, catch_exceptions=False)
    assert (done.exit_code, done.output) == (0, "")
    return taken[0]


@pytest.mark.parametrize(("command", "option"), PLAIN)
def test_click_and_the_quick_path_read_a_row_alike(
    command: str, option: Option[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its text behind it, and behind an equals sign."""
    for words in (words_of(option), ["=".join(words_of(option))]):
        call = [command, *words, *(["--", "true"] if command == "run" else ["a.log"])]
        plain = plain_arguments(command, call)
        assert plain == by_click(monkeypatch, command, call)
        assert plain is not None
        assert getattr(plain, option.field) != option.default


@pytest.mark.parametrize("command", OPERANDS)
def test_what_is_not_given_is_as_the_row_says(command: str) -> None:
    """Also for the options of other commands."""
    assert {each.field: getattr(Arguments(), each.field) for each in options_of(command)} == {
        each.field: each.default for each in options_of(command)
    }


def test_a_repeatable_option_gathers_and_of_another_the_last_counts() -> None:
    """In both letter cases of a framework."""
    call = ["scan", "--framework", "verl", "--framework=RAY", "--lang", "zh", "--lang", "en"]
    assert plain_arguments("scan", call) == Arguments(frameworks=("verl", "ray"), lang="en")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["scan", "--format", "xml"], '"xml"; expected one of text, json, jsonl, markdown, html'),
        (["scan", "--framework", "caffe"], '"caffe" is unknown; expected one of roll,'),
        (["scan", "--min-confidence", "nan"], '"nan"; expected a number from 0 to 1'),
        (["scan", "--jobs", "0"], '"0"; expected a whole number, at least 1'),
        (["scan", "--signatures", ""], "an empty text; leave the option out"),
        (["scan", "--unpack-limit", "1X"], '"1X"; expected a number of bytes, as 500M'),
        (["tail", "--stall", "0", "x"], '"0"; expected a number of seconds above 0'),
        (["tail", "--until-idle", "-1", "x"], '"-1"; expected a number of seconds, at least 0'),
        (["tail", "--webhook", "ftp://x", "x"], '"ftp://x" is no URL'),
        (["tail", "--state", "/", "x"], '"/" is a folder; expected a file'),
        (["run", "--log", "/", "--", "true"], '"/" is a folder; expected a file'),
        (["signatures", "new", "x"], "Missing option '--component'"),
    ],
)
def test_a_wrong_value_is_named_with_what_was_expected(words: list[str], said: str) -> None:
    """A usage error; and the quick path leaves it to click."""
    done = CliRunner().invoke(commands.cli, words)
    assert (done.exit_code, said in done.output) == (2, True)
    assert words[0] not in {"scan", "run"} or plain_arguments(words[0], words) is None


@pytest.mark.parametrize("command", OPERANDS)
def test_each_name_is_one_row_of_a_command(command: str) -> None:
    """And help has all of them."""
    names = [name for each in options_of(command) for name in (*each.names, each.off) if name]
    group: Any = commands.cli
    for word in command.split():
        group = group.commands[word]
    assert len(names) == len(set(names))
    assert set(names) <= {
        name
        for each in group.params
        if isinstance(each, click.Option)
        for name in (*each.opts, *each.secondary_opts)
    }


def test_the_page_of_options_is_up_to_date(repository: Path) -> None:
    """`scripts/generate` writes it."""
    assert (repository / "docs" / "options.md").read_text(encoding="utf-8") == option_page()


def test_the_manual_page_is_up_to_date(repository: Path) -> None:
    """`scripts/generate` writes it; it has every command and option, and no line is a request of
    the log's own.
    """
    page = man_page()
    assert page == (repository / "docs" / "logdoctor.1").read_text(encoding="utf-8")
    assert [
        name for each in OPTIONS for name in each.names if name.replace("-", "\\-") not in page
    ] == []
    requests = {line.split()[0] for line in page.splitlines() if line.startswith(".")}
    assert requests == {".TH", ".SH", ".TP", ".B", ".br"}
