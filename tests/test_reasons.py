"""A line that says why outranks a mere code of the same failure, and error numbers are told."""

from __future__ import annotations

import os
import re

import pytest

from logdoctor.formats.bare_codes import CODE_FORMS, is_bare_code, tells_reason
from logdoctor.formats.system_errors import CALLS, SAID, CallFailed, call_meaning, said_by_system
from logdoctor.model import Applies, Diagnosis, ScanResult
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton

CODE = "RuntimeError: loader failed with code -5\n"
REASON = "could not open /data/merges.bin: Permission denied\n"
NCCL_INFO = "node3:4211:4300 [2] NCCL INFO init.cc:{number} -> 2\n"
NCCL_CODE = """\
[rank0]: Traceback (most recent call last):
[rank0]:   File "/w/train.py", line 20, in <module>
[rank0]:     dist.barrier()
[rank0]: torch.distributed.DistBackendError: NCCL error in: a/ProcessGroupNCCL.cpp:1691, \
unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.19.3
[rank0]: ncclSystemError: System call (e.g. socket, malloc) or external library call failed or \
device error.
"""
WARNING = "node3:4211:4300 [2] {said}\n"
UNKNOWN = "plugin/widget.cc:91 NCCL WARN NET/Widget : could not attach to widget_3: No such device"
UNREACHED = "misc/socket.cc:48 NCCL WARN socketStartConnect: Connect to 10.0.0.7<4321> failed : \
No route to host"


OPENED = "open /dev/fabric3: No such device"
FABRIC = "[rank{rank}]: RuntimeError: fabric_open failed with error code 5\n"


def root_of(result: ScanResult) -> str:
    found = result.root
    assert found is not None
    return found.signature.id if isinstance(found, Diagnosis) else found.title


@pytest.mark.parametrize("sample", [each for form in CODE_FORMS for each in form.samples])
def test_each_sample_is_a_mere_code(sample: str) -> None:
    assert is_bare_code(sample)


@pytest.mark.parametrize("near_miss", [each for form in CODE_FORMS for each in form.near_misses])
def test_no_near_miss_is(near_miss: str) -> None:
    assert not is_bare_code(near_miss)


@pytest.mark.parametrize(
    ("line", "tells"),
    [
        (REASON, True),
        (UNKNOWN, True),
        ("NCCL WARN Call to bind failed", True),
        ("NCCL WARN Service thread failed, res=3", False),
        ("NCCL INFO Call to connect returned Connection refused, retrying", False),
        ("cache.bin: No such file or directory, will use the default", False),
    ],
)
def test_a_reason_is_no_talk_of_what_was_gone_beyond(line: str, tells: bool) -> None:
    assert tells_reason(line) is tells


@pytest.mark.parametrize(
    ("text", "root"),
    [
        (REASON + CODE, "could not open /data/merges.bin: Permission denied"),
        (
            WARNING.format(said=UNKNOWN)
            + "".join(NCCL_INFO.format(number=each) for each in range(60))
            + NCCL_CODE,
            UNKNOWN,
        ),
        (WARNING.format(said=UNREACHED) + NCCL_CODE, "nccl-socket-connect-failed"),
        (
            f"{FABRIC.format(rank=0)}[rank1]: {OPENED}\n{FABRIC.format(rank=2)}",
            OPENED,
        ),
    ],
)
def test_the_reason_is_the_root(text: str, root: str, automaton: Automaton) -> None:
    result = scan_text(automaton, text)
    assert root_of(result) == root
    known = {each.because[0].rule for each in result.diagnoses}
    unknown = {each.because[0].rule for each in result.unknown_errors}
    assert "code-of-reason" in known | unknown


@pytest.mark.parametrize(
    ("text", "root"),
    [
        (CODE + REASON, CODE.strip()),
        (REASON + "step 30 loss 0.1234\n" * 3 + CODE, CODE.strip()),
        (REASON + "RuntimeError: the table is empty\n", "RuntimeError: the table is empty"),
        ("[rank1]: " + REASON + "[rank2]: " + CODE, CODE.strip()),
        (NCCL_INFO.format(number=3) + NCCL_CODE, "nccl-system-error"),
        (REASON.replace("\n", ", ignored\n") + CODE, CODE.strip()),
    ],
)
def test_what_is_not_tied_to_it_is_none(text: str, root: str, automaton: Automaton) -> None:
    assert root_of(scan_text(automaton, text)) == root


@pytest.mark.parametrize(("last", "is_asked"), [("", True), ("Call to bind failed\n", False)])
def test_what_the_message_says_is_not_asked_for(
    last: str, is_asked: bool, automaton: Automaton
) -> None:
    text = f"{NCCL_CODE}[rank0]: Last error:\n{last and f'[rank0]: {last}'}"
    found = scan_text(automaton, text).diagnoses[0]
    shown = [each.action.en for each in found.remedies if each.applies is not Applies.NO]
    assert any("Run again with NCCL_DEBUG=INFO" in each for each in shown) is is_asked


def test_a_reason_without_an_error_is_no_finding(automaton: Automaton) -> None:
    text = "step 1 loss 0.5\n" + REASON + "step 2 loss 0.4\nstep 3 loss 0.3\n"
    assert scan_text(automaton, text).answer is None


@pytest.mark.parametrize(("words", "number"), SAID.items())
def test_the_words_are_the_system_s_own(words: str, number: int) -> None:
    assert os.strerror(number) == words
    assert said_by_system(f"open: {words}") == number


@pytest.mark.parametrize("row", CALLS, ids=lambda row: row.call)
def test_each_call_is_told_of(row: CallFailed) -> None:
    assert re.search(row.pattern, row.sample)
    found = call_meaning(row.sample)
    assert found is not None
    assert found[0].startswith(f"{row.call}, errno ")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("OSError: [Errno 99] error while attempting to bind on address ('10.1.1.1', 80)", "bind"),
        ("bind: Connection refused", None),
        ("the worker is gone: Permission denied", None),
        ("RuntimeError: can't start new thread: Resource temporarily unavailable", "fork"),
    ],
)
def test_it_is_the_call_that_failed(text: str, meant: str | None) -> None:
    found = call_meaning(text)
    assert (found[0].partition(",")[0] if found else None) == meant
