"""What the tools of an agent answer: Tools. Nothing of MCP here, and nothing is written."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from logdoctor.agents.answers import Answer, brief_document, brief_text
from logdoctor.agents.folders import Folders, RefusedError
from logdoctor.archive.batch import Root, judge_roots, rules_key
from logdoctor.archive.overview import Overview, has_failed, root_of
from logdoctor.archive.records import read_dated
from logdoctor.archive.store import Store
from logdoctor.archive.trees import LocalTree
from logdoctor.archive.workers import InlineEngine, Rules
from logdoctor.document.document import document
from logdoctor.errors import SourceError
from logdoctor.model import Diagnosis, Language, ScanOptions
from logdoctor.pipeline.scan import Scan, scan_text
from logdoctor.relations.judging import Asked, RelationBase, judge, recognise
from logdoctor.relations.reading import relations_path
from logdoctor.reports.handbook.signature_rows import signature_row
from logdoctor.reports.preflight.structured import render_json
from logdoctor.reports.preflight.text import Checked, render_text
from logdoctor.reports.run.painting import Pen, TextStyle
from logdoctor.reports.run.titles import healthy_lines
from logdoctor.search.automaton import Automaton
from logdoctor.settings.files import kind_of, read_configurations
from logdoctor.signatures.lookup import Lookup
from logdoctor.sources.finding import Source, find_sources, folder_logs
from logdoctor.texts.masking import printable
from logdoctor.texts.secrets import redacted
from logdoctor.version import __version__

MOST_LINES, LINE_CHARACTERS = 200, 500
"""Of one look at a log."""

MOST_RUNS = 50

WIDTH = 400
"""Columns: an agent has no screen."""

MOST_CONFIGURATION = 10_000_000
"""Bytes of a file; what is larger is no configuration."""


class Limits(NamedTuple):
    """How much one call may read: seconds, and bytes of all its logs, unpacked."""

    seconds: float = 60.0
    bytes: int = 20_000_000_000


class Tools:
    """The tools, over the folders that the user named; every text is in the language asked for."""

    def __init__(
        self,
        automaton: Automaton,
        folders: Folders,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._automaton = automaton
        self._folders = folders
        self._limits = limits or Limits()
        self._clock = clock
        self._lookup: Lookup | None = None

    def diagnose(self, path: str, lang: str = "en", detail: str = "brief") -> Answer:
        """What went wrong first in a log, or in a folder that is one run.

        Raises:
            RefusedError: it may not be read.
        """
        found = self._folders.find(path)
        scan = Scan(self._automaton)
        budget = _Budget(self._limits, self._clock)
        for source in self._sources(found):
            if isinstance(source, SourceError):
                scan.note_unreadable(source)
            else:
                scan.read(source.name, budget.spent(source), is_stored=source.is_stored)
        result = scan.result()
        whole = document(result, Language(lang), __version__)
        calls = list(_next_calls(whole, path))
        pen = Pen(TextStyle(Language(lang), WIDTH))
        standing = [] if result.root else list(map(printable, healthy_lines(result, pen)))
        content = {**whole, "ask_next": calls} if detail == "full" else brief_document(whole, calls)
        return Answer(brief_text(whole, calls, standing), content)

    def explain(self, signature_id: str, lang: str = "en") -> Answer:
        """All about a known problem.

        Raises:
            RefusedError: there is none of that id; it names some that resemble it.
        """
        signature = self._automaton.database.find(signature_id)
        if signature is None:
            near = [each.signature.id for each in self._found(signature_id, 5)]
            hint = f"did you mean {', '.join(near)}?" if near else "search_signatures finds some"
            raise RefusedError(f'no signature "{signature_id[:80]}"; {hint}')
        row = signature_row(signature, Language(lang))
        row["examples"] = row["examples"][:1]
        lines = [f"{row['title']} ({row['signature_id']})", f"Why: {row['cause']}"]
        for number, each in enumerate(row["remedies"][:5], 1):
            lines.append(f"{number}. {each['action']} [risk: {each['risk']}]")
        left = len(row["remedies"]) - 5
        lines += [f"{left} more in the structured content"] * (left > 0)
        lines += [f"Reference: {each}" for each in row["references"][:3]]
        return Answer(printable("\n".join(lines)), row)

    def search_signatures(self, words: str, lang: str = "en", limit: int = 8) -> Answer:
        """Known problems that fit a message or a few words, the best first."""
        language, limit = Language(lang), max(1, min(limit, 20))
        root = scan_text(self._automaton, f"{words[:10_000]}\n").root
        known = [root.signature] if isinstance(root, Diagnosis) else []
        looked_up = [each.signature for each in self._found(words[:1000], limit)]
        fitting = list({each.id: each for each in (*known, *looked_up)}.values())[:limit]
        rows = [
            {
                "signature_id": each.id,
                "title": each.title.in_language(language),
                "component": each.component,
                "severity": each.severity.value,
                "frameworks": list(each.frameworks),
            }
            for each in fitting
        ]
        lines = [f"- {each['signature_id']}: {each['title']}" for each in rows]
        return Answer("\n".join(lines) or "No signature fits.", {"signatures": rows})

    def evidence(self, path: str, line: int, around: int = 10) -> Answer:
        """Lines of a log around one of them; a member of an archive is `archive/member`.

        Raises:
            RefusedError: it may not be read, or has no such line.
        """
        around = max(0, min(around, MOST_LINES // 2))
        first = max(1, line - around)
        budget, name, lines = _Budget(self._limits, self._clock), path, list[bytes]()
        for source in self._named_log(path):
            name = source.name
            try:
                lines = list(islice(_lines(budget.spent(source)), first - 1, line + around))
            except SourceError as error:
                raise RefusedError(str(error)) from error
        if len(lines) <= line - first:
            raise RefusedError(f"{path}: has no line {line}, or it lies behind what may be read")
        rows = [{"line": number, "text": _shown(each)} for number, each in enumerate(lines, first)]
        shown = [
            f"| {each['line']}{'>' if each['line'] == line else ' '} {each['text']}"
            for each in rows
        ]
        return Answer("\n".join(shown), {"source": name, "lines": rows})

    def runs(self, root: str, lang: str = "en", limit: int = 20) -> Answer:
        """The verdicts over all runs below a folder, and what they have in common.

        Raises:
            RefusedError: it may not be read, or links lead out of what may be.
        """
        found, language = self._folders.find(root), Language(lang)
        outside = list(islice(self._folders.links_outside(found), 3))
        if outside:
            told = ", ".join(map(str, outside))
            raise RefusedError(f"links lead out of what may be read: {told}")
        rules = Rules((), "", ScanOptions(), __version__)
        store, overview, runs = Store(None), Overview(), list[dict[str, Any]]()
        budget = _Budget(self._limits, self._clock)
        was_stopped = False
        try:
            judge_roots(
                [Root(str(found), LocalTree(str(found)))],
                store,
                InlineEngine(self._automaton, rules),
                rules=rules_key(rules, self._automaton.database.version),
                run_glob=None,
                on_progress=lambda _: budget.check(),
            )
        except _SpentError:
            was_stopped = True
        for _, record in store.records():
            one, written = read_dated(record, language)
            overview.feed(record, one, written)
            verdict = root_of(one)
            if verdict is not None:
                runs.append(_run_row(record.run, verdict, has_failed=has_failed(one)))
        return _runs_answer(overview, runs, max(1, min(limit, MOST_RUNS)), was_stopped)

    def check(
        self,
        path: str,
        lang: str = "en",
        *,
        framework: str | None = None,
        gpus: int | None = None,
        nodes: int | None = None,
        gpu_memory: float | None = None,
    ) -> Answer:
        """Which settings of a script or configuration do not go together; files that it names are
        not read.

        Raises:
            RefusedError: it may not be read, or is no configuration.
        """
        found, language = self._folders.find(path), Language(lang)
        if not found.is_file() or found.stat().st_size > MOST_CONFIGURATION:
            raise RefusedError(f"{path}: no configuration")
        text = found.read_bytes().decode("utf-8-sig", "replace")
        if not kind_of(path, text):
            raise RefusedError(f"{path}: no configuration; diagnose reads logs")
        base = RelationBase(relations_path())
        if framework is not None and framework not in base.frameworks:
            raise RefusedError(
                f"no relations for that framework; there are {', '.join(base.frameworks)}"
            )
        asked = [
            (each, framework or recognise(each, base.frameworks))
            for each in read_configurations(path, text, None)
        ]
        known = [pair for pair in asked if pair[1]] or asked[:1]
        checked = [
            Checked(each, judge(each, base, Asked(name, None, gpus, nodes, gpu_memory)))
            for each, name in known
        ]
        content: dict[str, Any] = json.loads(render_json(checked, (), language))
        return Answer(render_text(checked, language), content)

    def _found(self, words: str, most: int) -> list[Any]:
        if self._lookup is None:
            self._lookup = Lookup(self._automaton.database.signatures)
        return self._lookup.find(words, most)

    def _sources(self, found: Path) -> Iterator[Source | SourceError]:
        if found.is_file():
            yield from find_sources([str(found)], None)
            return
        for path in folder_logs(str(found)):
            if isinstance(path, SourceError):
                yield path
            elif not self._folders.holds(Path(path)):
                yield SourceError(path, "leads out of what may be read")
            else:
                yield from find_sources([path], None)

    def _named_log(self, path: str) -> Iterator[Source]:
        """The log of that name, which may be a member of an archive; it is open while this is
        iterated.

        Raises:
            RefusedError: there is none that may be read.
        """
        for parent in (path, *map(str, Path(path).parents)):
            with suppress(RefusedError):
                found = self._folders.find(parent)
                if not found.is_file():
                    break
                yield from _members(str(found), path.removeprefix(parent))
                return
        raise RefusedError(f"{path}: no log that may be read")


def _members(file: str, rest: str) -> Iterator[Source]:
    """What a file holds under that name: itself, where the name is empty."""
    for source in find_sources([file], None):
        if isinstance(source, SourceError):
            raise RefusedError(str(source))
        if source.name == file + rest:
            yield source
            return
    raise RefusedError(f"{file}: holds no {rest.lstrip('/')}")


class _SpentError(Exception):
    """The time of a call is over."""


class _Budget:
    """What is left of the limits of a call."""

    def __init__(self, limits: Limits, clock: Callable[[], float]) -> None:
        self._limits, self._clock = limits, clock
        self._until = clock() + limits.seconds
        self._left = limits.bytes

    def check(self) -> None:
        """Raises _SpentError where the time is over."""
        if self._clock() > self._until:
            raise _SpentError

    def spent(self, source: Source) -> Iterator[bytes]:
        """The bytes of a source.

        Raises:
            SourceError: the limits are reached, or it cannot be read further.
        """
        for chunk in source.chunks():
            if self._left > 0:
                yield chunk[: self._left]
            self._left -= len(chunk)
            if self._left < 0 or self._clock() > self._until:
                raise SourceError(
                    source.name,
                    f"not read to its end: a call reads at most {self._limits.seconds:g} s and "
                    f"{self._limits.bytes / 1e9:g} GB",
                )


def _lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole
    if rest:
        yield rest


def _shown(line: bytes) -> str:
    return redacted(printable(line[: 4 * LINE_CHARACTERS].decode("utf-8", "replace")))[
        :LINE_CHARACTERS
    ]


def _next_calls(whole: dict[str, Any], path: str) -> Iterator[str]:
    answer = whole["answer"]
    if answer is None:
        yield f"runs(root={path!r}) if this folder holds several runs"
        return
    root = whole[answer["in"]][answer["index"]]
    proof = root["evidence"][0]
    yield f"evidence(path={proof['source']!r}, line={proof['line']}) shows the lines around it"
    if "signature_id" in root:
        yield f"explain(signature_id={root['signature_id']!r}) has all remedies and references"
    else:
        yield "search_signatures(words=…) with the words of the error finds what resembles it"
    yield f"diagnose(path={path!r}, detail='full') has the whole document"


def _run_row(name: str, verdict: Mapping[str, Any], *, has_failed: bool) -> dict[str, Any]:
    evidence = verdict["evidence"][0]
    return {
        "run": name,
        "failed": has_failed,
        "root_cause": verdict.get("signature_id") or verdict["fingerprint"],
        "title": printable(verdict["title"])[:160],
        "source": evidence["source"],
        "line": evidence["line"],
    }


def _runs_answer(
    overview: Overview, runs: list[dict[str, Any]], limit: int, was_stopped: bool
) -> Answer:
    causes = [
        {"signature_id": each.key, "title": each.title, "runs": each.runs}
        for each in overview.causes()[:limit]
    ]
    unknown = [
        {"fingerprint": each.key, "title": printable(each.title)[:160], "runs": each.runs}
        for each in overview.unknown_errors()[:limit]
    ]
    content = {
        "runs": overview.runs,
        "failed": overview.failed,
        "was_stopped": was_stopped,
        "causes": causes,
        "unknown_errors": unknown,
        "failed_runs": runs[:limit],
        "left_out": max(0, len(runs) - limit),
    }
    lines = [f"Runs: {overview.runs}, failed: {overview.failed}."]
    lines += ["Stopped at the time limit; the rest was not judged."] * was_stopped
    lines += [f"- {each['runs']} runs: {each['title']} ({each['signature_id']})" for each in causes]
    lines += [
        f"- {each['runs']} runs: unknown {each['fingerprint']}: {each['title']}" for each in unknown
    ]
    lines += [f"{each['run']}: {each['title']}" for each in runs[:limit]]
    return Answer("\n".join(lines), content)
