"""What Ray prints."""

from logdoctor.formats.levels import LEVEL
from logdoctor.formats.rows import (
    DATE_TIME,
    FileName,
    Format,
    MarkerKind,
    RunFolder,
    framework,
    installed,
    record,
    told,
    transport,
)

FORMAT = Format(
    "ray",
    markers=(
        *framework(
            "ray",
            (
                r"Started a local Ray instance|Connected to Ray cluster",
                "2024-11-08 13:54:19,831\tINFO worker.py:1777 -- Started a local Ray instance.",
            ),
            (
                r"/ray/(?:_private|dag|exceptions|util|serve|train|actor)",
                '  File "/x/ray/_private/worker.py", line 1',
            ),
            (r"\(raylet", "(raylet) text"),
        ),
        installed("ray"),
        *told(
            MarkerKind.RESTART,
            (
                r"so the (?:task|actor) will be (?:retried|restarted)",
                "There are 3 retries remaining, so the task will be retried.",
            ),
        ),
    ),
    prefixes=(
        transport(
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
        transport(
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
        transport(
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
        record(
            "Ray C++",
            "[0",
            "] ",
            rf"\[(?P<time>{DATE_TIME}) (?P<level>[DIWEFC]) (?P<pid>\d+) \d+\] (?:\([\w-]+\) )?",
            "[2025-05-13 10:53:26,347 W 3061289 3061289] actor_manager.cc:110: text",
            "[2025-12-12 09:05:42,520 E 119526 119558] (raylet) text",
        ),
        record(
            "Ray Python",
            "0",
            "\t",
            rf"(?P<time>{DATE_TIME})\t(?P<level>{LEVEL}) [\w.]+:\d+ -- ",
            "2024-11-08 13:54:19,831\tINFO worker.py:1777 -- text",
        ),
    ),
    file_names=(
        FileName(
            "Ray worker",
            ("worker-",),
            r"(?:^|/)worker-[0-9a-f]{8,}-[0-9a-f]+-(?P<pid>\d+)\.(?:out|err)",
            "logs/worker-6de018b1bd6d8aaf0039370b-01000000-3047501.err",
        ),
        FileName(
            "Ray core worker",
            ("python-core-",),
            r"python-core-(?P<actor>worker|driver)-[0-9a-f]{8,}_(?P<pid>\d+)\.log",
            "logs/python-core-worker-ef7daecccdc00112_3061289.log",
        ),
        FileName(
            "Ray component",
            ("raylet", "gcs_server", "monitor", "dashboard"),
            r"(?:^|/)(?P<actor>raylet|gcs_server|monitor|dashboard|log_monitor)\.(?:out|err|log)",
            "logs/raylet.err",
        ),
        FileName(
            "Ray job",
            ("job-driver-",),
            r"(?P<actor>job-driver)-[\w-]+\.log",
            "logs/job-driver-raysubmit_ABC.log",
        ),
    ),
    run_folders=(
        RunFolder(
            "a session",
            r"session_\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_\w+",
            "session_2026-03-14_21-19-58_128000_45083",
            holds_run=True,
        ),
        RunFolder("its logs", r"ray", "ray", holds_run=False),
    ),
)
