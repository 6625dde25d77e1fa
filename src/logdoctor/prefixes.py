"""Tables of line prefixes: strip_prefixes.

A line of a training log carries a stack of prefixes: of the transport (Kubernetes, srun, Ray, torchrun), which says who
wrote it, and of the program's own logger (a record's), which says when and how bad. Each row of the tables has sample
lines; a test holds every row to its samples.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from logdoctor.model import Lane

_DATE_TIME = r"\d{4}[-/]\d\d[-/]\d\d[ T_]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_ZONE = r"(?:Z|[+-]\d\d:?\d\d)?"
_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)"


class Row(NamedTuple):
    """One prefix.

    Attributes:
        name: whose it is.
        regex: what stands at the beginning of the line; groups `actor`, `pid`, `host`, `rank`, `time`, `level`.
        samples: lines that begin with it.
        is_record: whether it begins a record of a logger (else it is the transport's and stands on every line).
    """

    name: str
    regex: re.Pattern[str]
    samples: tuple[str, ...]
    is_record: bool


def _transport(name: str, pattern: str, *samples: str) -> Row:
    return Row(name, re.compile(pattern), samples, is_record=False)


def _record(name: str, pattern: str, *samples: str) -> Row:
    return Row(name, re.compile(pattern), samples, is_record=True)


ROWS: tuple[Row, ...] = (
    _transport("quoted in a ticket", r"(?:> ?)+(?=\S)", "> (raylet) text", "> > text"),
    _transport("web viewer", rf"【(?P<time>{_DATE_TIME})】", "【2024-12-12 16:32:05】(PolicyReference pid=2416) text"),
    _transport("CI line number", r"\[\d+\] (?=\[rank)", "[80746] [rank0]: text"),
    _transport("kubelet (CRI)", rf"(?P<time>{_DATE_TIME}{_ZONE}) (?:stdout|stderr) [FP] ", "2019-04-30T02:12:41.8443515Z stdout F text"),
    _transport("kubectl --prefix", r"\[pod/(?P<actor>[^\]/]+)/[^\]]+\] ", "[pod/trainer-0/main] text"),
    _transport("docker compose", r"(?P<actor>[\w.-]+-\d+) +\| ", "vllm-1  | text"),
    _transport("mpirun --tag-output", r"\[\d+,(?P<rank>\d+)\]<(?:stdout|stderr)>: ?", "[1,3]<stderr>: text"),
    _transport("srun --label", r" {0,4}(?P<rank>\d{1,5}): (?=\S| )", "3: text", " 12: text"),
    _transport(
        "Ray worker",
        r"\((?P<actor>[^()\s=][^()=]{0,100}(?:\([^()]{0,100}\))?) pid=(?P<pid>\d+)(?:, ip=(?P<host>[\w.:-]+))?\) ?",
        "(ActorWorker(reference-0) pid=136685) text",
        "(WorkerDict pid=12, ip=10.1.2.3) text",
        "(master_worker/0 pid=96390, ip=10.1.2.3) text",
        "(EngineCore_DP0 pid=1) text",
    ),
    _transport("Ray anonymous worker", r"\(pid=(?P<pid>\d+)(?:, ip=(?P<host>[\w.:-]+))?\) ?", "(pid=33233) text"),
    _transport(
        "Ray component",
        r"\((?P<actor>raylet|gcs_server|autoscaler|scheduler)(?: \+[\dhms]+)?(?:, ip=(?P<host>[\w.:-]+))?\) ?",
        "(raylet) text",
        "(autoscaler +1m30s) text",
        "(raylet, ip=10.1.2.3) text",
    ),
    _transport("torch excepthook", r"\[rank(?P<rank>\d+)\]: ?", "[rank3]: text", "[rank0]:[E321 02:07:08.408271257 x.cpp:1] text"),
    _transport("Lightning", r"\[rank: (?P<rank>\d+)\] ", "[rank: 2] text"),
    _transport("torchrun --tee", r"\[[A-Za-z_]+(?P<rank>\d+)\]:", "[default3]:text", "[trainer0]:text"),
    _record(
        "ROLL",
        rf"\[(?P<time>{_DATE_TIME})\] \[[^\]]{{1,60}} \(\d+\)\] \[(?P<level>{_LEVEL})\] \[(?P<actor>[\w.-]+) (?P<rank>\d+) / \d+\]\[PID (?P<pid>\d+)\] ?",
        "[2026-01-11 21:25:34] [context_managers.py (41)] [INFO] [reference-0 0 / 1][PID 136685] text",
    ),
    _record(
        "ChatLearn",
        rf"\[(?P<time>{_DATE_TIME}) (?P<actor>ChatLearn[\w-]*)(?: (?P<host>\d[\w.:]+))?(?: RANK:(?P<rank>\d+))?\] \([^()]{{1,60}} \d+\): (?P<level>{_LEVEL}) ",
        "[2025-08-25 10:00:00,123 ChatLearn-policy_trainer 10.0.0.3 RANK:5] (fsdp_module.py 621): INFO text",
        "[2025-08-25 10:00:00,123 ChatLearn] (engine.py 497): INFO text",
    ),
    _record(
        "AReaL",
        rf"(?:\[[\w-]{{1,12}}\]\s+)?(?:\(AReaL\) )?(?P<time>\d{{8}}-\d\d:\d\d:\d\d\.\d{{3}}) (?P<actor>[\w\[][\w \[\]/.-]{{0,60}}?) (?P<level>{_LEVEL}): ",
        "(AReaL) 20260206-15:38:30.123 RLTrainer INFO: text",
        "[main]    (AReaL) 20260206-15:38:30.123 [FSDPEngine Rank 0] INFO: text",
        "20250222-11:11:56.997 master worker INFO: text",
    ),
    _record(
        "vLLM, Trinity, OpenRLHF",
        rf"(?P<level>{_LEVEL}) (?P<time>\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?) \[?[\w./-]+\.\w+:\d+\] ?",
        "ERROR 10-20 12:00:00 [core.py:700] text",
        "INFO 11-12 22:04:23 metrics.py:406] text",
    ),
    _record(
        "SGLang",
        rf"\[(?P<time>{_DATE_TIME})(?: (?:(?:DP|PP|EP|ATTN_CP|MOE_DP|CP|ATTN_TP)\d+|TP(?P<rank>\d+)))+\] ",
        "[2026-02-06 15:38:30 TP0] text",
        "[2026-02-06 15:38:30.123 DP1 PP0 TP3 EP2] text",
    ),
    _record(
        "torch C++",
        r"\[(?P<level>[WEIFC]) ?(?P<time>\d{3,4} \d\d:\d\d:\d\d\.\d+)? ?[\w./]+:\d+\] ?",
        "[E321 02:07:08.408271257 ProcessGroupNCCL.cpp:607] text",
        "[E ProcessGroupNCCL.cpp:737] text",
    ),
    _record(
        "torch Python",
        r"(?P<level>[WEIFC])(?P<time>\d{4} \d\d:\d\d:\d\d\.\d+) (?P<pid>\d+) [\w./-]+:\d+\] (?:\[[\d/]+\] )?",
        "W1206 18:44:12.715000 1234 torch/_dynamo/x.py:123] [0/0] text",
        "E0325 20:57:27.620000 2606 site-packages/torch/distributed/elastic/multiprocessing/api.py:869] text",
    ),
    _record(
        "Ray C++",
        rf"\[(?P<time>{_DATE_TIME}) (?P<level>[DIWEFC]) (?P<pid>\d+) \d+\] (?:\([\w-]+\) )?",
        "[2025-05-13 10:53:26,347 W 3061289 3061289] actor_manager.cc:110: text",
        "[2025-12-12 09:05:42,520 E 119526 119558] (raylet) text",
    ),
    _record("Ray Python", rf"(?P<time>{_DATE_TIME})\t(?P<level>{_LEVEL}) [\w.]+:\d+ -- ", "2024-11-08 13:54:19,831\tINFO worker.py:1777 -- text"),
    _record(
        "DeepSpeed",
        rf"\[(?P<time>{_DATE_TIME})\] \[(?P<level>{_LEVEL})\] \[[\w.]+:\d+:\w+\] (?:\[Rank (?P<rank>-?\d+)\] )?",
        "[2025-03-07 23:55:15,357] [INFO] [logging.py:128:log_dist] [Rank 0] text",
    ),
    _record(
        "transformers",
        rf"\[(?P<level>{_LEVEL})\|[\w.]+:\d+\] (?P<time>{_DATE_TIME}) >> ",
        "[INFO|trainer.py:2409] 2025-03-07 23:55:15,357 >> text",
    ),
    _record("NCCL", r"(?P<host>[\w.-]+):(?P<pid>\d+):\d+ \[-?\d+\] (?=[\w/]*(?:NCCL|\.cc:\d+))", "node-1:534:1763 [3] NCCL INFO text"),
    _record("loguru", rf"(?P<time>{_DATE_TIME}) \| (?P<level>{_LEVEL}) +\| [\w.<>:-]+ - ", "2024-01-01 12:00:00.123 | ERROR    | app:main:12 - text"),
    _record(
        "syslog",
        r"(?P<time>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) (?P<host>[\w.-]+) (?:kernel|[\w.-]+\[\d+\]): (?:\[ *\d+\.\d+\] )?",
        "Nov 21 08:00:00 gpu-7 kernel: [12345.678901] text",
    ),
    _record("kernel ring buffer", r"\[ *\d+\.\d{6}\] ", "[12345.678901] text"),
    _record(
        "time and level",
        rf"\[?(?P<time>{_DATE_TIME}){_ZONE}\]?(?: - | )\[?(?:(?!{_LEVEL})[\w.:/-]+\]?(?: - | ))?\[?(?P<level>{_LEVEL})\]?(?: - |: ?| +)",
        "2025-01-02 03:04:05,678 - INFO - text",
        "2025-01-02 03:04:05,678 - my.module - ERROR - text",
        "2025-01-02T03:04:05Z ERROR text",
    ),
    _record("Hydra", rf"\[(?P<time>{_DATE_TIME})\]\[[\w.]+\]\[(?P<level>{_LEVEL})\] - ", "[2025-01-02 03:04:05,678][root][INFO] - text"),
    _record("cloud console", r"(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d) (?=[\[(])", "2025-02-18 12:54 [rank13]: text"),
    _record("time", rf"\[?(?P<time>{_DATE_TIME}){_ZONE}\]?:? (?:- )?", "[2025-01-02 03:04:05] text", "2025-01-02 03:04:05.123456: text"),
    _record("level and name", rf"(?P<level>{_LEVEL}):[\w.]*:? {{0,6}}", "ERROR:torch.distributed.elastic:text", "INFO:     text"),
    _record("level", rf"\[(?P<level>{_LEVEL})\]:? (?:- )?", "[ERROR] text"),
    _transport(
        "progress bar before the text",
        r"[^|]{0,120}\d{1,3}%\|[^|]{0,300}\| ?[^\[|]{0,60}\[[^\]]{0,60}(?:it/s|s/it)[^\]]{0,200}\] ?(?=[^\s,])",
        "Update policy 2: 100%|███| 5.00/5.00 [11:53<00:00, 4.64s/it]text",
    ),
)

_STARTS = {"[": r"\[", "(": r"\(", "【": "【"}
_OTHER_ROWS = tuple(row for row in ROWS if not row.regex.pattern.startswith(tuple(_STARTS.values())) or row.regex.pattern.startswith(r"\[?"))
_ROWS_BY_START = {
    start: tuple(row for row in ROWS if row in _OTHER_ROWS or row.regex.pattern.startswith(pattern)) for start, pattern in _STARTS.items()
}
"""The rows that can fit a line, by its first character, in the order of the table."""

_REPEATED = re.compile(r" ?\[repeated (\d{1,9})x across (?:the )?cluster\](?: \(Ray deduplicates.{0,300})?$")
_MONTHS = {name: i for i, name in enumerate(["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"], 1)}
_LEVELS = {"W": "warning", "WARN": "warning", "E": "error", "F": "fatal", "C": "fatal", "CRITICAL": "fatal", "I": "info", "D": "debug"}
_STACK_LIMIT = 8


class Stripped(NamedTuple):
    """A line without its prefixes.

    Attributes:
        text: the rest, with the indentation it had behind them.
        lane: all that the prefixes say of the writer; where several do, the outermost counts.
        stream: the same from the transport's prefixes alone, which every line of a message carries.
        time, level, is_record, repeats: as in `LogLine`.
    """

    text: str
    lane: Lane
    stream: Lane
    time: str | None
    level: str | None
    is_record: bool
    repeats: int


def strip_prefixes(line: str) -> Stripped:
    """Takes all prefixes off a line without terminal escapes."""
    repeated = _REPEATED.search(line)
    text = line[: repeated.start()] if repeated else line
    found: dict[str, str] = {}
    transport: dict[str, str] = {}
    is_record = False
    for _ in range(_STACK_LIMIT):
        row_and_match = _first_match(text)
        if row_and_match is None:
            break
        row, match = row_and_match
        groups = {name: value for name, value in match.groupdict().items() if value}
        found = groups | found
        if row.is_record:
            is_record = True
        else:
            transport = groups | transport
        text = text[match.end() :]
    return Stripped(
        text=text,
        lane=_lane(found),
        stream=_lane(transport),
        time=iso_time(found["time"]) if "time" in found else None,
        level=_LEVELS.get(found["level"], found["level"].lower()) if "level" in found else None,
        is_record=is_record,
        repeats=int(repeated[1]) if repeated else 1,
    )


def _first_match(text: str) -> tuple[Row, re.Match[str]] | None:
    if not text or text[0] == "\t" or text.startswith("  File "):
        return None
    for row in _ROWS_BY_START.get(text[0], _OTHER_ROWS):
        match = row.regex.match(text)
        if match and match.end():
            return row, match
    return None


def _lane(groups: dict[str, str]) -> Lane:
    rank, pid = groups.get("rank"), groups.get("pid")
    return Lane(groups.get("host"), int(rank) if rank else None, int(pid) if pid else None, groups.get("actor"))


def iso_time(text: str) -> str | None:
    """A time as the tables find it in ISO 8601, `--MM-DDT…` where the year is not given; None where it is no time."""
    digits = re.fullmatch(r"(\d{4})[-/]?(\d\d)[-/]?(\d\d)[ T_-](\d\d:\d\d(?::\d\d)?)(?:[.,](\d+))?", text)
    if digits:
        year, month, day, clock, fraction = digits.groups()
        return f"{year}-{month}-{day}T{clock}" + (f".{fraction}" if fraction else "")
    digits = re.fullmatch(r"(\d{1,2})-?(\d\d) (\d\d:\d\d:\d\d)(?:[.,](\d+))?", text)
    if digits:
        month, day, clock, fraction = digits.groups()
        return f"--{int(month):02d}-{day}T{clock}" + (f".{fraction}" if fraction else "")
    named = re.fullmatch(r"([A-Z][a-z]{2}) ([ \d]\d) (\d\d:\d\d:\d\d)", text)
    if named and named[1] in _MONTHS:
        return f"--{_MONTHS[named[1]]:02d}-{int(named[2]):02d}T{named[3]}"
    return None
