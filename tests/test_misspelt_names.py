"""A name that is missing, and the one that Python offers for it: a slip, or another name."""

import pytest

from logdoctor.formats.misspelt_names import offered_name
from logdoctor.model import Applies
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton

OWN = 'Traceback (most recent call last):\n  File "/job/train.py", line 3, in main\n    go(x)\n'
IN_LIBRARY = (
    'Traceback (most recent call last):\n  File "/job/train.py", line 3, in <module>\n'
    '    import swift\n  File "/opt/lib/python3.11/site-packages/swift/models.py", line 9, in '
    "<module>\n    from transformers import X\n"
)


def _imported(name: str, offered: str) -> str:
    where = "(/opt/lib/python3.11/site-packages/transformers/__init__.py)"
    said = f"cannot import name '{name}' from 'transformers' {where}"
    return f"ImportError: {said}. Did you mean: '{offered}'?"


@pytest.mark.parametrize(
    ("name", "offered"),
    [
        ("modle", "model"),
        ("rws", "rows"),
        ("rowss", "rows"),
        ("Gpt2Model", "GPT2Model"),
        ("loadweights", "load_weights"),
    ],
)
def test_a_slip_of_the_pen_is_one_word(name: str, offered: str) -> None:
    offer = offered_name(f"NameError: name '{name}' is not defined. Did you mean: '{offered}'?")
    assert offer == (name, offered)
    assert offer.is_slip


@pytest.mark.parametrize(
    ("name", "offered"),
    [
        ("num_iterations", "num_generations"),
        ("Qwen2Config", "Qwen3Config"),
        ("Qwen2Config", "QwenConfig"),
        ("is_torch_xpu_available", "is_torch_npu_available"),
        ("_tied_weights_keys", "all_tied_weights_keys"),
    ],
)
def test_another_name_is_no_slip(name: str, offered: str) -> None:
    offer = offered_name(f"'A' object has no attribute '{name}'. Did you mean: '{offered}'?")
    assert offer == (name, offered)
    assert not offer.is_slip


def test_without_an_offer_there_is_none() -> None:
    assert offered_name("NameError: name 'modle' is not defined") is None


@pytest.mark.parametrize(
    "line",
    [
        "NameError: name 'shrad' is not defined. Did you mean: 'shard'?",
        "AttributeError: 'A' object has no attribute 'shrad'. Did you mean: 'shard'?",
        "AttributeError: module 'numpy' has no attribute 'shrad'. Did you mean: 'shard'?",
        _imported("AutoModelFroCausalLM", "AutoModelForCausalLM"),
    ],
)
def test_a_misspelt_name_is_corrected_first(automaton: Automaton, line: str) -> None:
    (diagnosis,) = scan_text(automaton, f"{OWN}{line}\n").diagnoses
    first, *others = diagnosis.remedies
    assert "is a slip of the pen" in first.action.en
    assert first.applies is Applies.YES
    assert all(each.applies is not Applies.YES for each in others)


def test_one_in_a_library_says_whose_line_it_is(automaton: Automaton) -> None:
    text = f"{IN_LIBRARY}{_imported('AutoModelFroCausalLM', 'AutoModelForCausalLM')}\n"
    (diagnosis,) = scan_text(automaton, text).diagnoses
    assert "swift's own" in diagnosis.remedies[0].action.en


def test_another_name_is_not_advised(automaton: Automaton) -> None:
    line = "AttributeError: 'Job' object has no attribute 'num_iterations'. Did you mean: "
    (diagnosis,) = scan_text(automaton, f"{OWN}{line}'num_generations'?\n").diagnoses
    assert "num_generations" not in diagnosis.remedies[0].action.en
