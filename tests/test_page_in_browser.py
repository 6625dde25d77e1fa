"""The page in a real headless Chromium; skipped where Playwright or a browser is missing."""

from __future__ import annotations

import os
import pickle
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from benchmarks.texts.sample_archive import sample_archive, scanned_samples
from logdoctor.model import Language, LocalText, Reason, ScanOptions, ScanResult
from logdoctor.pipeline.scan import Scan, scan_text
from logdoctor.reports.html.archive import render_archive
from logdoctor.reports.html.run import render_run
from logdoctor.search.automaton import Automaton
from tests.curves import UNHEALTHY, verl
from tests.test_dumps import PENDING, entry, plain

playwright = pytest.importorskip(
    "playwright.sync_api", reason="needs Playwright: pip install -e '.[browser]'"
)
from playwright.sync_api import Browser, Page, expect, sync_playwright  # noqa: E402

CHROMIUM = next(
    (
        path
        for path in map(
            shutil.which, ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
        )
        if path
    ),
    None,
)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None, reason="needs Chromium (Debian: apt-get install chromium)"
    ),
]

HOSTILE = "</script><script>window.pwned = 1</script><img src=http://127.0.0.1:9/x onerror='window.pwned = 1'>"
OUT_OF_MEMORY = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 18.55 GiB. GPU 0 has a total capacity of 95.00 GiB of which 9.87 GiB is free."
TIMEOUT = (
    "[E302 10:02:{rank:02d}.412361226 ProcessGroupNCCL.cpp:616] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12, "
    "OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600025 milliseconds before timing out."
)
PROMPT = 1000
"""Milliseconds within which a page of ten thousand diagnoses must answer, on a machine that is busy with other things."""


def reasoned(result: ScanResult) -> ScanResult:
    """The result with two reasons for the root: a line of its proof, and one that nothing else shows."""
    (root, *others) = result.diagnoses
    source = root.evidence[0].source
    text = LocalText(f"it says so {HOSTILE}", f"日志如此 {HOSTILE}")
    because = (Reason("first", text, source, 1), Reason("second", text, source, 777))
    return result._replace(diagnoses=(root._replace(because=because), *others))


def hung(automaton: Automaton) -> ScanResult:
    """A run of 32 ranks whose rank 9 never came, and rank 12 left no dump."""
    everyone = list(range(32))
    done = [entry(each, "a", each + 1) for each in range(40)]
    waits = plain(*done, entry(40, "a", 41, **PENDING), a=everyone)
    begun = plain(*done, entry(40, "a", 41, state="started", retired=False), a=everyone)
    idle = plain(*done[:-1], a=everyone)
    for each in (waits, begun, idle):
        each["pg_config"]["a"]["desc"] = HOSTILE
    run = Scan(automaton)
    for rank in set(everyone) - {12}:
        dump = idle if rank == 9 else begun if rank % 2 else waits
        run.read(f"trace_rank_{rank}", [pickle.dumps(dump, 2)])
    return run.result()


class Opened(NamedTuple):
    """A page, and what it complained of or asked for."""

    page: Page
    complaints: list[str]
    requests: list[str]


class Pages(NamedTuple):
    """Files with a page each."""

    run: Path
    archive: Path
    large: Path
    numbers: Path
    hang: Path


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(
            executable_path=CHROMIUM,
            args=[*sandbox, "--disable-gpu", "--disable-background-networking"],
        )
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def pages(automaton: Automaton, tmp_path_factory: pytest.TempPathFactory) -> Pages:
    folder = tmp_path_factory.mktemp("pages")
    ranks = "\n".join(f"[rank{rank}]:{TIMEOUT.format(rank=rank)}" for rank in range(1, 8))
    log = f"[rank0]: 2025-03-02 10:01:00,120 {OUT_OF_MEMORY} {HOSTILE}\n{ranks}\nValueError: {HOSTILE}\n"
    made = Pages(*(folder / f"{name}.html" for name in Pages._fields))
    made.run.write_text(
        render_run(reasoned(scan_text(automaton, log)), Language.EN, "0"), encoding="utf-8"
    )
    last = (
        "step:150 - loss:nan\nstep:150 - loss:0.5\n"  # a gap in a curve, and no finding of its own
    )
    numbers = verl(UNHEALTHY["policy-far-from-reference"][1]) + last
    made.numbers.write_text(
        render_run(scan_text(automaton, numbers, ScanOptions(wants_series=True)), Language.EN, "0"),
        encoding="utf-8",
    )
    logs = list(scanned_samples(automaton))
    made.hang.write_text(render_run(hung(automaton), Language.EN, "0"), encoding="utf-8")
    archive = sample_archive(logs, 120)
    archive.english["runs"][0]["problems"].append(HOSTILE)
    archive.english["failed_to_read"].append(HOSTILE)
    archive.english["nodes"] = [
        {"name": HOSTILE, "failed": 9, "runs": 12, "expected": 1.5, "chance": 0.00002}
    ]
    archive.english["frameworks"] = [{"name": "ray", "runs": 12, "failed": 9}]
    only_bad = {"text": HOSTILE, "runs": 3, "occurrences": 9, "source": "a.log", "line": 7}
    archive.english["comparison"] = {
        "good_runs": 4,
        "bad_runs": 3,
        "lines": [only_bad] * 30,
        "problems": [],
    }
    made.archive.write_text(render_archive(archive, Language.EN, "0"), encoding="utf-8")
    made.large.write_text(
        render_archive(sample_archive(logs, 7000), Language.EN, "0"), encoding="utf-8"
    )
    return made


