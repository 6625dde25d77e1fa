"""What `logdoctor check` says around its findings."""

from __future__ import annotations

from logdoctor.texts.phrases import Phrase

NEAREST = Phrase("nearest that fit: {values}", "最接近的可用值：{values}")
STOPS = Phrase("the run would stop: {error}", "运行将报错终止：{error}")
SILENT = Phrase("the framework does not report it", "框架不会报告此问题")
RELATION = Phrase("relation {id}", "关系 {id}")
EXPLAINED = Phrase("logdoctor explain {id}", "logdoctor explain {id}")
NOT_KNOWN = Phrase("{title}: not judged, unknown: {names}", "{title}：未判断，未知：{names}")
READ = Phrase("read: {name}, {framework}", "已读取：{name}，{framework}")
RELEASE = Phrase("defaults of {framework} {version}", "{framework} {version} 的默认值")
ANY_RELEASE = Phrase(
    "{framework} (defaults that all known releases share)", "{framework}（各已知版本共有的默认值）"
)
COUNTS = Phrase(
    "{judged} relations judged, {broken} broken, {unknown} could not be judged",
    "已判断 {judged} 条关系，{broken} 条不成立，{unknown} 条无法判断",
)
NO_FRAMEWORK = Phrase(
    "{name}: no framework recognised; --framework NAME says which",
    "{name}：未识别出框架；可用 --framework NAME 指定",
)
OPENING = Phrase(
    "more settings may come from {what} ({why}), so defaults are not taken",
    "{what} 可能带来更多设置（{why}），因此不采用默认值",
)
MORE_UNKNOWN = Phrase(
    "{count} more could not be judged; --all shows them", "另有 {count} 条无法判断，加 --all 可查看"
)
HEADING = Phrase("Preflight", "运行前检查")
