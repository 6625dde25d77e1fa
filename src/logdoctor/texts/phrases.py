"""What logdoctor itself says, in both languages: a Phrase each.

Texts of signatures are in their YAML; everything else that a person reads is here. Names in braces
are filled in.
"""

from __future__ import annotations

import re

from logdoctor.model import Language, LocalText, Maturity, Phase, Risk, Role, Severity, Verdict


class Phrase(LocalText):
    """A text of the program, in both languages."""

    __slots__ = ()

    def fill(self, **values: object) -> LocalText:
        """The text with its names filled in, in both languages."""
        return LocalText(self.en.format(**values), self.zh.format(**values))

    def say(self, language: Language, **values: object) -> str:
        """The text in one language with its names filled in."""
        return self.fill(**values).in_language(language)


HEALTHY = Phrase("No problem found", "未发现问题")
LINES_READ = Phrase("lines read: {lines}", "已读取 {lines} 行")
SOURCES = Phrase("sources: {count}", "共 {count} 个来源")
LAST_STEP = Phrase("last step {step}", "最后一步 {step}")
NOTHING_READ = Phrase("Nothing could be read", "没有任何内容可读")
UNKNOWN_ERROR = Phrase("An error that no signature knows", "签名库中没有的错误")
WHERE = Phrase("Where", "位置")
WHY = Phrase("Why", "原因")
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
RAISED_HERE = Phrase(
    (
        "It was raised in {place}: look at what that code was given, and at the source line in "
        "the traceback."
    ),
    "异常在 {place} 抛出：请查看该处代码收到的输入，以及 traceback 中对应的源码行。",
)
RAISED_IN_LIBRARY = Phrase(
    (
        "It was raised inside {library}, in {place}: search the issues of {library} for the "
        "message without its numbers, with the version in use."
    ),
    (
        "异常在 {library} 内部的 {place} 抛出：请去掉报错中的数字，连同所用版本，在 {library} "
        "的 issue 中搜索这条信息。"
    ),
)
CALLED_HERE = Phrase(
    "The run's own code came there through {place}: look at what it passes.",
    "本次运行自己的代码经由 {place} 进入该处：请查看它传入的内容。",
)
NO_FRAMES = Phrase(
    (
        "No traceback was printed with it: read the lines above it, and the log of the process "
        "that printed it."
    ),
    "这条报错没有附带 traceback：请查看它上方的内容，以及打印它的进程自己的日志。",
)
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
FUZZY = Phrase(
    "wording differs from the known one (score {score})", "措辞与已知的略有不同（得分 {score}）"
)
MORE_REMEDIES = Phrase(
    "{count} more remedies; --all shows them", "还有 {count} 条处理办法，加 --all 可查看"
)
SHOW_ALL = Phrase("--all shows them in full", "加 --all 可查看全部")
LINK = Phrase("link", "链接")
CAUSE = Phrase("Cause", "原因")
REMEDIES = Phrase("Remedies", "处理办法")
WHEN = Phrase("when", "适用条件")
ALL_OF = Phrase(", and ", "，且")
ANY_OF = Phrase(" or ", " 或 ")
EMPTY = Phrase("empty", "空值")
RUN_USES = Phrase("the run uses {value}", "使用 {value}")
FAILED_IN = Phrase("it failed in phase {value}", "出错时处于{value}阶段")
IN_MESSAGE = Phrase("`{name}` in the message", "报错中的 `{name}` ")
SEEN = Phrase("What is seen", "日志里的样子")
MORE_EXAMPLES = Phrase("More examples", "更多示例")
COUNTEREXAMPLES = Phrase("Not this", "容易混淆、但不属于此问题的日志")
REFERENCES = Phrase("References", "参考")
ORIGIN = Phrase("origin", "来源")
FRAMEWORKS = Phrase("Frameworks", "框架")
REFINES = Phrase("Refines", "细化自")
REFINED_BY = Phrase("Refined for a framework", "针对具体框架的细化")
EXPLAINS = Phrase("Explains", "会引发")
EXPLAINED_BY = Phrase("May follow from", "可能的起因")
WITH_COUNT = Phrase("{what} ({count})", "{what}（{count}）")
AND_MORE = Phrase("… and {count} more", "……另有 {count} 个")
RELATED = Phrase("Related signatures", "相关签名")
IN_BRACKETS = Phrase("({text})", "（{text}）")
COLON = Phrase(": ", "：")
FILLED_IN = Phrase(
    "Names in <angle brackets> are filled in from the message.",
    "<尖括号> 里的内容会由报错信息填入。",
)

