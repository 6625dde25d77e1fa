"""`logdoctor check`, once its arguments are read."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path

from logdoctor.cli.options import Arguments
from logdoctor.cli.terminal import EXIT_FOUND, EXIT_UNREADABLE, height, note, width, write
from logdoctor.errors import LogdoctorError
from logdoctor.model import Language, Place
from logdoctor.relations.judging import Asked, RelationBase, judge, recognise
from logdoctor.relations.proving import changes_of
from logdoctor.relations.reading import relations_path
from logdoctor.reports.preflight.structured import render_json
from logdoctor.reports.preflight.text import (
    Checked,
    render_github,
    render_markdown,
    render_text,
)
from logdoctor.settings.configuration import Configuration, Problem
from logdoctor.settings.files import kind_of, read_configurations

LARGEST = 50_000_000
"""Bytes of a file that is no log; what is larger is no configuration."""

STDIN = "-"


def run_check(arguments: Arguments) -> int:
    """Checks, prints the report and notes; returns the exit code.

    Raises:
        LogdoctorError: relations cannot be read, or there are none for the framework asked for.
    """
    base = RelationBase(relations_path())
    named = arguments.checked_framework
    if named and named[0] not in base.frameworks:
        known = ", ".join(each.name for each in base.frameworks.values() if not each.is_part)
        raise LogdoctorError(f'no relations for "{named[0]}"; expected one of {known}')
    language = Language(arguments.lang)
    checked: list[Checked] = []
    unreadable: list[Problem] = []
    for word in arguments.words:
        try:
            checked += _checked(word, arguments, base)
        except OSError as error:
            what = (error.strerror or str(error)).lower()
            unreadable.append(Problem(Place(word, 0), what))
    if arguments.patch is not None:
        from logdoctor.cli.patching import write_patch  # noqa: PLC0415

        write_patch(changes_of([each.judgement for each in checked]), arguments.patch)
    elif arguments.check_form == "json":
        write(render_json(checked, unreadable, language))
    elif arguments.check_form == "markdown":
        write(render_markdown(checked, language))
    elif arguments.check_form == "github":
        write(render_github(checked, language))
    else:
        columns = width() if height() else None
        write(render_text(checked, language, show_all=arguments.show_all, width=columns))
    for problem in unreadable:
        note(f"{problem.place.source}: {problem.what}")
    return _exit_code(checked, unreadable)


def _exit_code(checked: list[Checked], unreadable: list[Problem]) -> int:
    nothing = any(not each.judgement.judged for each in checked)
    if unreadable or nothing:
        return EXIT_UNREADABLE
    return EXIT_FOUND if any(each.judgement.violations for each in checked) else 0


def _checked(word: str, arguments: Arguments, base: RelationBase) -> Iterator[Checked]:
    """The configurations of a file, or of stdin: those of a framework, else the first.

    Raises:
        OSError: it cannot be read.
    """
    path = None if word == STDIN else Path(word)
    name = "stdin" if path is None else word
    content = sys.stdin.buffer.read(LARGEST) if path is None else _content(path)
    text = content.decode("utf-8-sig", "replace")
    named, release = arguments.checked_framework or (None, None)
    told: tuple[str | None, str | None] = (named, release)
    found: tuple[Configuration, ...]
    if b"\0" in content[:10_000]:
        found = (Configuration(name, problems=(Problem(Place(name, 0), "no text"),)),)
    elif kind_of(name, text):
        found = read_configurations(name, text, path)
    else:
        from logdoctor.cli.logged_settings import logged_configuration  # noqa: PLC0415  # scans

        framework, version, logged = logged_configuration(name, content, base, named)
        found, told = (logged,), (framework, release or version)
    frameworks = [told[0] or recognise(each, base.frameworks) for each in found]
    known = [pair for pair in zip(found, frameworks, strict=True) if pair[1]]
    for each, framework in known or [(found[0], None)]:
        version = told[1] or (_installed(base.frameworks[framework].package) if framework else None)
        asked = Asked(framework, version, arguments.gpus, arguments.nodes, arguments.gpu_memory)
        yield Checked(each, judge(each, base, asked))


def _installed(package: str) -> str | None:
    """The release of a package in the environment of the call, where the run is likely to be."""
    try:
        return installed_version(package) if package else None
    except PackageNotFoundError:
        return None


def _content(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LARGEST)
