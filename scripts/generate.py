"""Writes what is generated from the code and the database, or with --check says what is stale.

docs/signatures.md and signatures/schema.json come from the database and its loader; docs/scan.svg and docs/scan-zh.svg
are pictures of a real report (they need rich, which comes with the extra `dev`).
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

from logdoctor.compile import compile_automaton
from logdoctor.model import Language
from logdoctor.pipeline import Scan
from logdoctor.reports.markdown import signature_index
from logdoctor.reports.text import TextStyle, render_text
from logdoctor.signatures import bundled_path, json_schema, load_signatures

REPOSITORY = Path(__file__).parents[1]
PICTURED = "sample_logs/chatlearn-ray-channel-timeout.log"
WIDTH = 104


def generated() -> Iterator[tuple[Path, str]]:
    """Each generated file with the text that it must have."""
    database = load_signatures([bundled_path()])
    yield REPOSITORY / "docs" / "signatures.md", signature_index(database)
    yield REPOSITORY / "signatures" / "schema.json", json.dumps(json_schema(), indent=2) + "\n"
    scan = Scan(compile_automaton(database))
    scan.read(PICTURED, [(REPOSITORY / PICTURED).read_bytes()])
    result = scan.result()
    for language, name in ((Language.EN, "scan.svg"), (Language.ZH, "scan-zh.svg")):
        report = render_text(result, TextStyle(language, WIDTH, colour=True))
        yield REPOSITORY / "docs" / name, picture(f"$ logdoctor scan{' --lang zh' if language is Language.ZH else ''} {PICTURED}\n\n{report}")


def picture(text: str) -> str:
    """A terminal with that text in it, as SVG."""
    console = Console(record=True, width=WIDTH, file=StringIO(), force_terminal=True)
    console.print(Text.from_ansi(text))
    svg = console.export_svg(title="logdoctor", unique_id="logdoctor")
    return re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)  # a picture loads nothing


def main() -> int:
    """0 where everything is as it must be, else 1 with --check."""
    stale = [(path, text) for path, text in generated() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path, text in stale:
        print(f"{'stale' if '--check' in sys.argv else 'written'}: {path.relative_to(REPOSITORY)}")
        if "--check" not in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return int(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
