"""Lines of healthy reinforcement learning: verl on Ray with vLLM, and an SGLang server that is asked for rollouts.

Each maker takes a scene and gives text of one or more whole lines. The formats are those that the programs print; the
values are drawn.
"""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.texts.vocabulary import DATASETS, LAYER_PARTS, Scene

Maker = Callable[[Scene], str]

VERL_METRICS = (
    "actor/entropy actor/kl_loss actor/kl_coef actor/pg_loss actor/pg_clipfrac actor/ppo_kl actor/pg_clipfrac_lower actor/grad_norm actor/lr "
    "perf/mfu/actor perf/max_memory_allocated_gb perf/max_memory_reserved_gb perf/cpu_memory_used_gb critic/score/mean critic/score/max critic/score/min "
    "critic/rewards/mean critic/rewards/max critic/rewards/min critic/advantages/mean critic/advantages/max critic/advantages/min critic/returns/mean "
    "response_length/mean response_length/max response_length/min response_length/clip_ratio prompt_length/mean prompt_length/max prompt_length/min "
    "timing_s/generate_sequences timing_s/reshard timing_s/gen timing_s/reward timing_s/old_log_prob timing_s/ref timing_s/adv timing_s/update_actor "
    "timing_s/update_weights timing_s/step timing_per_token_ms/gen timing_per_token_ms/ref timing_per_token_ms/update_actor perf/total_num_tokens "
    "perf/time_per_step perf/throughput training/rollout_probs_diff_max training/rollout_probs_diff_mean global_seqlen/min global_seqlen/max"
).split()
CYAN, PLAIN = "\x1b[36m", "\x1b[0m"


def ray(scene: Scene, actor: str, text: str) -> str:
    """A line as Ray's driver relays it."""
    rank = scene.rank
    where = (
        f", ip={scene.address}" if rank > 7 else ""
    )  # the first eight are on the driver's own node
    return f"{CYAN}({actor} pid={scene.pids[rank]}{where}){PLAIN} {text}\n"


def step_metrics(scene: Scene) -> str:
    """Verl's console line of a step, about 2 kB; sometimes as a dict or JSON, as other frameworks do."""
    scene.step += 1
    draw = scene.random.random
    style = scene.seed % 3
    if style == 0:
        return ray(
            scene,
            "TaskRunner",
            f"step:{scene.step} - "
            + " - ".join(f"{name}:{draw() * 9:.3f}" for name in VERL_METRICS),
        )
    if style == 1:
        values = ", ".join(f"'{name}': {draw() * 700!r}" for name in VERL_METRICS)
        return ray(
            scene, "TaskRunner", "{" + f"'training/global_step': {scene.step}, {values}" + "}"
        )
    values = ", ".join(f'"{name}": {draw():.6f}' for name in VERL_METRICS)
    return (
        f"[2026-03-{scene.day:02d} {scene.clock}] [tracking.py (161)] [INFO] [DRIVER 0 / 1][PID {scene.pids[0]}] "
        f'metrics_tag: {{"step": {scene.step}, "metrics": {{{values}}}}}\n'
    )


def vllm_throughput(scene: Scene) -> str:
    """The engine's line of numbers, every ten seconds."""
    draw = scene.random.random
    return (
        f"(EngineCore_DP{scene.below(4)} pid={scene.pids[scene.rank]}) INFO 03-{scene.day:02d} {scene.clock} [loggers.py:{scene.below(90) + 100}] Engine 00{scene.below(8)}: "
        f"Avg prompt throughput: {draw() * 900:.1f} tokens/s, Avg generation throughput: {draw() * 5000:.1f} tokens/s, Running: {scene.below(256)} reqs, "
        f"Waiting: {scene.below(90)} reqs, GPU KV cache usage: {draw() * 100:.1f}%, Prefix cache hit rate: {draw() * 100:.1f}%\n"
    )


