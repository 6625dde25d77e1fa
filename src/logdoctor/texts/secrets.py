"""Texts to texts without secrets: redacted, redacted_lines.

A secret is known by its issuer's form, by the place where it stands (a header, a URL, a command's
flag), or by the name in front of it. Behind names that also mean something else ("token", "auth",
"sig") only a value that looks drawn at random is one. Nothing here knows logs or signatures.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from logdoctor.texts.digits import without_digits
from logdoctor.texts.masking import folded

HIDDEN = "[redacted]"

REMEMBERED_LENGTH = 400
"""Characters of a text of which it is remembered whether it holds a secret."""

SHORTEST_RANDOM = 8
"""Characters that a value has at least which counts as drawn at random."""

SHORTEST_MIXED = 6
"""The same of one that is known by its name and by letters beside digits or signs."""

SHORTEST_INSIDE = 5
"""Characters of a secret that is also hidden inside of another text."""

_WORD_LIKE = (
    r"(?:[A-Z]?[a-z]+|[A-Z]+s?|(?:[A-Z]+[a-z]+){2,}[A-Z]*)?"  # word, WORD, CamelCase
    r"\d{0,4}(?:[A-Za-z]{0,3}|(?:[A-Z]+[a-z]+)+[A-Z]*)|\d+"  # its number, and what that counts
)
_SEPARATORS = r"[^A-Za-z0-9]+"
_NOT_A_VALUE = (
    r"(?i)\[redacted|\\*['\"]?$|[<{(\[]|\$|%[({]|\*{3}|os\.|getenv|https?://"
    r"|(?:your|my|the|an?|no|not|is|was|has|and|or|to|for|in|of|on|str|none|null|nil|true|false"
    r"|optional|union|any|int|bytes|string|class|self|yes|empty|unset|undefined|missing|required"
    r"|invalid|expired|incorrect|wrong|failed|failure|denied|error|ok|found|set|loaded|provided"
    r"|secret|token|password|key|given|needed|accepted|rejected|authentication|unauthori[sz]ed)(?![a-z0-9@#$!*-])"
    r"|your[_-]"
)
_VARIABLE_NAME = (
    r"(?:(?i:bearer|basic) )?(?:[A-Z]+(?:_[A-Z]+)+|KEY|TOKEN|PASSWORD|PASS|SECRET|X{3,})"
    r"(?![A-Za-z0-9])"
)
_UUID = r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
_NUMBER = r"[-+]?[\d.,_]+(?:[eE][-+]?\d+)?[a-zA-Z%/]{0,6}|0[xX][0-9a-fA-F]+"
_PATH = r"(?:~|\.{1,2})?/[\w.@+/-]*$"


def _is_value(value: str) -> bool:
    """Whether something stands there that may be a password: neither nothing, a word about it, a
    type, nor a placeholder.
    """
    is_said = _compiled(_NOT_A_VALUE).match(value) or _compiled(_VARIABLE_NAME).match(value)
    return not (is_said or value.isspace())


def _is_no_number(value: str) -> bool:
    return _is_value(value) and not _compiled(_NUMBER).fullmatch(value)


def _is_no_path(value: str) -> bool:
    return _is_value(value) and not _compiled(_PATH).match(value)


def looks_random(value: str) -> bool:
    """Whether nobody would write this by hand: letters and digits, or cases, mixed as no word,
    name, version, path or number mixes them.
    """
    if len(value) < SHORTEST_RANDOM or not _is_value(value) or _compiled(_NUMBER).fullmatch(value):
        return False
    if _compiled(_UUID).fullmatch(value):
        return True
    parts = [each for each in _compiled(_SEPARATORS).split(value) if each]
    odd = [each for each in parts if not _compiled(_WORD_LIKE).fullmatch(each)]
    return bool(odd) and 2 * sum(map(len, odd)) >= len(value) - len(parts)


def _is_mixed(value: str) -> bool:
    """Whether letters stand beside digits or signs: no word, and no number."""
    return (
        len(value) >= SHORTEST_MIXED
        and _is_no_number(value)
        and not _compiled(_PATH).match(value)
        and bool(re.search(r"[A-Za-z]", value) and re.search(r"[^A-Za-z.,:;?_/\-]", value[:-1]))
    )


def _any_text(value: str) -> bool:
    return not value.startswith(HIDDEN)


def _is_no_prose(value: str) -> bool:
    """Of one password behind a blank or a word: more than a word of small letters."""
    return _is_value(value) and not re.fullmatch(r"[A-Z]?[a-z]+[.,:;!?]?", value)


class _Rule(NamedTuple):
    """Something that is hidden: the group `value` of each match that `is_secret` agrees to."""

    marks: tuple[str, ...]
    """Texts in lower case and with zeros for digits, of which each text with such a secret has
    one.
    """
    pattern: str
    is_secret: Callable[[str], bool] = _any_text
    near: str = ""
    """What such a text fits as well; compiled in a tenth of the time, as marks like "key" and
    "pass" stand in many words."""
    begins: str = ""
    """What the text in lower case fits wherever the pattern does, where that is known."""


# The value behind a name. In quotes (also escaped, once or more) it ends with them; else at white
# space, at a bracket, and at a comma, semicolon or ampersand that another name or nothing follows.
_QUOTED = (
    r"(?:[bruf]{1,2})?(?P<quote>\\{0,7}['\"`])(?P<value>(?:(?!(?P=quote))[^\n]){3,4000})"
    r"(?=(?P=quote)(?!\s?:)|\n|$)"
)
_BARE = (
    r"(?P<bare>(?:[^\s,;&'\"`<>)\]}|]"
    r"|[,;&)\]}|](?![\s,;)\]}'\"&|]|$|['\"]?[\w.-]{1,60}['\"]?\s?[=:])){3,4000})"
)
_PROSE = r"(?-i:[a-z]+[,.]? [a-z]+ [a-z]+)"
_VALUE = rf"(?:!\w*\s+)?(?!{_PROSE})(?:{_QUOTED}|{_BARE})"
# `=`, `:`, `=>`, a comma between quotes (a list of arguments, a pair), a closing XML tag's bracket
_SAYS = (
    r"(?:\\{0,7}['\"`](?:\](?=\s?=\s?[bruf]?['\"]))?)?(?:\s+(?:provided|supplied|given|used|received|value|header)){0,2}"
    r"(?:\s{0,8}(?:={1,2}>?|:(?!:)=?|：|->)\s{0,8}|(?<=['\"])\s?,\s{0,8}(?=[bruf]?['\"])|>(?=[^\s<'\"]))"
)
_IS = (
    r"['\"`]?\s{1,3}(?:(?:is|was|has been)\s)?(?:(?:now|set to|changed to|reset to|to|as|of)\s)?"
    r"(?:is\s|was\s)?\s{0,3}"
)
_SURE_NAME = (
    r"(?:(?:api|access|account|secret|private|encryption|signing|master|client|storage|shared"
    r"|subscription|license|deploy|service|sas|app|hmac|jwt|ssh|wandb|swanlab|comet|openai|session)"
    r"[ _.-]?(?:access[ _-]?)?key(?:\.[\w.-]{1,80})?"
    r"(?:[ _-]?(?:base|id|data|base[0-9]{2}|b[0-9]{2}|value))?"
    r"|(?:app|client|api|consumer|webhook|signing|shared|bot|jwt|oauth|access)?[ _-]?secret"
    r"(?:[ _-]?(?:id|text|value))?(?![a-z])"
    r"|(?:access|auth|refresh|identity|session|bearer|api|bot|csrf|xsrf|jwt|oauth\d?|service|deploy"
    r"|personal|security|registration|join|webhook|private|hf|hub|github|gitlab|gh|huggingface"
    r"|wandb|slack|admin|secret|readonly|npm|pypi|vault|kube|docker|discord|telegram"
    r"|modelscope|ms|id|login|user|app)[ _.-]?token"
    r"|pass(?:word|wd|phrase|code)|(?<![a-z])pwd|[_-]pwd|bind_?pw|(?:require|keystore|key|store)pass"
    r"|master_?auth(?![a-z])|(?:jsession|phpsess)id|connect\.sid|_authtoken|credential_?value"
    r"|(?:db|user|smtp|mail|email|redis|mysql|mongo|pg|root|http|ftp|proxy|login|ssh)_?pass(?![a-z])"
    r"|(?-i:[A-Z]PASS|_PASS|_PW)(?![a-zA-Z]))"
)
# the same for a text in lower case, which is searched in a fifth of the time
_SURE_NAME_IN_LOWER_CASE = _SURE_NAME.replace(
    r"(?-i:[A-Z]PASS|_PASS|_PW)", r"(?:[a-z]pass|_pass|_pw)"
)
_OTHER_NAME = (
    r"(?:(?<![a-z])(?:token|signature|sig|credentials?|cookie|auth|pass|nonce|ak|sk|sessionid)"
    r"(?![a-z])"
    r"|(?<=_)auth(?![a-z])|(?<=[a-z])(?-i:Token|Auth|Signature|Credential)(?![a-z]))"
)
_SURE_MARKS = ("key", "secret", "token", "pass", "pwd", "auth", "credential", "_pw", "bindpw", "id")
_OTHER_MARKS = ("token", "sig", "credential", "cookie", "auth", "pass", "nonce", "ak", "sk", "id")
# where those names end; no word goes on behind them
_SURE_NEAR = (
    r"(?:key(?:[ _-]?(?:base|id|data|b0|value))?|secret(?:[ _-]?(?:id|text|value))?|token"
    r"|pass(?:word|wd|phrase|code)?|pwd|pw|auth|sess(?:ion)?id|\.sid|credential_?value)"
    r"(?:(?![a-z])|s (?:for|of) )"
)
_OTHER_NEAR = (
    r"(?:(?<![a-z])(?:sig|credentials|cookie|pass|nonce|ak|sk|sessionid)"
    r"|token|auth|signature|credential)(?![a-z])"
)

# Forms that issuers document, or that their clients print, each with its prefix.
_PREFIXED = (
    (("hf_", "api_org_"), r"(?:hf|api_org)_[A-Za-z0-9]{20,}"),  # Hugging Face
    (("gh", "github_pat", "glpat"), r"(?:gh[pousr]|github_pat|glpat)[_-][A-Za-z0-9_-]{20,}"),
    (("gl",), r"gl(?:ptt|dt|rt|cbt|ft|soat|agent|imt|oas)-[A-Za-z0-9_-]{20,}"),  # GitLab
    (("glsa_", "glc_"), r"(?:glsa|glc)_[A-Za-z0-9_+/=-]{20,}"),  # Grafana
    (("xox", "xapp-", "xwfp-"), r"x(?:ox[abcdeoprs]|app|wfp)(?:\.xox[bp])?-[A-Za-z0-9-]{10,}"),
    (("sk-",), r"sk-[A-Za-z0-9_-]{16,}"),  # OpenAI and all that are compatible with it
    (("_live_", "_test_"), r"[sr]k_(?:live|test)_[A-Za-z0-9]{8,}"),  # Stripe
    (("whsec_",), r"whsec_[A-Za-z0-9+/=]{16,}"),
    (("gsk_",), r"gsk_[A-Za-z0-9]{16,}"),  # Groq
    (("nvapi-",), r"nvapi-[A-Za-z0-9_-]{16,}"),  # NVIDIA
    (("xai-", "pplx-", "csk-"), r"(?:xai|pplx|csk)-[A-Za-z0-9]{20,}"),  # xAI, Perplexity, Cerebras
    (("fw_", "jina_"), r"(?:fw|jina)_[A-Za-z0-9_-]{20,}"),  # Fireworks, Jina
    (("pcsk_", "rpa_"), r"(?:pcsk|rpa)_[A-Za-z0-9_-]{20,}"),  # Pinecone, RunPod
    (("tgp_v", "lsv0_"), r"(?:tgp_v\d|lsv\d_[ps][tk])_[A-Za-z0-9_-]{20,}"),  # Together, LangSmith
    (("npm_", "nfp_"), r"(?:npm|nfp)_[A-Za-z0-9]{20,}"),
    (("pypi-",), r"pypi-[A-Za-z0-9_-]{16,}"),
    (("r0_",), r"r\d_[A-Za-z0-9]{16,}"),  # Replicate
    (("hvs.", "hvb.", "hvr."), r"hv[sbr]\.[A-Za-z0-9_-]{16,}"),  # Vault
    (("sg.",), r"SG\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{8,})?"),  # SendGrid
    (("tvly-",), r"tvly-[A-Za-z0-9_-]{10,}"),  # Tavily
    (("ya00.", "gocspx-", "0//0"), r"(?:ya\d\d\.|GOCSPX-|\d//\d)[A-Za-z0-9_-]{16,}"),  # Google
    (("aiza",), r"AIza[A-Za-z0-9_-]{30,}"),
    (("wandb_v",), r"wandb_v\d_[A-Za-z0-9_-]{20,}"),
    (("akia", "asia", "abia", "acca"), r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    (("ltai",), r"LTAI[A-Za-z0-9]{12,30}(?![A-Za-z0-9])"),  # Aliyun
    (("akid",), r"AKID[A-Za-z0-9]{13,40}(?![A-Za-z0-9])"),  # Tencent Cloud
    (("aklt", "altak"), r"(?:AKLT|ALTAK-?)[A-Za-z0-9]{16,}"),  # Volcengine, Baidu
    (("dckr_", "do", "shp"), r"(?:dckr_[po]at|do[opr]_v\d|shp(?:at|ca|pa|ss))_[A-Za-z0-9_-]{20,}"),
    (("dapi",), r"dapi[0-9a-f]{32}(?:-\d)?"),  # Databricks
    (("ntn_", "lin_api_", "figd_"), r"(?:ntn|lin_api|figd)_[A-Za-z0-9_-]{20,}"),
    (("sntry", "phx_", "hrku-"), r"(?:sntry[su]_|phx_|HRKU-)[A-Za-z0-9_+/=-]{20,}"),
    (("pmak-", "age-secret"), r"(?:PMAK-|AGE-SECRET-KEY-\d)[A-Za-z0-9-]{20,}"),
    (("sq0", "eaaa"), r"(?:sq\d[a-z]{3}-|EAAA)[A-Za-z0-9_-]{20,}"),  # Square
    (("eaa",), r"EAA[A-Z][A-Za-z0-9]{30,}"),  # Meta
    (("tskey-",), r"tskey-(?:auth|api|client|scim|webhook)-[A-Za-z0-9-]{16,}"),  # Tailscale
    (("cfpat-",), r"CFPAT-[A-Za-z0-9_-]{20,}"),  # Contentful
    (("secret_",), r"secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])"),  # Notion, until 2024
    (("fly_", "fm0_"), r"(?:fm\d_|fly_)[A-Za-z0-9+/=_-]{20,}"),  # Fly.io
    ((".atlasv0.",), r"[A-Za-z0-9]{8,}\.atlasv\d\.[A-Za-z0-9_-]{20,}"),
    (("eyj",), r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{0,4000}"),  # JWT
    ((":aa",), r"\d{6,12}:AA[A-Za-z0-9_-]{20,}"),  # Telegram's bots
    ((".",), r"[0-9a-f]{32}\.[A-Za-z0-9]{16}(?![A-Za-z0-9])"),  # Zhipu
    ((".",), r"[MNO][A-Za-z0-9_-]{22,26}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}"),  # Discord
    (("key-", "-us"), r"(?:key-[0-9a-f]{32}|[0-9a-f]{32}-us\d{1,2})(?![0-9a-z])"),  # Mailgun
)
_USER_PART = r"[a-z][a-z0-9+.-]{1,20}://"
_RULES = (
    _Rule(
        ("-----begin",),
        r"(?P<value>-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?:(?!-----END)[\s\S]){0,16000}"
        r"(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----)?)",
    ),
    # the secret that stands behind its id
    _Rule(
        ("akia", "asia", "ltai", "akid", "aklt"),
        r"\b(?:AKIA|ASIA|LTAI|AKID|AKLT)[A-Za-z0-9]{12,40}['\"]?[\s:,/;|]{1,4}['\"]?"
        r"(?P<value>[A-Za-z0-9+/=_-]{16,})",
        looks_random,
    ),
    *(_Rule(marks, rf"(?<![A-Za-z0-9])(?P<value>{form})") for marks, form in _PREFIXED),
    # user and password of a URL; a password may have slashes, a port is digits only
    _Rule(("://",), rf"(?i)\b{_USER_PART}(?!git@)(?P<value>[^\s/\"'<>]{{1,300}})@"),
    _Rule(
        ("://",),
        rf"(?i)\b{_USER_PART}(?P<value>[^\s/@:\[\"'<>]{{0,100}}:(?!\d{{1,5}}[/?#])"
        r"[^\s@\"'<>]{1,300})@",
    ),
    _Rule(
        ("?", "&"),
        r"(?i)[?&;](?:access_?|auth_?|api_?|x-amz-|x-oss-|x-goog-|q-)?(?:token|sig|signature|secret"
        r"|password|passwd|credential|security-token|auth|apikey|awsaccesskeyid|ossaccesskeyid"
        r"|(?<=[a-z-_])key)=(?P<value>[^\s&#'\"<>]{4,})",
        _is_no_number,
    ),
    _Rule(
        ("key=", "sign=", "ticket=", "code="),
        r"(?i)[?&;](?:key|sign|ticket|code)=(?P<value>[^\s&#'\"<>]{4,})",
        looks_random,
    ),
    # what stands behind the address of a chat's hook is its key
    _Rule(
        ("hook", "/bot", "ftqq", "/with/key/"),
        r"(?i)(?:hooks?[\w.-]{0,40}(?:\.[a-z]{2,10})(?::\d+)?/(?:services|workflows|triggers"
        r"|webhookb\d|webhook|hooks?)/|/(?:web)?hooks?(?:b\d)?/(?:v\d/)?(?:send/)?|/with/key/"
        r"|/bot(?=\d+:)|ftqq\.com/)(?P<value>(?!v\d/|send\b)[^\s'\"<>)\]}?,]{8,})",
        lambda value: any(map(looks_random, value.split("/"))) or looks_random(value),
    ),
    # headers
    _Rule(
        ("authorization",),
        r"(?i)\b(?:proxy-|x-)?authorization\\{0,7}['\"]?\s{0,3}[:=,]\s{0,3}(?:[bru](?=\\{0,7}['\"]))?"
        r"(?:(?P<quote>\\{0,7}['\"])(?P<value>(?:(?!(?P=quote))[^\n]){3,4000})"
        r"|(?P<bare>(?:(?:bearer|basic|token|digest|negotiate|apikey|aws\d-hmac-sha\d+)\s+)?"
        r"[^\s'\",;)\]}]{3,4000}(?:,?\s?[\w-]{1,40}=[^\s'\"]{1,400})*))",
        lambda value: _is_value(re.sub(r"(?i)^(?:bearer|basic|token|digest|apikey)\s+", "", value)),
    ),
    _Rule(
        ("cookie",),
        r"(?i)\b(?:set-)?cookie\\{0,7}['\"]?\s{0,3}[:=,]\s{0,3}(?:[bru](?=\\{0,7}['\"]))?"
        r"(?:(?P<quote>\\{0,7}['\"])(?P<value>(?:(?!(?P=quote))[^\n]){3,4000})"
        r"|(?P<bare>[\w.-]{1,80}=[^\s;'\"]{1,4000}(?:;\s?[^\s;'\"]{1,4000}){0,40}))",
        lambda value: "=" in value or looks_random(value),
    ),
    _Rule(
        ("bearer",),
        r"(?i)\bbearer\s{1,3}(?P<value>[A-Za-z0-9+/_.=~-]{4,})",
        _is_no_prose,
    ),
    _Rule(
        ("basic",),
        r"(?i)\bbasic\s{1,3}(?P<value>[A-Za-z0-9+/_-]{6,}={0,2})(?![\w.-])",
        lambda value: value.endswith("=") or looks_random(value),
    ),
    # commands
    _Rule(
        ("curl", "wget", "http"),
        r"(?i)\b(?:curl|wget|https?)\b[^\n|;]{0,300}?\s(?:-u|--user|--proxy-user|-U|-a)[\s=]{0,2}"
        r"['\"]?(?P<value>[^\s:'\"]{1,100}:[^\s'\"]{1,200})",
    ),
    _Rule(
        ("sshpass", "mysql", "maria", "login", "zip", "0z", "plink", "pscp"),
        r"(?i)\b(?:sshpass|mysql\w*|maria\w*|(?:un)?zip|\dz\w?|plink|pscp|login)\b"
        r"[^\n|;]{0,300}?\s(?-i:-pw|-p|-P)(?:\s{1,2}|['\"]|(?=\S))['\"]?"
        r"(?P<value>[^\s'\"=:\\/-][^\s'\"]{2,200})",
        _is_no_number,
    ),
    _Rule(
        ("swanlab", "wandb", "redis-cli", "ossutil", "ngc", "comet", "openssl"),
        r"(?i)\b(?:swanlab|wandb|redis-cli|ossutil\w*|openssl)\b[^\n|;]{0,200}?\s"
        r"(?-i:-k|-a|-pass(?:in|out)?\s+pass:|login(?:\s+--[\w-]+)*)\s{1,2}['\"]?"
        r"(?P<value>[^\s'\"-][^\s'\"]{5,200})",
        _is_no_prose,
    ),
    _Rule(
        ("login(",),
        r"(?i)login\([^)\n]{0,200}?(?<![a-z])(?:key|token|password)=['\"]?"
        r"(?P<value>[^\s'\",)]{6,})",
        _is_no_prose,
    ),
    _Rule(
        ("sudo", "stdin"),
        r"(?i)\b(?:echo|printf)\s+(?:-\w\s+)?['\"]?(?P<value>[^\s'\"|]{3,})['\"]?\s{0,3}\|"
        r"[^|\n]{0,200}?(?:\bsudo\s+-\w{0,4}(?-i:S)|--[\w-]{0,20}stdin)",
    ),
    _Rule(("wandb",), r"(?i)\bwandb\b[^\n]{0,40}\b(?P<value>[0-9a-f]{40})\b"),
    _Rule(
        ("password", "machine"),
        r"(?i)\b(?:login|machine)\s+\S{1,200}\s+password\s+(?P<value>\S{3,})",
        _is_value,
    ),
    # a flag with its value; the value of a short-lived word such as --token is what follows
    _Rule(
        _SURE_MARKS,
        rf"(?i)(?<![\w-])--?(?:[a-z0-9]{{1,30}}[_.-]){{0,6}}(?:{_SURE_NAME}|pass(?![a-z])"
        r"|(?<=-)token(?![a-z])|(?<=-)secret)(?!\w)(?:[_-](?:value|id|text))?(?:\s{1,3}|=|['\"],\s{0,8}(?=['\"]))"
        rf"(?!-){_VALUE}",
        _is_no_path,
        _SURE_NEAR,
    ),
    # names
    _Rule(
        _SURE_MARKS,
        rf"(?i){_SURE_NAME}{_SAYS}{_VALUE}",
        _is_value,
        _SURE_NEAR,
        _SURE_NAME_IN_LOWER_CASE,
    ),
    _Rule(
        _SURE_MARKS,
        rf"(?i){_SURE_NAME}(?:s? (?:for|of) \S{{1,80}})?{_IS}{_VALUE}",
        looks_random,
        _SURE_NEAR,
        _SURE_NAME_IN_LOWER_CASE,
    ),
    _Rule(
        ("password", "passphrase"),
        r"(?i)(?:password|passphrase)(?: (?:for|of) \S{1,80})?"
        rf"{_IS}['\"]?(?P<value>[\x21\x23-\x26\x28-\x7e]+)",
        _is_mixed,
    ),
    _Rule(
        ("token",),
        rf"(?i)(?:(?<![\w. -])token|(?-i:(?<![a-z])TOKEN)){_SAYS}{_VALUE}",
        _is_mixed,
    ),
    # an environment of names and values, as Kubernetes writes it
    _Rule(
        ("value",),
        rf"(?i)name['\"]?\s{{0,3}}[:=]\s{{0,3}}['\"]?[\w.-]{{0,80}}?(?:{_SURE_NAME}|token)['\"]?"
        r",?"
        rf"(?:\s|\\n){{1,20}}['\"]?value['\"]?\s{{0,3}}[:=]\s{{0,3}}{_VALUE}",
        _is_value,
        _SURE_NEAR,
    ),
    _Rule(("cookie",), r"(?i)\bcookies?['\"]?\s{0,3}[=:]\s{0,3}\{(?P<value>[^}\n]{5,4000})\}"),
    # what drivers take for an address
    _Rule(
        ("@tcp(", "@unix(", "@//", "@"),
        r"\b[\w.-]{1,60}[:/](?P<value>[^\s:@/'\"]{3,100})@"
        r"(?:tcp\(|unix\(|//|[\w.-]{1,100}:\d{2,5}\b)",
        _is_mixed,
    ),
    _Rule(_OTHER_MARKS, rf"(?i){_OTHER_NAME}(?:{_SAYS}|{_IS}){_VALUE}", looks_random, _OTHER_NEAR),
    _Rule(
        ("密码", "口令", "密钥", "秘钥", "令牌", "凭证", "凭据", "私钥", "授权码", "密匙"),
        r"(?:密码|口令|密钥|秘钥|密匙|令牌|凭证|凭据|私钥|授权码)(?:[（(][^)）]{1,20}[)）])?"
        r"['\"”」]?\s{0,3}(?:(?:设置?为|改为|设置?成|改成|如下|是|为)?\s{0,3}[:：=＝]"
        r"|设置?为|改为|设置?成|改成|是|为|\s|(?=[“‘「]))"
        r"\s{0,3}['\"“‘「]?(?P<value>[\x21\x23-\x26\x28-\x7e]{4,})",
        _is_no_number,
    ),
)


def redacted_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """The same for lines that stand together: all of a private key is hidden, however many lines
    it has, and wherever it was cut.
    """
    hidden = _key_lines(lines)
    return tuple(
        HIDDEN if index in hidden else _redacted_below(lines[index - 1] if index else "", line)
        for index, line in enumerate(lines)
    )


def _redacted_below(above: str, line: str) -> str:
    """A line whose first value belongs to the name that ends the line above: an argument after
    its flag, the value of a variable.
    """
    if not _compiled(_NAME_ABOVE).search(above):
        return redacted(line)
    masked = redacted(f"{above}\n{line}")
    return redacted(line) if masked.count("\n") != 1 else masked.partition("\n")[2]


def _key_lines(lines: Sequence[str]) -> set[int]:
    """The lines of private keys without those that begin them: between BEGIN and END, and what
    stands beside a whole line of one where either is not there.
    """
    hidden: set[int] = set()
    is_key = False
    for index, line in enumerate(lines):
        begins = "-----BEGIN" in line and "PRIVATE KEY" in line
        ends = "-----END" in line
        if is_key and not begins:
            hidden.add(index)
        if ends and not is_key and "PRIVATE KEY" in line and not begins:
            hidden.update(_key_body_before(lines, index))
        continues = index - 1 in hidden and not is_key and _compiled(_KEY_REST).search(line)
        if continues or _compiled(_KEY_LINE).search(line):
            hidden.add(index)
        is_key = (is_key or begins) and not ends
    return hidden


_NAME_ABOVE = (
    r"(?i)(?:key|secret|token|passw\w*|pass)[\w-]{0,10}['\"],$|\bname['\"]?\s?[:=]\s?['\"]?"
    r"[\w.-]*(?:key|secret|token|passw\w*|pass|pwd)['\"]?,?$"
)
# a whole line of a key in base64 (64 characters: RFC 7468, section 2; OpenSSH writes 70),
# behind whatever prefixes; no hash in hexadecimal digits
_KEY_LINE = r"(?:^|\s)(?![0-9a-f]+$|[0-9A-F]+$)[A-Za-z0-9+/]{64}(?:[A-Za-z0-9+/]{6})?\s*$"
_KEY_REST = r"(?:^\s*|[)\]:|>]\s+)[A-Za-z0-9+/]{1,76}={0,2}\s*$"


def _key_body_before(lines: Sequence[str], end: int) -> set[int]:
    body = set()
    for index in range(end - 1, -1, -1):
        if not _compiled(_KEY_REST).search(lines[index]):
            break
        body.add(index)
    return body


def secrets_in(lines: Sequence[str]) -> tuple[str, ...]:
    """What the rules hide in these lines, the longest first: the same text is a secret wherever
    else it stands alone.
    """
    found: set[str] = set()
    for line in lines:
        if redacted(line) != line:
            _without_secrets(line, found)
    return tuple(sorted(found, key=len, reverse=True))


def without_these(text: str, secrets: Sequence[str]) -> str:
    """The text without secrets of its own and without these."""
    for each in secrets:
        if len(each) >= SHORTEST_INSIDE or text == each:
            text = text.replace(each, HIDDEN)
    return redacted(text)


def redacted(text: str) -> str:
    """The text with API keys, tokens, passwords and credentials in URLs replaced by
    `[redacted]`.
    """
    if len(text) <= REMEMBERED_LENGTH and not _looks_secret(without_digits(text)):
        return text
    return _without_secrets(text)


@lru_cache(maxsize=2048)
def _looks_secret(shape: str) -> bool:
    """Whether something is hidden in texts that are this one but for their digits: no secret is
    known by a certain digit.
    """
    return _without_secrets(shape) != shape


def _without_secrets(text: str, found: set[str] | None = None) -> str:
    lower = without_digits(text.lower())
    for rule in _RULES:
        is_near = any(map(lower.__contains__, rule.marks)) and (
            not rule.near or _compiled(rule.near).search(lower)
        )
        if is_near:
            text = _hidden(rule, text, _hiding(rule.is_secret, found))
    return HIDDEN if _compiled(_KEY_LINE).search(text) else text


def _hidden(rule: _Rule, text: str, hiding: Callable[[re.Match[str]], str]) -> str:
    """The text with what a rule hides replaced; tried only where the rule may begin."""
    pattern, lower = _compiled(rule.pattern), folded(text)
    if lower is None or not rule.begins:
        return pattern.sub(hiding, text)
    parts: list[str] = []
    done = 0
    for begin in _compiled(f"(?={rule.begins})").finditer(lower):
        match = pattern.match(text, begin.start()) if begin.start() >= done else None
        if match:
            parts += (text[done : match.start()], hiding(match))
            done = match.end()
    return "".join([*parts, text[done:]])


def _hiding(
    is_secret: Callable[[str], bool], found: set[str] | None
) -> Callable[[re.Match[str]], str]:
    """What replaces a match of a rule: the match without its secret, which `found` takes."""

    def without_value(match: re.Match[str]) -> str:
        name = "value" if match["value"] is not None else "bare"
        value, start = match[name], match.start()
        if not value or not is_secret(value):
            return match[0]
        if found is not None:
            found.add(value)
        return match[0][: match.start(name) - start] + HIDDEN + match[0][match.end(name) - start :]

    return without_value


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiles a row of a table when a text first asks for it: most starts do without most of
    them.
    """
    return re.compile(pattern)
