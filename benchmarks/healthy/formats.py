"""Random values to logs of healthy training runs: write_runs; to all that the programs can say when all is well: write_said.

The formats of lines, prefixes and metrics are those of the programs' sources (named at each function); what is said
between them are the programs' own INFO texts, read out of the installed sources by `messages`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

from messages import Message, messages

FILE_SIZE = 3_000_000
WORDS = """policy reward sample token batch value update gradient weight answer question number total equation therefore solve let
since because first then step result function return class list index tensor model layer attention head hidden prompt response
system user assistant think compute sum product integer prime triangle angle circle probability random variable matrix vector
the a of to and in is that for it as with we are this be on by can which have from or an at not if will one all has so""".split()
METRICS = """actor/entropy actor/pg_loss actor/kl_loss actor/ppo_kl actor/pg_clipfrac actor/grad_norm actor/lr critic/vf_loss
critic/vf_clipfrac critic/vpred_mean critic/grad_norm critic/lr critic/score/mean critic/score/max critic/score/min critic/rewards/mean
critic/rewards/max critic/rewards/min critic/advantages/mean critic/advantages/max critic/advantages/min critic/returns/mean
critic/returns/max critic/returns/min critic/values/mean critic/values/max critic/values/min critic/vf_explained_var
response_length/mean response_length/max response_length/min response_length/clip_ratio prompt_length/mean prompt_length/max
prompt_length/min prompt_length/clip_ratio timing_s/gen timing_s/reward timing_s/old_log_prob timing_s/ref timing_s/values timing_s/adv
timing_s/update_critic timing_s/update_actor timing_s/update_weights timing_s/testing timing_s/save_checkpoint timing_s/step
timing_per_token_ms/gen timing_per_token_ms/ref timing_per_token_ms/update_actor perf/total_num_tokens perf/time_per_step
perf/throughput perf/mfu/actor perf/mfu/critic perf/max_memory_allocated_gb perf/max_memory_reserved_gb perf/cpu_memory_used_gb
global_seqlen/min global_seqlen/max global_seqlen/minmax_diff global_seqlen/balanced_min global_seqlen/balanced_max global_seqlen/mean
training/global_step training/epoch val-core/openai/gsm8k/reward/mean@1 val-aux/num_turns/min val-aux/num_turns/mean""".split()
ROLL_METRICS = """time/step_generate time/step_train time/ref_log_probs_values time/old_log_probs time/step_model_update time/step_total
system/step system/tps system/samples token/response_length/mean token/prompt_length/mean critic/score/mean actor/approxkl@sum
actor/policykl@sum actor/clipfrac@mean actor/ratio_mean@mean actor/loss@sum actor/kl_loss@mean actor_train/grad_norm actor/lr""".split()
TRL_METRICS = """loss grad_norm learning_rate num_tokens completions/mean_length completions/min_length completions/max_length
completions/clipped_ratio completions/mean_terminated_length rewards/accuracy_reward/mean rewards/accuracy_reward/std
rewards/format_reward/mean reward reward_std frac_reward_zero_std kl entropy clip_ratio/low_mean clip_ratio/low_min clip_ratio/high_mean
clip_ratio/high_max clip_ratio/region_mean step_time epoch mean_token_accuracy logps/chosen logps/rejected rewards/margins""".split()
OPENRLHF_METRICS = """policy_loss actor_lr kl ppo_clip_ratio vllm_kl reward return response_length total_length num_actions
critic_loss values critic_lr timing/make_experience timing/ppo_train timing/broadcast timing/generation timing/step_total""".split()
AREAL_METRICS = """ppo_actor/actor_loss/avg ppo_actor/new_logp/min ppo_actor/old_logp/max ppo_actor/importance_weight/avg ppo_actor/entropy/avg
ppo_actor/task_reward/avg ppo_actor/kl_rewards/avg ppo_actor/final_reward/max ppo_actor/update/lr ppo_actor/update/grad_norm
ppo_actor/update/update_successful ppo_actor/n_tokens ppo_actor/n_seqs rollout/reward rollout/output_len/avg timeperf/rollout
timeperf/recompute_logp timeperf/ref_logp timeperf/compute_advantage timeperf/train_step timeperf/update_weights timeperf/save
timeperf/checkpoint_for_recover timeperf/eval timeperf/clear_batches""".split()


class Values:
    """Random values of a run, and its clock."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        pick = self.random.choice
        self.now = datetime(2024, 1, 1) + timedelta(seconds=self.random.randrange(86_400 * 900))
        self.hosts = [pick(("node", "gpu-", "worker-", "h100-", "n")) + f"{self.random.randrange(1000):0{pick((1, 2, 3, 4))}d}" for _ in range(8)]
        self.pids = [self.random.randrange(1000, 4_000_000) for _ in range(16)]
        self.root = pick(("/root", "/home/user", "/mnt/data", "/workspace", "/data/share", "/fsx/ubuntu", "/opt", "/scratch/project")) + "/" + self.word()
        self.model = pick(("Qwen/Qwen2.5-7B-Instruct", "Qwen3-8B", "meta-llama/Llama-3.1-8B", "deepseek-r1-distill", "gpt2", "mistral-7b", "tiny-gpt"))

    def word(self) -> str:
        return self.random.choice(WORDS)

    def tick(self, seconds: float = 1.0) -> datetime:
        self.now += timedelta(seconds=self.random.expovariate(1 / seconds))
        return self.now

    def ip(self) -> str:
        return ".".join(str(self.random.randrange(1, 255)) for _ in range(4))

    def hexed(self, length: int) -> str:
        return f"{self.random.getrandbits(4 * length):0{length}x}"

    def number(self) -> str:
        r = self.random
        return r.choice((str(r.randrange(10)), str(r.randrange(100_000)), f"{r.random():.4f}", f"{r.lognormvariate(0, 3):.3f}", f"{r.gauss(0, 2)}", f"{r.random():.3e}", "0.0"))

    def path(self) -> str:
        return f"{self.root}/{'/'.join(self.word() for _ in range(self.random.randrange(1, 4)))}/{self.word()}{self.random.choice(('', '.pt', '.json', '.safetensors', '.jsonl', '_1'))}"

    def value(self) -> str:
        r = self.random
        kind = r.randrange(9)
        if kind < 4:
            return self.number()
        if kind == 4:
            return self.path()
        if kind == 5:
            return r.choice(("True", "False", "None", self.ip() + f":{r.randrange(1024, 65535)}", "torch.bfloat16", "cuda:0", self.model))
        if kind == 6:
            return f"{{'{self.word()}': {self.number()}, '{self.word()}_{self.word()}': {self.number()}}}"
        if kind == 7:
            return f"[{', '.join(self.number() for _ in range(r.randrange(1, 6)))}]"
        return r.choice((self.word(), f"{self.word()}_{self.word()}", self.hexed(16), f"tensor({self.number()})"))

    def say(self, message: Message) -> str:
        text = message.parts[0]
        for part in message.parts[1:]:
            text += self.value() + part
        return text

    def sentence(self, words: int) -> str:
        r = self.random
        return " ".join(r.choice(WORDS) if r.random() < 0.9 else r.choice(("\\frac{1}{2}", "$x^2$", "=", "42", "\\boxed{7}", "<think>", "**Step 2**:")) for _ in range(words))


