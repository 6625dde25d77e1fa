"""Lines that were put into another format on their way, taken out again: open_envelope,
split_flattened.

Docker's json-file driver (`{"log": "…\\n", "stream": "stderr", "time": "…"}`, without the line end
where a long line goes on in the next), the container runtime interface's partial lines (`… stderr P
…`, then `F`), loggers that write JSON, and torchrun's error files.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from logdoctor.formats.error_lines import EXCEPTION, HEADER_TEXT
from logdoctor.formats.levels import level_named

_TEXT_KEYS = ("log", "message", "msg", "line", "body", "textPayload")
_TIME_KEYS = ("time", "timestamp", "@timestamp", "ts", "asctime")
_LEVEL_KEYS = ("level", "levelname", "severity", "lvl")
_HOST_KEYS, _ACTOR_KEYS = (
    ("host", "hostname"),
    ("pod", "container", "container_name", "processName", "logStreamName"),
)
_PARTIAL = r"\S{10,40} (?P<stream>stdout|stderr) (?P<tag>[FP])(?: |$)"
_FRAME = r"\s+(?=File \"[^\"]{1,300}\", line \d+)"
_EXCEPTION = rf"\s+(?={EXCEPTION}(?:: |$))"


class Opened(NamedTuple):
    """What was in a line.

    Attributes:
        text: the message, may have several lines; of a part that goes on in another line, this
            part.
        channel: whose parts belong together; None where it is no part.
        is_partial: whether it goes on.
    """

    text: str
    channel: str | None = None
    is_partial: bool = False
    time: str | None = None
    level: str | None = None
    host: str | None = None
    actor: str | None = None


def open_envelope(text: str) -> Opened | None:
    """What is in a line without terminal escapes; None for a line that is what it says."""
    if text.startswith("{") and text.rstrip().endswith("}"):
        return _open_json(text)
    part = re.match(_PARTIAL, text) if " std" in text[:50] else None
    if part is None:
        return None
    is_partial = part["tag"] == "P"
    return Opened(text[part.end() :], part["stream"], is_partial, time=text.partition(" ")[0])


def _open_json(text: str) -> Opened | None:
    import json  # noqa: PLC0415  # most logs have none

    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict):
        return None
    fields = fields["_source"] if isinstance(fields.get("_source"), dict) else fields
    time, level = _first(fields, _TIME_KEYS), _first(fields, _LEVEL_KEYS)
    message = next((fields[key] for key in _TEXT_KEYS if key in fields), None)
    if isinstance(message, dict):
        return _open_error_file(message)
    if not isinstance(message, str) or not (time or level):
        return None
    is_docker = "log" in fields and "stream" in fields
    return Opened(
        message.removesuffix("\n"),
        channel=_first(fields, ("stream",)) if is_docker else None,
        is_partial=is_docker and not message.endswith("\n"),
        time=time,
        level=level_named(level.upper()) if level else None,
        host=_first(fields, _HOST_KEYS),
        actor=_first(fields, _ACTOR_KEYS),
    )


def _open_error_file(message: Mapping[str, Any]) -> Opened | None:
    """`{"message": {"message": "RuntimeError: …", "extraInfo": {"py_callstack": "Traceback
    …"}}}`, as torch's `record` writes it.
    """
    more = message.get("extraInfo")
    told = more.get("py_callstack") if isinstance(more, dict) else None
    told = told or message.get("message")
    return Opened(told.rstrip()) if isinstance(told, str) else None


def _first(fields: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    return next(
        (value for key in keys if isinstance(value := fields.get(key), str) and value), None
    )


def split_flattened(text: str) -> list[str]:
    r"""The lines of a traceback that lost its line ends, or has them as `\n`.

    Any other text, or one in quotes, stays as it is.
    """
    place = text.find(HEADER_TEXT)
    rest = text[place + len(HEADER_TEXT) :].strip() if place >= 0 else ""
    if not rest or text[place - 1 : place] in ("'", '"', "`", "\\"):
        return [text]
    if "\\n" in rest:
        return text.split("\\n")
    frames = re.split(_FRAME, rest)
    if len(frames) == 1 and not rest.startswith("File "):
        return [text]
    parts = re.split(_EXCEPTION, frames[-1], maxsplit=1)
    return [
        text[: place + len(HEADER_TEXT)],
        *(f"  {frame}" for frame in (*frames[:-1], parts[0])),
        *parts[1:],
    ]
