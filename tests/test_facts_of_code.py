"""What a line of code tells of an error: content of files, deleted attributes, names for pip."""

from __future__ import annotations

import pytest

from logdoctor.formats.pip_names import pip_name
from logdoctor.model import Applies
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton
from logdoctor.verdict.code_lines import deleted_in, read_from_file

TRACEBACK = """\
Traceback (most recent call last):
  File "/w/train.py", line 30, in <module>
    {code}
{error}
"""


@pytest.mark.parametrize(
    ("code", "loaded"),
    [
        ('step = torch.load(path)["k"]', "torch.load(path)"),
        ('optimizer.load_state_dict(ckpt["k"])', "ckpt"),
        ('scheduler.load_state_dict(state["k"])', "state"),
        ('best = saved_state["k"]', "saved_state"),
        ('weights = json.load(handle)["k"]', "json.load(handle)"),
        ('text = row["k"]', None),
        ('value = upload(path)["k"]', None),
        ('model.load(batch["k"], 3)', None),
        ('checkpointing = config["k"]', None),
    ],
)
def test_content_of_a_file_is_known_by_its_line(code: str, loaded: str | None) -> None:
    assert read_from_file("KeyError", "KeyError: 'k'", code) == loaded


@pytest.mark.parametrize(
    ("code", "deleted"),
    [
        ("del model._cache", "model._cache"),
        ("del self.a, self.b", None),
        ("del rows[3]", None),
        ("delete(model._cache)", None),
    ],
)
def test_a_deleted_attribute_is_known(code: str, deleted: str | None) -> None:
    assert deleted_in(code) == deleted


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("cv2", "opencv-python-headless"),
        ("PIL.Image", "pillow"),
        ("google.cloud.storage", "google-cloud-storage"),
        ("google.rpc", None),
        ("some_pkg.part", "some-pkg"),
    ],
)
def test_pip_s_name_of_a_module(module: str, name: str | None) -> None:
    assert pip_name(module) == name


@pytest.mark.parametrize(
    ("code", "error", "said"),
    [
        ('optimizer.load_state_dict(ckpt["optimizer"])', "KeyError: 'optimizer'", "weights only"),
        ("del model._old", "AttributeError: 'Net' object has no attribute '_old'", "hasattr"),
        (
            "import cv2",
            "ModuleNotFoundError: No module named 'cv2'",
            "pip install opencv-python-headless",
        ),
    ],
)
def test_it_is_what_the_first_remedy_says(
    code: str, error: str, said: str, automaton: Automaton
) -> None:
    found = scan_text(automaton, TRACEBACK.format(code=code, error=error)).diagnoses[0]
    first = found.remedies[0]
    assert first.applies is Applies.YES
    assert said in first.action.en
    shown = [each.action.en for each in found.remedies if each.applies is not Applies.NO]
    assert not any("column_names" in each for each in shown)


def test_a_key_of_anything_else_is_no_file_s(automaton: Automaton) -> None:
    text = TRACEBACK.format(code='rate = table["k"]', error="KeyError: 'k'")
    remedies = scan_text(automaton, text).diagnoses[0].remedies
    assert "list(table.keys())" in remedies[0].action.en
    assert not any("content of a file" in each.action.en for each in remedies)
