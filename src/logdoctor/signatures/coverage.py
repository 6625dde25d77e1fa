"""Which signatures speak for which framework, phase and class of problem: frameworks_of, phases_of,
class_of, hangs.

They are read from what signatures say already: ids name what is seen in the field's own words,
components say who prints it, conditions of remedies name frameworks and phases, and `stalls` the
phases in which a run stands still.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import Enum

from logdoctor.formats.markers import FRAMEWORK_ORDER
from logdoctor.formats.phase_names import phase_of_id
from logdoctor.model import LocalText, Phase, Role, Signature


class ProblemClass(Enum):
    """What kind of thing goes wrong, with its name for a reader."""

    NOTICE = LocalText("Harmless or noise", "无害信息与退出噪声")
    MEMORY = LocalText("Memory", "显存与内存")
    NUMERICS = LocalText("Numerics", "数值")
    COMMUNICATION = LocalText("Communication", "通信与超时")
    PROCESS = LocalText("Processes and scheduling", "进程与调度")
    CONFIGURATION = LocalText("Configuration and sizes", "配置与整除关系")
    CHECKPOINT = LocalText("Models and checkpoints", "模型与检查点")
    DATA = LocalText("Data and tokens", "数据与 token")
    INSTALLATION = LocalText("Installation and versions", "安装与版本")
    DEVICE = LocalText("GPUs and kernels", "GPU 与 kernel")
    STORAGE = LocalText("Files and services", "文件与外部服务")
    CODE = LocalText("Tensors and program code", "张量与程序代码")


_CLASS_WORDS = (
    (
        ProblemClass.DEVICE,
        (
            r"illegal-memory-access|kernel-image|out-of-resources|xid|nvidia-driver|nvml"
            r"|nvswitch|pcie|torch-compile|inductor|dynamo|visible-devices"
        ),
    ),
    (
        ProblemClass.MEMORY,
        (
            r"memory|oom|kv|swap-space|shm|cpu-allocation|object-store|requests-retracted"
            r"|expandable-segments"
        ),
    ),
    (ProblemClass.NUMERICS, r"nan|finite|loss-scale|overflow|gradscaler|grad-norm"),
    (ProblemClass.CODE, r"tensors?|matmul|embedding|keyword-argument|argument-missing"),
    (
        ProblemClass.CHECKPOINT,
        (
            r"checkpoint|weights?|state-dict|optimizer-state|safetensors|lora|peft|adapter"
            r"|resume|model-type|auto-class|remote-code|pickle|pickled|quantiz\w+"
            r"|architecture|torch-load|transformers-model|meta-tensor|recover|device-map"
            r"|merger"
        ),
    ),
    (
        ProblemClass.INSTALLATION,
        (
            r"module|import|symbol|glibc|version|abi|library|libcudart|loadable|extension"
            r"|newer|too-old|renamed|built|compiled-with|fusion|c-compiler|op-build"
            r"|dependency|cuda-mismatch|api-changed|launcher-compile|cuda-setup|numpy"
            r"|package-missing|vllm-not-available|command-not-found"
        ),
    ),
    (ProblemClass.STORAGE, r"hf-hub|hf-token|auth-token|mlflow|wandb|swanlab"),
    (
        ProblemClass.DATA,
        (
            r"dataset|dataloader|tokenizer|tokens|pad-token|special-token|max-token|template"
            r"|prompt|collate|columns?|samples|multimodal|length|json|text|reward|sandbox"
            r"|input|vocabulary|filter-groups|structured-output"
        ),
    ),
    (
        ProblemClass.COMMUNICATION,
        (
            r"nccl|gloo|timeout|timed-out|rendezvous|store|tcpstore|connection|unreachable"
            r"|address|hostname|host-name|port|rpc|master|barrier|channel|broadcast|grpc"
            r"|watchdog|register-center|transfer|network|collectives?"
        ),
    ),
    (ProblemClass.PROCESS, r"head-node|tracebacks?|other-ranks"),
    (
        ProblemClass.CONFIGURATION,
        (
            r"divisible|batch|config|arguments?|settings?|options?|sizes?|hydra|omegaconf"
            r"|pydantic|yaml|invalid|multiple|misfit|resources|gpus|mapping|device-max|lr"
            r"|max-steps|strategy|mode|world-size|parallel|relation|conflict|override|keys"
            r"|key|limits?|heads|chunk|chunks|partitions|experts?|tool-choice|membership"
            r"|env-variable|max-traj|microbatches|not-distributed"
        ),
    ),
    (
        ProblemClass.STORAGE,
        r"hf|nfs|disk|file|files|permission|forbidden|storage|path|not-configured",
    ),
    (
        ProblemClass.PROCESS,
        (
            r"actor|worker|workers|killed|died|child|signal|signalled|sigterm|aborted|exit"
            r"|process|processes|thread|threads|node|raylet|gcs|job|task|cancelled|preempted"
            r"|time-limit|dead|terminated|server|engine|ray|slurm|pod|segmentation|shutdown"
            r"|interrupt|group|container|component|terminal"
        ),
    ),
    (
        ProblemClass.DEVICE,
        (
            r"cuda|cublas|cudnn|gpu|driver|kernel|triton|flash|flashinfer|sdpa|device|bf16"
            r"|dtype|cudagraph|imex|ecc|operator|compute-capability"
        ),
    ),
    (
        ProblemClass.CONFIGURATION,
        r"unsupported|unknown|misconfigured|required|removed|enabled|combination",
    ),
)
_CLASS_PATTERNS = tuple(
    (each, re.compile(rf"(?:^|-)(?:{words})(?:-|$)")) for each, words in _CLASS_WORDS
)

_SERVING = ("vllm", "sglang")


def class_of(signature: Signature) -> ProblemClass:
    """By its role where it is harmless, else by the words of its id; `CODE` where none tells."""
    if signature.role in (Role.BENIGN, Role.TEARDOWN):
        return ProblemClass.NOTICE
    return next(
        (each for each, words in _CLASS_PATTERNS if words.search(signature.id)), ProblemClass.CODE
    )


def phases_of(signature: Signature, framework: str | None = None) -> tuple[Phase, ...]:
    """Phases that its remedies (for that framework) name, else the first that a word of its id
    belongs to; empty where it happens in any.
    """
    remedies = [
        each
        for each in signature.remedies
        if framework is None or framework in each.when.frameworks
    ]
    named = {phase for remedy in remedies for phase in remedy.when.phases}
    if named:
        return tuple(phase for phase in Phase if phase in named)
    named_by_id = phase_of_id(signature.id)
    if named_by_id:
        return (named_by_id,)
    return (Phase.ROLLOUT,) if signature.component in _SERVING else ()


def frameworks_of(signature: Signature, applications: frozenset[str]) -> tuple[str, ...]:
    """Frameworks that it belongs to, those of its own before its component; empty where it belongs
    to none.

    `applications` are components that are no frameworks to the program and yet what a user calls
    the run.
    """
    own = signature.frameworks or (
        (signature.component,) if signature.component in applications | set(FRAMEWORK_ORDER) else ()
    )
    return tuple(dict.fromkeys(own))


def hangs(
    signatures: Iterable[Signature], frameworks: Sequence[str], phase: Phase | None
) -> tuple[Signature, ...]:
    """What makes a run of these frameworks stand still in this phase: their own first, then what
    does so in fewer phases, by id.
    """
    found = []
    for each in signatures:
        own = frameworks_of(each, frozenset())
        if (phase in each.stalls if phase else each.stalls) and (
            not own or set(own) & set(frameworks)
        ):
            found.append((not own, len(each.stalls), each.id, each))
    return tuple(each for *_, each in sorted(found, key=lambda row: row[:3]))


def advised_frameworks(signature: Signature) -> tuple[str, ...]:
    """Frameworks that a remedy is written for, in the order of remedies."""
    return tuple(
        dict.fromkeys(name for remedy in signature.remedies for name in remedy.when.frameworks)
    )