def bar(v: Values, name: str, i: int, n: int) -> str:
    """tqdm's format: tqdm/std.py, format_meter."""
    share = i / n
    done = int(share * 10)
    return f"{name}: {share:4.0%}|{'█' * done}{'▏▎▍▌▋▊▉'[i % 7] if done < 10 else ''}{' ' * (9 - done)}| {i}/{n} [{i // 60:02d}:{i % 60:02d}<{(n - i) // 60:02d}:{(n - i) % 60:02d}, {v.random.random() * 9:5.2f}s/it]"


def verl(v: Values, said: dict[str, list[Message]]) -> Iterator[str]:
    """verl/utils/logger/aggregate_logger.py (concat_dict_to_str), verl/trainer/ppo/metric_utils.py; Ray's prefix."""
    pid, keys = v.random.choice(v.pids), v.random.sample(METRICS, v.random.randrange(15, len(METRICS)))
    driver, worker = f"\x1b[36m(TaskRunner pid={pid})\x1b[0m ", f"\x1b[36m(WorkerDict pid={v.random.choice(v.pids)}{f', ip={v.ip()}' if v.random.random() < 0.5 else ''})\x1b[0m "
    texts = said["verl"]
    yield f"{driver}{{'actor_rollout_ref': {{'model': {{'path': '{v.path()}', 'enable_gradient_checkpointing': True}}, 'rollout': {{'name': 'vllm', 'temperature': 1.0}}}}}}"
    for step in range(v.random.randrange(100, 400)):
        if step % 7 == 0:
            for _ in range(v.random.randrange(4)):
                yield worker + v.say(v.random.choice(texts))
            yield f"{worker}After update policy, memory allocated (GB): {v.random.random() * 80}, memory reserved (GB): {v.random.random() * 80}, device memory used/total (GB): {v.random.random() * 80:.2f}/79.11"
            yield f"{driver}test_gen_batch meta info: {{'eos_token_id': 151645, 'pad_token_id': 151643, 'recompute_log_prob': False, 'do_sample': False, 'validate': True}}"
            yield f"{driver}[prompt] {v.sentence(30)}"
            yield f"{driver}[response] {v.sentence(90)}"
            yield f"{driver}[ground_truth] {v.number()}"
            yield f"{driver}[score] {v.random.choice((0.0, 1.0))}"
        yield f"{driver}step:{step} - " + " - ".join(f"{key}:{v.random.lognormvariate(0, 3)}" for key in keys)
        if step % 3 == 0:
            yield driver + bar(v, "Training Progress", step, 400)


