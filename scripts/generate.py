"""Writes what is generated from the code and the database, or with --check says what is stale.

The handbook docs/signatures/ and signatures/schema.json come from the database and its loader;
docs/numbers.md from its metrics; docs/coverage.md from what it makes of errors that people met;
docs/verdict.md comes from the rules of the verdict,
docs/options.md and the manual page docs/logdoctor.1 from the table of options, docs/schema.json
from that of documents;
docs/scan.svg and docs/scan-zh.svg are pictures of a real report (they need rich, which comes with
the extra `dev`). Pages of the handbook whose signature is gone are removed.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from io import StringIO
from pathlib import Path

from logdoctor.document.schema import document_schema
from logdoctor.model import Language
from logdoctor.pipeline.scan import Scan
from logdoctor.reports.handbook.handbook import handbook
from logdoctor.reports.handbook.numbers_page import numbers_page
from logdoctor.reports.handbook.rules_page import rules_page
from logdoctor.reports.run.painting import TextStyle
from logdoctor.reports.run.text import render_text
from logdoctor.search.compiling import compile_automaton
from logdoctor.signatures.reading import bundled_path, json_schema, load_signatures
from logdoctor.verdict.rules.registry import rules
from scripts.coverage_page import coverage_page
from scripts.man_page import man_page
from scripts.option_page import option_page

REPOSITORY = Path(__file__).parents[1]
HANDBOOK = REPOSITORY / "docs" / "signatures"
PICTURED = "sample_logs/chatlearn-ray-channel-timeout.log"
WIDTH = 104


def generated() -> Iterator[tuple[Path, str]]:
    """Each generated file with the text that it must have."""
    database = load_signatures([bundled_path()])
    yield from ((HANDBOOK / path, text) for path, text in handbook(database))
    yield REPOSITORY / "signatures" / "schema.json", json.dumps(json_schema(), indent=2) + "\n"
    yield REPOSITORY / "docs" / "schema.json", json.dumps(document_schema(), indent=2) + "\n"
    yield REPOSITORY / "docs" / "verdict.md", rules_page(rules())
    yield REPOSITORY / "docs" / "numbers.md", numbers_page(database.signatures)
    yield REPOSITORY / "docs" / "options.md", option_page()
    yield REPOSITORY / "docs" / "logdoctor.1", man_page()
    automaton = compile_automaton(database)
    yield REPOSITORY / "docs" / "coverage.md", coverage_page(automaton)
    scan = Scan(automaton)
    scan.read(PICTURED, [(REPOSITORY / PICTURED).read_bytes()])
    result = scan.result()
    for language, name in ((Language.EN, "scan.svg"), (Language.ZH, "scan-zh.svg")):
        report = render_text(result, TextStyle(language, WIDTH, colour=True))
        yield (
            REPOSITORY / "docs" / name,
            picture(
                f"$ logdoctor scan{' --lang zh' if language is Language.ZH else ''} "
                f"{PICTURED}\n\n{report}"
            ),
        )


def picture(text: str) -> str:
    """A terminal with that text in it, as SVG."""
    from rich.console import Console  # noqa: PLC0415  # only the pictures need it
    from rich.text import Text  # noqa: PLC0415

    console = Console(record=True, width=WIDTH, file=StringIO(), force_terminal=True)
    console.print(Text.from_ansi(text))
    svg = console.export_svg(title="logdoctor", unique_id="logdoctor")
    return re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)  # a picture loads nothing


def superfluous(wanted: Iterable[Path]) -> list[Path]:
    """Files of the handbook that nothing generates any more, in the order of their names."""
    return sorted({path for path in HANDBOOK.rglob("*") if path.is_file()} - set(wanted))


def main() -> int:
    """0 where everything is as it must be, else 1 with --check."""
    is_check = "--check" in sys.argv
    texts = dict(generated())
    stale = [
        path
        for path, text in texts.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    gone = superfluous(texts)
    for path in stale:
        print(f"{'stale' if is_check else 'written'}: {path.relative_to(REPOSITORY)}")
        if not is_check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(texts[path], encoding="utf-8")
    for path in gone:
        print(f"{'superfluous' if is_check else 'removed'}: {path.relative_to(REPOSITORY)}")
        if not is_check:
            path.unlink()
    return int(is_check and bool(stale or gone))


if __name__ == "__main__":
    sys.exit(main())