@pytest.fixture
def opened(browser: Browser) -> Iterator[Any]:
    contexts = []

    def open_page(
        file: Path, language: str = "en", theme: str = "light", width: int = 1200, **settings: Any
    ) -> Opened:
        context = browser.new_context(
            viewport={"width": width, "height": 800},
            color_scheme=theme,  # type: ignore[arg-type]
            locale="en-GB",
            **settings,
        )
        contexts.append(context)
        page = context.new_page()
        found = Opened(page, [], [])
        page.on("console", lambda message: found.complaints.append(message.text))
        page.on("pageerror", lambda error: found.complaints.append(str(error)))
        page.on("request", lambda each: found.requests.append(each.url))
        page.goto(file.as_uri())
        if language == "zh":
            page.click("#switch-language")
        return found

    yield open_page
    for context in contexts:
        context.close()


def style_of(page: Page, selector: str, name: str) -> str:
    return str(page.eval_on_selector(selector, f"each => getComputedStyle(each).{name}"))


@pytest.mark.parametrize(
    "look",
    [("en", "light", 1200), ("zh", "dark", 1200), ("en", "dark", 390), ("zh", "light", 390)],
    ids=str,
)
@pytest.mark.parametrize("kind", ["run", "archive", "numbers", "hang"])
def test_no_complaint_no_request_and_nothing_beside_the_screen(
    opened: Any, pages: Pages, kind: str, look: tuple[str, str, int]
) -> None:
    """In both languages, both themes, on a phone: with all folds open."""
    file: Path = getattr(pages, kind)
    page, complaints, requests = opened(file, *look)
    page.evaluate(
        "document.querySelectorAll('.run-name').forEach((each, i) => i < 2 && each.click())"
    )
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    page.wait_for_timeout(100)
    assert (complaints, requests) == ([], [file.as_uri()])
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.parametrize("kind", ["run", "archive", "hang"])
def test_markup_of_a_log_is_shown_and_does_nothing(opened: Any, pages: Pages, kind: str) -> None:
    """The words of the log are on the screen, no element is made of them."""
    page = opened(getattr(pages, kind)).page
    assert HOSTILE in page.inner_text("main")
    assert page.evaluate(
        "[window.pwned ?? 0, document.images.length, document.scripts.length]"
    ) == [0, 0, 2]


def test_the_policy_stops_what_it_must(opened: Any, pages: Pages) -> None:
    """Markup from text, a script without its hash, a request."""
    page, complaints, _ = opened(pages.run)
    assert (
        page.evaluate(
            "(() => { try { document.body.innerHTML = 'x'; return 'set'; } catch (error) { return error.name; } })()"
        )
        == "TypeError"
    )
    assert (
        page.evaluate("fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')")
        == "refused"
    )
    page.evaluate(
        "(() => { const one = document.createElement('img'); one.src = 'http://127.0.0.1:9/x.png'; document.body.append(one); })()"
    )
    page.wait_for_timeout(100)
    assert sum("Content Security Policy" in each for each in complaints) >= 2


