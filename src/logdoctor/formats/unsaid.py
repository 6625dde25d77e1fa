"""What stands in a text though nobody has said it: source code, manuals, what a docstring lists.

The events of a log were printed by a program; the same words in a program's source, or where a
manual says what a call may raise, tell of no failure. Each law asks for what no program prints
around its messages. All are texts, which `re` compiles when one is first asked for.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from logdoctor.formats.error_lines import EXCEPTION, HEADER_TEXT

_PROMPT = r" {3,}(?=(?:>>>|sage:) )"
_OPENED_TEXT = r"\([rRbBuUfF]{0,2}(?:\'\'\'|\"\"\")\\?$"
_SESSION = r"File \"<(?:stdin|console|python-input)"
_ELIDED = "..."

_SECTION = r"\s+(?:Raises?|Throws|Returns|Yields|See Also)\s*(?P<colon>:{0,2})\s*$"
"""The heading of a part of a docstring that names exceptions, in Google's style (a colon) or in
numpy's (a rule below).
"""

_RULE = r"\s+[-=~]{3,}\s*$"

_CONDITION = (
    rf"{EXCEPTION}\s*[:：]?\s+(?:[-*]\s+)?"
    r"(?:[Ii]f|[Ww]hen(?:ever)?|[Ii]n case|[Uu]nless|[Rr]aised (?:if|when))\b(?!.{0,200}\b[Yy]ou)"
)
"""An exception, and under which condition it is raised; who is spoken to has met it."""

_MEMBER = r"(?P<indent>\s+)[\"']?[A-Za-z_$][\w.$-]*[\"']?\s*:\s.*[,({\[]\s*(?:(?:#|//).*)?$"
_OPENS, _CLOSES = r".*[\[({]\s*$|\s*[\])}]+,$", r"\s*[\])}]"

_CODE = (
    # statements and comments
    r"raise [\w.]+(?:\(|$)|(?:logger|logging|warnings|log)\.\w+\("
    r"|\w*log\w*\((?:self\.)?(?:logger|logging)\b|print\(|//|[A-Z][A-Z0-9_]*CHECK\w*\("
    r"|return [\w.]+\(|\w+ = [rR]?[fF][rR]?[\"']|[\w.$]+ = [^;]*;$|#define |[^*]*/\* [^*]* \*/$"
    r"|.*[)\]\"'];$"
    # declarations
    r"|\w+: (?:(?:Optional|Union|Callable|ClassVar|Annotated)\[.*|Final\b.*=.*|[^:]* \| None)$"
    # a string of its own, as calls over several lines have them
    r"|(?:\w+=)?[rRbBuU]?[fF][rRbB]?([\"']).*\1[,)]*$|[)\]]+, "
    r"*[fF]?[\"'].*[\"'][,)]*$|\".*\"[,)]*$(?<!: )"
)
_KEY = r"\"[^\"]*\"\s*:"

_STATEMENT = (
    r"(?:def|class|if|elif|for|while|with|except|try|else|finally|match|case)\b.*:$"
    r"|(?:return|yield|raise|assert|import|from|del|pass|break|continue)\b(?: [\w(\[\"'{].*)?$"
    r"|self\.\w+(?:\.\w+)* = |[a-z_]\w* = (?:[\w.]+[(\[]|self\.|[rf]?[\"'])"
    r"|# |@[\w.]+(?:\(|$)|[\w.]+\((?:.*\))?$|\)+[,;]?$|.*;$|.*\) ?\{$|(?:\"\"\"|''')"
)
"""A line of a program, and of nothing else; braces alone are those of printed values as well."""


class Around(NamedTuple):
    """The lines that stand next to a message, nearest last above and first below, without their
    prefixes.
    """

    above: Sequence[str]
    below: Sequence[str]


def is_manual(text: str, above: Sequence[str], frames: Sequence[str], lines: Sequence[str]) -> bool:
    """Whether an exception is what a manual says that a call gives: it stands, indented alike,
    below a prompt of Python's, or has three dots for frames or for the end of what was called.

    So is a text that source code above it has opened. A session that somebody pasted into an
    indented block has a frame of its own and is none. `lines` are all of the event.
    """
    if above and re.search(_OPENED_TEXT, above[-1]):
        return True
    if text.startswith("   ") and HEADER_TEXT in text and not frames:
        around = (*above[-1:], *lines[1:])
        if any(each.lstrip().startswith(_ELIDED) for each in around):
            return True
    for line in reversed(above):
        prompt = re.match(_PROMPT, line)
        if prompt:
            return (
                text.startswith(prompt[0])
                and text[prompt.end() :][:1] not in ("", " ")
                and not (frames and re.search(_SESSION, frames[0]))
            )
        if not line.startswith("   "):
            return False
    return False


def is_listed(text: str, message: str, around: Around) -> bool:
    """Whether an indented line stands where source code or its documentation lists exceptions, or
    other things called like them: below the heading of such a list, as a member of a literal among
    others, or with the condition under which it would be raised.

    `message` is the line with those that continue it.
    """
    if not text[:1].isspace():
        return False
    if _is_below_heading(text, around.above):
        return True
    return re.match(EXCEPTION, text.strip()) is not None and (
        re.match(_CONDITION, message) is not None or _is_member(text, around)
    )


def is_in_code(text: str, around: Around) -> bool:
    """Whether an indented line is a comment, or stands between lines of a program: no program
    prints another's statements above and below what it says.
    """
    if not text[:1].isspace() or re.match(_KEY, text.strip()):
        return False
    if re.match(r"\s+# ", text):
        return True
    above = next((line for line in reversed(around.above) if line.strip()), "")
    below = next((line for line in around.below if line.strip()), "")
    return all(re.match(_STATEMENT, line.strip()) and line[:1].isspace() for line in (above, below))


def is_source_code(text: str) -> bool:
    """Whether a line, taken alone, is written in a programming language: it may hold what a
    program would say, but nobody said it.
    """
    return bool(re.match(_CODE, text)) and not re.match(_KEY, text)


def _is_below_heading(text: str, above: Sequence[str]) -> bool:
    indent = _indent(text)
    below = ""
    for line in reversed(above):
        heading = re.match(_SECTION, line)
        if heading:
            return _indent(line) <= indent and bool(heading["colon"] or re.match(_RULE, below))
        if line.strip() and _indent(line) < indent:
            return False
        if line.strip():
            below = line
    return False


def _is_member(text: str, around: Around) -> bool:
    if not re.match(_MEMBER, text):
        return False
    above, below = around.above[-1:], around.below[:1]
    return (
        any(_is_like(text, line) for line in (*above, *below))
        or any(re.match(_OPENS, line) for line in above)
        or any(re.match(_CLOSES, line) for line in below)
    )


def _is_like(text: str, other: str) -> bool:
    return _indent(text) == _indent(other) and re.match(_MEMBER, other) is not None


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
