"""What the run lived on after: progress by writer, quiet time, habits, ends that are only a harness's word, deliberate stops."""

from __future__ import annotations

import pytest

from logdoctor.model import ScanResult
from logdoctor.model.history import HABIT, QUIET_LINES
from logdoctor.pipeline.scan import Scan, scan_text
from logdoctor.search.automaton import Automaton
from logdoctor.verdict.rules.mentioned_and_outlived import MENTIONED_LINES

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.19 GiB is free."
CRASH = f"""\
Traceback (most recent call last):
  File "/app/verl/workers/fsdp_workers.py", line 655, in update_actor
    loss.backward()
{OOM}
"""
IMPORT = """\
Traceback (most recent call last):
  File "/app/train.py", line 27, in <module>
    import wandb
ModuleNotFoundError: No module named 'wandb'
"""
WORKER, OTHER, DRIVER = (
    "(WorkerDict pid=77, ip=10.0.0.2) ",
    "(RolloutWorker pid=78, ip=10.0.0.2) ",
    "(TaskRunner pid=5) ",
)
STEPS = "".join(f"step:{step} - actor/loss:0.5 - actor/grad_norm:1.0\n" for step in range(1, 6))
REFUSED = "ConnectionRefusedError: [Errno 111] Connection refused\n"


def by(writer: str, text: str) -> str:
    """The text with the writer before each line."""
    return "".join(writer + line for line in text.splitlines(keepends=True))


def harm(result: ScanResult) -> list[str]:
    """Verdicts of all that was found, in their order."""
    return [
        *(each.verdict.value for each in result.diagnoses),
        *(each.verdict.value for each in result.unknown_errors),
    ]


def lines(writer: str = "", count: int = QUIET_LINES + 5) -> str:
    return "".join(f"{writer}processed {number} samples of the corpus\n" for number in range(count))


@pytest.mark.parametrize(
    ("log", "verdict"),
    [
        (by(WORKER, CRASH) + by(WORKER, STEPS), "recovered"),
        (by(WORKER, CRASH) + by(DRIVER, STEPS), "root_cause"),
        (
            by(WORKER, CRASH)
            + by(DRIVER, STEPS)
            + WORKER
            + "2026-01-01 10:00:00,123 - INFO - saved the optimizer\n",
            "recovered",
        ),
        (by(DRIVER, STEPS) + by(WORKER, CRASH), "root_cause"),
    ],
    ids=["its own steps", "steps of another", "steps of another, and it writes on", "steps before"],
)
def test_steps_prove_recovery_of_the_process_that_made_them(
    automaton: Automaton, log: str, verdict: str
) -> None:
    """A process that died of its error is not healed by what others print."""
    assert harm(scan_text(automaton, log)) == [verdict]


@pytest.mark.parametrize(
    ("log", "verdict"),
    [
        ("{STEPS}{END}{LATER}", "root_cause"),
        ("{STEPS}{END}{STEPS}{LATER}", "recovered"),
        ("{STEPS}{END}{LATER}Training completes! Total time elapsed 12.3.\n", "recovered"),
    ],
    ids=["until it is killed", "of a job that was queued again", "until it has saved and ended"],
)
def test_steps_of_a_job_that_slurm_is_ending_prove_nothing(
    automaton: Automaton, log: str, verdict: str
) -> None:
    """It trains on for as long as it ignores SIGTERM."""
    end = "slurmstepd-vm: error: *** JOB 22 ON vm CANCELLED AT 2026-11-21T22:30:47 DUE TO TIME LIMIT ***\n"
    later = "".join(
        f"step:{step} - actor/loss:0.5 - actor/grad_norm:1.0\n" for step in range(6, 20)
    )
    assert harm(scan_text(automaton, log.format(STEPS=STEPS, END=end, LATER=later))) == [verdict]


