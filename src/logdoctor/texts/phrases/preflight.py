"""What `logdoctor check` says around its findings."""

from __future__ import annotations

from logdoctor.texts.phrases import Phrase

NEAREST = Phrase("Set {values} (the nearest that fit).", "将 {values}（最接近的可用值）。")
SET = Phrase("Set {values}.", "将 {values}。")
TO = Phrase("{key} to {values}", "{key} 设为 {values}")
OR_VALUE = Phrase(" or ", " 或 ")
OR_SETTING = Phrase("; or ", "；或将 ")
HOLDS_THEN = Phrase(
    "logdoctor check finds nothing broken in the new configuration.",
    "logdoctor check 对新配置不再报告不成立的关系。",
)
STOPS = Phrase("the run would stop, as in: {error}", "运行会报错终止，例如：{error}")
SILENT = Phrase("the framework does not report it", "框架不会报告此问题")
EXPLAINED = Phrase("logdoctor explain {id}", "logdoctor explain {id}")
NOT_KNOWN = Phrase("{title}: not judged, unknown: {names}", "{title}：未判断，未知：{names}")
READ = Phrase("read: {name}, {framework}", "已读取：{name}，{framework}")
RELEASE = Phrase("defaults of {framework} {version}", "{framework} {version} 的默认值")
ANY_RELEASE = Phrase(
    "{framework} (defaults that all known releases share)", "{framework}（各已知版本共有的默认值）"
)
COUNTS = Phrase(
    "{judged} relations judged, {broken} broken, {unknown} could not be judged",
    "已判断 {judged} 条关系，{broken} 条不成立，{unknown} 条无法判断",
)
NO_FRAMEWORK = Phrase(
    "{name}: no framework recognised; --framework NAME says which",
    "{name}：未识别出框架；可用 --framework NAME 指定",
)
OPENING = Phrase(
    "more settings may come from {what} ({why}), so defaults are not taken",
    "{what} 可能带来更多设置（{why}），因此不采用默认值",
)
MORE_UNKNOWN = Phrase(
    "{count} more could not be judged; --all shows them", "另有 {count} 条无法判断，加 --all 可查看"
)
COUNTS_WHEN = Phrase("It counts when", "适用条件")
ORIGIN = Phrase("checked in", "检查位置")
BREAKS = Phrase("breaks", "不成立的例子")
FITS = Phrase("fits", "刚好成立的例子")
HEADING = Phrase("Preflight", "运行前检查")

NOT_DIVISIBLE = Phrase("{left} is not divisible by {right}", "{left} 不能被 {right} 整除")
MUST = {
    "==": Phrase("{left} must equal {right}", "{left} 必须等于 {right}"),
    "!=": Phrase("{left} must not equal {right}", "{left} 不能等于 {right}"),
    "<": Phrase("{left} must be less than {right}", "{left} 必须小于 {right}"),
    "<=": Phrase("{left} must be at most {right}", "{left} 不能大于 {right}"),
    ">": Phrase("{left} must be greater than {right}", "{left} 必须大于 {right}"),
    ">=": Phrase("{left} must be at least {right}", "{left} 不能小于 {right}"),
    "in": Phrase("{left} must be one of {right}", "{left} 必须是 {right} 之一"),
}
MUST_BE_SET = Phrase("{name} must be set", "必须设置 {name}")
MUST_NOT_BE = Phrase("{name} must not be set to {value}", "{name} 不能设为 {value}")
MUST_BE = Phrase("{name} must be true, it is {value}", "{name} 必须为 true，现为 {value}")
OR = Phrase("{left}, or {right}", "{left}，或者{right}")
MEMORY = Phrase(
    "memory of a GPU, {phase}: {least}–{most} of {there} GiB estimated: {parts}",
    "每张 GPU 显存，{phase}：估计 {least}–{most} GiB（共 {there} GiB）：{parts}",
)
MOST_OF_IT = Phrase("; most is {part}, by {settings}", "；占比最大的是{part}，取决于 {settings}")
PHASE_WORDS = {
    "update": Phrase("update", "更新"),
    "generation": Phrase("generation", "生成"),
}
PARTS = {
    "@memory_states": Phrase("weights, gradients and optimizer", "权重、梯度和优化器"),
    "@memory_activations": Phrase("activations", "激活值"),
    "@memory_logits": Phrase("logits", "logits"),
    "@memory_engine": Phrase("the engine", "推理引擎"),
    "@memory_kept": Phrase("what stays beside it", "常驻部分"),
    "@memory_weights": Phrase("weights", "权重"),
}
"""Parts of a GPU's memory, by the facts that they are."""

