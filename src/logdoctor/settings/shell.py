"""Shell scripts to command lines: read_shell.

Read by bash's grammar (tree-sitter), statement by statement; nothing is run. A value that depends
on the environment, on a command's output, on a branch or on a loop is missing, and so is what is
made of it. Loops are read as one pass, functions where they are called, as far as DEEPEST.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from logdoctor.model import Place
from logdoctor.settings.configuration import Problem

if TYPE_CHECKING:
    from tree_sitter import Node

DEEPEST = 6
"""Calls of functions, `bash -c` and sourced files within each other that are followed."""

HIGHEST = 6
"""Folders from a script's own upwards from which a script may be meant to be started."""

MOST_WORDS = 20_000
"""Words of a command line or an array; arrays that double would make them without end."""

MOST_COMMANDS = 100_000
"""Command lines of a script; functions that call each other would make them without end."""

LONGEST_VALUE = 100_000
"""Characters of a variable's value; doubling texts would make them without end."""


class Word(NamedTuple):
    """A word of a command line after expansion; where names are `missing`, its text has what is
    written in their place.
    """

    text: str
    line: int
    missing: tuple[str, ...] = ()


class CommandLine(NamedTuple):
    """A command as it would be run, with the variables that are exported to it."""

    words: tuple[Word, ...]
    environment: Mapping[str, Word]
    file: str


class Script(NamedTuple):
    """What a script runs, in order.

    Attributes:
        directives: texts of `#SBATCH` lines.
        openings: files that it sources and that are not there.
    """

    commands: tuple[CommandLine, ...]
    directives: tuple[Word, ...]
    openings: tuple[Word, ...]
    problems: tuple[Problem, ...]


class ShellGrammarMissing(Exception):  # noqa: N818  # the reader says what to install
    """The grammar of bash is not installed."""


_Variable = tuple[Word, ...]

_DIRECTIVE = re.compile(r"^#SBATCH\s+(\S.*?)\s*(?:\s#.*)?$")
_OWN_FOLDER = re.compile(r"(?:BASH_SOURCE|\$\{?0\b)")
_BRANCHES = frozenset(
    {"if_statement", "case_statement", "while_statement", "for_statement", "c_style_for_statement"}
)
_OF_NO_EFFECT = frozenset({"comment", "test_command", "heredoc_body", "word"})
_DEFAULTS = (":-", "-", ":=", "=")
_ALTERNATIVES = (":+", "+")


def read_shell(
    text: str, file: Path | None, name: str, counts: Callable[[Sequence[Word]], bool]
) -> Script:
    """The command lines of a script that count; `file` is where what it sources is sought.

    Raises:
        ShellGrammarMissing: the extra `check` is not installed.
    """
    reader = _Reader(file, name, counts)
    reader.read(text)
    directives = tuple(
        Word(found[1], number)
        for number, line in enumerate(text.splitlines(), 1)
        if (found := _DIRECTIVE.match(line))
    )
    return Script(
        tuple(reader.commands), directives, tuple(reader.openings), tuple(reader.problems)
    )


def _root(text: str) -> Node:
    try:
        import tree_sitter  # noqa: PLC0415  # an extra
        import tree_sitter_bash  # noqa: PLC0415
    except ImportError as error:
        raise ShellGrammarMissing from error
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
    return parser.parse(text.encode("utf-8", "replace")).root_node


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


