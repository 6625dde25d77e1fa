"""The verdict: what is the root, what follows from it, what the run survived; remedies by the run's context."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from logdoctor.context.reader import KEYS_LIMIT
from logdoctor.document.document import document
from logdoctor.matching.matcher import Matcher
from logdoctor.model import (
    AnchorKind,
    AnswerList,
    Applies,
    Language,
    LogEvent,
    LogLine,
    Phase,
    RunContext,
    ScanResult,
    Verdict,
)
from logdoctor.pipeline.scan import Scan, ScanOptions, scan_text
from logdoctor.pipeline.scan import scan_text as scan_once
from logdoctor.scanning.relevance import VALUES_LIMIT
from logdoctor.search.automaton import Automaton
from logdoctor.verdict.judging import GROUPS_LIMIT
from logdoctor.verdict.remedies import Circumstances, config_value, judge_remedies
from tests.readers import read_each_way

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.19 GiB is free."
WORKER = f"""\
(WorkerDict pid=77, ip=10.0.0.2) Traceback (most recent call last):
(WorkerDict pid=77, ip=10.0.0.2)   File "/app/verl/workers/fsdp_workers.py", line 655, in update_actor
(WorkerDict pid=77, ip=10.0.0.2)     loss.backward()
(WorkerDict pid=77, ip=10.0.0.2) {OOM}
"""
LOCAL = WORKER.replace("(WorkerDict pid=77, ip=10.0.0.2) ", "")
DRIVER = """\
Traceback (most recent call last):
  File "/app/verl/trainer/main_ppo.py", line 10, in main
    ray.get(runner.run.remote(config))
ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.
	class_name: WorkerDict
"""
STEPS = "".join(f"step:{step} - actor/loss:0.5 - actor/grad_norm:1.0\n" for step in range(1, 6))


def verdicts(result: ScanResult) -> list[tuple[str, str]]:
    return [(each.signature.id, each.verdict.value) for each in result.diagnoses]


def answer_of(result: ScanResult) -> str | None:
    if result.answer is None:
        return None
    if result.answer.kind is AnswerList.DIAGNOSES:
        return result.diagnoses[result.answer.index].signature.id
    return result.unknown_errors[result.answer.index].title


@pytest.mark.parametrize(
    "log", [WORKER + DRIVER, DRIVER + WORKER], ids=["chronological", "driver first"]
)
def test_a_cause_outranks_its_wrapper_wherever_it_stands(automaton: Automaton, log: str) -> None:
    """Ray relays the driver's traceback before the worker's, or after it."""
    result = scan_text(automaton, STEPS + log)
    assert (answer_of(result), verdicts(result)) == (
        "cuda-out-of-memory",
        [("cuda-out-of-memory", "root_cause"), ("ray-actor-died", "consequence")],
    )
    assert result.diagnoses[1].explained_by == "cuda-out-of-memory"


@pytest.mark.parametrize("reason_first", [False, True])
def test_of_relays_of_relays_the_innermost_is_the_answer(
    automaton: Automaton, reason_first: bool
) -> None:
    """A task failed by an actor that died by a worker that left no exit code: the last explains both others."""
    relays = """\
