"""Exit codes and signals to what they mean and leave open: explained_exits, DEATH_NOTICE.

Numbers of signals are those of Linux on x86-64 and arm64 (signal(7)); shells report a signal as 128
plus its number (bash manual, "Exit Status"), Python's subprocess as minus its number. What shells
call a signal is what glibc's strsignal says of it, and zsh's Src/signals.c in small letters.
"""

import re
from typing import NamedTuple

from logdoctor.model import LocalText

_CODE = (
    r"(?i)(?:exit[ _-]?(?:code|status)|exitcode|return(?:ed)?[ _-]?code|returncode|exited "
    r"with(?: code| status)?|(?:ended|failed|died) with|\brc|Exit)\s*[:=]?\s*(?:of )?"
    r"\(?(-?\d{1,3})\b(?!\.\d)"
)
_SIGNAL = (
    r"(?:\b(?:got )?signal:?\s+|\bSignal )(\d{1,2})\b|\b(SIG(?:KILL|TERM|SEGV|ABRT|BUS|INT|HUP"
    r"|FPE|ILL|QUIT|XCPU|XFSZ|TRAP|SYS))\b"
)


BY_SIGNAL = r"\bSignal \d+ \(SIG[A-Z]+\)|\bexit ?code *: -\d+|\bkilled by (?:the )?signal\b"
"""How a launcher says that a signal ended a process."""

PID = r"\b(?:pid|PID|process)(?: |: ?|=)(\d{1,9})\b"
"""Which process a message is about."""

_SHELL = 128
"""What a shell adds to the number of the signal that ended a command."""


class _Meaning(NamedTuple):
    name: str
    text: LocalText
    notice: str = ""
    """What a shell calls it, of a signal that ends a process."""


_SIGNALS: dict[int, _Meaning] = {
    1: _Meaning(
        "SIGHUP",
        LocalText(
            "the terminal or SSH session that started it closed", "启动它的终端或 SSH 会话已关闭"
        ),
        "Hangup",
    ),
    2: _Meaning(
        "SIGINT", LocalText("Ctrl-C, or a launcher that passed it on", "Ctrl-C，或由启动器转发")
    ),
    3: _Meaning(
        "SIGQUIT",
        LocalText(
            "a launcher or server stops its children this way after one failed",
            "启动器或服务在某个子进程失败后以此结束其余子进程",
        ),
        "Quit",
    ),
    4: _Meaning(
        "SIGILL",
        LocalText(
            "an instruction this CPU does not have: a binary built for another machine",
            "CPU 不支持的指令：二进制为其他机型编译",
        ),
        "Illegal instruction",
    ),
    5: _Meaning(
        "SIGTRAP",
        LocalText(
            "a trap in native code: a failed check of a library, or a debugger's break point",
            "原生代码中的陷阱：库的检查失败，或调试断点",
        ),
        "Trace/breakpoint trap",
    ),
    6: _Meaning(
        "SIGABRT",
        LocalText(
            (
                "the program aborted itself (a failed C++ check, an uncaught C++ exception, the "
                "NCCL watchdog); its last lines say why"
            ),
            "程序自行中止（C++ 断言失败、未捕获的 C++ 异常、NCCL watchdog），原因见其最后几行输出",
        ),
        "Aborted",
    ),
    7: _Meaning(
        "SIGBUS",
        LocalText(
            "often a full /dev/shm, else a mapped file that became shorter",
            "常见于 /dev/shm 已满，或被映射的文件变短",
        ),
        "Bus error",
    ),
    8: _Meaning(
        "SIGFPE",
        LocalText("a division by zero in native code", "原生代码中除以零"),
        "Floating point exception",
    ),
    9: _Meaning(
        "SIGKILL",
        LocalText(
            "killed from outside, most often by the kernel or cgroup for want of host "
            "memory, else by the scheduler or a person; "
            "`dmesg -T | grep -i -E 'oom|killed process'` on the node, or the scheduler's "
            "record of the job, tells which",
            "被外部强制结束：最常见是主机内存或 cgroup 内存不足，也可能是调度器或人为操作；"
            "可在该节点执行 `dmesg -T | grep -i -E 'oom|killed process'`，"
            "或查看调度器的作业记录来区分",
        ),
        "Killed",
    ),
    10: _Meaning(
        "SIGUSR1",
        LocalText(
            (
                "a scheduler's word that time is nearly over (Slurm's --signal); a program that "
                "does not know it, as torchrun, ends at once"
            ),
            "调度器提示时间将到（Slurm 的 --signal）；不处理该信号的程序（如 torchrun）会立即退出",
        ),
        "User defined signal 1",
    ),
    11: _Meaning(
        "SIGSEGV",
        LocalText(
            (
                "a crash in native code; mismatched binaries (torch, NCCL, flash-attn, driver) "
                "are the usual suspects"
            ),
            "原生代码崩溃，常见原因是 torch、NCCL、flash-attn、驱动等二进制版本不匹配",
        ),
        "Segmentation fault",
    ),
    12: _Meaning(
        "SIGUSR2",
        LocalText(
            "sent on purpose by a scheduler or another program, and not handled by this one",
            "由调度器或其他程序有意发送，而本程序没有处理",
        ),
        "User defined signal 2",
    ),
    13: _Meaning(
        "SIGPIPE",
        LocalText("it wrote to a pipe whose reader had ended", "向读端已结束的管道写入"),
        "Broken pipe",
    ),
    14: _Meaning(
        "SIGALRM",
        LocalText("an alarm that it had set itself went off", "自己设置的闹钟（alarm）到时"),
        "Alarm clock",
    ),
    15: _Meaning(
        "SIGTERM",
        LocalText(
            (
                "asked to end from outside: the scheduler (time limit, preemption, "
                "cancellation), Kubernetes, a person, or a launcher after another process failed"
            ),
            (
                "被外部要求结束：调度器（超时、抢占、取消）、Kubernetes、人为操作，"
                "或启动器在其他进程失败后统一结束"
            ),
        ),
        "Terminated",
    ),
    16: _Meaning(
        "SIGSTKFLT", LocalText("sent on purpose by a program", "由某个程序有意发送"), "Stack fault"
    ),
    24: _Meaning(
        "SIGXCPU",
        LocalText(
            "it used up the CPU time that its limit allows (`ulimit -t`)",
            "用完了限额内的 CPU 时间（`ulimit -t`）",
        ),
        "CPU time limit exceeded",
    ),
    25: _Meaning(
        "SIGXFSZ",
        LocalText(
            "it wrote a file beyond the size that its limit allows (`ulimit -f`)",
            "写出的文件超过了限额（`ulimit -f`）",
        ),
        "File size limit exceeded",
    ),
    26: _Meaning(
        "SIGVTALRM",
        LocalText("a timer that it had set itself went off", "自己设置的定时器到时"),
        "Virtual timer expired",
    ),
    27: _Meaning(
        "SIGPROF",
        LocalText(
            "a profiler's timer went off after its handler was gone",
            "性能分析器的定时器在其处理函数撤除后触发",
        ),
        "Profiling timer expired",
    ),
    29: _Meaning(
        "SIGIO",
        LocalText("a notice of input or output that nothing handled", "输入输出就绪的通知未被处理"),
        "I/O possible",
    ),
    30: _Meaning(
        "SIGPWR", LocalText("the machine's power is failing", "机器即将断电"), "Power failure"
    ),
    31: _Meaning(
        "SIGSYS",
        LocalText(
            "a system call that the container's seccomp profile forbids",
            "容器的 seccomp 配置禁止的系统调用",
        ),
        "Bad system call",
    ),
}
_CODES: dict[int, _Meaning] = {
    124: _Meaning(
        "timeout",
        LocalText(
            (
                "the `timeout` command ended it when its limit was over; raise the limit that it "
                "is called with, or go on from the last checkpoint in another run"
            ),
            (
                "到达时限，被 `timeout` 命令结束；"
                "调大调用 timeout 时给的时限，或从最后一个 checkpoint 续跑"
            ),
        ),
    ),
    126: _Meaning("not executable", LocalText("the command could not be executed", "命令无法执行")),
    127: _Meaning("not found", LocalText("the command was not found", "找不到该命令")),
}

