"""What the lines of tracebacks and other messages of many lines look like.

Python's own, of exception groups, rich's boxes (15), IPython's (5 to 9), faulthandler's dumps, C++
stacks as torch and glog print them, and messages that go on without indentation. What few logs hold
is a text, which `re` compiles when it is first asked for.
"""

import re
from functools import lru_cache
from keyword import iskeyword
from typing import NamedTuple

from logdoctor.formats import error_lines
from logdoctor.formats.assembled import FORMATS
from logdoctor.formats.error_lines import HEADER_TEXT
from logdoctor.formats.marked import Marked
from logdoctor.formats.rows import Message
from logdoctor.texts.digits import without_digits

REMEMBERED_LENGTH = 1024
"""Characters of a text beyond which it is not remembered what it looks like."""

_HEADER_LENGTHS = range(len(HEADER_TEXT) - 4, len(HEADER_TEXT) + 5)
_HEADER_LETTERS = tuple((letter, HEADER_TEXT.count(letter)) for letter in sorted(set(HEADER_TEXT)))
_HEADER_RATIO = 80  # per cent; a header with four damaged characters has 88
HEADER = re.compile(r"Traceback \(most recent call last\)", re.IGNORECASE)
BOX_HEADER = r"\s*[╭┌┏][─━].{0,200}Traceback \(most recent call last\)"
IPYTHON_HEADER = r"[A-Za-z_][\w.]*\s{2,}Traceback \(most recent call last\)"
FRAME = re.compile(
    r"\s*(?:> )?File .{1,400}, line \d+|\s+.{0,10}\".{1,400}\", ?\w{3,6} ?\w?\d+"
    # whose beginning was cut off
    r"|[^\s\"'=(]{1,400}\.py\", line \d{1,7}, in [\w<]",
    re.IGNORECASE,
)
REST_OF_FRAME = re.compile(r"[a-z_]\w{0,80}>?$")
"""The end of a function's name below a frame that was cut within it, as where srun writes out
what it has: no type of an exception begins so.
"""

BOX_FRAME = r"\s*[│┃] (?P<path>[^\s│]{1,400}):(?P<line>\d+) in(?: (?P<function>[^\s│┃]{1,200}))?"
BOX_SOURCE = r"\s*[│┃] ❱ +(?P<number>\d+) (?P<source>.{1,400}?) *[│┃]?$"
BOX_SIDE = r"\s*[│┃├╭┌]"
BOX_END = r"\s*[╰└┗]"
IPYTHON_FRAME = (
    r"(?:File )?(?P<path>(?:/|~/|\.{1,2}/|<ipython-input|(?:Cell|Input) In ?\[)[^\s:,]{0,400})"
    r"(?:, line (?P<cell>\d+)|:(?P<line>\d+))?(?:,? in (?P<function>[\w.<>]+).{0,200})?$"
)
IPYTHON_SOURCE = r" {0,3}-+> ?(?P<number>\d+) (?P<source>.{1,400})"
_IPYTHON_FRAME_ALONE = (
    r"(?:File [^\s\",]{1,400}:\d+(?:, in \S|$)|(?:Cell|Input) In ?\[\d+\], (?:line \d|in <)"
    r"|(?:/|~/|<ipython-input)[^\s:,]{1,400} in [\w.<>]+(?:\(.{0,400}\))?$)"
)
IPYTHON_BEGINNING = _IPYTHON_FRAME_ALONE + r"| {0,3}-{1,4}> \d+ +\S"
"""With what a traceback of IPython's begins whose header was cut off: a frame or an arrow."""

IPYTHON_INSIDE = r"\s+\d+(?:\s|$)|\s*\(\.\.\.\)$|\s*\[\.\.\. skipping "
"""What stands between its frames and arrows: lines of code with their numbers, and what it leaves
out.
"""

BOX_BEGINNING = r"\s*[│┃] (?:\S{1,400}\.py:\d+ in |❱ +\d+ )"
"""The same of rich's box."""

CONNECTOR = re.compile(
    r"\s*(?:During handling of the above exception|The above exception was the direct cause)"
)
INSIDE = re.compile(r"\s|[~^]+$|\.\.\.(?: |$)|\[Previous line repeated|\||\d+$")
GROUP_RULE = re.compile(r"\s*\+-[-+]{3}")
SPAWNED = r"-- Process \d+ terminated with the following error"
CARRIED, ORIGINAL = r": Caught \w+ .*\.$", "Original Traceback (most recent call last)"
"""What torch raises again where a worker process, a thread or a replica raised it, and the header
of that one's traceback below it (torch/_utils.py, ExceptionWrapper).
"""

TYPE = re.compile(error_lines.TYPE)
EXCEPTION = re.compile(error_lines.EXCEPTION)
WARNING = re.compile(r"(?:\w+\.)*\w*Warning\b")
OWN_LINE = re.compile(
    (
        r"\S+: (?:error|fatal|warning)\b|Task exception was never retrieved|Exception in thread "
        r"|Exception ignored |Process [\w:-]+:$|Error in atexit"
    ),
    re.IGNORECASE,
)
"""Lines that begin something of their own, though they stand right below a message."""

