"""Command lines to what they run and set: read_command.

Wrappers are peeled off by their form, not by lists of their options: what a command runs is its
first Python module, script or known launcher's name; what stands before belongs to the wrappers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from logdoctor.model import Place
from logdoctor.settings.configuration import Setting, Unresolved
from logdoctor.settings.shell import Word
from logdoctor.settings.values import is_count, value_of

_INTERPRETER = re.compile(
    r"(?:\S*/)?(?:python[\d.]*|torchrun|accelerate|deepspeed|vllm|trl|sglang)"
)
_OPTION = re.compile(r"--?[A-Za-z][\w.-]*")
_OVERRIDE = re.compile(r"([+~]{0,2})([A-Za-z_][\w./@\[\]-]*)=(.*)", re.DOTALL)
_LAUNCHING_MODULES = frozenset(
    {"torch.distributed.run", "torch.distributed.launch", "accelerate.commands.launch"}
)
# of these, words without dashes are their own
_SUBCOMMANDS = frozenset({"vllm", "trl", "sglang"})
_WITH_MODEL = ("vllm serve",)
"""Programs whose first word is the model."""

_RESOURCE_OPTIONS: Mapping[str, str] = {
    "nnodes": "launched_nodes", "nproc_per_node": "launched_per_node",
    "num_gpus": "launched_per_node", "num_nodes": "launched_nodes",
    "num_machines": "launched_nodes", "num_processes": "processes",
}  # fmt: skip
"""Options of torchrun, deepspeed and accelerate (their own documentation) by what they say."""

_SLURM: Mapping[str, str] = {
    "nodes": "nodes", "N": "nodes", "gpus-per-node": "gpus_per_node", "gres": "gpus_per_node",
    "ntasks-per-node": "tasks_per_node", "ntasks": "tasks", "n": "tasks", "time": "time",
    "mem": "host_memory",
}  # fmt: skip
_GIB = {"": 1 / 1024, "K": 1 / 1024**2, "M": 1 / 1024, "G": 1, "T": 1024}
"""GiB of Slurm's units of memory; without a unit it counts MiB."""


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


def may_run(words: Sequence[Word]) -> bool:
    """Whether a program may be found in a command line."""
    return any(
        _INTERPRETER.fullmatch(each.text) or each.text.rsplit("/", 1)[-1] == "uv" for each in words
    )


def read_command(words: Sequence[Word], file: str) -> Command:
    """Reads a command line; what no program is found in sets nothing."""
    programs, own, launching = _peeled(words)
    noted = _options(own if programs else (), file)
    if programs and programs[-1] in _WITH_MODEL and own and not _starts_another(own[0]):
        noted.note("model", own[:1], own[0].line)
    told = _options(launching, file).given
    resources = {
        name: told[option]._replace(key=name)
        for option, name in _RESOURCE_OPTIONS.items()
        if option in told and is_count(told[option].value)
    }
    return Command(
        programs,
        noted.given,
        noted.unresolved,
        frozenset(noted.deleted),
        resources,
        tuple(noted.openings),
    )


def read_directives(words: Sequence[Word], file: str) -> dict[str, Setting]:
    """What `#SBATCH` lines ask for: `nodes`, `gpus_per_node`, `tasks_per_node`, `tasks`,
    `host_memory` (GiB of a node).
    """
    found: dict[str, Setting] = {}
    for word in words:
        parts = re.fullmatch(r"--?([A-Za-z][\w-]*)(?:[= ]\s*(.+))?", word.text)
        name = _SLURM.get(parts[1]) if parts else None
        if parts and name:
            text = (parts[2] or "").strip("\"'")
            if name == "host_memory":
                if size := re.fullmatch(r"([1-9]\d*)([KMGT]?)", text):
                    gib = int(size[1]) * _GIB[size[2]]
                    found[name] = Setting(name, gib, Place(file, word.line))
                continue
            count = (
                re.search(r"(\d+)$", text) if name == "gpus_per_node" else re.match(r"(\d+)$", text)
            )
            if count and not (parts[1] == "gres" and not text.startswith("gpu")):
                found[name] = Setting(name, int(count[1]), Place(file, word.line))
    return found


