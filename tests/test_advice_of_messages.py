"""The first remedy, the title and the signature are those of the very message, in families of
messages of one signature.
"""

from __future__ import annotations

import pytest

from logdoctor.model import Applies, Diagnosis, Verdict
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton

AT = '  File "/app/train.py", line 7, in <module>\n    x = x + table["off"]\n'
HEADER = "Traceback (most recent call last):\n" + AT


def root(automaton: Automaton, text: str) -> Diagnosis | None:
    """The root cause, if a signature knows it."""
    found = scan_text(automaton, text).diagnoses
    return next((each for each in found if each.verdict is Verdict.ROOT_CAUSE), None)


def first(found: Diagnosis | None) -> str:
    """The first remedy that the log proves or that holds for every run."""
    assert found is not None
    shown = [each for each in found.remedies if each.applies in (Applies.YES, Applies.ALWAYS)]
    return shown[0].action.en


@pytest.mark.parametrize(
    "key",
    [
        "'text'",
        "'Unnamed: 0'",
        "'question text'",
        "'my own column'",
        "7",
    ],
)
def test_a_key_is_a_missing_key(automaton: Automaton, key: str) -> None:
    """Also one with a few blanks."""
    found = root(automaton, f"{HEADER}KeyError: {key}\n")
    assert found is not None
    assert found.signature.id == "key-missing"


@pytest.mark.parametrize(
    "message",
    [
        "'The reward server has no answer for this batch of prompts'",
        "'Expected the batch to have advantages before the actor update'",
        '"No tool with that name is registered in this environment"',
    ],
)
def test_a_sentence_is_no_key(automaton: Automaton, message: str) -> None:
    """Whoever raises KeyError with a sentence says something else."""
    found = root(automaton, f"{HEADER}KeyError: {message}\n")
    assert found is None or found.signature.id != "key-missing"


@pytest.mark.parametrize(
    ("types", "says"),
    [
        ("(dtype('int64'), dtype('<U1')) -> None", "Make the text a number"),
        ("(dtype('S3'), dtype('float32')) -> None", "Make the text a number"),
        ("(dtype('O'), dtype('float32')) -> None", "entry that is not a number"),
        ("(dtype('<M8[ns]'), dtype('float64')) -> None", "Print type and dtype"),
    ],
)
def test_the_type_that_numpy_names_decides(automaton: Automaton, types: str, says: str) -> None:
    """A text, an object, or neither of them."""
    text = f"ufunc 'add' did not contain a loop with signature matching types {types}"
    for name in (
        "numpy._core._exceptions._UFuncNoLoopError",
        "numpy.core._exceptions.UFuncTypeError",
    ):
        assert says in first(root(automaton, f"{HEADER}{name}: {text}\n"))


@pytest.mark.parametrize("position", range(3))
@pytest.mark.parametrize(("shape", "is_gathered"), [("[0]", True), ("[2]", False), ("[10]", False)])
def test_an_empty_recomputed_tensor_is_a_partitioned_one(
    automaton: Automaton, position: int, shape: str, *, is_gathered: bool
) -> None:
    """Other shapes say nothing of ZeRO-3."""
    text = (
        "torch.utils.checkpoint.CheckpointError: torch.utils.checkpoint: Recomputed values for the "
        "following tensors have different metadata than during the forward pass.\n"
        f"tensor at position {position}:\n"
        "saved metadata: {'shape': torch.Size([1024]), 'dtype': torch.bfloat16}\n"
        f"recomputed metadata: {{'shape': torch.Size({shape}), 'dtype': torch.bfloat16}}\n"
    )
    assert ("Use the reentrant variant" in first(root(automaton, HEADER + text))) is is_gathered


@pytest.mark.parametrize(
    ("call", "is_stored"),
    [
        (
            '  File "/app/utils.py", line 3, in _call_target\n    return _target_(*args, **kwargs)\n',
            1,
        ),
        ('  File "/app/utils.py", line 3, in build\n    return target(*args, **kwargs)\n', 1),
        ('  File "/app/utils.py", line 3, in build\n    return Model(**kwargs)\n', 0),
    ],
)
def test_arguments_of_a_target_come_from_a_stored_configuration(
    automaton: Automaton, call: str, is_stored: int
) -> None:
    """Those of a call in the code do not."""
    error = "TypeError: Provider.__init__() got an unexpected keyword argument 'split_rank'\n"
    found = root(automaton, f"Traceback (most recent call last):\n{call}{error}")
    assert ("stored configuration" in first(found)) is bool(is_stored)


@pytest.mark.parametrize(
    ("code", "known_as"),
    [
        ("ray.get(pg.ready(), timeout=20)", "ray-placement-group-timed-out"),
        ("ray.get(placement_group.ready(), timeout=60)", "ray-placement-group-timed-out"),
        ("ray.get([pgs[i].ready()], timeout=60)", "ray-placement-group-timed-out"),
        ("ray.get(ref, timeout=20)", "ray-get-timeout"),
        ("ray.get(server.already_there.remote(), timeout=20)", "ray-get-timeout"),
    ],
)
def test_a_group_that_is_waited_for_is_named(
    automaton: Automaton, code: str, known_as: str
) -> None:
    """Another reference is not one."""
    frame = f'  File "/app/train.py", line 8, in make\n    {code}\n'
    error = "ray.exceptions.GetTimeoutError: Get timed out: some object(s) not ready.\n"
    found = root(automaton, f"Traceback (most recent call last):\n{frame}{error}")
    assert found is not None
    assert found.signature.id == known_as


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("OSError: [Errno 28] No space left on device: '/ckpt/step_7'", "/ckpt/step_7"),
        ("cp: error writing '/scratch/a.bin': No space left on device", "/scratch/a.bin"),
        ("tar: error opening '/data/x.tar': No space left on device", "/data/x.tar"),
        ("docker: write /opt/rocm/lib/x.so: no space left on device", "/opt/rocm/lib/x.so"),
    ],
)
def test_the_place_that_is_full_is_named(
    automaton: Automaton, line: str, place: str | None
) -> None:
    """Where the line has it."""
    found = root(automaton, f"INFO saving\n{line}\n")
    if place is not None:
        assert place in first(found)


def test_each_openmp_message_has_its_own_remedy(automaton: Automaton) -> None:
    """KMP_DUPLICATE_LIB_OK is nothing for MKL, MKL_THREADING_LAYER nothing for LLVM."""
    mkl = root(
        automaton,
        "Error: mkl-service + Intel(R) MKL: MKL_THREADING_LAYER=INTEL is incompatible with "
        "libgomp-7c85b1e2.so.1 library.\n",
    )
    llvm = root(
        automaton,
        "OMP: Error #15: Initializing libiomp5.so, but found libomp.so already initialized.\n",
    )
    assert mkl is not None
    assert llvm is not None
    assert "MKL_THREADING_LAYER" in first(mkl)
    assert mkl.title != llvm.title
    for found, other in ((mkl, "KMP_DUPLICATE"), (llvm, "MKL_THREADING")):
        shown = [each for each in found.remedies if each.applies is not Applies.NO]
        assert not [each for each in shown if other in each.action.en]
