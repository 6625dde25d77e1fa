"""Lines of healthy training that is not reinforcement learning, and of starting up: Megatron, DeepSpeed, NCCL, Hugging Face, configuration."""

from __future__ import annotations

from benchmarks.texts.vocabulary import DATASETS, LAYER_PARTS, Scene

SETTINGS = (
    "actor_rollout_ref.actor.ppo_mini_batch_size actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu actor_rollout_ref.actor.optim.lr "
    "actor_rollout_ref.rollout.gpu_memory_utilization actor_rollout_ref.rollout.tensor_model_parallel_size actor_rollout_ref.rollout.n algorithm.kl_ctrl.kl_coef "
    "data.train_batch_size data.max_prompt_length data.max_response_length data.filter_overlong_prompts trainer.total_epochs trainer.save_freq trainer.nnodes "
    "trainer.n_gpus_per_node critic.optim.lr critic.ppo_micro_batch_size reward_model.enable algorithm.adv_estimator algorithm.gamma algorithm.lam"
).split()


def megatron_iteration(scene: Scene) -> str:
    """Megatron's line of an iteration."""
    scene.step += 1
    draw = scene.random.random
    return (
        f" [2026-03-{scene.day:02d} {scene.clock}] iteration {scene.step:8d}/  250000 | consumed samples: {scene.step * 1024:12d} | elapsed time per iteration (ms): {draw() * 90000:.1f} | "
        f"throughput per GPU (TFLOP/s/GPU): {draw() * 400:.1f} | learning rate: {draw() * 1e-5:.6E} | global batch size:  1024 | lm loss: {draw() * 4:.6E} | z_loss: {draw():.6E} | "
        f"load_balancing_loss: {draw():.6E} | loss scale: 1.0 | grad norm: {draw() * 2:.3f} | num zeros: {scene.below(99999)} | number of skipped iterations:   0 | number of nan iterations:   0 |\n"
    )


def megatron_timers(scene: Scene) -> str:
    """The table of timers after an iteration."""
    names = (
        "forward-backward",
        "forward-compute",
        "backward-compute",
        "batch-generator",
        "layernorm-grads-all-reduce",
        "params-all-gather",
        "optimizer-clip-main-grad",
        "optimizer-inner-step",
        "optimizer",
    )
    rows = [
        f"    {name} {'.' * (42 - len(name))}: ({scene.random.random() * 9000:.2f}, {scene.random.random() * 9900:.2f})"
        for name in names
    ]
    return "(min, max) time across ranks (ms):\n" + "\n".join(rows) + "\n"


def nccl_info(scene: Scene) -> str:
    """NCCL at its start, one line of one rank."""
    rank = scene.rank
    host, pid = scene.hosts[rank % len(scene.hosts)], scene.pids[rank]
    head = f"{host}:{pid}:{pid + scene.below(900)} [{rank % 8}] NCCL INFO "
    texts = (
        f"Channel {scene.below(32):02d}/0 : {rank}[{rank % 8}] -> {scene.rank}[{scene.below(8)}] via P2P/CUMEM/read",
        f"Channel {scene.below(32):02d}/0 : {rank}[{rank % 8}] -> {scene.rank}[{scene.below(8)}] [send] via NET/IBext_v8/{scene.below(8)}/GDRDMA",
        f"Trees [0] {scene.below(64)}/-1/-1->{rank}->{scene.below(64)} [1] {scene.below(64)}/-1/-1->{rank}->{scene.below(64)}",
        f"comm 0x{scene.hexadecimal(12)} rank {rank} nranks {len(scene.pids)} cudaDev {rank % 8} nvmlDev {rank % 8} busId {scene.hexadecimal(5)} commId 0x{scene.hexadecimal(16)} - Init COMPLETE",
        f"Connected all rings, use ring PXN 0 GDR {scene.below(2)}",
        f"NET/IB : Using [0]mlx5_{scene.below(8)}:1/RoCE [1]mlx5_{scene.below(8)}:1/RoCE [RO]; OOB eth0:{scene.address}<0>",
        f"NCCL_IB_TIMEOUT set by environment to {scene.below(24)}.",
        f"ncclCommInitRankConfig comm 0x{scene.hexadecimal(12)} rank {rank} - Init timings - total {scene.random.random() * 9:.2f} (kernels {scene.random.random():.2f}, alloc {scene.random.random():.2f}, bootstrap {scene.random.random():.2f})",
    )
    return head + scene.pick(texts) + "\n"