def test_the_language_is_switched_and_remembered(opened: Any, pages: Pages) -> None:
    """Texts of signatures, texts of the page, and the language that a screen reader is told."""
    page = opened(pages.run).page
    english = page.inner_text("h1")
    page.click("#switch-language")
    assert (english, page.inner_text("h1").strip("✖ \n\t"), page.get_attribute("html", "lang")) == (
        "✖\nGPU memory is full (PyTorch allocator): 18.55 GiB did not fit",
        "显存不足（PyTorch 分配器）：申请 18.55 GiB 失败",
        "zh-CN",
    )
    page.reload()
    assert page.inner_text("#answer h2 >> nth=0") == "原因"


def test_colours_follow_the_system_until_they_are_switched(opened: Any, pages: Pages) -> None:
    """Dark as the system, then light, then dark."""
    page = opened(pages.run, theme="dark").page
    seen = [style_of(page, "body", "backgroundColor")]
    for _ in range(3):
        page.click("#switch-theme")
        seen.append(style_of(page, "body", "backgroundColor"))
    dark, light = "rgb(15, 18, 22)", "rgb(244, 245, 247)"
    assert seen == [dark, light, dark, dark]


def test_copy_buttons_copy(opened: Any, pages: Pages) -> None:
    """The evidence as the log has it, and say so to a screen reader."""
    page = opened(pages.run, permissions=["clipboard-read", "clipboard-write"]).page
    page.click(".answer .proof .copy")
    expect(page.locator("#announcement")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()").startswith(
        f"[rank0]: 2025-03-02 10:01:00,120 {OUT_OF_MEMORY} {HOSTILE}"
    )


def test_the_time_line_has_a_place_for_each_rank(opened: Any, pages: Pages) -> None:
    """In the chart, and in the table for those who cannot see it."""
    page = opened(pages.run).page
    page.click("summary:has-text('As a table')")
    rows = page.locator("section:has(.timeline) tbody tr").all_inner_texts()
    assert [row.split("\t")[2] for row in rows if "rank" in row] == [
        f"rank {rank}" for rank in range(8)
    ]
    marks = page.locator(".timeline path[class^='mark-']")
    assert [marks.nth(i).get_attribute("class") for i in range(9)] == [
        *["mark-consequence"] * 8,
        "mark-root_cause",
    ]
    assert len({marks.nth(i).bounding_box()["x"] for i in range(9)}) > 1


def test_who_launched_what_is_drawn_and_told_in_a_table(opened: Any, pages: Pages) -> None:
    """By shapes, not by colours alone; with the gap of the guilty rank, in both languages."""
    page = opened(pages.hang, width=1200).page
    chart = page.locator("#collectives svg[role=img]")
    assert "collectives 18 to 41" in str(chart.get_attribute("aria-label"))
    page.click("#collectives summary:has-text('As a table')")
    rows = page.locator("#collectives .of-ranks tbody tr").all_inner_texts()
    assert [row.split("\t") for row in rows] == [
        ["rank 0-10:2, 14-30:2 (15)", "waits", "#18-#40 completed, #41 launched, not completed"],
        ["rank 1-7:2, 11-31:2 (15)", "waits", "#18-#40 completed, #41 started, not completed"],
        ["rank 9", "✖ guilty", "#18-#39 completed, #40-#41 never launched"],
        ["rank 12", "left no dump", "#18-#41 no dump"],
    ]
    last = [f"#collectives g.{role} >> nth=-1" for role in ("guilty", "missing")]
    assert [page.locator(f"{each} >> path").get_attribute("class") for each in last] == [
        "mark-never_came", "mark-no_dump",
    ]  # fmt: skip
    drawn = page.locator("#collectives path[class^=mark-]")
    forms = {drawn.nth(i).get_attribute("class"): drawn.nth(i).get_attribute("d")
             for i in range(drawn.count())}  # fmt: skip
    assert len(set(forms.values())) == len(forms) >= 5
    page.click("#switch-language")
    assert "从未发起" in page.inner_text("#collectives")


def test_a_narrow_page_has_the_last_collectives(opened: Any, pages: Pages) -> None:
    """As many as can be told from each other."""
    page = opened(pages.hang, width=390).page
    label = str(page.get_attribute("#collectives svg[role=img]", "aria-label"))
    assert "to 41" in label
    assert "collectives 18" not in label
    boxes = page.locator("#collectives g.guilty rect.around")
    assert all(boxes.nth(i).bounding_box()["width"] >= 14 for i in range(boxes.count()))


KL = ".panel:has(code:text-is('actor/ppo_kl')) .curve"


