"""Writes the table of docs/preflight.md from projects unpacked in a folder.

    python -m scripts.preflight_page FOLDER

FOLDER has a folder for each project, named as in PROJECTS. Their files are read, nothing of them is
kept but counts and the places of violations.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from logdoctor.model import Language
from logdoctor.relations.judging import Asked, RelationBase, judge, recognise, resolved_share
from logdoctor.relations.reading import relations_path
from logdoctor.settings.files import read_configurations

PAGE = Path(__file__).parents[1] / "docs" / "preflight.md"
BEGIN, END = "<!-- table: begin -->\n", "<!-- table: end -->\n"
LARGEST = 500_000
"""Bytes of a file; what is larger is no configuration."""

PROJECTS = (
    ("verl", "verl", "0.7.1"),
    ("roll", "ROLL", None),
    ("nemo_rl", "NeMo-RL", None),
    ("trl", "trl", "1.9.2"),
    ("trl_sft", "trl", "1.9.2"),
    ("trl_dpo", "trl", "1.9.2"),
    ("trl_kto", "trl", "1.9.2"),
    ("trl_rloo", "trl", "1.9.2"),
    ("areal", "AReaL", None),
    ("slime", "slime", None),
    ("chatlearn", "ChatLearn", None),
    ("megatron", "Megatron-LM", None),
    ("skyrl", "SkyRL", None),
    ("skyrl_sft", "SkyRL", None),
    ("openrlhf", "OpenRLHF", None),
    ("openrlhf_sft", "OpenRLHF", None),
    ("openrlhf_dpo", "OpenRLHF", None),
    ("openrlhf_rm", "OpenRLHF", None),
    ("prime_rl", "prime-rl", None),
    ("prime_rl_sft", "prime-rl", None),
)
"""Frameworks, folders, and the release whose defaults count."""

FOLDERS = {framework: folder for framework, folder, _ in PROJECTS}

COMMITS = {
    "verl": "b178a3cd5", "ROLL": "8eb27cc2", "NeMo-RL": "7ea279abf", "trl": "f2cd57710",
    "AReaL": "cbff54d64", "slime": "624b824a8", "ChatLearn": "b7af31a9",
    "Megatron-LM": "d98e8a64dd", "SkyRL": "a9564572e", "OpenRLHF": "3c3be623",
    "prime-rl": "559b44772",
}  # fmt: skip
"""What was read of each folder."""


class Row(NamedTuple):
    """What was read of one project."""

    framework: str
    configurations: int
    keys: int
    resolved: int
    whole: int
    judged: int
    violations: tuple[tuple[str, str, str], ...]


def measured(framework: str, folder: Path, version: str | None, base: RelationBase) -> Row:
    """Reads every script, YAML, TOML, JSON and Python file below a folder."""
    counts = [0, 0, 0, 0, 0]
    violations = []
    for file, text in _files(folder):
        for each in read_configurations(str(file), text, file):
            if recognise(each, base.frameworks) != framework:
                continue
            keys, failed = resolved_share(each, base, framework)
            found = judge(each, base, Asked(framework, version))
            more = (1, keys, keys - len(failed), not failed and not each.openings, found.judged)
            counts = [have + new for have, new in zip(counts, more, strict=True)]
            violations += [
                (
                    f"{file.relative_to(folder)}:{violation.at.line if violation.at else 0}",
                    violation.relation.id,
                    violation.because.in_language(Language.EN),
                )
                for violation in found.violations
            ]
    configurations, keys, resolved, whole, judged = counts
    found_once = tuple(dict.fromkeys(violations))
    return Row(framework, configurations, keys, resolved, whole, judged, found_once)


def _files(folder: Path) -> Iterator[tuple[Path, str]]:
    for file in sorted(folder.rglob("*")):
        wanted = file.suffix in {".sh", ".yaml", ".yml", ".json", ".py", ".toml"}
        if wanted and file.is_file() and file.stat().st_size <= LARGEST:
            yield file, file.read_text(encoding="utf-8", errors="replace")


def table(rows: list[Row]) -> str:
    """Markdown: what was read, and every violation."""
    lines = [
        "| project | commit | configurations | settings resolved | wholly | judgements | broken |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        share = f"{row.resolved} of {row.keys} ({100 * row.resolved / max(row.keys, 1):.1f} %)"
        commit = COMMITS[FOLDERS[row.framework]]
        lines.append(
            f"| {row.framework} | {commit} | {row.configurations} | {share} | "
            f"{row.whole} | {row.judged} | {len(row.violations)} |"
        )
    total = [sum(each) for each in zip(*(row[1:6] for row in rows), strict=True)]
    share = f"{total[2]} of {total[1]} ({100 * total[2] / total[1]:.1f} %)"
    broken = sum(len(row.violations) for row in rows)
    lines.append(f"| all | | {total[0]} | {share} | {total[3]} | {total[4]} | {broken} |")
    lines += ["", "| where | relation | what |", "| --- | --- | --- |"]
    lines += [
        f"| {row.framework} `{where}` | {name} | {what} |"
        for row in rows
        for where, name, what in row.violations
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Writes the page; 2 where no folder is given."""
    if len(sys.argv) != 2:  # noqa: PLR2004
        print(__doc__)
        return 2
    base = RelationBase(relations_path())
    rows = [
        measured(name, Path(sys.argv[1]) / folder, version, base)
        for name, folder, version in PROJECTS
    ]
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    PAGE.write_text(before + BEGIN + table(rows) + END + rest.split(END)[1], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
