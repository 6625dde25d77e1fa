"""Tables of lines that tell about the run: frameworks, phases, progress, ends, versions.

Each row has a regex that both the automaton and Python's `re` take, to be searched in the raw line,
and a sample line; a test holds every row to its sample. The wordings are those of the frameworks'
own sources (ROLL 8eb27cc2, ChatLearn b7af31a9, AReaL 4aef98d8 and v0.1, Trinity-RFT 0.6.0, verl
b178a3cd, OpenRLHF 3c3be623, Megatron-LM d98e8a64, TRL 1.16, vLLM 0.33, SGLang 0.5.23, slime
624b824a, NeMo RL 7ea279ab, LLaMA-Factory ff6d4d12, ms-swift 3602360a).
"""

from enum import Enum
from typing import NamedTuple

from logdoctor.model import Phase


class MarkerKind(str, Enum):
    """What a marker tells. A run ends by itself (end), when asked to (stop) or by force
    (cancel); cut: its beginning is not in the log.
    """

    FRAMEWORK = "framework"
    PHASE = "phase"
    PROGRESS = "progress"
    END = "end"
    STOP = "stop"
    CANCEL = "cancel"
    CUT = "cut"
    VERSION = "version"
    METRIC = "metric"
    RESTART = "restart"
    WORLD = "world"
    NOT_FINITE = "not finite"


OF_THE_COURSE = frozenset(
    {
        MarkerKind.FRAMEWORK,
        MarkerKind.PHASE,
        MarkerKind.PROGRESS,
        MarkerKind.METRIC,
        MarkerKind.WORLD,
    }
)
"""What healthy logs are full of, and tell again and again."""


class Marker(NamedTuple):
    """A line that tells something.

    Attributes:
        value: name of the framework, phase or package, else empty.
        pattern: regex; group `step` is the number of a step, `total` of the last one, `version` a
            version, `world` the number of ranks, `outside` tells that others end the program, `job`
            that a scheduler ends the job.
        sample: a line it fits.
    """

    kind: MarkerKind
    value: str
    pattern: str
    sample: str


def _framework(name: str, *rows: tuple[str, str]) -> tuple[Marker, ...]:
    return tuple(Marker(MarkerKind.FRAMEWORK, name, pattern, sample) for pattern, sample in rows)


def _phase(phase: Phase, *rows: tuple[str, str]) -> tuple[Marker, ...]:
    return tuple(Marker(MarkerKind.PHASE, phase.value, pattern, sample) for pattern, sample in rows)


def _plain(kind: MarkerKind, *rows: tuple[str, str]) -> tuple[Marker, ...]:
    return tuple(Marker(kind, "", pattern, sample) for pattern, sample in rows)


def _version(package: str, *rows: tuple[str, str]) -> tuple[Marker, ...]:
    return tuple(Marker(MarkerKind.VERSION, package, pattern, sample) for pattern, sample in rows)


_POST_TRAINING = (
    "roll",
    "chatlearn",
    "areal",
    "trinity",
    "rllm",
    "verl",
    "openrlhf",
    "slime",
    "nemo_rl",
    "prime_rl",
    "skyrl",
)
APPLICATIONS = (*_POST_TRAINING, "llamafactory", "swift", "unsloth", "trl")
"""What a user calls the run, outermost first: some are built on later ones."""

FRAMEWORK_ORDER = (*APPLICATIONS, "megatron", "deepspeed", "vllm", "sglang", "ray")
"""All frameworks: before what a run is built on, what it is."""