def trainer_metrics(scene: Scene) -> str:
    """The dict that Hugging Face's trainers print each logging step."""
    scene.step += 1
    draw = scene.random.random
    if scene.seed % 2:
        return f"{{'loss': {draw() * 2:.4f}, 'grad_norm': {draw()!r}, 'learning_rate': {draw() * 1e-5!r}, 'num_tokens': {scene.below(9999999)}.0, 'mean_token_accuracy': {draw()!r}, 'epoch': {draw() * 3:.2f}}}\n"
    return (
        f"{{'loss': {draw() * 0.1:.4f}, 'grad_norm': {draw():.6f}, 'learning_rate': {draw() * 1e-6!r}, 'completions/mean_length': {draw() * 4000!r}, 'completions/clipped_ratio': {draw():.4f}, "
        f"'rewards/accuracy_reward/mean': {draw():.6f}, 'rewards/format_reward/mean': {draw():.6f}, 'reward': {draw():.6f}, 'reward_std': {draw():.6f}, 'frac_reward_zero_std': {draw():.3f}, "
        f"'entropy': {draw():.6f}, 'clip_ratio/region_mean': {draw():.6f}, 'step_time': {draw() * 300:.4f}, 'epoch': {draw():.4f}}}\n"
    )


def deepspeed_line(scene: Scene) -> str:
    """DeepSpeed's rank 0."""
    texts = (
        f"step={scene.step}, skipped=0, lr=[{scene.random.random() * 1e-5!r}], mom=[[0.9, 0.95]]",
        f"time (ms) | fwd_microstep: {scene.random.random() * 900:.2f} | bwd_microstep: {scene.random.random() * 900:.2f} | bwd_inner_microstep: {scene.random.random() * 900:.2f} | step_microstep: {scene.random.random() * 90:.2f}",
        f"MA {scene.random.random() * 60:.2f} GB         Max_MA {scene.random.random() * 70:.2f} GB         CA {scene.random.random() * 70:.2f} GB         Max_CA {scene.below(80)} GB",
        f"[Torch] Saved {scene.home}/ckpt/global_step{scene.step}/zero_pp_rank_{scene.rank}_mp_rank_00_optim_states.pt.",
    )
    return f"[2026-03-{scene.day:02d} {scene.clock},{scene.millis:03d}] [INFO] [{scene.pick(('logging.py:128:log_dist', 'utils.py:782:see_memory_usage', 'torch_checkpoint_engine.py:21:save'))}] [Rank 0] {scene.pick(texts)}\n"


def configuration(scene: Scene) -> str:
    """A dump of the configuration: a nested dict, YAML, or dotted arguments of Megatron."""
    if scene.seed % 3 == 0:
        rows = [
            f"  {name.split('.')[-1]} {'.' * max(4, 48 - len(name))} {scene.below(9999)}"
            for name in SETTINGS
        ]
        return (
            "------------------------ arguments ------------------------\n"
            + "\n".join(rows)
            + "\n-------------------- end of arguments ---------------------\n"
        )
    if scene.seed % 3 == 1:
        return "".join(
            f"{'  ' * (name.count('.') - 1)}{name.split('.')[-1]}: {scene.random.random() * 100:.3g}\n"
            for name in SETTINGS
        )
    rows = [f" '{name.split('.')[-1]}': {scene.below(8192)}," for name in SETTINGS]
    return (
        f"{{'model': {{'path': '{scene.home}/{scene.model}',\n"
        + "\n".join(rows)
        + f"\n 'dataset': '{scene.pick(DATASETS)}'}}}}\n"
    )


def parameter_table(scene: Scene) -> str:
    """A row of the table of parameters or of loading shards."""
    return f"  module.decoder.layers.{scene.below(80)}.{scene.pick(LAYER_PARTS)}.weight: numel {scene.below(99999999)} dtype bf16 bucket {scene.below(40)} offset {scene.below(999999999)}\n"


def saved(scene: Scene) -> str:
    """A checkpoint was written or a file fetched."""
    texts = (
        f"successfully saved checkpoint from iteration {scene.step:8d} to {scene.home}/ckpt  [ t {scene.below(8) + 1}/8, p {scene.below(4) + 1}/4 ]",
        f"INFO:{scene.pick(('verl', 'slime', 'trl'))}.checkpoint:Saving model to {scene.home}/ckpt/global_step_{scene.step}/actor/model_world_size_{len(scene.pids)}_rank_{scene.rank}.pt",
        f"wandb: {scene.pick(('uploading', 'syncing'))} files/media/table/samples_{scene.step}_{scene.hexadecimal(20)}.table.json {scene.random.random() * 90:.1f}MB/{scene.below(200)}MB",
        f"Loading safetensors checkpoint shards: {scene.below(100):3d}% Completed | {scene.below(30)}/30 [00:{scene.below(60):02d}<00:{scene.below(60):02d},  {scene.random.random() * 3:.2f}it/s]",
        f"2026-03-{scene.day:02d} {scene.clock},{scene.millis:03d}\tINFO worker.py:{scene.below(900) + 1000} -- Connecting to existing Ray cluster at address: {scene.address}:6379...",
    )
    return scene.pick(texts) + "\n"
