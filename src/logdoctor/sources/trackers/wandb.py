"""The records of an offline wandb run to lines: wandb_file.

It is a whole log: what the program printed, its configuration, the numbers of its steps and its
exit code, as records of wandb_internal.proto.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from logdoctor.sources.trackers.protobuf import fields, signed, text_of
from logdoctor.sources.trackers.record_blocks import RecordFile
from logdoctor.sources.trackers.step_lines import step_lines

MAGIC = b":W&B\xe1\xbe"
"""The first bytes of the file."""

_LINE, _CONFIG_OF_RUN = 3, 4
"""Fields of OutputRecord and of RunRecord."""


def wandb_file() -> RecordFile:
    """The file of a run, whose version is 0."""
    return RecordFile(MAGIC, {0: _WandbRecords})


class _WandbRecords:
    """Each record tells its lines by itself."""

    def lines(self, record: bytes) -> Iterator[bytes]:
        for number, value in fields(record):
            told = _TOLD.get(number)
            if told and isinstance(value, bytes):
                yield from told(value)

    def end(self) -> Iterator[bytes]:
        return iter(())


def _of_history(message: bytes) -> Iterator[bytes]:
    step, metrics = 0, []
    for name, value in _items(message):
        if name == "_step" and isinstance(value, int):
            step = value
        elif not name.startswith("_"):
            metrics += [(name, float(value))] if _is_number(value) else []
    yield from step_lines(step, metrics)


def _of_config(message: bytes) -> Iterator[bytes]:
    for name, value in _items(message):
        if not name.startswith("_"):
            yield from (f"{key}: {_printed(each)}\n".encode() for key, each in _flat(name, value))


def _of_output(message: bytes) -> Iterator[bytes]:
    for field, value in fields(message):
        if field == _LINE and isinstance(value, bytes):
            yield value


def _of_run(message: bytes) -> Iterator[bytes]:
    for field, value in fields(message):
        if field == _CONFIG_OF_RUN and isinstance(value, bytes):
            yield from _of_config(value)


def _of_exit(message: bytes) -> Iterator[bytes]:
    code = next((value for field, value in fields(message) if field == 1), 0)
    if isinstance(code, int):
        yield f"wandb: the run ended with exit code {signed(code)}\n".encode()


def _items(message: bytes) -> Iterator[tuple[str, Any]]:
    """Names, with dots where they are nested, and values of HistoryItems and ConfigItems."""
    for number, item in fields(message):
        if number != 1 or not isinstance(item, bytes):
            continue
        keys, text = [], ""
        for field, value in fields(item):
            if field in (1, 2):  # key, nested_key
                keys.append(text_of(value))
            elif field == 16:  # noqa: PLR2004  # value_json
                text = text_of(value)
        try:
            yield ".".join(filter(None, keys)), json.loads(text)
        except (ValueError, RecursionError):
            continue


def _flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, each in value.items():
            yield from _flat(f"{name}.{key}", each)
    else:
        yield name, value


def _printed(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_TOLD: Mapping[int, Callable[[bytes], Iterator[bytes]]] = MappingProxyType(
    {
        2: _of_history,
        4: _of_output,
        5: _of_config,
        13: _of_output,  # as the terminal got it
        17: _of_run,
        18: _of_exit,
    }
)
"""What the kinds of a Record tell, by their field."""