IGNORED = r"Exception ignored (?:in|while|on)\b|Exception ignored:"
"""What Python prints above an exception that it throws away (in `__del__`, in callbacks at
exit).
"""

STACK = (
    r"\s*(?:Exception raised from \S+ at .{1,400}\(most recent call first\)|C\+\+ "
    r"CapturedTraceback:|frame #\d+: |#\d{1,3} +\S|<omitting python frames>)"
)
"""Lines of a C++ stack below an exception."""

DUMP = Marked(
    r"Fatal Python error: |\*\*\* SIG[A-Z]{3,4} received|\*\*\* Process received signal|!{3,} "
    r"Segfault encountered|terminate called |Timeout \(\d{1,4}:\d{2}:\d{2}(?:\.\d+)?\)!",
    ("Fatal Python error: ", "*** ", "Segfault encountered", "terminate called ", "Timeout ("),
)
DUMP_LINE = (
    r"(?:Current t|T)hread 0x[0-9a-f]+|Stack \(most recent call first\)|Python runtime "
    r"state|Extension modules: |<truncated rest|  ?\.\.\.$"
    r"|PC: @|\s+@ |\s+(?:what\(\):|File \")|Signal(?: code)?: |Failing at address|Associated "
    r"errno|\[ ?\d+\] |\*\*\* |\[address="
)
"""Heads of the dumps of a process that crashed, and the lines below them."""


MESSAGES = (
    *(row for each in FORMATS for row in each.messages),
    Message(
        "pydantic",
        r"\b\d+ validation errors? for ",
        r"  |[\w.\[\]`'<>(),|-]+$",
        (
            "pydantic_core._pydantic_core.ValidationError: 1 validation error for M",
            "tp",
            "  Input should be a valid integer [type=int_parsing]",
        ),
        mark=" validation error",
    ),
    Message(
        "pip",
        r"pip's dependency resolver does not currently take into account",
        r"\S+ \S+ (?:requires|has requirement) ",
        (
            (
                "ERROR: pip's dependency resolver does not currently take into account all the "
                "packages that are installed."
            ),
            "vllm 0.6.3 requires torch==2.4.0, but you have torch 2.6.0 which is incompatible.",
        ),
    ),
)
"""Those that go on without indentation; the first whose head fits counts."""


def resembles_header(text: str) -> bool:
    """Whether a line is a traceback's first one with a few damaged characters."""
    if len(text) not in _HEADER_LENGTHS:
        return False
    # in whatever order
    in_common = sum(min(count, text.count(letter)) for letter, count in _HEADER_LETTERS)
    if 200 * in_common < _HEADER_RATIO * (len(text) + len(HEADER_TEXT)):
        return False
    # only damaged headers need it, and its import takes as long as a scan
    from rapidfuzz import fuzz  # noqa: PLC0415

    return fuzz.ratio(text, HEADER_TEXT) >= _HEADER_RATIO


def is_frame(text: str) -> bool:
    """Whether a line is a frame as Python prints it, or one with a few damaged characters."""
    return ("ile " in text or '", ' in text or "ILE " in text) and FRAME.match(text) is not None


def is_connector(text: str) -> bool:
    """Whether a line stands between two exceptions of a chain."""
    return "bove exception" in text and CONNECTOR.match(text) is not None


def frame_of(text: str) -> str | None:
    """The frame that a line of a box or of IPython's names, as Python would write it; None where
    it names none.
    """
    found = re.match(BOX_FRAME, text) or re.match(IPYTHON_FRAME, text)
    if found is None:
        return None
    parts = found.groupdict()
    line = parts["line"] or parts.get("cell") or UNNUMBERED
    return f'File "{parts["path"].strip()}", line {line}, in {parts["function"] or "<module>"}'


def source_of(text: str) -> tuple[str, str] | None:
    """The line of code that a line of a box or of IPython's points at, after its number."""
    found = re.match(BOX_SOURCE, text) or re.match(IPYTHON_SOURCE, text)
    return (found["number"], found["source"].lstrip("│ ").strip()) if found else None


UNNUMBERED = "0"
"""The line of a frame that does not tell it; IPython 7 leaves that to the arrow below."""

_RAISES = (
    r"raise (?:\w+\.)*(?P<type>_*[A-Z]\w*)\b(?!\.)(?:\((?P<kind>[fFrRuU]{0,2})(?P<quote>[\"'])"
    r"(?P<said>(?:\\.|(?!(?P=quote))[^\\])*)"
    r"(?:$|(?P<end>(?P=quote)\)(?:\s+(?:from\b|#).*)?$)"
    r"|(?P=quote)\s*(?:$|[%+]|\.format\(|[fFrR]?[\"'])))?"
)
"""A line of source code that raises an exception, with what its message begins with where that is
written out; `end` stands where it is all of it.
"""

