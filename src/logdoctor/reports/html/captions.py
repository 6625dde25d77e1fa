"""What only the page says, in both languages: Caption, words, names."""

from __future__ import annotations

from enum import Enum

from logdoctor.model import LocalText
from logdoctor.model.collectives import RankRole, Standing
from logdoctor.texts.phrases import Phrase, reports
from logdoctor.texts.phrases import words as shared
from logdoctor.texts.phrases.words import (
    METRIC_NAMES,
    PHASE_NAMES,
    RISK_NAMES,
    SEVERITY_NAMES,
    VERDICT_NAMES,
)

Words = dict[str, dict[str, str]]


class Caption(Enum):
    """A text of the page beyond what the other reports say."""

    SKIP = LocalText("Skip to the answer", "跳到结论")
    SWITCH_LANGUAGE = LocalText("中文", "English")
    SWITCH_LANGUAGE_LABEL = LocalText("切换到中文", "Switch to English")
    THEME_AUTO = LocalText("Colours: as the system", "配色：跟随系统")
    THEME_LIGHT = LocalText("Colours: light", "配色：浅色")
    THEME_DARK = LocalText("Colours: dark", "配色：深色")
    COPY = LocalText("Copy", "复制")
    COPIED = LocalText("Copied", "已复制")
    NOT_COPIED = LocalText("Could not copy", "复制失败")
    COPY_EVIDENCE = LocalText("Copy the evidence", "复制日志片段")
    COPY_SETTING = LocalText("Copy the setting {key}", "复制设置 {key}")
    COPY_COMMAND = LocalText("Copy the command", "复制命令")
    NEEDS_SCRIPT = LocalText(
        (
            "This page is drawn by the JavaScript inside it, which is switched off here. The "
            "same in plain text:"
        ),
        "本页由内嵌的 JavaScript 绘制，而此处已禁用。以下为纯文本内容：",
    )
    NEEDS_SCRIPT_ARCHIVE = LocalText(
        (
            "This page is drawn by the JavaScript inside it, which is switched off here. "
            "logdoctor batch --format markdown says the same in plain text."
        ),
        (
            "本页由内嵌的 JavaScript 绘制，而此处已禁用。logdoctor batch --format markdown "
            "可输出相同内容的纯文本。"
        ),
    )

    FITS = LocalText("fits this run", "适用于本次运行")
    MAY_FIT = LocalText("check first", "需先确认")
    FITS_NOT = LocalText("does not fit", "不适用")
    REMEDIES_OPEN = LocalText(
        "Remedies with a condition that the log leaves open ({count})",
        "需自行确认条件的处理办法（{count}）",
    )
    REMEDIES_NOT_FITTING = LocalText(
        "Remedies for other situations ({count})", "适用于其他情况的处理办法（{count}）"
    )
    SETTING = LocalText("Setting", "设置项")
    CURRENT = LocalText("Now", "当前值")
    SUGGESTED = LocalText("Suggested", "建议值")
    NOT_KNOWN = LocalText("not in the log", "日志中没有")
    READ_MORE = LocalText("Source", "出处")
    REFERENCES_COUNT = LocalText("References ({count})", "参考资料（{count}）")
    OTHER_PLACES = LocalText("Other places ({count})", "其他出现位置（{count}）")
    UNKNOWN_ERRORS = LocalText("Errors that no signature knows", "签名库中没有的错误")
    RESEMBLES = LocalText("resembles {id} ({score} %)", "与 {id} 相近（{score} %）")
    BECAUSE_OF = LocalText("follows from {name}", "由 {name} 引发")
    SHOW_PLACE = LocalText("Show {place}", "查看 {place}")
    OPEN_DETAILS = LocalText("Details of {name}", "{name} 的详情")

    CURVES = LocalText("Metrics", "指标曲线")
    CURVES_HINT = LocalText(
        (
            "Point at a curve for its values, drag to see a part of the run, double-click for all "
            "of it. Keys: arrows move, + and - zoom, 0 shows the whole run."
        ),
        (
            "指针移到曲线上可查看数值；拖动放大一段，双击恢复。"
            "键盘：方向键移动，+ 和 - 缩放，0 显示全程。"
        ),
    )
    CURVE_LABEL = LocalText(
        "{name} over steps; the table below has the same", "{name} 随步数的变化，下方表格内容相同"
    )
    ZOOM_IN = LocalText("Zoom in", "放大")
    ZOOM_OUT = LocalText("Zoom out", "缩小")
    WHOLE_RUN = LocalText("Whole run", "全程")
    LOG_SCALE = LocalText("Logarithmic", "对数坐标")
    MORE_METRICS = LocalText("Other metrics ({count})", "其他指标（{count}）")
    METRICS_LEFT = LocalText(
        "{count} more metrics are not on this page.", "另有 {count} 个指标未列入本页。"
    )
    BAD_RUNS = LocalText("something wrong", "有问题")
    GOOD_RUNS = LocalText("nothing found", "未发现问题")
    STEP = LocalText("Step", "步")
    AT_VALUE = LocalText("value {step}", "第 {step} 个值")
    VALUE_NUMBER = LocalText("Value no.", "序号")
    RESTARTED = LocalText("Steps go back: the run was resumed", "步数回退：运行曾恢复训练")
    THINNED = LocalText(
        "{shown} of {count} values: extremes are all there.",
        "共 {count} 个值，此处为其中 {shown} 个，极值均已保留。",
    )

    COLLECTIVES = LocalText("Which rank launched which collective", "各 rank 发起了哪些集合通信")
    COLLECTIVES_HINT = LocalText(
        (
            "A row is a rank, or several that stand alike; a column is a collective of the group, "
            "by its sequence number. Where a row ends in empty frames, those ranks never came. "
            "0-14:2 is every second rank."
        ),
        (
            "每行是一个 rank（或状态完全相同的若干 rank），每列是该通信组的一次集合通信，"
            "按序号排列。行末的虚线空框表示这些 rank 从未到达。"
            "0-14:2 表示 0 到 14 中步长为 2 的 rank。"
        ),
    )
    COLLECTIVES_LABEL = LocalText(
        "{group}: collectives {first} to {last} by rank; the table below has the same",
        "{group}：各 rank 的第 {first} 至 {last} 次集合通信，下方表格内容相同",
    )
    COLLECTIVES_WAITING = LocalText(
        "Ranks that wait in this group: {count}; ▼ marks {operation}",
        "此组中有 {count} 个 rank 在等待；▼ 所指为 {operation}",
    )
    NOBODY_WAITS = LocalText(
        "No other rank waits in this group; ▼ marks {operation}",
        "此组中没有其他 rank 在等待；▼ 所指为 {operation}",
    )
    GROUPS_LEFT = LocalText(
        "Ranks wait in {count} more groups that are not drawn here.",
        "另有 {count} 个通信组中也有 rank 在等待，此处未绘出。",
    )
    RANKS_LEFT = LocalText(
        "Not drawn, as they all stand differently: {ranks}",
        "状态各不相同、未绘出的 rank：{ranks}",
    )
    RANK_NAME = LocalText("rank {ranks}", "rank {ranks}")
    RANKS_COUNT = LocalText("rank {ranks} ({count})", "rank {ranks}（{count} 个）")
    RANKS = LocalText("Ranks", "rank")
    ROLE_IN_HANG = LocalText("Role", "角色")
    HOW_FAR = LocalText("Collectives", "集合通信")
    OPERATION = LocalText("Operation", "操作")
    SEQUENCE_NUMBER = LocalText("Sequence number", "序号")
    FROM_TO = LocalText("#{first}-#{last} {state}", "#{first}-#{last} {state}")
    ONE_NUMBER = LocalText("#{first} {state}", "#{first} {state}")

    TIMELINE = LocalText("Who printed what, and when", "各进程报错的时间线")
    TIMELINE_HINT = LocalText(
        (
            "Each mark is where a writer printed an error first, or evidence shown on this page. "
            "The first of a cascade stands on the left."
        ),
        "每个标记是某个进程首次打印该错误的位置，或本页展示的证据所在。最先出错的在最左边。",
    )
    TIMELINE_LABEL = LocalText(
        "Chart of {count} places in the log by writer; the table below has the same",
        "按进程绘制的 {count} 处日志位置，下方表格内容相同",
    )
    AS_TABLE = LocalText("As a table", "以表格显示")
    TIME = LocalText("Time", "时间")
    LINE = LocalText("Line", "行号")
    WRITER = LocalText("Writer", "进程")
    WHAT = LocalText("What", "内容")
    ABOUT_RUN = LocalText("About this run", "关于本次运行")
    PHASE_AT_END = LocalText("Last phase", "最后阶段")
    STEP_AT_END = LocalText("Last step", "最后一步")
    VERSIONS = LocalText("Versions", "版本")
    LOGS = LocalText("Logs read", "已读取的日志")
    LINES = LocalText("Lines", "行数")
    SIZE = LocalText("Size", "大小")
    PROBLEM = LocalText("Problem", "问题")
    MADE_BY = LocalText(
        "logdoctor {version} · {signatures} signatures · database {database}",
        "logdoctor {version} · {signatures} 条签名 · 签名库 {database}",
    )
    MADE_BY_ARCHIVE = LocalText("logdoctor {version}", "logdoctor {version}")

    ARCHIVE_TITLE = LocalText("What the runs died of", "训练失败原因一览")
    RUNS = LocalText("Runs", "运行数")
    FAILED_RUNS = LocalText("Failed", "失败")
    HEALTHY_RUNS = LocalText("Nothing wrong", "未发现问题")
    UNENDED_RUNS = LocalText("No error, no end seen", "未见错误也未见结束")
    WARNED_RUNS = LocalText("Warnings only", "仅有警告")
    DISTINCT_CAUSES = LocalText("Different causes", "不同原因")
    UNKNOWN_RUNS = LocalText("No signature yet", "尚无签名")
    UNREAD_RUNS = LocalText("Unreadable", "无法读取")
    DEADLIEST = LocalText(
        "Most often: {cause} ({count} of {failed} failed runs)",
        "最常见：{cause}（{failed} 次失败中占 {count} 次）",
    )
    MORE_ROWS = LocalText("{count} more", "还有 {count} 条")
    CAUSES = LocalText("Causes", "原因排行")
    CAUSES_OVER_TIME = LocalText("Causes over time", "原因随时间的变化")
    CAUSES_OVER_TIME_LABEL = LocalText(
        "Failed runs by {unit} and cause; the table below has the same",
        "按{unit}和原因统计的失败运行，下方表格内容相同",
    )
    CAUSES_BY_RUNS_LABEL = LocalText(
        "Failed runs by cause; the table below has the same",
        "按原因统计的失败运行，下方表格内容相同",
    )
    NO_TIMES = LocalText(
        "{count} failed runs print no date and are not in this chart.",
        "{count} 次失败运行没有打印日期，未计入此图。",
    )
    FILE_TIMES = LocalText(
        "{count} failed runs print no date; that of their files stands for it (~).",
        "{count} 次失败运行没有打印日期，以其文件的时间代替（~）。",
    )
    DAY = LocalText("day", "天")
    WEEK = LocalText("week", "周")
    MONTH = LocalText("month", "月")
    YEAR = LocalText("year", "年")
    OTHER_CAUSES = LocalText("other causes", "其他原因")
    UNKNOWN = LocalText("unknown error", "未知错误")
    FIRST_SEEN = LocalText("First seen", "首次出现")
    LAST_SEEN = LocalText("Last seen", "最近出现")
    OCCURRENCES = LocalText("Times", "次数")
    HEAT_MAP = LocalText("Run × cause", "运行 × 原因")
    HEAT_MAP_ONE = LocalText(
        "One column is one run, from the earliest to the latest.",
        "每列为一次运行，按时间先后排列。",
    )
    HEAT_MAP_SOME = LocalText(
        "One column is {count} runs in a row, from the earliest to the latest.",
        "每列为 {count} 次运行，按时间先后排列。",
    )
    HEAT_MAP_HINT = LocalText(
        (
            "Red: the root cause, the fuller the more often; yellow: also seen. Arrow keys move, "
            "Enter shows the runs below."
        ),
        "红色：根因，颜色越深次数越多；黄色：也曾出现。方向键移动，回车在下方显示这些运行。",
    )
    HEAT_CELL = LocalText(
        "{cause}: root of {root}, seen in {seen} of {count} runs, {first} to {last}",
        "{cause}：{count} 次运行中 {root} 次为根因，{seen} 次出现（{first} 至 {last}）",
    )
    MORE_CAUSES = LocalText(
        "{count} rarer causes are in the table only.", "另有 {count} 种较少见的原因，仅列于表格。"
    )
    REST_OF_RUN = LocalText("Also in this run", "本次运行中还有")
    EXPLORER = LocalText("Runs and diagnoses", "运行与诊断")
    SEARCH = LocalText("Search", "搜索")
    SEARCH_HINT = LocalText(
        "run, cause, words of the log, host …", "运行名、原因、日志文字、主机……"
    )
    SHOW = LocalText("Show", "显示")
    SHOW_ROOT = LocalText("root cause of each failed run", "每次失败运行的根因")
    SHOW_ALL_ROWS = LocalText("all diagnoses", "全部诊断")
    SHOW_OTHERS = LocalText("also seen", "另外发现")
    SHOW_CONSEQUENCES = LocalText("consequences", "连带后果")
    SHOW_HARMLESS = LocalText("harmless", "无害")
    SHOW_HEALTHY = LocalText("runs with nothing wrong", "未发现问题的运行")
    CAUSE_FILTER = LocalText("Cause", "原因")
    HOSTS = LocalText("Hosts", "主机")
    ANY = LocalText("any", "不限")
    CLEAR = LocalText("Clear filters", "清除筛选")
    ROWS = LocalText("rows: {count}, runs: {runs}", "{count} 条，{runs} 次运行")
    SELECTED_RUNS = LocalText(
        "only the {count} runs chosen in the map", "仅限图中选中的 {count} 次运行"
    )
    NO_ROWS = LocalText("Nothing fits these filters.", "没有符合筛选条件的内容。")
    NODES = LocalText("Nodes that fail more often than chance", "故障率高于随机水平的节点")
    NODES_HINT = LocalText(
        "Only failed runs on several nodes count; the first error of a run tells its node.",
        "只统计多节点的失败运行；以首个报错所在节点为准。",
    )
    NODE = LocalText("Node", "节点")
    FAILED_ON_IT = LocalText("Failed there", "在此出错")
    EXPECTED = LocalText("Expected by chance", "随机预期")
    CHANCE = LocalText("Probability of luck", "纯属偶然的概率")
    COMPARISON = LocalText("Lines that only bad runs have", "仅失败运行中出现的日志行")
    COMPARISON_HINT = LocalText(
        "{bad} bad runs compared with {good} good ones.",
        "对比 {bad} 次失败运行与 {good} 次成功运行。",
    )
    PARTED_AT = reports.PARTINGS
    METRIC = LocalText("Metric", "指标")
    FROM_STEP = LocalText("From step", "起始步")
    GOOD = LocalText("Good", "正常")
    BAD = LocalText("Bad", "失败")
    LOG_LINE = LocalText("Log line", "日志行")
    SHARE_FAILED = LocalText("Share", "占比")
    RUN = LocalText("Run", "运行")
    VERDICT = LocalText("Verdict", "判定")
    PAGE = LocalText("Page {page} of {pages}", "第 {page} / {pages} 页")
    PREVIOUS = LocalText("Previous page", "上一页")
    NEXT = LocalText("Next page", "下一页")
    SORT_BY = LocalText("Sort by {column}", "按{column}排序")