def test_curves_are_walked_by_keys(opened: Any, pages: Pages) -> None:
    """A screen reader is told the step and the value; all panels follow."""
    page = opened(pages.numbers).page
    page.focus(KL)
    for key in ("Home", "ArrowRight", "ArrowRight", "End"):
        page.keyboard.press(key)
    expect(page.locator(KL)).to_have_attribute("aria-valuetext", re.compile(r"step 200: 0\.\d+"))
    expect(page.locator(".readout >> nth=0")).to_have_text(re.compile(r"step 200: 0\.\d+"))
    assert page.get_attribute(KL, "role") == "slider"


def test_a_part_of_the_run_is_shown_by_dragging_and_by_keys(opened: Any, pages: Pages) -> None:
    """And all of it again."""
    page = opened(pages.numbers).page
    page.locator(KL).scroll_into_view_if_needed()
    box = page.locator(KL).bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + 300, box["y"] + 50, steps=4)
    page.mouse.up()
    steps = f"{KL} text.tick[text-anchor=middle]"
    expect(page.locator(f"{steps} >> nth=0")).not_to_have_text("50")
    page.keyboard.press("Tab")
    page.focus(KL)
    page.keyboard.press("0")
    expect(page.locator(f"{steps} >> nth=0")).to_have_text("50")
    page.keyboard.press("End")
    page.keyboard.press("+")
    expect(page.locator(f"{steps} >> nth=0")).not_to_have_text("50")


def test_onset_and_restarts_are_marked_in_all_panels(opened: Any, pages: Pages) -> None:
    """At the same step; the list above leads there."""
    page = opened(pages.numbers).page
    texts = page.locator(".marks li").all_inner_texts()
    assert [text.split(" · ")[-1] for text in texts] == ["step 120", "step 150"]
    assert (
        page.locator(".panel svg .at-onset").count()
        == page.locator(".panel svg .at-restart").count()
        >= 11
    )
    page.click(".marks button >> nth=0")
    expect(page.locator(".readout >> nth=0")).to_have_text(re.compile("step 120: "))


def test_the_values_stand_in_a_table(opened: Any, pages: Pages) -> None:
    """For those who cannot see the curve."""
    page = opened(pages.numbers).page
    page.click(".panel >> nth=0 >> summary")
    row = page.locator(".panel >> nth=0 >> tbody tr >> nth=0").inner_text().split("\t")
    assert row[0] == "1"
    assert 0.1 < float(row[1]) < 0.3


@pytest.mark.parametrize(
    ("number", "place", "where"), [(0, "<text>:1", ".proof"), (1, "<text>:777", "details.places")]
)
def test_a_reason_leads_to_its_line(
    opened: Any, pages: Pages, number: int, place: str, where: str
) -> None:
    """Within a proof where one has the line, else in the table of the time line, which opens."""
    page = opened(pages.run).page
    page.click(f".answer .because button >> nth={number}")
    assert page.evaluate("document.activeElement.dataset.place") == place
    assert page.evaluate(f"document.activeElement.closest('{where}') !== null")
    assert page.locator(".pointed-at").count() == 1
    expect(page.locator(".pointed-at")).to_be_in_viewport()


def test_reasons_are_told_in_both_languages(opened: Any, pages: Pages) -> None:
    """In the words of the page."""
    page = opened(pages.run, language="zh").page
    assert page.inner_text(".because >> nth=1") == f"依据：日志如此 {HOSTILE} <text>:777"


def test_the_map_is_walked_by_keys(opened: Any, pages: Pages) -> None:
    """Arrows move one focus; Enter shows the runs of a cell in the table."""
    page = opened(pages.archive).page
    page.focus(".cell[tabindex='0']")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    while not page.evaluate("document.activeElement.className.includes('root')"):
        before = page.evaluate("document.activeElement.cellIndex")
        page.keyboard.press("ArrowRight")
        assert page.evaluate("document.activeElement.cellIndex") == before + 1
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "explorer-title"
    assert page.locator(".cell[tabindex='0']").count() == 1
    titles = set(page.locator("tr.one td:nth-child(2)").all_inner_texts())
    assert [label.startswith(title) for title in titles] == [True]


