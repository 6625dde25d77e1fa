"""Every row of every framework fits its samples, and the tables keep their order."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from logdoctor.formats import frameworks
from logdoctor.formats.assembled import dumped, loaded, registered
from logdoctor.formats.frameworks.slurm import JOB_FILE
from logdoctor.formats.levels import level_named
from logdoctor.formats.markers import FRAMEWORK_ORDER, MARKERS, Marker, MarkerKind
from logdoctor.formats.phase_names import phase_of_actor, phase_of_id, phase_of_method
from logdoctor.formats.prefix_rows import PREFIX_ROWS
from logdoctor.formats.registry import FORMATS
from logdoctor.formats.rows import Format, PhaseWords, RunFolder
from logdoctor.formats.run_folders import FOLDERS
from logdoctor.model import Phase

METHODS = [row for each in FORMATS for row in each.methods]
ACTORS = [row for each in FORMATS for row in each.actors]


def name_of(row: object) -> str:
    """Of a row in a test's id."""
    return str(getattr(row, "name", "") or getattr(row, "sample", "") or row)[:40]


@pytest.mark.parametrize("marker", MARKERS, ids=name_of)
def test_each_marker_fits_its_sample(marker: Marker) -> None:
    """And tells what its kind needs."""
    found = re.search(marker.pattern, marker.sample)
    assert found
    groups = found.groupdict()
    assert marker.kind is not MarkerKind.VERSION or groups["version"]
    assert marker.kind is not MarkerKind.WORLD or int(groups["world"]) > 0
    assert bool(marker.value) == (
        marker.kind in (MarkerKind.FRAMEWORK, MarkerKind.PHASE, MarkerKind.VERSION)
    )


@pytest.mark.parametrize("form", FORMATS, ids=name_of)
def test_a_framework_is_known_by_samples_of_its_own(form: Format) -> None:
    """Each file has rows, and what it calls itself is its file's name."""
    rows = (
        *form.markers,
        *form.methods,
        *form.actors,
        *form.carriers,
        *form.prefixes,
        *form.file_names,
        *form.messages,
        *form.run_folders,
    )
    assert rows
    names = {row.value for row in form.markers if row.kind is MarkerKind.FRAMEWORK}
    assert names == ({form.name} if form.name in FRAMEWORK_ORDER else set())


def test_each_framework_stands_once_in_the_registry() -> None:
    """By its name."""
    names = [form.name for form in FORMATS]
    assert sorted(names) == sorted(set(names))
    assert list(FRAMEWORK_ORDER) == names[: len(FRAMEWORK_ORDER)]


def test_every_file_of_a_framework_is_registered() -> None:
    """None is forgotten."""
    files = {path.stem for path in Path(str(frameworks.__file__)).parent.glob("[a-z]*.py")}
    assert files == {form.name for form in FORMATS}
    for name in files:
        assert import_module(f"logdoctor.formats.frameworks.{name}").FORMAT in FORMATS


@pytest.mark.parametrize("row", METHODS, ids=name_of)
def test_each_method_tells_its_phase(row: PhaseWords) -> None:
    """No other phase comes before."""
    assert phase_of_method(row.sample) is row.phase


@pytest.mark.parametrize("row", ACTORS, ids=name_of)
def test_each_actor_tells_its_phase(row: PhaseWords) -> None:
    """No other phase comes before."""
    assert phase_of_actor(row.sample) is row.phase


@pytest.mark.parametrize("row", FOLDERS, ids=name_of)
def test_each_folder_fits_its_sample(row: RunFolder) -> None:
    """As a whole."""
    assert re.fullmatch(row.pattern, row.sample)


@pytest.mark.parametrize(
    ("name", "job"),
    [
        ("slurm-4711.out", "slurm-4711"),
        ("grpo.4711.err.gz", "grpo.4711"),
        ("slurm-99_3.out", "slurm-99_3"),
        ("worker-4711.out", None),
        ("train.log", None),
    ],
)
def test_files_of_a_job_share_its_name(name: str, job: str | None) -> None:
    """As Slurm and its users call them."""
    found = re.fullmatch(JOB_FILE, name)
    assert (found and found["job"]) == job


def test_markers_are_in_the_order_of_what_they_tell() -> None:
    """Steps before ends: a line that tells both is the end of that step's run."""
    kinds = [marker.kind for marker in MARKERS]
    assert [kind for i, kind in enumerate(kinds) if kind not in kinds[:i]] == list(MarkerKind)
    assert len({marker.pattern for marker in MARKERS if marker.kind is MarkerKind.PROGRESS}) == sum(
        marker.kind is MarkerKind.PROGRESS for marker in MARKERS
    )


def test_what_carries_lines_stands_before_what_programs_print() -> None:
    """A record's prefix of a framework stands behind those of who started its processes."""
    places = {row.name: place for place, row in enumerate(PREFIX_ROWS)}
    order = ["grep", "kubelet (CRI)", "srun --label", "Ray worker", "torch excepthook", "ROLL"]
    assert [*order, "loguru", "time", "level"] == sorted(
        [*order, "loguru", "time", "level"], key=places.__getitem__
    )


@pytest.mark.parametrize(
    ("name", "level"),
    [
        ("WARN", "warning"),
        ("W", "warning"),
        ("CRITICAL", "fatal"),
        ("NOTICE", "notice"),
        ("X", None),
    ],
)
def test_levels(name: str, level: str | None) -> None:
    """By name and by letter."""
    assert level_named(name) == level


def test_words_of_an_id_tell_a_phase() -> None:
    """Whole words, the more telling phase first."""
    assert phase_of_id("optimizer-state-of-checkpoint-missing") is Phase.CHECKPOINT
    assert phase_of_id("evaluation") is None


def test_what_is_shipped_is_what_is_registered() -> None:
    """One file holds every row of every format."""
    all_formats = registered()
    again = loaded(dumped(all_formats))
    assert dumped(again) == dumped(all_formats)
    assert [form._replace(prefixes=(), carriers=()) for form in again.formats] == [
        form._replace(prefixes=(), carriers=()) for form in all_formats.formats
    ]
    assert [vars(row) for form in again.formats for row in (*form.carriers, *form.prefixes)] == [
        {key: value for key, value in vars(row).items() if key != "regex"}
        for form in all_formats.formats
        for row in (*form.carriers, *form.prefixes)
    ]