ray.exceptions.RayTaskError(ActorDiedError): ray::TaskRunner.run() (pid=51, ip=10.0.0.2)
  File "/app/verl/trainer/main_ppo.py", line 283, in run
    trainer.init_workers()
ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.
\tclass_name: WorkerDict
"""
    reason = "The actor is dead because its worker process has died. Worker exit type: SYSTEM_ERROR Worker exit detail: Worker exits unexpectedly. Worker exits with an exit code None. The worker may have exceeded K8s pod memory limits.\n"
    log = f"{reason}\n{relays}" if reason_first else f"{relays}\n{reason}"
    assert answer_of(scan_text(automaton, log)) == "ray-worker-without-exit-code"


def test_what_may_be_survived_but_explains_the_fatal_error_is_the_answer(
    automaton: Automaton,
) -> None:
    """The plugin for EFA may fail and NCCL fall back to sockets; where NCCL fails after it, the plugin was why."""
    plugin = "ip-10-36-29-253:79:85 [0] nccl_net_ofi_domain_get_ep:969 NCCL WARN NET/OFI Creating new endpoint for domain 0x7f9befa99380 failed: Invalid argument\n"
    failed = "torch.distributed.DistBackendError: NCCL error in: ../NCCLUtils.cpp:77, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.21.5\n"
    result = scan_text(automaton, plugin + failed)
    assert verdicts(result) == [
        ("nccl-ofi-plugin-failed", "root_cause"),
        ("nccl-system-error", "consequence"),
    ]


def test_an_unknown_exception_before_wrappers_is_the_root(automaton: Automaton) -> None:
    """It is located, and the wrapper follows from it."""
    unknown = WORKER.replace(OOM, "ValueError: a message that nobody has written a signature for")
    result = scan_text(automaton, DRIVER + unknown)
    assert (answer_of(result), verdicts(result)) == (
        "ValueError: a message that nobody has written a signature for",
        [("ray-actor-died", "consequence")],
    )
    assert result.unknown_errors[0].evidence[0].line == 9


def test_only_wrappers_say_what_is_missing(automaton: Automaton) -> None:
    """The wrapper is the answer for want of a better one, and the file that would hold the cause is named."""
    result = scan_text(automaton, DRIVER)
    assert answer_of(result) == "ray-actor-died"
    assert ["worker-*.err" in each.en for each in result.not_seen] == [True]


def test_an_error_that_the_run_survived_is_recovered(automaton: Automaton) -> None:
    """Two steps later it is no answer any more, and does not count."""
    result = scan_text(automaton, STEPS + LOCAL + STEPS)
    assert (answer_of(result), verdicts(result)) == (None, [("cuda-out-of-memory", "recovered")])


def test_one_late_step_does_not_make_it_recovered(automaton: Automaton) -> None:
    """A line printed before the error may come after it."""
    result = scan_text(automaton, STEPS + WORKER + "step:6 - actor/loss:0.5\n")
    assert answer_of(result) == "cuda-out-of-memory"


def test_an_error_after_the_end_is_teardown(automaton: Automaton) -> None:
    """The run said that it was complete."""
    result = scan_text(automaton, STEPS + "Training complete\n" + DRIVER)
    assert (answer_of(result), verdicts(result)) == (None, [("ray-actor-died", "teardown")])


def test_a_program_that_dies_after_the_training_has_failed(automaton: Automaton) -> None:
    """What was to follow is missing; a helper's exception is still noise."""
    error = 'Traceback (most recent call last):\n  File "/app/{file}", line 9, in {name}\n    save(model)\nTypeError: Object of type bool_ is not JSON serializable\n'
    end = STEPS + "Training complete\n"
    assert (
        answer_of(scan_text(automaton, end + error.format(file="train.py", name="<module>")))
        == "object-not-json"
    )
    assert (
        answer_of(
            scan_text(
                automaton,
                end
                + "Exception in thread Thread-3:\n"
                + error.format(file="upload.py", name="run"),
            )
        )
        is None
    )


def test_the_occurrence_after_the_last_progress_is_shown(automaton: Automaton) -> None:
    """The same error, survived once and fatal later: the fatal one is the evidence."""
    result = scan_text(automaton, STEPS + LOCAL + STEPS + LOCAL)
    (diagnosis,) = result.diagnoses
    assert (diagnosis.verdict, diagnosis.occurrences, diagnosis.evidence[0].line) == (
        Verdict.ROOT_CAUSE,
        2,
        18,
    )


def test_a_long_run_forgets_no_progress(automaton: Automaton) -> None:
    """After tens of thousands of steps the occurrence after the last of them is still the evidence."""
    steps = "".join(f"step:{step} - actor/loss:0.{step % 7}5\n" for step in range(25_000))
    result = scan_text(automaton, LOCAL + steps + LOCAL)
    (diagnosis,) = result.diagnoses
    assert (diagnosis.verdict, diagnosis.evidence[0].line) == (Verdict.ROOT_CAUSE, 25_008)


