"""The list of pages that docs/find.js searches, written while `mkdocs build` makes the site.

The search that MkDocs has is not used: over 3,000 pages its index weighs 18 MB, and from a folder
it asks another server for a script.
"""

from __future__ import annotations

import json
import re
from html import escape, unescape
from pathlib import Path
from typing import Any

LIST, KEPT, QUOTED = "find-pages.js", 1300, 300
"""The file, the characters of a page that are searched, because its beginning says what it is, and
how many of them each of its examples has at most.
"""

_EXAMPLE = re.compile(r"^[ ]*```[^\n]*\n(.*?)^[ ]*```", re.DOTALL | re.MULTILINE)

_PAGES: dict[str, dict[str, str]] = {}


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Takes note of a page as it was written."""
    text = re.sub(r"<[^>]+>|!\[[^\]]*\]\([^)]*\)", " ", re.sub(_EXAMPLE, _quoted, markdown))
    title = re.search(r"^# (.+)$", text, re.MULTILINE)
    plain = re.sub(r"\]\([^)]*\)|[`*#|\[\]\\]", " ", text[title.end() :] if title else text)
    _PAGES[page.url] = {
        "url": page.url,
        "title": unescape(re.sub(r"[`\\]", "", title[1])) if title else page.url,
        "text": " ".join(unescape(plain).split())[:KEPT],
    }
    return markdown


def _quoted(example: re.Match[str]) -> str:
    """The beginning of an example, in which nothing is markup."""
    return re.sub(r"^#", " ", escape(example[1][:QUOTED]), flags=re.MULTILINE)


def on_post_build(config: Any, **_: Any) -> None:
    """Writes the list beside the script."""
    rows = json.dumps([*_PAGES.values()], ensure_ascii=False)
    text = f"window.LOGDOCTOR_PAGES = {rows};\n"
    (Path(config["site_dir"]) / LIST).write_text(text, encoding="utf-8")
