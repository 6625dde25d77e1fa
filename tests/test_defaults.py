"""What the user has settled for all calls: the language of the environment, a file of defaults."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from logdoctor.cli.defaults import user_defaults
from logdoctor.cli.options import Arguments
from logdoctor.cli.terminal import wants_colour
from logdoctor.errors import LogdoctorError
from logdoctor.model import ScanOptions, UnknownError
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton


@pytest.fixture(autouse=True)
def nothing_settled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment without defaults, in an empty folder."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "LOGDOCTOR_LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "work" / "below").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work" / "below")


def test_the_language_is_that_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program's own variable before a file before the locale; of every command that has one."""
    assert user_defaults("scan", []) == {}
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert [user_defaults(each, []) for each in ("scan", "explain", "signatures new")] == [
        {"lang": "zh"},
        {"lang": "zh"},
        {},
    ]
    (tmp_path / "work" / "logdoctor.toml").write_text('lang = "en"\n')
    assert user_defaults("scan", []) == {"lang": "en"}
    monkeypatch.setenv("LOGDOCTOR_LANG", "zh")
    assert user_defaults("scan", []) == {"lang": "zh"}


@pytest.mark.parametrize(
    ("name", "table"), [("logdoctor.toml", ""), ("pyproject.toml", "[tool.logdoctor]\n")]
)
def test_the_nearest_file_above_settles_options(tmp_path: Path, name: str, table: str) -> None:
    """As the command line would write them; paths are seen from the file."""
    (tmp_path / "work" / name).write_text(
        table + 'ignore = ["a", "b"]\nframework = "VERL"\nsignatures = ["own"]\nfail-on = "fatal"\n'
    )
    settled = user_defaults("scan", ["train.log"])
    assert settled == {
        "ignored": ("a", "b"),
        "frameworks": ("verl",),
        "more": (str(tmp_path / "work" / "own"),),
        "fail_on": "fatal",
    }
    given = Arguments(("x",), fail_on="never").over(settled)
    assert (given.fail_on, given.ignored, given.words) == ("never", ("a", "b"), ("x",))
    assert user_defaults("scan", ["--isolated"]) == {}
    assert user_defaults("signatures list", []) == {"more": settled["more"]}


def test_a_pyproject_without_the_table_is_passed_over(tmp_path: Path) -> None:
    """For the user's own file."""
    (tmp_path / "work" / "pyproject.toml").write_text("[tool.ruff]\n")
    (tmp_path / "config" / "logdoctor").mkdir(parents=True)
    own = tmp_path / "config" / "logdoctor" / "logdoctor.toml"
    own.write_text('webhook = "https://example.org/hook"\n')
    assert user_defaults("tail", []) == {"webhook": "https://example.org/hook"}


def test_all_faults_of_a_file_are_named(tmp_path: Path) -> None:
    """With the file and what was expected; where logs are sent, a found file does not say."""
    file = tmp_path / "work" / "logdoctor.toml"
    file.write_text('langg = "zh"\nfail-on = "soon"\nwebhook = "https://example.org"\n')
    with pytest.raises(LogdoctorError) as found:
        user_defaults("scan", [])
    said = str(found.value)
    assert said.count(str(file)) == 3
    assert 'unknown key "langg"; expected one of lang,' in said
    assert 'fail-on: "soon"; expected one of warning, error, fatal, never' in said
    assert "webhook may only stand in your own file" in said
    for text in ("not toml", "lang = [\n"):
        file.write_text(text)
        with pytest.raises(LogdoctorError, match=r"logdoctor\.toml"):
            user_defaults("scan", [])
    with pytest.raises(LogdoctorError, match="no such file"):
        user_defaults("scan", ["--config-file=gone.toml"])


@pytest.mark.parametrize(
    ("variables", "wanted"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"CLICOLOR_FORCE": "1"}, True),
        ({"FORCE_COLOR": "0"}, False),
        ({"FORCE_COLOR": ""}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colours_may_be_forced(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], wanted: bool
) -> None:
    """Where the report does not go to a terminal; what the command line says, holds."""
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert wants_colour("auto") is (wanted or (os.isatty(1) and not variables))
    assert (wants_colour("always"), wants_colour("never")) == (True, False)


def test_what_is_ignored_decides_nothing_and_is_counted(automaton: Automaton) -> None:
    """A signature by its id, an error without one by its fingerprint."""
    unknown = "somelib.errors.OddShardError: shard 7 is odd\n"
    log = unknown + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
    whole = scan_text(automaton, log)
    names = [each.name for each in whole.findings]
    assert len(names) == 2
    for name in names:
        result = scan_text(automaton, log, ScanOptions(ignored=(name,)))
        (left,) = [each for each in names if each != name]
        assert [each.name for each in result.findings] == [left]
        assert result.root is not None
        assert [each.en for each in result.not_seen if "--ignore" in each.en] == [
            "Hidden by --ignore: 1."
        ]
    assert scan_text(automaton, log, ScanOptions(ignored=tuple(names))).root is None


@pytest.mark.parametrize(
    ("log", "left"),
    [
        ("loaded\nError: Inference path does not exist: /store/x/y\n", None),
        (
            (
                "starting\nERROR: the dataset /data/run7 holds no shard\n"
                "launcher: worker exited with exit code 2\n"
            ),
            "launcher: worker exited with exit code 2",
        ),
    ],
    ids=["at the end", "above a report"],
)
def test_what_a_program_says_without_the_form_of_an_error_is_ignored_as_well(
    automaton: Automaton, log: str, left: str | None
) -> None:
    """By the fingerprint that its report shows."""
    root = scan_text(automaton, log).root
    assert isinstance(root, UnknownError)
    result = scan_text(automaton, log, ScanOptions(ignored=(root.fingerprint,)))
    assert (result.root.title if isinstance(result.root, UnknownError) else None) == left
    assert root.fingerprint not in {each.fingerprint for each in result.unknown_errors}
    assert "Hidden by --ignore: 1." in [each.en for each in result.not_seen]
