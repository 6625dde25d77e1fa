"""The table of line prefixes: ROWS.

Each row has sample lines, and a test holds every row to its samples. Nothing is compiled before a
line asks for it.
"""

from __future__ import annotations

import re
from functools import cached_property

from logdoctor.formats.error_lines import BEGINS_EXCEPTION
from logdoctor.formats.levels import LEVEL as _LEVEL

_DATE_TIME = r"\d{4}[-/]\d\d[-/]\d\d[ T_]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_ZONE = r"(?:Z|[+-]\d\d:?\d\d)?"
_MESSAGE = (
    rf"(?=$|\s|[\[(<]|Traceback|During handling|The above "
    rf"exception|{_LEVEL}\b|\d{{4}}-\d\d|[WEIFC]\d{{4}} "
    rf"|{BEGINS_EXCEPTION})"
)
"""What must follow a prefix that could be a message's own first word."""


class Row:
    """One prefix.

    Attributes:
        name: whose it is.
        heads: how it begins, in its first one or two characters: `0` for a digit, `a` and `A` for a
            letter, else itself.
        needs: a text that stands in every line that begins with it.
        pattern: what stands at the beginning of the line; groups `actor`, `pid`, `host`, `rank`,
            `time`, `level`.
        samples: lines that begin with it.
        is_record: whether it begins a record of a logger (else it is the transport's and stands on
            every line).
    """

    def __init__(
        self,
        name: str,
        heads: str,
        needs: str,
        pattern: str,
        samples: tuple[str, ...],
        *,
        is_record: bool,
    ) -> None:
        self.name = name
        self.heads = tuple(heads.replace("_", " ").split("|"))
        self.needs = needs
        self.pattern = pattern
        self.samples = samples
        self.is_record = is_record

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The pattern, compiled when it is first asked for."""
        return re.compile(self.pattern)


def _transport(name: str, heads: str, needs: str, pattern: str, *samples: str) -> Row:
    return Row(name, heads, needs, pattern, samples, is_record=False)


def _record(name: str, heads: str, needs: str, pattern: str, *samples: str) -> Row:
    return Row(name, heads, needs, pattern, samples, is_record=True)


ROWS: tuple[Row, ...] = (
    _transport(
        "quoted in a ticket",
        ">",
        ">",
        r"(?:> )+|>{1,6} ?",
        "> (raylet) text",
        "> > text",
        ">>> text",
    ),
    _transport(
        "web viewer",
        "【",
        "】",
        rf"【(?P<time>{_DATE_TIME})】",
        "【2024-12-12 16:32:05】(PolicyReference pid=2416) text",
    ),
    _transport("CI line number", "[0", "] [rank", r"\[\d+\] (?=\[rank)", "[80746] [rank0]: text"),
    _transport(
        "grep",
        "a|A|0|.|/",
        ".log:",
        r"[\w./-]+\.log:(?:\d{1,7}:)?",
        "train.log:812:(raylet) text",
        "logs/train.log:text",
    ),
    _transport("grep -n", "0", ":", rf"\d{{1,7}}:{_MESSAGE}(?!(?:  )* \S)", "812:[rank0]: text"),
    _transport(
        "cat -n",
        "__|_0|0|0\t",
        "\t",
        r" {0,6}\d{1,7}\t",
        "     7\t[rank0]: text",
        "12\t(raylet) text",
    ),
    _transport(
        "pasted line number",
        "0|_0|__",
        "|",
        rf" {{0,4}}\d{{1,6}} ?\|(?: {_MESSAGE}|$)",
        "12 | (raylet) text",
        "  7| [rank0]: text",
    ),
    _transport(
        "kubelet (CRI)",
        "0",
        " std",
        rf"(?P<time>{_DATE_TIME}{_ZONE}) (?:stdout|stderr) [FP](?: |$)",
        "2019-04-30T02:12:41.8443515Z stdout F text",
    ),
    _transport(
        "kubectl --prefix",
        "[a",
        "[pod/",
        r"\[pod/(?P<actor>[^\]/]+)/[^\]]+\](?: |$)",
        "[pod/trainer-0/main] text",
    ),
    _transport(
        "docker compose",
        "a|A|0",
        "|",
        r"(?P<actor>[\w.-]+[-_]\d+) *\|(?: |$)",
        "vllm-1  | text",
        "ray_worker_2 | text",
    ),
    _transport(
        "docker compose, one container",
        "a",
        "|",
        rf"(?P<actor>[a-z][\w.-]{{1,60}}) +\|(?: {_MESSAGE}|$)",
        "trainer  | [rank0]: text",
    ),
    _transport(
        "mpirun --tag-output",
        "[0|[a",
        ">:",
        r"\[(?:(?P<host>[\w.-]+)@)?\d+,(?P<rank>\d+)\]<(?:stdout|stderr)>: ?",
        "[1,3]<stderr>: text",
        "[prterun-n1-77@1,3]<stderr>: text",
    ),
    _transport(
        "srun --label",
        "0|_0|__",
        ":",
        r" {0,4}(?P<rank>\d{1,5}):(?: (?=\S| )|$)",
        "3: text",
        " 12: text",
    ),
    _transport(
        "pdsh",
        "a|0",
        ":",
        (
            rf"(?P<host>localhost|[a-z][a-z-]*\d[a-z\d.-]*|\d{{1,3}}(?:\.\d{{1,3}}){{3}}):(?: "
            rf"{_MESSAGE}|$)"
        ),
        "node01: [rank0]: text",
        "localhost: [rank0]: text",
        "10.0.0.7: (raylet) text",
    ),
    _transport(
        "Ray worker",
        "(",
        " pid=",
        (
            r"\((?P<actor>[^()\s=][^()=]{0,100}(?:\([^()]{0,100}\))?)(?: rank=(?P<rank>\d+))? "
            r"pid=(?P<pid>\d+)(?:, (?:ip=(?:(?P<host>[\w.:\[\]-]+)|[^\s()]{0,40}))?)?\) ?"
        ),
        "(ActorWorker(reference-0) pid=136685) text",
        "(WorkerDict pid=12, ip=10.1.2.3) text",
        "(master_worker/0 pid=96390, ip=10.1.2.3) text",
        "(ActorWorker(actor_infer-0) pid=12266, ) text",
        "(WorkerDict pid=12, ip=*.*.*.*) text",
        "(WorkerDict pid=12, ip=[fd00::1]) text",
        "(EngineCore_DP0 pid=1) text",
        "(VllmWorker rank=3 pid=191128) text",
    ),
    _transport(
        "Ray anonymous worker",
        "(a",
        "(pid=",
        (
            r"\(pid=(?:(?P<pid>\d+)|(?P<actor>[a-z_]+))(?:, "
            r"(?:ip=(?:(?P<host>[\w.:\[\]-]+)|[^\s()]{0,40}))?)?\) ?"
        ),
        "(pid=33233) text",
        "(pid=runtime_env, ip=10.1.2.3) text",
    ),
    _transport(
        "Ray component",
        "(a",
        ")",
        (
            r"\((?P<actor>raylet|gcs_server|autoscaler|scheduler)(?: \+[\dhms]+)?(?:, "
            r"ip=(?P<host>[\w.:-]+))?\) ?"
        ),
        "(raylet) text",
        "(autoscaler +1m30s) text",
        "(raylet, ip=10.1.2.3) text",
    ),
    _transport(
        "torch excepthook",
        "[a",
        "[rank",
        r"\[rank(?P<rank>\d+)\](?:: ?| )",
        "[rank3]: text",
        "[rank0]:[E321 02:07:08.408271257 x.cpp:1] text",
        "[rank15] text",
    ),
    _transport("Lightning", "[a", "[rank: ", r"\[rank: (?P<rank>\d+)\] ", "[rank: 2] text"),
    _transport(
        "torchrun --tee",
        "[a|[A",
        "]:",
        r"\[[A-Za-z_]+(?P<rank>\d+)\]:",
        "[default3]:text",
        "[trainer0]:text",
    ),
    # torchrun's table has it with nothing behind
    _transport("rank alone", "[0", "]:", r"\[(?P<rank>\d{1,5})\]:(?=.)", "[0]:text"),
    _transport(
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
    _transport("exception group", "__", "|", r" {2,40}\| ?", "  | text", "    | text"),
    _transport(
        "exception group's header",
        "__",
        "+ Exc",
        r" {2,40}\+ (?=Exception Group)",
        "  + Exception Group Traceback (most recent call last):",
    ),
    _record(
        "ROLL",
        "[0",
        "[PID ",
        (
            rf"\[(?P<time>{_DATE_TIME})\] \[[^\]]{{1,60}} \(\d+\)\] \[(?P<level>{_LEVEL})\] "
            rf"\[(?P<actor>[\w.-]+) (?P<rank>\d+) / \d+\]\[PID (?P<pid>\d+)\] ?"
        ),
        (
            "[2026-01-11 21:25:34] [context_managers.py (41)] [INFO] [reference-0 0 / 1][PID "
            "136685] text"
        ),
    ),
    _record(
        "ChatLearn",
        "[0",
        "ChatLearn",
        (
            rf"\[(?P<time>{_DATE_TIME}) (?P<actor>ChatLearn[\w-]*)(?: (?P<host>\d[\w.:]+))?(?: "
            rf"RANK:(?P<rank>\d+))?\] \([^()]{{1,60}} \d+\): (?P<level>{_LEVEL}) "
        ),
        (
            "[2025-08-25 10:00:00,123 ChatLearn-policy_trainer 10.0.0.3 RANK:5] (fsdp_module.py "
            "621): INFO text"
        ),
        "[2025-08-25 10:00:00,123 ChatLearn] (engine.py 497): INFO text",
    ),
    _record(
        "AReaL",
        "(A|[|0",
        ": ",
        (
            rf"(?:\[[\w-]{{1,12}}\]\s+)?(?:\(AReaL\) )?(?P<time>\d{{8}}-\d\d:\d\d:\d\d\.\d{{3}}) "
            rf"(?P<actor>[\w\[][\w \[\]/.-]{{0,60}}?) (?P<level>{_LEVEL}): "
        ),
        "(AReaL) 20260206-15:38:30.123 RLTrainer INFO: text",
        "[main]    (AReaL) 20260206-15:38:30.123 [FSDPEngine Rank 0] INFO: text",
        "20250222-11:11:56.997 master worker INFO: text",
    ),
    _record(
        "vLLM, Trinity, OpenRLHF",
        "A",
        ":",
        (
            rf"(?P<level>{_LEVEL}) (?P<time>\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?) "
            rf"\[?[\w./-]+\.\w+:\d+\] ?"
        ),
        "ERROR 10-20 12:00:00 [core.py:700] text",
        "INFO 11-12 22:04:23 metrics.py:406] text",
    ),
    _record(
        "file and line",
        "[a",
        ".py:",
        rf"\[[\w./-]{{1,200}}\.py:\d+\](?: {_MESSAGE}|$)",
        "[core.py:710] [rank0]: text",
    ),
    _record(
        "SGLang",
        "[0",
        "] ",
        (
            rf"\[(?P<time>{_DATE_TIME})(?: (?:(?:DP|PP|EP|ATTN_CP|MOE_DP|CP|ATTN_TP)\d+"
            rf"|TP(?P<rank>\d+)))+\] "
        ),
        "[2026-02-06 15:38:30 TP0] text",
        "[2026-02-06 15:38:30.123 DP1 PP0 TP3 EP2] text",
    ),
    _record(
        "torch C++",
        "[A",
        "]",
        r"\[(?P<level>[WEIFC]) ?(?P<time>\d{3,4} \d\d:\d\d:\d\d\.\d+)? ?[\w./]+:\d+\] ?",
        "[E321 02:07:08.408271257 ProcessGroupNCCL.cpp:607] text",
        "[E ProcessGroupNCCL.cpp:737] text",
    ),
    _record(
        "torch Python",
        "A0",
        "]",
        (
            r"(?P<level>[WEIFC])(?P<time>\d{4} \d\d:\d\d:\d\d\.\d+) (?P<pid>\d+) [\w./-]+:\d+\] "
            r"(?:\[[\d/]+\] )?"
        ),
        "W1206 18:44:12.715000 1234 torch/_dynamo/x.py:123] [0/0] text",
        (
            "E0325 20:57:27.620000 2606 site-packages/torch/distributed/elastic/multiprocessing/"
            "api.py:869] text"
        ),
    ),
    _record(
        "Ray C++",
        "[0",
        "] ",
        rf"\[(?P<time>{_DATE_TIME}) (?P<level>[DIWEFC]) (?P<pid>\d+) \d+\] (?:\([\w-]+\) )?",
        "[2025-05-13 10:53:26,347 W 3061289 3061289] actor_manager.cc:110: text",
        "[2025-12-12 09:05:42,520 E 119526 119558] (raylet) text",
    ),
    _record(
        "Ray Python",
        "0",
        "\t",
        rf"(?P<time>{_DATE_TIME})\t(?P<level>{_LEVEL}) [\w.]+:\d+ -- ",
        "2024-11-08 13:54:19,831\tINFO worker.py:1777 -- text",
    ),
    _record(
        "DeepSpeed",
        "[0",
        "] [",
        (
            rf"\[(?P<time>{_DATE_TIME})\] \[(?P<level>{_LEVEL})\] \[[\w.]+:\d+:\w+\] (?:\[Rank "
            rf"(?P<rank>-?\d+)\] )?"
        ),
        "[2025-03-07 23:55:15,357] [INFO] [logging.py:128:log_dist] [Rank 0] text",
    ),
    _record(
        "transformers",
        "[A",
        " >> ",
        rf"\[(?P<level>{_LEVEL})\|[\w.]+:\d+\] (?P<time>{_DATE_TIME}) >> ",
        "[INFO|trainer.py:2409] 2025-03-07 23:55:15,357 >> text",
    ),
    _record(
        "LLaMA-Factory",
        "[A",
        " >> ",
        rf"\[(?P<level>{_LEVEL})\|(?P<time>{_DATE_TIME})\] [\w.]+:\d+ >> ",
        "[INFO|2024-12-14 13:49:23] llamafactory.hparams.parser:410 >> text",
    ),
    _record(
        "NCCL",
        "a|A|0",
        " [",
        r"(?P<host>[\w.-]+):(?P<pid>\d+):\d+ \[-?\d+\] (?=[\w/]*(?:NCCL|\.cc:\d+))",
        "node-1:534:1763 [3] NCCL INFO text",
    ),
    _record(
        "loguru",
        "0",
        " | ",
        (
            rf"(?P<time>{_DATE_TIME}){_ZONE} \| (?:(?!{_LEVEL})[\w.<>:-]+ \| "
            rf")?(?P<level>{_LEVEL}) *(?:\| (?:[\w.<>-]+:[\w.<>:-]+ - )?|- )"
        ),
        "2024-01-01 12:00:00.123 | ERROR    | app:main:12 - text",
        # as llm-compressor sets it up
        "2026-01-29T05:51:50.616588+0000 | compare_with_baseline | ERROR - text",
        "2021-07-13 19:35:19 | INFO | text",
    ),
    _record(
        "rich",
        "[0",
        "/",
        rf"\[(?P<time>\d\d/\d\d/\d\d \d\d:\d\d:\d\d)\] (?P<level>{_LEVEL}) +",
        "[11/21/26 15:51:22] WARNING  text",
    ),
    _record(
        "rich, later in the same second",
        "__",
        "        ",
        rf" {{20}}(?P<level>{_LEVEL})  +",
        "                    ERROR    text",
    ),
    _record(
        "syslog",
        "Aa",
        ": ",
        (
            r"(?P<time>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) (?P<host>[\w.-]+) "
            r"(?:kernel|[\w.-]+\[\d+\]): (?:\[ *\d+\.\d+\] )?"
        ),
        "Nov 21 08:00:00 gpu-7 kernel: [12345.678901] text",
    ),
    _record(
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
    _record("kernel ring buffer", "[0|[_", "] ", r"\[ *\d+\.\d{6}\] ", "[12345.678901] text"),
    _record(
        "dmesg -T",
        "[A",
        "] ",
        r"\[[A-Z][a-z]{2} (?P<time>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) \d{4}\] ",
        "[Fri Nov 21 08:00:00 2026] text",
    ),
    _record(
        "time and level",
        "0|[0",
        ":",
        (
            rf"\[?(?P<time>{_DATE_TIME}){_ZONE}\]?(?: - | "
            rf"{{1,2}})\[?(?:(?!{_LEVEL})[\w.:/-]+\]?(?: - | ))?\[?(?P<level>{_LEVEL})\]?(?: - "
            rf"|: ?| +)"
        ),
        "2025-01-02 03:04:05,678 - INFO - text",
        "2025-01-02 03:04:05,678 - my.module - ERROR - text",
        "2025-01-02T03:04:05Z ERROR text",
        "2025-01-02T03:04:05.678901Z  WARN text",
    ),
    _record(
        "Hydra",
        "[0",
        "][",
        rf"\[(?P<time>{_DATE_TIME})\]\[[\w.]+\]\[(?P<level>{_LEVEL})\] - ",
        "[2025-01-02 03:04:05,678][root][INFO] - text",
    ),
    _transport(
        "cloud console",
        "0",
        ":",
        r"(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d) (?=[\[(])",
        "2025-02-18 12:54 [rank13]: text",
    ),
    _transport(
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
    _record(
        "time",
        "0|[0",
        ":",
        rf"\[?(?P<time>{_DATE_TIME}){_ZONE}\]?:? (?:- )?",
        "[2025-01-02 03:04:05] text",
        "2025-01-02 03:04:05.123456: text",
    ),
    _record(
        "level and name",
        "A",
        ":",
        rf"(?P<level>{_LEVEL}):[\w.]*:? {{0,6}}",
        "ERROR:torch.distributed.elastic:text",
        "INFO:     text",
    ),
    _record("level", "[A", "]", rf"\[(?P<level>{_LEVEL})\]:? (?:- )?", "[ERROR] text"),
    _transport(
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
"""Outermost first: of two that fit, the earlier counts."""
