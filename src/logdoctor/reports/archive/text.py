"""Judged runs for a person: render_text, and render_markdown for a ticket, from the same sections.

In this order: what the runs have in common, the most telling first, then each run that failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from logdoctor.archive.comparison import OnlyBad
from logdoctor.archive.overview import FailingNode, Group, Tally, has_failed, root_of
from logdoctor.archive.parting import Parting
from logdoctor.model import Language, LocalText, Severity
from logdoctor.reports.archive.structured import Archive, ReadRun
from logdoctor.reports.run.layout import columns, shortened, wrapped
from logdoctor.texts.phrases import reports

LISTED = 30
"""Rows of a section about all runs."""

DAY = 10
"""Characters of a date in ISO 8601."""

_FILE_TIME = "~"
"""Before what has a time from its files."""


class _Word(Enum):
    RUNS = LocalText("Runs that failed", "失败的运行")
    CAUSES = LocalText("What the runs die of", "失败原因")
    WARNINGS = LocalText("Warnings of runs that did not fail", "未失败的运行中的警告")
    NEW = LocalText("New since the last call", "上次运行以来新出现的问题")
    UNKNOWN = LocalText("Errors without a signature", "签名库中没有的错误")
    FRAMEWORKS = LocalText("By framework", "按框架")
    WEEKS = LocalText("By week", "按周")
    NODES = LocalText("Nodes that fail more often than chance", "失败次数超出偶然的节点")
    COMPARISON = LocalText("Lines that only the bad runs have", "只在失败运行中出现的行")
    PARTINGS = reports.PARTINGS
    METRIC = LocalText("metric", "指标")
    STEP = LocalText("from step", "起始步")
    GOOD = LocalText("good", "正常")
    BAD = LocalText("bad", "失败")
    FAILURES = LocalText("Could not be read", "无法读取")
    RUN = LocalText("run", "运行")
    CAUSE = LocalText("cause", "原因")
    KEY = LocalText("signature", "签名")
    WHERE = LocalText("where", "位置")
    COUNT = LocalText("runs", "运行数")
    TIMES = LocalText("times", "次数")
    SEEN = LocalText("first – last seen", "首次 – 最近")
    MOSTLY = LocalText("framework, phase", "框架、阶段")
    ERROR = LocalText("error", "错误")
    FINGERPRINT = LocalText("fingerprint", "指纹")
    EXAMPLE = LocalText("for example in", "例如")
    FRAMEWORK = LocalText("framework", "框架")
    WEEK = LocalText("week", "周")
    FAILED = LocalText("failed", "失败")
    UNSIGNED = LocalText("failed without a signature", "失败且无签名")
    NOTES = LocalText("What the team has noted", "团队备注")
    NOTE = LocalText("note", "备注")
    NOTED = LocalText("on", "日期")
    NODE = LocalText("node", "节点")
    TOOK_PART = LocalText("of its failed runs", "参与的失败运行")
    EXPECTED = LocalText("expected", "期望值")
    CHANCE = LocalText("by chance", "偶然概率")
    LINE = LocalText("line", "行")
    PROBLEM = LocalText("problem", "问题")
    SUMMARY = LocalText(
        "{runs} runs · {failed} failed · {healthy} without a problem",
        "共 {runs} 个运行 · {failed} 个失败 · {healthy} 个未发现问题",
    )
    WARNED = LocalText(" · {warned} with warnings only", " · {warned} 个仅有警告")
    UNENDED = LocalText(
        " · {unended} without an error or an end", " · {unended} 个未见错误也未见结束"
    )
    SHARE = LocalText(
        " · {share} % of the failed ones without a signature", " · 失败运行中 {share} % 没有签名"
    )
    FILE_TIMES = LocalText(
        "~ runs that tell no time, by the time of their files: {count}",
        "~ 自身没有时间的运行，日期取自其文件：{count} 个",
    )
    UNREAD = LocalText(" · {unread} could not be read", " · {unread} 个无法读取")
    MORE = LocalText(
        "… and {count} more; --format json has them all",
        "…… 另有 {count} 项，--format json 给出全部",
    )
    NOTHING = LocalText("none", "无")


_GROUP = (_Word.CAUSE, _Word.KEY, _Word.COUNT, _Word.TIMES, _Word.SEEN, _Word.MOSTLY)
_ERROR = (_Word.ERROR, _Word.FINGERPRINT, _Word.COUNT, _Word.TIMES, _Word.SEEN, _Word.EXAMPLE)
_HEADS: Mapping[_Word, tuple[_Word, ...]] = {
    _Word.CAUSES: _GROUP,
    _Word.WARNINGS: _GROUP,
    _Word.NEW: _GROUP,
    _Word.UNKNOWN: _ERROR,
    _Word.NODES: (_Word.NODE, _Word.FAILED, _Word.TOOK_PART, _Word.EXPECTED, _Word.CHANCE),
    _Word.FRAMEWORKS: (_Word.FRAMEWORK, _Word.COUNT, _Word.FAILED, _Word.UNSIGNED),
    _Word.WEEKS: (_Word.WEEK, _Word.COUNT, _Word.FAILED, _Word.UNSIGNED),
    _Word.NOTES: (_Word.NOTE, _Word.KEY, _Word.NOTED),
    _Word.COMPARISON: (_Word.LINE, _Word.COUNT, _Word.TIMES, _Word.WHERE),
    _Word.PARTINGS: (_Word.METRIC, _Word.STEP, _Word.GOOD, _Word.BAD),
    _Word.FAILURES: (_Word.PROBLEM, _Word.WHERE),
}
"""Names of the columns of each section."""


class Section(NamedTuple):
    """A part of the report.

    Attributes:
        head: names of the columns; the first one gives way where the terminal is narrow.
        rows: as many cells each as there are columns; never empty.
        left_out: rows that are not shown.
    """

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    left_out: int = 0


def render_text(
    runs: Iterable[ReadRun], archive: Archive, language: Language, width: int
) -> Iterator[str]:
    """The report in pieces; `archive` is looked at after the last run. Columns are as wide as a
    section needs.
    """
    failed = [row for row in map(_failed_run, runs) if row]
    for section in _sections(archive, language):
        yield _text_section(section, language, width)
    if failed:
        yield f"{_say(_Word.RUNS, language)}\n"
    for name, cause, key, where in failed:
        yield _entry(name, [cause, f"{key} · {where}"], width)
    if failed:
        yield "\n"
    yield from _legend(archive, language)
    yield _summary(archive, language) + "\n"


def render_markdown(runs: Iterable[ReadRun], archive: Archive, language: Language) -> Iterator[str]:
    """The same as tables of GitHub's Markdown."""
    failed = [row for row in map(_failed_run, runs) if row]
    for section in _sections(archive, language):
        yield _markdown_head(section.title, section.head)
        for row in section.rows:
            yield _markdown_row(row)
        yield f"\n{_more(section, language)}\n\n" if section.left_out else "\n"
    if failed:
        head = (_Word.RUN, _Word.CAUSE, _Word.KEY, _Word.WHERE)
        yield _markdown_head(_say(_Word.RUNS, language), [_say(each, language) for each in head])
        yield from map(_markdown_row, failed)
        yield "\n"
    yield from _legend(archive, language)
    yield _summary(archive, language) + "\n"