def roll(v: Values, said: dict[str, list[Message]]) -> Iterator[str]:
    """roll/utils/logging.py (CustomFormatter), roll/utils/context_managers.py (log_gpu_memory_usage)."""
    pid = v.random.choice(v.pids)
    for step in range(v.random.randrange(60, 200)):
        for cluster in ("actor_infer-0", "reference-0", "actor_train-3", "critic-1"):
            for place in ("start_offload", "start_onload", "end_onload", "end_offload"):
                phase = v.random.choice(("train_step", "generate", "model_update", "compute_log_probs", "compute_values", "compute_rewards"))
                yield f"[{v.tick():%Y-%m-%d %H:%M:%S}] [context_managers.py (41)] [INFO] [{cluster} {cluster[-1]} / 8][PID {pid}] {cluster[:-2]}/{phase}_{place}, memory allocated (GB): {v.random.random() * 80}, memory reserved (GB): {v.random.random() * 80}, memory max reserved (GB): {v.random.random() * 80}, rss (GB): {v.random.random() * 99}"
        yield f"[{v.tick():%Y-%m-%d %H:%M:%S}] [rlvr_pipeline.py (331)] [INFO] [DRIVER 0 / 1][PID {pid}] pipeline step {step} start..."
        yield f"[{v.tick(20):%Y-%m-%d %H:%M:%S}] [tracking.py (161)] [INFO] [DRIVER 0 / 1][PID {pid}] metrics_tag: " + json.dumps({"step": step, "metrics": {key: v.random.lognormvariate(0, 3) for key in ROLL_METRICS}})
        yield f"[{v.tick():%Y-%m-%d %H:%M:%S}] [rlvr_pipeline.py (612)] [INFO] [DRIVER 0 / 1][PID {pid}] pipeline step {step} finished"
        yield f"(ActorWorker(actor_train-0) pid={pid}) " + v.say(v.random.choice(said["transformers"]))


def chatlearn(v: Values, said: dict[str, list[Message]]) -> Iterator[str]:
    """chatlearn/utils/logger.py, chatlearn/runtime/engine.py, executor.py; Megatron's iteration line."""
    for episode in range(v.random.randrange(30, 90)):
        head = lambda file: f"[{v.tick():%Y-%m-%d %H:%M:%S},{v.random.randrange(1000):03d} ChatLearn] ({file}): INFO "  # noqa: E731
        yield f"{head('engine.py 497')}chatlearn_log start train episode_id: {episode + 1}/200"
        for i in range(8):
            yield f"{head('environment.py 161')}start to make experience: {i}/8 for episode {episode}"
            yield f"(PolicyTrainer pid={v.random.choice(v.pids)}, ip={v.ip()}) [{v.now:%Y-%m-%d %H:%M:%S},123 ChatLearn-policy_trainer {v.ip()} RANK:{i}] (fsdp_module.py 621): INFO {v.say(v.random.choice(said['megatron']))}"
        yield f"{head('metric_manager.py 90')}step {episode} prefix policy_trainer: logging metric " + str({key: v.random.random() for key in v.random.sample(METRICS, 12)})
        yield f"{head('engine.py 512')}train episode: {episode}, epoch 0 num_step 8 done"


