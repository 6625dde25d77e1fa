"""What `tail` and `run` say while they watch."""

from __future__ import annotations

from logdoctor.texts.phrases import Phrase

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
LOOKING = Phrase("--on-stall: the command runs", "--on-stall：命令已启动")
NO_STACKS = Phrase(
    "--on-stall: the command printed no stacks; its last line: {said}",
    "--on-stall：命令没有输出调用栈；最后一行：{said}",
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
        "For collectives: run with TORCH_FR_BUFFER_SIZE=2000 (older torch reads "
        "TORCH_NCCL_TRACE_BUFFER_SIZE; both may be set) and TORCH_NCCL_DUMP_ON_TIMEOUT=1, and give "
        "logdoctor the folder of the dumps: it names the rank that did not arrive."
    ),
    (
        "排查集合通信：运行时设置 TORCH_FR_BUFFER_SIZE=2000（旧版 torch 读取 "
        "TORCH_NCCL_TRACE_BUFFER_SIZE，可同时设置）和 TORCH_NCCL_DUMP_ON_TIMEOUT=1，"
        "再把转储所在的文件夹交给 logdoctor，它会指出没有到达的 rank。"
    ),
)
STALL_KNOWN = Phrase(
    "Hangs that are known here: {ids}; more with: logdoctor explain ID",
    "此处已知的卡住原因：{ids}；详见 logdoctor explain ID",
)
SLURM_JOB = Phrase(
    "job {job} ({name}): {state}, exit code {code}, on {nodes}; reading {files}",
    "作业 {job}（{name}）：{state}，退出码 {code}，节点 {nodes}；读取 {files}",
)
SLURM_UNEXPLAINED = Phrase(
    "job {job} ended as {state}, and its output does not show why; `sacct -j {job}` and the logs "
    "of the nodes may",
    "作业 {job} 以 {state} 结束，但其输出没有说明原因；可查看 `sacct -j {job}` 和节点日志",
)
JUDGED_TOGETHER = Phrase(
    "{count} files are judged as one run, and {because}; --each judges them one by one, and so "
    "does batch",
    "{count} 个文件按同一次训练一并判断，但{because}；--each 或 batch 可逐个判断",
)
JOBS_APART = Phrase("their names are of different jobs", "文件名属于不同的作业")
PROGRAMS_APART = Phrase("they are of different programs", "它们来自不同的程序")
TIMES_APART = Phrase("their times lie apart", "它们的时间相距较远")