HANDBOOK = Phrase("Signatures", "签名手册")
BY_COMPONENT = Phrase("By component", "按组件查找")
BY_FRAMEWORK = Phrase("By framework", "按框架查找")
COVERAGE = Phrase("Coverage", "覆盖情况")
ALL_SIGNATURES = Phrase("All signatures", "全部签名")
OTHER_LANGUAGE = Phrase("中文", "English")
SIGNATURE = Phrase("signature", "签名")
SEVERITY = Phrase("severity", "严重程度")
ROLE = Phrase("role", "角色")
FRAMEWORK = Phrase("framework", "框架")
PHASE_HEAD = Phrase("phase", "阶段")
ANY_FRAMEWORK = Phrase("any framework", "不限框架")
ANY_PHASE = Phrase("any", "不限")
ALL_PHASES = Phrase("**all**", "**合计**")
ITS_OWN = Phrase("Its own", "该框架自身的签名")
WITH_ADVICE = Phrase("General ones with advice for it", "通用签名中针对它的处理办法")
GENERATED = Phrase(
    (
        "Generated from `signatures/` by `scripts/generate`; do not edit. `logdoctor explain ID` "
        "shows the same page in a terminal."
    ),
    (
        "由 `scripts/generate` 根据 `signatures/` 生成，请勿手工修改。在终端里用 "
        "`logdoctor explain ID --lang zh` "
        "可查看同样的内容。"
    ),
)
COUNTED = Phrase(
    "{signatures} signatures of {components} components.",
    "共 {signatures} 个签名，来自 {components} 个组件。",
)
HOW_COVERED = Phrase(
    "How many signatures speak for a framework (rows), a phase of the run (rows) and a class "
    "of problem (columns). "
    "`+n` counts general signatures with a remedy written for that framework. An empty place "
    "is either a thing that cannot happen or a gap.",
    (
        "每格是该框架（行）在该阶段（行）、该类问题（列）上的签名数；`+n` 表示另有 n "
        "个通用签名带有专门针对该框架的处理办法。空格要么是不会发生，要么是尚未覆盖。"
    ),
)
HOW_CLASSED = Phrase(
    "The class is read from the words of the id, which names what is seen, and from the "
    "role; the phase from the conditions of the remedies where these name one, "
    "else from the id (a signature may stand in several phases, so that rows do not add up). "
    "Frameworks are those a signature names, or its component.",
    (
        "类别由签名 id 里的用词（id 描述的是现象）和角色得出；"
        "阶段优先取处理办法的适用条件，没有时由 id "
        "推断（一个签名可属于多个阶段，各行之和因此大于合计）。框架取签名自己声明的，或其组件。"
    ),
)

