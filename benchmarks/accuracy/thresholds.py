"""How many characters may differ? `python -m benchmarks.accuracy.thresholds`.

Recall against false alarms, for the whole database.

Each template is filled with values, damaged, and compared as `templates.Template` compares; a text
is accepted at a threshold where no more than that share of the template's literal characters
differs. The same templates are compared with every line of texts in which nothing is wrong. This
judges the comparison alone: every template with every text, as if the search had proposed it. What
the search finds of it is another question (see `signatures check`).
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from benchmarks import REPOSITORY
from benchmarks.speed.document import replace_part
from benchmarks.speed.patterns import read_signatures
from benchmarks.speed.picture import Plot, line_chart
from benchmarks.texts.damage import Damage, filled, reworded, truncated, with_edits, wrapped
from benchmarks.texts.foreign_text import foreign_files
from benchmarks.texts.healthy_logs import healthy_lines
from logdoctor.patterns import templates
from logdoctor.patterns.templates import EXACT_ONLY_BELOW, Template, parse_template
from logdoctor.texts.masking import comparable

THRESHOLDS = (0.0, 0.05, 0.08, 0.10, 0.12, 0.15, 0.18, 0.20, 0.25, 0.30)
PLOTTED = (0.05, 0.10, 0.15, 0.20, 0.25, 0.30)
DAMAGES: Mapping[str, tuple[Damage, str, tuple[float, ...]]] = {
    "characters edited": (
        with_edits,
        "share of characters edited",
        (0.02, 0.05, 0.08, 0.10, 0.15, 0.20, 0.25),
    ),
    "words reworded": (reworded, "share of words reworded", (0.05, 0.10, 0.20, 0.30)),
    "end cut off": (truncated, "share cut off at the end", (0.05, 0.10, 0.15, 0.25, 0.40)),
    "wrapped": (wrapped, "columns (lines joined again)", (40, 80)),
}
NEAR_MISSES = f"{PLOTTED[0]:.0%} may differ"
"""Also the name of the only curve of the last plot, so that the legend holds thresholds alone."""

PAGE, PICTURE = REPOSITORY / "docs" / "performance.md", REPOSITORY / "docs" / "thresholds.svg"
LINE_LIMIT = 400
"""Characters of a healthy line that are compared."""

_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Alarm:
    """A healthy line that a template accepts, and the share of the template that differs."""

    share: float
    template: str
    line: str


def usable_templates() -> list[str]:
    """The templates of the database that are ever compared fuzzily."""
    return [
        each
        for each in read_signatures(REPOSITORY / "signatures").templates
        if parse_template(each).length >= EXACT_ONLY_BELOW
    ]


def tolerant(text: str) -> Template:
    """A template that accepts as much as the largest threshold."""
    templates.ACCEPTED_SHARE = max(THRESHOLDS)
    return parse_template(text)


def needed_share(template: Template, text: str) -> float:
    """The least threshold at which the text is accepted; infinite above the largest."""
    found = template.compare(comparable(text))
    return found.edits / template.length if found else float("inf")


def recall_of(text: str, each_way: int) -> dict[tuple[str, float], list[float]]:
    """The shares that damaged texts of one template need, by kind and rate."""
    template, draw = tolerant(text), random.Random(text)  # noqa: S311  # made-up damage
    needed: dict[tuple[str, float], list[float]] = {}
    for kind, (damage, _, rates) in DAMAGES.items():
        for rate in rates:
            needed[kind, rate] = [
                needed_share(template, damage(filled(template, draw), rate, draw))
                for _ in range(each_way)
            ]
    return needed


def alarms_of(text: str, lines: Sequence[str]) -> list[Alarm]:
    """The lines that one template accepts."""
    template = tolerant(text)
    shares = ((needed_share(template, line), line) for line in lines)
    return [Alarm(share, text, line) for share, line in shares if share <= max(THRESHOLDS)]


def distinct_lines(lines: Iterable[str], most: int) -> list[str]:
    """Lines that differ in more than their digits, as a message is compared.

    At most so many, spread over the whole.
    """
    shapes: dict[str, str] = {}
    for line in lines:
        text = comparable(line[:LINE_LIMIT])
        if len(text) >= EXACT_ONLY_BELOW:
            shapes.setdefault(_DIGITS.sub("0", text), text)
    kept = list(shapes.values())
    return random.Random(1).sample(kept, min(most, len(kept)))  # noqa: S311


def lines_below(folder: Path) -> Iterator[str]:
    """All lines of all files below a folder."""
    for file in sorted(
        each for each in folder.rglob("*") if each.is_file() and each.suffix in (".txt", ".log")
    ):
        with file.open(encoding="utf-8", errors="replace") as lines:
            yield from lines


def texts_without_errors(folders: Sequence[Path], most: int) -> dict[str, list[str]]:
    """Named texts: the given folders, else made healthy logs and this machine's source code."""
    if folders:
        return {folder.name: distinct_lines(lines_below(folder), most) for folder in folders}
    source = (
        line
        for file in islice(foreign_files(), 0, None, 7)
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines()
    )
    return {
        "healthy logs": distinct_lines(islice(healthy_lines(99), most * 3), most),
        "source code": distinct_lines(islice(source, most * 5), most),
    }


def near_misses_of() -> list[Alarm]:
    """The near misses that a template of their own signature accepts, whatever it excludes."""
    pairs = [
        (template, text)
        for template, text in read_signatures(REPOSITORY / "signatures").near_misses
        if parse_template(template).length >= EXACT_ONLY_BELOW
    ]
    shares = [
        (needed_share(tolerant(template), text[:4000]), template, text) for template, text in pairs
    ]
    return [Alarm(*each) for each in shares]


