"""The stages in their order: Scan.

bytes ─▶ Scanner ─Region▶ Examination ─▶ Findings ─▶ ScanResult
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from logdoctor.automaton import Automaton
from logdoctor.chronology import Chronology
from logdoctor.errors import SourceError
from logdoctor.model import Answer, AnswerList, Findings, RunContext, ScanOptions, ScanResult, SourceSummary
from logdoctor.scanner import Scanner
from logdoctor.screen import Screen

if TYPE_CHECKING:
    from logdoctor.examination import Examination

HEAD_BYTES = 8192
"""First bytes of a source that are kept, to see where they come again."""

TAIL_BYTES = 4096
"""Last bytes of a source that are kept, to see who was still writing."""

__all__ = ["Scan", "ScanOptions", "scan_text"]


class Scan:
    """One run under examination: feed its sources one after the other, then ask for the result.

    Sources are told apart by name; their lines are judged together.
    """

    def __init__(self, automaton: Automaton, options: ScanOptions | None = None, jobs: int = 1) -> None:
        """`jobs` is the number of threads that search; the result is the same for any."""
        self._automaton = automaton
        self._jobs = jobs
        self._screen = Screen(automaton)
        self._options = options or ScanOptions()
        self._examination: Examination | None = None  # its modules are imported when something lights up
        self._sources: list[SourceSummary] = []
        self._turned: dict[str, Sequence[int]] = {}  # by source, numbers of the lines of those that had the newest first

    def read(self, name: str, chunks: Iterable[bytes]) -> None:
        """Reads one source to its end; what keeps it from being read further is noted in its summary.

        A KeyboardInterrupt passes through after what was read has been taken.
        """
        scanner = Scanner(self._automaton, self._jobs, self._screen)
        chronology = Chronology(chunks)
        problem: str | None = None
        head = tail = b""
        is_between_chunks = True
        try:
            for chunk in chronology:
                is_between_chunks = False
                head += chunk[: HEAD_BYTES - len(head)]
                for region in scanner.feed(chunk):
                    self._examined(head).take(name, region)
                tail = chunk[-TAIL_BYTES:] if len(chunk) >= TAIL_BYTES else (tail + chunk)[-TAIL_BYTES:]
                is_between_chunks = True
        except SourceError as error:
            problem = error.what
        finally:
            if is_between_chunks:  # else the scan of a chunk was interrupted, and its rest is not judged
                for region in scanner.flush():
                    self._examined(head).take(name, region)
            if self._examination:
                self._examination.end_source(name, scanner.lines, tail)
            self._sources.append(SourceSummary(name, scanner.lines, scanner.bytes, problem))
            if chronology.numbers:
                self._turned[name] = chronology.numbers

    def note_unreadable(self, error: SourceError) -> None:
        """Takes note of a source that could not even be opened."""
        self._sources.append(SourceSummary(error.source, 0, 0, error.what))

    def result(self) -> ScanResult:
        """The verdict over everything read so far."""
        findings = self._examination.findings() if self._examination else _nothing(self._options)
        if self._turned:
            from logdoctor.renumbering import renumbered  # noqa: PLC0415  # a rare form of export

            findings = renumbered(findings, self._turned)
        problems = [(each.name, each.lines, each.problem) for each in self._sources if each.problem]
        if problems:
            from logdoctor.examination import unread  # noqa: PLC0415

            findings = findings._replace(not_seen=(*findings.not_seen, *(unread(*problem) for problem in problems)))
        result = ScanResult(
            sources=tuple(self._sources),
            context=findings.context,
            answer=findings.answer,
            diagnoses=findings.diagnoses,
            unknown_errors=findings.unknown_errors,
            not_seen=findings.not_seen,
            signature_faults=findings.signature_faults,
            database=self._automaton.database.version,
            signatures=len(self._automaton.database.signatures),
        )
        return _confident(result, self._options.min_confidence)

    def _examined(self, head: bytes = b"") -> Examination:
        if self._examination is None:
            from logdoctor.examination import Examination  # noqa: PLC0415  # half of a start, which a quiet log does without

            self._examination = Examination(self._automaton, self._options)
        self._examination.begin_source(len(self._sources), head)
        return self._examination


def _nothing(options: ScanOptions) -> Findings:
    context = RunContext(options.frameworks, config={key: (value,) for key, value in options.config.items()})
    return Findings(context)


def scan_text(automaton: Automaton, text: str, options: ScanOptions | None = None) -> ScanResult:
    """Judges a text as if it were a log of its own."""
    scan = Scan(automaton, options)
    scan.read("<text>", [text.encode()])
    return scan.result()


def _confident(result: ScanResult, least: float) -> ScanResult:
    if not least:
        return result
    from logdoctor.phrases import Phrase  # noqa: PLC0415

    diagnoses = tuple(each for each in result.diagnoses if each.confidence >= least)
    left_out = len(result.diagnoses) - len(diagnoses)
    not_seen = (*result.not_seen, Phrase.LEFT_OUT.fill(count=left_out)) if left_out else result.not_seen
    answer = result.answer
    if answer and answer.kind is AnswerList.DIAGNOSES:
        chosen = result.diagnoses[answer.index]
        answer = Answer(answer.kind, diagnoses.index(chosen)) if chosen in diagnoses else None
    return result._replace(diagnoses=diagnoses, answer=answer, not_seen=not_seen)
