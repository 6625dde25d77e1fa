"""What `logdoctor signatures` does: list_signatures, prove, and the ids of the database."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from logdoctor.checks.budget import all_findings, over_budget, read_budget
from logdoctor.checks.near_duplicates import NearDuplicate, near_duplicates
from logdoctor.checks.proofs import (
    TemplateReport,
    check_signatures,
    rivals_of,
    template_reports,
)
from logdoctor.cli.options import Arguments
from logdoctor.cli.terminal import EXIT_UNREADABLE, cache_folder, note, say_compiling, write
from logdoctor.model import Language, Signature, SignatureDatabase
from logdoctor.reports.handbook.signature_rows import signature_row
from logdoctor.search.automaton import Automaton
from logdoctor.search.compiling import compile_automaton
from logdoctor.search.opening import open_automaton
from logdoctor.signatures.files import bundled_path, signature_files
from logdoctor.signatures.reading import load_signatures


def list_signatures(arguments: Arguments) -> None:
    """Prints those that fit the arguments."""
    language = Language(arguments.lang)
    found = [each for each in database(arguments.more).signatures if _is_listed(each, arguments)]
    if arguments.list_form == "json":
        rows = [signature_row(each, language) for each in found]
        write(json.dumps({"signatures": rows}, ensure_ascii=False, indent=2) + "\n")
        return
    for each in found:
        write(
            f"{each.id:<48} {each.severity.value:<8} {each.role.value:<9} "
            f"{each.title.in_language(language)}\n"
        )
    if not found:
        note("no signature fits")


def _is_listed(signature: Signature, arguments: Arguments) -> bool:
    title, cause = signature.title, signature.cause
    text = f"{signature.id} {title.en} {title.zh} {cause.en} {cause.zh}".lower()
    return (
        arguments.component in (None, signature.component)
        and arguments.listed_framework in (None, *signature.frameworks)
        and all(word.lower() in text for word in arguments.words)
    )


def prove(arguments: Arguments) -> int:
    """Prints what is found in the database, or in the signatures that are named; the exit code."""
    paths, verbose = arguments.words, arguments.verbose
    automaton = _automaton_of(paths)
    database = automaton.database
    only = frozenset(each.id for each in load_ids(database, paths)) if paths else None
    for report in template_reports(automaton, only):
        if verbose or report.edits < report.desired_edits:
            write(_how_searched(report, verbose))
    near = [
        each
        for each in near_duplicates(SignatureDatabase(rivals_of(automaton, only), ""))
        if not each.is_taken and (only is None or {each.signature_id, each.other_id} & only)
    ]
    for duplicate in near:
        write(_how_near(duplicate))
    findings, budget = all_findings(automaton, only), read_budget(bundled_path())
    over = over_budget(findings, budget)
    left = [each for each in findings if each.fault not in over]
    for finding in left if verbose else ():
        write(f"{finding.kind.value}: {finding.fault}\n")
    faults = (*check_signatures(automaton, only), *over)
    for fault in faults:
        note(str(fault))
    count = len(only) if only is not None else len(database.signatures)
    counts = Counter(each.kind.value for each in left)
    told = [f"near duplicates: {len(near)}"] * bool(near)
    told += [f"{kind}: {number}" for kind, number in sorted(counts.items())]
    if told:
        write(f"{', '.join(told)}\n")
    write(f"signatures checked: {count}, faults: {len(faults)}\n")
    return EXIT_UNREADABLE if faults else 0


def _automaton_of(paths: Sequence[str]) -> Automaton:
    """What holds these signatures and the bundled ones: all compiled anew, where these are among
    them or none are named; else only these.
    """
    bundled = bundled_path().resolve()
    found = (file.path.resolve() for file in signature_files(map(Path, paths)))
    if any(bundled in path.parents for path in found) or not paths:
        return compile_automaton(load_signatures([bundled, *map(Path, paths)]))
    return open_automaton(tuple(paths), cache_folder(), say_compiling)


def _how_searched(report: TemplateReport, verbose: bool) -> str:
    lowered = (
        f" (lowered from {report.desired_edits}: its texts are too short or too common)"
        if report.edits < report.desired_edits
        else ""
    )
    if not verbose:
        return (
            f"{report.signature_id}: {report.edits} edits guaranteed{lowered}: "
            f'"{report.template}"\n'
        )
    pieces = "".join(f'    "{piece}" {hits:.2g} hits/MB\n' for piece, hits in report.pieces)
    return (
        f"{report.signature_id}: {report.template}\n  {report.edits} edits "
        f"guaranteed{lowered}\n{pieces}"
    )


def _how_near(duplicate: NearDuplicate) -> str:
    how = f"with {duplicate.edits} edits" if duplicate.edits else "as it is"
    return (
        f"{duplicate.signature_id}: {duplicate.other_id} accepts the text {how}: "
        f'"{duplicate.template}" like "{duplicate.other_template}"\n'
    )


def load_ids(database: SignatureDatabase, paths: Iterable[str]) -> Iterator[Signature]:
    """The signatures of the database that come from below these paths."""
    roots = [Path(path).resolve() for path in paths]
    for each in database.signatures:
        file = Path(each.position.file).resolve()
        if any(file == root or root in file.parents for root in roots):
            yield each


def database(more: Iterable[str]) -> SignatureDatabase:
    """The bundled signatures and those in these files and folders."""
    return open_automaton(tuple(more), cache_folder(), say_compiling).database
