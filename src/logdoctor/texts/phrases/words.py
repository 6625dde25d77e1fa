"""Words that several speakers share: punctuation, comparisons, the closed vocabularies."""

from __future__ import annotations

from logdoctor.model import LocalText, Maturity, Phase, Risk, Role, Severity, Verdict
from logdoctor.texts.phrases import Phrase

REFERENCES = Phrase("References", "参考")
FRAMEWORKS = Phrase("Frameworks", "框架")
WITH_COUNT = Phrase("{what} ({count})", "{what}（{count}）")
IN_BRACKETS = Phrase("({text})", "（{text}）")
COLON = Phrase(": ", "：")
SEVERITY = Phrase("severity", "严重程度")

COMPARISON_WORDS = {
    "==": LocalText("{name} is {value}", "{name} 为 {value}"),
    "!=": LocalText("{name} is not {value}", "{name} 不为 {value}"),
    "<": LocalText("{name} is below {value}", "{name} 小于 {value}"),
    "<=": LocalText("{name} is at most {value}", "{name} 不大于 {value}"),
    ">": LocalText("{name} is above {value}", "{name} 大于 {value}"),
    ">=": LocalText("{name} is at least {value}", "{name} 不小于 {value}"),
}
"""A condition spelled out, by operator."""

VERSION_WORDS = {
    **COMPARISON_WORDS,
    "<": LocalText("{name} is older than {value}", "{name} 低于 {value}"),
    "<=": LocalText("{name} is {value} or older", "{name} 为 {value} 或更低版本"),
    ">": LocalText("{name} is newer than {value}", "{name} 高于 {value}"),
    ">=": LocalText("{name} is {value} or newer", "{name} 为 {value} 或更高版本"),
}
"""The same for versions of packages."""

SEVERITY_NAMES = {
    Severity.FATAL: LocalText("fatal", "致命"),
    Severity.ERROR: LocalText("error", "错误"),
    Severity.WARNING: LocalText("warning", "警告"),
}
ROLE_NAMES = {
    Role.CAUSE: LocalText("cause", "原因"),
    Role.WRAPPER: LocalText("wrapper", "外层包装"),
    Role.SYMPTOM: LocalText("symptom", "连带现象"),
    Role.TEARDOWN: LocalText("teardown", "退出噪声"),
    Role.BENIGN: LocalText("benign", "无害"),
}
MATURITY_NAMES = {
    Maturity.DRAFT: LocalText("draft", "草稿"),
    Maturity.CONFIRMED: LocalText("confirmed", "已确认"),
}
VERDICT_NAMES = {
    Verdict.ROOT_CAUSE: LocalText("root cause", "根因"),
    Verdict.CONSEQUENCE: LocalText("consequence", "连带后果"),
    Verdict.INDEPENDENT: LocalText("independent", "独立问题"),
    Verdict.RECOVERED: LocalText("recovered: the run went on", "已恢复：训练继续进行"),
    Verdict.TEARDOWN: LocalText("noise of shutting down", "退出时的噪声"),
    Verdict.BENIGN: LocalText("harmless", "无害"),
}
RISK_NAMES = {
    Risk.SAFE: LocalText("safe", "安全"),
    Risk.RESTARTS_RUN: LocalText("restarts the run", "需重启训练"),
    Risk.AFFECTS_OTHERS: LocalText(
        "affects others on the node or cluster", "会影响同节点或集群上的其他任务"
    ),
    Risk.LOSES_DATA: LocalText("loses data", "会丢失数据"),
    Risk.RUNS_FOREIGN_CODE: LocalText("runs code of others", "会执行他人的代码"),
}
PHASE_NAMES = {
    Phase.INIT: LocalText("initialisation", "初始化"),
    Phase.ROLLOUT: LocalText("rollout", "rollout 生成"),
    Phase.REWARD: LocalText("reward", "奖励计算"),
    Phase.LOGPROB: LocalText("log probabilities", "logprob 计算"),
    Phase.TRAIN: LocalText("training step", "训练更新"),
    Phase.SYNC: LocalText("weight update", "权重同步"),
    Phase.CHECKPOINT: LocalText("checkpoint", "保存或加载检查点"),
    Phase.EVAL: LocalText("evaluation", "评测"),
}

METRIC_NAMES = {
    "reward": LocalText("reward", "奖励"),
    "held-out": LocalText("held-out", "验证集"),
    "entropy": LocalText("entropy", "熵"),
    "kl": LocalText("KL divergence", "KL 散度"),
    "clip fraction": LocalText("clip fraction", "裁剪比例"),
    "length": LocalText("answer length", "回复长度"),
    "truncated": LocalText("truncated answers", "被截断的回复"),
    "gradient norm": LocalText("gradient norm", "梯度范数"),
    "loss": LocalText("loss", "损失"),
    "learning rate": LocalText("learning rate", "学习率"),
    "throughput": LocalText("throughput", "吞吐量"),
    "step time": LocalText("time per step", "每步用时"),
    "mismatch": LocalText("rollout and training differ", "推理与训练的差异"),
    "advantage": LocalText("advantage", "优势值"),
    "equal rewards": LocalText("groups with equal rewards", "奖励全相同的组"),
    "staleness": LocalText("age of samples in steps", "样本落后的步数"),
}
