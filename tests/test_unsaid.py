"""What nobody said: source code, manuals and what only speaks of failures; and, beside each, the
failure of the same form.
"""

import pytest

from logdoctor.formats.error_lines import tells_of_crash, tells_of_report
from logdoctor.formats.unsaid import Around, is_in_code, is_listed, is_source_code
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton

FRAME = '  File "/app/shard.py", line 3, in cut\n    check(n)\n'
HEADER = "Traceback (most recent call last):\n"

SILENT = {
    "below the heading of a list, as Google has it": (
        '    Raises:\n      ShapeError: the parts of the shard differ.\n    """\n'
    ),
    "below others of such a list": (
        "    Raises:\n      TypeError: the shard is a number.\n      LookupError: nobody has it,\n"
        "          neither here nor there.\n\n      ShapeError: the parts of the shard differ.\n"
    ),
    "below the heading of a list, as numpy has it": (
        "    Raises\n    ------\n    ShapeError\n        The parts of the shard differ.\n"
    ),
    "when it would be raised": "        ShapeError: If the parts of the shard differ.\n",
    "when it would be raised, a line below": (
        "    ShapeError :\n        If the parts of the shard differ.\n"
    ),
    "a member of a literal": (
        "    Token.Name: 'bold',\n    Token.Error: 'red',\n    Token.Text: 'black',\n"
    ),
    "a member of a literal, with comments": (
        '    Token.Name: "",  # nobody knows\n    Token.Error: "",  # as before\n'
    ),
    "the only member of a literal": "x = {\n    ShapeError: RemoteShapeError,\n}\n",
    "a call as a member": (
        "x = {\n    IndexError: strategy(\n        IndexError,\n    ),\n    ShapeError: strategy(\n"
    ),
    "a member of a class": "        ShapeError::operator=(other);\n    ShapeError::Inner\n",
    "a comment in code": "    # ShapeError: the parts differ: exited with code 3\n",
    "between statements": (
        "    def cut(self):\n        status = 'exited with code 3'\n        return status\n"
    ),
    "a statement of C": '    exit_code = 3;\n    x = died ? " (core dumped)" : "";\n',
    "what a comment of C explains": "#define DIES 7\t/* Bus error. */\n",
    "a declaration": "    ShapeError: str | None\n    LaterError: Optional[ShapeError]\n",
    "a traceback of three dots in an indented block": (
        "    cut(3)\n    Traceback (most recent call last):\n    ...\n    ShapeError: parts differ\n"
    ),
    "the end of a call above": (
        "    >>> cut(\n    ...     1,\n    ...     2,\n    ...     3,\n    ... )\n"
        "    Traceback (most recent call last):\n    ShapeError: parts differ\n"
    ),
    "crashes in general": (
        "Reading freed memory might result in a segmentation fault.\n"
        "* fix rare segmentation faults when a shard is cut\n"
        "This should not cause a segmentation fault.\n"
    ),
}
"""Each is what stands in a program or a manual."""

