"""Data and texts to one self-contained page: write_page.

All code and styles stand in the page and are named in its Content-Security-Policy by their hashes;
nothing else may run, and nothing may be fetched. What a log says comes in as data only: JSON
without `<`, put on the screen as text nodes.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined

from logdoctor.model import Language
from logdoctor.reports.html.captions import names, words

PARTS = ("page.js", "charts.js", "curves.js", "diagnosis.js", "timeline.js", "collectives.js")
"""What all pages are drawn by, in the order in which it is read."""

_ESCAPED = ("<", ">", "&", "\u2028", "\u2029")


def write_page(
    script: str, data: Mapping[str, Any], title: str, language: Language, plain: str
) -> str:
    """The page.

    Args:
        script: which of the assets draws the page: `run.js` or `archive.js`.
        data: what it draws, as JSON.
        title: of the browser's window.
        language: the one that is shown first.
        plain: what a reader without JavaScript sees; may be empty.
    """
    texts = words()
    style = _asset("page.css")
    code = "\n".join(_asset(name) for name in (*PARTS, script))
    whole = {**data, "language": language.value, "words": texts, "names": names()}
    page = _rendered(
        "page.html.j2",
        policy=_policy(style, code),
        language=language.value,
        title=title,
        words={name: text[language.value] for name, text in texts.items()},
        is_archive=script == "archive.js",
        plain=plain,
        style=style,
        code=code,
        data=as_data(whole),
    )
    return page.encode("utf-8", "replace").decode("utf-8")  # names of files need not be UTF-8


def _rendered(template: str, **values: object) -> str:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    text: str = environment.from_string(_asset(template)).render(**values)
    return text


def as_data(value: Any) -> str:
    """The value as JSON that no HTML parser takes for markup."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for each in _ESCAPED:
        text = text.replace(each, f"\\u{ord(each):04x}")
    return text


def _asset(name: str) -> str:
    return (files("logdoctor.reports.html") / "assets" / name).read_text(encoding="utf-8")


def _policy(style: str, code: str) -> str:
    return "; ".join((
        "default-src 'none'",
        f"script-src {_hash(code)}",
        f"style-src {_hash(style)}",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ))  # fmt: skip


def _hash(text: str) -> str:
    """As https://www.w3.org/TR/CSP3/ section 2.3.1 has it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