def test_what_was_caught_and_logged_is_recovered_by_anyone_s_steps(automaton: Automaton) -> None:
    """A logger's record above a traceback shows that the program went on."""
    logged = WORKER + "2026-01-01 10:00:00,123 - ERROR - could not import\n" + by(WORKER, IMPORT)
    assert harm(scan_text(automaton, logged + by(DRIVER, STEPS))) == ["recovered"]
    assert harm(scan_text(automaton, by(WORKER, IMPORT) + by(DRIVER, STEPS))) == ["root_cause"]


@pytest.mark.parametrize(
    ("log", "verdict"),
    [
        (IMPORT + lines(), "recovered"),
        (IMPORT + lines(count=QUIET_LINES - 100), "root_cause"),
        (IMPORT + lines(OTHER), "root_cause"),
        (by(WORKER, IMPORT) + lines(OTHER) + WORKER + "done with it\n", "recovered"),
        (IMPORT + lines() + by(OTHER, "bye\n"), "root_cause"),
    ],
    ids=["one writer", "too short", "another writer", "seen again", "several writers at the end"],
)
def test_a_process_that_writes_on_for_long_lived_on(
    automaton: Automaton, log: str, verdict: str
) -> None:
    """A thousand lines without an error, and the same writer at the end of the log."""
    assert harm(scan_text(automaton, log)) == [verdict]


def test_complaints_are_not_quiet(automaton: Automaton) -> None:
    """Lines that speak of errors, known or not, do not show that all is well."""
    complaints = "".join(
        f"HTTP request {number} failed with ServerDisconnectedError: Server disconnected\n"
        for number in range(QUIET_LINES + 50)
    )
    assert harm(scan_text(automaton, CRASH + complaints)) == ["root_cause"]


def test_a_later_attempt_outranks_an_earlier_one_in_the_same_log(automaton: Automaton) -> None:
    """After a long quiet time the same writer fails again: the first failure was survived."""
    result = scan_text(automaton, IMPORT + lines() + CRASH)
    assert [(each.signature.id, each.verdict.value) for each in result.diagnoses] == [
        ("cuda-out-of-memory", "root_cause"),
        ("verl-module-missing", "recovered"),
    ]


def test_the_failure_after_the_quiet_time_is_shown(automaton: Automaton) -> None:
    """The same error on both sides of it: the later one counts, and its line is the evidence."""
    (diagnosis,) = scan_text(automaton, CRASH + lines() + CRASH).diagnoses
    assert (diagnosis.verdict.value, diagnosis.evidence[0].line) == ("root_cause", QUIET_LINES + 13)


def test_a_habit_is_no_news(automaton: Automaton) -> None:
    """What was logged and lived on after many times is harmless once more, though no step follows it any more."""
    text = "".join(
        f"2026-01-01 10:00:00,123 - ERROR - ValueError: the reply of the model holds no action: sample {letter}{letter} text\n"
        for letter in "abcdef"[: HABIT + 1]
    )
    assert (
        harm(scan_text(automaton, text + STEPS + text.replace("sample", "other"))).count(
            "root_cause"
        )
        == 0
    )
    assert harm(scan_text(automaton, STEPS + text)).count("root_cause") == 1
    assert (
        harm(scan_text(automaton, text + STEPS + text.replace("sample", "other") + REFUSED)).count(
            "root_cause"
        )
        == 1
    )


def test_a_harness_that_finishes_after_its_server_died_is_no_clean_end(
    automaton: Automaton,
) -> None:
    """Others felt the death, and no step was made between that and the end."""
    assert harm(scan_text(automaton, CRASH + REFUSED + "Training complete\n"))[0] == "root_cause"
    assert (
        harm(scan_text(automaton, CRASH + REFUSED + STEPS + "Training complete\n"))[0]
        == "recovered"
    )
    assert harm(scan_text(automaton, CRASH + "Training complete\n")) == ["recovered"]


