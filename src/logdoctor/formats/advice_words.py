"""How messages tell what to do: ADVICE_ROWS, advice_of.

A message that says "use X instead" is worth more than what anybody else says of it. What it asks
for comes before what it expected, and thanks and requests for reports are no advice.
"""

import re
from typing import NamedTuple

SENTENCE_LIMIT = 260
"""Characters of a sentence that are quoted."""

MESSAGE_LIMIT = 4000
"""Characters of a message that are read."""


class AdviceRow(NamedTuple):
    """One way to tell what to do, or what is expected; the first row that a sentence of the
    message fits decides.

    Attributes:
        is_order: whether it says what to do, and not only what should be.
    """

    name: str
    expression: str
    samples: tuple[str, ...]
    near_misses: tuple[str, ...] = ()
    is_order: bool = True


class Advice(NamedTuple):
    """A sentence of a message; `is_order` as in `AdviceRow`."""

    text: str
    is_order: bool


_DO = (
    r"(?:use|set|pass|try|install|reinstall|upgrade|downgrade|update|add|remove|specify|provide"
    r"|enable|disable|increase|decrease|reduce|lower|raise|call|run|check|make sure|ensure|choose"
    r"|select|consider|move|rename|convert|change|replace|load|define|export|start|switch|give"
    r"|delete|avoid|verify|configure|wrap|implement|double.check)"
)

ADVICE_ROWS = (
    AdviceRow(
        "what was meant",
        (
            r"\b[Dd]id you (?:mean|forget)\b|\bdo you mean\b|\b[Pp]erhaps you\b"
            r"|你是不是(?:想|要)|是否(?:指|想)"
        ),
        ("Did you mean: 'reward'?", "did you forget to call `init()`?"),
        ("I did what you mean",),
    ),
    AdviceRow(
        "a request",
        (
            rf"\b[Pp]lease,? (?:\w+ly |first |also |either |do )*{_DO}\b"
            r"|请(?:先|改|使用|用|安装|设置|检查|确认|确保|运行|升级|降低|减小|增大|调大|调小|尝试|更新|提供|指定|传入|改用|重新|关闭|开启|启用)"
        ),
        (
            "Please install flash-attn to use it.",
            "Please make sure that all ranks have data.",
            "请先安装 flash-attn",
        ),
        ("Please report this bug to the maintainers.", "please wait"),
    ),
    AdviceRow(
        "another thing to use",
        (
            r"\b(?:use|using|try|call|pass|set|prefer) \S.{0,120}\binstead\b|\b[Ii]nstead,? "
            rf"{_DO}\b|改用|请改为|建议"
        ),
        ("use ray.put() instead", "Instead, use `sdpa`.", "建议把 batch 减半"),
        ("it was used instead",),
    ),
    AdviceRow(
        "what the reader may or must do",
        (
            r"\b[Yy]ou (?:can|may|should|must|need to|have to|might want to|could) "
            rf"(?:\w+ly |also |either |then )*{_DO}\b"
            r"|\b[Tt]o (?:fix|avoid|resolve|solve|disable|enable|suppress|work around) "
            rf"\S.{{0,80}}, ?{_DO}\b|\b(?:[Cc]onsider|[Tt]ry) (?:\w+ing|to|setting|`)"
            rf"|\bif you (?:want|need|intend)\b.{{0,120}}\b{_DO}\b"
            r"|(?:你|您)?(?:可以|需要|应当|应该|务必)(?:先|通过|使用|设置|安装|把|将|改)"
        ),
        (
            "You can set max_model_len to a smaller value.",
            "To avoid this, set PYTORCH_ALLOC_CONF=expandable_segments:True.",
            "Try increasing `gpu_memory_utilization` or decreasing `max_model_len`.",
            "需要先设置 MASTER_ADDR",
        ),
        ("You can see the log.x", "we tried to set it"),
    ),
    AdviceRow(
        "an order",
        (
            r"(?:^|[.;!:,] +|\()`?(?!(?:check|load|call|run|start|change|update) "
            rf"(?:of|for|in|on|at)\b)(?i:{_DO}) "
            r"(?:`|'|\"|--|the |a |an |your |to |it |[a-z_]+[._=(][\w.=(]|[A-Z_]{3,}|fewer|more"
            r"|less|another|smaller|larger|pip |that )"
            r"|\bpip install\b|\bconda install\b|\bapt(?:-get)? install\b"
        ),
        (
            "The model is too long; increase the limit.",
            "ImportError: no module; pip install trl",
            "Set `trust_remote_code=True`",
        ),
        ("it failed to set the device", "call of f failed"),
    ),
    AdviceRow(
        "what should be",
        (
            r"\b(?:should|must|has to|have to|needs to|need to) (?:not |only |all |also |either )*"
            r"(?:be\b|equal|have\b|match|contain|divide|come|start|end|fit|support)"
            r"|\bis (?:required|expected) to be\b|\b(?:only|at least|at most) .{1,60} (?:is|are) "
            r"(?:supported|allowed)\b|必须|(?:应|应该|应当)(?:为|是|设为|大于|小于|等于|不)|不能(?:为|大于|小于|超过)"
        ),
        (
            "The reward should be set through reward_funcs.",
            "attn_implementation must be one of ['eager', 'sdpa']",
            "batch size 必须是 8 的倍数",
        ),
        ("it must", "the mustard"),
        is_order=False,
    ),
    AdviceRow(
        "what was expected, and what came",
        (
            r"\b[Ee]xpect(?:ed|s|ing)\b.{1,160}(?:\b(?:but|got|found|received|was|instead)\b|, )"
            r"|\b[Rr]equires? (?:a |an |the |at least |`|'|[A-Za-z_.]+ ?[<>=~!]=)"
            r"|期望.{1,60}(?:但|实际|却|得到)|需要.{1,40}(?:但|实际)"
        ),
        (
            "expected 3 columns but got 2",
            "Expected a tensor, got list",
            "trl requires accelerate>=1.4",
            "期望 3 列，实际 2 列",
        ),
        ("as expected", "the requirements are met"),
        is_order=False,
    ),
)

_ENDS = re.compile(
    r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!vs\.)(?<!etc\.)\s+|(?<=[。！？；])|\s*\n\s*"
)
_TYPED = re.compile(r"^(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:\([\w.]+\))?: ")
_NO_ADVICE = re.compile(
    r"\b(?:report|open an? (?:issue|bug)|file an? (?:issue|bug)|contact|github\.com/\S+/issues"
    r"|for (?:more|details|further) \S*(?:info|detail|debug)|full stack ?trace)",
    re.IGNORECASE,
)


def advice_of(message: str) -> Advice | None:
    """The sentence of a message that tells what to do, or else what was expected; None where none
    does.
    """
    text = _TYPED.sub("", message[:MESSAGE_LIMIT].strip())
    sentences = [each.strip() for each in _ENDS.split(text) if each and each.strip()]
    for row in ADVICE_ROWS:
        for sentence in sentences:
            if re.search(row.expression, sentence) and not _NO_ADVICE.search(sentence):
                return Advice(_cut(sentence), row.is_order)
    return None


def _cut(sentence: str) -> str:
    if len(sentence) <= SENTENCE_LIMIT:
        return sentence
    return f"{sentence[:SENTENCE_LIMIT].rsplit(' ', 1)[0]} …"
