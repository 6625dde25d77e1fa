"""A room imports the rooms above it in CONTRIBUTING.md's table only."""

from __future__ import annotations

import ast
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from logdoctor.search.opening import COMPILED_BY

REPOSITORY = Path(__file__).parents[1]
SOURCE = REPOSITORY / "src"
ROW = re.compile(r"^\| `(\w+)` \| (.+) \| .+ \|$", re.MULTILINE)
ROOMS = dict(ROW.findall((REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")))
"""What each room is, by its name, the lowest first."""

OUTSIDE = frozenset({"logdoctor", "logdoctor.__main__"})
"""The package itself and how it is run: they are no rooms."""


AWAY_FROM_THEIR_ONE_IMPORTER = {
    "agents": "what agents may see and are told is no business of the command line",
    "archive.rays": "an engine of the archive; Ray is imported where it is asked for",
    "checks": "the database proves itself, whoever asks",
    "command": "the terminal and its signals are no business of what is printed",
    "context.reader": "the door of its room",
    "document.schema": "the shape of a document stands beside what writes it",
    "dumps.dump_set": "the door of its room",
    "events.dividing": "what one message is, whoever divides it",
    "formats": "what programs print stands in one room, so that a change of theirs is sought in one",
    "live": "following files knows nothing of the command line",
    "matching.recognition": "the door of its room",
    "reports": "a form of report is a module, chosen by the command line",
    "scanning.sharing": "where a source may be cut depends on its bytes, whoever reads the parts",
    "settings": "how people write configurations knows nothing of relations between them",
    "signatures": "what is said of signatures as such, not of a run",
    "texts.masked_stream": "what hides secrets is sought in one room, whatever form the text has",
    "verdict.judging": "the door of its room",
}
"""Why modules, or all of a room, stand elsewhere than the only module that imports them."""


@cache
def modules() -> dict[str, Path]:
    found = {}
    for path in sorted((SOURCE / "logdoctor").rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All of a module, itself first."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def imported(path: Path, known: dict[str, Path]) -> set[str]:
    names: set[str] = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}:{node.lineno}: a relative import"
            names.update(
                f"{node.module}.{alias.name}"
                if f"{node.module}.{alias.name}" in known
                else str(node.module)
                for alias in node.names
            )
    return names & set(known)


def room_of(module: str) -> str:
    return module.split(".")[1]


@pytest.mark.parametrize("module", sorted(modules().keys() - OUTSIDE))
def test_module_imports_the_rooms_above_only(module: str) -> None:
    """Every import goes to the module's own room or to one above it in the table."""
    order = list(ROOMS)
    place = order.index(room_of(module))
    rooms = {room_of(name) for name in imported(modules()[module], modules()) - OUTSIDE}
    assert {room for room in rooms if order.index(room) > place} == set()


def test_what_one_room_alone_uses_stands_there() -> None:
    """A module whose one importer lives in another room has a reason in the table, and each
    reason is of use.
    """
    found = modules()
    importers: dict[str, list[str]] = {name: [] for name in found}
    for name, path in found.items():
        for each in imported(path, found):
            importers[each].append(name)
    away = {
        name.removeprefix("logdoctor.")
        for name, by in importers.items()
        if len(by) == 1 and not OUTSIDE & {name, *by} and room_of(by[0]) != room_of(name)
    }
    reasons = {
        name: {name, name.split(".")[0]} & AWAY_FROM_THEIR_ONE_IMPORTER.keys() for name in away
    }
    assert {name for name, reason in reasons.items() if not reason} == set()
    assert (
        AWAY_FROM_THEIR_ONE_IMPORTER.keys() - {each for by in reasons.values() for each in by}
        == set()
    )


def test_a_compiled_database_depends_on_the_rooms_that_compile_it() -> None:
    """COMPILED_BY, by which a checkout's cache is renewed, is what `search` imports, near and far."""
    reached, found = {"search"}, modules()
    while True:
        inside = [name for name in found.keys() - OUTSIDE if room_of(name) in reached]
        more = {room_of(each) for name in inside for each in imported(found[name], found) - OUTSIDE}
        if more <= reached:
            break
        reached |= more
    packages = {path.parent.name for path in (SOURCE / "logdoctor").glob("*/__init__.py")}
    assert set(COMPILED_BY) == reached & packages


@pytest.mark.parametrize("room", ROOMS)
def test_no_circles_within_a_room(room: str) -> None:
    """Modules of one room can be put in an order too."""
    known = {
        name: path
        for name, path in modules().items()
        if name not in OUTSIDE and room_of(name) == room
    }
    inside = {name: imported(path, known) - {name} for name, path in known.items()}
    assert len(list(TopologicalSorter(inside).static_order())) == len(known)


def test_the_table_says_what_the_rooms_say() -> None:
    """The table has every room, in the words with which its own docstring begins."""
    paths = {
        **modules(),
        **{name: path for name, path in modules().items() if path.name == "__init__.py"},
    }
    said = {
        name: ast.get_docstring(ast.parse(paths[f"logdoctor.{name}"].read_text(encoding="utf-8")))
        for name in ROOMS
    }
    assert {name: (text or "").splitlines()[0] for name, text in said.items()} == ROOMS
    assert set(ROOMS) == {room_of(name) for name in modules().keys() - OUTSIDE}


@pytest.mark.parametrize("module", modules())
def test_functions_stay_short(module: str) -> None:
    """No function has more than 40 lines."""
    functions = [
        node
        for node in nodes_of(modules()[module])
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    lengths = {node.name: (node.end_lineno or 0) - node.lineno + 1 for node in functions}
    assert {name: length for name, length in lengths.items() if length > 40} == {}


@pytest.mark.parametrize("module", modules())
def test_only_cli_prints_reads_the_environment_and_exits(module: str) -> None:
    """print, sys.exit, os.environ and stdin stand in cli alone."""
    if module.startswith("logdoctor.cli"):
        return
    nodes = nodes_of(modules()[module])
    calls = {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)}
    attributes = {ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute)}
    assert calls & {"print", "sys.exit", "exit", "click.echo"} == set()
    assert attributes & {"os.environ", "sys.stdin", "sys.stdout", "sys.stderr"} == set()


def test_public_functions_have_docstrings() -> None:
    """Every public module, class and function says what it is."""
    missing = []
    for module, path in modules().items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        public = [
            tree,
            *(
                node
                for node in ast.walk(tree)
                if isinstance(node, ast.ClassDef | ast.FunctionDef)
                and not node.name.startswith("_")
            ),
        ]
        nested = {
            id(inner)
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef)
            for inner in ast.walk(node)
            if inner is not node
        }
        private = {
            id(inner)
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef) and node.name.startswith("_")
            for inner in ast.walk(node)
        }
        missing += [
            f"{module}:{getattr(node, 'name', '')}"
            for node in public
            if id(node) not in nested | private and not ast.get_docstring(node)
        ]
    assert missing == []