STANDING_NAMES = {
    Standing.COMPLETED: LocalText("completed", "已完成"),
    Standing.STARTED: LocalText("started, not completed", "已开始，未完成"),
    Standing.SCHEDULED: LocalText("launched, not completed", "已发起，未完成"),
    Standing.DIFFERENT: LocalText("launched something else", "发起了不同的操作"),
    Standing.NEVER_CAME: LocalText("never launched", "从未发起"),
    Standing.NOT_KEPT: LocalText("record no longer kept", "记录已不保留"),
    Standing.NO_DUMP: LocalText("no dump", "没有转储"),
}
"""How far a rank came in a collective."""

RANK_ROLE_NAMES = {
    RankRole.GUILTY: LocalText("guilty", "元凶"),
    RankRole.SUSPECT: LocalText("one of these is guilty", "元凶在其中"),
    RankRole.WAITING: LocalText("waits", "等待中"),
    RankRole.MISSING: LocalText("left no dump", "没有转储"),
    RankRole.NEITHER: LocalText("waits for nothing", "未在等待"),
}
"""What a rank has to do with a hang."""


def words() -> Words:
    """All texts of the page by name, with names in braces left open."""
    said: dict[str, LocalText] = {
        name: each
        for module in (reports, shared)
        for name, each in vars(module).items()
        if isinstance(each, Phrase)
    }
    texts = said | {each.name: each.value for each in Caption}
    return {name: text._asdict() for name, text in texts.items()}


def names() -> dict[str, Words]:
    """The names of the closed vocabularies, by vocabulary and value."""
    return {
        "standing": {each.value: text._asdict() for each, text in STANDING_NAMES.items()},
        "rank_role": {each.value: text._asdict() for each, text in RANK_ROLE_NAMES.items()},
        "severity": {each.value: text._asdict() for each, text in SEVERITY_NAMES.items()},
        "verdict": {each.value: text._asdict() for each, text in VERDICT_NAMES.items()},
        "risk": {each.value: text._asdict() for each, text in RISK_NAMES.items()},
        "phase": {each.value: text._asdict() for each, text in PHASE_NAMES.items()},
        "metric": {name: text._asdict() for name, text in METRIC_NAMES.items()},
    }