def test_each_source_is_judged_by_its_own_course(automaton: Automaton) -> None:
    """What rank 0 survived can be fatal on rank 1, whichever file is read first."""
    survived, fatal = (STEPS + LOCAL + STEPS).encode(), (STEPS + STEPS + LOCAL).encode()
    for logs in ([survived, fatal], [fatal, survived]):
        scan = Scan(automaton)
        for rank, log in enumerate(logs):
            scan.read(f"rank{rank}.log", [log])
        (diagnosis,) = scan.result().diagnoses
        assert (diagnosis.verdict, diagnosis.evidence[0].source) == (
            Verdict.ROOT_CAUSE,
            f"rank{logs.index(fatal)}.log",
        )


def test_the_same_error_on_many_ranks_is_one_diagnosis(automaton: Automaton) -> None:
    """Ranks are counted and named, and Ray's folded repeats count."""
    lines = [f"[rank{rank}]: {OOM}" for rank in (0, 1, 2, 5)]
    result = scan_text(
        automaton, "\n".join([*lines, f"(WorkerDict pid=8) {OOM} [repeated 7x across cluster]"])
    )
    (diagnosis,) = result.diagnoses
    assert (diagnosis.occurrences, diagnosis.lanes, diagnosis.ranks) == (11, 5, (0, 1, 2, 5))
    assert any("RAY_DEDUP_LOGS" in each.en for each in result.not_seen)


def test_the_phase_comes_from_the_method_the_frames_or_the_markers(automaton: Automaton) -> None:
    """`update_actor` in a frame is training; AReaL's request lines tell it too."""
    assert scan_text(automaton, WORKER).diagnoses[0].phase is Phase.TRAIN
    areal = "20250222-10:26:36.408 master worker INFO: Model rpc ref_inf requested.\n" + OOM
    assert scan_text(automaton, areal).diagnoses[0].phase is Phase.LOGPROB


@pytest.mark.parametrize(
    ("phase", "applies"),
    [
        ("actor_train", {"max_tokens_per_mb": Applies.YES}),
        ("actor_gen", {"max_tokens_per_mb": Applies.NO}),
    ],
)
def test_areal_s_advice_depends_on_the_phase(
    automaton: Automaton, phase: str, applies: dict[str, Applies]
) -> None:
    """In actor_train the micro batch is made smaller, in actor_gen that does not apply."""
    log = f"20250222-10:26:36.408 master worker INFO: Model rpc {phase} requested.\n{OOM}"
    (diagnosis,) = scan_text(automaton, log).diagnoses
    found = {
        word: {
            each.applies
            for each in diagnosis.remedies
            if word in each.action.en + str(dict(each.settings))
        }
        for word in applies
    }
    assert (
        diagnosis.signature.id,
        {word: state in found[word] for word, state in applies.items()},
    ) == (
        "areal-cuda-out-of-memory",
        dict.fromkeys(applies, True),
    )


CHATLEARN = "[2025-08-25 10:00:00,123 ChatLearn] (engine.py 497): INFO chatlearn_log start train episode_id: 1/200\n"


def test_chatlearn_s_advice_depends_on_its_configuration(automaton: Automaton) -> None:
    """With packing, the tokens per pack are lowered; without, the micro batch."""
    frame = '  File "/app/chatlearn/models/fsdp_module.py", line 10, in train_step\n    loss.backward()\n'
    for packing, key in (
        ("True", "models.policy_trainer.max_token_in_packing"),
        ("False", "runtime_args.train_micro_batch_size"),
    ):
        config = f"models.policy_trainer.packing={packing} runtime_args.train_micro_batch_size=4\n"
        (diagnosis,) = scan_text(
            automaton, CHATLEARN + config + "Traceback (most recent call last):\n" + frame + OOM
        ).diagnoses
        assert (diagnosis.remedies[0].applies, list(diagnosis.remedies[0].settings)) == (
            Applies.YES,
            [key],
        )


