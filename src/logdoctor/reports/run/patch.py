"""The first remedy that can be carried out by number, as a change of the run's own file:
chosen_changes, render_patch, render_overrides.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence

import yaml

from logdoctor.model import Applies, Change, Diagnosis, JudgedRemedy, ScanResult

_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")
_PROSE = re.compile(r"[<>]|[A-Za-z]{2,} [A-Za-z]{2,}")
_INDENT = 2


def chosen_changes(result: ScanResult) -> tuple[Change, ...]:
    """Those of the root cause's first remedy that has any: proven by the log, or computed from the
    run's own value; empty where there is none.
    """
    root = result.root
    remedies = root.remedies if isinstance(root, Diagnosis) else ()
    return next((found for each in remedies if (found := _chosen(each))), ())


def _chosen(remedy: JudgedRemedy) -> tuple[Change, ...]:
    if remedy.applies not in (Applies.YES, Applies.ALWAYS):
        return ()
    return tuple(
        each
        for each in remedy.changes
        if each.value is not None
        and each.value != each.current
        and not _PROSE.search(each.value)
        and (each.is_computed or remedy.applies is Applies.YES)
    )


def render_overrides(changes: Iterable[Change]) -> str:
    """`key=value` for a command line, a line each; variables of the environment as exports."""
    return "".join(
        f"{'export ' * bool(_VARIABLE.fullmatch(each.key))}{each.key}={each.value}\n"
        for each in changes
    )


def render_patch(changes: Iterable[Change], name: str, text: str) -> str:
    """A unified diff of a YAML file with all else as it is; before it, as overrides, what cannot
    be said in it: all, where it is no YAML mapping.
    """
    new, beside = text, []
    for change in changes:
        changed = None if _VARIABLE.fullmatch(change.key) else _changed(new, change)
        if changed is None:
            beside.append(change)
        else:
            new = changed
    before, after = (each.splitlines(keepends=True) for each in (text, new))
    diff = [
        each if each.endswith("\n") else f"{each}\n\\ No newline at end of file\n"
        for each in difflib.unified_diff(before, after, name, name)
    ]
    return render_overrides(beside) + "".join(diff)


def _changed(text: str, change: Change) -> str | None:
    """The text with one key set; None where that cannot be done, or does not read as meant."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        if not isinstance(root, yaml.MappingNode):
            return None
        changed = _edited(text, root, change.key, change.value or "")
        if changed is None:
            return None
        read = yaml.compose(changed, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        return None
    found = _matching(read, change.key) if read else []
    return changed if [_plain(each, changed) for each in found] == [change.value] else None


def _plain(node: yaml.Node, text: str) -> str:
    """A value as it is written without quotes."""
    if isinstance(node, yaml.ScalarNode):
        return str(node.value)
    return text[node.start_mark.index : node.end_mark.index].strip()


def _edited(text: str, root: yaml.MappingNode, key: str, value: str) -> str | None:
    found = _matching(root, key)
    if not found:
        return _appended(text, root, key.lstrip("+").split("."), value)
    leaf = found[0]
    if len(found) > 1 or not isinstance(leaf, yaml.ScalarNode) or leaf.style in ("|", ">"):
        return None
    quote = leaf.style or ""
    written = f"{quote}{value}{quote}" if quote and quote not in value else _written(value)
    return text[: leaf.start_mark.index] + written + text[leaf.end_mark.index :]


def _matching(root: yaml.Node, key: str) -> list[yaml.Node]:
    """The values of a dotted key, also where the file has more or less of its path."""
    key = key.lstrip("+")
    leaves = list(_leaves(root, ""))
    return [node for path, node in leaves if path == key] or [
        node for path, node in leaves if path.endswith(f".{key}") or key.endswith(f".{path}")
    ]


def _leaves(node: yaml.Node, prefix: str) -> Iterator[tuple[str, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            yield from _leaves(value, f"{prefix}{name.value}.")
    else:
        yield prefix.rstrip("."), node


def _appended(text: str, root: yaml.MappingNode, parts: Sequence[str], value: str) -> str | None:
    """The text with a new key at the end of the innermost mapping on its path."""
    parent, rest = root, list(parts)
    while len(rest) > 1:
        inner = next((each for name, each in parent.value if name.value == rest[0]), None)
        if inner is None:
            break
        if not isinstance(inner, yaml.MappingNode):
            return None
        parent, rest = inner, rest[1:]
    if any(name.value == rest[0] for name, _ in parent.value):
        return None
    if parent.flow_style:
        end = parent.end_mark.index - 1
        new = f"{': {'.join(rest)}: {_written(value)}{'}' * (len(rest) - 1)}"
        return text[:end] + (", " if parent.value else "") + new + text[end:]
    if not parent.value:
        return None
    column = parent.value[0][0].start_mark.column
    rows = [f"{' ' * (column + _INDENT * depth)}{name}:" for depth, name in enumerate(rest)]
    rows[-1] += f" {_written(value)}"
    lines = text.splitlines(keepends=True)
    last = _last_line(parent)
    if lines and not lines[last].endswith("\n"):
        lines[last] += "\n"
    return "".join([*lines[: last + 1], *(f"{row}\n" for row in rows), *lines[last + 1 :]])


def _last_line(node: yaml.Node) -> int:
    """The line, from 0, that a block ends in."""
    while isinstance(node, (yaml.MappingNode, yaml.SequenceNode)) and not node.flow_style:
        last = node.value[-1]
        node = last[1] if isinstance(node, yaml.MappingNode) else last
    mark = node.end_mark
    return int(mark.line - (mark.column == 0 and mark.line > node.start_mark.line))


def _written(value: str) -> str:
    """A value as YAML, in quotes where it would mean something else without."""
    text = f"k: {value}"
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        node = None
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    is_same = len(pairs) == 1 and _plain(pairs[0][1], text) == value
    return value if is_same else "'" + value.replace("'", "''") + "'"