WAITING_FOR = Phrase("{source} is not there yet; waiting for it", "{source} 尚不存在，正在等待")
RECOVERED_NOW = Phrase("the run went on after: {title}", "训练已从以下问题中恢复：{title}")
FAILED_UNKNOWN = Phrase(
    (
        "the command failed (exit code {code}), and nothing in its output says why; see the logs "
        "of its workers"
    ),
    "命令失败（退出码 {code}），其输出中看不到原因；请查看各 worker 自己的日志",
)
ROOT_IS_NOW = Phrase(
    "What went wrong first is rather: {title} (before: {before})",
    "更可能的根因是：{title}（此前判断为：{before}）",
)
STATUS_STEP = Phrase("step {step}", "第 {step} 步")
STATUS_PACE = Phrase("{value} a step", "每步 {value}")
STATUS_LEFT = Phrase("{value} left", "剩余 {value}")
STATUS_FOUND = Phrase("{count} found", "已发现 {count} 项")
STATUS_SOURCES = Phrase("sources: {count}", "来源：{count}")
STATUS_BEHIND = Phrase("{value} behind", "落后 {value}")
NO_STEP_SINCE = Phrase(
    "No step since {time} ({value} ago)", "自 {time} 起没有新的训练步（已 {value}）"
)
NO_LINE_SINCE = Phrase(
    "No line since {time} ({value} ago)", "自 {time} 起没有新的日志（已 {value}）"
)
LONGEST_STEP = Phrase("the longest step so far took {value}", "此前最长的一步用时 {value}")
LAST_PHASE = Phrase("last phase: {phase}", "最后阶段：{phase}")
GOES_ON = Phrase(
    "It goes on: a step after {value} without one", "已恢复：中断 {value} 后又有新的训练步"
)
STALL_STACKS = Phrase(
    (
        "Where it hangs: py-spy dump --pid PID on each rank's process (add --native for time "
        "spent in NCCL or CUDA); compare the ranks, the odd one is the one to look at."
    ),
    (
        "定位卡住的位置：对每个 rank 的进程执行 py-spy dump --pid PID（加 --native 可看到 "
        "NCCL、CUDA 内的调用），比较各 "
        "rank，与众不同的那个最可疑。"
    ),
)
STALL_RAY = Phrase(
    (
        "With Ray: RAY_DEDUP_LOGS=0 shows every rank's lines; `ray stack` and `ray list tasks` "
        "show who waits for whom."
    ),
    (
        "使用 Ray 时：设置 RAY_DEDUP_LOGS=0 可看到所有 rank 的输出；用 `ray stack`、`ray list "
        "tasks` 查看谁在等谁。"
    ),
)
STALL_COLLECTIVES = Phrase(
    (
        "For collectives: run with TORCH_NCCL_TRACE_BUFFER_SIZE=2000 and "
        "TORCH_NCCL_DUMP_ON_TIMEOUT=1 (PyTorch's flight recorder) to see which rank did not "
        "arrive."
    ),
    (
        "排查集合通信：运行时设置 TORCH_NCCL_TRACE_BUFFER_SIZE=2000 和 "
        "TORCH_NCCL_DUMP_ON_TIMEOUT=1（PyTorch "
        "flight recorder），可看出哪个 rank 没有到达。"
    ),
)
STALL_KNOWN = Phrase(
    "Hangs that are known here: {ids}; more with: logdoctor explain ID",
    "此处已知的卡住原因：{ids}；详见 logdoctor explain ID",
)

FITS_ALWAYS = Phrase("fits every run", "适用于任何情况")
FRAMEWORK_IS = Phrase("this run uses {value}", "本次运行使用 {value}")
FRAMEWORK_IS_NOT = Phrase(
    "it is for {value}, which was not recognised here", "仅适用于 {value}，本日志中未识别到"
)
FRAMEWORK_OPEN = Phrase("if this run uses {value}", "若本次运行使用 {value}")
PHASE_IS = Phrase("it happened in phase {value}", "发生阶段：{value}")
PHASE_IS_NOT = Phrase(
    "it is for phase {value}, but this happened in phase {actual}",
    "适用于另一阶段（{value}），而本次发生在：{actual}",
)
PHASE_OPEN = Phrase("if it happened in phase {value}", "若发生阶段为：{value}")
VALUE_IS = Phrase("{name} is {actual}", "{name} 为 {actual}")
VALUE_IS_NOT = Phrase(
    "{name} is {actual}, it would have to be {value}", "{name} 为 {actual}，而该办法要求 {value}"
)
CAPTURE_IS = Phrase("the message says {name} = {actual}", "报错信息给出 {name} = {actual}")
CAPTURE_IS_NOT = Phrase(
    "the message says {name} = {actual}, not {value}",
    "报错信息给出 {name} = {actual}，不满足 {value}",
)
NOT_CAPTURED = Phrase("the message does not say {name}", "报错信息中没有给出 {name}")
VALUE_OPEN = Phrase("if {name} is {value}", "若 {name} 为 {value}")

