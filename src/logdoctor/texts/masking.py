"""Texts to comparable texts: escapes away, variable parts masked.

Nothing here knows signatures or formats of logs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from logdoctor.texts.digits import without_digits

LAST_BYTE = 0xFF

REMEMBERED_LENGTH = 400
"""Characters of a text of which it is remembered what it is masked to."""


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiles a row of a table when a text first asks for it: most starts do without most of
    them.
    """
    return re.compile(pattern)


_COLOUR = r"\[[0-9]{1,3}(?:;[0-9]{1,3}){0,6}m"
# each row begins with a letter of its own, which makes it many times as fast
_ESCAPE = (
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours and cursor movements
    r"|\x1b\][^\x07\x1b]{0,512}(?:\x07|\x1b\\)"  # window titles and hyperlinks
    r"|\x1b[@-Z\\-_]"
    rf"|{_COLOUR}|\ufffd{_COLOUR}"  # whose ESC was lost or became U+FFFD
    # whose ESC was spelt out by JSON, Python or a shell; in any digits, since lines that differ in
    # these only are taken for one
    rf"|\\(?:u[0-9]{{3}}[bB]|x[0-9][bB]|[0-9]{{3}}|e){_COLOUR}"
)
_LOST = re.compile(_COLOUR)
_CONTROL = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-"
    "\u2069\ufeff\U000e0000-\U000e007f]"
)
_TYPOGRAPHY = dict(
    zip(
        "‘’‚′“”„″＇＂「」『』‹›«»：（）［］！，；。＝",
        "''''\"\"\"\"'\"''''<><>:()[]!,;.=",
        strict=True,
    )
)
# finds them in a tenth of the time that `str.translate` takes
_TYPOGRAPHIC = re.compile(f"[{''.join(_TYPOGRAPHY)}]")


def without_escapes(text: str) -> str:
    """The text without terminal escapes; colours whose ESC character was lost are removed as
    well.
    """
    return _compiled(_ESCAPE).sub("", text) if "\x1b" in text or _LOST.search(text) else text


def parts_between_escapes(text: str) -> Iterator[slice]:
    """Where the parts of a text stand that `without_escapes` keeps."""
    start = 0
    for escape in _compiled(_ESCAPE).finditer(text):
        yield slice(start, escape.start())
        start = escape.end()
    yield slice(start, len(text))


def printable(text: str) -> str:
    """The text with every control and direction-changing character shown as a visible `\\xNN` or
    `\\uNNNN`.

    Tabs stay. What this returns can be written to a terminal.
    """
    return re.sub(_CONTROL, lambda match: _visible(ord(match[0])), text)


def _visible(code: int) -> str:
    return f"\\x{code:02x}" if code <= LAST_BYTE else f"\\u{code:04x}"


_ODD_CASE = "\u0130\u0131\u017f"


def comparable(text: str) -> str:
    """White space reduced to single blanks, typographic quotes and full-width punctuation to
    ASCII.
    """
    return " ".join(in_typescript(text).split())


def folded(text: str) -> str | None:
    """The text in lower case; None where it holds letters that regexes take for others of ASCII,
    whose lower case is not theirs.
    """
    return text.lower() if text.isascii() or not any(map(text.__contains__, _ODD_CASE)) else None


def in_typescript(text: str) -> str:
    """The text with ASCII for typographic quotes and full-width punctuation, as programs print it
    before chats and documents make it pretty; as long as before.
    """
    if text.isascii():
        return text
    return _TYPOGRAPHIC.sub(lambda found: _TYPOGRAPHY[found[0]], text)


_VARIABLE = (
    (r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", "<id>"),
    (r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b", "<address>"),
    (r"(?:/[\w.+@=-]+){2,}/?", "<path>"),
    (r"\b0x[0-9a-fA-F]+\b", "<hex>"),
    (r"\b(?=[0-9a-f]*\d)[0-9a-f]{12,}\b", "<hex>"),
    (r"(?i)\b(rank|host|node|worker|gpu|device|pid)([ :=_#-]{1,2})[\w.-]+", r"\1\2<n>"),
    (r"\d+(?:[.,]\d+)*", "<n>"),
)


def masked(text: str) -> str:
    """The text with ids, addresses, paths, ranks, hosts and numbers replaced by what they are."""
    shape = without_digits(text)
    if len(text) > REMEMBERED_LENGTH or "0x" in shape:
        return _masked(text)
    return _masked_shape(shape)


@lru_cache(maxsize=2048)
def _masked_shape(shape: str) -> str:
    """What texts are masked to that are this one but for their digits: of all digits, only that
    of `0x` is told from others.
    """
    return _masked(shape)


def _masked(text: str) -> str:
    text = comparable(text)
    for pattern, replacement in _VARIABLE:
        text = _compiled(pattern).sub(replacement, text)
    return text


FINGERPRINT = re.compile(r"[0-9a-f]{12}")
"""What `fingerprint` gives."""


def fingerprint(exception: str | None, message: str, last_frame: str | None) -> str:
    """Twelve hexadecimal digits, equal for the same error on other ranks, hosts, paths and with
    other numbers.

    Args:
        exception: type of the exception, if it is one.
        message: what it says.
        last_frame: innermost frame as `file.py:function`, if known.
    """
    import hashlib  # noqa: PLC0415  # only errors that nobody knows need it

    text = "\n".join((exception or "", masked(message)[:400], last_frame or ""))
    return hashlib.sha256(text.encode()).hexdigest()[:12]
