"""A file or text to the configurations in it: read_configurations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from logdoctor.model import Place
from logdoctor.settings.command_lines import Command, may_run, read_command, read_directives
from logdoctor.settings.configuration import (
    CONFIG_NAME,
    Configuration,
    Problem,
    Setting,
    Unresolved,
)
from logdoctor.settings.python_files import read_python
from logdoctor.settings.shell import (
    HIGHEST,
    Script,
    ShellGrammarMissing,
    Word,
    read_shell,
)
from logdoctor.settings.toml_files import read_toml
from logdoctor.settings.values import value_of
from logdoctor.settings.yaml_files import read_yaml

_ENDINGS = {
    "yaml": (".yaml", ".yml", ".json"),
    "shell": (".sh", ".bash", ".sbatch", ".slurm"),
    "python": (".py",),
    "toml": (".toml",),
    "": (".log", ".out", ".err"),
}
_LOOKS_LIKE_SHELL = re.compile(
    r"\A#!.*sh\b|^#SBATCH"
    r"|^[^#\n]*\b(?:python[\d.]* -m|torchrun|accelerate launch|srun|export \w+=)",
    re.MULTILINE,
)
_LOOKS_LIKE_YAML = re.compile(r"\A\s*\{|\A(?:\s*#.*\n|\s*\n|---\s*\n)*[A-Za-z_][\w-]*:(?:\s|$)")
_LOOKS_LIKE_PYTHON = re.compile(r"\A(?:#.*\n|\s*\n)*(?:from [\w.]+ import|import \w|\"\"\")")
_CONFIG_FILES = ("config", "config_file", "cfg", "c")
"""Options that name a file of settings."""

_CONFIG_FOLDERS = ("config_path", "config_dir")


def kind_of(name: str, text: str) -> str:
    """`yaml`, `toml`, `shell`, `python`, or empty where it is none of these (a log, then)."""
    suffix = Path(name).suffix.lower()
    for kind, endings in _ENDINGS.items():
        if suffix in endings:
            return kind
    head = text[:20_000]
    if _LOOKS_LIKE_PYTHON.search(head):
        return "python"
    if _LOOKS_LIKE_YAML.match(head):
        return "yaml"
    return "shell" if _LOOKS_LIKE_SHELL.search(head) else ""


def read_configurations(name: str, text: str, path: Path | None) -> tuple[Configuration, ...]:
    """The configurations in a text: one of YAML or TOML, one for each program that a script runs
    and for each call that makes one in Python; where nothing is, one with the problems alone.

    `path` is where other files are sought; None for what is no file.
    """
    kind = kind_of(name, text)
    found: tuple[Configuration, ...]
    if kind == "yaml":
        found = (_of_yaml(name, text, path),)
    elif kind == "toml":
        settings, toml_problems = read_toml(text, name)
        found = (Configuration(name, settings, problems=toml_problems),)
    elif kind == "python":
        calls, problems = read_python(text, name)
        found = tuple(
            Configuration(
                name,
                call.settings,
                call.unresolved,
                programs=(call.name,),
                openings=call.openings,
                problems=problems,
            )
            for call in calls
        ) or (Configuration(name, problems=problems),)
    else:
        found = _of_shell(name, text, path)
    return found


def _of_yaml(name: str, text: str, path: Path | None) -> Configuration:
    read = read_yaml(text, path, name)
    return Configuration(name, read.settings, openings=read.openings, problems=read.problems)


def _of_shell(name: str, text: str, path: Path | None) -> tuple[Configuration, ...]:
    try:
        script = read_shell(text, path, name, may_run)
    except ShellGrammarMissing:
        what = "a script; reading it needs pip install 'logdoctor[check]'"
        return (Configuration(name, problems=(Problem(Place(name, 0), what),)),)
    except RecursionError:
        return (Configuration(name, problems=(Problem(Place(name, 0), "nested too deeply"),)),)
    found = tuple(_of_script(script, name, path))
    return found or (Configuration(name, problems=script.problems),)


def _of_script(script: Script, name: str, path: Path | None) -> Iterator[Configuration]:
    directives = read_directives(script.directives, name)
    for line in script.commands:
        command = read_command(line.words, line.file)
        if not command.programs:
            continue
        asked = {**directives, **command.resources}
        if any(word.text == "srun" for word in line.words[:3]):
            asked |= _of_srun(line.words, line.file)
        else:  # the command runs once, on the first node
            asked.pop("tasks_per_node", None)
        environment = {
            key: Setting(key, value_of(word.text), Place(line.file, word.line))
            for key, word in line.environment.items()
            if not word.missing
        }
        openings = (
            *command.openings,
            *(
                Unresolved("", f"source {each.text}", Place(name, each.line), "not found")
                for each in script.openings
            ),
        )
        yield _with_file(
            Configuration(
                name,
                command.settings,
                command.unresolved,
                environment,
                command.programs,
                asked,
                openings,
                script.problems,
            ),
            command,
            path,
        )


def _of_srun(words: tuple[Word, ...], file: str) -> Mapping[str, Setting]:
    """What `srun` in front of a command asks for."""
    until = next((i for i, each in enumerate(words) if each.text.startswith("python")), len(words))
    return read_directives([each for each in words[:until] if not each.missing], file)


def _with_file(configuration: Configuration, command: Command, path: Path | None) -> Configuration:
    """The configuration on top of the file of settings that its command line names."""
    option = next((each for each in _CONFIG_FILES if each in configuration.settings), None)
    if option is None:
        hidden = next((each for each in _CONFIG_FILES if each in configuration.unresolved), None)
        if hidden is None:
            return _with_named(configuration, command, path)
        return configuration._replace(
            openings=(*configuration.openings, configuration.unresolved[hidden])
        )
    named = configuration.settings[option]
    file = _found(str(named.value), path)
    if file is None:
        opening = Unresolved(option, str(named.value), named.place, "not found")
        return configuration._replace(openings=(*configuration.openings, opening))
    return _on_top_of(file, configuration, command)


def _with_named(configuration: Configuration, command: Command, path: Path | None) -> Configuration:
    """The same where the file is named as Hydra does; one that is not there may be the
    framework's own. A folder that is not known is taken to be the script's.
    """
    named = configuration.settings.get(CONFIG_NAME)
    if named is None:
        return configuration
    folder = next(
        (configuration.settings[each].value for each in _CONFIG_FOLDERS
         if each in configuration.settings), "."
    )  # fmt: skip
    file = _found(f"{folder}/{str(named.value).removesuffix('.yaml')}.yaml", path)
    if file is None:
        return configuration
    read = _on_top_of(file, configuration, command)
    return read._replace(
        settings={key: each for key, each in read.settings.items() if key != CONFIG_NAME}
    )


def _on_top_of(file: Path, configuration: Configuration, command: Command) -> Configuration:
    below = read_yaml(file.read_text(encoding="utf-8", errors="replace"), file, str(file))
    kept = {
        key: each
        for key, each in below.settings.items()
        if key not in configuration.unresolved and key not in command.deleted
    }
    return configuration._replace(
        settings={**kept, **configuration.settings},
        openings=(*configuration.openings, *below.openings),
        problems=(*configuration.problems, *below.problems),
    )


def _found(written: str, path: Path | None) -> Path | None:
    """The file that a command line names, from the folder of its script or one above it."""
    if path is None:
        return None
    folders = [Path(), *path.resolve().parents[:HIGHEST]]
    return next((each / written for each in folders if (each / written).is_file()), None)