WRAPPER_ONLY = Phrase(
    "The log only shows that something else failed, not what. Read the log of the process "
    "that died: "
    "for Ray /tmp/ray/session_latest/logs/worker-*.err and python-core-worker-*.log on its "
    "node, for torchrun <log_dir>/attempt_*/<rank>/stderr.log.",
    "日志只表明别处出了错，看不到真正的原因。请查看最先退出的进程自己的日志："
    "Ray 在其所在节点的 /tmp/ray/session_latest/logs/worker-*.err 与 "
    "python-core-worker-*.log，torchrun 在 <log_dir>/attempt_*/<rank>/stderr.log。",
)
SYMPTOM_ONLY = Phrase(
    (
        "What is seen is only an effect; what caused it is not in this log. Read the logs of the "
        "other ranks and processes, and the scheduler's record of the job."
    ),
    (
        "这里看到的只是后果，真正的原因不在这份日志里。请查看其他 rank 和进程的日志，"
        "以及调度器的作业记录。"
    ),
)
STOPPED = Phrase(
    (
        "The run was ended from outside; who ended it and why is not in this log. Ask the "
        "scheduler (sacct -j JOB, kubectl describe pod) or whoever can cancel the job."
    ),
    (
        "运行是被外部结束的，由谁、因何结束，这份日志里没有记录。"
        "请查看调度器的作业记录（sacct -j 作业号、kubectl describe pod），"
        "或询问有权取消作业的人。"
    ),
)
NO_STEP = Phrase(
    "{source} says that the run is complete and reports no step: see whether it trained at "
    "all (an empty dataset, a checkpoint that is already at"
    " the last step, max_steps 0), or whether the steps stand in another file.",
    (
        "{source} 报告运行已完成，但没有任何 step：请确认是否真的训练过（数据集为空、"
        "checkpoint 已在最后一步、max_steps 为 0），或 step "
        "记录在别的文件里。"
    ),
)
DRIVER_ONLY = Phrase(
    (
        "This is the driver's log only: no line of a worker is in it. The workers' own logs are "
        "on their nodes, in /tmp/ray/session_latest/logs/worker-*.out and worker-*.err."
    ),
    (
        "这只是 driver 的日志，没有任何 worker 的输出。worker 自己的日志在各节点的 "
        "/tmp/ray/session_latest/logs/worker-*.out 与 worker-*.err。"
    ),
)
SEVERAL_RUNS = Phrase(
    (
        "{source} holds at least {count} runs, one after the other. The last one, which begins "
        "near line {line}, was judged; what ended an earlier one counts as recovered."
    ),
    (
        "{source} 先后记录了至少 {count} 次运行。这里判断的是最后一次（约从第 {line} 行开始），"
        "更早几次的报错按已恢复处理。"
    ),
)
CUT_OFF = Phrase(
    "The beginning of {source} is missing; the first error may have been in it.",
    "{source} 的开头缺失，最先的报错可能就在其中。",
)
ENDS_OPEN = Phrase(
    (
        "{source} ends within a traceback: the line that says what happened is missing. Read the "
        "rest of it where the log was copied from."
    ),
    (
        "{source} 在一段 traceback 中间中断，缺少说明出错原因的最后一行。"
        "请到日志的原始位置查看其余部分。"
    ),
)
TIME_LINE = Phrase("Time line", "时间线")
LINES_OF = Phrase("{source}, lines 1 to {lines}", "{source}，第 1 至 {lines} 行")
STEPS = Phrase("steps", "训练步")
DEDUPLICATED = Phrase(
    (
        "Ray printed only one of several equal lines ('repeated ... across cluster'), so that "
        "the other ranks' lines are missing; set RAY_DEDUP_LOGS=0 to see them all."
    ),
    (
        "Ray 合并了多个进程的相同日志（'repeated ... across cluster'），其他 rank "
        "的输出因此缺失；设置 RAY_DEDUP_LOGS=0 可看到全部。"
    ),
)
NO_ERROR_FILE = Phrase(
    (
        "torchrun kept no traceback of the failed rank (error_file: <N/A>); decorate the entry "
        "function with torch.distributed.elastic.multiprocessing.errors.record."
    ),
    (
        "torchrun 没有保存出错 rank 的 traceback（error_file: <N/A>）；给入口函数加上 "
        "torch.distributed.elastic.multiprocessing.errors.record 装饰器即可。"
    ),
)
NEVER_LAUNCHED = Phrase(
    (
        "Compared over the ranks: rank {ranks} never launched operation #{number} that the "
        "others wait for (its last one was #{last}); look at what that rank did."
    ),
    (
        "对比各 rank：rank {ranks} 从未发起其他 rank 正在等待的操作 #{number}（它最后发起的是 "
        "#{last}），请查看该 rank 在做什么。"
    ),
)
OTHER_OPERATION = Phrase(
    (
        "Compared over the ranks: rank {ranks} runs {operation} where the others run {usual}; "
        "the ranks took different paths through the program."
    ),
    (
        "对比各 rank：rank {ranks} 执行的是 {operation}，其他 rank 执行的是 {usual}，各 rank "
        "走了不同的代码路径。"
    ),
)
RANK_BEHIND = Phrase(
    (
        "Compared over the ranks: rank {ranks} is behind (last completed #{last}, others "
        "#{furthest}); look at what that rank did."
    ),
    (
        "对比各 rank：rank {ranks} 落后（最后完成 #{last}，其他为 #{furthest}），请查看该 "
        "rank 在做什么。"
    ),
)
SILENT = Phrase(
    (
        "Compared over the ranks: of {count} ranks all but rank {ranks} wait for {operation}; "
        "rank {ranks} reports nothing, so it did not get there, or had ended. Look at its log "
        "first."
    ),
    (
        "对比各 rank：共 {count} 个 rank，其余都在等待 {operation}，只有 rank {ranks} "
        "没有任何报告：它没有执行到这一步，或已经退出。请先查看它的日志。"
    ),
)
ALL_WAIT = Phrase(
    (
        "The ranks that report (rank {ranks}) all wait for {operation}; either another rank did "
        "not arrive, or the network between them failed."
    ),
    (
        "报告超时的 rank（rank {ranks}）都在等待 {operation}：要么还有别的 rank 没有到达，"
        "要么它们之间的网络出了问题。"
    ),
)
FAILED_FIRST = Phrase(
    "torchrun's table (exit codes in brackets): {first} on {host} failed first, then {others}.",
    "torchrun 的失败汇总（括号内为退出码）：{first} 最先失败（节点 {host}），其后为 {others}。",
)
FAILED_ALONE = Phrase(
    "torchrun's table (exit code in brackets): {first} on {host} failed, no other.",
    "torchrun 的失败汇总（括号内为退出码）：只有 {first} 失败（节点 {host}）。",
)
CROWDED = Phrase(
    "More than {count} different errors; the later ones are counted with the last.",
    "不同的报错超过 {count} 种，之后的都计入最后一种。",
)
NEWEST_FIRST = Phrase(
    "{source} has its newest line first; it was read from its end.",
    "{source} 按时间倒序排列，已从末尾开始读取。",
)
LEFT_OUT = Phrase(
    "{count} diagnoses below --min-confidence were left out.",
    "有 {count} 条诊断低于 --min-confidence，未列出。",
)
TO_ITS_END = Phrase(" beyond line {lines}", "第 {lines} 行之后的部分")
FAULTY = Phrase("A signature could not be tried to the end: {what}", "有签名未能完整匹配：{what}")
UNREADABLE = Phrase("{source} could not be read{end}: {what}", "无法读取 {source}{end}：{what}")

