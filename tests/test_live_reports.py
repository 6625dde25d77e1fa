"""What a person and a program read of a live log."""

from __future__ import annotations

import pytest

from logdoctor.live.pace import Silence
from logdoctor.model import Language, Phase, Progress, RunContext, SignatureDatabase
from logdoctor.pipeline.news import News
from logdoctor.pipeline.scan import Scan
from logdoctor.reports.run.live import news_rows, news_text, silence_row, silence_text
from logdoctor.reports.run.painting import TextStyle
from logdoctor.search.automaton import Automaton
from logdoctor.signatures.coverage import hangs

OOM = b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB\n"
RELAYED = b"ray.exceptions.RayTaskError(OutOfMemoryError): ray::WorkerDict.actor_rollout_generate() (pid=1, ip=10.0.0.1)\n"
SILENCE = Silence(since=0, lasts=1200, longest=240, has_steps=True)
CONTEXT = RunContext(("verl", "ray"), last_phase=Phase.ROLLOUT, last_progress=Progress("x", 1, 120))


def news(automaton: Automaton, *texts: bytes) -> News:
    live = Scan(automaton)
    for text in texts:
        live.feed("x.log", text)
        found = [live.settle(), live.settle()][-1]
    return found


@pytest.mark.parametrize("language", list(Language))
def test_a_diagnosis_in_a_few_lines(automaton: Automaton, language: Language) -> None:
    """When, what, where, what to do first, and where more is said; no line is wider than the terminal."""
    lines = news_text(news(automaton, OOM), "23:10:04", TextStyle(language, width=80)).splitlines()
    assert lines[0].startswith("23:10:04 ✖ ")
    assert lines[1].strip() == "x.log:1"
    assert "CUDA out of memory" in lines[2]
    assert any(line.strip().startswith("→") for line in lines[3:5])
    assert lines[-1].strip() == "logdoctor explain cuda-out-of-memory"
    assert language is Language.ZH or max(map(len, lines)) <= 80


def test_a_changed_mind(automaton: Automaton) -> None:
    """In words, and as an object."""
    found = news(automaton, RELAYED, OOM)
    assert "What went wrong first is rather: GPU memory is full" in news_text(
        found, "23:10:04", TextStyle()
    )
    assert list(news_rows(found, Language.EN))[-1]["root_cause"] == "cuda-out-of-memory"


def test_an_unknown_error_says_where_to_look(automaton: Automaton) -> None:
    """It has no remedy."""
    text = b'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\nWeirdError: no such shape\n'
    lines = news_text(news(automaton, text), "23:10:04", TextStyle()).splitlines()
    assert lines[:2] == [
        "23:10:04 ✖ WeirdError: no such shape",
        "         An error that no signature knows · x.log:4",
    ]
    assert lines[2].startswith("         → It was raised in f (a.py:1): look at what that code")


def test_a_silence(database: SignatureDatabase) -> None:
    """Since when, how long steps took, what was going on, what to run next, and which hangs are known here."""
    known = hangs(database.signatures, CONTEXT.frameworks, CONTEXT.last_phase)
    text = silence_text(SILENCE, "22:50:04", "23:10:04", CONTEXT, TextStyle(), known=known)
    assert text.startswith(
        "23:10:04 ! No step since 22:50:04 (20 min ago) · the longest step so far took 4 min · last phase: rollout\n"
    )
    assert [
        word in text for word in ("py-spy", "RAY_DEDUP_LOGS", "TORCH_NCCL_TRACE_BUFFER_SIZE")
    ] == [True] * 3
    assert [each.id in text for each in known[:5]] == [True] * 5
    assert silence_row(SILENCE, CONTEXT, known[:1]) == {
        "silence": {
            "seconds": 1200,
            "longest_step_seconds": 240,
            "last_phase": "rollout",
            "last_step": 120,
            "known_hangs": [known[0].id],
        }
    }


def test_known_hangs_belong_to_the_run(database: SignatureDatabase) -> None:
    """Those of its frameworks and phase, and those of any; none that is for another."""
    ids = [each.id for each in hangs(database.signatures, ("verl", "ray", "vllm"), Phase.ROLLOUT)]
    assert {"vllm-shm-broadcast-stalled", "ray-get-timeout", "nccl-watchdog-timeout"} <= set(ids)
    assert ids.index("vllm-shm-broadcast-stalled") < ids.index("nccl-watchdog-timeout")
    assert not {
        "sglang-watchdog-timeout",
        "wandb-init-timeout",
        "chatlearn-ray-channel-timeout",
    } & set(ids)


def test_what_stalls_in_few_phases_is_the_likelier(database: SignatureDatabase) -> None:
    """What belongs to a framework stands before it, what does not stall at all is left out, whatever its name is."""
    stalls = tuple(Phase)
    general = database.signatures[0]._replace(component="torch", frameworks=())
    given = (
        general._replace(id="hang-timeout", stalls=()),
        general._replace(id="b", stalls=stalls),
        general._replace(id="c", stalls=stalls[:2]),
        general._replace(id="d", stalls=stalls, component="verl", frameworks=("verl",)),
    )
    told = [
        [each.id for each in hangs(given, frameworks, phase)]
        for frameworks, phase in ((("verl",), stalls[0]), ((), stalls[-1]), ((), None))
    ]
    assert told == [["d", "c", "b"], ["b"], ["c", "b"]]


def test_a_silence_without_steps_and_without_ray() -> None:
    """It says lines, and leaves Ray out."""
    silence = Silence(since=0, lasts=30, longest=None, has_steps=False)
    text = silence_text(
        silence, "23:09:34", "23:10:04", RunContext(("megatron",)), TextStyle(Language.ZH)
    )
    assert ("没有新的日志" in text, "RAY_DEDUP_LOGS" in text) == (True, False)