FACTS = {
    **{
        name: Phrase(f"{{value}} GiB for {part.en}", f"{part.zh} {{value}} GiB")
        for name, part in PARTS.items()
    },
    "@gpus": Phrase("{value} GPUs", "{value} 张 GPU"),
    "@available_gpus": Phrase("{value} available GPUs", "可用的 {value} 张 GPU"),
    "@gpus_per_node": Phrase("{value} GPUs per node", "每节点 {value} 张 GPU"),
    "@nodes": Phrase("{value} nodes", "{value} 个节点"),
    "@processes": Phrase("{value} processes", "{value} 个进程"),
    "@cache_tokens": Phrase("{value} tokens in the KV cache", "KV cache 可容纳 {value} 个 token"),
    "@host_memory": Phrase("{value} GiB of host memory", "主机内存 {value} GiB"),
    "@gpu_memory": Phrase("{value} GiB of GPU memory", "显存 {value} GiB"),
    "@kv_bytes_per_token": Phrase(
        "{value} bytes of KV cache per token", "每个 token 的 KV cache {value} 字节"
    ),
    "@tasks_per_node": Phrase("{value} tasks per node", "每节点 {value} 个任务"),
}
FACT_NAMES = {
    "@gpus": Phrase("the GPUs of the run (--gpus, --nodes)", "运行的 GPU 数（--gpus、--nodes）"),
    "@available_gpus": Phrase(
        "the GPUs there are (--gpus, --nodes)", "可用 GPU 数（--gpus、--nodes）"
    ),
    "@processes": Phrase("the processes (--gpus, --nodes)", "进程数（--gpus、--nodes）"),
    "@host_memory": Phrase(
        "the memory of a node (#SBATCH --mem)", "节点的主机内存（#SBATCH --mem）"
    ),
    "@attention_heads": Phrase("the model's attention heads", "模型的注意力头数"),
    "@kv_bytes_per_token": Phrase("the model's layers and heads", "模型的层数和注意力头数"),
    "@version": Phrase(
        "the release of the framework (--framework NAME==VERSION)",
        "框架的版本（--framework NAME==VERSION）",
    ),
    "@gpus_per_node": Phrase("the GPUs of a node (--gpus)", "每个节点的 GPU 数（--gpus）"),
    "@available_gpus_per_node": Phrase(
        "the GPUs that a node has (--gpus)", "每个节点可用的 GPU 数（--gpus）"
    ),
    "@launched_per_node": Phrase(
        "the processes that are launched on a node", "每个节点启动的进程数"
    ),
    "@tasks_per_node": Phrase(
        "the tasks of a node (#SBATCH --ntasks-per-node)",
        "每个节点的任务数（#SBATCH --ntasks-per-node）",
    ),
    "@nodes": Phrase("the nodes of the run (--nodes)", "运行的节点数（--nodes）"),
    "@launched_nodes": Phrase("the nodes that are launched on", "启动所用的节点数"),
    "@available_nodes": Phrase("the nodes there are (--nodes)", "可用的节点数（--nodes）"),
    "@gpu_memory": Phrase("the memory of a GPU (--gpu-memory)", "每张 GPU 的显存（--gpu-memory）"),
    "@cache_tokens": Phrase("the tokens that the KV cache holds", "KV cache 可容纳的 token 数"),
    "@kv_heads": Phrase("the model's key and value heads", "模型的 KV 头数"),
    "@layers": Phrase("the model's layers", "模型的层数"),
    "@vocabulary": Phrase("the model's vocabulary", "模型的词表大小"),
    "@parameters": Phrase("the model's size", "模型的参数量"),
    **{name: Phrase(f"GiB for {part.en}", f"{part.zh}所需的 GiB") for name, part in PARTS.items()},
}
"""Facts of machine and model where they are not known."""
