"""What an exception is about in the line that raised it, and what is said of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logdoctor.model import Applies
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton
from logdoctor.verdict.code_lines import culprit_of

WHO = st.sampled_from(
    ["count", "self.total", "len(rows)", "batch.mask", "stats['seen']", "f(x)[0]"]
)
# exception, its message, lines of code with {} for what it is about
LINES = {
    "ZeroDivisionError: division by zero": [
        "mean = total / {}",
        "return 100 * sum(rewards) / {}",
        "if left // {} > 3:",
        "elif x % {}:",
        "per_rank = divide(batch / {},",
        "loss /= {}",
        "'%d of %d' % (a / {}, b)",
    ],
    "KeyError: 'reward'": [
        "y = {}['reward']",
        "'reward': {}[\"reward\"],",
        "scores.append(float({}['reward'].item()))",
        "return {}.pop('reward')",
    ],
    "IndexError: list index out of range": ["last = {}[1]", "print({}[-1].strip())"],
    "TypeError: 'NoneType' object is not subscriptable": ["text = {}[3]"],
    "TypeError: object of type 'NoneType' has no len()": ["n = len({})"],
    "TypeError: 'NoneType' object is not iterable": ["for row in {}:", "a, b = {}"],
    "AttributeError: 'NoneType' object has no attribute 'shape'": [
        "n = {}.shape[0]",
        "with open(path.format({}.shape)) as file:",
    ],
    "AssertionError: no rows": ["assert {}, 'no rows'"],
    "ValueError: not enough values to unpack (expected 2, got 1)": [
        "for key, value in {}:",
        "key, value = {}",
    ],
    "ValueError: 'ckpt-9' is not in list": [
        "best = names.index({})",
        "return sorted(self.names).index({})",
    ],
    "ValueError: list.remove(x): x not in list": ["self.queue.remove({})"],
    "ValueError: 7 is not in range": ["place = range(3).index({})"],
    "ValueError: substring not found": ["start = text.index({}) + 1"],
    "ValueError: invalid literal for int() with base 10: 'auto'": ["n = int({})"],
    "ValueError: could not convert string to float: 'high'": ["rewards.append(float({}))"],
    "TypeError: float() argument must be a string or a real number, not 'NoneType'": [
        "x = float({})"
    ],
}
CASES = [(message, line) for message, lines in LINES.items() for line in lines]


@given(st.sampled_from(CASES), WHO)
def test_the_line_tells_what_the_message_is_about(case: tuple[str, str], who: str) -> None:
    """Also in a line whose brackets the next one closes, at the head of a block, in a dict."""
    message, line = case
    said = culprit_of(message.partition(":")[0], message, line.format(who))
    is_subscripted = message.startswith("IndexError") or "subscriptable" in message
    is_two = ("[" in who and is_subscripted) or ("len(" in who and "len()" in message)
    assert said == (None if is_two else who)


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("ZeroDivisionError: division by zero", "x = a / n + b / m"),  # two of them
        ("ZeroDivisionError: division by zero", "x = a / 2"),  # that is not 0
        ("ZeroDivisionError: division by zero", "step(batch)"),
        ("KeyError: 'reward'", "y = a['reward'] + b['reward']"),
        ("KeyError: 'reward'", "y = a['other']"),
        ("ValueError: 'b' is not in list", "x = a.index(b) + c.index(d)"),
        ("ValueError: 'b' is not in list", "x = find(a, b)"),
        ("ValueError: a bad one", "x = a.index(b)"),
        ("ZeroDivisionError: division by zero", "x = a / 这 ) ("),  # no Python
        ("OddShardError: odd", "x = a / n"),
    ],
)
def test_where_the_line_does_not_tell_nothing_is_said(message: str, line: str) -> None:
    assert culprit_of(message.partition(":")[0], message, line) is None


@given(st.text(max_size=60), st.sampled_from(list(LINES)))
def test_any_line_can_be_read(line: str, message: str) -> None:
    said = culprit_of(message.partition(":")[0], message, line)
    assert said is None or said


OWN = '  File "/home/me/job/train.py", line 31, in score\n'
ASKED = {
    "ZeroDivisionError: division by zero": ("mean = total / count", "count is 0"),
    "KeyError: 'reward'": ("y = feature['reward']", "feature has no 'reward'"),
    "IndexError: list index out of range": ("last = parts[1]", "parts is shorter than"),
    "TypeError: 'NoneType' object is not subscriptable": ("x = mask[0]", "mask is None"),
    "AttributeError: 'NoneType' object has no attribute 'shape'": (
        "n = batch.mask.shape[0]",
        "batch.mask is None",
    ),
    "TypeError: unsupported operand type(s) for /: 'str' and 'int'": (
        "lr = cfg.lr / 3",
        "`cfg.lr / 3` has a str",
    ),
    "ValueError: max() arg is an empty sequence": ("top = max(scores)", "scores is empty"),
    "ValueError: not enough values to unpack (expected 2, got 1)": (
        "q, a = row.split('#')",
        "row.split('#') gives another number",
    ),
    "AttributeError: 'Fold' object has no attribute 'depth'": (
        "d = self.fold.depth",
        'takes "depth" from self.fold',
    ),
    "TypeError: 'float' object is not iterable": ("for x in loss:", "the float is loss"),
    "ValueError: 'ckpt-9' is not in list": ("i = names.index(best)", "looked for is best"),
}


@pytest.mark.parametrize("message", ASKED)
def test_the_first_remedy_speaks_of_the_run_s_own_line(automaton: Automaton, message: str) -> None:
    code, said = ASKED[message]
    text = f"Traceback (most recent call last):\n{OWN}    {code}\n{message}\n"
    (diagnosis,) = scan_text(automaton, text).diagnoses
    first = diagnosis.remedies[0]
    assert first.applies is Applies.YES
    assert said in first.action.en
    assert "score (/home/me/job/train.py:31)" in first.action.en
    assert code in first.action.en or "`cfg.lr / 3`" in first.action.en
    assert code in first.action.zh or "`cfg.lr / 3`" in first.action.zh


def test_the_line_of_a_library_is_read_as_well(automaton: Automaton) -> None:
    """Of an error that no signature knows, and of one that a signature knows by its type."""
    code = "best = found.index(str(Path(self.state.best_model_checkpoint)))"
    frame = '  File "/opt/lib/python3.11/site-packages/odd/trainer.py", line 31, in sort\n'
    above = f"Traceback (most recent call last):\n{frame}    {code}\n"
    known = scan_text(automaton, f"{above}ValueError: 'a/b' is not in list\n").diagnoses[0]
    assert (
        "looked for is str(Path(self.state.best_model_checkpoint)):" in known.remedies[0].action.en
    )
    text = f"{above.replace(code, 'assert found == wanted')}AssertionError: odd ones out\n"
    unknown = scan_text(automaton, text).unknown_errors[0]
    assert any("`found == wanted`" in each.en for each in unknown.next_steps)


def test_words_of_the_system_make_no_neighbours(automaton: Automaton) -> None:
    """A bad address is no address in use; the number is told instead."""
    (error,) = scan_text(automaton, "OSError: [Errno 14] Bad address\n").unknown_errors
    assert error.nearest == ()
    assert any(each.en.startswith("errno 14 means") for each in error.next_steps)


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(list(ASKED)))
def test_without_the_line_nothing_is_said_of_it(automaton: Automaton, message: str) -> None:
    """Neither an empty place nor a name of ours stands where it would."""
    text = f"Traceback (most recent call last):\n{OWN}{message}\n"
    (diagnosis,) = scan_text(automaton, text).diagnoses
    for each in diagnosis.remedies:
        assert "``" not in each.action.en + each.why.en
        assert "…" not in each.action.en
