"""What PyTorch and torchrun print."""

from logdoctor.formats.rows import (
    FileName,
    Format,
    MarkerKind,
    Message,
    RunFolder,
    installed,
    record,
    told,
    transport,
)

FORMAT = Format(
    "torch",
    markers=(
        installed("torch"),
        *told(
            MarkerKind.CANCEL,
            (
                r"Received (?:Signals\.)?(?:SIG(?:TERM|INT|HUP)|1|2|15) (?P<outside>death signal)",
                "Received Signals.SIGTERM death signal, shutting down",
            ),
            (
                r"SignalException: Process [0-9]+ got signal: (?:1|2|15)\b",
                "SignalException: Process 4026234 got signal: 15",
            ),
        ),
        *told(
            MarkerKind.SENT,
            (
                r"\bSending process (?P<pid>[0-9]+) closing signal SIG[A-Z]+",
                "W1106 10:00:30.000000 4001 api.py:897] Sending process 4012 closing signal SIGHUP",
            ),
            (
                r"\bUnable to shutdown process (?P<pid>[0-9]+) via .{1,40}, forcefully exiting via",
                (
                    "Unable to shutdown process 4012 via Signals.SIGTERM, forcefully exiting via "
                    "Signals.SIGKILL"
                ),
            ),
        ),
        *told(
            MarkerKind.RESTART,
            (
                r"attempts left; will restart worker group",
                "[default] Worker group FAILED. 2/3 attempts left; will restart worker group",
            ),
        ),
    ),
    prefixes=(
        transport(
            "torch excepthook",
            "[a",
            "[rank",
            r"\[rank(?P<rank>\d+)\](?:: ?| )",
            "[rank3]: text",
            "[rank0]:[E321 02:07:08.408271257 x.cpp:1] text",
            "[rank15] text",
        ),
        transport(
            "torchrun --tee",
            "[a|[A",
            "]:",
            r"\[[A-Za-z_]+(?P<rank>\d+)\]:",
            "[default3]:text",
            "[trainer0]:text",
        ),
        transport("rank alone", "[0", "]:", r"\[(?P<rank>\d{1,5})\]:(?=.)", "[0]:text"),
        record(
            "torch C++",
            "[A",
            "]",
            r"\[(?P<level>[WEIFC]) ?(?P<time>\d{3,4} \d\d:\d\d:\d\d\.\d+)? ?[\w./]+:\d+\] ?",
            "[E321 02:07:08.408271257 ProcessGroupNCCL.cpp:607] text",
            "[E ProcessGroupNCCL.cpp:737] text",
        ),
        record(
            "torch Python",
            "A0",
            "]",
            (
                r"(?P<level>[WEIFC])(?P<time>\d{4} \d\d:\d\d:\d\d\.\d+) (?P<pid>\d+) "
                r"[\w./-]+:\d+\] (?:\[[\d/]+\] )?"
            ),
            "W1206 18:44:12.715000 1234 torch/_dynamo/x.py:123] [0/0] text",
            (
                "E0325 20:57:27.620000 2606 site-packages/torch/distributed/elastic/"
                "multiprocessing/api.py:869] text"
            ),
        ),
    ),
    file_names=(
        FileName(
            "torchrun",
            ("attempt_",),
            r"attempt_(?P<attempt>\d+)/(?P<rank>\d+)/(?:stdout|stderr)\.log",
            "none_ab12/attempt_0/3/stderr.log",
        ),
    ),
    messages=(
        Message(
            "torchrun",
            r"ChildFailedError:?\s*$",
            r"[=*-]{20,}\s*$|.{1,200} FAILED\s*$|(?:Other )?Failures:\s*$|Root "
            r"Cause\b|\s+<(?:NO_OTHER_FAILURES|N/A)>\s*$|\[\d+\]:\s*$"
            r"|\s+(?:time|host|rank|exitcode|error_file|traceback|msg)\s*: (?!Traceback)",
            (
                "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
                "============================================================",
                "train.py FAILED",
                "Failures:",
                "  <NO_OTHER_FAILURES>",
                "------------------------------------------------------------",
                "Root Cause (first observed failure):",
                "[0]:",
                "  exitcode  : -9 (pid: 4011)",
            ),
        ),
    ),
    run_folders=(
        RunFolder("an attempt of torchrun", r"attempt_\d+", "attempt_0", holds_run=True),
        RunFolder(
            "the same beside the logs of its run", r"attempt_\d+", "attempt_0", holds_run=False
        ),
    ),
)
