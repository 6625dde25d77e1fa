"""The list of pages that docs/find.js searches, written while `mkdocs build` makes the site.

The search that MkDocs has is not used: over 3,000 pages its index weighs 18 MB, and from a folder
it asks another server for a script.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

LIST, KEPT = "find-pages.js", 700
"""The file, and the characters of a page that are searched: its beginning says what it is."""

_PAGES: dict[str, dict[str, str]] = {}


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Takes note of a page as it was written."""
    text = re.sub(r"```.*?```|<[^>]+>|!\[[^\]]*\]\([^)]*\)", " ", markdown, flags=re.DOTALL)
    title = re.search(r"^# (.+)$", text, re.MULTILINE)
    plain = re.sub(r"\]\([^)]*\)|[`*#|\[\]\\]", " ", text[title.end() :] if title else text)
    _PAGES[page.url] = {
        "url": page.url,
        "title": re.sub(r"[`\\]", "", title[1]) if title else page.url,
        "text": " ".join(plain.split())[:KEPT],
    }
    return markdown


def on_post_build(config: Any, **_: Any) -> None:
    """Writes the list beside the script."""
    rows = json.dumps([*_PAGES.values()], ensure_ascii=False)
    text = f"window.LOGDOCTOR_PAGES = {rows};\n"
    (Path(config["site_dir"]) / LIST).write_text(text, encoding="utf-8")
