"""What an exception is about in the line that raised it, and what is said of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logdoctor.model import Applies
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton
from logdoctor.verdict.code_lines import USED_LIMIT, culprit_of, used_in
from tests.thoroughness import drawn

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


REMAINS = {
    "indented": "    {code}\n",
    "pasted without its indent": "{code}\n",
    "marked by Python": "{code}\n    ~~~~^^^^^^^\n",
    "below the rest of its frame": 'ob/train.py", line 31, in score\n    {code}\n',
    "of a rank": "[rank3]:     {code}\n",
}


@pytest.mark.parametrize("message", [each for each in ASKED if "Fold" not in each])
@pytest.mark.parametrize("remains", REMAINS)
def test_the_line_that_is_left_of_a_traceback_is_read(
    automaton: Automaton, message: str, remains: str
) -> None:
    """Whatever of it was cut off, the first remedy speaks of that line, or of what it is about."""
    code, _ = ASKED[message]
    culprit = culprit_of(message.partition(":")[0], message, code)
    lane = "[rank3]: " if remains.startswith("of a rank") else ""
    text = f"{REMAINS[remains].format(code=code)}{lane}{message}\n"
    (diagnosis,) = scan_text(automaton, text).diagnoses
    assert any(f"{culprit}" in each.action.en for each in diagnosis.remedies[:1])


@pytest.mark.parametrize("mark", ["", "~~~~~~", "------"])
@pytest.mark.parametrize(
    "above", ["Loading checkpoint shards of the model", "Epoch 3", "done", "7"]
)
def test_only_the_mark_of_python_makes_code_of_the_line_above(
    automaton: Automaton, above: str, mark: str
) -> None:
    """Neither a blank line nor the rule below a heading; and prose is no code below any."""
    text = f"INFO start\n{above}\n{mark}\nFrobnicateError: bad thing happened here now\n"
    for each in (text, text.replace(f"\n{mark}\n", "\n    ^^^^\n") if " " in above else text):
        (error,) = scan_text(automaton, each).unknown_errors
        assert not any("`" in step.en for step in error.next_steps)


@pytest.mark.parametrize(
    "above",
    [
        "step 12: parts[1] of 8 written",
        "INFO writing last = parts of the checkpoint",
        "parts: [1, 2]",
        "last = 7",
        "  learning_rate = 1e-5",
        "[rank1]: last = parts[1]",
    ],
)
def test_another_line_above_an_exception_is_no_code_of_it(automaton: Automaton, above: str) -> None:
    """Neither one that nobody wrote as code, nor one of another writer."""
    text = f"{above}\n[rank0]: IndexError: list index out of range\n"
    (diagnosis,) = scan_text(automaton, text).diagnoses
    assert not any("`" in each.action.en for each in diagnosis.remedies)


def test_an_attribute_that_a_class_misses_in_itself_is_set_there(automaton: Automaton) -> None:
    text = "    if n != self._seen:\n            ^^^^^^^^^^\nAttributeError: 'Fold' object has no attribute '_seen'\n"
    (diagnosis,) = scan_text(automaton, text).diagnoses
    assert "nothing has set self._seen before" in diagnosis.remedies[0].action.en
    other = scan_text(automaton, text.replace("self._seen", "fold._seen")).diagnoses[0]
    assert "nothing has set" not in other.remedies[0].action.en
    assert not any("built-in" in each.action.en for each in (*other.remedies[:2],))


@pytest.mark.parametrize(
    ("line", "used"),
    [
        ("fold(rows)", ("rows",)),
        ("self.send(lambda: self._io.write(block))", ("self._io", "block")),
        ("x = torch.cat([a, b.c], dim=self.dim)", ("a", "b.c", "self.dim")),
        ("for i, batch in enumerate(loader):", ("loader",)),
        ("return [f(x) for x in rows]", ("rows",)),
        ("self.loss.backward()", ("self.loss",)),
        ("raise OddShardError(n)", ()),
        ("main()", ()),
        ("model = build(", ()),
        ("reading shard 7", ()),
        ("f(a, b, c, d)", ("a", "b", "c")),
        ("x = self.fc(x)", ("x",)),
        ("loss = model(batch, loss)", ("batch", "loss")),
        ("torch.cuda.synchronize(stream)", ("stream",)),
        ("y = f(rows[next(it)])", ("rows", "it")),
    ],
)
def test_a_line_uses_what_its_calls_are_given(line: str, used: tuple[str, ...]) -> None:
    """And what they are called on; not what it makes itself, nor what it only names to raise it."""
    assert used_in(line) == used


@given(st.text(max_size=60))
def test_of_any_line_few_values_are_told(line: str) -> None:
    assert len(used_in(line)) <= USED_LIMIT


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


@settings(max_examples=drawn(20), deadline=None)
@given(st.sampled_from(list(ASKED)))
def test_without_the_line_nothing_is_said_of_it(automaton: Automaton, message: str) -> None:
    """Neither an empty place nor a name of ours stands where it would."""
    text = f"Traceback (most recent call last):\n{OWN}{message}\n"
    (diagnosis,) = scan_text(automaton, text).diagnoses
    for each in diagnosis.remedies:
        assert "``" not in each.action.en + each.why.en
        assert "…" not in each.action.en
