"""What the user has settled for all calls, by the environment or in a file: user_defaults.

`logdoctor.toml`, or `[tool.logdoctor]` of `pyproject.toml`, in the working directory or the nearest
folder above it, else `logdoctor/logdoctor.toml` in the user's folder of configurations.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from logdoctor.cli.kinds import Option
from logdoctor.cli.options import Arguments, options_of

SETTLED = (
    Arguments.lang,
    Arguments.more,
    Arguments.frameworks,
    Arguments.ignored,
    Arguments.fail_on,
    Arguments.min_confidence,
    Arguments.unpack_limit,
    Arguments.color,
    Arguments.per_minute,
    Arguments.webhook,
    Arguments.chats,
)
"""Options that a file may set, by their long names without dashes."""

_OWN_ONLY = frozenset({Arguments.webhook.field, Arguments.chats.field})
"""What may send logs away: nothing that a folder from elsewhere may settle."""

_NAME, _PROJECT, _TABLE = "logdoctor.toml", "pyproject.toml", "[tool.logdoctor"


def user_defaults(command: str, words: Sequence[str]) -> dict[str, Any]:
    """The defaults of a command by the names of its options on Arguments; `words` are those of the
    command line.

    Raises:
        LogdoctorError: the file cannot be read, or has what it may not have.
    """
    options = {each.field: each for each in options_of(command)}
    found: dict[str, Any] = {}
    if (language := _language_of_locale()) is not None:
        found[Arguments.lang.field] = language
    if Arguments.settings_file.field in options:
        found |= _from_file(words)
    if language := os.environ.get("LOGDOCTOR_LANG"):
        found[Arguments.lang.field] = language
    return {field: value for field, value in found.items() if field in options}


def _language_of_locale() -> str | None:
    told = next((os.environ[each] for each in _LOCALE if os.environ.get(each)), "")
    return "zh" if told.startswith("zh") else None


_LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")


def _from_file(words: Sequence[str]) -> dict[str, Any]:
    own = words[: words.index("--")] if "--" in words else words
    if "--isolated" in own:
        return {}
    named = _named(own)
    file, is_own = (named, True) if named else _found()
    if file is None:
        return {}
    return _read(file, is_own=is_own)


def _named(words: Sequence[str]) -> str | None:
    for word, behind in zip(words, (*words[1:], ""), strict=False):
        if word == "--config-file":
            return behind
        if word.startswith("--config-file="):
            return word.partition("=")[2]
    return None


def _found() -> tuple[str | None, bool]:
    folder = os.getcwd()
    while True:
        for name in (_NAME, _PROJECT):
            file = os.path.join(folder, name)
            if os.path.isfile(file) and (name == _NAME or _has_table(file)):
                return file, False
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    file = os.path.join(base, "logdoctor", _NAME)
    return (file, True) if os.path.isfile(file) else (None, True)


def _has_table(file: str) -> bool:
    try:
        with open(file, encoding="utf-8", errors="replace") as text:
            return _TABLE in text.read()
    except OSError:
        return False


def _read(file: str, *, is_own: bool) -> dict[str, Any]:
    # most calls have no such file
    from logdoctor.errors import LogdoctorError  # noqa: PLC0415

    try:
        table = _table(file)
    except OSError as error:
        raise LogdoctorError(f"{file}: {(error.strerror or str(error)).lower()}") from error
    except ValueError as error:  # TOML's own
        raise LogdoctorError(f"{file}: {error}") from error
    known = {each.names[-1].removeprefix("--"): each for each in SETTLED}
    faults = list(_faults(table, known, is_own=is_own))
    if faults:
        raise LogdoctorError("; ".join(f"{file}: {fault}" for fault in faults))
    folder = os.path.dirname(os.path.abspath(file))
    return {known[name].field: _value(known[name], value, folder) for name, value in table.items()}


def _table(file: str) -> Mapping[str, Any]:
    from logdoctor.settings.toml_files import parsed_toml  # noqa: PLC0415  # as above

    with open(file, "rb") as stream:
        table = parsed_toml(stream.read().decode())
    if os.path.basename(file) == _PROJECT:
        return dict(table.get("tool", {}).get("logdoctor", {}))
    return table


def _faults(
    table: Mapping[str, Any], known: Mapping[str, Option[Any]], *, is_own: bool
) -> Iterator[str]:
    for name, value in table.items():
        if name not in known:
            yield f'unknown key "{name}"; expected one of {", ".join(known)}'
        elif known[name].field in _OWN_ONLY and not is_own:
            yield (
                f"{name} may only stand in your own file of defaults, or in one that --config-file "
                "names"
            )
        else:
            yield from _faults_of(known[name], name, value)


def _faults_of(option: Option[Any], name: str, value: Any) -> Iterator[str]:
    for each in _texts(option, value):
        try:
            assert option.read is not None  # none of them is a flag
            option.read(each)
        except ValueError as error:
            yield f"{name}: {error}"


def _value(option: Option[Any], value: Any, folder: str) -> Any:
    assert option.read is not None  # none of them is a flag
    read = tuple(map(option.read, _texts(option, value)))
    if option is Arguments.more:
        read = tuple(os.path.join(folder, each) for each in read)
    return read if option.is_repeatable else read[-1]


def _texts(option: Option[Any], value: Any) -> Iterable[str]:
    return map(str, value) if isinstance(value, list) and option.is_repeatable else [str(value)]
