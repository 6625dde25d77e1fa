"""How often the first diagnosis is right when the same failures arrive in other shapes.

usage: python -m benchmarks.accuracy.score_variants FOLDER... [--variants NAME,...] [--show]

A case is a folder with `log.txt` and `meta.yaml` below FOLDER: `root_line` (a text that only the
line which names the cause holds), `root_line_alternatives`, or `root_numbers` (line numbers) say
where the cause stands. A folder whose name begins with `neg-` went well. Prints for each variant
(see benchmarks/texts/variants.py) the shares in which

    root@1   the answer is a diagnosis, and its first evidence is at the root line (give
             or take two lines)
    located  the answer, be it an error without a signature, is there
    same     the answer is what it is for the log as it was
    quiet    of what went well: nothing is diagnosed that counts
    silent   of what went well: and no error without a signature counts
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import yaml

from benchmarks.texts.variants import FAILING, VARIANTS, Line
from logdoctor.model import HARMLESS, AnswerList, Evidence, ScanResult, Severity
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton
from logdoctor.search.compiling import compile_automaton
from logdoctor.signatures.reading import bundled_path, load_signatures

SLACK, SPAN_LIMIT, EVIDENCE_COUNTED = 2, 40, 3


class Case(NamedTuple):
    """A labelled log: its lines, and the numbers of those that name the cause.

    The numbers begin with 1; there is none where nothing is wrong.
    """

    name: str
    lines: tuple[str, ...]
    roots: frozenset[int]
    is_healthy: bool


class Outcome(NamedTuple):
    """What was answered to one variant of a case."""

    name: str | None
    is_known: bool
    is_located: bool
    is_quiet: bool
    is_silent: bool


def main() -> int:
    """0; 2 where there is no case."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument(
        "--variants", default=",".join(VARIANTS), help="names, with commas between (default: all)"
    )
    parser.add_argument(
        "--show",
        action="store_true",
        help="print each case that is right as it was and wrong in a variant",
    )
    options = parser.parse_args()
    names = options.variants.split(",")
    unknown = [name for name in names if name not in VARIANTS]
    if unknown:
        parser.error(f'no variant "{unknown[0]}"; there are {", ".join(VARIANTS)}')
    cases = [case for folder in options.folders for _, case in cases_of(folder)]
    if not cases:
        print(
            (
                f"no case (a folder with log.txt and meta.yaml) in "
                f"{', '.join(map(str, options.folders))}"
            ),
            file=sys.stderr,
        )
        return 2
    automaton = compile_automaton(load_signatures([bundled_path()]))
    first = [_outcome(automaton, case, VARIANTS["as_it_was"](case.lines)) for case in cases]
    for name in names:
        _print_variant(automaton, cases, first, name, is_shown=options.show)
    return 0


def _print_variant(
    automaton: Automaton,
    cases: Sequence[Case],
    first: Sequence[Outcome],
    name: str,
    *,
    is_shown: bool,
) -> None:
    begin = time.monotonic()
    outcomes = (
        first
        if name == "as_it_was"
        else [_outcome(automaton, case, VARIANTS[name](case.lines)) for case in cases]
    )
    seconds = time.monotonic() - begin
    failed = [
        (case, was, now)
        for case, was, now in zip(cases, first, outcomes, strict=True)
        if not case.is_healthy
    ]
    healthy = [
        (case, now)
        for case, now in zip(cases, outcomes, strict=True)
        if case.is_healthy and name not in FAILING
    ]
    figures = {
        "root@1": [now.is_known and now.is_located for _, _, now in failed],
        "located": [now.is_located for _, _, now in failed],
        "same": [now.name == was.name for _, was, now in failed],
        "quiet": [now.is_quiet for _, now in healthy],
        "silent": [now.is_silent for _, now in healthy],
    }
    shares = "  ".join(
        f"{figure} {100 * sum(values) / len(values):5.1f} %"
        for figure, values in figures.items()
        if values
    )
    print(f"{name:14} {shares}  ({len(cases)} cases, {seconds:.0f} s)", flush=True)
    for case, was, now in failed if is_shown else ():
        if was.is_located and not now.is_located:
            print(f"    {case.name:50} {was.name} -> {now.name}")
    for case, now in healthy if is_shown else ():
        if not now.is_silent:
            print(f"    {case.name:50} {now.name}")


def cases_of(folder: Path) -> Iterator[tuple[Path, Case]]:
    """Each log below a folder, and what is known of it."""
    for path in sorted(folder.rglob("meta.yaml")):
        meta = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        lines = tuple(
            path.with_name("log.txt")
            .read_bytes()
            .decode("utf-8", "replace")
            .replace("\r\n", "\n")
            .split("\n")
        )
        roots = set(meta.get("root_numbers") or ())
        for text in (
            [meta.get("root_line"), *(meta.get("root_line_alternatives") or ())]
            if not roots
            else ()
        ):
            roots |= {
                number for number, line in enumerate(lines, 1) if text and str(text).strip() in line
            }
        is_healthy = path.parent.name.startswith("neg-")
        case = Case(path.parent.name, lines, frozenset(roots), is_healthy)
        yield path.with_name("log.txt"), case


def _outcome(automaton: Automaton, case: Case, made: Sequence[Line]) -> Outcome:
    result = scan_text(automaton, "\n".join(line.text for line in made))
    alarms = [
        each
        for each in result.diagnoses
        if each.verdict not in HARMLESS and each.signature.severity is not Severity.WARNING
    ]
    unknown = [each for each in result.unknown_errors if each.verdict not in HARMLESS]
    name, evidence = _answer(result)
    is_known = result.answer is not None and result.answer.kind is AnswerList.DIAGNOSES
    return Outcome(
        name,
        is_known,
        any(_is_at(each, made, case.roots) for each in evidence[:EVIDENCE_COUNTED]),
        not alarms,
        not (alarms or unknown),
    )


def _answer(result: ScanResult) -> tuple[str | None, tuple[Evidence, ...]]:
    if result.answer is None:
        return None, ()
    if result.answer.kind is AnswerList.DIAGNOSES:
        diagnosis = result.diagnoses[result.answer.index]
        return diagnosis.signature.id, diagnosis.evidence
    error = result.unknown_errors[result.answer.index]
    return error.title, error.evidence


def _is_at(evidence: Evidence, made: Sequence[Line], roots: frozenset[int]) -> bool:
    """Whether evidence is at a root line, counted in lines of the log as it was."""
    line, end = made[evidence.line - 1].origin, made[min(evidence.end_line, len(made)) - 1].origin
    if line is None:
        return False
    end = max(line, min(end or line, line + SPAN_LIMIT))
    return not roots.isdisjoint(range(line - SLACK, end + SLACK + 1))


if __name__ == "__main__":
    sys.exit(main())
