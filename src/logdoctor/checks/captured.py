"""Values that patterns take out of texts: value_findings.

What a capture is called says what it holds: a path, a name, a number of a port. It ends where
that ends, and what the message goes on to say is none of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from logdoctor.checks.finding import Finding, Kind
from logdoctor.errors import Fault
from logdoctor.model import Position, Signature

_ONE_THING = re.compile(
    r"(?:^|_)(?:address|argument|attribute|class|column|command|device|directory|dtype|field|file"
    r"|flag|folder|function|host|image|job|key|library|model|module|name|node|option|package|path"
    r"|pid|pod|port|process|program|release|repo|script|setting|type|url|user|variable|version)$"
)
_GOES_ON = re.compile(
    r"(?i): +(?:\[Errno|[a-z]+ [a-z]+)"
    r"|\b(?:no such file|permission denied|not found|does not exist|connection refused)\b"
)
_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"))
_QUOTES = "'\"`"


def value_findings(
    signature: Signature, captures: Mapping[str, str], position: Position, where: str
) -> Iterator[Finding]:
    """Captures called after one thing that hold more of the message, or a part of it."""
    for name, value in captures.items():
        if _ONE_THING.search(name) and _is_cut_wrongly(value):
            fault = Fault(
                position,
                f'"{name}" is "{value[:80]}" in {where}',
                "let the capture end where the thing ends that it is called after",
            )
            yield Finding(Kind.RUNS_ON, signature.id, fault)


def _is_cut_wrongly(value: str) -> bool:
    ends = value.endswith((",", ";", ":")) or (value.endswith(".") and not value.endswith(".."))
    halves = any(value.count(left) != value.count(right) for left, right in _PAIRS)
    return (
        ends
        or halves
        or any(value.count(each) % 2 for each in _QUOTES)
        or bool(_GOES_ON.search(value))
    )
