"""`logdoctor signatures new --from`: the draft of a signature from an error that was met."""

from __future__ import annotations

import os
import re
from collections import deque
from itertools import islice
from typing import Any, NamedTuple

from logdoctor.archive.records import read_document
from logdoctor.archive.store import Store
from logdoctor.cli.options import Arguments
from logdoctor.cli.scanning import COMPRESSED
from logdoctor.cli.terminal import cache_folder, note, say_compiling
from logdoctor.errors import LogdoctorError, SourceError
from logdoctor.formats.error_lines import EXCEPTION, HEADER_TEXT
from logdoctor.formats.prefixes import strip_prefixes
from logdoctor.model import Evidence, Language, SignatureDatabase, UnknownError
from logdoctor.pipeline.scan import Scan
from logdoctor.search.opening import open_automaton
from logdoctor.signatures.drafting import TO_WRITE, Sample, draft_of
from logdoctor.sources.finding import find_sources
from logdoctor.texts.masking import FINGERPRINT, printable, without_escapes
from logdoctor.texts.secrets import redacted_lines

LINES_KEPT = 400
"""Lines above an error in which its traceback begins."""

MESSAGES_COMPARED = 20
"""Occurrences of an error that tell what differs between them."""


def draft(arguments: Arguments) -> str:
    """The draft from `LOG`, `LOG:LINE` or a fingerprint of the store.

    Raises:
        LogdoctorError: there is no such error.
    """
    signature_id, origin = arguments.words[0], arguments.drafted_from or ""
    automaton = open_automaton((), cache_folder(), say_compiling)
    store = arguments.known_in
    if store and (not origin or FINGERPRINT.fullmatch(origin)):
        sample = _of_store(store, origin, automaton.database)
        return draft_of(signature_id, _with_component(sample, arguments))
    log, line = origin, None
    if not os.path.exists(log) and (told := re.fullmatch(r"(.+):(\d+)", origin)):
        log, line = told[1], int(told[2])
    scan = Scan(automaton)
    for source in find_sources([log], None, None):
        if isinstance(source, SourceError):
            raise source
        scan.read(source.name, source.chunks(), source.open_again)
    error = _chosen(scan.result().unknown_errors, line)
    if error is None:
        raise LogdoctorError(f"{origin}: no error there that no signature knows")
    sample = _of_error(error, line, log, automaton.database)
    return draft_of(signature_id, _with_component(sample, arguments))


def _with_component(sample: Sample, arguments: Arguments) -> Sample:
    return sample._replace(component=arguments.new_component or sample.component)


def _chosen(errors: tuple[UnknownError, ...], line: int | None) -> UnknownError | None:
    """The first one, or that of this line."""
    for error in errors:
        if line is None or any(each.line <= line <= each.end_line for each in error.evidence):
            return error
    return next((each for each in errors if line in each.spots), None)


def _of_error(error: UnknownError, line: int | None, log: str, known: SignatureDatabase) -> Sample:
    shown = next(
        (each for each in error.evidence if line and each.line <= line <= each.end_line),
        error.evidence[0],
    )
    said = dict.fromkeys(_message(each.text) for each in (shown, *error.evidence))
    lines = _lines_around(shown, log)
    return Sample(
        messages=list(said),
        text=lines.event,
        origin=f"{os.path.basename(log)}, line {shown.line}",
        component=_component(error.package, known),
        is_exception=re.match(EXCEPTION, _message(shown.text)) is not None,
        near_miss=_near_miss([each for each, _ in error.nearest], lines.above, known),
    )


def _message(text: str) -> str:
    return strip_prefixes(text).text.strip()


class _Lines(NamedTuple):
    """Lines of a log: those of an event, and the last one above it that says something."""

    event: str
    above: str | None


def _lines_around(evidence: Evidence, log: str) -> _Lines:
    """The traceback with its exception, where one stands above, and the line before that; of what
    is no plain file, the lines that the result has.
    """
    rows = [text for number, text in evidence.context if number <= evidence.end_line]
    if os.path.isfile(log) and not log.endswith(COMPRESSED):
        with open(log, encoding="utf-8", errors="replace") as file:
            read = deque(islice(file, evidence.end_line), maxlen=LINES_KEPT)
        rows = list(redacted_lines([printable(without_escapes(row.rstrip())) for row in read]))
    own = max(1, evidence.end_line - evidence.line + 1)
    headers = [place for place, row in enumerate(rows[:-own]) if HEADER_TEXT in row]
    between = rows[headers[-1] + 1 : -own] if headers else []
    is_whole = bool(between) and all(row[:1] in (" ", "\t") for row in between)
    start = headers[-1] if is_whole else len(rows) - own
    above = [row for row in rows[:start] if row.strip() and not row.startswith(" ")]
    return _Lines("\n".join(rows[start:]), above[-1] if above else None)


def _near_miss(
    nearest: list[str], above: str | None, database: SignatureDatabase
) -> tuple[str, str]:
    """What resembles it most: the last line of the nearest signature's example, else the line
    above it.
    """
    for name in nearest:
        signature = database.find(name)
        if signature and signature.examples:
            last = signature.examples[0].text.strip().splitlines()[-1]
            return _message(last), f"it is {name}"
    if above:
        return above.strip(), "the line above it in the log, which is no error"
    return f"{TO_WRITE} a line that resembles it", f"{TO_WRITE} what it is instead"


def _component(package: str | None, database: SignatureDatabase) -> str:
    known = {each.component for each in database.signatures}
    return package if package in known else "python"


def _of_store(file: str, fingerprint: str, database: SignatureDatabase) -> Sample:
    """The error of that fingerprint, or the one that most runs have."""
    store = Store(file)
    met: dict[str, list[tuple[str, Any]]] = {}
    for record in store.runs_with(fingerprint or None):
        for each in read_document(record, Language.EN)["unknown_errors"]:
            met.setdefault(each["fingerprint"], []).append((record.run, each))
    for fault in store.notes:
        note(fault)
    store.close()
    name = fingerprint or max(met, key=lambda each: len(met[each]), default="")
    if name not in met:
        raise LogdoctorError(f"{file}: no run in it has the error {fingerprint or 'sought'}")
    run, first = met[name][0]
    evidence = [found for _, each in met[name] for found in each["evidence"]]
    said = dict.fromkeys(_message(each["text"]) for each in evidence)
    shown = evidence[0]
    near = [each["signature_id"] for each in first["nearest"]]
    return Sample(
        messages=list(said)[:MESSAGES_COMPARED],
        text=shown["text"],
        origin=f"{run}: {shown['source']}, line {shown['line']}",
        component=_component(first["package"], database),
        is_exception=re.match(EXCEPTION, next(iter(said))) is not None,
        near_miss=_near_miss(near, None, database),
    )
