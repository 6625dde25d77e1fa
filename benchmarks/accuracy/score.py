"""How often the verdict on the labelled logs is right, and how often each of its rules is.

python -m benchmarks.accuracy.score [--show] [--only GLOB]

Of logs in which something is wrong, the share in which
    found     the answer is a diagnosis from a signature
    root@1    it is, and its evidence is the root line (or stands within two lines of it)
    located   the answer, be it a diagnosis or an unknown error, is at the root line
    remedy@1  root@1, and the answer says the words that the remedy needs
    fix@1     root@1, and title, cause and the first remedy alone say them
and of healthy logs, the share without a diagnosis of weight (quiet), and without an unknown
error either (silent).

A rule is named by the findings for which it fired (`because`). The first one decided: it was right
where the finding has the verdict that the label gives its line, near where both are harmless in
different words. Lines without a label are not judged, but in a healthy log every finding must be
harmless. The others only placed the finding among the candidates (beside).
"""

from __future__ import annotations

import argparse
import fnmatch
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.accuracy.labels import (
    BENIGN,
    CONSEQUENCE,
    MENTIONED,
    RECOVERED,
    SAMPLES,
    TEARDOWN,
    Label,
    lines_of,
    read_labels,
)

Json = Mapping[str, Any]

ROOT = "root_cause"
HARMLESS = frozenset({RECOVERED, TEARDOWN, BENIGN})
BESIDE_ROOT = frozenset({ROOT, CONSEQUENCE})
"""What another finding at the root line may be: a wrapper often shares the line of its cause."""
BESIDE = "beside"
"""The outcome of a rule that placed a finding whose verdict another rule decided."""
ROOT_SLACK, LONGEST_SPAN, EVIDENCE_READ = 2, 40, 3
FAILED_FIGURES = ("found", "root@1", "located", "remedy@1", "fix@1")
HEALTHY_FIGURES = ("quiet", "silent")
_TEXTS = ("title", "cause")
_REMEDY_TEXTS = ("action", "why", "check", "set", "risk", "applies")


class Row(NamedTuple):
    """One log: the figures it reaches, of those it is judged by, and what the answer was."""

    name: str
    figures: frozenset[str]
    possible: tuple[str, ...]
    answer: str


class Firing(NamedTuple):
    """A rule of a finding: that it decided right, near, wrong, or what has no label; or that it
    held, and another decided.
    """

    rule: str
    outcome: str


def judge(label: Label, document: Json) -> Row:
    """The figures that a document (`--format json`) reaches for a labelled log."""
    answer, known = _answer(document)
    title = str(answer.get("signature_id") if known else answer.get("title", "nothing"))
    if label.healthy:
        alarms = [
            each
            for each in document["diagnoses"]
            if each["severity"] != "warning" and each["verdict"] not in HARMLESS
        ]
        unknown = [each for each in document["unknown_errors"] if each["verdict"] not in HARMLESS]
        reached = {"quiet": not alarms, "silent": not alarms and not unknown}
        title = (
            ", ".join(
                [each["signature_id"] for each in alarms] + [each["title"] for each in unknown]
            )
            or "nothing"
        )
        return Row(
            label.name,
            frozenset(name for name, right in reached.items() if right),
            HEALTHY_FIGURES,
            title,
        )
    located = bool(answer) and _at_root(label, answer)
    root = known and located
    reached = {
        "found": known,
        "root@1": root,
        "located": located,
        "remedy@1": root
        and _says(label, answer, _said(answer, len(answer["remedies"]), _REMEDY_TEXTS)),
        "fix@1": root and _says(label, answer, _said(answer, 1, ("action", "set"))),
    }
    return Row(
        label.name,
        frozenset(name for name, right in reached.items() if right),
        FAILED_FIGURES,
        title,
    )


def firings(label: Label, document: Json) -> Iterator[Firing]:
    """What each rule decided, and whether the label agrees; nothing where nobody says why."""
    texts = label.texts()
    answer, _ = _answer(document)
    rooted = bool(answer) and _at_root(label, answer)
    for finding in (*document["diagnoses"], *document["unknown_errors"]):
        truth = _truth(label, texts, finding)
        if truth == ROOT and rooted and finding is not answer:
            truth = finding["verdict"] if finding["verdict"] in BESIDE_ROOT else truth
        outcome = _outcome(finding["verdict"], truth, healthy=label.healthy)
        deciding, *others = finding.get("because", ()) or (None,)
        if deciding:
            yield Firing(deciding["rule"], outcome)
        yield from (Firing(each["rule"], BESIDE) for each in others)


def scan_document(log: Path, cache_folder: str | None = None) -> Json:
    """The document of one log, or of a folder of logs, in English."""
    from logdoctor.api import CACHE_FOLDER, scan  # noqa: PLC0415  # judging needs no automaton
    from logdoctor.document.document import document  # noqa: PLC0415
    from logdoctor.model import Language  # noqa: PLC0415

    return document(scan(log, cache_folder=cache_folder or CACHE_FOLDER), Language.EN, "")