DEAD = """\
(APIServer pid=23) ERROR 08-01 21:34:51 [async_llm.py:704] Traceback (most recent call last):
(APIServer pid=23) ERROR 08-01 21:34:51 [async_llm.py:704]   File "/x/vllm/v1/engine/core_client.py", line 1061, in get_output_async
(APIServer pid=23) ERROR 08-01 21:34:51 [async_llm.py:704]     raise self._format_exception(outputs) from None
(APIServer pid=23) ERROR 08-01 21:34:51 [async_llm.py:704] vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root cause.
"""
ASKED = "(EngineCore pid=24) INFO 08-01 21:34:51 [core.py:1214] [shutdown] EngineCore: trigger received signal=SIGTERM\n"


def test_what_follows_a_deliberate_stop_is_noise(automaton: Automaton) -> None:
    """A server that was asked to end dies loudly; one that was asked after it had failed did fail."""
    assert "root_cause" not in harm(scan_text(automaton, ASKED + DEAD))
    assert harm(scan_text(automaton, DEAD + ASKED))[0] == "root_cause"
    assert harm(scan_text(automaton, CRASH + ASKED + DEAD))[0] == "root_cause"


def test_a_source_without_a_last_line_end_has_its_last_writer(automaton: Automaton) -> None:
    """The tail is read whole, whatever the chunks were."""
    log = (by(WORKER, IMPORT) + lines(OTHER) + WORKER + "done with it").encode()
    scan = Scan(automaton)
    scan.read("x", (log[i : i + 7] for i in range(0, len(log), 7)))
    assert harm(scan.result()) == ["recovered"]


def ill(*losses: str) -> str:
    return "".join(
        f"step:{step} - actor/loss:{loss} - actor/grad_norm:1.0\n"
        for step, loss in enumerate(losses, 1)
    )


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (ill("0.5", "nan", "nan", "nan"), [("loss-not-finite", "root_cause", 2)]),
        (
            ill("0.5", "nan", "nan", "nan") + "Training complete\n",
            [("loss-not-finite", "root_cause", 2)],
        ),
        (ill("nan", "0.5", "0.4", "nan", "nan", "nan"), [("loss-not-finite", "root_cause", 4)]),
        (ill("nan", "nan", "nan", "0.5", "0.4"), []),
        (ill("0.5", "0.4"), []),
    ],
    ids=["to the end", "though it says it is complete", "a second time", "only at first", "never"],
)
def test_a_loss_that_stays_nan_is_a_failure_without_an_error(
    automaton: Automaton, log: str, expected: list[tuple[str, str, int]]
) -> None:
    """The step at which it began is shown; steps with a loss afterwards show that it was overcome."""
    found = scan_text(automaton, log).diagnoses
    assert [
        (each.signature.id, each.verdict.value, each.evidence[0].line) for each in found
    ] == expected


def test_a_run_that_completes_without_a_step_is_looked_at(automaton: Automaton) -> None:
    """It printed no error, and may have done nothing."""
    begin = '  File "/x/verl/trainer/main_ppo.py", line 1\npython3 -m verl.trainer.main_ppo\n'
    told = [
        [
            each.en
            for each in scan_text(automaton, begin + more).not_seen
            if "reports no step" in each.en
        ]
        for more in ("Training complete\n", "step:1 - actor/loss:0.5 - \nTraining complete\n")
    ]
    assert [len(each) for each in told] == [1, 0]


CANCELLED = "slurmstepd: error: *** JOB 99123 ON gpu-7 CANCELLED AT 2026-11-21T10:07:00 ***\n"
INTERRUPTED = 'Traceback (most recent call last):\n  File "/app/train.py", line 9, in <module>\n    run()\nKeyboardInterrupt\n'
SIGNALLED = "W1121 10:07:00.273000 25972 torch/distributed/elastic/agent/server/api.py:719] Received 15 death signal, shutting down workers\n"


