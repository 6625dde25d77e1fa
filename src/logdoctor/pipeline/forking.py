"""A machine that goes on from where another stands, without any effect on that: forked."""

from __future__ import annotations

import copy
from collections import deque
from enum import Enum
from types import MethodType
from typing import TypeVar

Machine = TypeVar("Machine")

_OWN = __name__.partition(".")[0] + "."


def forked(machine: Machine, shared: tuple[type, ...]) -> Machine:
    """A copy of an object of this program with all that it changes while it works.

    Tuples, texts and numbers never change, and nor does what is in them; those, objects of the
    `shared` classes, and what is not of this program both have together.
    """
    return _Fork(shared).of(machine)


class _Fork:
    def __init__(self, shared: tuple[type, ...]) -> None:
        self._shared = (tuple, Enum, type, *shared)
        self._copies: dict[int, object] = {}

    def of(self, value: Machine) -> Machine:
        kind = type(value)
        if kind in (int, str, bytes, bool, float) or isinstance(value, self._shared):
            return value
        if id(value) in self._copies:
            return self._copies[id(value)]  # type: ignore[return-value]
        if isinstance(value, MethodType):
            return MethodType(value.__func__, self.of(value.__self__))  # type: ignore[return-value]
        if not (isinstance(value, dict | list | set | deque) or kind.__module__.startswith(_OWN)):
            return value
        new = self._copies[id(value)] = copy.copy(value)
        if isinstance(new, dict):
            for key, each in new.items():
                dict.__setitem__(new, key, self.of(each))
        elif isinstance(new, list | deque):
            for place, each in enumerate(new):
                new[place] = self.of(each)
        for name in (*getattr(kind, "__slots__", ()), *getattr(new, "__dict__", ())):
            setattr(new, name, self.of(getattr(value, name)))
        return new