def _answer(document: Json) -> tuple[Json, bool]:
    pointer = document["answer"]
    if pointer is None:
        return {}, False
    return document[pointer["in"]][pointer["index"]], pointer["in"] == "diagnoses"


def _at_root(label: Label, finding: Json) -> bool:
    texts = label.texts()
    return any(
        any(_near(each, number) for number in _numbers(texts, each["source"], root))
        or root in each["text"]
        for each in finding["evidence"][:EVIDENCE_READ]
        for root in label.roots
    )


def _near(evidence: Json, number: int) -> bool:
    first, last = evidence["line"], evidence["end_line"]
    return bool(
        abs(first - number) <= ROOT_SLACK
        or (last - first <= LONGEST_SPAN and first <= number <= last)
    )


def _numbers(texts: Mapping[str, list[str]], source: str, needle: str) -> list[int]:
    lines = lines_of(texts, source)
    return [number for number, line in enumerate(lines, 1) if needle in line]


def _truth(label: Label, texts: Mapping[str, list[str]], finding: Json) -> str | None:
    """The word that the label has for a finding: the first evidence that has one decides."""
    for each in finding["evidence"][:EVIDENCE_READ]:
        lines = lines_of(texts, each["source"])
        span = lines[
            each["line"] - 1 : max(each["line"], min(each["end_line"], each["line"] + LONGEST_SPAN))
        ]
        for word, needle in (*((ROOT, root) for root in label.roots), *label.lines):
            if any(needle in line for line in span):
                return word
    return None


def _outcome(verdict: str, truth: str | None, *, healthy: bool) -> str:
    if truth is None:
        return "unlabelled" if not healthy else "right" if verdict in HARMLESS else "wrong"
    if verdict == (BENIGN if truth == MENTIONED else truth):
        return "right"
    return "near" if verdict in HARMLESS and truth in HARMLESS | {MENTIONED} else "wrong"


def _said(answer: Json, remedies: int, keys: Sequence[str]) -> Iterator[str]:
    for remedy in answer["remedies"][:remedies]:
        for key in keys:
            value = remedy.get(key, "")
            yield from (
                (f"{name} {wanted}" for name, wanted in value.items())
                if isinstance(value, dict)
                else (str(value),)
            )


def _says(label: Label, answer: Json, said: Iterable[str]) -> bool:
    text = "\n".join((*(str(answer[key]) for key in _TEXTS), *said)).lower()
    return all(any(word in text for word in group) for group in label.remedy_keywords)


def _shares(rows: Sequence[Row], names: Sequence[str]) -> str:
    return "  ".join(
        f"{name} {100 * sum(name in row.figures for row in rows) / len(rows):.1f} %"
        for name in names
    )


def report(rows: Sequence[Row], fired: Sequence[Firing]) -> Iterator[str]:
    """The figures, a line for each kind of log, and a line for each rule."""
    for word, names in (("failed", FAILED_FIGURES), ("healthy", HEALTHY_FIGURES)):
        of_kind = [row for row in rows if row.possible == names]
        if of_kind:
            yield f"{len(of_kind)} {word} logs: {_shares(of_kind, names)}"
    counted = Counter(fired)
    outcomes = ("right", "near", "wrong", "unlabelled", BESIDE)
    rules = sorted({each.rule for each in fired})
    if not rules:
        yield "no finding says which rule decided"
        return
    width = max(len(rule) for rule in rules)
    yield f"{'rule':<{width}}  " + "  ".join(f"{word:>10}" for word in ("fired", *outcomes))
    for rule in rules:
        numbers = [counted[Firing(rule, outcome)] for outcome in outcomes]
        yield f"{rule:<{width}}  " + "  ".join(
            f"{number:>10}" for number in (sum(numbers), *numbers)
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the figures of the labelled logs; 0 whatever they are."""
    parser = argparse.ArgumentParser(description="scores the verdict on the labelled logs")
    parser.add_argument("folder", nargs="?", type=Path, default=SAMPLES)
    parser.add_argument("--only", default="*", help="glob over the names of the logs")
    parser.add_argument(
        "--show", action="store_true", help="print each log that falls short, and what it lacks"
    )
    parser.add_argument("--cache-folder", help="where compiled signatures are kept")
    options = parser.parse_args(arguments)
    rows: list[Row] = []
    fired: list[Firing] = []
    for label in read_labels(options.folder):
        if fnmatch.fnmatch(label.name, options.only):
            read = scan_document(label.log, options.cache_folder)
            rows.append(judge(label, read))
            fired += firings(label, read)
    for row in rows:
        lacking = [name for name in row.possible if name not in row.figures]
        if options.show and lacking:
            print(f"{row.name:<44} lacks {' '.join(lacking)}; answer: {row.answer[:90]}")
    for line in report(rows, fired):
        print(line)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
