"""A failed run's own configuration proves its cause: dumps in logs, `scan`, `--patch`."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from logdoctor import scan
from logdoctor.agents.folders import Folders
from logdoctor.agents.tools import Tools
from logdoctor.archive.batch import rules_key
from logdoctor.archive.workers import Rules
from logdoctor.formats.prefixes import Stripped, strip_prefixes
from logdoctor.model import Applies, Diagnosis, ScanOptions
from logdoctor.pipeline.scan import Scan
from logdoctor.relations.logged import configuration_of
from logdoctor.search.automaton import Automaton
from logdoctor.settings import printed_dumps
from logdoctor.settings.configuration import Setting, Unresolved
from logdoctor.settings.printed_dumps import read_dumps
from tests.conftest import RunCli
from tests.log_parts import DO_NOT_GO_TOGETHER, SETTINGS

PREFIX = "\x1b[36m(TaskRunner pid=21236)\x1b[0m "
DUMP, ERROR = SETTINGS.decode(), DO_NOT_GO_TOGETHER.decode()
BECAUSE = (
    "data.train_batch_size 510 × actor_rollout_ref.rollout.n 5 = 2550 is not divisible by 16 GPUs"
)


def failed(dump: str = DUMP) -> str:
    lines = [f"{PREFIX}{line}\n" for line in dump.splitlines()]
    lines.insert(2, "\x1b[33m(raylet)\x1b[0m a line of another writer {\n")
    return "".join(lines) + "Traceback (most recent call last):\n" + ERROR


def root_of(text: str, at: Path) -> Diagnosis:
    file = at / "train.log"
    file.write_text(text, encoding="utf-8")
    root = scan(file).root
    assert isinstance(root, Diagnosis)
    return root


def test_a_broken_relation_proves_the_cause_and_its_value(tmp_path: Path) -> None:
    """First reason and first remedy, with the line that shows the setting."""
    root = root_of(failed(), tmp_path)
    assert root.signature.id == "verl-train-batch-not-divisible"
    reason, remedy = root.because[0], root.remedies[0]
    assert reason.rule == "verl-rollout-batch-not-divisible"
    assert reason.text.en == BECAUSE
    assert (Path(reason.source).name, reason.line) == ("train.log", 5)
    assert remedy.applies is Applies.YES
    assert [(each.key, each.current, each.value) for each in remedy.changes] == [
        ("data.train_batch_size", "510", "496")
    ]


def test_advice_before_and_after_the_run_is_one_text(run_cli: RunCli, tmp_path: Path) -> None:
    """`check` of the same log says what `scan` says."""
    root = root_of(failed(), tmp_path)
    checked = run_cli("check", str(tmp_path / "train.log")).stdout.decode()
    for text in (root.remedies[0].action, root.remedies[0].why):
        assert text.en in checked
    checked = run_cli("check", str(tmp_path / "train.log"), "--lang", "zh").stdout.decode()
    assert root.remedies[0].action.zh in checked


@pytest.mark.parametrize(
    "dump",
    [
        DUMP.replace("510", "512"),  # holds: the message is of another run
        DUMP.replace("'use_dynamic_bsz': False", "'use_dynamic_bsz': True"),  # does not count
        DUMP.replace("'n': 5", "'n': Count(5)"),  # no plain value
        DUMP + DUMP.replace("510", "256"),  # two runs in one log
        DUMP.replace("'train_batch_size': 510", "'other': 1"),  # not shown
        "",
    ],
)
def test_what_is_not_known_or_holds_proves_nothing(dump: str, tmp_path: Path) -> None:
    """The verdict stands as it is without relations."""
    root = root_of(failed(dump), tmp_path)
    assert not [each for each in root.because if each.rule.startswith("verl-")]
    assert root.remedies[0].changes[0].value != "496"


def test_the_users_file_counts_too_and_the_patch_is_computed(
    run_cli: RunCli, tmp_path: Path
) -> None:
    """`--config` has what the log does not show."""
    log, file = tmp_path / "train.log", tmp_path / "run.yaml"
    log.write_text("Traceback (most recent call last):\n" + ERROR, encoding="utf-8")
    file.write_text(
        "data: {train_batch_size: 510}\n"
        "actor_rollout_ref: {rollout: {n: 5}, actor: {strategy: fsdp, use_dynamic_bsz: false}}\n"
        "trainer: {n_gpus_per_node: 8, nnodes: 2}\n",
        encoding="utf-8",
    )
    words = ("scan", str(log), "--config", str(file))
    found = json.loads(run_cli(*words, "--format", "json").stdout)["diagnoses"][0]
    assert found["because"][0]["text"] == BECAUSE
    assert found["because"][0]["source"] == str(file)
    assert run_cli(*words, "--patch", "-").stdout == b"data.train_batch_size=496\n"
    assert run_cli("check", str(file), "--patch", "-").stdout == b"data.train_batch_size=496\n"
    patch = run_cli("scan", str(log), "--patch", str(file)).stdout.decode()
    assert run_cli("check", str(file), "--patch", str(file)).stdout.decode() == patch
    assert "-data: {train_batch_size: 510}" in patch
    assert "+data: {train_batch_size: 496}" in patch


def test_stdin_is_kept_for_its_configuration(run_cli: RunCli) -> None:
    """It cannot be read again."""
    done = run_cli("scan", "-", "--format", "json", stdin=failed().encode())
    assert json.loads(done.stdout)["diagnoses"][0]["because"][0]["text"] == BECAUSE


WAYS = {
    "scan": ("scan", "run/train.log", "--format", "json"),
    "scan of a pipe": ("scan", "-", "--format", "json"),
    "scan of an archive": ("scan", "run.tar.gz", "--format", "json"),
    "tail": ("tail", "run/train.log", "--until-idle", "0.3", "--format", "jsonl"),
    "tail of a pipe": ("tail", "-", "--format", "jsonl"),
    "run": ("run", "--format", "jsonl", "--", "sh", "-c", "cat run/train.log; exit 1"),
    "batch": ("batch", "run", "--format", "json"),
    "batch of archives": ("batch", "run.tar.gz", "--format", "json"),
}


@pytest.mark.parametrize("way", WAYS)
def test_whoever_reads_a_run_has_the_proof(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_cli: RunCli
) -> None:
    """Its reason, its remedy and its value are the same, also told while the run goes on."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").mkdir()
    log = tmp_path / "run" / "train.log"
    log.write_text(failed(), encoding="utf-8")
    with tarfile.open("run.tar.gz", "w:gz") as archive:
        archive.add("run/train.log")
    done = run_cli(*WAYS[way], stdin=log.read_bytes())
    out = done.stderr if way == "run" else done.stdout
    text = out.decode()
    rows = (
        [json.loads(text)]
        if "json" in WAYS[way]
        else [json.loads(each) for each in text.splitlines() if each[:1] == "{"]
    )
    found = [
        each
        for row in rows
        for run in row.get("runs", [row])
        for each in run.get("diagnoses", [run])
        if each.get("signature_id") == "verl-train-batch-not-divisible"
    ]
    assert found
    root = scan(log).root
    assert isinstance(root, Diagnosis)
    for each in found:
        assert each["because"][0]["text"] == BECAUSE == root.because[0].text.en
        assert each["remedies"][0]["action"] == root.remedies[0].action.en
        assert each["remedies"][0]["set"] == {"data.train_batch_size": "496"}


