"""What made-up logs are made of: words, sentences, hosts, paths, numbers, and the clock of a run.

Everything is drawn from a seeded generator, so that the same seed gives the same bytes on every machine.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

NOUNS = (
    "triangle circle sequence integer remainder factor product ratio angle length area volume probability sum mean function graph slope polynomial "
    "root matrix vector basis proof lemma example case step answer question number digit prime divisor multiple set subset element order group "
    "train ticket farmer apple basket river bridge clock minute hour day week month distance speed time price coin dollar total difference budget "
    "student teacher class book page letter word sentence paragraph story city village road map island garden tree bird horse cat dog fish "
    "program loop list index array string key value node edge path queue stack table row column query server request response client user file"
).split()
VERBS = (
    "compute find solve count draw write read check compare divide multiply add subtract expand factor simplify substitute observe notice assume "
    "suppose prove derive conclude choose take give move travel buy sell share mix fill empty open close start finish build return call sort merge "
    "split join parse print store fetch update insert remove visit follow reach cross"
).split()
ADJECTIVES = (
    "small large positive negative even odd equal different constant linear quadratic regular right isosceles distinct consecutive common least "
    "greatest remaining total average maximum minimum first second third last next previous simple careful correct possible impossible unique "
    "finite infinite empty full open closed left upper lower inner outer red blue green old new quick slow quiet bright"
).split()
LINKS = "so then thus hence therefore now next finally first because since while although if when where also however instead moreover wait hmm".split()
CHINESE = (
    "我们 首先 计算 三角形 面积 因此 答案 是 这个 数列 第 项 等于 设 函数 在 区间 上 单调 递增 所以 最大值 为 由题意 可得 代入 化简 "
    "概率 一共 有 种 情况 其中 满足 条件 的 小明 每天 走 公里 需要 小时 请问 下一步 检查 结果"
).split()
MODELS = (
    "Qwen2.5-7B-Instruct Qwen3-8B Qwen3-30B-A3B Llama-3.1-8B DeepSeek-R1-Distill-Qwen-7B gemma-3-12b-it Mistral-Small-24B glm-4-9b InternLM3-8B Phi-4-mini"
).split()
DATASETS = "gsm8k math-train dapo-math-17k deepscaler orz-57k code-contests aime-2024 ultrafeedback openr1-mix geo3k livebench-sample".split()
VOLUMES = "/mnt/data /cpfs01/shared /nfs/home /gpfs/projects /root/workspace /storage/openpsi /data/oss_bucket_0 /home/ubuntu /workspace".split()
LAYER_PARTS = "self_attn.q_proj self_attn.k_proj self_attn.v_proj self_attn.o_proj mlp.gate_proj mlp.up_proj mlp.down_proj input_layernorm".split()


@dataclass
class Scene:
    """One run: its generator, its clock (seconds of the day, from 0), its hosts and process ids."""

    seed: int
    random: random.Random = field(init=False)
    seconds: float = field(init=False)
    day: int = field(init=False)
    hosts: list[str] = field(init=False)
    pids: list[int] = field(init=False)
    home: str = field(init=False)
    model: str = field(init=False)
    step: int = 0

    def __post_init__(self) -> None:
        """Draws what stays the same for the whole run."""
        draw = self.random = random.Random(self.seed)
        self.seconds = draw.random() * 80000
        self.day = draw.randrange(1, 28)
        site = draw.choice(["gpu", "node", "dlc-worker", "h800-r", "ip-10-66-", "pod-train-"])
        self.hosts = [
            f"{site}{draw.randrange(1000):03d}{draw.choice('abcdef')}{i:02d}"
            for i in range(draw.choice([1, 2, 4, 8, 16]))
        ]
        self.pids = [draw.randrange(2000, 400000) for _ in range(8 * len(self.hosts))]
        self.model = draw.choice(MODELS)
        self.home = f"{draw.choice(VOLUMES)}/{draw.choice(['zhang', 'li', 'ana', 'bob', 'mlops', 'rl-team', 'wang'])}/{draw.choice(DATASETS)}-run{draw.randrange(900)}"

    def pick(self, items: tuple[str, ...] | list[str]) -> str:
        """One of the items."""
        return items[int(self.random.random() * len(items))]

    def below(self, limit: int) -> int:
        """A number from 0 to limit - 1."""
        return int(self.random.random() * limit)

    def tick(self, seconds: float) -> None:
        """Lets up to so many seconds pass."""
        self.seconds = (self.seconds + self.random.random() * seconds) % 86400

    @property
    def clock(self) -> str:
        """Time of day as 17:05:09."""
        now = int(self.seconds)
        return f"{now // 3600:02d}:{now // 60 % 60:02d}:{now % 60:02d}"

    @property
    def millis(self) -> int:
        """Milliseconds within the second."""
        return int(self.seconds * 1000) % 1000

    @property
    def rank(self) -> int:
        """One of the ranks."""
        return self.below(len(self.pids))

    @property
    def address(self) -> str:
        """An address within the cluster."""
        return f"10.{self.below(4) + 64}.{self.below(256)}.{self.below(254) + 1}"

    def hexadecimal(self, digits: int) -> str:
        """An id of so many hex digits."""
        return f"{self.random.getrandbits(digits * 4):0{digits}x}"

    def sentence(self) -> str:
        """A sentence as a model might write it, mostly sense-free."""
        words: list[str] = []
        for _ in range(self.below(3) + 1):
            words += (
                self.pick(LINKS),
                "the",
                self.pick(ADJECTIVES),
                self.pick(NOUNS),
                self.pick(VERBS) + "s",
                "a",
                self.pick(NOUNS),
                "of",
                str(self.below(5000)),
            )
        return " ".join(words).capitalize() + self.pick((".", ".", ",", ":", "?"))

    def prose(self, sentences: int) -> str:
        """Some sentences, now and then in Chinese or with a formula."""
        parts = []
        for _ in range(sentences):
            kind = self.random.random()
            if kind < 0.08:  # shares of the mix
                parts.append("".join(self.pick(CHINESE) for _ in range(self.below(14) + 4)) + "。")
            elif kind < 0.25:
                parts.append(
                    f"${self.pick(('x', 'y', 'n', 'a_k'))}^{self.below(9)} + {self.below(99)}\\cdot {self.below(999)} = \\frac{{{self.below(9999)}}}{{{self.below(98) + 1}}}$"
                )
            else:
                parts.append(self.sentence())
        return " ".join(parts)
