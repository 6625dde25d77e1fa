"""What a result itself says: why a remedy fits, what to look at next, what was not seen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from logdoctor.model import LocalText
from logdoctor.texts.phrases import Phrase

WAITS_AT_END = Phrase(
    (
        "The log ends with at least {lines} lines of waiting and nothing else: what it waits for "
        "has not come. Look whether that process runs at all, read its own log from its start on, "
        "and check the address and port that are waited for."
    ),
    (
        "日志末尾至少有 {lines} 行都是等待信息，没有其他内容：所等待的对象一直没有就绪。"
        "请确认该进程是否在运行，从头查看它自己的日志，并核对等待的地址和端口。"
    ),
)
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
        "message without its numbers, with the version in use ({release})."
    ),
    (
        "异常在 {library} 内部的 {place} 抛出：请去掉报错中的数字，连同所用版本（{release}），在 "
        "{library} 的 issue 中搜索这条信息。"
    ),
)
RAISED_IN_PYTHON = Phrase(
    (
        "Only frames of Python itself are shown ({place} is the outermost): what called them "
        "stands above the traceback, or in the log of the process that printed it."
    ),
    (
        "traceback 中只有 Python 自身的帧（最外层为 {place}）：请查看 traceback 上方，"
        "或打印它的进程自己的日志，找到调用者。"
    ),
)
RAISED_WITH_ROWS = Phrase(
    (
        "It was raised in {place}, which {library} calls with rows of the data: print the row "
        "that it was given, and what it returns."
    ),
    (
        "异常在 {place} 抛出，该函数由 {library} 传入数据行来调用："
        "请打印它收到的那一行以及它的返回值。"
    ),
)
CALLED_HERE = Phrase(
    "The run's own code came there through {place}: look at what it passes.",
    "自己的代码在 {place} 调用到这里：请查看它传入的内容。",
)
DELETED_TWICE = Phrase(
    (
        "Its line deletes {deleted}, which was deleted before or never set: the line runs a second "
        "time, or what sets it did not run; ask hasattr first, or take the release that fits."
    ),
    (
        "该行删除 {deleted}，而它已被删除或从未设置：这行执行了第二次，或设置它的代码没有执行；"
        "先用 hasattr 判断，或换用配套的版本。"
    ),
)
NO_FRAMES = Phrase(
    (
        "No traceback was printed with it: read the lines above it, and the log of the process "
        "that printed it."
    ),
    "这条报错没有附带 traceback：请查看它上方的内容，以及打印它的进程自己的日志。",
)
RAISED_BY_LINE = Phrase(
    "Of its traceback only the line that raised it is left: find it in the code.",
    "它的 traceback 只剩抛出异常的那一行：请在代码中查找该行。",
)
STOOD_IN = Phrase(
    "At that moment it stood in {place}: see what that line waits for, and who is to end the wait.",
    "当时停在 {place}：请查看该行在等待什么、应由谁来结束等待。",
)
STOOD_INSIDE = Phrase(
    "At that moment it stood in {place}, inside {inside}: see what it waits for there and who is "
    "to end the wait; a time limit for the wait tells sooner.",
    "当时停在 {place}（内部位于 {inside}）：请查看它在等待什么、应由谁来结束等待；"
    "给该等待加上时限可更早暴露问题。",
)
BREAKS_OFF_IN = Phrase(
    (
        "What is left of the traceback ends in {place}: it was raised there, or in what that line "
        "calls."
    ),
    "现存的 traceback 止于 {place}：异常由该处，或由该行所调用的代码抛出。",
)
LINE_IS = Phrase("Its line is `{code}`.", "该行源码为 `{code}`。")
LINE_IS_ABOUT = Phrase(
    "Its line is `{code}`: what is {culprit} there, and what fills it?",
    "该行源码为 `{code}`：其中的 {culprit} 是什么值，又由何处填入？",
)
LINE_ASSERTS = Phrase(
    "Its line is `{code}`: print what stands in the condition `{culprit}` just before it.",
    "该行源码为 `{code}`：请在它之前打印条件 `{culprit}` 中各项的值。",
)
LINE_USES = Phrase(
    "Its line is `{code}`: print what it uses ({names}) just before it.",
    "该行源码为 `{code}`：请在它之前打印它用到的值（{names}）。",
)
MEANS = Phrase("{name} means that {meaning}.", "{name} 表示{meaning}。")
ADVISED = Phrase(
    "The message itself says what to do: “{advice}”", "报错信息自己给出了办法：“{advice}”"
)
ASKED_FOR = Phrase(
    "The message itself says what it needs: “{advice}”", "报错信息自己说明了要求：“{advice}”"
)
CONTRADICTS = Phrase(
    "The message refuses “{value}”, and names it among the values that it allows. So the value "
    "is hardly what is wrong: read the rest of the message and the check that raised it, which is "
    "wrong, asks for more than it says, or sees another value than is printed (another type, white "
    "space, what another rank was given).",
    "报错拒绝了“{value}”，却又把它列在允许的值之中。问题多半不在这个值：请看报错的其余部分和报错处的检查。检查本身有误、"
    "另有没写明的条件，或者它看到的值与打印的不同（类型、空白字符、其他 rank 的值）。",
)
OTHER_RELEASE = Phrase(
    "Try the release of {package} before or after this one.",
    "换用 {package} 的前一个或后一个版本。",
)
CONTRADICTS_WHY = Phrase(
    "the message says “{value}” both as refused and as allowed", "报错中“{value}”既被拒绝又被允许"
)
MISSPELT = Phrase(
    "{name} is a slip of the pen: Python found {meant}, so write that.",
    "{name} 是笔误：Python 找到的名称是 {meant}，改成它即可。",
)
MISSPELT_THERE = Phrase(
    "The line is {package}'s own ({place}): correct it there to {meant}, or take a release of "
    "{package} without it.",
    "该行在 {package} 中（{place}）：就地改成 {meant}，或换用没有此错误的 {package} 版本。",
)
ADVISED_HERE = Phrase(
    "Your own code came there in {place}: `{code}`.", "自己的代码在 {place} 调用到这里：`{code}`。"
)
ADVISED_WHY = Phrase("the message says so itself", "报错信息自己如此说明")
ADVISED_CHECK = Phrase("The next run does not print this message.", "再次运行不再打印这条报错。")
FITS_ALWAYS = Phrase("no condition is given", "未注明条件")
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
LINE_SETS = Phrase("line {line} sets {name} = {actual}", "第 {line} 行设置 {name} = {actual}")
PLACE_SETS = Phrase("{place} sets {name} = {actual}", "{place} 设置 {name} = {actual}")
LINE_SHOWS = Phrase(
    "line {line} is what {name}={actual} prints", "第 {line} 行正是 {name}={actual} 的输出"
)
IN_FORCE = Phrase("it is so already: {told}", "已是如此：{told}")
VALUE_IS_NOT = Phrase(
    "{name} is {actual}, it would have to be {value}", "{name} 为 {actual}，而该办法要求 {value}"
)
IS_BUSY = Phrase(
    "line {place} shows a process at work: “{what}”", "第 {place} 行显示有进程正忙：“{what}”"
)
FACTS_IN_WORDS: Mapping[tuple[str, str], Phrase] = MappingProxyType(
    {
        ("raised_in", "library"): Phrase("it was raised in a library", "异常由库代码抛出"),
        ("raised_in", "own-code"): Phrase(
            "it was raised in the run's own code", "异常由自己的代码抛出"
        ),
        ("raised_in", "launcher"): Phrase(
            "the command's own import failed", "命令自身的 import 失败"
        ),
        ("raised_in", "given-function"): Phrase(
            "it was raised in a function of the run that a library calls with rows of the data",
            "异常由自己传给库、逐行处理数据的函数抛出",
        ),
        ("ranks_show", "silent"): Phrase(
            "all ranks but one or few report", "除少数 rank 外都有报告"
        ),
        ("ranks_show", "never-launched"): Phrase(
            "a rank never launched what the others wait for", "有 rank 从未发起其他 rank 等待的操作"
        ),
        ("ranks_show", "other-operation"): Phrase(
            "the ranks wait for different operations", "各 rank 等待的操作不同"
        ),
        ("ranks_show", "behind"): Phrase("a rank is behind the others", "有 rank 落后于其他 rank"),
        ("ranks_show", "all-wait"): Phrase(
            "all ranks wait for the same operation", "所有 rank 都在等待同一操作"
        ),
        ("refusal", "release"): Phrase("the message asks for a release", "报错信息要求某个版本"),
        ("refusal", "package"): Phrase(
            "the message says what is not installed", "报错信息说明了缺少什么"
        ),
        ("refusal", "choice"): Phrase(
            "the message lists what is allowed", "报错信息列出了允许的值"
        ),
        ("refusal", "path"): Phrase("the message speaks of a path", "报错信息说的是路径"),
        ("refusal", "conflict"): Phrase(
            "the message says what does not go together", "报错信息说明了什么不能同时使用"
        ),
        ("refusal", "order"): Phrase(
            "the message speaks of the order of calls", "报错信息说的是调用次序"
        ),
        ("refusal", "absent"): Phrase(
            "the message says what is missing", "报错信息说明了缺少哪一项"
        ),
        ("refusal", "number"): Phrase(
            "the message says which number it needs", "报错信息说明了数值须满足的条件"
        ),
        ("refusal", "type"): Phrase(
            "the message names the type it needs", "报错信息说明了所需的类型"
        ),
        ("refusal", "unsupported"): Phrase(
            "the message says what is not supported", "报错信息说明了什么不受支持"
        ),
    }
)
"""Facts (`FACTS` in verdict/frames.py) with a value, as the reason of a remedy that asks for it."""
FACT_NAMES: Mapping[str, LocalText] = MappingProxyType(
    {
        "raised_in": LocalText("whose code raised it", "抛出异常的代码归属"),
        "raised_package": LocalText("the package that raised it", "抛出异常的包"),
        "raised_release": LocalText("the release that raised it", "抛出异常的包及版本"),
        "raised_at": LocalText("the frame that raised it", "抛出异常的位置"),
        "own_at": LocalText("the run's own innermost frame", "自己代码中最内层的位置"),
        "own_function": LocalText("the run's own innermost function", "自己代码中最内层的函数"),
        "own_line": LocalText("the run's own innermost line of code", "自己代码中最内层的那行源码"),
        "given_to": LocalText("the library that was given it", "调用该函数的库"),
        "launcher": LocalText("the command that failed to start", "未能启动的命令"),
        "raised_line": LocalText("the line of code that raised it", "抛出异常的那行源码"),
        "culprit": LocalText("what that line of code uses", "该行源码所用的对象"),
        "from_file": LocalText("whether it was read from a file", "是否读自文件"),
        "loaded": LocalText("what was read from a file", "从文件读出的内容"),
        "deleted": LocalText("what that line of code deletes", "该行源码删除的属性"),
        "pip_name": LocalText("what pip calls the package", "该包在 pip 中的名字"),
        "busy_with": LocalText("what a process was busy with", "某进程正忙于"),
        "busy_at": LocalText("the line that says so", "说明这一点的那一行"),
        "below": LocalText("the lines below it", "其后的各行"),
        "ranks_show": LocalText("what the ranks' reports show", "各 rank 的报告"),
        "odd_ranks": LocalText("the ranks that stand apart", "与众不同的 rank"),
        "waited_for": LocalText("what the others wait for", "其他 rank 等待的操作"),
        "reason_told": LocalText("whether it says why", "是否说明了原因"),
        "refusal": LocalText("what kind of complaint it is", "报错的类型"),
        "refused": LocalText("what the message names", "报错点名的一项"),
        "allowed": LocalText("the values that are allowed", "允许的值"),
    }
)
"""What the facts of an exception's frames, and of what its run was doing, are called (`FACTS` in
verdict/frames.py).
"""

CAPTURE_IS = Phrase("the message says “{actual}”", "报错信息给出“{actual}”")
LABELLED_IS = Phrase("the message says {label}: {actual}", "报错信息给出{label}：{actual}")
FACT_IS = Phrase("the traceback shows {label}: {actual}", "traceback 显示{label}：{actual}")
LABELLED_IS_NOT = Phrase(
    "the message says {label}: {actual}, where it would have to be: {value}",
    "报错信息给出{label}：{actual}，而该办法要求 {value}",
)
NOT_CAPTURED = Phrase("it is for a message that says more", "适用于给出了更多信息的报错")
LABEL_NOT_CAPTURED = Phrase("the message does not say {label}", "报错信息中没有给出{label}")
OPEN_UNSAID = Phrase(
    "if that is so here, which the message does not tell", "若确实如此（报错信息未说明）"
)
NO_VALUE = LocalText("empty", "空")
PATTERN_IS = Phrase("it is for this very message", "正是针对这条报错")
PATTERN_AT = Phrase("it is for the message in line {line}", "针对第 {line} 行的报错")
PATTERN_IS_NOT = Phrase("it is for another message of this kind", "针对的是这类报错中的另一条")
SEEN_AT = Phrase("“{title}” was seen in line {line}", "第 {line} 行出现了“{title}”")
SEEN_OPEN = Phrase(
    "if there was “{title}” too, which no log given here shows",
    "若同时发生了“{title}”（所给日志中未见）",
)
ABOUT_IS = Phrase("it is about {label} (“{actual}”)", "与{label}有关（“{actual}”）")
ABOUT_OPEN = Phrase("if it is about {label}", "若与{label}有关")
CONDITION_OPEN = Phrase("if {condition}", "若{condition}")
NAMED_HERE = Phrase("In {framework}: {keys}.", "在 {framework} 中：{keys}。")
NEEDS_RELEASE = Phrase(
    "it needs {name} {wanted}, and this log shows {actual}: upgrade it before",
    "需要 {name} {wanted}，而日志显示为 {actual}：须先升级",
)
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
STOPPED_BY = Phrase(
    (
        "The run was ended from outside, as line {line} of {source} says; why, is known to who "
        "ended it."
    ),
    "运行是被外部结束的，见 {source} 第 {line} 行；原因需向结束它的一方了解。",
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
RANK_AT_EARLIER = Phrase(
    (
        "Compared over the ranks: rank {ranks} still runs {operation} where the others are at "
        "{usual}; look at what that rank did, and at its GPU and network."
    ),
    (
        "对比各 rank：rank {ranks} 还停在 {operation}，其他 rank 已到 {usual}，请查看该 rank "
        "在做什么，以及它的 GPU 和网络。"
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
        "Compared over the ranks: all {count} wait for {operation}, so nobody is missing; what "
        "failed is the transport between them, or a GPU that hangs in it."
    ),
    (
        "对比各 rank：全部 {count} 个 rank 都在等待 {operation}，没有缺席者：出问题的是它们之间的"
        "传输，或某块卡在其中的 GPU。"
    ),
)
SOME_WAIT = Phrase(
    (
        "The ranks that report (rank {ranks}) all wait for {operation}; either another rank did "
        "not arrive, or the network between them failed."
    ),
    (
        "报告超时的 rank（rank {ranks}）都在等待 {operation}：要么还有别的 rank 没有到达，"
        "要么它们之间的网络出了问题。"
    ),
)
ONLY_HOST = Phrase(
    "Only ranks of host {host} print this; those of the other hosts ({count} seen) print other "
    "errors: see what differs on {host}.",
    (
        "只有主机 {host} 上的 rank 报此错，其他主机（见到 {count} 台）上的 rank 报的是别的错："
        "请查看该主机有何不同。"
    ),
)
LEFT_AT_STEP = Phrase(
    "The metric left its course at step {step}.", "该指标从第 {step} 步起偏离原来的走势。"
)
LEFT_AT_LINE = Phrase(
    "The metric left its course at line {line}.", "该指标从第 {line} 行起偏离原来的走势。"
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
IGNORED = Phrase("Hidden by --ignore: {count}.", "被 --ignore 隐藏：{count} 项。")
LEFT_OUT = Phrase(
    "{count} diagnoses below --min-confidence were left out.",
    "有 {count} 条诊断低于 --min-confidence，未列出。",
)
TO_ITS_END = Phrase(" beyond line {lines}", "第 {lines} 行之后的部分")
FAULTY = Phrase("A signature could not be tried to the end: {what}", "有签名未能完整匹配：{what}")
NO_RANK_HOLDS_UP = Phrase(
    "dumps that were read: {count}; they show no rank that holds up the others",
    "已读取的转储：{count} 份；其中看不出哪个 rank 拖住了其他 rank",
)
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
    (
        r"a pickle that names code, .*",
        "这个 pickle 指名要执行代码，flight recorder 的转储不会这样；未加载",
    ),
    (r"a broken or cut off dump of the flight recorder", "flight recorder 转储损坏或不完整"),
    (r"no dump of the flight recorder", "不是 flight recorder 的转储"),
    (r"a dump of the flight recorder whose name .*", "flight recorder 转储的文件名末尾没有 rank"),
    (r"larger than (\d+) MiB; .*", r"超过 \1 MiB，单个 rank 的转储不会这么大"),
    (r"stacks without a frame", "调用栈里没有任何一帧"),
    (r"broken or cut off stacks of py-spy --json", "py-spy --json 的调用栈损坏或不完整"),
    (r"no report of NCCL's RAS", "不是 NCCL RAS 的报告"),
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
