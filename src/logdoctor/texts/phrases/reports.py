"""What the reports of a run say around its findings."""

from __future__ import annotations

from logdoctor.texts.phrases import Phrase

HEALTHY = Phrase("No problem found", "未发现问题")
LINES_READ = Phrase("lines read: {lines}", "已读取 {lines} 行")
SOURCES = Phrase("sources: {count}", "共 {count} 个来源")
LAST_STEP = Phrase("last step {step}", "最后一步 {step}")
NOTHING_READ = Phrase("Nothing could be read", "没有任何内容可读")
UNKNOWN_ERROR = Phrase("An error that no signature knows", "签名库中没有的错误")
WHERE = Phrase("Where", "位置")
WHY = Phrase("Why", "原因")
BECAUSE = Phrase("because", "依据")
BY_RULE = Phrase("rule {rule}", "规则 {rule}")
TRY = Phrase("Try", "处理")
SET = Phrase("set", "设置")
CHECK = Phrase("to see that it helped", "如何确认")
RISK = Phrase("risk", "风险")
MORE = Phrase("More", "详情")
FOLLOWED = Phrase("What followed from it", "由此引发")
INDEPENDENT = Phrase("Also seen", "另外发现")
HARMLESS = Phrase("Did no harm", "无需处理")
HARMLESS_SEEN = Phrase(
    "did no harm: {count} (--all shows them)", "无需处理：{count} 项（加 --all 可查看）"
)
NOT_SEEN = Phrase("Not seen", "日志中看不到的信息")
LOOK_NEXT = Phrase("What to look at next", "接下来看什么")
NEAREST = Phrase("Resembles", "相近的签名")
FINGERPRINT = Phrase("Fingerprint", "指纹")
CONFIDENCE = Phrase("confidence {value} %", "置信度 {value} %")
TIMES = Phrase("{count} times", "{count} 次")
LANES = Phrase("{count} writers", "{count} 个进程")
RANK = Phrase("rank {ranks}", "rank {ranks}")
HOST = Phrase("host {host}", "主机 {host}")
ACTOR = Phrase("actor {actor}", "actor {actor}")
PHASE = Phrase("phase {phase}", "阶段：{phase}")
PHASE_TOLD = Phrase("phase {phase} (told by {by})", "阶段：{phase}（依据 {by}）")
HANG_RANKS = Phrase(
    "ranks: guilty {guilty} · waiting {waiting} · without a dump {missing}",
    "rank：责任方 {guilty} · 等待中 {waiting} · 无转储 {missing}",
)
FUZZY = Phrase(
    "wording differs from the known one (score {score})", "措辞与已知的略有不同（得分 {score}）"
)
MORE_REMEDIES = Phrase(
    "{count} more remedies; --all shows them", "还有 {count} 条处理办法，加 --all 可查看"
)
SHOW_ALL = Phrase("--all shows them in full", "加 --all 可查看全部")
LINK = Phrase("link", "链接")
TIME_LINE = Phrase("Time line", "时间线")
LINES_OF = Phrase("{source}, lines 1 to {lines}", "{source}，第 1 至 {lines} 行")
STEPS = Phrase("steps", "训练步")
