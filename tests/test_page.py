"""The page as text and data: what stands in it, and that nothing of a log can run."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.texts.sample_archive import batch_document
from logdoctor.document.document import document
from logdoctor.errors import LogdoctorError
from logdoctor.model import Language
from logdoctor.pipeline.scan import scan_text
from logdoctor.reports.html.archive import BatchDocuments, RunFacts, archive_data, render_archive
from logdoctor.reports.html.bilingual import Shelf, merged
from logdoctor.reports.html.captions import Caption, words
from logdoctor.reports.html.page import as_data
from logdoctor.reports.html.periods import BARS, calendar_day, counted
from logdoctor.reports.html.run import render_run, run_data
from logdoctor.search.automaton import Automaton
from logdoctor.texts.phrases import reports
from logdoctor.texts.phrases import words as shared

RunCli = Callable[..., "subprocess.CompletedProcess[bytes]"]
HOSTILE = "</script><script>document.title='pwned'</script><img src=x onerror=alert(1)><!--"
OUT_OF_MEMORY = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 18.55 GiB. GPU 0 has a total capacity of 95.00 GiB of which 9.87 GiB is free."


class Elements(HTMLParser):
    """Start tags with their attributes, and the text of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, dict[str, str | None], str]] = []
        self._raw: list[str] | None = None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._raw = [] if tag in {"script", "style"} else self._raw

    def handle_data(self, data: str) -> None:
        if self._raw is not None:
            self._raw.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag in {"script", "style"} and self._raw is not None:
            self.texts.append((tag, self.tags[-1][1], "".join(self._raw)))
            self._raw = None


def data_of(page: str) -> Any:
    return json.loads(
        next(
            text for tag, attributes, text in Elements(page).texts if attributes.get("id") == "data"
        )
    )


def one_archive(automaton: Automaton, **logs: str) -> BatchDocuments:
    results = {name: scan_text(automaton, text) for name, text in logs.items()}
    english, chinese = (
        batch_document({name: document(each, language, "") for name, each in results.items()})
        for language in Language
    )
    return BatchDocuments(english, chinese)


@pytest.fixture(scope="module")
def hostile_page(automaton: Automaton) -> str:
    return render_run(
        scan_text(automaton, f"{HOSTILE}\nValueError: {HOSTILE}\n{OUT_OF_MEMORY} {HOSTILE}\n"),
        Language.EN,
        "0",
    )