def caught(times: int, exception: str) -> str:
    """An error that the program logs and lives on after."""
    return "".join(
        f"2026-11-21 10:0{number}:00,001 - env - ERROR - tool call failed, trying again\nTraceback (most recent call last):\n"
        f'  File "/app/tools/search.py", line 41, in call\n    reply = post(url)\n{exception}\n2026-11-21 10:0{number}:05,001 - env - INFO - batch {number}\n'
        for number in range(times)
    )


@pytest.mark.parametrize(
    "stop",
    [
        CANCELLED,
        INTERRUPTED,
        SIGNALLED,
        "run.sh: line 12:  4012 Killed                  python train.py\n",
        "exit code 143\n",
    ],
)
@pytest.mark.parametrize("exception", [REFUSED.strip(), "ValueError: the reply holds no action"])
def test_what_stopped_the_run_outranks_what_it_had_caught_all_along(
    automaton: Automaton, stop: str, exception: str
) -> None:
    """Even where only the last line tells of it; an error that nobody caught, or that came once, is what went wrong."""
    stopped = scan_text(automaton, caught(HABIT, exception) + stop)
    assert stopped.root is not None
    assert stopped.root.evidence[0].line > HABIT * 6
    assert "from outside" in stopped.not_seen[0].en
    for text in (caught(HABIT, exception) + CRASH + stop, caught(1, exception) + stop):
        crashed = scan_text(automaton, text)
        assert crashed.root is not None
        assert crashed.root.evidence[0].line < text[: text.index(stop)].count("\n") + 1


def test_what_fails_after_an_interrupt_is_no_noise_of_it(automaton: Automaton) -> None:
    """The command was given again below, in the same log."""
    failed = CRASH.replace(OOM, "ValueError: the data set has no split of that name")
    assert harm(
        scan_text(automaton, INTERRUPTED + "$ python train.py --split eval\n" + failed)
    ) == ["consequence", "root_cause"]


def test_steps_after_an_interrupt_take_it_back(automaton: Automaton) -> None:
    """A notebook's cell that was interrupted and started again."""
    assert harm(scan_text(automaton, INTERRUPTED + STEPS + CRASH))[0] == "root_cause"
    assert scan_text(automaton, INTERRUPTED + STEPS).answer is None


def test_a_traceback_inside_an_exception_s_message_is_the_one_that_counts(
    automaton: Automaton,
) -> None:
    """As callbacks of JAX print it: the outer exception's line has the inner one's header."""
    outer = 'Traceback (most recent call last):\n  File "/app/train.py", line 281, in <module>\n    out = train_jit(rng)\n'
    inner = 'INTERNAL: CpuCallback error: Traceback (most recent call last):\n  File "/app/train.py", line 281, in <module>\n  File "/app/mlir.py", line 2776, in _wrapped\n'
    for exception, root in (
        ("KeyboardInterrupt: \n", "keyboard-interrupt"),
        (OOM, "cuda-out-of-memory"),
    ):
        result = scan_text(
            automaton, f"{STEPS}{outer}jaxlib.xla_extension.XlaRuntimeError: {inner}{exception}"
        )
        assert [each.signature.id for each in result.diagnoses if each is result.root] == [root]


def steps(writer: str, *numbers: int) -> str:
    return "".join(
        f"{writer}step:{number} - actor/loss:0.5 - actor/grad_norm:1.0\n" for number in numbers
    )


