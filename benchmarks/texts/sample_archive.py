"""Many runs made from the sample logs: sample_archive. For the picture of the page and its tests.

Every diagnosis is what logdoctor says of a real log; which log ended on which day and on which node is made up, from a
seed.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from benchmarks import REPOSITORY
from logdoctor.document.document import document
from logdoctor.document.places import places_beside
from logdoctor.model import Language
from logdoctor.pipeline.scan import Scan
from logdoctor.reports.html.archive import BatchDocuments, RunFacts
from logdoctor.search.automaton import Automaton

FIRST_DAY, DAYS = date(2025, 1, 6), 330
NODES = 24

Json = dict[str, Any]
Scanned = tuple[str, Mapping[Language, Json], Json]


def sample_archive(scanned: Sequence[Scanned], runs: int, seed: int = 3) -> BatchDocuments:
    """An archive of so many runs, each one of the sample logs, with days and hosts."""
    chance = random.Random(seed)  # no secret
    weights = [chance.random() ** 2 for _ in scanned]
    english, chinese, facts = {}, {}, {}
    for number in range(runs):
        stem, documents, places = chance.choices(scanned, weights)[0]
        run = f"runs/{number:05d}-{stem}"
        english[run], chinese[run] = documents[Language.EN], documents[Language.ZH]
        day = FIRST_DAY + timedelta(days=DAYS * number // runs)
        hosts = tuple(f"node-{chance.randrange(NODES):02d}" for _ in range(2))
        facts[run] = RunFacts(
            f"{day}T{number % 24:02d}:10:00",
            hosts,
            tuple(english[run]["context"]["frameworks"]),
            places,
            _fingerprints(english[run]),
        )
    return BatchDocuments(batch_document(english), batch_document(chinese), facts)


def scanned_samples(automaton: Automaton) -> Iterator[Scanned]:
    """Each sample log, failed or healthy, by name with its documents and what it has beside them."""
    for path in sorted((REPOSITORY / "sample_logs").rglob("*.log")):
        scan = Scan(automaton)
        scan.read(path.name, [path.read_bytes()])
        result = scan.result()
        yield (
            path.stem,
            {language: document(result, language, "") for language in Language},
            places_beside(result),
        )


def _fingerprints(scan: Json) -> tuple[str, ...]:
    return tuple(each["fingerprint"] for each in scan["unknown_errors"])


def batch_document(scans: Mapping[str, Json]) -> Json:
    """The document of a batch over these scans, by the name of the run."""
    return {
        "schema_version": 1,
        "runs": [_run(name, scan) for name, scan in sorted(scans.items())],
        "causes": [
            _cause(key, found)
            for key, found in _together(scans, "diagnoses", "signature_id").items()
        ],
        "unknown_errors": [
            {
                **found[0],
                "runs": len(found),
                "occurrences": sum(each["occurrences"] for each in found),
            }
            for found in _together(scans, "unknown_errors", "fingerprint").values()
        ],
        "failed_to_read": [],
    }


def _run(name: str, scan: Json) -> Json:
    answer = scan["answer"]
    verdict = scan[answer["in"]][answer["index"]] if answer else None
    return {
        "run": name,
        "ending": scan["ending"],
        "sources": len(scan["sources"]),
        "verdict": verdict,
        "diagnoses": scan["diagnoses"],
        "problems": [],
    }


def _together(scans: Mapping[str, Json], what: str, key: str) -> dict[str, list[Json]]:
    together: dict[str, list[Json]] = {}
    for scan in scans.values():
        for each in scan[what]:
            together.setdefault(each[key], []).append(each)
    return together


def _cause(signature_id: str, found: Iterable[Json]) -> Json:
    found = list(found)
    times = sorted(
        place["time"]
        for each in found
        for place in each["evidence"]
        if place["time"] and not place["time"].startswith("-")
    )
    return {
        "signature_id": signature_id,
        "runs": len(found),
        "occurrences": sum(each["occurrences"] for each in found),
        "first_seen": times[0] if times else None,
        "last_seen": times[-1] if times else None,
    }