def areal(v: Values, said: dict[str, list[Message]]) -> Iterator[str]:
    """areal/utils/logging.py, areal/utils/stats_logger.py (tabulate's fancy grid)."""
    del said
    pre = "\x1b[1;38;2;180;140;80m(AReaL)\x1b[0m " if v.random.random() < 0.5 else "(AReaL) "
    for step in range(v.random.randrange(60, 200)):
        for _ in range(12):
            text = v.random.choice(("Submit rollout. ", "Finish and accept rollout. ", "Finish but reject rollout. ")) + f"Submit: {step * 8 + 4}, running: {v.random.randrange(64)}, accepted: {step * 7}."
            yield f"{pre}{v.tick():%Y%m%d-%H:%M:%S}.{v.random.randrange(1000):03d} WorkflowExecutor INFO: {text}"
        yield f"{pre}{v.tick():%Y%m%d-%H:%M:%S}.123 RLTrainer INFO: Epoch 1/5 Step {step}/332 Train step {step}/1660 done."
        yield f"{pre}{v.now:%Y%m%d-%H:%M:%S}.123 StatsLogger INFO: Stats (1/1):"
        yield "╒═════════════════════════════════════╤═════════════╕"
        for key in AREAL_METRICS:
            yield f"│ {key:<35} │ {v.random.gauss(0, 9): .4e} │"
        yield "╘═════════════════════════════════════╧═════════════╛"


def trinity(v: Values, said: dict[str, list[Message]]) -> Iterator[str]:
    """trinity/utils/log.py, trinity/explorer/explorer.py, trinity/trainer/trainer.py, trinity/utils/monitor.py."""
    for step in range(v.random.randrange(60, 200)):
        stamp = lambda place: f"INFO {v.tick():%m-%d %H:%M:%S} [{place}] "  # noqa: E731
        yield f"{stamp('explorer.py:182')}Explore step {step} started."
        yield f"{stamp('scheduler.py:93')}" + v.say(v.random.choice(said["vllm"]))
        yield f"{stamp('trainer.py:90')}Sample data for step {step} started."
        yield f"{stamp('trainer.py:94')}Training at step {step} started."
        yield f"{stamp('trainer.py:99')}Training at step {step} finished."
        yield f"{stamp('monitor.py:97')}Step {step}: " + str({key: round(v.random.gauss(0, 3), 5) for key in v.random.sample(METRICS, 20)})
        yield f"{stamp('trainer.py:140')}Trainer sync_weights at step {step} started."


def openrlhf(v: Values, said: dict[str, list[Message]]) -> Iterator[str]:
    """openrlhf/utils/logging_utils.py, openrlhf/trainer/ppo_trainer.py."""
    pid = v.random.choice(v.pids)
    for step in range(v.random.randrange(60, 200)):
        stamp = lambda: f"(PPOTrainer pid={pid}) INFO {v.tick(9):%m-%d %H:%M:%S} "  # noqa: E731
        yield f"{stamp()}experience_maker.py:311] 🚀 Starting experience making with {v.random.randrange(2048)} samples"
        yield f"{stamp()}experience_maker.py:402] ✨ Experience making completed in 00:0{step % 9}:{step % 60:02d}"
        yield f"(PolicyModelActor pid={pid + 2}) " + "\r".join(bar(v, "Train epoch [1/1]", i, 32) for i in range(0, 33, 4))
        yield f"{stamp()}ppo_trainer.py:547] ✨ Global step {step}: " + str({key: v.random.gauss(0, 3) for key in OPENRLHF_METRICS})
        yield f"(RolloutRayActor pid={pid + 9}) INFO {v.now:%m-%d %H:%M:%S} [core.py:61] " + v.say(v.random.choice(said["vllm"] + said["openrlhf"]))


def trl(v: Values, said: dict[str, list[Message]]) -> Iterator[str]:
    """transformers/trainer.py (log), trl/trainer/grpo_trainer.py; progress bars between carriage returns."""
    texts = said["transformers"] + said["trl"] + said["accelerate"] + said["datasets"]
    total = v.random.randrange(200, 900)
    keys = v.random.sample(TRL_METRICS, v.random.randrange(6, len(TRL_METRICS)))
    for step in range(total):
        if v.random.random() < 0.1:
            message = v.random.choice(texts)
            yield f"[INFO|{message.file}:{message.line}] {v.tick():%Y-%m-%d %H:%M:%S},{v.random.randrange(1000):03d} >> {v.say(message)}"
        show = str if v.random.random() < 0.7 else repr
        yield "\r".join(bar(v, "", step + k / 3 if False else step, total)[1:] for k in range(3)) + "\r" + str({key: v.random.gauss(0, 3) if show is str else f"{v.random.random():.4g}" for key in keys})