def test_an_agent_has_the_proof_too(automaton: Automaton, tmp_path: Path) -> None:
    """As of the command line."""
    log = tmp_path / "train.log"
    log.write_text(failed(), encoding="utf-8")
    answer = Tools(automaton, Folders([str(tmp_path)])).diagnose(str(log), detail="full")
    (found, *_) = answer.content["diagnoses"]
    assert found["because"][0]["text"] == BECAUSE


def test_lines_of_an_earlier_call_are_not_numbered_anew(automaton: Automaton) -> None:
    """What a tail reads that goes on has begun before: its settings are none of its first lines."""
    live = Scan(automaton, lines={"train.log": 40})
    live.feed("train.log", failed().encode())
    live.end()
    root = live.result().root
    assert isinstance(root, Diagnosis)
    assert root.evidence[0].line > 40
    assert not [each for each in root.because if each.rule.startswith("verl-")]


def test_relations_change_what_an_archive_is_judged_by(tmp_path: Path) -> None:
    """So that runs that are kept are judged again."""
    rules = Rules((), "", ScanOptions(), "0")
    (tmp_path / "a.yaml").write_text("one", encoding="utf-8")
    keys = {rules_key(rules, "0", str(tmp_path))}
    (tmp_path / "a.yaml").write_text("two", encoding="utf-8")
    keys.add(rules_key(rules, "0", str(tmp_path)))
    assert len(keys) == 2


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("x GRPOConfig(beta=0.1, actor=Actor(lr=1e-6))", {"beta": 0.1, "actor.lr": 1e-6}),
        ('{"beta": true, "data": {"files": ["a", "b"]}}', {"beta": True, "data.files": ("a", "b")}),
        ("{'beta': <Mode.ON: 'on'>}", {"beta": "on"}),
        ("{'beta': 'a }' 'b'}", {"beta": "a }b"}),
        ("{'beta': (1)", {}),
        ("{'beta': [}", {}),
        ("{'beta': " + "[" * 3000 + "]" * 3000 + "}", {}),
        ("{'other': 1}", {}),
    ],
)
def test_dumps_are_read_as_they_are_written(text: str, settings: dict[str, object]) -> None:
    """Calls, JSON, members of enumerations; what is broken is none."""
    found = list(read_dumps(text.split("\n"), lambda dump: "beta" in dump, "log"))
    plain = {each.key: each.value for each in found if isinstance(each, Setting)}
    assert plain == settings
    assert not [each for each in found if isinstance(each, Unresolved)] or not plain


