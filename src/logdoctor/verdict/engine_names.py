"""An option of the inference engine by the name that this run's framework gives it: keys_of,
named_too.

A remedy for vLLM or SGLang names their options. Who trains with a framework that starts the engine
cannot give these, and looks for the framework's key.
"""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from logdoctor.formats.engine_keys import ENGINE_KEYS
from logdoctor.formats.markers import APPLICATIONS
from logdoctor.formats.rows import EngineKey
from logdoctor.model import LocalText, RunContext
from logdoctor.texts.phrases import verdict as phrases

_NO_KEYS: Mapping[str, EngineKey] = MappingProxyType({})
_WORD = re.compile(r"(?<![\w.$/{-])(?:--)?([a-z]+(?:[-_][a-z]+)+)(?![\w/-]|\.\w)")
"""A name of several words by itself, or with the dashes of an option: part of no path, key or
longer name.
"""


def keys_of(frameworks: Sequence[str]) -> Mapping[str, EngineKey]:
    """What the outermost framework of a run calls the options, by the engine's name; nothing where
    that is not known.
    """
    outermost = next((name for name in APPLICATIONS if name in frameworks), None)
    return ENGINE_KEYS.get(outermost or "", _NO_KEYS)


def named_too(action: LocalText, context: RunContext, settings: Sequence[str]) -> LocalText:
    """An action, with the framework's keys for the options that it names; those that it, or one
    of the settings below it, names already are not said again.
    """
    keys = keys_of(context.frameworks)
    if not keys:
        return action
    named = (keys.get(found.replace("-", "_")) for found in _WORD.findall(action.en))
    new = {
        each.key: each
        for each in named
        if each and each.key not in action.en and each.key not in settings
    }
    if not new:
        return action
    framework = next(name for name in APPLICATIONS if name in context.frameworks)
    said = [f"{each.key} ({each.note})" if each.note else each.key for each in new.values()]
    too = phrases.NAMED_HERE.fill(
        framework=framework, keys=LocalText(", ".join(said), "、".join(said))
    )
    return LocalText(f"{action.en} {too.en}", f"{action.zh}{too.zh}")