LOUD = {
    "below a heading of its own": "Raises:\nShapeError: the parts of the shard differ.\n",
    "indented, without a list": "step 3\n      ShapeError: the parts of the shard differ.\n",
    "below another error": (
        "      LookupError: nobody has it\n\n      ShapeError: the parts of the shard differ.\n"
    ),
    "with a traceback": f"{HEADER}{FRAME}ShapeError: If the parts differ, nothing can be cut\n",
    "an indented traceback": (
        "    Raises:\n".replace("Raises", "Rank 3")
        + "".join(f"    {line}\n" for line in f"{HEADER}{FRAME}ShapeError: x".splitlines())
    ),
    "at the margin": "ShapeError: If the parts differ, nothing can be cut\n",
    "to somebody": "    ShapeError: If you cut a shard, its parts must be alike\n",
    "from a rank": "[rank3]:     ShapeError: If the parts differ, nothing can be cut\n",
    "with a comma at its end": "    ShapeError: the parts differ,\n    so that nothing can be cut\n",
    "a comment at the margin": "# worker 3 exited with code 3\n",
    "between lines of a log": "  loss = 0.5\n  worker 3 exited with code 3\n  loss = 0.4\n",
    "in a printed value": (
        '  "run": {\n    "shard": {\n      "error": "worker 3 exited with code 3"\n    }\n  }\n'
    ),
    "a key that nobody quotes": '  run: {\n    status: "worker 3 exited with code 3"\n  }\n',
    "three dots at the margin": f"{HEADER}...\nShapeError: parts differ\n",
    "three dots below frames": (
        "".join(f"    {line}\n" for line in f"{HEADER}{FRAME}...\nShapeError: x".splitlines())
    ),
    "three dots below a message": "    ShapeError: the parts differ\n    ... 3 parts more\n",
    "a crash": "run.sh: line 7:  4012 Segmentation fault      (core dumped) python train.py\n",
    "a crash in a sentence": "worker 3 died with a segmentation fault, restarting\n",
    "what could not go on": "cannot continue after segmentation fault of rank 3\n",
}
"""Each is a failure that has come."""


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_what_nobody_said_is_no_error(automaton: Automaton, text: str) -> None:
    result = scan_text(automaton, f"some words\n\n{text}\nfurther words\n")
    assert [each.title for each in result.unknown_errors] == []
    assert [each.signature.id for each in result.diagnoses] == []


@pytest.mark.parametrize("text", LOUD.values(), ids=LOUD)
def test_a_failure_of_the_same_form_is_told(automaton: Automaton, text: str) -> None:
    assert scan_text(automaton, f"some words\n\n{text}\nfurther words\n").answer is not None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("segmentation fault", True),
        ("zsh: segmentation fault (core dumped)  python train.py", True),
        ("rank 3 could not be reached: it died of a segmentation fault", True),
        ("the pool will be restarted because of a segmentation fault", True),
        ("it may fail; then: Bus error (core dumped)", True),
        ("calling it twice can segmentation fault", False),
        ("segmentation faults of old drivers", False),
        ("this shouldn't cause a segmentation fault", False),
        ("fixed a segmentation fault where no shard is left", False),
        ("fixed a segmentation fault; rank 3: Segmentation fault (core dumped)", True),
    ],
)
def test_a_crash_has_come_or_is_only_spoken_of(text: str, expected: bool) -> None:
    assert tells_of_crash(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Exits with error code 2 if no shard is left.", False),
        ("It will fail with exit code 1 unless a shard is given", False),
        ("cut.py exits with code 2", True),
        ("cut.py exited with code 2 when it had no shard", True),
        ("cut.py exits with code 2 if asked to, and has exited with code 3", True),
    ],
)
def test_a_program_has_ended_or_would_end(text: str, expected: bool) -> None:
    assert tells_of_report(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("return ShapeError(f'exited with code {code}')", True),
        ("return code 3", False),
        ("msg = f'worker {rank} exited with code 3'", True),
        ("state = exited with code 3", False),
        ("rc = 3;", True),
        ("rc = 3", False),
        ("ShapeError: Final = shapes.ShapeError", True),
        ("KeyError: names[3]", False),
    ],
)
def test_a_statement_is_told_from_a_message(text: str, expected: bool) -> None:
    assert is_source_code(text) is expected


def test_only_an_indented_line_stands_in_code() -> None:
    """A log of a shell's commands has none."""
    around = Around(("  def cut(self):",), ("  return status",))
    assert is_in_code("  worker 3 exited with code 3", around)
    assert not is_in_code("worker 3 exited with code 3", around)
    assert not is_in_code("  worker 3 exited with code 3", Around(around.above, ("step 3",)))
    assert not is_in_code("  worker 3 exited with code 3", Around((), ()))


def test_a_heading_rules_what_is_indented_below_it() -> None:
    """Until a line stands further left."""
    error = "      ShapeError: the parts differ"
    assert is_listed(error, error.strip(), Around(("    Raises:",), ()))
    assert is_listed(error, error.strip(), Around(("    Raises:", "      A: b", ""), ()))
    assert not is_listed(error, error.strip(), Around(("    Raises:", "  so it is"), ()))
    assert not is_listed(error, error.strip(), Around(("    Raises what is below",), ()))
    assert not is_listed(error, error.strip(), Around(("    Raises",), ()))