@pytest.mark.parametrize(
    ("later", "verdict"),
    [
        (steps("[rank1]: ", 1, 2, 3), "root_cause"),
        (steps("[rank1]: ", 1, 2, 3, 4, 5), "recovered"),
        (steps("[rank1]: ", 1, 2, 3, 2, 3), "recovered"),
        (steps("[rank0]: ", 2, 3), "recovered"),
    ],
    ids=["steps that were told before", "new steps", "started anew", "its own steps"],
)
def test_steps_that_another_rank_had_told_before_prove_nothing(
    automaton: Automaton, later: str, verdict: str
) -> None:
    """Ranks print the same step at different times; a run that went on makes new ones, or the same again."""
    caught = by(
        "[rank0]: ",
        f"2026-01-01 10:00:00,123 - ERROR - update failed\n{CRASH.replace(OOM, 'ValueError: the batch is empty')}",
    )
    assert harm(scan_text(automaton, steps("[rank0]: ", 1, 2, 3) + caught + later)) == [verdict]


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        (
            "[default] Worker group FAILED. 2/3 attempts left; will restart worker group\n",
            "recovered",
        ),
        (
            "There are 3 retries remaining, so the task will be retried. Error: it died.\n",
            "recovered",
        ),
        ("supervisor: process exited with code 1, restarting in 10 s\n", "recovered"),
        ("supervisor: process exited with code 1, giving up\n", "root_cause"),
    ],
)
def test_what_is_started_again_and_makes_steps_has_recovered(
    automaton: Automaton, said: str, verdict: str
) -> None:
    """Steps of any rank prove it then; without a restart those of another process do not."""
    crash = by("[rank1]: ", CRASH)
    harmed = harm(scan_text(automaton, crash + said + steps("[rank0]: ", 1, 2, 3)))
    assert (harmed[0], "root_cause" in harmed[1:]) == (verdict, False)
    assert (
        harm(scan_text(automaton, crash + said + steps("[rank0]: ", 1, 2, 3) + crash))[0]
        == "root_cause"
    )
    assert harm(scan_text(automaton, crash + said))[0] == "root_cause"


BARS = "".join(
    f"judging:  {step}%|▍         | {step}/50 [00:41<15:48, 41.23s/it]\n" for step in range(3, 6)
)
MENTIONED = f"2026-01-01 10:00:00,123 - llama_model - INFO - API调用失败 (尝试 1/3): {OOM.partition(': ')[2]}\n"
REFUSED_RECORD = (
    "2026-01-01 10:00:00,123 - client - ERROR - ValueError: no JSON in the answer of the judge\n"
)


@pytest.mark.parametrize(
    ("log", "verdict"),
    [
        (
            BARS
            + REFUSED_RECORD
            + BARS.replace("3/", "13/").replace("4/", "14/").replace("5/", "15/"),
            "recovered",
        ),
        (
            BARS + REFUSED_RECORD + "judging:  5%|▍         | 5/50 [00:41<15:48, 41.23s/it]\n",
            "root_cause",
        ),
        (REFUSED_RECORD + BARS, "root_cause"),
        (
            BARS + CRASH + BARS.replace("3/", "13/").replace("4/", "14/").replace("5/", "15/"),
            "root_cause",
        ),
        (
            BARS + MENTIONED + BARS.replace("3/", "13/").replace("4/", "14/").replace("5/", "15/"),
            "recovered",
        ),
        (BARS + MENTIONED, "root_cause"),
    ],
    ids=[
        "the loop went on",
        "the bar was only drawn again",
        "another loop began",
        "an uncaught exception",
        "only mentioned",
        "mentioned last",
    ],
)
def test_a_loop_that_goes_on_has_survived_what_its_body_logged(
    automaton: Automaton, log: str, verdict: str
) -> None:
    assert harm(scan_text(automaton, log)) == [verdict]


DIED = (
    'Traceback (most recent call last):\n  File "<frozen runpy>", line 198, in _run_module_as_main\n  File "<frozen runpy>", line 88, in _run_code\n'
    '  File "/app/scripts/train_unified.py", line 202, in <module>\n    train_loader = create_dataloader(\n'
    "FileNotFoundError: JSONL file not found: /data/tct/kubernetes-tct-bpe/train.jsonl\n"
)
SAID_INFO = "2025-12-27 17:25:51,879 - nanochat.common - INFO - Distributed world size: 1\n"
SAID_ERROR = "2025-12-27 17:25:51,879 - nanochat.common - ERROR - no data\n"
ALL_DONE = "All experiments completed at Sat Dec 27 17:25:59 CET 2025\nJob completed at Sat Dec 27 17:25:59 CET 2025\n"


