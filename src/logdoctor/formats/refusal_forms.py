"""What a library says is wrong with what it was given: REFUSAL_FORMS, refusal_of.

Thousands of checks print a sentence of a few kinds; which kind it is decides what to do, and what
the sentence names says with what.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MESSAGE_LIMIT = 2000
"""Characters of a message that are read."""

NAME_LIMIT = 80
"""Characters of a name, or of a list of values, that are told; a longer list is left to the
message.
"""


class RefusalForm(NamedTuple):
    """A kind of complaint; the first one that a message fits is its kind.

    Attributes:
        kind: the value of the fact `refusal`.
        expression: fits the message; its group `named` is what the complaint is about.
        samples: messages with what each names, empty where it names nothing.
        near_misses: messages of another kind.
    """

    kind: str
    expression: str
    samples: tuple[tuple[str, str], ...]
    near_misses: tuple[str, ...] = ()


class Refusal(NamedTuple):
    """The kind of a complaint, what it names, and the values that the message allows, as it lists
    them; empty where it says nothing of it.
    """

    kind: str
    named: str = ""
    allowed: str = ""


_WORD = r"[A-Za-z_][\w-]*(?:(?:\.|\[['\"]?)\w+['\"]?\]?)*"
_QUOTED = rf"[`'\"](?:-{{0,2}}{_WORD})(?:=[\w.'\"]+|\(\))?[`'\"]"
_TERM = r"(?:-{0,2}\b[A-Za-z]\w*(?:[._]\w+)+\b|--[a-z][\w-]+|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b)"
_NAMED = rf"(?P<named>{_QUOTED}|{_TERM})"
_MODULE = r"\b(?P<named>(?!be\b|is\b|must\b)[A-Za-z][\w.-]*(?:\[\w+\])?[`'\"]?)"
_RELEASE = r"v?\d+(?:\.\d+)+\S*?"

_ITEM = (
    r"(?:[`'\"][^`'\"\n]{1,60}[`'\"]|\d+"
    r"|(?!(?:but|got|found|not|or|and)\b)[A-Za-z][\w.+-]{0,40}(?<!\.))"
)
_SEPARATOR = r"(?:,? (?:or|and) |, ?|\|| / )"
_CHOICE = (
    r"(?:(?:must|should|has to|needs to|expected to) be(?: set to| specified as)?"
    r"(?: either| one of| in| among)?(?: the following)?"
    r"|\b(?:one of|choose (?:from|between)|choices are|(?:supported|allowed|available|valid"
    r"|possible|accepted|known)(?: \w+){0,3}(?: are|:| are:)|expected)"
    r"(?: the following)?(?: values?)?)"
)
_ALLOWED = (
    rf"(?i:{_CHOICE}:? ?)(?:[\[({{](?P<list>{_ITEM}(?:{_SEPARATOR}{_ITEM})+)[\])}}]"
    rf"|(?P<items>[`'\"][^`'\"\n]{{1,60}}[`'\"](?:{_SEPARATOR}[`'\"][^`'\"\n]{{1,60}}[`'\"])+))"
    rf"|(?i:\bone of|\bchoose (?:from|between)|\bexpected|\b(?:supported|available|valid|allowed)"
    rf"(?: \w+){{0,3}}(?: are|:| are:)):? (?P<bare>{_ITEM}(?:{_SEPARATOR}{_ITEM})+)"
    r"(?=[.;,]? |[.;,]?$)"
)

REFUSAL_FORMS = (
    RefusalForm(
        "release",
        (
            rf"{_MODULE}(?: version)?(?: must be| to be)? ?(?:>=|==|<=|<"
            rf"|~=) ?{_RELEASE}(?=[\s.,;:)]|$)"
            rf"|\b(?i:requires?|needs?|only supports?) {_MODULE.replace('named', 'needed')}"
            rf"(?: version)? (?:v?\d+(?:\.\d+)+)"
            rf"|{_MODULE.replace('named', 'later')} {_RELEASE}(?: (?:or|and) (?:later|newer"
            rf"|above|higher))"
        ),
        (
            ("nossh launcher requires DeepSpeed >= 0.14.5", "DeepSpeed"),
            ("DeepSpeed version must be >= 0.14.0 to use MOE support.", "DeepSpeed"),
            ("only available in PyTorch 2.3.0 and later versions.", "PyTorch"),
        ),
        ("learning rate should be >= 0",),
    ),
    RefusalForm(
        "package",
        (
            rf"(?i:{_MODULE}(?: package| library| module)?,? (?:is|are|was) not (?:installed"
            rf"|found on your system"
            r"|available in (?:this|your) (?:environment|system))|couldn't import it"
            rf"|\bpip install (?:-U |--upgrade )?{_MODULE.replace('named', 'installed')})"
        ),
        (
            ("requests is not installed. Please install it.", "requests"),
            ("To use the rich extension, install rich with `pip install rich`", "rich"),
        ),
        ("the model is not available", "Handle is not initialized"),
    ),
    RefusalForm(
        "conflict",
        (
            rf"(?:{_NAMED}[^.]{{0,120}}?)?(?i:\b(?:cannot|can't|can not|must not|should not"
            rf"|may not) (?:both )?be "
            r"(?:used|set|specified|provided|given|combined|enabled|passed) (?:together|with"
            r"|at the same time|when"
            r"|if|for|in|alongside|simultaneously|both)|\bmutually exclusive|\b(?:not "
            r"|in)compatible with"
            r"|\bnot (?:supported|allowed|permitted|compatible|available) (?:with|when"
            r"|together|in combination"
            r"|while|if)|\bcannot (?:specify|set|use|pass|provide) both|\bnot both\b"
            r"|\bonly one of\b"
            r"|\bincompatible\b|\bconflicts? with\b|\bdoes(?: not|n't) (?:work"
            r"|support \S+ (?:with|when))\b)"
        ),
        (
            ("`min_rows` and `ref_bundler` cannot be used together", "min_rows"),
            ("Packing and lazy_tokenize are incompatible.", "lazy_tokenize"),
            ("Provide num_tasks or indices, not both.", "num_tasks"),
            ("`a.b` is not supported when `lines=True`.", "a.b"),
        ),
        ("Multiple identifiers is not supported.",),
    ),
    RefusalForm(
        "choice",
        _ALLOWED,
        (
            ("Invalid suffix: err2. Must be one of 'out' or 'err'.", ""),
            ("`backend` must be 'MSAMP' or 'TE'", "backend"),
            ("Unknown mode: x. Choose from ['a', 'b']", ""),
            ("bnb_4bit must be in ['fp32','fp16'] but found x", "bnb_4bit"),
            ("Invalid ref backend: x, expected fsdp, megatron, or archon", ""),
            ("Supported strategies are: PACK, SPREAD.", ""),
        ),
        (
            "Either `a` or `b` must be provided.",
            "Expected `a` to build into one",
            "Invalid network mode. Expected one of it.",
            "`path` must be a directory, but got: x",
            "num_gpus must be positive",
        ),
    ),
    RefusalForm(
        "path",
        (
            r"(?i)\b(?P<kind>path|file|dir|director(?:y|ies)|folder|checkpoint)\b[^.]{0,120}?"
            r"\b(?:(?:does|do)(?: not|n't) exist|not exists?|not found|(?:must|should) be absolute"
            r"|is not a (?:file|directory|valid)|must be a (?:file|directory)|already exists)"
            r"|\b(?:could not|cannot|can't|failed to|unable to) (?:find|open|locate)\b[^.]{0,60}"
            r"(?:\b(?:file|director(?:y|ies)|folder|path|checkpoint)\b|['\"`]?/[\w.])"
            r"|\bno (?:checkpoint|file|such file)s?\b[^.]{0,60}\b(?:exists?|found|in|at)\b"
        ),
        (
            ("`path` must be a directory, but got: /data/x.py", ""),
            ("The checkpoint directory /ckpt/7 does not exist.", ""),
            ("No checkpoint exists in the trial directory!", ""),
        ),
        ("Application 'a' does not exist", "max_steps must be greater than 0"),
    ),
    RefusalForm(
        "order",
        (
            r"(?i)\b(?:not|never|n't)(?: yet| been)* (?:initiali[sz]ed|started|set ?up"
            r"|connected|built|created|loaded"
            r"|running)\b|\balready (?:been )?(?:initiali[sz]ed|started|exists?|running"
            r"|registered|dispatched"
            r"|instantiated|destroyed|closed|set)\b|\b(?:must|should|needs? to"
            r"|has to) (?:first )?be called\b"
            r"|\bcalled (?:before|after|twice|more than once)\b|\bplease call\b"
            r"|\bhas been (?:destroyed|closed)\b"
            r"|\b(?:initiali[sz]e|start)\w* [^.]{1,40} (?:twice|first)\b"
            r"|\bcan only be (?:called|used|bound)\b"
        ),
        (
            ("External storage is not initialized", ""),
            ("`a` has been called before `start_training`.", ""),
            ("Trying to initialize a group twice.", ""),
        ),
        ("num_gpus was not set",),
    ),
    RefusalForm(
        "absent",
        (
            rf"{_NAMED}(?:[^.`'\"]{{0,60}})(?i:\b(?:is|are) required|\b(?:must|should"
            rf"|needs? to|has to|have to) be "
            r"(?:set|specified|provided|given|passed|configured|present|non-null|defined)"
            r"|\b(?:is|was|are) not (?:set|specified|provided|given|configured|defined)\b"
            r"|\b(?:cannot|can't|must not|should not) be (?:None|empty|null)|\bis None\b"
            r"|\bis (?:missing|empty)\b)"
            rf"|(?i:\b(?:missing|must (?:set|specify|provide|pass|contain|include|have)"
            rf"|have to (?:specify|provide|pass|set)"
            rf"|requires?|without|specify)\b)[^.`'\"]{{0,50}}?\s{_NAMED.replace('named', 'wanted')}"
        ),
        (
            ("`model.name` is required for an external engine.", "model.name"),
            ("ALB_RESOURCE_GROUP_ID is not set", "ALB_RESOURCE_GROUP_ID"),
            ("checkpoint_path must be provided for this method", "checkpoint_path"),
            ("You have to specify `num_processes` in the call", "num_processes"),
            ("Multigpu calls require 'cupy'", "cupy"),
        ),
        ("`tp_size` must be at least 1, but got 0",),
    ),
    RefusalForm(
        "number",
        (
            rf"(?:{_NAMED}[^.`]{{0,80}}?)?(?i:\b(?:must|should|needs? to|has to|have to"
            rf"|expected to)(?: only)? "
            r"(?:be |divide\b)?(?:an? |the |strictly |integer |whole )*"
            r"(?:non-negative|non-positive|positive|negative|greater|less|larger|smaller"
            r"|at least|at most|between|in "
            r"range|in [\[(]|>=?|<=?|==?|(?:integer )?multiples?|divisible|equal|the same"
            r"|match|divide|1\b|-1\b)"
            r"|\b(?:is )?not (?:evenly )?divisible|\bout of range|\b(?:mis|not )match"
            r"|\bshould be (?:non-|>=)|\bexceed"
            r"|\b(?:larger|smaller|greater|less) than)"
        ),
        (
            ("`num_workers` must be greater than 0. Received num_workers=0.", "num_workers"),
            ("grace_period must be positive!", "grace_period"),
            ("input_length=7 not divisible by cp_size=4", "input_length"),
        ),
        ("`backend` must be a string",),
    ),
    RefusalForm(
        "type",
        (
            rf"(?:{_NAMED}[^.`]{{0,80}}?)?(?i:\b(?:must|should|needs? to|has to"
            rf"|expected to)(?: only)? (?:be|return|build)"
            r"(?: either| of type| type of| only)* (?:an? |the )?[`'\"]?"
            r"(?:str\b|string|int\b|integer|float|bool|boolean|dict|dictionary|list|tuple"
            r"|callable|function|subclass"
            r"|instance|object|type|class|tensor|mapping|sequence|number|(?-i:[A-Z]\w+"
            r"|[\w.]+\.[A-Z]\w+))"
            r"|\bexpected (?:an? |type )?[\w.`'\"]+,? (?:but )?(?:got|found|received)"
            r"|\b(?:invalid|unexpected|wrong|unsupported)"
            r" (?:\w+ )?type\b|\bis not (?:an? )?(?:\w+ )?(?:instance|subclass|callable|dict"
            r"|list|str|int))"
        ),
        (
            ("key must be a string, got: 3.", ""),
            ("`bnb_4bit` must be a boolean", "bnb_4bit"),
            ("Expected dict, but got list: []", ""),
        ),
        ("`a` must be provided",),
    ),
    RefusalForm(
        "unsupported",
        (
            r"(?i)\b(?:not|n't|no longer)(?: yet| currently| been)* (?:support(?:ed|s)?"
            r"|implement(?:ed)?|available|allowed)\b"
            rf"|\b(?:unsupported|unknown|unrecognized|unexpected|invalid"
            rf"|unregistered)\b(?:[^.`'\"]{{0,40}}?(?-i:{_NAMED}))?"
            r"|\bonly supports?\b|\bonly (?:\S+ ){1,6}(?:is|are) supported\b|\b(?:does not"
            r"|doesn't|do not|cannot) support\b"
        ),
        (
            ("Unsupported logical operator: join", ""),
            ("FSDP version 3 is not supported.", ""),
            ("Invalid scope 'train'", "train"),
        ),
        ("supported",),
    ),
)


def refusal_of(message: str) -> Refusal | None:
    """What a message complains of; None where it is of no kind that is known."""
    text = message[:MESSAGE_LIMIT]
    for form in REFUSAL_FORMS:
        found = re.search(form.expression, text)
        if found:
            allowed = _allowed(text) if form.kind == "choice" else ""
            named = _subject(text) if form.kind == "choice" else _named(found)
            return Refusal(form.kind, named, allowed)
    return None


def _named(found: re.Match[str]) -> str:
    groups = ("named", "needed", "later", "installed", "wanted")
    told = (found.groupdict().get(each) for each in groups)
    return _bare(next((each for each in told if each), ""))


def _subject(text: str) -> str:
    """What stands in front of the values that a message allows."""
    found = re.search(rf"^(?:\w+: )?(?:The )?{_NAMED}[^.]{{0,40}}\b(?:must|should|has|needs)", text)
    return _bare(found["named"]) if found else ""


def _allowed(text: str) -> str:
    """The values, as the message lists them."""
    found = re.search(_ALLOWED, text)
    groups = ("list", "items", "bare")
    told = next((found[each] for each in groups if found and found[each]), "")
    return told.strip() if len(told) <= NAME_LIMIT else ""


def _bare(name: str) -> str:
    bare = name.strip("`'\"")
    return bare if len(bare) <= NAME_LIMIT else ""