def _peeled(words: Sequence[Word]) -> tuple[tuple[str, ...], Sequence[Word], Sequence[Word]]:
    """Programs, the words of the innermost one, and those of its launcher."""
    at = next((i for i, each in enumerate(words) if _INTERPRETER.fullmatch(each.text)), None)
    if at is None:  # `uv run -m module` brings its own interpreter
        at = next((i for i, each in enumerate(words[1:], 1) if _is_uv_run(words, i)), None)
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
            launching = words[begin : end - 1]
        programs.append(name)
        begin = end
        if name not in _LAUNCHING_MODULES:
            break
    return tuple(programs), words[begin:], launching


def _is_uv_run(words: Sequence[Word], i: int) -> bool:
    return words[i].text == "run" and words[i - 1].text.rsplit("/", 1)[-1] == "uv"


def _program(words: Sequence[Word], begin: int, launcher: str) -> tuple[str | None, int]:
    """The next program behind a launcher, and the place behind it."""
    if launcher in _SUBCOMMANDS:
        if begin < len(words):
            return f"{launcher} {words[begin].text}", begin + 1
        return None, begin
    for i in range(begin, len(words)):
        text = words[i].text
        if (
            text in ("-m", "--module")
            and i + 1 < len(words)
            and not words[i + 1].text.startswith("-")
        ):
            return words[i + 1].text, i + 2
        if text.endswith(".py") and not _is_value(words, i):
            return text, i + 1
    return None, begin


def _is_value(words: Sequence[Word], i: int) -> bool:
    return "=" in words[i].text or words[i].text.startswith("--")


class _Noted:
    """What the words of a command line set; the last of the same key counts."""

    def __init__(self, file: str) -> None:
        self._file = file
        self.given: dict[str, Setting] = {}
        self.unresolved: dict[str, Unresolved] = {}
        self.openings: list[Unresolved] = []
        self.deleted: set[str] = set()

    def note(self, key: str, words: Sequence[Word], line: int) -> None:
        """A key with its values: true where there are none."""
        key = key.strip("-").replace("-", "_")
        self.given.pop(key, None)
        self.unresolved.pop(key, None)
        place = Place(self._file, line)
        missing = [name for each in words for name in each.missing]
        if missing:
            text = " ".join(each.text for each in words)
            self.unresolved[key] = Unresolved(key, text, place, ", ".join(missing))
            return
        values = tuple(value_of(each.text) for each in words)
        value = True if not values else values[0] if len(values) == 1 else values
        self.given[key] = Setting(key, value, place)

    def override(self, sign: str, key: str, value: str, word: Word) -> None:
        """A word as `a.b=c`, `+a=c` or `~a=c`."""
        if sign.startswith("~"):
            self.deleted.add(key)
            return
        self.note(key, [word._replace(text=value)], word.line)
        if "@" in key:
            self.open(word, "other defaults")

    def open(self, word: Word, why: str) -> None:
        """A word through which more settings may come."""
        place = Place(self._file, word.line)
        self.openings.append(Unresolved("", word.text, place, why))


def _options(words: Sequence[Word], file: str) -> _Noted:
    noted = _Noted(file)
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        name, equals, value = word.text.partition("=")
        if _OPTION.fullmatch(name):
            begin = at
            while not equals and at < len(words) and not _starts_another(words[at]):
                at += 1
            values = [word._replace(text=value)] if equals else words[begin:at]
            noted.note(name, values, word.line)
            for each in values[1:]:
                if each.missing and each.text.startswith("$"):  # another value, or more options
                    noted.open(each, ", ".join(each.missing))
        elif override := _OVERRIDE.fullmatch(word.text):
            noted.override(override[1], override[2], override[3], word)
        elif word.missing:
            noted.open(word, ", ".join(word.missing))
    return noted


def _starts_another(word: Word) -> bool:
    name = word.text.partition("=")[0]
    return bool(_OPTION.fullmatch(name)) or bool(_OVERRIDE.fullmatch(word.text))