def vllm_request(scene: Scene) -> str:
    """A request of the server's access log or a request's parameters."""
    if scene.random.random() < 0.7:  # shares of the mix
        return f'(APIServer pid={scene.pids[0]}) INFO:     {scene.address}:{scene.below(50000) + 10000} - "POST /v1/{scene.pick(("completions", "chat/completions"))} HTTP/1.1" 200 OK\n'
    return (
        f"INFO 03-{scene.day:02d} {scene.clock} [logger.py:42] Received request cmpl-{scene.hexadecimal(32)}-0: params: SamplingParams(n={scene.below(8) + 1}, "
        f"temperature={scene.random.random():.2f}, top_p={scene.random.random():.2f}, top_k=-1, seed={scene.below(99999)}, stop=[], max_tokens={scene.below(9000)}, "
        f"logprobs=None, skip_special_tokens=True), prompt_token_ids: None, lora_request: None.\n"
    )


def sglang_batch(scene: Scene) -> str:
    """SGLang's scheduler lines."""
    draw = scene.random.random
    head = f"[2026-03-{scene.day:02d} {scene.clock} DP{scene.below(4)} TP0]"
    if draw() < 0.3:
        return f"{head} Prefill batch. #new-seq: {scene.below(60)}, #new-token: {scene.below(16000)}, #cached-token: {scene.below(90000)}, token usage: {draw():.2f}, #running-req: {scene.below(200)}, #queue-req: {scene.below(300)}, \n"
    return f"{head} Decode batch. #running-req: {scene.below(256)}, #token: {scene.below(400000)}, token usage: {draw():.2f}, cuda graph: True, gen throughput (token/s): {draw() * 9000:.2f}, #queue-req: {scene.below(50)}, \n"


def areal_line(scene: Scene) -> str:
    """AReaL's own logger, coloured even in files."""
    texts = (
        f"Submit rollout. Submit: {scene.below(9000)}, running: {scene.below(300)}, accepted: {scene.below(9000)}.",
        f"Finish and accept rollout. Submit: {scene.below(9000)}, running: {scene.below(300)}, accepted: {scene.below(9000)}.",
        f"Epoch {scene.below(9) + 1}/10 Step {scene.below(332)}/332 Train step {scene.below(3320)}/3320 done.",
        f"Loading weights from disk done in {scene.random.random() * 9:.2f}s. Respond time: {scene.random.random() * 9:.2f}s.",  # areal/infra/remote_inf_engine.py
    )
    return f"\x1b[1;38;2;180;140;80m(AReaL)\x1b[0m 202603{scene.day:02d}-{scene.clock}.{scene.millis:03d} {scene.pick(('RLTrainer', 'WorkflowExecutor', 'StatsLogger'))} INFO: {scene.pick(texts)}\n"


def worker_memory(scene: Scene) -> str:
    """What a worker says about memory around its phases."""
    draw = scene.random.random
    phase = scene.pick(
        (
            "Before building vllm rollout",
            "After actor FSDP init",
            "After building sharding manager",
            "Before state_dict() in sharding manager memory",
            "After offload actor model during compute_log_prob",
        )
    )
    return ray(
        scene,
        "WorkerDict",
        f"{phase}, memory allocated (GB): {draw() * 80:.9f}, memory reserved (GB): {draw() * 80:.2f}, device memory used/total (GB): {draw() * 80:.2f}/79.35",
    )


def weight_names(scene: Scene) -> str:
    """A parameter that was synchronised or sharded."""
    name = f"model.layers.{scene.below(64)}.{scene.pick(LAYER_PARTS)}.weight"
    shape = f"[{scene.below(40) * 128 + 128}, {scene.below(40) * 128 + 128}]"
    return ray(
        scene,
        scene.pick(("WorkerDict", "vLLMHttpServer", "ActorWorker(actor_train-0)")),
        f"update weight: {name}, dtype: torch.bfloat16, shape: torch.Size({shape}), norm {scene.random.random() * 90:.5f}",
    )