def _failed_run(run: ReadRun) -> tuple[str, str, str, str] | None:
    root = root_of(run.document)
    if root is None or not has_failed(run.document):
        return None
    name = f"{run.root}: {run.record.run}" if run.root is not None else run.record.run
    evidence = root["evidence"][0] if root["evidence"] else None
    key = root.get("signature_id") or root["fingerprint"]
    return name, root["title"], key, f"{evidence['source']}:{evidence['line']}" if evidence else ""


def _sections(archive: Archive, language: Language) -> Iterator[Section]:
    for title, rows in _tables(archive):
        if rows or (title is _Word.NEW and archive.new is not None):
            head = _HEADS[title]
            shown = rows[:LISTED] or [(_say(_Word.NOTHING, language), *[""] * (len(head) - 1))]
            yield Section(
                _say(title, language),
                tuple(_say(each, language) for each in head),
                shown,
                len(rows[LISTED:]),
            )


def _tables(archive: Archive) -> Iterator[tuple[_Word, Sequence[tuple[str, ...]]]]:
    """All sections that there may be, in their order; one without rows has nothing to tell."""
    overview, new = archive.overview, archive.new or ()
    causes, unknown = overview.causes(), overview.unknown_errors()
    compared = archive.comparison.lines if archive.comparison else ()
    yield _Word.CAUSES, [_cause(each) for each in causes if not _is_warning(each)]
    yield _Word.NEW, [_cause(each) for each in (*causes, *unknown) if each.key in new]
    yield _Word.UNKNOWN, [(*_counted(each), each.run) for each in unknown]
    met = {each.key for each in (*causes, *unknown)}
    yield (
        _Word.NOTES,
        [(each.text, each.error, each.at[:DAY]) for each in archive.notes if each.error in met],
    )
    yield _Word.WARNINGS, [_cause(each) for each in causes if _is_warning(each)]
    yield _Word.NODES, [_node(each) for each in overview.failing_nodes()]
    yield (
        _Word.FRAMEWORKS,
        [_tally(each._replace(by_file_time=0)) for each in overview.frameworks()],
    )
    yield _Word.WEEKS, [_tally(each) for each in overview.weeks()]
    yield _Word.COMPARISON, [_only_bad(each) for each in compared]
    parted = archive.comparison.partings if archive.comparison else ()
    yield _Word.PARTINGS, [_parting(each) for each in parted]
    yield _Word.FAILURES, [(each.what, each.source) for each in archive.failures]


def _cause(group: Group) -> tuple[str, ...]:
    mostly = ", ".join(filter(None, (_most(group.frameworks), _most(group.phases))))
    return *_counted(group), mostly


def _is_warning(group: Group) -> bool:
    severity: object = group.example.get("severity")
    return severity == Severity.WARNING.value