_PUT_IN = r"\{|%[-#0 +]?[\d.]*[a-zA-Z(]"
"""Where a text of source code takes in a value."""

_ESCAPED = {"n": " ", "t": " ", "r": ""}


def raised_type(code: str) -> str | None:
    """The name, without its module, of the exception that a line of source code raises; None where
    it raises none, or one that has no name there.
    """
    if code.startswith(("assert ", "assert(")):
        return "AssertionError"
    found = re.match(_RAISES, code)
    return found["type"] if found else None


class Raised(NamedTuple):
    """What a line of source code raises.

    Attributes:
        type: the name of the exception's class, without its module.
        said: its message, or the beginning of it as far as it is written out; may be empty.
        is_whole: whether that is the whole message.
    """

    type: str
    said: str
    is_whole: bool

    @property
    def message(self) -> str:
        """As Python would print it; three dots stand for what is not known of it."""
        said = self.said if self.is_whole else f"{self.said} …" * bool(self.said)
        return f"{self.type}: {said}" if said else self.type


def raised_in(code: str) -> Raised | None:
    """What a line of source code raises; None where it raises nothing that has a name there, or
    what is no error by itself.
    """
    found = re.match(_RAISES, code)
    if found is None or re.match(error_lines.DELIBERATE, found["type"]):
        return None
    said, kind, is_whole = found["said"] or "", (found["kind"] or "").lower(), bool(found["end"])
    if "f" in kind or not is_whole:
        beginning = re.split(_PUT_IN, said, maxsplit=1)[0]
        is_whole &= beginning == said
        said = beginning
    if "r" not in kind:
        said = re.sub(r"\\(.)", lambda escaped: _ESCAPED.get(escaped[1], escaped[1]), said)
    return Raised(found["type"], said.strip(), is_whole)


def is_named(text: str, exception: str) -> bool:
    """Whether a line begins with the type of an exception of that name, of whatever module."""
    found = TYPE.match(text)
    return found is not None and found[0].partition("(")[0].rpartition(".")[2] == exception


def _may_be_type(text: str) -> bool:
    """Whether a line begins with what may be a type, and is no line of code: no call, no keyword,
    and no attribute alone.
    """
    if EXCEPTION.match(text):
        return True
    found = TYPE.match(text)
    if found is None or "(" in found[0] or iskeyword(found[0]):
        return False
    *modules, name = found[0].split(".")
    return not (modules and name[0].islower() and found[0] == text)


class Look(NamedTuple):
    """What a text looks like, whatever its digits.

    Attributes:
        indent: characters of white space before it; all of them where there is nothing else.
        is_blank: whether there is nothing else.
        is_header: whether it begins a traceback.
        is_frame, is_connector: see there.
        is_drawn: whether it is a frame or the line of one as IPython or a box of rich's has them.
        is_ignoring: whether it announces an exception that is thrown away.
        is_rule: whether it parts the exceptions of a group.
        is_announcing: whether it may say what is printed below it.
        is_exception: whether it is the exception line of a traceback.
        is_typed: whether it begins with what may be the type of an exception, where it is not
            indented.
        is_inside: whether it belongs to a traceback that is not indented.
        says: whether it is more than marks below a source line.
        is_another: whether it cannot belong to the message above it.
    """

    indent: int
    is_blank: bool
    is_header: bool
    is_frame: bool
    is_drawn: bool
    is_connector: bool
    is_ignoring: bool
    is_rule: bool
    is_announcing: bool
    is_exception: bool
    is_typed: bool
    is_inside: bool
    says: bool
    is_another: bool


def look_of(text: str) -> Look:
    """What a text looks like."""
    return _look_of_shape(without_digits(text)) if len(text) <= REMEMBERED_LENGTH else _look(text)


@lru_cache(maxsize=2048)
def _look_of_shape(shape: str) -> Look:
    return _look(shape)


def _look(text: str) -> Look:
    stripped = text.strip()
    is_header = bool(
        ("raceback" in text or "RACEBACK" in text) and HEADER.search(text)
    ) or resembles_header(stripped)
    found_frame, found_connector, found_rule = (
        is_frame(text),
        is_connector(text),
        bool(GROUP_RULE.match(text)),
    )
    return Look(
        indent=len(text) - len(text.lstrip()),
        is_blank=not stripped,
        is_header=is_header,
        is_frame=found_frame,
        is_drawn=bool(re.match(IPYTHON_BEGINNING, text) or re.match(BOX_BEGINNING, text)),
        is_connector=found_connector,
        is_ignoring=bool(re.match(IGNORED, text)),
        is_rule=found_rule,
        is_announcing=stripped[:2] in ("+-", "--"),
        is_exception=bool(EXCEPTION.match(stripped)),
        is_typed=_may_be_type(text),
        is_inside=bool(INSIDE.match(text)),
        says=bool(text.strip(" ^~|")),
        is_another=not stripped
        or is_header
        or found_frame
        or found_connector
        or found_rule
        or bool(re.match(_IPYTHON_FRAME_ALONE, text))
        or bool(OWN_LINE.match(text)),
    )
