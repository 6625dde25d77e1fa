"""The table of line prefixes: PREFIX_ROWS.

It has those of all `frameworks`, and those that belong to none. Nothing is compiled before a line
asks for it.
"""

from logdoctor.formats.assembled import FORMATS
from logdoctor.formats.error_lines import BEGINS_EXCEPTION
from logdoctor.formats.levels import LEVEL
from logdoctor.formats.rows import DATE_TIME, MESSAGE, ZONE, Prefix, record, transport

A_METRIC = (
    r" *[-+]?(?:\d+(?:\.\d*)?(?:e[-+]?\d+)?|nan|inf)%?"
    rf"(?: ?[,;|]| *$| (?!{BEGINS_EXCEPTION})[\w./]+[:=])"
)
"""What stands behind the key of a metric, and not behind a logger's name."""

_PASTED = (
    transport(
        "quoted in a ticket",
        ">",
        ">",
        r"(?:> )+|>{1,6} ?",
        "> (raylet) text",
        "> > text",
        ">>> text",
    ),
    transport(
        "web viewer",
        "【",
        "】",
        rf"【(?P<time>{DATE_TIME})】",
        "【2024-12-12 16:32:05】(PolicyReference pid=2416) text",
    ),
    transport("CI line number", "[0", "] [rank", r"\[\d+\] (?=\[rank)", "[80746] [rank0]: text"),
    transport(
        "grep",
        "a|A|0|.|/",
        ".log:",
        r"[\w./-]+\.log:(?:\d{1,7}:)?",
        "train.log:812:(raylet) text",
        "logs/train.log:text",
    ),
    transport("grep -n", "0", ":", rf"\d{{1,7}}:{MESSAGE}(?!(?:  )* \S)", "812:[rank0]: text"),
    transport(
        "cat -n",
        "__|_0|0|0\t",
        "\t",
        r" {0,6}\d{1,7}\t",
        "     7\t[rank0]: text",
        "12\t(raylet) text",
    ),
    transport(
        "pasted line number",
        "0|_0|__",
        "|",
        rf" {{0,4}}\d{{1,6}} ?\|(?: {MESSAGE}|$)",
        "12 | (raylet) text",
        "  7| [rank0]: text",
    ),
)
"""What somebody put before lines that he copied."""

_CARRIERS = (
    transport(
        "docker compose",
        "a|A|0",
        "|",
        # without a blank before the bar there may be none behind it: Python indents by even ones
        r"(?P<actor>[\w.-]+[-_]\d+)(?: +\|(?: |$)|\|(?: (?=(?:  )*(?:\S|$))|$))",
        "vllm-1  | text",
        "ray_worker_2 | text",
    ),
    transport(
        "docker compose, one container",
        "a",
        "|",
        rf"(?P<actor>[a-z][\w.-]{{1,60}}) +\|(?: {MESSAGE}|$)",
        "trainer  | [rank0]: text",
    ),
    transport(
        "mpirun --tag-output",
        "[0|[a",
        ">:",
        r"\[(?:(?P<host>[\w.-]+)@)?\d+,(?P<rank>\d+)\]<(?:stdout|stderr)>: ?",
        "[1,3]<stderr>: text",
        "[prterun-n1-77@1,3]<stderr>: text",
    ),
    transport(
        "pdsh",
        "a|0",
        ":",
        (
            rf"(?P<host>localhost|[a-z][a-z-]*\d[a-z\d.-]*|\d{{1,3}}(?:\.\d{{1,3}}){{3}}):(?: "
            rf"{MESSAGE}|$)"
        ),
        "node01: [rank0]: text",
        "localhost: [rank0]: text",
        "10.0.0.7: (raylet) text",
    ),
)
"""What starts processes and carries what they print."""

_WRITERS = (
    transport(
        "host and rank",
        "[a|[0",
        "]",
        (
            r"\[(?P<host>(?![\w.-]*\.(?:py|cc|cpp|cu|h|hpp|go|rs|c):)(?:[a-z][\w.-]*"
            r"|\d{1,3}(?:\.\d{1,3}){3})):(?:(?P<rank>\d{1,3})|(?P<pid>\d{4,}))\](?: "
            rf"|$|(?=Traceback|{BEGINS_EXCEPTION}))"
        ),
        "[gpu-node-1:3] text",
        "[node01:30412] text",
    ),
    transport("exception group", "__", "|", r" {2,40}\| ?", "  | text", "    | text"),
    transport(
        "exception group's header",
        "__",
        "+ Exc",
        r" {2,40}\+ (?=Exception Group)",
        "  + Exception Group Traceback (most recent call last):",
    ),
)
"""Who of them writes."""

