"""The rules of the verdict as a page: rules_page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from logdoctor.verdict.rule import ASIDE, Rule

_HEAD = f"""\
# How the verdict is found

Each finding has a verdict, and each verdict a rule that decided it: `because` in the JSON document,
the line below a finding in a report. The rules stand here in the order in which they are asked.

1. What the run made of an error: whether it is harmless, recovered or part of the end.
2. Of the others, where each stands among the candidates for the root cause.
3. What a stop had brought about leaves first place.
4. Why the root cause is it.
5. What each other finding is to the root cause.

A line `{ASIDE}100 times` in an example stands for so many more lines like the one above it,
`{ASIDE}file NAME` for the beginning of another file.
"""


def rules_page(rules: Iterable[Rule]) -> str:
    """The page, in Markdown: an index, then each rule with its reasons and its examples."""
    told = tuple(rules)
    index = "\n".join(
        f"| [{rule.id}](#{rule.id}) | {rule.decides} | {_first(rule)} |" for rule in told
    )
    sections = "\n".join("\n".join(_section(rule)) for rule in told)
    return f"{_HEAD}\n| rule | proves | what it says |\n| --- | --- | --- |\n{index}\n\n{sections}"


def _first(rule: Rule) -> str:
    return rule.meaning.partition("\n")[0]


def _section(rule: Rule) -> Iterator[str]:
    yield f"## {rule.id}\n"
    yield f"{rule.meaning.strip()}\n"
    yield f"*{rule.decides}*: {rule.says.en} · {rule.says.zh}\n"
    yield "It fires on the first of these, and not on the second:\n"
    for sample in (rule.fires[0], rule.silent[0]):
        yield f"```text\n{sample}```\n"