def test_rows_are_searched_filtered_and_sorted(opened: Any, pages: Pages) -> None:
    """Words of the log, the kind of row, a column in both directions."""
    page = opened(pages.archive).page
    page.select_option("#show", "healthy")
    healthy = int(page.inner_text("#row-count").split()[1].rstrip(","))
    page.select_option("#show", "root")
    assert healthy + int(page.inner_text("#row-count").split()[1].rstrip(",")) == 120
    page.fill("#search", "illegal memory access")
    expect(page.locator("#row-count")).not_to_have_text(
        f"rows: {120 - healthy}, runs: {120 - healthy}"
    )
    assert {text.strip() for text in page.locator("tr.one td:nth-child(2)").all_inner_texts()} == {
        "A CUDA kernel accessed memory out of bounds (illegal memory access)"
    }
    page.fill("#search", "no such words")
    page.wait_for_selector("text=Nothing fits these filters")
    page.click("text=Clear filters")
    names = []
    for _ in range(2):
        page.click("#rows thead button >> nth=0")
        names.append(page.inner_text(".run-name >> nth=0"))
    assert names[0] < names[1]
    assert page.get_attribute("#rows thead th >> nth=0", "aria-sort") == "descending"


def test_a_row_opens_by_key_with_all_of_its_diagnosis(opened: Any, pages: Pages) -> None:
    """Evidence, cause, remedies."""
    page = opened(pages.archive).page
    page.focus(".run-name >> nth=0")
    page.keyboard.press("Enter")
    assert page.get_attribute(".run-name >> nth=0", "aria-expanded") == "true"
    assert page.locator("tr.details:not([hidden]) :is(.proof, .cause, .remedy)").count() >= 3
    page.keyboard.press("Enter")
    assert page.locator("tr.details:not([hidden])").count() == 0


def test_a_row_shows_the_values_in_force(opened: Any, pages: Pages) -> None:
    """Beside those that are suggested, and when each writer first printed it."""
    page = opened(pages.archive).page
    row = "data.rows.find((row) => row.is_root && row.remedies?.filter((each) => each.applies === 'yes' || each.applies === 'always').slice(0, REMEDIES_SHOWN).some((each) => Object.keys(each.set).some((key) => key in each.now)))"
    name = page.evaluate(f"data.runs[{row}.run].name")
    page.fill("#search", name)
    expect(page.locator("#rows .run-name")).to_have_count(1)
    page.locator("#rows .run-name").press("Enter")
    assert page.locator("#rows .settings .now").first.inner_text() in page.evaluate(
        f"Object.values({row}.now)"
    )


def test_ten_thousand_diagnoses_stay_smooth(opened: Any, pages: Pages) -> None:
    """Drawing, searching, sorting and turning pages each answer at once, and few elements are made."""
    page = opened(pages.large).page
    measured = page.evaluate("""() => {
        const timed = (action) => { const start = performance.now(); action(); document.body.offsetHeight; return performance.now() - start; };
        const search = (text) => () => { filters.search = text; filters.show = "all"; fillRows(); };
        return [data.rows.length, document.querySelectorAll("*").length,
            [draw, search("memory"), search("memory gpu"), () => sortBy(1), () => sortBy(0), () => { filters.page = 9; fillRows(); }].map(timed)];
    }""")
    assert measured[0] > 10_000
    assert measured[1] < 5_000
    assert [milliseconds for milliseconds in measured[2] if milliseconds > PROMPT] == []


@pytest.mark.parametrize(
    ("kind", "theme"),
    [("run", "dark"), ("run", "light"), ("archive", "light"), ("hang", "dark"), ("hang", "light")],
)
def test_axe_finds_no_barrier(opened: Any, pages: Pages, kind: str, theme: str) -> None:
    """Names, roles, contrast and order, by axe-core."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright",
        reason="needs axe-playwright-python: pip install -e '.[browser]'",
    )
    page = opened(getattr(pages, kind), theme=theme, width=390, bypass_csp=True).page
    page.evaluate(
        "document.querySelectorAll('.run-name').forEach((each, i) => i < 1 && each.click())"
    )
    page.evaluate(
        "document.querySelectorAll('details').forEach((each, i) => { each.open = i < 4; })"
    )
    page.wait_for_timeout(100)
    assert [each["id"] for each in axe.Axe().run(page).response["violations"]] == []


def test_without_javascript_the_text_report_is_there(opened: Any, pages: Pages) -> None:
    """With the same answer."""
    page = opened(pages.run, java_script_enabled=False).page
    assert "✖ GPU memory is full" in page.inner_text("noscript pre")