def vllm(v: Values, said: dict[str, list[Message]]) -> Iterator[str]:
    """vllm/logger.py, vllm/v1/metrics/loggers.py; uvicorn's access lines."""
    style, pid = v.random.randrange(3), v.random.choice(v.pids)

    def head(file: str, line: int) -> str:
        now = f"{v.tick(4):%m-%d %H:%M:%S}"
        return (f"INFO {now} {file}:{line}] ", f"INFO {now} [{file}:{line}] ", f"(EngineCore_DP0 pid={pid}) INFO {now} [{file}:{line}] ")[style]

    for message in v.random.sample(said["vllm"], 40):
        yield head(message.file, message.line) + v.say(message)
    yield "\r".join(bar(v, "Capturing CUDA graph shapes", i, 67) for i in range(68))
    yield "\r".join(bar(v, "Loading safetensors checkpoint shards", i, 9) for i in range(10))
    for _ in range(v.random.randrange(400, 1500)):
        for _ in range(v.random.randrange(5)):
            yield f'INFO:     {v.ip()}:{v.random.randrange(65535)} - "POST /v1/{v.random.choice(("chat/completions", "completions", "embeddings"))} HTTP/1.1" 200 OK'
        yield f"{head('loggers.py', 118)}Engine 000: Avg prompt throughput: {v.random.random() * 9e3:.1f} tokens/s, Avg generation throughput: {v.random.random() * 9e3:.1f} tokens/s, Running: {v.random.randrange(256)} reqs, Waiting: {v.random.randrange(99)} reqs, GPU KV cache usage: {v.random.random() * 100:.1f}%, Prefix cache hit rate: {v.random.random() * 100:.1f}%"
        if v.random.random() < 0.1:
            yield f"{head('logger.py', 43)}Received request chatcmpl-{v.hexed(32)}: prompt: '<|im_start|>user\\n{v.sentence(40)}<|im_end|>\\n', params: SamplingParams(n=1, presence_penalty=0.0, frequency_penalty=0.0, repetition_penalty=1.0, temperature=0.7, top_p=0.8, top_k=20, min_p=0.0, seed=None, stop=[], stop_token_ids=[], max_tokens=2048), prompt_token_ids: None, lora_request: None."
        if v.random.random() < 0.1:
            message = v.random.choice(said["vllm"])
            yield head(message.file, message.line) + v.say(message)


def sglang(v: Values, said: dict[str, list[Message]]) -> Iterator[str]:
    """sglang/srt/managers/scheduler_components/metrics_reporter.py, sglang/srt/utils/common.py (configure_logger)."""
    for _ in range(v.random.randrange(400, 1500)):
        head = f"[{v.tick(2):%Y-%m-%d %H:%M:%S}{v.random.choice((' TP0', ' DP1 TP3', '', ' DP0 TP0 EP0'))}] "
        kind = v.random.randrange(10)
        if kind < 4:
            yield f"{head}Prefill batch. #new-seq: {v.random.randrange(9)}, #new-token: {v.random.randrange(8192)}, #cached-token: {v.random.randrange(8192)}, token usage: {v.random.random():.2f}, #running-req: {v.random.randrange(99)}, #queue-req: {v.random.randrange(99)}, "
        elif kind < 8:
            yield f"{head}Decode batch. #running-req: {v.random.randrange(99)}, #token: {v.random.randrange(99999)}, token usage: {v.random.random():.2f}, cuda graph: True, gen throughput (token/s): {v.random.random() * 5000:.2f}, #queue-req: {v.random.randrange(99)}, "
        elif kind == 8:
            yield f'{head}INFO:     127.0.0.1:{v.random.randrange(65535)} - "POST /generate HTTP/1.1" 200 OK'
        else:
            yield head + v.say(v.random.choice(said["sglang"]))