def test_the_policy_names_every_script_and_style_by_its_hash(hostile_page: str) -> None:
    """Nothing else may run, and nothing may be fetched."""
    policy = next(
        attributes["content"] or ""
        for tag, attributes in Elements(hostile_page).tags
        if attributes.get("http-equiv")
    )
    rules = {name: values for name, *values in (rule.split() for rule in policy.split(";"))}
    texts = [
        (tag, text)
        for tag, attributes, text in Elements(hostile_page).texts
        if attributes.get("id") != "data"
    ]
    hashes = {
        tag: [
            "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
            for each, text in texts
            if each == tag
        ]
        for tag, _ in texts
    }
    assert rules == {
        "default-src": ["'none'"],
        "script-src": hashes["script"],
        "style-src": hashes["style"],
        "img-src": ["data:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
        "require-trusted-types-for": ["'script'"],
        "trusted-types": ["'none'"],
    }


def test_the_page_refers_to_nothing_outside(hostile_page: str) -> None:
    """No attribute of its markup names an address; no style loads one."""
    addresses = [
        value
        for _, attributes in Elements(hostile_page).tags
        for name, value in attributes.items()
        if name in {"src", "href"} and value
    ]
    styles = [text for tag, _, text in Elements(hostile_page).texts if tag == "style"]
    assert [each for each in addresses if not each.startswith(("#", "data:"))] == []
    assert [each for text in styles for each in re.findall(r"url\(|@import", text)] == []
    assert "sourceMappingURL" not in hostile_page


def test_a_log_full_of_markup_stays_text(hostile_page: str) -> None:
    """Data, one script and one style, no handler, and the log's words as they were."""
    elements = Elements(hostile_page)
    assert [tag for tag, _, _ in elements.texts] == ["style", "script", "script"]
    assert [
        name
        for _, attributes in elements.tags
        for name in attributes
        if name.startswith("on") or name == "style"
    ] == []
    assert "img" not in {tag for tag, _ in elements.tags}
    diagnosis = data_of(hostile_page)["diagnoses"][0]
    assert diagnosis["evidence"][0]["text"] == f"{OUT_OF_MEMORY} {HOSTILE}"


@given(
    st.recursive(
        st.text() | st.sampled_from([HOSTILE, "]]>", "\u2028"]),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_data_is_json_without_markup(value: Any) -> None:
    """What is read back is what was written, and no parser sees a tag in it."""
    text = as_data(value)
    assert json.loads(text) == value
    assert set("<>&\u2028\u2029") & set(text) == set()


def test_the_code_of_the_page_cannot_end_its_element() -> None:
    """No asset has a text that an HTML parser acts upon inside a script."""
    assets = [
        each
        for each in files("logdoctor.reports.html").joinpath("assets").iterdir()
        if each.name.endswith(".js")
    ]
    assert len(assets) == 8
    assert [
        each.name
        for each in assets
        if re.search(r"</script|<!--", each.read_text(encoding="utf-8"), re.IGNORECASE)
    ] == []


def test_the_page_has_the_diagnosis_in_both_languages(automaton: Automaton) -> None:
    """With the lines around the proof and the places by writer."""
    result = scan_text(automaton, f"[rank3]: step\n[rank3]: {OUT_OF_MEMORY}\n")
    [found] = run_data(result, "0")["diagnoses"]
    assert found["title"] == result.diagnoses[0].title._asdict()
    assert found["cause"] == result.diagnoses[0].cause._asdict()
    assert found["evidence"][0]["context"] == [
        [1, "[rank3]: step"],
        [2, f"[rank3]: {OUT_OF_MEMORY}"],
    ]
    assert found["sightings"] == [
        {
            "source": "<text>",
            "line": 2,
            "time": None,
            "host": None,
            "rank": 3,
            "pid": None,
            "actor": None,
        }
    ]


def test_each_writer_has_its_first_place(automaton: Automaton) -> None:
    """Three ranks, one of them twice."""
    log = "".join(f"[rank{rank}]: {OUT_OF_MEMORY}\n" for rank in (1, 0, 1, 2))
    [diagnosis] = scan_text(automaton, log).diagnoses
    assert [(each.lane.rank, each.line) for each in diagnosis.sightings] == [(1, 1), (0, 2), (2, 4)]


def test_a_remedy_says_what_is_set_now(automaton: Automaton, repository: Path) -> None:
    """Beside what it suggests."""
    log = (repository / "sample_logs" / "chatlearn-cuda-oom-fsdp.log").read_text(encoding="utf-8")
    remedy = run_data(scan_text(automaton, log), "0")["diagnoses"][0]["remedies"][0]
    assert remedy["set"] == {"models.policy_trainer.max_token_in_packing": "< 32768"}
    assert remedy["now"] == {"models.policy_trainer.max_token_in_packing": "32768"}


def test_a_reader_without_javascript_gets_the_text_report(hostile_page: str) -> None:
    """Escaped."""
    plain = hostile_page.partition("<noscript>")[2].partition("</noscript>")[0]
    assert "&lt;/script&gt;&lt;script&gt;" in plain
    assert "GPU memory is full" in plain


@pytest.mark.parametrize(("log", "code"), [(OUT_OF_MEMORY, 1), ("all is well", 0)])
def test_scan_writes_the_page(run_cli: RunCli, log: str, code: int) -> None:
    """With the exit code of any other format."""
    finished = run_cli("scan", "--format", "html", "--lang", "zh", stdin=log.encode())
    assert (finished.returncode, finished.stderr) == (code, b"")
    assert finished.stdout.startswith(b'<!doctype html>\n<html lang="zh">')


def test_texts_of_the_page_are_used_and_have_names_of_their_own() -> None:
    """No caption hides a phrase, and each is named by the code that draws."""
    assets = files("logdoctor.reports.html").joinpath("assets")
    code = "".join(
        assets.joinpath(name).read_text(encoding="utf-8")
        for name in (
            "page.js",
            "charts.js",
            "curves.js",
            "diagnosis.js",
            "timeline.js",
            "collectives.js",
            "run.js",
            "archive.js",
            "page.html.j2",
        )
    )
    made_up = {
        "THEME_AUTO",
        "THEME_LIGHT",
        "THEME_DARK",
        "DAY",
        "WEEK",
        "MONTH",
        "YEAR",
    }  # put together from data
    assert {each.name for each in Caption} & (vars(reports).keys() | vars(shared).keys()) == set()
    assert {each.name for each in Caption if f'"{each.name}"' not in code} == made_up
    assert [name for name in re.findall(r'say\("(\w+)"', code) if name not in words()] == []


def test_both_languages_have_the_same_names_to_fill() -> None:
    """Of every caption."""
    assert [
        each.name
        for each in Caption
        if set(re.findall(r"\{\w+\}", each.value.en)) != set(re.findall(r"\{\w+\}", each.value.zh))
    ] == []


TREES = st.recursive(
    st.integers() | st.none() | st.tuples(st.text(), st.text()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(TREES)
def test_a_merged_document_has_both(tree: Any) -> None:
    """Picking a language gives back its document."""

    def picked(value: Any, side: int) -> Any:
        if isinstance(value, tuple):
            return value[side]
        if isinstance(value, list):
            return [picked(each, side) for each in value]
        return (
            {key: picked(each, side) for key, each in value.items()}
            if isinstance(value, dict)
            else value
        )

    def read(value: Any, pattern: Any, side: int) -> Any:
        if isinstance(pattern, tuple):
            return value[("en", "zh")[side]] if isinstance(value, dict) else value
        if isinstance(pattern, list):
            return [read(each, inner, side) for each, inner in zip(value, pattern, strict=True)]
        return (
            {key: read(value[key], inner, side) for key, inner in pattern.items()}
            if isinstance(pattern, dict)
            else value
        )

    both = merged(picked(tree, 0), picked(tree, 1))
    assert (read(both, tree, 0), read(both, tree, 1)) == (picked(tree, 0), picked(tree, 1))


def test_a_shelf_keeps_equal_values_once() -> None:
    """By their place."""
    shelf = Shelf()
    assert ([shelf.put(each) for each in ("a", ["b"], "a", ["b"])], shelf.values) == (
        [0, 1, 0, 1],
        ["a", ["b"]],
    )


@pytest.mark.parametrize(
    ("days", "unit", "starts"),
    [
        (["2025-03-01", "2025-03-03"], "day", ["2025-03-01", "2025-03-02", "2025-03-03"]),
        (
            ["2025-03-01", "2025-05-01"],
            "week",
            [
                f"2025-{day}"
                for day in (
                    "02-24",
                    "03-03",
                    "03-10",
                    "03-17",
                    "03-24",
                    "03-31",
                    "04-07",
                    "04-14",
                    "04-21",
                    "04-28",
                )
            ],
        ),
        (["2023-12-31", "2025-02-01"], "week", None),
        (["2023-12-31", "2026-02-01"], "month", None),
        (["0001-01-01", "9999-12-31"], "year", None),
    ],
)
def test_bars_are_days_weeks_months_or_years(
    days: list[str], unit: str, starts: list[str] | None
) -> None:
    """The shortest that gives no more bars than a chart can have."""
    periods = counted((day, "x") for day in days)
    assert periods["unit"] == unit
    assert starts is None or periods["starts"] == starts


@given(
    st.lists(st.tuples(st.none() | st.dates().map(str), st.none() | st.sampled_from(["a", "b"])))
)
def test_every_run_is_in_one_bar_or_has_no_day(dated: list[tuple[str | None, str | None]]) -> None:
    """And bars ascend without gaps."""
    periods = counted(dated)
    assert sum(map(sum, periods["counts"].values())) + periods["undated"] == len(dated)
    assert periods["starts"] == sorted(set(periods["starts"]))
    assert len(periods["starts"]) <= BARS + 1 or periods["unit"] == "year"
    assert {len(each) for each in periods["counts"].values()} <= {len(periods["starts"])}


@pytest.mark.parametrize(
    ("time", "day"),
    [
        ("2025-02-03T04:05", "2025-02-03"),
        ("2025-02-31T04:05", None),
        ("--02-03T04:05:06", None),
        ("", None),
        (None, None),
    ],
)
def test_a_day_is_one_of_the_calendar(time: str | None, day: str | None) -> None:
    """Times without a year have none."""
    assert calendar_day(time) == day


def test_an_archive_has_a_row_for_each_diagnosis_and_each_healthy_run(automaton: Automaton) -> None:
    """Runs from the earliest to the latest, those without a time last."""
    archive = one_archive(
        automaton,
        b=f"2025-03-02 10:00:00,120 {OUT_OF_MEMORY}",
        a="all is well",
        c="ValueError: odd thing 3",
        d=f"2025-03-01 10:00:00,120 {OUT_OF_MEMORY}",
    )
    data = archive_data(archive, "0")
    assert [(each["name"], each["day"]) for each in data["runs"]] == [
        ("d", "2025-03-01"),
        ("b", "2025-03-02"),
        ("a", None),
        ("c", None),
    ]
    assert [(each["run"], each["is_root"], each.get("signature_id")) for each in data["rows"]] == [
        (0, True, "cuda-out-of-memory"), (1, True, "cuda-out-of-memory"), (2, False, None), (3, True, None),
    ]  # fmt: skip
    assert data["rows"][3]["fingerprint"] == archive.english["unknown_errors"][0]["fingerprint"]
    assert [(each["signature_id"], each["roots"], each["seen"]) for each in data["causes"]] == [
        ("cuda-out-of-memory", 2, 2)
    ]
    assert data["periods"] == {
        "unit": "day",
        "starts": ["2025-03-01", "2025-03-02"],
        "counts": {"cuda-out-of-memory": [1, 1]},
        "undated": 1,
    }


def test_what_is_known_of_a_run_outranks_its_evidence(automaton: Automaton) -> None:
    """Its start and its hosts."""
    archive = one_archive(automaton, a=f"2025-03-02 10:00:00,120 {OUT_OF_MEMORY}")._replace(
        facts={"a": RunFacts("2024-05-06T07:08", ("n1", "n2"), ("verl",))}
    )
    [run] = archive_data(archive, "0")["runs"]
    assert run == {
        "name": "a",
        "time": "2024-05-06T07:08",
        "day": "2024-05-06",
        "is_file_time": False,
        "hosts": ["n1", "n2"],
        "ending": "problem",
        "frameworks": ["verl"],
        "problems": [],
    }


def test_an_archive_shows_values_in_force_and_places_by_writer(
    run_cli: RunCli, repository: Path, tmp_path: Path
) -> None:
    """As the page of one run does; `batch --html` keeps both, in a store too."""
    log = repository / "sample_logs" / "chatlearn-cuda-oom-fsdp.log"
    (tmp_path / "runs" / "a").mkdir(parents=True)
    (tmp_path / "runs" / "a" / "t.log").write_bytes(log.read_bytes())
    for _ in range(2):
        run_cli(
            "batch",
            "--store",
            tmp_path / "s.sqlite",
            "--html",
            tmp_path / "page.html",
            tmp_path / "runs",
        )
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    embedded = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    data = json.loads(embedded[1])  # type: ignore[index]  # it is there
    [row] = [each for each in data["rows"] if each["is_root"]]
    assert row["now"]["models.policy_trainer.max_token_in_packing"] == "32768"
    assert [(each["rank"], each["line"]) for each in row["sightings"]] != []


def test_a_title_with_captures_does_not_stand_for_all_runs(automaton: Automaton) -> None:
    """The signature's id does where titles differ."""
    archive = one_archive(
        automaton,
        **{f"run{size}": f"AssertionError: batch_size {size} < chunks 64" for size in (32, 16)},
    )
    titles = {each["diagnoses"][0]["title"] for each in archive.english["runs"]}
    [cause] = archive_data(archive, "0")["causes"]
    assert (len(titles), cause["title"]) == (2, "dataproto-batch-smaller-than-chunks")


def test_problems_are_told_however_they_are_written(automaton: Automaton) -> None:
    """As a text, or as a document."""
    archive = one_archive(automaton, a="x")
    archive.english["runs"][0]["problems"] = [
        "a.log: is a pipe",
        {"source": "b.gz", "problem": "cut off"},
    ]
    archive.english["failed_to_read"] = [{"run": "z", "problem": "no permission"}]
    data = archive_data(archive._replace(chinese=None), "0")
    assert data["runs"][0]["problems"] == ["a.log: is a pipe", "b.gz: cut off"]
    assert data["failed_to_read"] == ["z: no permission"]


def test_a_run_may_be_dated_by_its_name_and_stand_below_a_root(automaton: Automaton) -> None:
    """Where its log has no dates, and where there are several roots."""
    archive = one_archive(
        automaton, **{"exp-20250304/run1": OUT_OF_MEMORY, "exp-20259999/run2": OUT_OF_MEMORY}
    )
    for run in archive.english["runs"]:
        run["root"] = "s3://logs/"
    runs = archive_data(
        archive._replace(facts={"s3://logs/exp-20259999/run2": RunFacts(hosts=("n1",))}), "0"
    )["runs"]
    assert [(each["name"], each["day"], each["hosts"]) for each in runs] == [
        ("s3://logs/exp-20250304/run1", "2025-03-04", []), ("s3://logs/exp-20259999/run2", None, ["n1"]),
    ]  # fmt: skip


def test_a_run_without_a_date_stands_at_the_time_of_its_files(automaton: Automaton) -> None:
    """And is marked; what its log tells stands before it."""
    dated = f"2025-03-02 10:00:00,120 {OUT_OF_MEMORY}"
    archive = one_archive(automaton, a=dated, b=OUT_OF_MEMORY)
    for run in archive.english["runs"]:
        run["written"] = "2025-03-04T05:06:07Z"
    runs = archive_data(archive._replace(chinese=None), "0")["runs"]
    assert [(each["name"], each["day"], each["is_file_time"]) for each in runs] == [
        ("a", "2025-03-02", False),
        ("b", "2025-03-04", True),
    ]
    (cause,) = archive_data(archive._replace(chinese=None), "0")["causes"]
    assert [cause[name]["is_file_time"] for name in ("first_seen", "last_seen")] == [False, True]


def test_a_run_whose_worst_is_a_warning_did_not_die_of_it(automaton: Automaton) -> None:
    """Neither among the causes nor in the chart of failed runs."""
    warning = (
        "Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot "
        "open shared object file: No such file or directory\n"
    )
    dated = f"2025-03-02 10:00:00,120 {OUT_OF_MEMORY}"
    data = archive_data(one_archive(automaton, a=dated, b=warning), "0")
    assert [row["severity"] for row in data["rows"] if row["is_root"]] == ["fatal", "warning"]
    assert sorted((each["roots"], each["seen"]) for each in data["causes"]) == [(0, 1), (1, 1)]
    assert data["periods"]["counts"] == {"cuda-out-of-memory": [1]}
    assert data["periods"]["undated"] == 0


def test_a_document_of_another_version_is_refused() -> None:
    """With both numbers."""
    with pytest.raises(
        LogdoctorError, match=r'schema_version "2" of the batch document; expected 1'
    ):
        render_archive(BatchDocuments({"schema_version": 2}), Language.EN, "0")


def test_an_archive_full_of_markup_stays_text(automaton: Automaton) -> None:
    """In names of runs, evidence and problems."""
    archive = one_archive(
        automaton, **{HOSTILE: f"{OUT_OF_MEMORY} {HOSTILE}\nValueError: {HOSTILE}"}
    )
    archive.english["failed_to_read"] = [HOSTILE]
    page = render_archive(archive, Language.EN, "0")
    assert [tag for tag, _, _ in Elements(page).texts] == ["style", "script", "script"]
    assert data_of(page)["runs"][0]["name"] == HOSTILE


def test_names_that_are_not_utf8_do_not_break_the_page(automaton: Automaton) -> None:
    """What has no character is shown as a question mark."""
    page = render_archive(one_archive(automaton, **{"run-\udcff": OUT_OF_MEMORY}), Language.EN, "0")
    assert data_of(page.encode().decode())["runs"][0]["name"] == "run-?"


def test_an_archive_keeps_long_lines_short(automaton: Automaton) -> None:
    """Ten thousand whole ones would not open."""
    archive = one_archive(automaton, a=f"{OUT_OF_MEMORY} {'x' * 5000}")
    text = archive_data(archive, "0")["rows"][0]["evidence"][0]["text"]
    assert (len(text), text[-2:]) == (2001, "x…")


def test_pictures_of_the_pages_are_small_enough_for_a_readme(repository: Path) -> None:
    """Each below 300 kB."""
    assert [
        name
        for name in ("page.png", "archive.png")
        if (repository / "docs" / name).stat().st_size >= 300_000
    ] == []


def test_a_plain_scan_imports_nothing_of_the_page() -> None:
    """Nor the library that writes it."""
    code = "import logdoctor.cli.main, sys; print([name for name in sys.modules if 'html' in name or name == 'jinja2'])"
    finished = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    )
    assert finished.stdout == "[]\n"