_LOGGERS = (
    record(
        "file and line",
        "[a",
        ".py:",
        rf"\[[\w./-]{{1,200}}\.py:\d+\](?: {MESSAGE}|$)",
        "[core.py:710] [rank0]: text",
    ),
    record(
        "NCCL",
        "a|A|0",
        " [",
        r"(?P<host>[\w.-]+):(?P<pid>\d+):\d+ \[-?\d+\] (?=[\w/]*(?:NCCL|\.(?:cc|cu|h):\d+))",
        "node-1:534:1763 [3] NCCL INFO text",
        # before 2.4
        "node-1:534:1763 [3] include/socket.h:357 WARN text",
    ),
    record(
        "loguru",
        "0",
        " | ",
        (
            rf"(?P<time>{DATE_TIME}){ZONE} \| (?:(?!{LEVEL})[\w.<>:-]+ \| "
            rf")?(?P<level>{LEVEL}) *(?:\| (?:[\w.<>-]+:[\w.<>:-]+ - )?|- )"
        ),
        "2024-01-01 12:00:00.123 | ERROR    | app:main:12 - text",
        # as llm-compressor sets it up
        "2026-01-29T05:51:50.616588+0000 | compare_with_baseline | ERROR - text",
        "2021-07-13 19:35:19 | INFO | text",
    ),
    record(
        "rich",
        "[0",
        "/",
        rf"\[(?P<time>\d\d/\d\d/\d\d \d\d:\d\d:\d\d)\] (?P<level>{LEVEL}) +",
        "[11/21/26 15:51:22] WARNING  text",
    ),
    record(
        "rich, later in the same second",
        "__",
        "        ",
        rf" {{20}}(?P<level>{LEVEL})  +",
        "                    ERROR    text",
    ),
    record(
        "syslog",
        "Aa",
        ": ",
        (
            r"(?P<time>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) (?P<host>[\w.-]+) "
            r"(?:kernel|[\w.-]+\[\d+\]): (?:\[ *\d+\.\d+\] )?"
        ),
        "Nov 21 08:00:00 gpu-7 kernel: [12345.678901] text",
    ),
    record(
        "syslog with ISO times",
        "0",
        ": ",
        (
            r"(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)(?:Z|[+-]\d\d:?\d\d) "
            r"(?P<host>[\w.-]+) (?:kernel|[\w./-]+\[(?P<pid>\d+)\]): (?:\[ *\d+\.\d+\] )?"
        ),
        "2025-11-21T08:00:00.123456+08:00 gpu-7 kernel: [12345.678901] text",
        "2025-11-21T08:00:00+00:00 gpu-7 slurmd[811]: text",
    ),
    record("kernel ring buffer", "[0|[_", "] ", r"\[ *\d+\.\d{6}\] ", "[12345.678901] text"),
    record(
        "dmesg -T",
        "[A",
        "] ",
        r"\[[A-Z][a-z]{2} (?P<time>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) \d{4}\] ",
        "[Fri Nov 21 08:00:00 2026] text",
    ),
    record(
        "time and level",
        "0|[0",
        ":",
        (
            rf"\[?(?P<time>{DATE_TIME}){ZONE}\]?(?: - | "
            rf"{{1,2}})\[?(?:(?!{LEVEL})[\w.:/-]+\]?(?: - | ))?\[?(?P<level>{LEVEL})\]?(?: - "
            rf"|: ?| +)"
        ),
        "2025-01-02 03:04:05,678 - INFO - text",
        "2025-01-02 03:04:05,678 - my.module - ERROR - text",
        "2025-01-02T03:04:05Z ERROR text",
        "2025-01-02T03:04:05.678901Z  WARN text",
    ),
    transport(
        "cloud console",
        "0",
        ":",
        r"(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d) (?=[\[(])",
        "2025-02-18 12:54 [rank13]: text",
    ),
    transport(
        "log store",
        "0",
        "Z",
        (
            r"(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3,9})?)Z(?: (?:\{[^{}]{1,500}\}(?: "
            r"|$))?|$)"
        ),
        "2024-05-01T12:00:00.1234567Z text",
        '2018-06-25T12:52:09Z {instance="consul-8",job="trainer"} text',
    ),
    record(
        "time",
        "0|[0",
        ":",
        rf"\[?(?P<time>{DATE_TIME}){ZONE}\]?:? (?:- )?",
        "[2025-01-02 03:04:05] text",
        "2025-01-02 03:04:05.123456: text",
    ),
    record(
        "level and name",
        "A",
        ":",
        rf"(?P<level>{LEVEL}):(?:(?!{BEGINS_EXCEPTION})[\w.]*:?)? {{0,6}}",
        "ERROR:torch.distributed.elastic:text",
        "INFO:     text",
    ),
    record(
        "level, blank and name",
        "A",
        " ",
        (
            rf"(?P<level>{LEVEL}) +(?:(?!{BEGINS_EXCEPTION})(?:[\w.-]{{1,80}}(?::| -)"
            rf"|\[[\w.:/-]{{1,80}}\]:?) (?!{A_METRIC})|(?=Traceback \(|{BEGINS_EXCEPTION}))"
        ),
        "ERROR trainer: text",
        "WARNING  my.module: text",
        "ERROR worker-0 - text",
        "ERROR [worker-0] text",
    ),
    record("level", "[A", "]", rf"\[(?P<level>{LEVEL})\]:? (?:- )?", "[ERROR] text"),
    transport(
        "progress bar before the text",
        "",
        "%|",
        (
            r"[^|]{0,120}\d{1,3}%\|[^|]{0,300}\| ?[^\[|]{0,60}\[[^\]]{0,60}(?:it/s"
            r"|s/it)[^\]]{0,200}\](?: ?(?=[^\s,])|(?= {2,4}File \"))"
        ),
        "Update policy 2: 100%|███| 5.00/5.00 [11:53<00:00, 4.64s/it]text",
        "Consumer: 67783:   3%|▎         | 9/300 [00:44<23:57,  4.94s/it]text",
    ),
)
"""How loggers begin a record in many programs, the longer forms first."""

_OWN = tuple(row for each in FORMATS for row in each.prefixes)

PREFIX_ROWS: tuple[Prefix, ...] = (
    *_PASTED,
    *(row for each in FORMATS for row in each.carriers),
    *_CARRIERS,
    *(row for row in _OWN if not row.is_record),
    *_WRITERS,
    *(row for row in _OWN if row.is_record),
    *_LOGGERS,
)
"""Outermost first: of two that fit, the earlier counts."""
