"""Values that refer to others (`${a.b}`) to values, by OmegaConf's own rules: interpolated."""

from __future__ import annotations

import re
from collections.abc import Mapping

from logdoctor.settings.values import Value, value_of

MOST_PARTS = 1000
"""References that a value may come to in all; a few lines can double each other without end."""

_REFERENCE = re.compile(r"\$\{(?:oc\.select:)?\s*(\.*[\w.]*)")


class NotInterpolated(Exception):  # noqa: N818  # it is an answer
    """A value cannot be told; the message says why."""


def has_reference(value: Value) -> bool:
    """Whether a value refers to others."""
    return isinstance(value, str) and "${" in value


def interpolated(key: str, values: Mapping[str, Value]) -> Value:
    """The value of a key whose text refers to other keys of `values`.

    Raises:
        NotInterpolated: what it refers to is not there or computed by the program, it refers to
            itself, is too large, or OmegaConf is not installed.
    """
    needed: dict[str, Value] = {}
    if _parts(key, values, needed, ()) > MOST_PARTS:
        raise NotInterpolated(f"more than {MOST_PARTS} references")
    if any("oc.env" in each for each in needed.values() if isinstance(each, str)):
        raise NotInterpolated("depends on the environment")
    try:
        from omegaconf import OmegaConf  # noqa: PLC0415  # an extra, and slow
        from omegaconf.errors import OmegaConfBaseException  # noqa: PLC0415
    except ImportError as error:
        raise NotInterpolated("needs pip install 'logdoctor[check]'") from error
    try:
        whole = OmegaConf.create({})
        for name, value in needed.items():
            OmegaConf.update(whole, name, list(value) if isinstance(value, tuple) else value)
        found = OmegaConf.select(whole, key, throw_on_missing=True)
    except (OmegaConfBaseException, ValueError, TypeError, RecursionError) as error:
        raise NotInterpolated(str(error).splitlines()[0][:100]) from error
    if isinstance(found, str):
        return value_of(found)
    if found is None or isinstance(found, bool | int | float):
        return found
    raise NotInterpolated("refers to more than one value")


def _parts(
    key: str, values: Mapping[str, Value], needed: dict[str, Value], way: tuple[str, ...]
) -> int:
    """How many references a key comes to; what they need is put into `needed`."""
    if key in way:
        raise NotInterpolated(f"{key} refers to itself")
    value = values.get(key)
    if key in values:
        needed[key] = value
    if not has_reference(value):
        return 1
    total = 1
    for found in _REFERENCE.finditer(str(value)):
        total += _parts(_absolute(found[1], key), values, needed, (*way, key))
        if total > MOST_PARTS:
            raise NotInterpolated(f"more than {MOST_PARTS} references")
    return total


def _absolute(name: str, key: str) -> str:
    dots = len(name) - len(name.lstrip("."))
    if not dots:
        return name
    above = key.split(".")[:-dots]
    return ".".join([*above, name.lstrip(".")])
