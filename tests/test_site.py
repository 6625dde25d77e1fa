"""What the site's own search knows of a page."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from scripts import site_hooks

REPOSITORY = Path(__file__).parents[1]


def known_of(url: str) -> dict[str, str]:
    """As the search has the page."""
    path = REPOSITORY / "docs" / url
    page = SimpleNamespace(url=url)
    text = path.read_text(encoding="utf-8")
    assert site_hooks.on_page_markdown(text, page) == text
    return site_hooks._PAGES[url]


def test_a_page_is_found_by_the_words_of_its_message() -> None:
    """Which stand in examples; a comment among them is no title."""
    known = known_of("signatures/en/roll/roll-node-rank-without-placement-group.md")
    assert "KeyError" in known["text"]
    assert "node2pg" in known["text"]


def test_a_title_with_a_placeholder_is_shown_as_it_is_read() -> None:
    known = known_of("signatures/zh/transformers/optional-package-missing.md")
    assert known["title"] == "这里需要一个可选依赖包：<package>"