PROBLEMS: tuple[tuple[str, str], ...] = (
    (
        r"unpacks to more than ([\d,]+) bytes; .*",
        r"解压后超过 \1 字节，其余部分未读取（可用 --unpack-limit 放宽）",
    ),
    (r"broken or cut off \((.*)\)", r"文件损坏或不完整（\1）"),
    (r"looks like a binary file, not a log", "看起来是二进制文件，不是日志"),
    (r"no log in this (?:folder|archive) \(looked for (.*)\)", r"其中没有日志（已查找 \1）"),
    (r"archives nested more than (\d+) deep", r"压缩包嵌套超过 \1 层"),
    (r"no such file or directory", "没有这个文件或目录"),
    (r"permission denied", "没有权限"),
)
"""What keeps a source from being read: a regex for the English text, and the Chinese one."""


def problem_words(problem: str) -> LocalText:
    """A problem in both languages; in English where it has no other words."""
    for english, chinese in PROBLEMS:
        found = re.fullmatch(english, problem)
        if found:
            return LocalText(problem, found.expand(chinese))
    return LocalText(problem, problem)


COMPARISON_WORDS = {
    "==": LocalText("{name} is {value}", "{name} 为 {value}"),
    "!=": LocalText("{name} is not {value}", "{name} 不为 {value}"),
    "<": LocalText("{name} is below {value}", "{name} 小于 {value}"),
    "<=": LocalText("{name} is at most {value}", "{name} 不大于 {value}"),
    ">": LocalText("{name} is above {value}", "{name} 大于 {value}"),
    ">=": LocalText("{name} is at least {value}", "{name} 不小于 {value}"),
}
"""A condition spelled out, by operator."""