def test_what_a_log_shows_of_a_key_does_not_depend_on_other_keys() -> None:
    """One whose name begins or ends another's, with hyphens or underscores, hides nothing of it."""
    keys = {"parallel", "tensor_parallel", "tensor_parallel_size", "parallel_size"}
    text = "--tensor-parallel-size 4 --parallel-size=2\nargs: tensor_parallel=8, parallel: 3"
    together = configuration_of(text, "log", keys).settings
    alone = [configuration_of(text, "log", {key}).settings for key in keys]
    assert together == {key: each for found in alone for key, each in found.items()}
    assert {key: each.value for key, each in together.items()} == {
        "tensor_parallel_size": 4,
        "parallel_size": 2,
        "tensor_parallel": 8,
        "parallel": 3,
    }


def test_brackets_that_never_close_are_not_followed_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However many lines open some: behind so many in vain, only dumps of one line are read."""
    looked: list[str] = []

    def looked_at(text: str) -> Stripped:
        looked.append(text)
        return strip_prefixes(text)

    monkeypatch.setattr(printed_dumps, "strip_prefixes", looked_at)
    lines = ["{'beta': [1, 2, "] * 30_000 + ["{'beta': 3}"]
    (found,) = read_dumps(lines, lambda dump: "beta" in dump, "log")
    assert (found.key, isinstance(found, Setting)) == ("beta", True)
    assert len(looked) < 3 * len(lines)


TIMEOUT = """\
RLHF training starts
 args: models.policy.tensor_model_parallel_size=4 models.policy.enforce_eager={} models.policy.num_gpu=8
Traceback (most recent call last):
  File "/opt/ChatLearn/chatlearn/runtime/environment.py", line 214, in execute
    data = future_get(data)