MARKERS: tuple[Marker, ...] = (
    *_framework(
        "roll",
        (
            r"[0-9] / [0-9]{1,6}\]\[PID [0-9]",
            "[2026-01-11 21:25:34] [x.py (41)] [INFO] [reference-0 0 / 1][PID 136685] text",
        ),
        (
            r"/roll/(?:pipeline|distributed|utils|configs|models|agentic)/",
            '  File "/app/ROLL/roll/distributed/executor/worker.py", line 1',
        ),
        (r"log_rank_DRIVER_", "add logger: log_rank_DRIVER_0_1"),
        (r"\(ActorWorker\(", "(ActorWorker(actor_train-0) pid=1) text"),
    ),
    *_framework(
        "chatlearn",
        (r"ChatLearn", "[2025-08-25 10:00:00,123 ChatLearn] (engine.py 497): INFO text"),
        (r"chatlearn_log", "chatlearn_log start train episode_id: 1/200"),
        (
            r"/chatlearn/(?:runtime|models|utils|algorithm|launcher|synchronizer)/",
            '  File "/x/chatlearn/runtime/engine.py", line 1',
        ),
    ),
    *_framework(
        "areal",
        (r"\(AReaL\)", "(AReaL) 20260206-15:38:30.123 RLTrainer INFO: text"),
        (r"master[_ ]worker(?:/[0-9]+ pid=| INFO)", "(master_worker/0 pid=96390, ip=1.2.3.4) text"),
        (r"/(?:areal|realhf)/[a-z_]+/", '  File "/AReaL/realhf/system/master_worker.py", line 1'),
        (
            r"-m realhf\.apps|quickstart INFO:|python3? -m areal\.",
            "20250222-10:26:34.877 quickstart INFO: Running ppo-math experiment.",
        ),
    ),
    *_framework(
        "trinity",
        (
            r"/trinity/(?:cli|explorer|trainer|common|manager|buffer|algorithm|utils)/",
            '  File "/x/trinity/explorer/explorer.py", line 1',
        ),
        (r"trinity run --config|[Tt]rinity[-_]RFT", "trinity run --config gsm8k.yaml"),
        (
            r"\[(?:explorer|synchronizer|rollout_coordinator)\.py:[0-9]",
            "INFO 11-22 15:37:46 [explorer.py:93] Explore step 1 started.",
        ),
        (r"\((?:vLLMRolloutModel|Explorer|Synchronizer) pid=", "(vLLMRolloutModel pid=32405) text"),
    ),
    *_framework(
        "verl",
        (
            r"/verl/(?:workers|trainer|single_controller|utils|protocol|models)",
            '  File "/x/verl/trainer/main_ppo.py", line 1',
        ),
        (r"verl\.trainer\.", "python3 -m verl.trainer.main_ppo"),
        (r"actor_rollout_ref", "actor_rollout_ref.rollout.n=8"),
    ),
    *_framework(
        "openrlhf",
        (r"/openrlhf/|openrlhf\.cli", '  File "/x/openrlhf/trainer/ppo_trainer.py", line 1'),
        (
            r"\((?:PolicyModelActor|ReferenceModelActor|LLMRayActor|RolloutRayActor) pid=",
            "(PolicyModelActor pid=1) text",
        ),
    ),
    *_framework(
        "slime",
        (
            r"/slime/(?:backends|ray|rollout|utils|agent|observability)/",
            '  File "/root/slime/slime/ray/rollout.py", line 1',
        ),
        (
            r"\((?:MegatronTrainRayActor|FSDPTrainRayActor|RolloutManager|SGLangEngine) pid=",
            "(MegatronTrainRayActor pid=1) text",
        ),
        (
            r"slime\.rollout\.",
            "rollout_function_path ... slime.rollout.sglang_rollout.generate_rollout",
        ),
    ),
    *_framework(
        "nemo_rl",
        (r"/nemo_rl/[a-z_]+/", '  File "/opt/nemo-rl/nemo_rl/algorithms/grpo.py", line 1'),
        (
            r"\bnemo_rl\.(?:models|environments|algorithms|distributed)\.",
            "nemo_rl.models.policy.workers.megatron_policy_worker",
        ),
        (
            (
                r"\((?:DTensorPolicyWorker|MegatronPolicyWorker|VllmGenerationWorker"
                r"|VllmAsyncGenerationWorker)\w*[ \[(]"
            ),
            "(DTensorPolicyWorker pid=1) text",
        ),
    ),
    *_framework(
        "llamafactory",
        (
            r"\] llamafactory\.[a-z_0-9.]+:[0-9]+ >> |- llamafactory\.[a-z_0-9.]+ - ",
            "[INFO|2025-11-21 10:00:00] llamafactory.hparams.parser:410 >> text",
        ),
        (
            r"/llamafactory/(?:train|hparams|data|model|launcher|cli|extras|chat|v1)",
            '  File "/app/src/llamafactory/train/tuner.py", line 1',
        ),
        (
            r"llamafactory-cli|llmtuner\.",
            "llamafactory-cli train examples/train_lora/llama3_lora_sft.yaml",
        ),
    ),
    *_framework(
        "swift",
        (
            r"\[(?:INFO|WARNING|ERROR|DEBUG):swift\] ",
            "[INFO:swift] Start time of running main: 2025-11-21 10:00:00",
        ),
        (
            (
                r"/swift/(?:llm|pipelines|rlhf_trainers|arguments|infer_engine|cli|megatron"
                r"|plugin|tuners|trainers)/"
            ),
            '  File "/x/swift/llm/train/rlhf.py", line 1',
        ),
    ),
    *_framework(
        "rllm",
        (
            r"/rllm/(?:engine|trainer|agents|environments|workflows)/",
            '  File "/x/rllm/engine/rollout.py", line 1',
        ),
    ),
    *_framework(
        "prime_rl",
        (
            r"/prime_rl/(?:trainer|orchestrator|inference|entrypoints|utils)/",
            '  File "/x/prime_rl/utils/config.py", line 1',
        ),
    ),
    *_framework(
        "skyrl",
        (
            r"/skyrl(?:_train|_gym|_agent|/(?:train|backends|tinker|tx))/",
            '  File "/x/skyrl/train/trainer.py", line 1',
        ),
        (
            r"\| skyrl(?:_train|_agent)?\.[a-z_.]+:|\(skyrl_entrypoint pid=",
            "(skyrl_entrypoint pid=277057) text",
        ),
    ),
    *_framework(
        "unsloth",
        (
            (
                r"/unsloth(?:_zoo/|_compiled_cache/|/models/|/trainer\.)|Unsloth: Will patch "
                r"your computer"
            ),
            "Unsloth: Will patch your computer to enable",
        ),
    ),
    *_framework(
        "trl",
        (
            r"/trl/(?:trainer|models|scripts|extras)/",
            '  File "/x/trl/trainer/grpo_trainer.py", line 1',
        ),
    ),
    *_framework(
        "megatron",
        (r"/megatron/(?:core|training)/", '  File "/x/megatron/core/optimizer.py", line 1'),
        (r"after megatron is initialized", "[after megatron is initialized] datetime: 2026"),
    ),
    *_framework(
        "deepspeed",
        (r"DeepSpeed info: version", "[Rank 0] DeepSpeed info: version=0.16.3, git-hash=unknown"),
        (
            r"/deepspeed/(?:runtime|ops|launcher|comm)/",
            '  File "/x/deepspeed/runtime/engine.py", line 1',
        ),
    ),
    *_framework(
        "vllm",
        (
            r"/vllm/(?:v1|engine|worker|executor|model_executor|entrypoints)/",
            '  File "/x/vllm/v1/engine/core.py", line 1',
        ),
        (
            r"Initializing an? (?:V[01] )?LLM engine",
            "Initializing a V1 LLM engine (v0.9.1) with config: model='x'",
        ),
        (r"\(EngineCore", "(EngineCore_DP0 pid=1) ERROR text"),
    ),
    *_framework(
        "sglang",
        (
            r"/sglang/(?:srt|launch|lang|bench)",
            '  File "/x/sglang/srt/managers/scheduler.py", line 1',
        ),
    ),
    *_framework(
        "ray",
        (
            r"Started a local Ray instance|Connected to Ray cluster",
            "2024-11-08 13:54:19,831\tINFO worker.py:1777 -- Started a local Ray instance.",
        ),
        (
            r"/ray/(?:_private|dag|exceptions|util|serve|train|actor)",
            '  File "/x/ray/_private/worker.py", line 1',
        ),
        (r"\(raylet", "(raylet) text"),
    ),
    *_phase(
        Phase.INIT,
        (
            r"Initializing an? (?:V[01] )?LLM engine|Loading checkpoint shards",
            "Initializing a V1 LLM engine (v0.9.1)",
        ),
        (
            r"basemodule .{1,80} init start|Before model init|start setup and validate",
            "basemodule policy_trainer init start",
        ),
        (
            r"Waiting for rollout models|Initializing device mesh",
            "Waiting for rollout models to finish initialization.",
        ),
        (
            r"Before init actor from HF|Before building vllm rollout",
            "Before init actor from HF AutoModel, memory allocated (GB): 0",
        ),
        (
            r"quickstart INFO: Running",
            "20250222-10:26:34.877 quickstart INFO: Running ppo-math experiment.",
        ),
    ),
    *_phase(
        Phase.ROLLOUT,
        (r"rpc (?:actor_gen|rollout) requested", "Model rpc actor_gen requested."),
        (r"Explore step [0-9]+ started|start sampling, global_step", "Explore step 3 started."),
        (
            r"generate_[a-z_]*start_on?load|start to make experience",
            "actor_infer/generate_start_onload, memory",
        ),
        (r"Starting experience making", "🚀 Starting experience making with 128 samples"),
        (r"▶ Generating responses", "▶ Generating responses for batch of size 512..."),
    ),
    *_phase(
        Phase.REWARD,
        (r"rpc (?:rew_inf|rew_gen) requested", "Model rpc rew_inf requested."),
        (r"▶ Processing rewards", "▶ Processing rewards...,"),
    ),
    *_phase(
        Phase.LOGPROB,
        (r"rpc (?:ref_inf|actor_inf|critic_inf) requested", "Model rpc ref_inf requested."),
        (
            r"compute_log_probs_start|compute_values_start",
            "reference/compute_log_probs_start_offload, memory",
        ),
        (r"▶ (?:Computing logprobs|Preparing for logprob inference)", "▶ Computing logprobs..."),
    ),
    *_phase(
        Phase.TRAIN,
        (r"rpc (?:actor_train|critic_train) requested", "Model rpc actor_train requested."),
        (
            r"train_step_start_on?load|Training at step [0-9]+ started",
            "actor_train/train_step_start_onload, memory",
        ),
        (r"\): INFO (?:chatlearn_log )?Before train", "(engine.py 1): INFO Before train"),
        (r"▶ (?:Training policy|Preparing for training)", "▶ Training policy..."),
    ),
    *_phase(
        Phase.SYNC,
        (
            r"sync_weights at step [0-9]+ started|Starting NCCL weight sync",
            "Trainer sync_weights at step 3 started.",
        ),
        (r"model_update_start|Before first param sync", "actor_train/model_update_start_onload"),
    ),
    *_phase(
        Phase.CHECKPOINT,
        (
            r"[Ss]aving checkpoint (?:at|to|episode)|save checkpoint",
            "Saving checkpoint at step 3...",
        ),
        (r"local_global_step_folder", "local_global_step_folder: checkpoints/x/global_step_10"),
    ),
    *_phase(
        Phase.EVAL,
        (
            r"Evaluation at step [0-9]+ started|start evaluate|test_gen_batch meta info",
            "Evaluation at step 3 started.",
        ),
        (
            r"▶ Starting validation at step|Running initial validation",
            "▶ Starting validation at step 0...",
        ),
    ),
    *_plain(
        MarkerKind.PROGRESS,
        (r"\bstep:(?P<step>[0-9]+) - ", "step:83 - actor/kl_loss:0.1 - actor/grad_norm:1.0"),
        (
            r"\biteration +(?P<step>[0-9]+)/ *(?P<total>[0-9]+) \|",
            " iteration      122/  250000 | consumed samples:       124928 |",
        ),
        (r"[Gg]lobal step (?P<step>[0-9]+)[:)]", "✨ Global step 12: {'policy_loss': 0.1}"),
        (
            r"Train step (?P<step>[0-9]+)/(?P<total>[0-9]+) done",
            "Epoch 1/5 Step 150/332 Train step 150/1660 done.",
        ),
        (
            (
                r"\bEpoch(?:\(train\))? ?\[ *[0-9]+(?:/[0-9]+)?\] ?\[ *(?P<step>[0-9]+)/ "
                r"*(?P<total>[0-9]+)\]"
            ),
            (
                "Epoch [2/70][210/2860]  lr: 9.4e-05, eta: 3 days, 1:22:25, iter_time: 1.34, "
                "mask_bce_loss: 0.0087"
            ),
        ),
        (r"pipeline step (?P<step>[0-9]+) finished", "pipeline step 3 finished"),
        (
            r"={25} Step (?P<step>[0-9]+)/[0-9]+ ={25}",
            "========================= Step 3/100 =========================",
        ),
        (r"Training at step (?P<step>[0-9]+) finished", "Training at step 3 finished."),
        (
            r"train episode_id: (?P<step>[0-9]+)/(?P<total>[0-9]+)",
            "chatlearn_log start train episode_id: 1/200",
        ),
        (
            r"\{'loss': ?'?[0-9.naif-]+'?, ",
            "{'loss': 0.5, 'grad_norm': 0.1, 'learning_rate': 1e-05, 'epoch': 0.03}",
        ),
        (
            (
                r"\b(?:[Ss]tep|[Ii]ter(?:ation)?|[Ee]poch)[ "
                r"=:\[#]{1,2}(?P<step>[0-9]+)\b.{0,80}\b(?:loss|reward|acc)"
            ),
            "step 30 loss 0.1234",
        ),
    ),
    *_plain(
        MarkerKind.METRIC,
        (
            r"│ +[a-z_]+/[a-z_/]+ +│ +[-0-9.a-z+]+ +│",
            "│ grpo_actor/entropy/avg │  2.4334e-07 │ grpo_actor/grad_norm │  2.4167e+00 │",
        ),
        (
            r"logging metric \{|metrics_tag: ?\{",
            "step 12 prefix train: logging metric {'policy_trainer/loss': 0.1}",
        ),
        (
            r"""["']actor/[a-z_@]+["']: ?["']?[-0-9.naif]+""",
            '{"actor/ppo_ratio_clipfrac": 0.1, "actor/loss": NaN, "critic/score/mean": 0.5}',
        ),
        (
            r"returns \{'[a-z_]+': ",
            "RPC name actor_train returns {'task_reward': 0.5, 'actor_clip_ratio': 0.01}",
        ),
    ),
    *_plain(
        MarkerKind.NOT_FINITE,
        (
            (
                r"(?:loss|grad[_ ]norm)(?:/avg|/mean)?['\"]?[ \t]{0,40}[:=│|][ "
                r"\t]{0,20}['\"]?(?:np\.[a-z0-9]{5,8}\(|tensor\()?[-+]?(?:[Nn][Aa][Nn]|[Ii]nf)"
            ),
            "step:83 - actor/pg_loss:nan - actor/grad_norm:np.float64(inf) - critic/score/mean:0.2",
        ),
    ),
    *_plain(
        MarkerKind.END,
        # later in a dict: a step's, with its tokens per second
        (r"\{'train_runtime': ", "{'train_runtime': 12.3, 'train_samples_per_second': 1.0}"),
        (
            r"Training completes! Total time|pipeline complete!|after training is done",
            "Training completes! Total time elapsed 12.3.",
        ),
        (
            (
                r"\b(?:[Tt]raining|[Rr]un|[Jj]ob) (?:has )?(?:is "
                r")?(?:complete|completed|finished|done|succeeded)\b"
            ),
            "Training complete",
        ),
        (
            r"\b(?:[Ee]xperiment|[Tt]asks|[Ee]xperiments) (?:completed|finished) successfully\b",
            "Experiment completed successfully",
        ),
        (
            r"\bfinished:? [0-9]+ (?:steps|iterations|episodes|epochs)\b",
            "finished: 150 steps, checkpoint saved in /ckpt",
        ),
        (r"=+ [0-9]+ passed(?!.*\berror).* in [0-9.]+", "===== 7 passed, 1 skipped in 2.97s ====="),
        (r"^build succeeded\b", "build succeeded, 293 warnings."),  # Sphinx
        (
            r"launch\.py:[0-9]+:main\] Process [0-9]+ exits successfully",
            "[INFO] [launch.py:367:main] Process 499824 exits successfully.",
        ),
        (
            r"End time of running main: ",
            "[INFO:swift] End time of running main: 2025-11-21 10:00:00.000000",
        ),
        (
            (
                r"\b(?:[Ss]cript|[Pp]rogram|[Tt]raining|[Jj]ob) "
                r"(?:completed|finished|exited|ended) with (?:exit |return )?(?:code|status):? "
                r"0\b"
            ),
            "script completed with exit code: 0",
        ),
        (
            r"total generated results have been saved at ",
            "100 total generated results have been saved at generated_predictions.jsonl.",
        ),
        (
            r"INFO (?:chatlearn_log )?train .{1,60} done",
            "[2025-08-25 10:00:00,123 ChatLearn] (engine.py 1): INFO train grpo done",
        ),
    ),
    *_plain(
        MarkerKind.STOP,
        (
            r"\[shutdown\] .{1,80}received signal=SIG(?:TERM|INT)",
            "[shutdown] EngineCore: trigger received signal=SIGTERM",
        ),
        (
            r"SIGTERM received\. signum=",
            "SIGTERM received. signum=None frame=None. Draining requests and shutting down...",
        ),
        (
            (
                r"KeyboardInterrupt: MQLLMEngine terminated|\bGracefully stopping http "
                r"server|[Rr]eceived (?:signal )?SIG(?:TERM|INT), (?:initiating |starting "
                r")?(?:graceful|shut)"
            ),
            "Received SIGTERM, initiating graceful shutdown",
        ),
    ),
    *_plain(
        MarkerKind.CANCEL,
        (
            r"\*\*\* (?P<job>JOB|STEP) [^ ]+ ON [^ ]+ CANCELLED AT ",
            "slurmstepd: error: *** JOB 9 ON n1 CANCELLED AT 2026-11-21T10:07:00 ***",
        ),
        (
            r"Received (?:Signals\.)?(?:SIG(?:TERM|INT|HUP)|1|2|15) (?P<outside>death signal)",
            "Received Signals.SIGTERM death signal, shutting down",
        ),
        (
            r"SignalException: Process [0-9]+ got signal: (?:1|2|15)\b",
            "SignalException: Process 4026234 got signal: 15",
        ),
        (r"\bKeyboardInterrupt:?\s*$", "KeyboardInterrupt"),
        (
            r"^Killed\s*$|\bline [0-9]+: +[0-9]+ Killed\b",
            "run.sh: line 12:  4012 Killed                  python train.py",
        ),
        (r"\b[Ee]xit(?:ed with)? (?:code|status):? ?(?:137|143)\b", "exit code 143"),
    ),
    *_plain(
        MarkerKind.RESTART,
        (
            r"attempts left; will restart worker group",
            "[default] Worker group FAILED. 2/3 attempts left; will restart worker group",
        ),
        (
            r"so the (?:task|actor) will be (?:retried|restarted)",
            "There are 3 retries remaining, so the task will be retried. Error: The worker died.",
        ),
        (
            (
                r"\b[Rr]estarting (?:the )?(?:actor|worker "
                r"group|training|job|pod|worker)s?\b|\brestarting in [0-9]+"
            ),
            "Restarting actor 3f2a after it died",
        ),
    ),
    *_plain(
        MarkerKind.WORLD,
        (
            r"\b[Ww](?:orld|ORLD)[_ ](?:size|SIZE)['\"]?[ :=]{1,3}(?P<world>[0-9]{1,6})\b",
            "using world size: 8, data-parallel size: 4",
        ),
        (
            r"\bGLOBAL_RANK: [0-9]+, MEMBER: [0-9]+/(?P<world>[0-9]{1,6})\b",
            "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/8",
        ),
    ),
    *_plain(
        MarkerKind.CUT,
        (
            (
                r"\((?:logs? )?truncated to (?:the )?(?:last )?[0-9,]+ "
                r"(?:chars|characters|lines|bytes)"
            ),
            "Job failed, last available logs (truncated to 20,000 chars):",
        ),
        (
            (
                r"\[(?:[Oo]utput|[Ll]ogs?|[Pp]revious [a-z]+) (?:was |were "
                r")?(?:truncated|omitted)|<(?:[0-9]+ )?truncated(?: lines)?>"
            ),
            "[output truncated]",
        ),
        (
            r"Log exceeds? (?:the )?(?:maximum|limit)|showing (?:only )?the last [0-9,]+ lines",
            "showing the last 1000 lines",
        ),
    ),
    *_version(
        "vllm",
        (
            r"LLM engine \(v(?P<version>[0-9][0-9.a-z+]*)\)",
            "Initializing a V1 LLM engine (v0.9.1) with config: x",
        ),
        (r"vLLM API server version (?P<version>[0-9][0-9.a-z+]*)", "vLLM API server version 0.9.1"),
    ),
    *_version(
        "deepspeed",
        (
            r"DeepSpeed info: version=(?P<version>[0-9][0-9.]*)",
            "DeepSpeed info: version=0.16.3, git-hash=x",
        ),
    ),
    *_version(
        "ms-swift",
        (
            r"swift\.__version__: (?P<version>[0-9][0-9.a-z+]*)",
            "[INFO:swift] swift.__version__: 3.8.0",
        ),
    ),
    *_version(
        "chatlearn",
        (
            r"init chatlearn done, version (?P<version>[0-9][0-9.]*)",
            "init chatlearn done, version 1.2.0",
        ),
    ),
    *(
        marker
        for package in (
            "torch",
            "vllm",
            "ray",
            "transformers",
            "flash[-_]attn",
            "wandb",
            "verl",
            "trinity-rft",
            "sglang",
            "megatron-core",
        )
        for marker in _version(
            package.replace("[-_]", "-"),
            (
                (
                    rf"\b{package}(?:==| version:? |: "
                    rf"|=)['\"]?v?(?P<version>[0-9]+\.[0-9]+[0-9.a-z+]*)"
                ),
                f"{package.replace('[-_]', '-')}==2.6.0",
            ),
        )
    ),
)

SERVER_START = "vLLM API server version "
"""What a server says once when it starts; the other lines at its start are those of libraries."""
