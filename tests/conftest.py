"""Fixtures only."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from logdoctor.cli.terminal import cache_folder
from logdoctor.model import SignatureDatabase
from logdoctor.search.automaton import Automaton
from logdoctor.search.opening import open_automaton
from tests.documents import assert_as_published
from tests.readers import read_each_way
from tests.thoroughness import draw

READ_EACH_WAY = {
    "test_chains",
    "test_clocks",
    "test_collectives",
    "test_damage",
    "test_diagnose",
    "test_events",
    "test_failure_tables",
    "test_last_words",
    "test_limits",
    "test_metrics",
    "test_next_steps",
    "test_recognition",
    "test_reruns",
    "test_settings",
    "test_survival",
}
"""Modules of tests whose texts have one verdict, whoever reads them."""


def pytest_configure(config: pytest.Config) -> None:
    """Who does without the slow ones is in a hurry. A thousand tests start the program, which is
    not compiled anew each time, even where a checkout is to stay without compiled modules.
    """
    draw(is_quick=config.option.markexpr == "not slow")
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        os.environ.setdefault("PYTHONPYCACHEPREFIX", f"{cache_folder()}/modules")


RunCli = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture(scope="session")
def automaton() -> Automaton:
    """As the program opens it: compiled again only where a signature or what compiles it has
    changed; test_databases.py proves that the kept one is what YAML says.
    """
    return open_automaton([], cache_folder())


@pytest.fixture(scope="session")
def database(automaton: Automaton) -> SignatureDatabase:
    return automaton.database


@pytest.fixture(scope="session")
def repository() -> Path:
    return Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def _each_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the tests of the verdict scan is read each way."""
    if request.module.__name__.rpartition(".")[2] in READ_EACH_WAY:
        monkeypatch.setattr(request.module, "scan_text", read_each_way)


@pytest.fixture
def run_cli() -> RunCli:
    """Calls the program; each document that it prints is as its schema says."""

    def run(
        *arguments: str | Path, stdin: bytes = b"", environment: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "logdoctor", *map(str, arguments)]
        done = subprocess.run(
            command, input=stdin, capture_output=True, timeout=600, check=False, env=environment
        )
        assert_as_published([*map(str, arguments)], done.stdout)
        return done

    return run
