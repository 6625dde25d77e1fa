"""What the reports of a run say around its findings."""

from __future__ import annotations

from logdoctor.texts.phrases import Phrase

HEALTHY = Phrase("No problem found", "未发现问题")
GOING_ON = Phrase("No problem so far, the run goes on", "目前未发现问题，运行仍在继续")
NO_END_SEEN = Phrase("No error found, no end seen", "未发现错误，但未看到运行结束")
FAILED_UNSAID = Phrase("It failed, and its log does not say why", "运行失败，但日志中没有说明原因")
SEEN_BEFORE = Phrase("seen in {runs} runs", "已在 {runs} 个运行中出现")
SINCE = Phrase("since {date}", "自 {date} 起")
FIXED_BY = Phrase("last fixed by: {what}", "上次的解决办法：{what}")
LAST_WORDS = Phrase("last line", "最后一行")
LINES_READ = Phrase("lines read: {lines}", "已读取 {lines} 行")
SOURCES = Phrase("sources: {count}", "共 {count} 个来源")
LAST_STEP = Phrase("last step {step}", "最后一步：{step}")
NOTHING_READ = Phrase("Nothing could be read", "没有任何内容可读")
EMPTY = Phrase("Nothing was read: there is no line", "没有读到任何日志行")
UNKNOWN_ERROR = Phrase("An error that no signature knows", "签名库中没有的错误")
WHERE = Phrase("Where", "位置")
WHY = Phrase("Why", "原因")
BECAUSE = Phrase("because", "依据")
BY_RULE = Phrase("rule {rule}", "规则 {rule}")
TRY = Phrase("Try", "处理")
SET = Phrase("set", "设置")
CHECK = Phrase("check", "如何确认")
RISK = Phrase("risk", "风险")
FOLLOWED = Phrase("What followed from it", "由此引发")
INDEPENDENT = Phrase("Also seen", "另外发现")
HARMLESS = Phrase("Harmless", "无需处理")
HARMLESS_SEEN = Phrase(
    "harmless: {count} (--all shows them)", "无需处理：{count} 项（加 --all 可查看）"
)
NOT_SEEN = Phrase("What this log does not show", "日志中看不到的信息")
LOOK_NEXT = Phrase("What to look at next", "接下来看什么")
NEAREST = Phrase("Resembles", "相近的签名")
FINGERPRINT = Phrase("Fingerprint", "指纹")
TIMES = Phrase("{count} times", "{count} 次")
LINE_IN_ALL = Phrase("line {line} through all rotations", "各次轮转累计第 {line} 行")
LANES = Phrase("{count} processes", "{count} 个进程")
RANK = Phrase("rank {ranks}", "rank {ranks}")
HOST = Phrase("host {host}", "主机 {host}")
ACTOR = Phrase("actor {actor}", "actor {actor}")
PHASE = Phrase("phase {phase}", "阶段：{phase}")
PHASE_TOLD = Phrase("phase {phase} (from {by})", "阶段：{phase}（依据 {by}）")
FUZZY = Phrase(
    "wording differs from the known one (score {score})", "措辞与已知的略有不同（得分 {score}）"
)
WORDS_FIT = Phrase("Signatures that fit these words", "与这些词相符的签名")
WORDS_ONLY = Phrase(
    "Too short for a diagnosis. A guess, by the words alone:",
    "内容太短，无法诊断。仅凭文字猜测：",
)
HANG_RANKS = Phrase(
    "guilty: rank {guilty}, waiting: {waiting}, without a dump: {missing}",
    "责任 rank：{guilty}，等待中：{waiting}，无转储：{missing}",
)
GUESS = Phrase("A guess: {title}", "猜测：{title}")
MORE_REMEDIES = Phrase("{count} more (--all)", "还有 {count} 条（--all）")
NOW = Phrase("now {value}", "现为 {value}")
NOT_SHOWN = Phrase("Not shown: {what} (--all)", "未显示：{what}（--all）")
OTHERS_LEFT = Phrase("also seen: {count}", "另外发现 {count} 项")
FOLLOWED_LEFT = Phrase("what followed: {count}", "由此引发 {count} 项")
HARMLESS_LEFT = Phrase("harmless: {count}", "无需处理 {count} 项")
NOTES_LEFT = Phrase("what the log does not show: {count}", "日志中看不到的信息 {count} 条")
TIME_LINE_LEFT = Phrase("time line", "时间线")
LIST_COMMA = Phrase(", ", "、")
TIME_LINE = Phrase("Time line", "时间线")
LINES_OF = Phrase("{source}, lines 1 to {lines}", "{source}，第 1 至 {lines} 行")
STEPS = Phrase("steps", "训练步")
STEPS_FROM_TO = Phrase("steps {first} to {last}", "第 {first} 至 {last} 步")
VALUES_FROM_TO = Phrase("values {first} to {last}", "第 {first} 至 {last} 个值")
PARTINGS = Phrase("Where the bad runs part from the good ones", "失败运行从何处开始偏离正常运行")
AT_STEP_NUMBER = Phrase("step {step}", "第 {step} 步")
