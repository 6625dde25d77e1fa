"""Batch document to a page: render_archive."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from logdoctor.document.document import SCHEMA_VERSION
from logdoctor.errors import LogdoctorError
from logdoctor.formats.metric_names import COMMON_NAMES
from logdoctor.model import Language, Severity
from logdoctor.reports.html.bilingual import Json, Shelf, merged
from logdoctor.reports.html.captions import Caption
from logdoctor.reports.html.curves import CourseOfRun, curves_of_runs
from logdoctor.reports.html.page import write_page
from logdoctor.reports.html.periods import calendar_day, counted

TEXT_LIMIT = 2000
"""Characters of a proving line that the page of an archive keeps; ten thousand whole ones would
not open.
"""

_SHELVED = ("title", "cause", "remedies", "references")
_ROW = (
    "signature_id",
    "component",
    "severity",
    "role",
    "verdict",
    "confidence",
    "match",
    "phase",
    "occurrences",
    "lanes",
    "explained_by",
    "because",
)


class RunFacts(NamedTuple):
    """What is known of a run beside its diagnoses.

    Attributes:
        started: ISO 8601; where it is None, the earliest dated evidence of the run stands for it,
            or the day in its name.
        hosts: where it ran; where it is empty, the hosts named in its evidence.
        frameworks: the outermost first.
        places: values in force and places by writer, as `places_beside` gives them; may be None.
        unknown_errors: fingerprints, in the order of its `unknown_errors`.
    """

    started: str | None = None
    hosts: tuple[str, ...] = ()
    frameworks: tuple[str, ...] = ()
    places: Json | None = None
    unknown_errors: tuple[str, ...] = ()

    @property
    def series(self) -> Sequence[Json]:
        """The course of its metrics; what an older logdoctor kept has none."""
        return self.places.get("series", ()) if self.places else ()


class BatchDocuments(NamedTuple):
    """What a page of many runs is made from.

    Attributes:
        english: what `batch --format json` prints, parsed. Beside what every version of it has,
            `nodes`, `frameworks` and `comparison` are shown where they are there.
        chinese: the same with `--lang zh`; without it, texts of signatures stay as they are.
        facts: by `run_name`; may lack runs.
    """

    english: Json
    chinese: Json | None = None
    facts: Mapping[str, RunFacts] = MappingProxyType({})


def render_archive(documents: BatchDocuments, language: Language, version: str) -> str:
    """The page of many runs, shown first in this language.

    Raises:
        LogdoctorError: the document is of another version.
    """
    title = f"{Caption.ARCHIVE_TITLE.value.in_language(language)} – logdoctor"
    return write_page("archive.js", archive_data(documents, version), title, language, plain="")


def archive_data(documents: BatchDocuments, version: str) -> Json:
    """What the page draws: runs from the earliest to the latest, a row per diagnosis, causes with
    the deadliest first.

    Raises:
        LogdoctorError: the document is of another version.
    """
    found = documents.english.get("schema_version")
    if found != SCHEMA_VERSION:
        raise LogdoctorError(
            f'schema_version "{found}" of the batch document; expected {SCHEMA_VERSION}'
        )
    document = merged(documents.english, documents.chinese or documents.english)
    runs = sorted(
        (_run(each, documents.facts.get(run_name(each), RunFacts())) for each in document["runs"]),
        key=_by_time,
    )
    shelf = Shelf()
    rows = [
        row for number, run in enumerate(runs) for row in _rows(number, run.pop("found"), shelf)
    ]
    roots = {row["run"]: row.get("signature_id") for row in rows if _is_deadly(row)}
    dated = [(run["day"], roots[number]) for number, run in enumerate(runs) if number in roots]
    return {
        "tool": {"version": version},
        "shared": shelf.values,
        "runs": runs,
        "rows": rows,
        "causes": _causes(rows, runs, shelf),
        "periods": counted(dated),
        "unknown_errors": document["unknown_errors"],
        "failed_to_read": [_in_words(each) for each in document["failed_to_read"]],
        "nodes": document.get("nodes", []),
        "frameworks": document.get("frameworks", []),
        "comparison": document.get("comparison"),
        "curves": _curves(runs, roots, documents.facts),
    }


def _curves(
    runs: Sequence[Json], roots: Mapping[int, str | None], facts: Mapping[str, RunFacts]
) -> Json:
    courses = [
        CourseOfRun(run["name"], number in roots, facts[run["name"]].series)
        for number, run in enumerate(runs)
        if run["name"] in facts
    ]
    return curves_of_runs(courses, [each.name for each in COMMON_NAMES])


def run_name(run: Json) -> str:
    """What a run of the document is called: its path, below its root where there are several
    roots.
    """
    return f"{run['root'].rstrip('/')}/{run['run']}" if run.get("root") else str(run["run"])


def _by_time(run: Json) -> tuple[bool, str, str]:
    return (run["time"] is None, run["time"] or "", run["name"])


def _run(run: Json, facts: RunFacts) -> Json:
    """The run's own row, with everything found in it under `found`: the answer first."""
    verdict, others = run["verdict"], run["diagnoses"]
    beside = (
        facts.places["diagnoses"]
        if facts.places and len(facts.places["diagnoses"]) == len(others)
        else [{}] * len(others)
    )
    found = [(each | places, each == verdict) for each, places in zip(others, beside, strict=True)]
    if verdict and not any(is_root for _, is_root in found):
        found.insert(0, (verdict | _unknown_places(verdict, facts), True))
    found.sort(key=lambda each: not each[1])
    evidence = [each for diagnosis, _ in found for each in diagnosis["evidence"]]
    times = sorted(each["time"] for each in evidence if calendar_day(each["time"]))
    told = facts.started or next(iter(times), None) or _named_day(run["run"])
    time = told or run.get("written")
    hosts = facts.hosts or dict.fromkeys(each["host"] for each in evidence if each["host"])
    return {
        "name": run_name(run),
        "time": time,
        "day": calendar_day(time),
        "is_file_time": bool(time and not told),
        "hosts": list(hosts),
        "ending": run["ending"]["state"],
        "frameworks": list(facts.frameworks),
        "problems": [_in_words(each) for each in run["problems"]],
        "found": found,
    }