SIGNAL_NOTICES = {number: each.notice for number, each in _SIGNALS.items() if each.notice}
"""What shells call the signals that end a process, by their numbers."""

_NOTICES = "|".join(SIGNAL_NOTICES.values())

DEATH_NOTICE = rf"\bline [0-9]+: +[0-9]+ (?:{_NOTICES})"
"""How bash reports a command of a script that a signal ended: its line, the process, the signal."""

SIGNAL_STATUS = rf"(?:{'|'.join(str(_SHELL + number) for number in sorted(_SIGNALS))})"
"""The statuses by which a shell reports such an end."""

_NUMBERS = {meaning.name: number for number, meaning in _SIGNALS.items()}


def is_failed_exit(text: str) -> bool:
    """Whether a text reports an exit status by which a program itself says that it failed: no
    signal's.
    """
    return any(0 < int(match[1]) < _SHELL for match in re.finditer(_CODE, text))


def explained_exits(text: str, told: str = "") -> tuple[LocalText, ...]:
    """What the exit codes and signals named in a text mean, each once, in their order; empty where
    none tells anything.

    Codes 0 to 2 tell nothing, and neither do several signals without a number: they are
    possibilities. What `told` names already is left out.
    """
    found: dict[str, LocalText] = {}
    for code in (int(match[1]) for match in re.finditer(_CODE, text)):
        number = -code if code < 0 else code - _SHELL
        meaning = _SIGNALS.get(number) if code < 0 or code > _SHELL else _CODES.get(code)
        if meaning:
            found.setdefault(
                meaning.name, _sentence(f"{code}", meaning, LocalText("Exit code", "退出码"))
            )
    named = {match[2] for match in re.finditer(_SIGNAL, text) if match[2]}
    is_list = len(named) > 1  # of what it might have been, as Ray prints it
    for match in re.finditer(_SIGNAL, text):
        if is_list and match[2] in named:
            continue
        meaning = _SIGNALS.get(int(match[1]) if match[1] else _NUMBERS[match[2]])
        if meaning:
            found.setdefault(
                meaning.name,
                _sentence(f"{_NUMBERS[meaning.name]}", meaning, LocalText("Signal", "信号")),
            )
    return tuple(sentence for name, sentence in found.items() if name not in told)


def _sentence(code: str, meaning: _Meaning, what: LocalText) -> LocalText:
    return LocalText(
        f"{what.en} {code} ({meaning.name}): {meaning.text.en}.",
        f"{what.zh} {code}（{meaning.name}）：{meaning.text.zh}。",
    )
