"""What verl prints (b178a3cd)."""

from logdoctor.formats.rows import (
    Format,
    MarkerKind,
    PhaseWords,
    RunFolder,
    engine_keys,
    framework,
    installed,
    phase,
    told,
)
from logdoctor.model import Phase

FORMAT = Format(
    "verl",
    markers=(
        *framework(
            "verl",
            (
                r"/verl/(?:workers|trainer|single_controller|utils|protocol|models)",
                '  File "/x/verl/trainer/main_ppo.py", line 1',
            ),
            (r"verl\.trainer\.", "python3 -m verl.trainer.main_ppo"),
            (r"actor_rollout_ref", "actor_rollout_ref.rollout.n=8"),
        ),
        installed("verl"),
        *phase(
            Phase.INIT,
            (
                r"Before init actor from HF|Before building vllm rollout",
                "Before init actor from HF AutoModel, memory allocated (GB): 0",
            ),
        ),
        *phase(
            Phase.CHECKPOINT,
            (r"local_global_step_folder", "local_global_step_folder: checkpoints/x/global_step_10"),
        ),
        *phase(Phase.EVAL, (r"test_gen_batch meta info", "test_gen_batch meta info: {}")),
        *told(
            MarkerKind.PROGRESS,
            (r"\bstep:(?P<step>[0-9]+) - ", "step:83 - actor/kl_loss:0.1 - actor/grad_norm:1.0"),
        ),
    ),
    methods=(
        PhaseWords(Phase.TRAIN, r"update_(?:actor|critic|policy)", "update_actor"),
        PhaseWords(Phase.ROLLOUT, r"generate_sequences", "generate_sequences"),
        PhaseWords(
            Phase.LOGPROB,
            r"compute_(?:ref_)?log_?probs?|compute_values|ref_log_prob",
            "compute_ref_log_prob",
        ),
        PhaseWords(Phase.REWARD, r"compute_rewards?|compute_rm_score", "compute_rm_score"),
        PhaseWords(Phase.EVAL, r"_validate\b", "_validate"),
        PhaseWords(Phase.INIT, r"init_model|_build_model", "init_model"),
    ),
    run_folders=(RunFolder("checkpoints", r"global_step.*", "global_step_10", holds_run=False),),
    engine_keys=engine_keys(
        "actor_rollout_ref.rollout.",
        "enable_chunked_prefill",
        "enable_prefix_caching",
        "enforce_eager",
        "gpu_memory_utilization",
        "max_model_len",
        "max_num_batched_tokens",
        "max_num_seqs",
        disable_cuda_graph="enforce_eager",
        enable_sleep_mode="free_cache_engine",
        max_running_requests="max_num_seqs",
        mem_fraction_static="gpu_memory_utilization",
        tensor_parallel_size="tensor_model_parallel_size",
        tp_size="tensor_model_parallel_size",
    ),
)