@pytest.mark.parametrize(
    ("tried", "unallocated", "word"),
    [
        ("2.00 GiB", "5.00 GiB", "Fragmentation: 5.00 GiB"),
        ("2.00 GiB", "0.50 GiB", None),
        ("74.16 GiB", "700.00 MiB", "larger than the whole GPU"),
    ],
)
def test_the_general_advice_depends_on_the_numbers_in_the_message(
    automaton: Automaton, tried: str, unallocated: str, word: str | None
) -> None:
    """Reserved but unallocated against what was asked for, and that against the whole GPU."""
    text = (
        f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {tried}. GPU 0 has a total capacity of 44.40 GiB of which 1.26 GiB is free. "
        f"Including non-PyTorch memory, this process has 43.00 GiB memory in use. Of the allocated memory 38.00 GiB is allocated by PyTorch, and {unallocated} "
        "is reserved by PyTorch but unallocated."
    )
    remedies = scan_text(automaton, text).diagnoses[0].remedies
    made_for_it = [
        each
        for each in remedies
        if each.applies is Applies.YES and each.why.en.startswith("the message says")
    ]
    assert [word in each.action.en for each in made_for_it if word] == ([True] if word else [])


def test_a_given_configuration_outranks_the_log(automaton: Automaton) -> None:
    """`--config` says what the run really used; the report shows it as the current value."""
    log = (
        CHATLEARN
        + "ray.exceptions.RayChannelTimeoutError: System error: increase RAY_CGRAPH_get_timeout which is currently 10 seconds."
    )
    config = {
        "models.policy.tensor_model_parallel_size": "4",
        "models.policy.enforce_eager": "False",
    }
    diagnosis = scan_text(automaton, log, ScanOptions(config=config)).diagnoses[0]
    first = diagnosis.remedies[0]
    assert (first.applies, dict(first.settings), dict(first.current)) == (
        Applies.YES,
        {"models.policy.enforce_eager": "True"},
        {"models.policy.enforce_eager": "False"},
    )
    assert "models.policy.tensor_model_parallel_size is 4" in first.why.en  # a program gave it


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"a.b.size": ("4",)}, "4"),
        ({"size": ("4",)}, "4"),
        ({"x.a.b.size": ("4",)}, "4"),
        ({"size": ("4", "8")}, None),
        ({"c.size": ("4",)}, None),
        ({"a.b.size": ("4",), "size": ("8",)}, "4"),
    ],
)
def test_configuration_is_looked_up_by_more_or_less_of_its_path(
    config: dict[str, tuple[str, ...]], expected: str | None
) -> None:
    """A value that is not unique is unknown."""
    assert config_value(config, "a.b.size") == expected


def test_what_the_log_proves_comes_first_and_what_it_refutes_last(automaton: Automaton) -> None:
    """Else they keep their order."""
    signature = automaton.database.find("cuda-out-of-memory")
    assert signature is not None
    verl = RunContext(frameworks=("verl",))
    judged = judge_remedies(signature.remedies, Circumstances(verl, Phase.TRAIN, {}))
    order = [Applies.YES, Applies.ALWAYS, Applies.UNKNOWN, Applies.NO]
    places = [order.index(each.applies) for each in judged]
    assert (places, len(set(places)) > 2) == (sorted(places), True)


