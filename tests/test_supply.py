"""What CI installs is locked, hashed, and what pyproject.toml asks for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from logdoctor.settings.toml_files import parsed_toml

ROOT = Path(__file__).parent.parent
LOCK = (ROOT / ".ci/requirements.txt").read_text(encoding="utf-8")
PROJECT = parsed_toml((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]


def locked(lock: str) -> dict[str, list[tuple[Requirement, int]]]:
    """Requirements of a lock and the number of their hashes, by package: markers tell several
    versions of one apart.
    """
    found: dict[str, list[tuple[Requirement, int]]] = {}
    for entry in re.split(r"\n(?=\S)", lock.replace("\\\n", " ").strip()):
        words, *hashes = entry.split("--hash=sha256:")
        requirement = Requirement(words.strip())
        found.setdefault(requirement.name, []).append((requirement, len(hashes)))
    return found


def asked(extra: str) -> list[Requirement]:
    """What an extra asks for, with what its own extras do."""
    found = []
    for text in EXTRAS[extra]:
        requirement = Requirement(text)
        if requirement.name != "logdoctor":
            found.append(requirement)
        for each in requirement.extras if requirement.name == "logdoctor" else ():
            found += asked(each)
    return found


def unmet(lock: str) -> list[str]:
    """What pyproject.toml asks for and the lock does not hold."""
    versions = {
        canonicalize_name(name): [
            Version(next(iter(requirement.specifier)).version) for requirement, _ in entries
        ]
        for name, entries in locked(lock).items()
    }
    needed = [*map(Requirement, PROJECT["project"]["dependencies"]), *asked("dev"), *asked("site")]
    return [
        str(each)
        for each in needed
        if not any(
            each.specifier.contains(version)
            for version in versions.get(canonicalize_name(each.name), [])
        )
    ]


def test_every_dependency_of_ci_is_locked_to_one_version_with_hashes() -> None:
    for entries in locked(LOCK).values():
        for requirement, hashes in entries:
            assert [each.operator for each in requirement.specifier] == ["=="], requirement
            assert hashes > 0, requirement


def test_the_lock_holds_what_the_project_asks_for() -> None:
    assert unmet(LOCK) == []


@pytest.mark.parametrize("package", ["click", "pytest", "mkdocs"])
def test_a_lock_that_lacks_something_is_seen(package: str) -> None:
    without = re.sub(rf"(?m)^{package}==.*\n(?:    .*\n)*", "", LOCK)
    assert [Requirement(each).name for each in unmet(without)] == [package]


def test_ci_installs_by_hash() -> None:
    assert "--require-hashes -r .ci/requirements.txt" in (ROOT / ".ci/run").read_text()