def megatron(v: Values, said: dict[str, list[Message]]) -> Iterator[str]:
    """megatron/training/training.py (training_log), arguments.py (the table of arguments)."""
    width = 48
    for name in v.random.sample(METRICS + ROLL_METRICS, 50):
        name = name.replace("/", "_")
        yield f"  {name} {'.' * (width - len(name))} {v.value()}"
    for message in v.random.sample(said["megatron"], 40):
        yield "> " * v.random.randrange(2) + v.say(message)
    total = v.random.randrange(400, 2000)
    for i in range(total):
        yield f" [{v.tick(9):%Y-%m-%d %H:%M:%S.%f}] iteration {i:8d}/{250000:8d} | consumed samples: {i * 1024:12d} | elapsed time per iteration (ms): {v.random.random() * 9e4:.1f} | throughput per GPU (TFLOP/s/GPU): {v.random.random() * 500:.1f} | learning rate: {v.random.random() * 1e-4:.6E} | global batch size: {1024:5d} | lm loss: {v.random.random() * 3:.6E} | load_balancing_loss: {v.random.random():.6E} | loss scale: 1.0 | grad norm: {v.random.random():.3f} | number of skipped iterations: {0:3d} | number of nan iterations: {0:3d} |"
        if i % 20 == 0:
            yield f"(min, max) time across ranks (ms):\n    forward-backward ...............................: ({v.random.random() * 1e4:.2f}, {v.random.random() * 1e4:.2f})\n    optimizer ......................................: ({v.random.random() * 1e2:.2f}, {v.random.random() * 1e2:.2f})\n    all-grads-sync .................................: ({v.random.random() * 1e2:.2f}, {v.random.random() * 1e2:.2f})"
            yield f"[Rank {i % 8}] (after {i} iterations) memory (MB) | allocated: {v.random.random() * 8e4:.2f} | max allocated: {v.random.random() * 8e4:.2f} | reserved: {v.random.random() * 8e4:.1f} | max reserved: {v.random.random() * 8e4:.1f}"
        if i % 100 == 99:
            yield f"saving checkpoint at iteration {i:7d} to {v.path()} in torch_dist format"
            yield f"  successfully saved checkpoint from iteration {i:7d} to {v.path()} [ t 1/2, p 1/4 ]"
            yield "-" * 100 + f"\n validation loss at iteration {i} | lm loss value: {v.random.random() * 3:.6E} | lm loss PPL: {v.random.random() * 9:.6E} | \n" + "-" * 100


def deepspeed(v: Values, said: dict[str, list[Message]]) -> Iterator[str]:
    """deepspeed/utils/logging.py, runtime/engine.py, launcher/launch.py; pdsh's host prefix."""
    pre = f"{v.hosts[0]}: " if v.random.random() < 0.5 else ""
    for message in v.random.sample(said["deepspeed"], min(60, len(said["deepspeed"]))):
        yield f"{pre}[{v.tick():%Y-%m-%d %H:%M:%S},{v.random.randrange(1000):03d}] [INFO] [{message.file}:{message.line}:{v.word()}] [Rank 0] {v.say(message)}"
    for step in range(v.random.randrange(200, 900)):
        head = f"{pre}[{v.tick(3):%Y-%m-%d %H:%M:%S},{v.random.randrange(1000):03d}] [INFO] "
        yield f"{head}[logging.py:128:log_dist] [Rank 0] step={step}, skipped=0, lr=[{v.random.random() * 1e-5}], mom=[(0.9, 0.95)]"
        yield f"{head}[timer.py:264:stop] epoch=0/micro_step={step * 4}/global_step={step}, RunningAvgSamplesPerSec={v.random.random() * 99}, CurrSamplesPerSec={v.random.random() * 99}, MemAllocated={v.random.random() * 80:.2f}GB, MaxMemAllocated={v.random.random() * 80:.2f}GB"
        if step % 9 == 0:
            yield f"{head}[logging.py:128:log_dist] [Rank 0] time (ms) | fwd_microstep: {v.random.random() * 99:.2f} | bwd_microstep: {v.random.random() * 99:.2f} | bwd_inner_microstep: {v.random.random() * 99:.2f} | bwd_allreduce_microstep: {v.random.random():.2f} | step_microstep: {v.random.random() * 99:.2f}"