@pytest.mark.parametrize(
    ("log", "verdict"),
    [
        (SAID_INFO + DIED + ALL_DONE, "root_cause"),
        (SAID_ERROR + DIED + ALL_DONE, "recovered"),
        (
            SAID_INFO
            + DIED.replace("<module>", "load").replace("_run_module_as_main", "load")
            + ALL_DONE,
            "recovered",
        ),
        (steps("", 1, 2, 3) + SAID_INFO + DIED + ALL_DONE, "recovered"),
        (SAID_INFO + DIED + steps("", 1, 2, 3) + ALL_DONE, "recovered"),
    ],
    ids=[
        "nothing was done",
        "logged by the program",
        "not of the main program",
        "steps before",
        "steps after",
    ],
)
def test_the_word_of_a_job_script_is_nothing_where_its_program_died_without_a_step(
    automaton: Automaton, log: str, verdict: str
) -> None:
    assert harm(scan_text(automaton, log)) == [verdict]


LEFT_OUT = (
    "[skip] Failed to load symnco_tsp50.ckpt: Attempting to deserialize object on CUDA device 7 but torch.cuda.device_count() is 6. "
    "Please use torch.load with map_location to map your storages to an existing device.\n"
)
FAULT = "Memory access fault by GPU node-2 (Agent handle: 0x6393d414aca0) on address 0x79a383de7000. Reason: Unknown.\n"
HUNG = "HW Exception by GPU node-2 (Agent handle: 0x63aace0cf9a0) reason :GPU Hang\n"


@pytest.mark.parametrize(
    ("log", "verdict"),
    [
        (LEFT_OUT, "recovered"),
        (3 * LEFT_OUT, "root_cause"),
        (LEFT_OUT.removeprefix("[skip] "), "root_cause"),
        (HUNG + "[warn] problem 47 eval crashed (exit 134); marking skipped\n", "recovered"),
        (HUNG + "[warn] problem 47 eval crashed (exit 134)\n", "root_cause"),
        (CRASH + "[warn] problem 47 eval crashed (exit 134); marking skipped\n", "root_cause"),
    ],
    ids=[
        "skipped",
        "again and again",
        "not skipped",
        "skipped by a harness",
        "not skipped by it",
        "an uncaught exception",
    ],
)
def test_what_the_program_says_it_skips_did_not_end_it(
    automaton: Automaton, log: str, verdict: str
) -> None:
    assert harm(scan_text(automaton, log)) == [verdict]


def test_a_harness_skips_what_said_two_things_above(automaton: Automaton) -> None:
    log = FAULT + HUNG + "[warn] problem 47 eval crashed (exit 134); marking skipped\n"
    assert harm(scan_text(automaton, log)) == ["recovered", "recovered"]


END = "{'train_runtime': 887.186, 'train_samples_per_second': 1.803, 'train_loss': -0.0008, 'epoch': 0.05}\n"


@pytest.mark.parametrize(
    ("after", "verdict"),
    [
        (
            (
                'Traceback (most recent call last):\n  File "/app/train.py", line 270, in <module>\n    json.dump(metrics, f)\n'
                "TypeError: Object of type bool_ is not JSON serializable\n"
            ),
            "root_cause",
        ),
        (
            (
                'Traceback (most recent call last):\n  File "<frozen runpy>", line 198, in _run_module_as_main\n  File "<frozen runpy>", line 88, in _run_code\n'
                '  File "/app/train.py", line 985, in <module>\n    main()\nFileExistsError: Experiment directory already exists: checkpoints/A_baseline\n'
            ),
            "root_cause",
        ),
        (
            (
                "Error executing job with overrides: []\nTraceback (most recent call last):\n"
                "  File \"/app/train.py\", line 113, in train_sft\n    x = config.I\nomegaconf.errors.ConfigAttributeError: Key 'I' is not in struct\n"
            ),
            "root_cause",
        ),
        (
            (
                'Traceback (most recent call last):\n  File "/app/lib/threads.py", line 27, in run\n    self.queue.get()\n'
                "TypeError: Object of type bool_ is not JSON serializable\n"
            ),
            "teardown",
        ),
        (
            (
                "saving checkpoint at iteration      20 to /data/ckpt\n"
                'Traceback (most recent call last):\n  File "/opt/lib/torch/serialization.py", line 967, in save\n    _save(\n'
                "RuntimeError: [enforce fail at inline_container.cc:858] . PytorchStreamWriter failed writing file data/5: file write failed\n"
            ),
            "root_cause",
        ),
    ],
    ids=[
        "the main program",
        "a module that was started with -m",
        "a function that Hydra ran",
        "a thread",
        "the saving of the last checkpoint",
    ],
)
def test_what_the_main_program_dies_of_after_the_training_is_no_noise(
    automaton: Automaton, after: str, verdict: str
) -> None:
    assert harm(scan_text(automaton, STEPS + END + after)) == [verdict]


