"""Lowers the budget of findings in signatures to what is left: `python -m scripts.lower_budget`.

Never raises it. A kind that has no row yet begins with what there is today; one that has been
worked off has none.
"""

from __future__ import annotations

import json

from logdoctor.checks.budget import (
    BUDGET_FILE,
    WITH_BUDGET,
    all_findings,
    counted,
    lowered,
    read_budget,
)
from logdoctor.checks.finding import Kind
from logdoctor.search.compiling import compile_automaton
from logdoctor.signatures.files import bundled_path
from logdoctor.signatures.reading import load_signatures


def main() -> None:
    """Rewrites the file beside the signatures, and prints what is left of each kind."""
    folder = bundled_path()
    budget = read_budget(folder)
    found = all_findings(compile_automaton(load_signatures([folder])))
    rows = {**counted(found), **{kind: {} for kind in budget}, **lowered(found, budget)}
    ordered = {each.value: rows.get(each.value, {}) for each in Kind if each in WITH_BUDGET}
    text = json.dumps(ordered, indent=1, ensure_ascii=False) + "\n"
    (folder / BUDGET_FILE).write_text(text, encoding="utf-8")
    for kind, of_kind in ordered.items():
        print(f"{kind}: {sum(of_kind.values())} in {len(of_kind)} signatures")


if __name__ == "__main__":
    main()
