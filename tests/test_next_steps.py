"""What a person is told to look at where no signature knows an error."""

from __future__ import annotations

import pytest

from logdoctor.model import Language
from logdoctor.pipeline.scan import scan_text
from logdoctor.reports.run.markdown import render_markdown
from logdoctor.reports.run.painting import TextStyle
from logdoctor.reports.run.text import render_text
from logdoctor.search.automaton import Automaton
from logdoctor.signatures.nearest import ANYBODYS

ALIKE = "the maximum length of the model is not divisible by the number of cache blocks"
OWN = '  File "/work/train.py", line 31, in main\n    step(batch)\n'
LIBRARY = '  File "/usr/lib/python3/dist-packages/somelib/ops.py", line 12, in fold\n    raise OddShardError(n)\n'
STANDARD = '  File "/usr/lib/python3.11/asyncio/runners.py", line 190, in run\n    return runner.run(main)\n'


@pytest.mark.parametrize(
    ("frames", "said"),
    [
        (OWN, ["raised in main (/work/train.py:31)"]),
        (OWN + LIBRARY, ["inside somelib, in fold", "through main (/work/train.py:31)"]),
        (STANDARD + OWN, ["raised in main (/work/train.py:31)"]),
        (STANDARD, ["Only frames of Python itself are shown (run ("]),
    ],
)
def test_the_frames_say_where_to_look(automaton: Automaton, frames: str, said: list[str]) -> None:
    """At the run's own code, and at whose issues to search where a library raised it."""
    error = scan_text(
        automaton,
        f"Traceback (most recent call last):\n{frames}somelib.errors.OddShardError: shard 7 is odd\n",
    ).unknown_errors[0]
    assert [want in step.en for want, step in zip(said, error.next_steps, strict=True)] == [
        True
    ] * len(said)


@pytest.mark.parametrize(
    ("code", "message", "said"),
    [
        ("pool.send(lambda: self.pipe.write(block))", "OSError: [Errno 14] x", "self.pipe, block"),
        ("share = total / ranks", "OddZeroDivisionError: none", "total, ranks"),
        ("fold()", "oddlib.OddShardError: shard 7 is odd", "Its line is `fold()`."),
    ],
)
def test_the_line_that_is_left_of_a_traceback_is_told(
    automaton: Automaton, code: str, message: str, said: str
) -> None:
    """With what it uses, and without the claim that nothing was printed."""
    text = f'main.py", line 31, in main\n    {code}\n{message}\n'
    (error,) = scan_text(automaton, text).unknown_errors
    assert said in error.next_steps[-1].en
    assert "only the line that raised it is left" in error.next_steps[-1].en
    assert code in error.next_steps[-1].zh


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("oddlib.OddShardError", "oddlib.OddShardError: `assert rows.count == 7`"),
        ("AssertionError", "AssertionError: `assert rows.count == 7`"),
        ("AssertionError: shard 7 is odd", "AssertionError: shard 7 is odd"),
    ],
)
def test_an_error_that_says_nothing_is_called_after_its_line(
    automaton: Automaton, said: str, title: str
) -> None:
    """Where the log does not show that, by what it says."""
    frame = OWN.splitlines()[0]
    for code, expected in (("    assert rows.count == 7\n", title), ("", said)):
        text = f"Traceback (most recent call last):\n{frame}\n{code}{said}\n"
        assert [each.title for each in scan_text(automaton, text).unknown_errors] == [expected]


def test_without_frames_that_is_said_and_every_report_shows_it(automaton: Automaton) -> None:
    result = scan_text(automaton, "somelib.errors.OddShardError: shard 7 is odd\n")
    assert "No traceback was printed with it" in render_text(result, TextStyle())
    assert "没有附带 traceback" in render_text(result, TextStyle(Language.ZH)).replace(
        "\n", ""
    ).replace(" ", "").replace("traceback", " traceback")
    assert "### What to look at next" in render_markdown(result, Language.EN)


@pytest.mark.parametrize(
    ("frames", "is_named"),
    [
        ('  File "/opt/lib/python3.11/site-packages/vllm/engine.py", line 3, in f\n', True),
        ('  File "/opt/lib/python3.11/site-packages/trl/trainer.py", line 3, in f\n', False),
    ],
)
def test_an_error_resembles_what_its_own_package_prints(
    automaton: Automaton, frames: str, is_named: bool
) -> None:
    """The words of another package say nothing of this one."""
    text = f"Traceback (most recent call last):\n{frames}    f()\nvllm_like.OddError: {ALIKE}\n"
    for error in scan_text(automaton, text).unknown_errors:
        found = [automaton.database.find(id_) for id_, _ in error.nearest]
        components = {each.component for each in found if each} - ANYBODYS
        assert components == ({"vllm"} if is_named else set())


@pytest.mark.parametrize(
    ("code", "message", "said"),
    [
        ("share = total / ranks", "ZeroDivisionError", "what is ranks there, and what fills it?"),
        (
            "assert rows >= ranks",
            "AssertionError",
            "print what stands in the condition `rows >= ranks`",
        ),
        (
            "fold(rows)",
            "oddlib.OddShardError: shard 7 is odd",
            "Its line is `fold(rows)`: print what it uses (rows) just before it.",
        ),
        ("fold()", "oddlib.OddShardError: shard 7 is odd", "Its line is `fold()`."),
    ],
)
def test_the_line_of_code_is_told_and_what_of_it_is_meant(
    automaton: Automaton, code: str, message: str, said: str
) -> None:
    text = f"Traceback (most recent call last):\n{OWN.splitlines()[0]}\n    {code}\n{message}\n"
    (error,) = scan_text(automaton, text).unknown_errors
    assert said in error.next_steps[-1].en
    assert code in error.next_steps[-1].zh
