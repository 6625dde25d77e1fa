"""However a shell reports that a signal ended a command, it is told by that signal's name."""

from __future__ import annotations

from itertools import product

import pytest

from logdoctor.formats.exit_codes import SIGNAL_NOTICES
from logdoctor.model import Verdict
from logdoctor.pipeline.scan import scan_text
from logdoctor.search.automaton import Automaton

KNOWN_AS = {
    "Killed": "process-killed",
    "Terminated": "process-terminated",
    "Segmentation fault": "segmentation-fault",
    "Bus error": "shared-memory-exhausted",
    "Aborted": "process-aborted",
    "Illegal instruction": "illegal-instruction",
    "Floating point exception": "floating-point-exception",
    "CPU time limit exceeded": "cpu-time-limit-exceeded",
    "File size limit exceeded": "file-size-limit-exceeded",
}
OTHERS = "process-ended-by-signal"

STEPS = "".join(f"2026-11-23 02:38:1{n},366 INFO trainer: epoch {n}/1000\n" for n in range(8))
SCRIPTS = ("job.sh: line 3:", "/var/spool/slurmd/job77/slurm_script: line 140:", "bash: line 1:")
COMMANDS = ("python train.py", "torchrun --nproc_per_node 8 train.py > out/train.log 2>&1")
STATUSES = (
    "train.py ended with {code}",
    "[job] FAILED rc={code}",
    "training exited with exit code {code}",
    "run.sh: exit status {code}",
    "worker 3 exited with status {code}",
)


def told(automaton: Automaton, text: str) -> str | None:
    """What is said to be the root cause."""
    result = scan_text(automaton, text)
    roots = [each for each in result.diagnoses if each.verdict is Verdict.ROOT_CAUSE]
    return roots[0].signature.id if roots else None


@pytest.mark.parametrize(("number", "notice"), sorted(SIGNAL_NOTICES.items()))
def test_a_notice_names_its_signal(automaton: Automaton, number: int, notice: str) -> None:
    """In any script, with and without a core, with and without the status below it."""
    for script, core, command, status in product(
        SCRIPTS, ("", " (core dumped)"), COMMANDS, ("", *STATUSES)
    ):
        shown = f"{notice:<24}{core.strip()}{' ' * bool(core)}"
        text = f"{STEPS}{script}{4012:>6} {shown}{command}\n"
        text += status.format(code=128 + number) + "\n" if status else ""
        assert told(automaton, text) == KNOWN_AS.get(notice, OTHERS), text


@pytest.mark.parametrize(("number", "notice"), sorted(SIGNAL_NOTICES.items()))
@pytest.mark.parametrize("status", STATUSES)
def test_a_status_alone_is_a_death(
    automaton: Automaton, number: int, notice: str, status: str
) -> None:
    """It is told with what the status means, and none of another status' remedies."""
    text = STEPS + status.format(code=128 + number) + "\n"
    result = scan_text(automaton, text)
    (found,) = result.diagnoses
    assert found.signature.id == "script-exit-code", notice
    assert f"Exit code {128 + number} (SIG" in found.cause.en
    shown = [each for each in found.remedies if each.applies.value != "no"]
    assert len(shown) <= 2


@pytest.mark.parametrize(
    "line",
    [
        "episode ended with 137 points",
        "prepare.py ended with 152 rows",
        "INFO trainer: the CPU time limit exceeded what the queue gives, using 3600 s",
        "reading line 12: 4 killed processes in the list",
        "INFO launcher: rc=0",
        "INFO solver: rc=137.5 after 12 steps",
        "INFO job: task 3 finished with 152 samples",
    ],
)
def test_what_only_speaks_of_it_is_silent(automaton: Automaton, line: str) -> None:
    """No finding at all."""
    result = scan_text(automaton, f"{STEPS}{line}\n{STEPS}")
    assert not result.diagnoses
    assert not result.unknown_errors


HANGUP = """\
W0608 08:11:06.999000 12 torch/distributed/elastic/agent/server/api.py:704] Received 1 death \
signal, shutting down workers
W0608 08:11:07.000000 12 torch/distributed/elastic/multiprocessing/api.py:897] Sending process 13 \
closing signal SIGHUP
torch.distributed.elastic.multiprocessing.api.SignalException: Process 12 got signal: 1
"""
CANCELLED = "slurmstepd: error: *** STEP 1.0 ON n1 CANCELLED AT 2026-01-01T10:00:00 ***\n"


@pytest.mark.parametrize(("text", "asks"), [(HANGUP, False), (CANCELLED, True)])
def test_who_ended_it_is_asked_where_no_signature_says_so(
    automaton: Automaton, text: str, asks: bool
) -> None:
    """A cause says why; a symptom does not."""
    result = scan_text(automaton, text)
    assert result.root
    assert any("ended from outside" in each.en for each in result.not_seen) is asks