def validation_sample(scene: Scene) -> str:
    """A prompt and an answer, printed over several lines."""
    lines = [
        f"[prompt] <|im_start|>user\n{scene.prose(3)}<|im_end|>",
        f"[response] {scene.prose(4)}",
    ]
    lines += [scene.prose(2) for _ in range(scene.below(14))]
    lines += [f"[ground_truth] {scene.below(9999)}", f"[score] {scene.random.random():.1f}"]
    text = "\n".join(lines).split("\n")
    if scene.seed % 2:
        return "".join(ray(scene, "TaskRunner", line) for line in text)
    return "\n".join(text) + "\n"


def generated_code(scene: Scene) -> str:
    """Code that a model wrote, with the error handling that code has."""
    name, key = (
        scene.pick(("solve", "main", "parse", "count_paths", "check")),
        scene.pick(("n", "value", "items", "grid")),
    )
    return (
        f"[response] ```python\ndef {name}_{scene.below(999)}({key}):\n    if not {key}:\n        raise ValueError('{scene.sentence()}')\n"
        f"    total = {scene.below(9999)}\n    for i in range(len({key})):\n        total += {key}[i] * {scene.below(99)}\n    return total % {scene.below(9999) + 1}\n```\n"
    )


def progress_bar(scene: Scene) -> str:
    """A tqdm bar: many states on one line, parted by carriage returns."""
    total = scene.below(400) + 20
    states = []
    for done in range(0, total, max(1, total // (scene.below(30) + 5))):
        share = done * 100 // total
        states.append(
            f"\rTraining Progress: {share:3d}%|{'█' * (share // 10):10s}| {done}/{total} [{scene.below(60):02d}:{scene.below(60):02d}<{scene.below(60):02d}:{scene.below(60):02d}, {scene.random.random() * 9:5.2f}s/it]"
        )
    return "".join(states) + "\n"


def reward_line(scene: Scene) -> str:
    """A reward worker's account of one sample."""
    return ray(
        scene,
        "RewardLoopWorker",
        f"uid={scene.hexadecimal(8)}-{scene.hexadecimal(4)} data_source={scene.pick(DATASETS)} extracted answer '{scene.below(99999)}' vs '{scene.below(99999)}' score={scene.random.random():.4f} in {scene.random.random() * 90:.1f} ms",
    )


def scary_line(scene: Scene) -> str:
    """Looks bad and is not: counters at zero, notices, retries that went well, graders that gave up on a sample."""
    texts: tuple[str, ...] = (
        f"rollout finished: {scene.below(2048)} ok, 0 failed, 0 timeouts, {scene.below(90)} aborted for length",
        f"WARNING 03-{scene.day:02d} {scene.clock} [scheduler.py:{scene.below(900)}] Sequence group {scene.below(99999)} is preempted by PreemptionMode.RECOMPUTE mode because there is not enough KV cache space.",
        f"/usr/lib/python3.11/site-packages/torch/distributed/fsdp/fully_sharded_data_parallel.py:{scene.below(900)}: FutureWarning: FSDP.state_dict_type() is being deprecated.",
        f"grader: answer of sample {scene.hexadecimal(6)} could not be parsed ({scene.below(90)} characters), reward 0.0",
        f"GET http://{scene.address}:8000/health not ready yet, try {scene.below(5) + 1} of 60",
        f"WARN: rank {scene.rank} gradient norm {scene.random.random() * 90:.2f} above clip value, clipped to 1.0",
        f"num_errors={0} num_retries={scene.below(3)} last_error=None uptime={scene.below(99999)}s",
        f"{scene.pick(('sympy', 'latex2sympy', 'math_verify'))} timed out after 5 s for one sample, counted as wrong ({scene.below(9999)} so far)",
    )
    return ray(
        scene, scene.pick(("TaskRunner", "AgentLoopWorker", "RewardLoopWorker")), scene.pick(texts)
    )