@pytest.mark.parametrize(
    ("below", "verdict"), [(MENTIONED_LINES, "recovered"), (MENTIONED_LINES // 2, "root_cause")]
)
def test_what_is_only_mentioned_and_outlived_is_no_failure(
    automaton: Automaton, below: int, verdict: str
) -> None:
    """A program that checks what a model wrote says so at level info, and goes on."""
    mentioned = "2026-01-01 10:00:00,123 - checker - INFO - 执行程序时出错: NameError: name 'x' is not defined\n"
    assert harm(scan_text(automaton, mentioned + lines(count=below))) == [verdict]


def test_a_step_that_tells_its_run_time_ends_no_training(automaton: Automaton) -> None:
    """Transformers adds it to the dict of each step where tokens are counted (include_num_input_tokens_seen)."""
    steps = "".join(
        f"{{'loss': 1.9, 'epoch': 0.{step}, 'train_runtime': 2{step}.8, 'train_tokens_per_second': 2350.59}}\n"
        for step in range(1, 6)
    )
    assert harm(scan_text(automaton, steps + OOM)) == ["root_cause"]


def test_a_warning_above_the_root_did_not_follow_from_it(automaton: Automaton) -> None:
    random_weights = "Some weights of LlamaForCausalLM were not initialized from the model checkpoint at m2 and are newly initialized: ['model.layers.1.mlp.down_proj.weight']\n"
    assert harm(scan_text(automaton, random_weights + CRASH)) == ["root_cause", "independent"]


def test_the_last_step_of_a_bar_that_is_drawn_over_itself_stands_in_its_line(
    automaton: Automaton,
) -> None:
    bars = "\r".join(
        f" {step}%|▍         | {step}/50 [00:41<15:48, 41.23s/it]" for step in range(3, 40)
    )
    progress = scan_text(
        automaton, f"{{'loss': 0.5, 'epoch': 0.1}}\n{bars}\nsaved\n"
    ).context.last_progress
    assert progress
    assert (progress.line, progress.step, progress.total) == (2, 39, 50)


GONE = "[W212 13:45:53.869814256 TCPStore.cpp:131] [c10d] recvVector failed on SocketImpl(fd=4, addr=[a]:5159, remote=[b]:2960): failed to recv, got 0 bytes\n"
LEFT = "[rank3]:[W212 13:45:51.138217909 ProcessGroupNCCL.cpp:1250] Warning: WARNING: process group has NOT been destroyed before we destruct ProcessGroupNCCL.\n"


def test_a_lost_partner_that_is_only_warned_of_after_the_end_is_noise(automaton: Automaton) -> None:
    """Whoever ends first takes the store with it. Before the end, or after an error, it counts."""
    assert scan_text(automaton, STEPS + LEFT + GONE).root is None
    assert scan_text(automaton, STEPS + GONE + LEFT).root is not None
    assert "root_cause" in harm(scan_text(automaton, STEPS + CRASH + LEFT + GONE))