def _unknown_places(error: Json, facts: RunFacts) -> Json:
    fingerprint = error.get("fingerprint")
    if facts.places is None or fingerprint not in facts.unknown_errors:
        return {}
    return dict(facts.places["unknown_errors"][facts.unknown_errors.index(fingerprint)])


def _named_day(name: str) -> str | None:
    """The day that the name of a run tells, as in `exp-20250304`."""
    found = re.search(r"(?<!\d)(20\d\d)[-_]?(\d\d)[-_]?(\d\d)(?!\d)", name)
    return calendar_day("-".join(found.groups())) if found else None


def _rows(run: int, found: Iterable[tuple[Json, bool]], shelf: Shelf) -> Iterator[Json]:
    """One row for each thing found in a run, after one that says so where nothing is wrong with
    it.
    """
    found = list(found)
    if not any(is_root for _, is_root in found):
        yield {"run": run, "is_root": False, "evidence": []}
    for item, is_root in found:
        row: Json = {
            "run": run,
            "is_root": is_root,
            "evidence": [_evidence(each) for each in item["evidence"]],
        }
        row |= {
            key: item[key]
            for key in (*_ROW, "fingerprint", "nearest", "next_steps", "now", "ranks", "sightings")
            if item.get(key) is not None
        }
        row |= {key: shelf.put(item[key]) for key in _SHELVED if key in item}
        yield row


def _evidence(evidence: Json) -> Json:
    kept = {key: value for key, value in evidence.items() if value is not None}
    return kept | {
        "text": evidence["text"][:TEXT_LIMIT] + ("…" if len(evidence["text"]) > TEXT_LIMIT else "")
    }


def _causes(rows: Iterable[Json], runs: Sequence[Json], shelf: Shelf) -> list[Json]:
    """Signatures by the runs they ended. A title that captures make different from run to run
    does not stand for all of them.
    """
    found: defaultdict[str, list[Json]] = defaultdict(list)
    for row in rows:
        if "signature_id" in row:
            found[row["signature_id"]].append(row)
    causes = []
    for name, of_cause in found.items():
        titles = {row["title"] for row in of_cause}
        times = sorted(
            (run["time"], run["is_file_time"])
            for row in of_cause
            if (run := runs[row["run"]])["time"]
        )
        causes.append({
            "signature_id": name,
            "title": shelf.values[titles.pop()] if len(titles) == 1 else name,
            "roots": sum(map(_is_deadly, of_cause)),
            "seen": len({row["run"] for row in of_cause}),
            "occurrences": sum(row["occurrences"] for row in of_cause),
            "first_seen": _seen(*times[0]) if times else None,
            "last_seen": _seen(*times[-1]) if times else None,
        })  # fmt: skip
    return sorted(causes, key=lambda each: (-each["roots"], -each["seen"], each["signature_id"]))


def _is_deadly(row: Json) -> bool:
    """Whether the run died of it; of one whose worst is a warning, it did not."""
    return bool(row["is_root"]) and row.get("severity") != Severity.WARNING.value


def _seen(time: str, is_file_time: bool) -> Json:
    return {"time": time, "is_file_time": is_file_time}


def _in_words(problem: Any) -> str:
    """A line for something that went wrong, however the document writes it down."""
    if isinstance(problem, Mapping):
        return ": ".join(str(each) for each in problem.values() if each is not None)
    return re.sub(r"\s+", " ", str(problem))
