"""Pictures of the HTML pages, as the README shows them: docs/page.png and docs/archive.png.

Run as `python -m scripts.picture_pages` with the extra `browser` and an installed Chromium. The
page of one run is that of a sample log; the archive is made of all sample logs, on made-up days.
Fonts differ from machine to machine, so CI does not compare pictures.
"""

from __future__ import annotations

import base64
import os
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, sync_playwright

from benchmarks import REPOSITORY
from benchmarks.texts.sample_archive import sample_archive, scanned_samples
from logdoctor.model import Language
from logdoctor.pipeline.scan import Scan
from logdoctor.reports.html.archive import render_archive
from logdoctor.reports.html.run import render_run
from logdoctor.search.compiling import compile_automaton
from logdoctor.signatures.reading import bundled_path, load_signatures
from logdoctor.version import __version__

PICTURED = "sample_logs/chatlearn-cuda-oom-fsdp.log"
RUNS = 300


class View(NamedTuple):
    """A window onto a page: width in pixels, language and colours."""

    width: int
    language: str
    theme: str


VIEWS = (View(1000, "en", "light"), View(400, "zh", "dark"))


def picture(browser: Browser, page: str, height: int) -> bytes:
    """The upper part of the page, so many pixels high, in all views side by side, as PNG."""
    images = "".join(
        f'<img src="data:image/png;base64,{_encoded(_shot(browser, page, view, height))}">'
        for view in VIEWS
    )
    frame = browser.new_page(
        viewport={"width": sum(view.width for view in VIEWS) + 72, "height": height + 48}
    )
    style = (
        "body{margin:0;padding:24px;display:flex;gap:24px;background:#cfd8dc}"
        "img{border-radius:12px;box-shadow:0 4px 18px #0006}"
    )
    frame.set_content(f"<style>{style}</style>{images}")
    return frame.screenshot()


def _encoded(image: bytes) -> str:
    return base64.b64encode(image).decode()


def _shot(browser: Browser, page: str, view: View, height: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(page, encoding="utf-8")
        window = browser.new_page(
            viewport={"width": view.width, "height": height},
            color_scheme="dark" if view.theme == "dark" else "light",
        )
        window.goto(file.as_uri())
        if view.language == "zh":
            window.click("#switch-language")
            window.mouse.move(0, height)
        return window.screenshot()


def main() -> None:
    """Writes both pictures."""
    automaton = compile_automaton(load_signatures([bundled_path()]))
    scan = Scan(automaton)
    scan.read(PICTURED, [(REPOSITORY / PICTURED).read_bytes()])
    pages = {
        "page.png": (render_run(scan.result(), Language.EN, __version__), 830),
        "archive.png": (
            render_archive(
                sample_archive(list(scanned_samples(automaton)), RUNS), Language.EN, __version__
            ),
            1180,
        ),
    }
    with sync_playwright() as driver:
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("google-chrome"), args=sandbox
        )
        for name, (page, height) in pages.items():
            (REPOSITORY / "docs" / name).write_bytes(picture(browser, page, height))
            print(f"written: docs/{name}")
        browser.close()


if __name__ == "__main__":
    main()