VERSION_WORDS = {
    **COMPARISON_WORDS,
    "<": LocalText("{name} is older than {value}", "{name} 低于 {value}"),
    "<=": LocalText("{name} is {value} or older", "{name} 为 {value} 或更低版本"),
    ">": LocalText("{name} is newer than {value}", "{name} 高于 {value}"),
    ">=": LocalText("{name} is {value} or newer", "{name} 为 {value} 或更高版本"),
}
"""The same for versions of packages."""

SEVERITY_NAMES = {
    Severity.FATAL: LocalText("fatal", "致命"),
    Severity.ERROR: LocalText("error", "错误"),
    Severity.WARNING: LocalText("warning", "警告"),
}
ROLE_NAMES = {
    Role.CAUSE: LocalText("cause", "原因"),
    Role.WRAPPER: LocalText("wrapper", "外层包装"),
    Role.SYMPTOM: LocalText("symptom", "连带现象"),
    Role.TEARDOWN: LocalText("teardown", "退出噪声"),
    Role.BENIGN: LocalText("benign", "无害"),
}
MATURITY_NAMES = {
    Maturity.DRAFT: LocalText("draft", "草稿"),
    Maturity.CONFIRMED: LocalText("confirmed", "已确认"),
}
VERDICT_NAMES = {
    Verdict.ROOT_CAUSE: LocalText("root cause", "根因"),
    Verdict.CONSEQUENCE: LocalText("consequence", "连带后果"),
    Verdict.INDEPENDENT: LocalText("independent", "独立问题"),
    Verdict.RECOVERED: LocalText("recovered: the run went on", "已恢复：训练继续进行"),
    Verdict.TEARDOWN: LocalText("noise of shutting down", "退出时的噪声"),
    Verdict.BENIGN: LocalText("harmless", "无害"),
}
RISK_NAMES = {
    Risk.SAFE: LocalText("safe", "安全"),
    Risk.RESTARTS_RUN: LocalText("restarts the run", "需重启训练"),
    Risk.AFFECTS_OTHERS: LocalText(
        "affects others on the node or cluster", "会影响同节点或集群上的其他任务"
    ),
}
PHASE_NAMES = {
    Phase.INIT: LocalText("initialisation", "初始化"),
    Phase.ROLLOUT: LocalText("rollout", "rollout 生成"),
    Phase.REWARD: LocalText("reward", "奖励计算"),
    Phase.LOGPROB: LocalText("log probabilities", "logprob 计算"),
    Phase.TRAIN: LocalText("training step", "训练更新"),
    Phase.SYNC: LocalText("weight update", "权重同步"),
    Phase.CHECKPOINT: LocalText("checkpoint", "保存或加载检查点"),
    Phase.EVAL: LocalText("evaluation", "评测"),
}
