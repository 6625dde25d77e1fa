"""A module imports modules of a lower layer only."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

LAYERS = (
    ("logdoctor", "logdoctor.archive", "logdoctor.model.words", "logdoctor.reports"),
    ("logdoctor.model.log", "logdoctor.model.signature", "logdoctor.prefix_rows"),
    ("logdoctor.model.result",),
    ("logdoctor.model",),
    ("logdoctor.memo", "logdoctor.normalize"),
    (
        "logdoctor.alignment",
        "logdoctor.allowance",
        "logdoctor.background",
        "logdoctor.backlog",
        "logdoctor.cache",
        "logdoctor.chronology",
        "logdoctor.comparisons",
        "logdoctor.confidence",
        "logdoctor.decompress",
        "logdoctor.envelopes",
        "logdoctor.errors",
        "logdoctor.exit_codes",
        "logdoctor.generations",
        "logdoctor.markers",
        "logdoctor.phase_names",
        "logdoctor.notify",
        "logdoctor.pace",
        "logdoctor.phrases",
        "logdoctor.regex_trees",
        "logdoctor.prefixes",
        "logdoctor.reports.layout",
        "logdoctor.searching",
        "logdoctor.session",
        "logdoctor.settings",
        "logdoctor.signature_drafts",
        "logdoctor.source_lanes",
        "logdoctor.streaks",
        "logdoctor.tracebacks",
        "logdoctor.traits",
    ),
    (
        "logdoctor.child",
        "logdoctor.coverage",
        "logdoctor.failure_tables",
        "logdoctor.last_words",
        "logdoctor.next_steps",
        "logdoctor.regex_costs",
        "logdoctor.remedies",
        "logdoctor.reports.markup",
        "logdoctor.run_config",
        "logdoctor.shapes",
        "logdoctor.signature_files",
        "logdoctor.sources",
        "logdoctor.templates",
        "logdoctor.wraps",
    ),
    ("logdoctor.archive.layouts", "logdoctor.followed_file", "logdoctor.live_state", "logdoctor.regex_searches"),
    ("logdoctor.archive.trees", "logdoctor.pieces", "logdoctor.resemblance", "logdoctor.signatures"),
    (
        "logdoctor.automaton",
        "logdoctor.chains",
        "logdoctor.clocks",
        "logdoctor.digit_blindness",
        "logdoctor.drafts",
        "logdoctor.event_texts",
        "logdoctor.follow",
        "logdoctor.groups",
        "logdoctor.loops",
        "logdoctor.reruns",
        "logdoctor.metrics",
        "logdoctor.marked_lines",
        "logdoctor.neighbours",
    ),
    (
        "logdoctor.collectives",
        "logdoctor.part_analysis",
        "logdoctor.ranking",
        "logdoctor.recurrences",
        "logdoctor.sampling",
        "logdoctor.screen",
        "logdoctor.survival",
    ),
    ("logdoctor.candidates", "logdoctor.gaps"),
    (
        "logdoctor.compile",
        "logdoctor.compiled",
        "logdoctor.context",
        "logdoctor.diagnose",
        "logdoctor.events",
        "logdoctor.lines",
        "logdoctor.match",
        "logdoctor.reports.markdown",
        "logdoctor.reports.signature_page",
        "logdoctor.reports.structured",
        "logdoctor.reports.text",
        "logdoctor.scanner",
    ),
    (
        "logdoctor.reading",
        "logdoctor.recognition",
        "logdoctor.renumbering",
        "logdoctor.reports.found",
        "logdoctor.reports.handbook",
        "logdoctor.reports.places",
        "logdoctor.sections",
    ),
    ("logdoctor.examination", "logdoctor.shared_sections"),
    ("logdoctor.section_reading",),
    ("logdoctor.reports.html", "logdoctor.reports.html.bilingual", "logdoctor.reports.html.captions", "logdoctor.reports.html.periods"),
    ("logdoctor.reports.html.page",),
    ("logdoctor.reports.html.archive", "logdoctor.reports.html.run"),
    ("logdoctor.pipeline",),
    ("logdoctor.archive.clouds", "logdoctor.archive.reading", "logdoctor.live"),
    ("logdoctor.archive.roots", "logdoctor.reports.live"),
    ("logdoctor.archive.judging", "logdoctor.databases", "logdoctor.signature_checks"),
    ("logdoctor.archive.comparison", "logdoctor.archive.records", "logdoctor.reader_pool"),
    ("logdoctor.archive.store", "logdoctor.archive.workers"),
    ("logdoctor.archive.batch", "logdoctor.archive.overview", "logdoctor.archive.rays"),
    ("logdoctor.reports.archive_rows",),
    ("logdoctor.reports.archive_structured",),
    ("logdoctor.reports.archive_table", "logdoctor.reports.archive_text"),
    ("logdoctor.library",),
    ("logdoctor.cli",),
    ("logdoctor.cli.arguments", "logdoctor.cli.progress", "logdoctor.cli.terminal"),
    ("logdoctor.cli.quick", "logdoctor.cli.scanning"),
    ("logdoctor.cli.batching", "logdoctor.cli.live_options", "logdoctor.cli.watching"),
    ("logdoctor.cli.side_scan", "logdoctor.cli.tailing"),
    ("logdoctor.cli.running",),
    ("logdoctor.cli.commands",),
    ("logdoctor.cli.main",),
    ("logdoctor.__main__",),
)
LAYER_OF = {module: number for number, layer in enumerate(LAYERS) for module in layer}
SOURCE = Path(__file__).parents[1] / "src"


def modules() -> dict[str, Path]:
    found = {}
    for path in sorted((SOURCE / "logdoctor").rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(path: Path, known: dict[str, Path]) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}:{node.lineno}: a relative import"
            names.update(f"{node.module}.{alias.name}" if f"{node.module}.{alias.name}" in known else str(node.module) for alias in node.names)
    return names & set(known)


@pytest.mark.parametrize("module", modules())
def test_module_imports_lower_layers_only(module: str) -> None:
    """Every module has a place in LAYERS and looks down only."""
    assert module in LAYER_OF, f"give {module} a place in LAYERS"
    upward = {name for name in imported(modules()[module], modules()) if LAYER_OF[name] >= LAYER_OF[module]}
    assert upward == set()


def test_layers_name_no_module_that_is_gone() -> None:
    """LAYERS lists what there is."""
    assert set(LAYER_OF) == set(modules())


@pytest.mark.parametrize("module", modules())
def test_module_and_functions_stay_short(module: str) -> None:
    """No module has more than 350 lines, no function more than 40."""
    text = modules()[module].read_text(encoding="utf-8")
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    too_long = {node.name: (node.end_lineno or 0) - node.lineno + 1 for node in functions if (node.end_lineno or 0) - node.lineno >= 40}
    assert (len(text.splitlines()) <= 350, too_long) == (True, {})


@pytest.mark.parametrize("module", modules())
def test_only_cli_prints_reads_the_environment_and_exits(module: str) -> None:
    """print, sys.exit, os.environ and stdin stand in cli alone."""
    if module.startswith("logdoctor.cli"):
        return
    tree = ast.parse(modules()[module].read_text(encoding="utf-8"))
    calls = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    attributes = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert calls & {"print", "sys.exit", "exit", "click.echo"} == set()
    assert attributes & {"os.environ", "sys.stdin", "sys.stdout", "sys.stderr"} == set()


def test_public_functions_have_docstrings() -> None:
    """Every public module, class and function says what it is."""
    missing = []
    for module, path in modules().items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        public = [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"))]
        nested = {id(inner) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for inner in ast.walk(node) if inner is not node}
        private = {id(inner) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name.startswith("_") for inner in ast.walk(node)}
        missing += [f"{module}:{getattr(node, 'name', '')}" for node in public if id(node) not in nested | private and not ast.get_docstring(node)]
    assert missing == []