def _counted(group: Group) -> tuple[str, ...]:
    return group.title, group.key, str(group.runs), str(group.occurrences), _seen(group)


def _node(node: FailingNode) -> tuple[str, ...]:
    expected, chance = f"{node.expected:.1f}", f"{node.chance:.1g}"
    return node.name, str(node.failed), str(node.runs), expected, chance


def _tally(tally: Tally) -> tuple[str, ...]:
    share = f" ({_percent(tally.unknown, tally.failed)} %)" if tally.unknown else ""
    name = f"{_FILE_TIME * bool(tally.by_file_time)}{tally.name}"
    return name, str(tally.runs), str(tally.failed), f"{tally.unknown}{share}"


def _percent(part: int, whole: int) -> int:
    return round(100 * part / whole)


def _only_bad(line: OnlyBad) -> tuple[str, ...]:
    return line.text, str(line.runs), str(line.occurrences), f"{line.source}:{line.line}"


def _parting(parting: Parting) -> tuple[str, ...]:
    return parting.metric, str(parting.step), f"{parting.good:.4g}", f"{parting.bad:.4g}"


def _most(counts: Mapping[str, int]) -> str:
    """The one with the most runs, or two where they are not alone."""
    ranked = sorted(counts, key=lambda name: (-counts[name], name))
    return "/".join(ranked[:2])


def _seen(group: Group) -> str:
    first, last = (group.first_seen or "")[:DAY], (group.last_seen or "")[:DAY]
    mark = _FILE_TIME if group.by_file_time else ""
    return mark + (first if first == last else f"{first} – {last}")


def _legend(archive: Archive, language: Language) -> Iterator[str]:
    """What the mark before a date means, where one stands there."""
    if archive.overview.by_file_time:
        count = archive.overview.by_file_time
        yield f"{_say(_Word.FILE_TIMES, language).format(count=count)}\n\n"


def _summary(archive: Archive, language: Language) -> str:
    overview = archive.overview
    others = overview.failed + overview.warned + overview.unread + overview.unended
    text = _say(_Word.SUMMARY, language).format(
        runs=overview.runs, failed=overview.failed, healthy=overview.runs - others
    )
    if overview.unknown:
        share = _percent(overview.unknown, overview.failed)
        text += _say(_Word.SHARE, language).format(share=share)
    if overview.unended:
        text += _say(_Word.UNENDED, language).format(unended=overview.unended)
    if overview.warned:
        text += _say(_Word.WARNED, language).format(warned=overview.warned)
    return text + (
        _say(_Word.UNREAD, language).format(unread=overview.unread) if overview.unread else ""
    )


def _text_section(section: Section, language: Language, width: int) -> str:
    rows = [section.head, *section.rows]
    widths = [max(columns(row[number]) for row in rows) for number in range(len(section.head))]
    room = width - 2 - 2 * (len(widths) - 1)
    widths[-1] = min(widths[-1], room // 3)
    if sum(widths) > room:
        entries = [_entry(row[0], [_told(section.head, row)], width) for row in section.rows]
        more = [f"  {_more(section, language)}\n"] if section.left_out else []
        return "".join((f"{section.title}\n", *entries, *more, "\n"))
    lines = [section.title]
    for row in rows:
        cells = [
            shortened(cell, size) if columns(cell) > size else cell
            for cell, size in zip(row, widths, strict=True)
        ]
        lines.append(
            (
                "  "
                + "  ".join(
                    cell + " " * (size - columns(cell))
                    for cell, size in zip(cells, widths, strict=True)
                )
            ).rstrip()
        )
    if section.left_out:
        lines.append(f"  {_more(section, language)}")
    return "\n".join(lines) + "\n\n"


def _entry(name: str, facts: Sequence[str], width: int) -> str:
    """What it is about, whole, and below it what there is to say, a line each."""
    lines = [f"  {line}" for line in wrapped(name, width - 2)]
    lines += [f"    {shortened(each, width - 4)}" for each in facts]
    return "".join(f"{line}\n" for line in lines)


def _told(head: Sequence[str], row: Sequence[str]) -> str:
    """The cells behind the first one; numbers with their names."""
    pairs = zip(head[1:], row[1:], strict=True)
    return " · ".join(f"{name} {cell}" if cell.isdigit() else cell for name, cell in pairs if cell)


def _markdown_head(title: str, head: Sequence[str]) -> str:
    return f"## {title}\n\n" + _markdown_row(head) + "| --- " * len(head) + "|\n"


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_markdown_cell(cell) for cell in cells) + " |\n"


def _markdown_cell(text: str) -> str:
    """The text as it is: nothing in a log's line is taken for markup."""
    for character in "\\`*_{}[]<>|#~":
        text = text.replace(character, f"\\{character}")
    return " ".join(text.split())


def _more(section: Section, language: Language) -> str:
    return _say(_Word.MORE, language).format(count=section.left_out)


def _say(word: _Word, language: Language) -> str:
    text: LocalText = word.value
    return text.in_language(language)
