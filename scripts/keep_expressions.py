"""Writes the expressions that scans of the sample logs ask for: DATABASE TARGET.

The database is a compiled one, as it is shipped. Whoever builds a wheel runs this in a process of
its own, because an expression is asked for when its module is imported.
"""

import re
import sys
from pathlib import Path

from logdoctor.cli.expressions import Asked, compiler_of_re, kept_expressions

SAMPLES = Path(__file__).parents[1] / "sample_logs"


def main(database: Path, target: Path) -> None:
    """Scans, and writes."""
    asked: set[Asked] = set()
    compiler = compiler_of_re()
    compile_it = compiler.compile

    def noting(pattern: str | bytes, flags: int = 0) -> re.Pattern[str] | re.Pattern[bytes]:
        asked.add((pattern, int(flags)))
        return compile_it(pattern, flags)  # type: ignore[no-any-return]

    re.purge()
    compiler.compile = noting
    _scan_samples(database)
    compiler.compile = compile_it
    target.write_bytes(kept_expressions(asked))


def _scan_samples(database: Path) -> None:
    """Reads all samples as `logdoctor scan` does, with reports in both languages."""
    from logdoctor.cli.options import Arguments  # noqa: PLC0415
    from logdoctor.cli.scanning import report  # noqa: PLC0415
    from logdoctor.errors import SourceError  # noqa: PLC0415
    from logdoctor.model import Language  # noqa: PLC0415
    from logdoctor.pipeline.scan import Scan, ScanOptions  # noqa: PLC0415
    from logdoctor.search.opening import shipped_key  # noqa: PLC0415
    from logdoctor.search.storage import load_automaton  # noqa: PLC0415
    from logdoctor.sources.finding import find_sources  # noqa: PLC0415

    automaton = load_automaton(database.read_bytes(), shipped_key())
    for log in sorted(SAMPLES.rglob("*.log")):
        scan = Scan(automaton, ScanOptions())
        for source in find_sources([str(log)], None):
            assert not isinstance(source, SourceError)
            scan.read(source.name, source.chunks(), source.open_again)
        result = scan.result()
        for language in Language:
            for form in ("text", "json"):
                report(result, Arguments((), lang=language.value, form=form))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