def accepted(shares: Sequence[float], threshold: float) -> float:
    """The share of texts accepted at a threshold."""
    return sum(each <= threshold for each in shares) / max(1, len(shares))


def tables(
    needed: Mapping[tuple[str, float], Sequence[float]],
    alarms: Mapping[str, Sequence[Alarm]],
    texts: Mapping[str, Sequence[str]],
) -> Iterator[str]:
    """The Markdown of both tables."""
    yield "| damage | " + " | ".join(f"{each:.0%}" for each in THRESHOLDS) + " |"
    yield "| --- |" + " ---: |" * len(THRESHOLDS)
    for (kind, rate), shares in needed.items():
        name = f"wrapped at {rate:g} columns" if kind == "wrapped" else f"{kind}: {rate:.0%}"
        yield (
            f"| {name} | "
            + " | ".join(f"{accepted(shares, each):.1%}" for each in THRESHOLDS)
            + " |"
        )
    for name, found in alarms.items():
        lines = {
            threshold: len({alarm.line for alarm in found if alarm.share <= threshold})
            for threshold in THRESHOLDS
        }
        yield (
            f"| **false alarms**, lines of {len(texts[name]):,} in {name} | "
            + " | ".join(str(lines[each]) for each in THRESHOLDS)
            + " |"
        )
    close = near_misses_of()
    counts = (
        len({each.line for each in close if each.share <= threshold}) for threshold in THRESHOLDS
    )
    yield (
        (
            f"| **near misses** accepted, of the {len({each.line for each in close})} "
            f"counterexamples (before `excludes`) | "
        )
        + " | ".join(map(str, counts))
        + " |"
    )


def worst(alarms: Mapping[str, Sequence[Alarm]], least: float) -> Iterator[str]:
    """The templates that accept most lines that differ from them, with one line each."""
    fuzzy = [
        each
        for found in alarms.values()
        for each in found
        if each.share > 0 and each.share <= least
    ]
    for template, count in Counter(each.template for each in fuzzy).most_common(8):
        sample = min(
            (each for each in fuzzy if each.template == template), key=lambda each: each.share
        )
        yield (
            f"- {count} × `{template}` ({sample.share:.0%} differs): "
            f"`{sample.line[:140].replace('`', chr(39))}`"
        )


def supported(alarms: Mapping[str, Sequence[Alarm]]) -> float:
    """The largest threshold with no more false alarms than the least that is not exact."""
    shares = [each.share for found in alarms.values() for each in found]
    counts = {
        threshold: sum(share <= threshold for share in shares) for threshold in THRESHOLDS[1:]
    }
    return max(threshold for threshold, count in counts.items() if count == counts[THRESHOLDS[1]])


def plots(needed: Mapping[tuple[str, float], Sequence[float]]) -> list[Plot]:
    """Recall by damage with a curve for each threshold, and near misses by threshold."""
    drawn = [
        Plot(
            f"Found: {kind}",
            axis,
            rates,
            {
                f"{threshold:.0%} may differ": [
                    accepted(needed[kind, rate], threshold) for rate in rates
                ]
                for threshold in PLOTTED
            },
        )
        for kind, (_, axis, rates) in DAMAGES.items()
        if kind != "wrapped"
    ]
    shares = [each.share for each in near_misses_of()]
    return [
        *drawn,
        Plot(
            "Near misses accepted (before excludes)",
            "share that may differ",
            THRESHOLDS,
            {NEAR_MISSES: [accepted(shares, each) for each in THRESHOLDS]},
            0.4,
        ),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, prints, and with --write changes the document."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.accuracy.thresholds",
        description=(__doc__ or "").split("\n", 1)[0],
    )
    parser.add_argument(
        "--text",
        action="append",
        type=Path,
        default=[],
        metavar="FOLDER",
        help="texts in which nothing is wrong (default: made logs, and source code)",
    )
    parser.add_argument(
        "--lines",
        type=int,
        default=20_000,
        help="distinct lines of each text (default: %(default)s)",
    )
    parser.add_argument(
        "--mutants",
        type=int,
        default=10,
        help="damaged texts of each template, kind and rate (default: %(default)s)",
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--write", action="store_true", help="write the table and the picture into docs/"
    )
    options = parser.parse_args(arguments)
    named, texts = usable_templates(), texts_without_errors(options.text, options.lines)
    needed: dict[tuple[str, float], list[float]] = {}
    alarms: dict[str, list[Alarm]] = {}
    current = templates.ACCEPTED_SHARE
    with ProcessPoolExecutor(options.jobs) as pool:
        for one in pool.map(recall_of, named, [options.mutants] * len(named), chunksize=4):
            for key, shares in one.items():
                needed.setdefault(key, []).extend(shares)
        for name, lines in texts.items():
            alarms[name] = [
                alarm
                for found in pool.map(alarms_of, named, [lines] * len(named))
                for alarm in found
            ]
    text = "\n".join(tables(needed, alarms, texts))
    text += (
        f"\n\n{len(named)} templates, {options.mutants} damaged texts each; the program accepts "
        f"{current:.0%}. The largest threshold that brings no false alarm beyond those of "
        f"{THRESHOLDS[1]:.0%}: {supported(alarms):.0%}.\n"
    )
    text += (
        f"\nTemplates behind the false alarms up to {max(THRESHOLDS):.0%}:\n\n"
        + "\n".join(worst(alarms, max(THRESHOLDS)))
        + "\n"
    )
    print(text)
    if options.write:
        replace_part(PAGE, "thresholds", text)
        PICTURE.write_text(line_chart(plots(needed)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