class _Reader:
    def __init__(
        self, file: Path | None, name: str, counts: Callable[[Sequence[Word]], bool]
    ) -> None:
        self.commands: list[CommandLine] = []
        self.openings: list[Word] = []
        self.problems: list[Problem] = []
        self._file = file
        self._name = name
        self._counts = counts
        self._variables: dict[str, _Variable] = {}
        self._exported: set[str] = set()
        self._functions: dict[str, Node] = {}
        self._depth = 0
        self._first_line = 0

    def read(self, text: str) -> None:
        root = _root(text)
        if root.has_error:
            line = _first_error(root)
            self.problems.append(
                Problem(Place(self._name, line), "not all of it is bash; the rest was read")
            )
        self._statements(root.children)

    def _statements(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            self._statement(node)

    def _statement(self, node: Node) -> None:
        reads: Mapping[str, Callable[[Node], object]] = {
            "variable_assignment": self._assign,
            "variable_assignments": self._declare,
            "declaration_command": self._declare,
            "command": self._command,
            "function_definition": self._define,
            "list": self._list,
            "subshell": lambda subshell: self._apart(subshell.children),
            "redirected_statement": self._redirected,
            **dict.fromkeys(_BRANCHES, self._branches),
        }
        if node.type in reads:
            reads[node.type](node)
        elif node.is_named and node.type not in _OF_NO_EFFECT:
            self._statements(node.children)

    def _redirected(self, node: Node) -> None:
        body = node.child_by_field_name("body")
        if body is None:
            return
        self._statement(body)
        here = next((each for each in node.named_children if each.type == "heredoc_redirect"), None)
        words = [_text(each) for each in body.named_children]
        reads_all = words[:1] == ["read"] and "-d" in words and words[-1].isidentifier()
        if here is not None and reads_all:
            self._variables[words[-1]] = (self._here(here),)

    def _here(self, node: Node) -> Word:
        """The text of a here-document; what stands between quoted marks is not expanded."""
        parts = {each.type: each for each in node.named_children}
        body, line = parts.get("heredoc_body"), self._line(node)
        if body is None:
            return Word("", line)
        if not _text(parts["heredoc_start"]).isidentifier() or not body.named_children:
            return Word(_text(body).replace("\\\n", " "), line)
        word = _glued(list(self._inside(body, is_string=False)), line)
        return word._replace(text=word.text.replace("\\\n", " "))

    def _define(self, node: Node) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name and body:
            self._functions[_text(name)] = body

    def _apart(self, nodes: Sequence[Node]) -> dict[str, _Variable]:
        """Reads statements whose assignments do not stay; what they assigned."""
        before = dict(self._variables)
        self._statements(nodes)
        after, self._variables = self._variables, before
        return {name: value for name, value in after.items() if before.get(name) != value}

    def _branches(self, node: Node) -> None:
        changed: dict[str, _Variable] = {}
        bodies = [[]] if node.type == "if_statement" else [list(node.children)]
        for child in node.children if node.type == "if_statement" else ():
            if child.type in ("elif_clause", "else_clause"):
                bodies.append(list(child.children))
            else:
                bodies[0].append(child)
        loop = node.child_by_field_name("variable")
        if loop is not None:
            self._forget(_text(loop))
        for body in bodies:
            changed.update(self._apart(body))
        for name in changed:
            self._forget(name)

    def _list(self, node: Node) -> None:
        left, *right = [child for child in node.children if child.is_named] or [node]
        if left is not node:
            self._statement(left)
        for name in self._apart(right):
            self._forget(name)

    def _forget(self, name: str) -> None:
        self._variables[name] = (Word(f"${name}", 0, (name,)),)

    def _declare(self, node: Node) -> None:
        is_export = bool(node.children) and _text(node.children[0]) in ("export", "declare")
        for child in node.children:
            if child.type == "variable_assignment":
                name = self._assign(child)
                if is_export:
                    self._exported.add(name)
            elif child.type == "variable_name" and is_export:
                self._exported.add(_text(child))

    def _assign(self, node: Node) -> str:
        name_node = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        name = _text(name_node) if name_node else ""
        if not name or not name.isidentifier():
            return ""
        line = self._line(node)
        if value is None:
            words: _Variable = (Word("", line),)
        elif value.type == "array":
            members = value.named_children
            words = tuple(word for child in members for word in self._expand(child))
        else:
            words = (self._joined(value),)
        if any(_text(child) == "+=" for child in node.children):
            before = self._variables.get(name, ())
            if value is not None and value.type == "array":
                words = before + words
            elif before:
                words = (_glued([*before[:1], *words[:1]], line),)
        if len(words) > MOST_WORDS or any(len(word.text) > LONGEST_VALUE for word in words):
            words = (Word(f"${name}", line, (name,)),)
        self._variables[name] = words
        return name

    def _command(self, node: Node) -> None:
        own: dict[str, Word] = {}
        words: list[Word] = []
        for child in node.named_children:
            if child.type == "comment":  # its line's end is the command's, though `\\` stood before
                what = "a comment ends the command here; what follows is not part of it"
                self.problems.append(Problem(Place(self._name, self._line(child)), what))
                break
            if child.type == "variable_assignment" and _ends_its_line(child):
                self._assign(child)
            elif child.type == "variable_assignment":
                name = child.child_by_field_name("name")
                value = child.child_by_field_name("value")
                if name:
                    own[_text(name)] = self._joined(value) if value else Word("", self._line(child))
            elif child.type == "command_name":
                words += self._expand(child.named_children[0]) if child.named_children else ()
            elif "redirect" not in child.type:
                words += self._expand(child)
        if words:
            self._run(words, own)

    def _run(self, words: list[Word], own: Mapping[str, Word]) -> None:
        name = words[0].text
        if name in ("source", "."):
            self._source(words)
        elif name in self._functions and self._depth < DEEPEST:
            self._deeper(lambda: self._call(self._functions[name], words[1:]))
        elif (inner := _inner_script(words)) is not None:
            self._inner(inner)
        elif (
            len(self.commands) < MOST_COMMANDS and len(words) <= MOST_WORDS and self._counts(words)
        ):
            exported = {
                each: self._variables[each][0]
                for each in self._exported
                if self._variables.get(each)
            }
            self.commands.append(CommandLine(tuple(words), {**exported, **own}, self._name))

    def _call(self, body: Node, words: list[Word]) -> None:
        before = {name: self._variables.get(name) for name in map(str, range(1, len(words) + 1))}
        for number, word in enumerate(words, 1):
            self._variables[str(number)] = (word,)
        self._statements(body.children)
        for name, value in before.items():
            if value is None:
                self._variables.pop(name, None)
            else:
                self._variables[name] = value

    def _inner(self, word: Word) -> None:
        if word.missing:
            self.openings.append(word)
            return
        before, self._first_line = self._first_line, self._first_line + word.line - 1
        self._deeper(lambda: self._statements(_root(word.text).children))
        self._first_line = before

    def _source(self, words: list[Word]) -> None:
        word = words[1] if len(words) > 1 else words[0]
        path = None
        if not word.missing and self._file is not None:
            places = [Path(), *self._file.resolve().parents[:HIGHEST]]
            path = next((each / word.text for each in places if (each / word.text).is_file()), None)
        if path is None or self._depth >= DEEPEST:
            self.openings.append(word)
            return
        text = path.read_text(encoding="utf-8", errors="replace")
        before = self._name
        self._name = str(path)
        self._deeper(lambda: self._statements(_root(text).children))
        self._name = before

    def _deeper(self, read: Callable[[], None]) -> None:
        if self._depth < DEEPEST:
            self._depth += 1
            read()
            self._depth -= 1

    def _line(self, node: Node) -> int:
        return int(node.start_point[0]) + 1 + self._first_line

    def _expand(self, node: Node) -> list[Word]:
        """The words of one written word."""
        inner = (
            node.named_children[0]
            if node.type == "string" and node.named_child_count == 1
            else node
        )
        if inner.type in ("simple_expansion", "expansion"):
            listed = self._all_of(inner)
            if listed is not None:
                return [each._replace(line=each.line or self._line(node)) for each in listed]
            if inner is node:
                word = self._joined(node)
                return _split(word)
        return [self._joined(node)]

    def _all_of(self, node: Node) -> tuple[Word, ...] | None:
        """All members of `${NAME[@]}`, `$@`; None where it is another expansion."""
        text = _text(node)
        if re.fullmatch(r"\$[@*]|\$\{[@*](?::\d+)?\}", text):
            return tuple(
                self._variables[str(number)][0]
                for number in range(1, 10)
                if str(number) in self._variables
            )
        found = re.fullmatch(r"\$\{(\w+)\[[@*]\]\}", text)
        if not found:
            return None
        return self._variables.get(found[1], (Word(text, self._line(node), (found[1],)),))

    def _joined(self, node: Node) -> Word:
        """One word of a node, however it is written."""
        return _glued(list(self._pieces(node)), self._line(node))

    def _pieces(self, node: Node) -> Iterator[Word]:
        kind, line = node.type, self._line(node)
        if kind in ("string_content", "heredoc_content"):
            yield Word(_text(node), line)
        elif kind in ("word", "number", "variable_name", "special_variable_name"):
            yield Word(re.sub(r"\\(.)", r"\1", _text(node)), line)
        elif kind == "raw_string":
            yield Word(_text(node)[1:-1], line)
        elif kind in ("simple_expansion", "expansion"):
            yield self._expansion(node)
        elif kind == "arithmetic_expansion":
            yield self._arithmetic(node)
        elif kind == "command_substitution":
            yield self._substitution(node)
        elif kind in ("string", "concatenation"):
            yield from self._inside(node, is_string=kind == "string")
        else:
            text = _text(node)
            yield Word(text, line, (text[:40],))

    def _inside(self, node: Node, *, is_string: bool) -> Iterator[Word]:
        """The pieces of a text in quotes, with the blanks between expansions, or of a joined
        word.
        """
        whole, at = node.text or b"", node.start_byte
        end = node.start_byte + (1 if is_string else 0)
        for child in node.children:
            if is_string and child.type == '"':
                continue
            if child.start_byte > end:
                gap = whole[end - at : child.start_byte - at].decode("utf-8", "replace")
                yield Word(gap, self._line(child))
            if child.is_named:
                yield from self._pieces(child)
            else:
                yield Word(_text(child), self._line(child))
            end = child.end_byte

    def _expansion(self, node: Node) -> Word:
        line = self._line(node)
        name_node = next(
            (
                each
                for each in node.named_children
                if each.type in ("variable_name", "special_variable_name")
            ),
            None,
        )
        name = _text(name_node) if name_node else _text(node)
        known = self._variables.get(name)
        signs = [child for child in node.children if not child.is_named][1:]
        sign = _text(signs[0]) if signs else "}"
        if node.type == "simple_expansion" or sign == "}":
            if name in "@*" or not known:
                return Word("", line) if name in "@*" else Word(_text(node), line, (name,))
            return known[0]._replace(line=line)
        rest = [child for child in node.named_children if child is not name_node]
        other = _glued([piece for each in rest for piece in self._pieces(each)], line)
        if sign in _DEFAULTS:
            return known[0] if known and known[0].text else other
        if sign in _ALTERNATIVES:
            return other if known and known[0].text else Word("", line)
        return Word(_text(node), line, (_text(node),))

    def _substitution(self, node: Node) -> Word:
        text, line = _text(node), self._line(node)
        if self._file is not None and "dirname" in text and _OWN_FOLDER.search(text):
            ups = re.search(r'dirname[^)]*\)[\'"]?((?:/\.\.)*)', text)
            folder = self._file.resolve().parent
            for _ in range(ups[1].count("..") if ups else 0):
                folder = folder.parent
            return Word(str(folder), line)
        return Word(text, line, (text[:40],))

    def _arithmetic(self, node: Node) -> Word:
        text, line = _text(node), self._line(node)
        inner = node.named_children
        value = self._number(inner[0]) if len(inner) == 1 else None
        if value is not None:
            return Word(str(value), line)
        missing = tuple(
            name
            for name in re.findall(r"[A-Za-z_]\w*", text)
            if not self._variables.get(name) or self._variables[name][0].missing
        )
        return Word(text, line, missing or (text,))

    def _number(self, node: Node) -> int | None:
        """The value of a whole arithmetic expression; None where it cannot be told."""
        if node.type == "parenthesized_expression" and node.named_child_count == 1:
            return self._number(node.named_children[0])
        if node.type == "unary_expression" and _text(node.children[0]) == "-":
            value = self._number(node.named_children[-1])
            return None if value is None else -value
        if node.type == "binary_expression" and node.child_count == 3:  # noqa: PLR2004
            left, right = self._number(node.children[0]), self._number(node.children[2])
            if left is None or right is None:
                return None
            return _calculated(_text(node.children[1]), left, right)
        if node.type == "variable_name":
            known = self._variables.get(_text(node))
            word = known[0] if known else Word("", 0, ("",))
        else:
            word = self._joined(node)
        return (
            int(word.text) if not word.missing and re.fullmatch(r"-?\d{1,18}", word.text) else None
        )


def _ends_its_line(assignment: Node) -> bool:
    """Whether an assignment is a statement of its own, although the grammar takes several in a line
    for the beginning of the next line's command.
    """
    command = assignment.parent
    if command is None or command.text is None:
        return False
    rest = command.text[assignment.end_byte - command.start_byte :]
    while (following := rest.lstrip(b" \t"))[:1] and not following.startswith(b"\n"):
        sibling = assignment.next_sibling
        if sibling is None or sibling.type != "variable_assignment":
            return False
        assignment = sibling
        rest = command.text[assignment.end_byte - command.start_byte :]
    return following.startswith(b"\n")


def _calculated(operator: str, left: int, right: int) -> int | None:
    if operator in ("/", "%") and right == 0:
        return None
    if operator == "/":  # towards zero, as bash has it
        return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    if operator == "%":
        return abs(left) % abs(right) * (1 if left >= 0 else -1)
    return {"+": left + right, "-": left - right, "*": left * right}.get(operator)


def _split(word: Word) -> list[Word]:
    """The words that an expansion without quotes becomes; each misses the names that it has."""
    if not all(map(str.isidentifier, word.missing)):
        return [word]
    parts = [
        word._replace(
            text=part,
            missing=tuple(each for each in word.missing if re.search(rf"\${{?{each}\b", part)),
        )
        for part in word.text.split()
    ]
    found = {name for part in parts for name in part.missing}
    return parts if found == set(word.missing) else [word]


def _glued(pieces: list[Word], line: int) -> Word:
    missing = tuple(dict.fromkeys(name for each in pieces for name in each.missing))
    return Word("".join(each.text for each in pieces), line, missing)


def _inner_script(words: list[Word]) -> Word | None:
    """The script in `bash -c SCRIPT`, also behind a wrapper; None where there is none."""
    for shell, flags, script in zip(words, words[1:], words[2:], strict=False):
        if shell.text.rsplit("/", 1)[-1] in ("bash", "sh") and re.fullmatch(r"-\w*c", flags.text):
            return script
    return None


def _first_error(root: Node) -> int:
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type == "ERROR" or node.is_missing:
            return int(node.start_point[0]) + 1
        todo.extend(
            child for child in reversed(node.children) if child.has_error or child.is_missing
        )
    return 1
