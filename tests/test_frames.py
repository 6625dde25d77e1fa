"""Whose code raised an exception: the frames tell, and the remedies follow from it."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logdoctor.document.document import document
from logdoctor.model import Applies, Language, LogEvent, LogLine
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton
from logdoctor.verdict.frames import FACTS, NOT_TOLD, frames_of, raised_by
from logdoctor.verdict.next_steps import next_steps
from tests.thoroughness import drawn

Kind = Literal["own", "package", "framework", "python", "no file"]

FRAMES: dict[Kind, tuple[str, str | None]] = {
    "own": ("/home/me/job/train.py", None),
    "package": ("/opt/venv/lib/python3.11/site-packages/datasets/arrow_dataset.py", "datasets"),
    "framework": ("/workspace/verl/verl/workers/fsdp_workers.py", "verl"),
    "python": ("/usr/lib/python3.11/unittest/mock.py", ""),
    "no file": ("<frozen os>", ""),
}
LINE = LogLine("x", 1, "x", "x")


def raised_in(kinds: list[Kind]) -> LogEvent:
    """An exception with these frames, outermost first."""
    frames = tuple(
        f'File "{FRAMES[kind][0]}", line {number}, in f{number} x[k]'
        for number, kind in enumerate(kinds, 1)
    )
    return LogEvent((LINE,), 0, "KeyError", "KeyError: 'k'", frames, is_traceback=True)


@pytest.mark.parametrize(
    ("path", "package"),
    [
        ("/RL/3rdparty/Megatron-LM/megatron/core/x.py", "Megatron-LM"),
        ("/RL/3rdparty/Bridge-workspace/Bridge/src/bridge/x.py", "Bridge"),
        ("/app/third_party/apex/apex/amp/x.py", "apex"),
        ("/app/third-party/apex/apex/amp/x.py", "apex"),
        ("/app/external/rllab/envs/x.py", "rllab"),
        ("/RL/Automodel-workspace/Automodel/nemo/x.py", "Automodel"),
        ("/app/third_party/x.py", None),
        ("/mnt/external/me/train.py", None),
        ("/home/me/rl-workspace/job/train.py", None),
        ("/app/external_data/me/train.py", None),
    ],
)
def test_another_projects_checkout_is_not_the_runs_own(path: str, package: str | None) -> None:
    """Unless only the folder's name resembles one."""
    frames = (f'File "{path}", line 3, in f x[k]',)
    event = LogEvent((LINE,), 0, "KeyError", "KeyError: 'k'", frames, is_traceback=True)
    assert raised_by(event).package == package


@given(st.lists(st.sampled_from(list(FRAMES)), max_size=8))
def test_the_innermost_frame_with_an_owner_decides(kinds: list[Kind]) -> None:
    """Python's own modules and code without a file are nobody to blame."""
    event = raised_in(kinds)
    raised = raised_by(event)
    owners = [FRAMES[each][1] for each in kinds if FRAMES[each][1] != ""]
    assert [each.package for each in frames_of(event)] == [FRAMES[each][1] for each in kinds]
    assert raised.package == (owners[-1] if owners else None)
    assert (raised.own is not None) == (None in owners)
    assert set(raised.facts({})) <= set(FACTS)
    assert (raised.facts({})["raised_in"] == NOT_TOLD) == (not owners)
    said = " ".join(step.en for step in next_steps(event, {}))
    assert "issues of unittest" not in said
    assert "issues of frozen" not in said
    assert ("search the issues" in said) == bool(raised.package)


@pytest.mark.parametrize(
    ("kinds", "given_to"),
    [
        (["own", "package", "own"], "datasets"),
        (["own", "package", "python", "own", "own"], "datasets"),
        (["own", "package"], None),
        (["own", "framework", "own"], None),
        (["own", "own"], None),
    ],
)
def test_a_function_that_a_library_calls_with_rows_is_told(
    kinds: list[Kind], given_to: str | None
) -> None:
    assert raised_by(raised_in(kinds)).given_to == given_to


OWN = '  File "/home/me/job/train.py", line 31, in add_prompt\n    text = fold(row)\n'
MAP = '  File "/opt/lib/python3.11/site-packages/datasets/arrow_dataset.py", line 3500, in _map\n    f(example, i)\n'
LIBRARY = '  File "/opt/lib/python3.11/site-packages/transformers/trainer_pt_utils.py", line 12, in pad\n    x = y\n'
SAID = {
    "key-missing": "KeyError: 'advantages'",
    "attribute-missing": "AttributeError: 'Folder' object has no attribute 'unfold'",
    "unexpected-keyword-argument": "TypeError: Folder.__init__() got an unexpected keyword argument 'depth'",
    "none-where-object-expected": "TypeError: 'NoneType' object is not subscriptable",
    "type-not-usable-so": "TypeError: 'float' object is not iterable",
    "operand-types-unsupported": "TypeError: unsupported operand type(s) for /: 'str' and 'int'",
    "argument-missing": "TypeError: fold() missing 1 required positional argument: 'depth'",
}


def first_remedy(automaton: Automaton, id_: str, frames: str) -> tuple[Applies, str]:
    text = f"transformers==4.51.3\nTraceback (most recent call last):\n{frames}{SAID[id_]}\n"
    (diagnosis,) = scan_text(automaton, text).diagnoses
    assert diagnosis.signature.id == id_
    assert "<" not in diagnosis.remedies[0].action.en
    return diagnosis.remedies[0].applies, diagnosis.remedies[0].action.en


@pytest.mark.parametrize("id_", SAID)
def test_an_error_inside_a_package_is_about_that_package(automaton: Automaton, id_: str) -> None:
    """The package is named with its release where the log tells it."""
    applies, action = first_remedy(automaton, id_, OWN + LIBRARY)
    assert applies is Applies.YES
    assert "transformers" in action
    if "releases" in action or "release with" in action:
        assert "transformers 4.51.3" in action