def nccl(v: Values, said: dict[str, list[Message]]) -> Iterator[str]:
    """nccl/src/debug.cc (host:pid:tid [device] NCCL INFO), init.cc, graph/, transport/; torch's ProcessGroupNCCL at INFO."""
    del said
    for rank in range(v.random.randrange(8, 64)):
        pre = f"{v.random.choice(v.hosts)}:{v.random.choice(v.pids)}:{v.random.choice(v.pids)} [{rank % 8}] NCCL INFO "
        comm, bus = f"0x{v.hexed(12)}", v.hexed(5)
        yield f"{pre}Bootstrap : Using eth0:{v.ip()}<0>"
        yield f"{pre}cudaDriverVersion 12040"
        yield f"{pre}NET/Plugin: No plugin found (libnccl-net.so)"
        yield f"{pre}NET/IB : Using [0]mlx5_{rank % 8}:1/RoCE [1]mlx5_{rank % 8 + 1}:1/IB [RO]; OOB eth0:{v.ip()}<0>"
        yield f"{pre}comm {comm} rank {rank} nRanks 64 nNodes 8 localRanks 8 localRank {rank % 8} MNNVL 0"
        yield f"{pre}Setting affinity for GPU {rank % 8} to ffffff,ffffffff"
        yield f"{pre}NVLS multicast support is available on dev {rank % 8}"
        for channel in range(24):
            yield f"{pre}Channel {channel:02d}/0 : {rank}[{rank % 8}] -> {rank + 1}[{(rank + 1) % 8}] via {v.random.choice(('P2P/CUMEM/read', 'P2P/IPC/read', 'NET/IB/0/GDRDMA', 'SHM/direct/direct'))}"
        yield f"{pre}Trees [0] {rank + 1}/-1/-1->{rank}->{rank - 1} [1] {rank + 1}/-1/-1->{rank}->{rank - 1}"
        yield f"{pre}P2P Chunksize set to 524288"
        yield f"{pre}Connected all rings"
        yield f"{pre}threadThresholds 8/8/64 | 512/8/64 | 512 | 512"
        yield f"{pre}24 coll channels, 24 collnet channels, 16 nvls channels, 32 p2p channels, 32 p2p channels per peer"
        yield f"{pre}ncclCommInitRankConfig comm {comm} rank {rank} nranks 64 cudaDev {rank % 8} nvmlDev {rank % 8} busId {bus} commId 0x{v.hexed(16)} - Init COMPLETE"
        for _ in range(30):
            yield f"{pre}AllReduce: opCount {v.hexed(3)} sendbuff 0x{v.hexed(12)} recvbuff 0x{v.hexed(12)} count {v.random.randrange(10**8)} datatype 9 op 0 root 0 comm {comm} [nranks=64] stream 0x{v.hexed(12)}"
        yield f"[rank{rank}]:[I{v.tick():%m%d %H:%M:%S}.{v.random.randrange(10**9):09d} ProcessGroupNCCL.cpp:852] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] ProcessGroupNCCL initialization options: size: 64, global rank: {rank}, TIMEOUT(ms): 600000, USE_HIGH_PRIORITY_STREAM: 0, SPLIT_FROM: 0, SPLIT_COLOR: 0, PG Name: 0"
        yield f"[rank{rank}]:[I{v.tick():%m%d %H:%M:%S}.{v.random.randrange(10**9):09d} ProcessGroupNCCL.cpp:980] [PG ID 0 PG GUID 0 Rank {rank}] ProcessGroupNCCL broadcast unique ID through store took {v.random.random():.4f} ms"


def cluster(v: Values, said: dict[str, list[Message]]) -> Iterator[str]:
    """Ray's own lines (ray/_private/ray_constants.py, C++ util/logging.cc), klog of Kubernetes, slurmctld, wandb."""
    names = said["ray"]
    for _ in range(v.random.randrange(500, 2000)):
        message = v.random.choice(names)
        kind, pid, now = v.random.randrange(7), v.random.choice(v.pids), v.tick(3)
        if kind < 2:
            yield f"{now:%Y-%m-%d %H:%M:%S},{v.random.randrange(1000):03d}\tINFO {message.file}:{message.line} -- {v.say(message)}"
        elif kind == 2:
            yield f"[{now:%Y-%m-%d %H:%M:%S},{v.random.randrange(1000):03d} I {pid} {pid}] (raylet) {v.random.choice(('node_manager.cc:3113', 'worker_pool.cc:512', 'local_resource_manager.cc:287'))}: " + v.random.choice((f"Starting worker process with pid {pid}, the token is {v.random.randrange(99)}", f"Object store current usage {v.random.random():.2f} / {v.random.random() * 99:.2f} GB.", f"New job has started. Job id 0{v.random.randrange(9)}000000 Driver pid {pid} is dead: 0 driver address: {v.ip()}"))
        elif kind == 3:
            yield f"I{now:%m%d %H:%M:%S.%f} {pid:7d} {v.random.choice(('kubelet.go:2406', 'reconciler_common.go:245', 'scope.go:117', 'operation_generator.go:663'))}] " + v.random.choice((f'"SyncLoop (PLEG): event for pod" pod="rl/{v.word()}-{v.hexed(5)}" event={{"ID":"{v.hexed(8)}-{v.hexed(4)}","Type":"ContainerStarted","Data":"{v.hexed(32)}"}}', f'"operationExecutor.VerifyControllerAttachedVolume started for volume \\"{v.word()}\\"" pod="rl/{v.word()}"'))
        elif kind == 4:
            yield f"[{now:%Y-%m-%dT%H:%M:%S}.{v.random.randrange(1000):03d}] sched: Allocate JobId={v.random.randrange(10**6)} NodeList={v.hosts[0]} #CPUs={v.random.randrange(256)} Partition=gpu"
        elif kind == 5:
            yield f"wandb: {v.random.choice(('Run data is saved locally in ' + v.path(), 'Syncing run ' + v.word() + '-' + v.word(), '🚀 View run at https://wandb.ai/team/' + v.word(), 'Tracking run with wandb version 0.19.8', f'      {v.word()}/{v.word()} {v.number()}'))}"
        else:
            yield f"{now:%Y-%m-%d %H:%M:%S},{v.random.randrange(1000):03d} - INFO - {v.word()}.{v.word()} - {v.say(v.random.choice(said['datasets'] + said['accelerate'] + said['lightning']))}"


