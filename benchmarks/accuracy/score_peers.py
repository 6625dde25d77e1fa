"""How often the line that other programs point at is the root line, on the same labelled logs.

usage: python -m benchmarks.accuracy.score_peers [FOLDER...] [--restart-agent SOURCE] [--show]

The logs are those of sample_logs/ (labels with one file), or the cases below FOLDERs (see
score_variants). Every program is a whole process that gets the path of a log, one after the other;
its answer is one line, or none:

    last-error     the last line with error, exception, fatal, traceback, killed or abort
    first-error    the first of them
    restart_agent  primary_failure of NVIDIA's nvidia-resiliency-ext without its language model;
                   SOURCE is the folder `src` of its repository, whose Python (--python) has httpx
                   and pydantic
    logdoctor      the first evidence of its answer

    root      of logs of failed runs: its line is a root line, give or take two
    silent    of logs of runs that went well: it points at nothing (logdoctor: exit code 0)
    seconds   of processor time a log: median, and the most
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import yaml

from benchmarks.accuracy.labels import read_labels
from benchmarks.accuracy.score_variants import SLACK, cases_of

ERROR_WORDS = re.compile(r"error|exception|fatal|traceback|killed|abort", re.IGNORECASE)
"""What people grep a log for."""

PATIENCE_S = 300
"""After which a program has given no answer."""


class LabelledLog(NamedTuple):
    """A log, and the numbers from 1 of the lines that name the cause; none where all went well."""

    name: str
    path: Path
    roots: frozenset[int]


class Answer(NamedTuple):
    """The line that a program points at, whether it raises an alarm, and its processor time."""

    line: int | None
    is_alarm: bool
    seconds: float


Program = Callable[[Path], Answer]


def main() -> int:
    """0; 2 where there is no log."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--restart-agent", type=Path, metavar="SOURCE")
    parser.add_argument("--python", default=sys.executable, help="what runs restart_agent")
    parser.add_argument("--show", action="store_true", help="print the answers of each log")
    options = parser.parse_args()
    logs = [each for folder in options.folders for each in _cases(folder)] or (
        [] if options.folders else list(_samples())
    )
    if not logs:
        print("no labelled log", file=sys.stderr)
        return 2
    programs: dict[str, Program] = {"last-error": last_error, "first-error": first_error}
    if options.restart_agent:
        programs["restart_agent"] = restart_agent(options.restart_agent, options.python)
    programs["logdoctor"] = logdoctor
    for name, program in programs.items():
        answers = [program(log.path) for log in logs]
        print(_figures(name, logs, answers), flush=True)
        for log, answer in zip(logs, answers, strict=True) if options.show else ():
            print(f"    {log.name:44} {'right' if is_right(log, answer) else answer.line}")
    return 0


def _samples() -> Iterator[LabelledLog]:
    for label in read_labels():
        if label.log.is_file():
            (lines,) = label.texts().values()
            numbers = (
                number
                for number, line in enumerate(lines, 1)
                if any(root in line for root in label.roots)
            )
            yield LabelledLog(label.name, label.log, frozenset(numbers))


def _cases(folder: Path) -> Iterator[LabelledLog]:
    """With each line that has a text of the root, too: ranks and relays repeat it."""
    for path, case in cases_of(folder):
        meta = yaml.safe_load(path.with_name("meta.yaml").read_text(encoding="utf-8")) or {}
        told = (meta.get("root_line"), *(meta.get("root_line_alternatives") or ()))
        texts = [str(each).strip() for each in told if each]
        repeated = {n for n, line in enumerate(case.lines, 1) if any(t in line for t in texts)}
        yield LabelledLog(
            case.name, path, frozenset() if case.is_healthy else case.roots | repeated
        )


def is_right(log: LabelledLog, answer: Answer) -> bool:
    """Whether it points at the root; of a run that went well, whether it raises no alarm."""
    if not log.roots:
        return not answer.is_alarm
    return answer.line is not None and any(abs(answer.line - each) <= SLACK for each in log.roots)


def _figures(name: str, logs: Sequence[LabelledLog], answers: Sequence[Answer]) -> str:
    pairs = list(zip(logs, answers, strict=True))
    shares = []
    for word, is_failed in (("root", True), ("silent", False)):
        right = [is_right(log, answer) for log, answer in pairs if bool(log.roots) is is_failed]
        if right:
            share = 100 * sum(right) / len(right)
            shares.append(f"{word} {share:.1f} % ({sum(right)} of {len(right)})")
    seconds = [answer.seconds for answer in answers]
    most = max(seconds)
    return f"{name:14} {'  '.join(shares)}  seconds {statistics.median(seconds):.2f}, {most:.2f}"


def _error_lines(path: Path) -> list[int]:
    lines = path.read_bytes().decode("utf-8", "replace").split("\n")
    return [number for number, line in enumerate(lines, 1) if ERROR_WORDS.search(line)]


def last_error(path: Path) -> Answer:
    """What `grep -n | tail -1` shows."""
    started = time.process_time()
    found = _error_lines(path)
    return Answer(found[-1] if found else None, bool(found), time.process_time() - started)


def first_error(path: Path) -> Answer:
    """What `grep -n | head -1` shows."""
    started = time.process_time()
    found = _error_lines(path)
    return Answer(found[0] if found else None, bool(found), time.process_time() - started)


def restart_agent(source: Path, python: str) -> Program:
    """NVIDIA's, without a language model."""
    module = "nvidia_resiliency_ext.attribution.restart_agent.cli"
    more = ("--job-id", "job", "--cycle-id", "1", "--disable-l1")
    environment = {**os.environ, "PYTHONPATH": str(source)}

    def ask(path: Path) -> Answer:
        done, seconds = _run([python, "-m", module, str(path), *more], environment)
        found = json.loads(done.stdout).get("primary_failure") if done else None
        return Answer(found["line"] if found else None, found is not None, seconds)

    return ask


def logdoctor(path: Path) -> Answer:
    """The program itself, of the same Python."""
    words = [sys.executable, "-m", "logdoctor", "scan", "--isolated", "--format", "json", str(path)]
    done, seconds = _run(words, dict(os.environ))
    if done is None:
        return Answer(None, is_alarm=False, seconds=seconds)
    document = json.loads(done.stdout)
    at = document["answer"]
    line = document[at["in"]][at["index"]]["evidence"][0]["line"] if at else None
    return Answer(line, done.returncode == 1, seconds)


def _run(
    words: Sequence[str], environment: dict[str, str]
) -> tuple[subprocess.CompletedProcess[str] | None, float]:
    """What it did, and how long; nothing where it took too long."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(
            words, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
    except subprocess.TimeoutExpired:
        return None, float(PATIENCE_S)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    sys.exit(main())
