"""Command lines to what they run and set: read_command.

Wrappers are peeled off by their form, not by lists of their options: what a command runs is its
first Python module, script or known launcher's name; what stands before belongs to the wrappers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from logdoctor.settings.configuration import Place, Setting, Unresolved
from logdoctor.settings.shell import Word
from logdoctor.settings.values import is_count, value_of

_INTERPRETER = re.compile(r"(?:\S*/)?(?:python[\d.]*|torchrun|accelerate|deepspeed|vllm|trl|sglang)")
_OPTION = re.compile(r"--?[A-Za-z][\w.-]*")
_OVERRIDE = re.compile(r"([+~]{0,2})([A-Za-z_][\w./@\[\]-]*)=(.*)", re.DOTALL)
_LAUNCHING_MODULES = frozenset({"torch.distributed.run", "torch.distributed.launch", "accelerate.commands.launch"})
# of these, words without dashes are their own
_SUBCOMMANDS = frozenset({"vllm", "trl", "sglang"})
_RESOURCE_OPTIONS: Mapping[str, str] = {
    "nnodes": "launched_nodes", "nproc_per_node": "launched_per_node",
    "num_gpus": "launched_per_node", "num_nodes": "launched_nodes",
    "num_machines": "launched_nodes", "num_processes": "processes",
}  # fmt: skip
"""Options of torchrun, deepspeed and accelerate (their own documentation) by what they say."""

_SLURM: Mapping[str, str] = {
    "nodes": "nodes", "N": "nodes", "gpus-per-node": "gpus_per_node", "gres": "gpus_per_node",
    "ntasks-per-node": "tasks_per_node", "ntasks": "tasks", "n": "tasks", "time": "time",
}  # fmt: skip


class Command(NamedTuple):
    """What a command line runs, and what it sets.

    Attributes:
        programs: launchers and the program, the outermost first; empty where no program was
            recognised.
        settings, unresolved: by key; of a key given twice the last counts.
        deleted: keys that `~key` takes away.
        resources: of launchers, by name.
        openings: words that may be any option.
    """

    programs: tuple[str, ...]
    settings: Mapping[str, Setting]
    unresolved: Mapping[str, Unresolved]
    deleted: frozenset[str]
    resources: Mapping[str, Setting]
    openings: tuple[Unresolved, ...]


def read_command(words: Sequence[Word], file: str) -> Command:
    """Reads a command line; what no program is found in sets nothing."""
    programs, own, launching = _peeled(words)
    given, unresolved, openings, deleted = _options(own if programs else (), file)
    resources = {
        name: found
        for option, name in _RESOURCE_OPTIONS.items()
        if (found := _options(launching, file)[0].get(option)) is not None
        and is_count(found.value)
    }
    return Command(
        programs,
        given,
        unresolved,
        deleted,
        {name: each._replace(key=name) for name, each in resources.items()},
        openings,
    )


def read_directives(words: Sequence[Word], file: str) -> dict[str, Setting]:
    """What `#SBATCH` lines ask for: `nodes`, `gpus_per_node`, `tasks_per_node`, `tasks`."""
    found: dict[str, Setting] = {}
    for word in words:
        parts = re.fullmatch(r"--?([A-Za-z][\w-]*)(?:[= ]\s*(.+))?", word.text)
        name = _SLURM.get(parts[1]) if parts else None
        if parts and name:
            text = (parts[2] or "").strip("\"'")
            count = re.search(r"(\d+)$", text) if name == "gpus_per_node" else re.match(r"(\d+)$", text)
            if count and not (parts[1] == "gres" and not text.startswith("gpu")):
                found[name] = Setting(name, int(count[1]), Place(file, word.line))
    return found


def _peeled(words: Sequence[Word]) -> tuple[tuple[str, ...], Sequence[Word], Sequence[Word]]:
    """Programs, the words of the innermost one, and those of its launcher."""
    at = next((i for i, each in enumerate(words) if _INTERPRETER.fullmatch(each.text)), None)
    if at is None:
        return (), (), ()
    programs = [words[at].text.rsplit("/", 1)[-1]]
    begin = at + 1
    launching: Sequence[Word] = ()
    while True:
        name, end = _program(words, begin, programs[-1])
        if name is None:
            return (), (), ()
        if programs[-1] in ("torchrun", "accelerate", "deepspeed", *_LAUNCHING_MODULES):
            launching = words[begin:end]
        programs.append(name)
        begin = end
        if name not in _LAUNCHING_MODULES:
            break
    return tuple(programs), words[begin:], launching


def _program(words: Sequence[Word], begin: int, launcher: str) -> tuple[str | None, int]:
    """The next program behind a launcher, and the place behind it."""
    if launcher in _SUBCOMMANDS:
        if begin < len(words):
            return f"{launcher} {words[begin].text}", begin + 1
        return None, begin
    for i in range(begin, len(words)):
        text = words[i].text
        if text in ("-m", "--module") and i + 1 < len(words) and not words[i + 1].text.startswith("-"):
            return words[i + 1].text, i + 2
        if text.endswith(".py") and not _is_value(words, i):
            return text, i + 1
    return None, begin


def _is_value(words: Sequence[Word], i: int) -> bool:
    return "=" in words[i].text or words[i].text.startswith("--")


def _options(
    words: Sequence[Word], file: str
) -> tuple[dict[str, Setting], dict[str, Unresolved], tuple[Unresolved, ...], frozenset[str]]:
    given: dict[str, Setting] = {}
    unresolved: dict[str, Unresolved] = {}
    openings: list[Unresolved] = []
    deleted: set[str] = set()

    def note(key: str, text: str, word: Word, missing: Sequence[str]) -> None:
        key = key.strip("-").replace("-", "_")
        given.pop(key, None)
        unresolved.pop(key, None)
        place = Place(file, word.line)
        if missing:
            unresolved[key] = Unresolved(key, text, place, ", ".join(missing))
        else:
            given[key] = Setting(key, value_of(text), place)

    i = 0
    while i < len(words):
        word = words[i]
        i += 1
        name, equals, value = word.text.partition("=")
        override = _OVERRIDE.fullmatch(word.text)
        if _OPTION.fullmatch(name) and equals:
            note(name, value, word, word.missing)
        elif _OPTION.fullmatch(name):
            begin = i
            while i < len(words) and not _starts_another(words[i]):
                i += 1
            _note_values(name, word, words[begin:i], note, given, file)
        elif override and override[1].startswith("~"):
            deleted.add(override[2])
        elif override:
            note(override[2], override[3], word, word.missing)
            if "@" in override[2]:  # another set of defaults
                openings.append(Unresolved("", word.text, Place(file, word.line), "other defaults"))
        elif word.missing:
            openings.append(
                Unresolved("", word.text, Place(file, word.line), ", ".join(word.missing))
            )
    return given, unresolved, tuple(openings), frozenset(deleted)


def _starts_another(word: Word) -> bool:
    name = word.text.partition("=")[0]
    return bool(_OPTION.fullmatch(name)) or bool(
        word.text[:1] == "+" and _OVERRIDE.fullmatch(word.text)
    )


def _note_values(name: str, word: Word, values: Sequence[Word], note, given, file) -> None:  # type: ignore[no-untyped-def]
    if not values:
        note(name, "true", word, ())
    elif len(values) == 1 or any(each.missing for each in values):
        note(name, values[0].text, word, values[0].missing)
    else:
        key = name.strip("-").replace("-", "_")
        note(name, "", word, ())
        given[key] = Setting(
            key, tuple(value_of(each.text) for each in values), Place(file, word.line)
        )