ray.exceptions.RayChannelTimeoutError: System error: If the execution is expected to take a long \
time, increase RAY_CGRAPH_get_timeout which is currently 10 seconds. Otherwise, this may indicate \
that the execution is hanging.
"""


@pytest.mark.parametrize(("eager", "is_proven"), [("False", True), ("True", False)])
def test_what_mostly_runs_is_evidence_only(
    run_cli: RunCli, tmp_path: Path, eager: str, is_proven: bool
) -> None:
    """Tensor parallelism without eager mode proves a timeout; before a run nothing is said."""
    root = root_of(TIMEOUT.format(eager), tmp_path)
    assert root.signature.id == "chatlearn-ray-channel-timeout"
    rules = [each.rule for each in root.because]
    assert ("chatlearn-tensor-parallel-not-eager" in rules) is is_proven
    changes = [(each.key, each.value) for each in root.remedies[0].changes]
    assert (changes == [("models.policy.enforce_eager", "true")]) is is_proven
    checked = run_cli("check", str(tmp_path / "train.log"), "--framework", "chatlearn")
    assert "enforce_eager" not in checked.stdout.decode()


SWAPPED = """\
(master_worker/0 pid=96390, ip=10.0.0.11) 20250222-11:12:05.104 master worker INFO: Model rpc actor_gen requested.
(model_worker/3 pid=97122, ip=10.0.0.11) Traceback (most recent call last):
(model_worker/3 pid=97122, ip=10.0.0.11)   File "/usr/lib/vllm/core/scheduler.py", line 1537, in _swap_out
(model_worker/3 pid=97122, ip=10.0.0.11)     raise RuntimeError(
(model_worker/3 pid=97122, ip=10.0.0.11) RuntimeError: Aborted due to the lack of CPU swap space. Please increase the swap space to avoid this error.
"""


@pytest.mark.parametrize(("space", "least"), [(4, 25), (24, 25), (25, None)])
def test_the_swap_space_is_compared_with_what_one_prompt_needs(
    run_cli: RunCli, tmp_path: Path, space: int, least: int | None
) -> None:
    """From the model's own file: 28 layers, 4 kv heads of 128, 16 answers of 28,672 tokens."""
    model, log, file = tmp_path / "model", tmp_path / "train.log", tmp_path / "run.yaml"
    model.mkdir()
    facts = {"num_attention_heads": 28, "hidden_size": 3584, "num_hidden_layers": 28,
             "num_key_value_heads": 4}  # fmt: skip
    (model / "config.json").write_text(json.dumps(facts), encoding="utf-8")
    log.write_text(SWAPPED, encoding="utf-8")
    file.write_text(
        f"actor: {{path: {model}, vllm: {{swap_space: {space}}}}}\ngroup_size: 16\n"
        "dataset: {max_prompt_len: 1024}\nppo: {gen: {max_new_tokens: 27648}}\n",
        encoding="utf-8",
    )
    done = run_cli("scan", str(log), "--config", str(file), "--format", "json")
    (found, *_) = json.loads(done.stdout)["diagnoses"]
    rules = [each["rule"] for each in found["because"]]
    assert ("areal-swap-space-below-one-group" in rules) is (least is not None)
    if least:
        assert found["remedies"][0]["set"] == {"actor.vllm.swap_space": str(least)}


def test_toml_is_read_with_its_lines(run_cli: RunCli, tmp_path: Path) -> None:
    """As prime-rl has it."""
    file = tmp_path / "rl.toml"
    text = "[deployment]\nnum_train_gpus = 6\nnum_infer_gpus = 4\n\n"
    text += "[orchestrator]\nbatch_size = 100 # rollouts\ngroup_size = 16\n"
    file.write_text(text, encoding="utf-8")
    found = json.loads(run_cli("check", str(file), "--format", "json").stdout)
    assert [(each["relation_id"], each["at"]["line"]) for each in found["violations"]] == [
        ("prime-rl-batch-not-whole-groups", 6),
        ("prime-rl-gpus-exceed-node", 2),
    ]
    file.write_text("[deployment\n", encoding="utf-8")
    done = run_cli("check", str(file))
    assert done.returncode == 2
    assert "not TOML" in done.stdout.decode()


def test_memory_that_slurm_gives_is_known(run_cli: RunCli, tmp_path: Path) -> None:
    """`--mem` with its unit; 0 says nothing."""
    pytest.importorskip("tree_sitter_bash")
    file = tmp_path / "serve.sbatch"
    text = "#!/bin/bash\n#SBATCH --mem={}\nvllm serve m --swap-space 16 --tensor-parallel-size 8\n"
    for memory, is_broken in (("128G", True), ("131072", True), ("1T", False), ("0", False)):
        file.write_text(text.format(memory), encoding="utf-8")
        done = run_cli("check", str(file))
        assert ("host memory" in done.stdout.decode()) is is_broken, memory


def test_a_change_that_the_signature_names_too_is_said_once(repository: Path) -> None:
    """In the signature's words, proven by the relation."""
    root = scan(repository / "sample_logs" / "chatlearn-ray-channel-timeout.log").root
    assert isinstance(root, Diagnosis)
    first, *others = root.remedies
    assert root.because[0].rule == "chatlearn-tensor-parallel-not-eager"
    assert "CUDA graphs" in first.action.en
    assert (first.applies, first.changes[0].value) == (Applies.YES, "true")
    assert not any(first.settings.keys() & each.settings.keys() for each in others)
