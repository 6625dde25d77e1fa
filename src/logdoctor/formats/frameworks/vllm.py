"""What vLLM prints (0.33)."""

from logdoctor.formats.levels import LEVEL
from logdoctor.formats.rows import (
    Format,
    MarkerKind,
    PhaseWords,
    RunFolder,
    framework,
    installed,
    phase,
    record,
    told,
    version,
)
from logdoctor.model import Phase

FORMAT = Format(
    "vllm",
    markers=(
        *framework(
            "vllm",
            (
                r"/vllm/(?:v1|engine|worker|executor|model_executor|entrypoints)/",
                '  File "/x/vllm/v1/engine/core.py", line 1',
            ),
            (
                r"Initializing an? (?:V[01] )?LLM engine",
                "Initializing a V1 LLM engine (v0.9.1) with config: model='x'",
            ),
            (r"\(EngineCore", "(EngineCore_DP0 pid=1) ERROR text"),
        ),
        *version(
            "vllm",
            (
                r"LLM engine \(v(?P<version>[0-9][0-9.a-z+]*)\)",
                "Initializing a V1 LLM engine (v0.9.1) with config: x",
            ),
            (
                r"vLLM API server version (?P<version>[0-9][0-9.a-z+]*)",
                "vLLM API server version 0.9.1",
            ),
        ),
        installed("vllm"),
        *phase(
            Phase.INIT,
            (
                r"Initializing an? (?:V[01] )?LLM engine",
                "Initializing a V1 LLM engine (v0.9.1)",
            ),
        ),
        *told(
            MarkerKind.STOP,
            (
                r"\[shutdown\] .{1,80}received signal=SIG(?:TERM|INT)",
                "[shutdown] EngineCore: trigger received signal=SIGTERM",
            ),
            (
                (
                    r"KeyboardInterrupt: MQLLMEngine terminated|\bGracefully stopping http "
                    r"server|[Rr]eceived (?:signal )?SIG(?:TERM|INT), (?:initiating |starting "
                    r")?(?:graceful|shut)"
                ),
                "Received SIGTERM, initiating graceful shutdown",
            ),
        ),
    ),
    methods=(
        PhaseWords(Phase.ROLLOUT, r"\bgenerate(?:_async)?\b|execute_model", "execute_model"),
        PhaseWords(Phase.SYNC, r"wake_up", "wake_up"),
        PhaseWords(
            Phase.INIT,
            r"initialize_kv_cache|load_model|determine_num_available_blocks",
            "determine_num_available_blocks",
        ),
    ),
    prefixes=(
        record(
            "vLLM, Trinity, OpenRLHF",
            "A",
            ":",
            (
                rf"(?P<level>{LEVEL}) (?P<time>\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?) "
                rf"\[?[\w./-]+\.\w+:\d+\] ?"
            ),
            "ERROR 10-20 12:00:00 [core.py:700] text",
            "INFO 11-12 22:04:23 metrics.py:406] text",
        ),
    ),
    run_folders=(RunFolder("servers", r"vllm", "vllm", holds_run=False),),
    server_start="vLLM API server version ",
)