WRITERS: tuple[Callable[[Values, dict[str, list[Message]]], Iterator[str]], ...] = (
    verl, roll, chatlearn, areal, trinity, openrlhf, trl, vllm, sglang, megatron, deepspeed, nccl, cluster,
)  # fmt: skip


SPEAKERS = ("verl", "vllm", "sglang", "openrlhf", "megatron", "transformers", "trl", "accelerate", "datasets", "deepspeed", "lightning", "ray")
"""Packages whose texts are in the runs."""

MORE_SPEAKERS = ("areal", "trinity", "skyrl", "skyrl_train", "swift", "llamafactory", "peft", "torch", "wandb", "tokenizers", "huggingface_hub", "mlflow", "hydra", "uvicorn")
"""Further ones of which it is told what they say; those that are missing are left out."""

COPIES = 3
"""Times that each text stands in each of two files: what stands in one only, or twice, is not counted where it is long."""


def write_said(folder: Path, environment: Path, seed: int) -> None:
    """Writes the texts of each program into two files, with other values in each: a run may print any of them at every step."""
    folder.mkdir(parents=True, exist_ok=True)
    packages = _packages(environment)
    for name in (*SPEAKERS, *MORE_SPEAKERS):
        texts = messages(packages[name]) if name in packages else []
        for number in range(2) if texts else ():
            values = Values(seed + number)
            lines = (values.say(text) + "\n" for text in texts for _ in range(COPIES))
            (folder / f"{name}-{number}.log").write_text("".join(lines), encoding="utf-8")


def write_runs(folder: Path, environment: Path, size: int, seed: int) -> None:
    """Writes runs of all programs in turn, each into a file of its own, until `size` bytes are there."""
    folder.mkdir(parents=True, exist_ok=True)
    packages = _packages(environment)
    said = {name: messages(packages[name]) for name in SPEAKERS}
    written = number = 0
    while written < size:
        writer = WRITERS[number % len(WRITERS)]
        values = Values(seed + number)
        path = folder / f"{writer.__name__}-{number // len(WRITERS)}.log"
        with path.open("w", encoding="utf-8", newline="") as output:
            while output.tell() < FILE_SIZE:
                transport = _transport(values)
                output.writelines(transport(line) + "\n" for line in writer(values, said))
            written += output.tell()
        number += 1


def _packages(environment: Path) -> dict[str, Path]:
    roots = (environment / "sources", *environment.glob("lib/python3*/site-packages"))
    return {path.name: path for root in roots for path in (*root.glob("*.data/*/*"), *root.glob("*")) if path.is_dir()}


def _transport(v: Values) -> Callable[[str], str]:
    """What carries the lines: nothing, srun -l, Kubernetes (CRI), Docker's json-file, a collector with a time stamp."""
    kind = v.random.randrange(8)
    if kind == 0:
        return lambda line: f"{v.random.randrange(16):2d}: {line}"
    if kind == 1:
        return lambda line: f"{v.now:%Y-%m-%dT%H:%M:%S}.{v.random.randrange(10**9):09d}Z {v.random.choice(('stdout', 'stderr'))} F {line}"
    if kind == 2:
        return lambda line: json.dumps({"log": line + "\n", "stream": "stdout", "time": f"{v.now:%Y-%m-%dT%H:%M:%S}.{v.random.randrange(10**9):09d}Z"}, ensure_ascii=v.random.random() < 0.5)
    if kind == 3:
        return lambda line: f"[pod/{v.hosts[0]}-{v.hexed(5)}/trainer] {line}"
    return lambda line: line
