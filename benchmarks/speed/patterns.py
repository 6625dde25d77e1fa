"""What the peers search: literals and regexes of the repository's signatures, read from their YAML.

Nothing of logdoctor itself is imported: the suite measures any version through its command line.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

LONGEST_ANCHOR = 24
"""Characters of a literal that a peer searches; longer ones would only make it faster."""

SHORTEST_ANCHOR = 5
"""A template whose longest literal is shorter has no anchor worth searching."""

_SLOT = re.compile(r"(?<!\{)\{[A-Za-z_]\w*(?::(?P<type>\w+))?\}(?!\})")
_SLOT_REGEX = {
    "int": "[0-9]+",
    "number": "[-+]?[0-9]+(?:[.][0-9]+)?",
    "size": "[0-9]+(?:[.][0-9]+)? ?[KMGT]?i?B",
    "word": "[^ ]+",
    "text": ".*",
}


@dataclass(frozen=True, slots=True)
class SearchSet:
    """All templates, regexes and example texts of a folder, each once, in the order of files.

    `near_misses` are the texts that must not be recognised, each with a template of the signature
    that could.
    """

    templates: tuple[str, ...]
    regexes: tuple[str, ...]
    examples: tuple[str, ...]
    signatures: int
    near_misses: tuple[tuple[str, str], ...] = ()

    @property
    def anchors(self) -> tuple[str, ...]:
        """The longest literal of each template, cut to LONGEST_ANCHOR."""
        longest = (
            max((literal.strip() for literal in literals(each)), key=len) for each in self.templates
        )
        return tuple(
            dict.fromkeys(
                each[:LONGEST_ANCHOR].strip() for each in longest if len(each) >= SHORTEST_ANCHOR
            )
        )

    @property
    def expressions(self) -> tuple[str, ...]:
        """All templates as regexes, and the regexes, in the notation of ripgrep."""
        plain = (re.sub(r"\(\?P?<[A-Za-z_]\w*>", "(?:", each) for each in self.regexes)
        return tuple(dict.fromkeys([*map(template_regex, self.templates), *plain]))


def read_signatures(folder: Path) -> SearchSet:
    """Reads all signature files below a folder."""
    templates: list[str] = []
    regexes: list[str] = []
    examples: list[str] = []
    near_misses: list[tuple[str, str]] = []
    files = sorted(folder.rglob("*.yaml"))
    for file in files:
        content = yaml.load(
            file.read_text(encoding="utf-8"),
            Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader),  # noqa: S506  # the safe one
        )
        for part in _parts(content):
            templates += [part[key] for key in ("template", "frame") if key in part]
            regexes += [part["regex"]] if "regex" in part else []
        misses = [each["text"] for each in content.get("counterexamples", ())]
        near_misses += [
            (each["template"], miss)
            for each in content.get("patterns", ())
            if "template" in each
            for miss in misses
        ]
        examples += [each["text"] for each in content.get("examples", ())]
    return SearchSet(
        tuple(dict.fromkeys(templates)),
        tuple(dict.fromkeys(regexes)),
        tuple(examples),
        len(files),
        tuple(near_misses),
    )


def _parts(content: dict[str, Any]) -> Iterator[dict[str, str]]:
    for pattern in (*content.get("patterns", ()), *content.get("excludes", ())):
        yield from pattern.get("all", (pattern,))


def literals(template: str) -> list[str]:
    """The literal texts of a template."""
    return [
        each.replace("{{", "{").replace("}}", "}") for each in _SLOT.sub("\0", template).split("\0")
    ]


def template_regex(template: str) -> str:
    """The template as a regex with a class for each slot, as ripgrep and ugrep both take it."""
    texts = [re.sub(r"([\\.^$|?*+()\[\]{}])", r"\\\1", each) for each in literals(template)]
    slots = [_SLOT_REGEX[found["type"] or "word"] for found in _SLOT.finditer(template)]
    return texts[0] + "".join(slot + text for slot, text in zip(slots, texts[1:], strict=True))


def understood_by_ripgrep(expressions: tuple[str, ...], ripgrep: str) -> list[str]:
    """Those that ripgrep's regexes can say (they know no look-around)."""
    tried = (
        (
            each,
            subprocess.run(
                [ripgrep, "--no-config", "-e", each, "/dev/null"], capture_output=True, check=False
            ),
        )
        for each in expressions
    )
    return [each for each, done in tried if done.returncode <= 1]