@pytest.mark.parametrize("id_", [each for each in SAID if each != "operand-types-unsupported"])
def test_an_error_in_the_run_s_own_code_names_its_function_and_line(
    automaton: Automaton, id_: str
) -> None:
    applies, action = first_remedy(automaton, id_, OWN)
    assert applies is Applies.YES
    assert "add_prompt (/home/me/job/train.py:31)" in action


@pytest.mark.parametrize(
    "id_",
    [
        "attribute-missing",
        "none-where-object-expected",
        "type-not-usable-so",
        "operand-types-unsupported",
    ],
)
def test_an_error_in_a_given_function_is_about_a_row(automaton: Automaton, id_: str) -> None:
    """Or about what the function returns: the library that calls it is not to blame."""
    applies, action = first_remedy(automaton, id_, OWN.replace("add_prompt", "main") + MAP + OWN)
    assert applies is Applies.YES
    assert "datasets calls add_prompt (/home/me/job/train.py:31) with the rows" in action


@settings(max_examples=drawn(30), deadline=None)
@given(st.lists(st.sampled_from(list(FRAMES)), min_size=1, max_size=5))
def test_the_document_names_the_package_of_an_unknown_error(
    automaton: Automaton, kinds: list[Kind]
) -> None:
    frames = "".join(f'  File "{FRAMES[each][0]}", line 7, in f\n    x = y\n' for each in kinds)
    text = f"Traceback (most recent call last):\n{frames}oddlib.OddShardError: shard 7 is odd\n"
    (row,) = document(scan_text(automaton, text), Language.EN, "0")["unknown_errors"]
    owners = [FRAMES[each][1] for each in kinds if FRAMES[each][1] != ""]
    assert row["package"] == (owners[-1] if owners else None)


def test_without_a_traceback_guesses_are_made_but_not_ticked(automaton: Automaton) -> None:
    message = "TypeError: f() missing 1 required positional argument: 'x'\n"
    frame = (
        'Traceback (most recent call last):\n  File "/home/me/train.py", line 3, in go\n    f()\n'
    )
    (bare,) = scan_text(automaton, message).diagnoses
    (framed,) = scan_text(automaton, frame + message).diagnoses
    assert all(each.applies is Applies.ALWAYS for each in bare.remedies[:2])
    guesses = {each.action.en for each in bare.remedies[:2]}
    assert {each.applies for each in framed.remedies if each.action.en in guesses} == {Applies.NO}


def test_what_two_ranks_wrote_into_one_line_is_read_as_one(automaton: Automaton) -> None:
    mixed = "Traceback (most recent call last):\n\nKeyErrorKeyError: : 'input_ids_j'\n"
    (diagnosis,) = scan_text(automaton, mixed).diagnoses
    assert (diagnosis.signature.id, diagnosis.captures["key"]) == ("key-missing", "'input_ids_j'")


@pytest.mark.parametrize(
    ("inner", "function", "package"),
    [
        ("torch", "__delattr__", "oddlib"),
        ("torch", "__getattr__", "oddlib"),
        ("datasets", "__getitem__", "oddlib"),
        ("torch", "_call_impl", "oddlib"),
        ("transformers", "wrapper", "oddlib"),
        ("torch", "delete", "torch"),
        (None, "__getitem__", None),
    ],
)
def test_what_only_carries_out_what_it_is_asked_for_did_not_raise_it(
    inner: str | None, function: str, package: str | None
) -> None:
    """Unless it is the run's own, whose attributes and elements are made there."""
    folder = f"/opt/lib/python3.11/site-packages/{inner}" if inner else "/home/me/job"
    outer = 'File "/opt/lib/python3.11/site-packages/oddlib/core.py", line 5, in setup del m.old'
    event = LogEvent(
        (LINE,),
        0,
        "AttributeError",
        "AttributeError: old",
        (outer, f'File "{folder}/x.py", line 9, in {function} super().x(name)'),
        is_traceback=True,
    )
    raised = raised_by(event)
    assert raised.package == package
    assert (raised.code == "del m.old") == (package == "oddlib")


def test_where_nothing_else_is_told_it_is_what_raised_it() -> None:
    frame = 'File "/opt/lib/python3.11/site-packages/torch/x.py", line 9, in __getattr__ x'
    event = LogEvent((LINE,), 0, "AttributeError", "AttributeError: x", (frame,), is_traceback=True)
    assert raised_by(event).package == "torch"


@pytest.mark.parametrize(
    ("path", "code", "launcher"),
    [
        ("/opt/conda/bin/odd-tool", "from oldodd.cli import main", "odd-tool"),
        ("/home/me/bin/train.py", "from oldodd.cli import main", None),
        ("/opt/conda/bin/odd-tool", "sys.exit(main())", None),
    ],
)
def test_a_command_that_cannot_import_what_it_starts_is_of_another_release(
    automaton: Automaton, path: str, code: str, launcher: str | None
) -> None:
    """To install the module by its name would bring another package."""
    text = (
        f'Traceback (most recent call last):\n  File "{path}", line 5, in <module>\n    {code}\n'
        "ModuleNotFoundError: No module named 'oldodd'\n"
    )
    (diagnosis,) = scan_text(automaton, text).diagnoses
    shown = [each for each in diagnosis.remedies if each.applies is not Applies.NO]
    installs = [each for each in shown if "pip install oldodd" in each.action.en]
    reinstalls = [each for each in shown if f"the command {launcher}" in each.action.en]
    assert (len(reinstalls), len(installs)) == ((1, 0) if launcher else (0, 1))
