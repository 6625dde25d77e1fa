"""What the pages of signatures and their indexes say."""

from __future__ import annotations

from logdoctor.texts.phrases import Phrase

CAUSE = Phrase("Cause", "原因")
REMEDIES = Phrase("Remedies", "处理办法")
WHEN = Phrase("when", "适用条件")
NEEDS = Phrase("needs", "所需版本")
ALL_OF = Phrase(", and ", "，且")
ANY_OF = Phrase(" or ", " 或 ")
EMPTY = Phrase("empty", "空值")
RUN_USES = Phrase("the run uses {value}", "使用 {value}")
FAILED_IN = Phrase("it failed in phase {value}", "出错时处于{value}阶段")
MESSAGE_IS = Phrase("the message is {value}", "报错属于 {value}")
SEEN_BESIDE = Phrase("{value} was seen in the same run", "同一次运行中出现了 {value}")
IN_MESSAGE = Phrase("`{name}` in the message", "报错中的 `{name}` ")
SEEN = Phrase("What is seen", "日志里的样子")
MORE_EXAMPLES = Phrase("More examples", "更多示例")
COUNTEREXAMPLES = Phrase("Not this", "容易混淆、但不属于此问题的日志")
ORIGIN = Phrase("origin", "来源")
REFINES = Phrase("Refines", "细化自")
REFINED_BY = Phrase("Refined for a framework", "针对具体框架的细化")
EXPLAINS = Phrase("Explains", "会引发")
EXPLAINED_BY = Phrase("May follow from", "可能的起因")
AND_MORE = Phrase("… and {count} more", "……另有 {count} 个")
NOT_KNOWN = Phrase("an error that no signature knows", "没有签名认识的错误")
NOTED = Phrase("Noted", "备注")
MET_IN = Phrase("Runs with it: {runs}", "出现过的运行：{runs}")
MET_SINCE = Phrase("The first was on {date}.", "最早出现于 {date}。")
COMES_NEAR = Phrase("Signatures that come near", "相近的签名")
MAKE_ONE = Phrase(
    "`logdoctor signatures new --store FILE --from {fingerprint}` drafts a signature of it; "
    '`logdoctor note {fingerprint} "fixed by …" --store FILE` keeps what helped.',
    "`logdoctor signatures new --store FILE --from {fingerprint}` 可由它起草签名；"
    '`logdoctor note {fingerprint} "fixed by …" --store FILE` 可记下解决办法。',
)
RELATED = Phrase("Related signatures", "相关签名")
FILLED_IN = Phrase(
    "Names in <angle brackets> are filled in from the message.",
    "<尖括号> 里的内容会由报错信息填入。",
)
HANDBOOK = Phrase("Signatures", "签名手册")
BY_COMPONENT = Phrase("By component", "按组件查找")
BY_FRAMEWORK = Phrase("By framework", "按框架查找")
COVERAGE = Phrase("Coverage", "覆盖情况")
ALL_SIGNATURES = Phrase("All signatures", "全部签名")
OTHER_LANGUAGE = Phrase("中文", "English")
SIGNATURE = Phrase("signature", "签名")
ROLE = Phrase("role", "角色")
FRAMEWORK = Phrase("framework", "框架")
PHASE_HEAD = Phrase("phase", "阶段")
ANY_FRAMEWORK = Phrase("any framework", "不限框架")
ANY_PHASE = Phrase("any", "不限")
ALL_PHASES = Phrase("**all**", "**合计**")
ITS_OWN = Phrase("Its own", "该框架自身的签名")
WITH_ADVICE = Phrase("General ones with advice for it", "通用签名中针对它的处理办法")
GENERATED = Phrase(
    (
        "Generated from `signatures/` by `scripts/generate`; do not edit. `logdoctor explain ID` "
        "shows the same page in a terminal."
    ),
    (
        "由 `scripts/generate` 根据 `signatures/` 生成，请勿手工修改。在终端里用 "
        "`logdoctor explain ID --lang zh` "
        "可查看同样的内容。"
    ),
)
COUNTED = Phrase(
    "{signatures} signatures of {components} components.",
    "共 {signatures} 个签名，来自 {components} 个组件。",
)
HOW_COVERED = Phrase(
    "How many signatures speak for a framework (rows), a phase of the run (rows) and a class "
    "of problem (columns). "
    "`+n` counts general signatures with a remedy written for that framework. An empty place "
    "is either a thing that cannot happen or a gap.",
    (
        "每格是该框架（行）在该阶段（行）、该类问题（列）上的签名数；`+n` 表示另有 n "
        "个通用签名带有专门针对该框架的处理办法。空格要么是不会发生，要么是尚未覆盖。"
    ),
)
HOW_CLASSED = Phrase(
    "The class is read from the words of the id, which names what is seen, and from the "
    "role; the phase from the conditions of the remedies where these name one, "
    "else from the id (a signature may stand in several phases, so that rows do not add up). "
    "Frameworks are those a signature names, or its component.",
    (
        "类别由签名 id 里的用词（id 描述的是现象）和角色得出；"
        "阶段优先取处理办法的适用条件，没有时由 id "
        "推断（一个签名可属于多个阶段，各行之和因此大于合计）。框架取签名自己声明的，或其组件。"
    ),
)

RULE = Phrase("a rule of the verdict", "判定规则")
RULE_SAYS = Phrase("What it says", "报告中的说法")
RULE_FILLED_IN = Phrase(
    "Names in <angle brackets> are filled in from the lines that prove it.",
    "<尖括号> 里的内容会由作为依据的日志行填入。",
)
RULE_MEANS = Phrase("Why it holds", "为什么这样判断（英文）")
RULE_FIRES = Phrase("Where it holds", "成立的例子")
RULE_SILENT = Phrase("Where it does not, though it looks alike", "看似相同、但不成立的例子")
AS_FATAL = Phrase("candidate for the root cause: ends programs", "根因候选：会使程序结束的原因")
AS_CAUSE = Phrase("candidate for the root cause: a cause", "根因候选：原因")
AS_HANDLED = Phrase(
    "candidate for the root cause: another error was raised while it was handled",
    "根因候选：处理它时又抛出了别的异常",
)
AS_SYMPTOM = Phrase("candidate for the root cause: a symptom", "根因候选：连带现象")
AS_PASSED_ON = Phrase(
    "candidate for the root cause: passed on from elsewhere", "根因候选：由别处转述"
)
AS_WRAPPER = Phrase("candidate for the root cause: a wrapper", "根因候选：外层包装")
AS_NOTICE = Phrase("candidate for the root cause: only a notice", "根因候选：仅是一条提示")