@pytest.mark.parametrize(
    "read",
    [
        pytest.param(scan_once, id="a scan"),
        pytest.param(read_each_way, id="each way", marks=pytest.mark.slow),
    ],
)
def test_thousands_of_different_errors_stay_bounded(
    automaton: Automaton, read: Callable[..., ScanResult]
) -> None:
    """Beyond the limit they are counted with the last, and that is said."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = [f"{a}{b}{c}" for a in letters for b in letters for c in letters[:4]][
        : GROUPS_LIMIT + 5
    ]
    result = read(automaton, "".join(f"ValueError: the {name} of it\n" for name in names))
    assert (
        len(result.unknown_errors),
        sum(each.occurrences for each in result.unknown_errors),
    ) == (GROUPS_LIMIT, GROUPS_LIMIT + 5)
    assert any(f"More than {GROUPS_LIMIT}" in each.en for each in result.not_seen)


def test_configuration_keys_stay_bounded(automaton: Automaton) -> None:
    """A log that prints ever new keys does not fill the memory."""
    keys = [key for key in automaton.settings if "." not in key and len(key) > 8][
        : KEYS_LIMIT // VALUES_LIMIT + 5
    ]
    text = "".join(
        f"run{number}x.{key}: {number}\n" for key in keys for number in range(VALUES_LIMIT)
    )
    assert len(scan_text(automaton, text).context.config) == KEYS_LIMIT


def test_a_key_printed_with_ever_new_values_is_a_measurement(automaton: Automaton) -> None:
    """Of the lines with it, so many are read: a log that prints it for ever does not fill the memory."""
    text = "".join(
        f"run{number}x.rollout_batch_size: {number}\n" for number in range(VALUES_LIMIT + 50)
    )
    assert len(scan_text(automaton, text).context.config) == VALUES_LIMIT + 1


def test_a_slow_regex_has_a_budget(automaton: Automaton) -> None:
    """Many searches, each below the limit of one, are stopped together."""
    seconds = itertools.count(0, 0.1)
    matcher = Matcher(automaton, clock=lambda: next(seconds), wall=lambda: next(seconds))
    line = LogLine("x", 1, "", "RuntimeError: CUDA error: out of memory at x")
    anchors = tuple(
        number
        for number, group in enumerate(map(automaton.anchors_of, range(len(automaton.codes))))
        if any(each.kind is AnchorKind.REGEX for each in group)
    )
    for number in range(30):
        lit = line._replace(text=f"{line.text}{number}", anchors=anchors)
        matcher.match(LogEvent((lit,), 0, "RuntimeError", lit.text))
    assert any("runs away" in fault for fault in matcher.faults)


def test_the_document_has_the_contract_s_keys(automaton: Automaton) -> None:
    """Version 1 of the JSON document, also where nothing is found."""
    for log in ("all is well\n", STEPS + DRIVER + WORKER):
        whole = document(scan_text(automaton, log), Language.ZH, "0")
        assert list(whole) == [
            "schema_version",
            "tool",
            "sources",
            "context",
            "ending",
            "answer",
            "diagnoses",
            "unknown_errors",
            "not_seen",
        ]
        assert list(whole["context"]) == ["frameworks", "versions", "last_phase", "last_progress"]
        for diagnosis in whole["diagnoses"]:
            assert list(diagnosis) == [
                "signature_id", "title", "component", "severity", "role", "verdict", "confidence", "match", "captures", "phase", "phase_told_by", "cause",
                "remedies", "occurrences", "lanes", "explained_by", "because", "evidence", "references",
            ]  # fmt: skip
            assert list(diagnosis["remedies"][0]) == [
                "action",
                "applies",
                "why",
                "set",
                "risk",
                "check",
                "reference",
                "changes",
            ]
            assert list(diagnosis["evidence"][0]) == [
                "source",
                "line",
                "end_line",
                "text",
                "time",
                "host",
                "rank",
                "pid",
                "actor",
            ]


def test_an_early_phase_is_over_once_steps_were_made(automaton: Automaton) -> None:
    """What a marker said during initialisation tells nothing a thousand steps later."""
    start = "Initializing a V1 LLM engine (v0.9.1) with config: x\n"
    phases = [scan_text(automaton, log).diagnoses[0] for log in (start + OOM, start + STEPS + OOM)]
    assert [(each.phase, each.phase_told_by) for each in phases] == [
        (Phase.INIT, "<text>:1"),
        (None, None),
    ]


def test_the_report_knows_what_told_the_phase(automaton: Automaton) -> None:
    """The function of a frame here."""
    assert scan_text(automaton, WORKER).diagnoses[0].phase_told_by == "update_actor"
