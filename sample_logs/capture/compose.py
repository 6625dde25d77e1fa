"""Composes the logs of failures that need a GPU: compose.py NAME > ../NAME.log.

Every line has the format of a line that the named program prints; the frames of the tracebacks are looked up in the
sources given by environment variables, so that file names, line numbers, functions and source lines are theirs:
  AREAL_CHECKOUT      github.com/areal-project/AReaL at 2963a6731 (v0.1)
  CHATLEARN_CHECKOUT  github.com/alibaba/ChatLearn at b7af31a9
  TRINITY_PACKAGE     the unpacked wheel trinity-rft 0.2.1
  VLLM063_PACKAGE     vllm 0.6.3.post1, VLLM092_PACKAGE  vllm 0.9.2
  TORCH_PACKAGE       torch 2.13.0 (its line numbers differ from those of the torch that the program names)
"""

import ast
import datetime
import os
import random
import sys

CYAN, RESET, DEFAULT = "\033[36m", "\033[0m", "\033[39m"
WHITE, GREEN, LCYAN, PURPLE, YELLOW, RED = "\033[37m", "\033[92m", "\033[96m", "\033[95m", "\033[33m", "\033[31m"
OUT = []
CLOCK = [datetime.datetime(2025, 2, 24, 9, 12, 40, 214000)]
RANDOM = random.Random(0)

INSTALLED = {  # where the sources lie here, and where they lay on the machine of the log
    "areal": ("AREAL_CHECKOUT", "/storage/codes/AReaL"),
    "chatlearn": ("CHATLEARN_CHECKOUT", "/workspace/ChatLearn"),
    "trinity": ("TRINITY_PACKAGE", "/workspace/Trinity-RFT"),
    "vllm063": ("VLLM063_PACKAGE", "/vllm"),
    "vllm092": ("VLLM092_PACKAGE", "/usr/local/lib/python3.10/dist-packages"),
    "torch": ("TORCH_PACKAGE", "/usr/local/lib/python3.10/dist-packages"),
}


def put(text=""):
    OUT.extend(text.split("\n"))


def tick(seconds):
    CLOCK[0] += datetime.timedelta(seconds=seconds)
    return CLOCK[0]


def frame(root, path, snippet, nth=0):
    """The two lines of a traceback for the nth line of a source file that contains snippet."""
    variable, installed = INSTALLED[root]
    source = open(os.path.join(os.environ[variable], path), encoding="utf-8").read()
    lines = [number for number, line in enumerate(source.split("\n"), 1) if snippet in line]
    number = lines[nth]
    function = "<module>"
    for node in sorted(ast.walk(ast.parse(source)), key=lambda node: getattr(node, "lineno", 0)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.lineno <= number <= node.end_lineno:
            function = node.name
    text = source.split("\n")[number - 1].strip()
    return [f'  File "{installed}/{path}", line {number}, in {function}', f"    {text}"]


def traceback(*frames, error):
    lines = ["Traceback (most recent call last):"]
    for item in frames:
        lines += frame(*item)
    return lines + error.split("\n")


def finish():
    sys.stdout.write("\n".join(OUT) + "\n")


# --- AReaL v0.1 (realhf) ---------------------------------------------------------------------------------------------
def areal_stamp():
    return tick(0).strftime("%Y%m%d-%H:%M:%S.") + f"{CLOCK[0].microsecond // 1000:03d}"


def driver(name, text, color=GREEN, level="INFO"):
    put(f"{color}{areal_stamp()} {name} {level}: {text}{RESET}")


def worker(who, pid, name, text, color=WHITE, level="INFO", ip="10.0.0.11"):
    prefix = f"{CYAN}({who} pid={pid}, ip={ip}){RESET} "
    lines = f"{color}{areal_stamp()} {name} {level}: {text}{RESET}".split("\n")
    for line in lines:
        put(prefix + line)


def master(text, name="master worker", color=GREEN):
    worker("master_worker/0", 96390, name, text, color)


def areal_start(trial="512x16"):
    tick(0)
    for line in (
        "Running ppo-math experiment.",
        f"Logs will be dumped to /storage/ray/experiments/logs/root/ppo-7B-distill-gpus-128/{trial}",
        f"Model checkpoints will be saved to /storage/ray/experiments/checkpoints/root/ppo-7B-distill-gpus-128/{trial}",
    ):
        driver("quickstart", line, LCYAN)
    driver("quickstart", "Launching experiments with RAY...", LCYAN)


def areal_launch(trial="512x16", resumed=False):
    tick(0.9)
    driver("main", "Resetting name resolving repo...")
    driver("main", "Resetting name resolving repo... Done.")
    driver("main", "Running configuration: PPOMATHConfig")
    tick(1.3)
    put("2025-02-24 09:12:43,017\tINFO worker.py:1654 -- Connecting to existing Ray cluster at address: 10.0.0.11:6379...")
    put(
        "2025-02-24 09:12:43,029\tINFO worker.py:1832 -- Connected to Ray cluster. View the dashboard at "
        "\033[1m\033[32m10.0.0.11:8265 \033[39m\033[22m"
    )
    driver("controller", "Ray initialized! Ready to run workers.", PURPLE)
    driver("controller", "Launching remote workers using Ray...", PURPLE)
    tick(4.1)
    driver("controller", "Launched 128 model_worker.", PURPLE)
    driver("controller", "Launched 1 master_worker.", PURPLE)
    driver("controller", "All Ray workers are lauched.", PURPLE)
    driver("controller", f"Experiment: ppo-7B-distill-gpus-128 {trial}", PURPLE)
    driver("controller", "Connecting to workers...", PURPLE)
    tick(18)
    for name in ("model_worker", "master_worker"):
        driver("controller", f"Configuring Workers: {name}...", PURPLE)
        tick(1)
    driver("controller", "Start workers...", PURPLE)
    driver("controller", "Started.", PURPLE)
    driver("controller", "Waiting for 129 jobs.", PURPLE)
    for index in (0, 1, 8, 64, 65):
        worker(
            f"model_worker/{index}",
            97100 + index,
            "Model Worker",
            f"SetUp Information - Model worker {index} runs on node dlc-{index // 8} (IP 10.0.0.{11 + index // 8}) device index {index % 8}.",
            PURPLE,
            ip=f"10.0.0.{11 + index // 8}",
        )


def areal_ready():
    tick(61)
    master(
        "Initialize model backends with order: [ModelName(role='actor', replica_id=0), "
        "ModelName(role='actor', replica_id=1), ModelName(role='ref', replica_id=0), "
        "ModelName(role='reward', replica_id=0)]."
    )
    tick(74)
    master("Initializations of models and backends complete.")
    master("Creating asyncio coroutines...")
    master("Coroutines created. The master worker is ready to run.")
    master("Filling data into the buffer in a new epoch.", "benchmark", LCYAN)
    tick(2.4)
    master(
        "Master worker loaded 39712 pieces of data. Training epoch 1 approximately has 77 steps. "
        "Each batch has 54137.22 tokens in average. Remaining number of data in the last epoch: 0.",
        "benchmark",
        LCYAN,
    )
    master("Filling data finished. Time consumption: 2.391s.", "benchmark", LCYAN)


def areal_rpc(name, seconds, result=None):
    master(f"Model rpc {name} requested.")
    handle = {"actor_gen": "generate", "actor_train": "train_step"}.get(name, "inference")
    role = {"actor_gen": ("actor", 1), "ref_inf": ("ref", 0), "rew_inf": ("reward", 0)}.get(name, ("actor", 0))
    worker(
        "model_worker/64" if name != "actor_gen" else "model_worker/0",
        97164 if name != "actor_gen" else 97100,
        "benchmark",
        f"Model #ModelName(role='{role[0]}', replica_id={role[1]})# starts handling request *{handle}*.",
        LCYAN,
        ip="10.0.0.19" if name != "actor_gen" else "10.0.0.11",
    )
    if seconds is None:
        return
    tick(seconds)
    if result:
        master(f"RPC name {name} returns {result}")
    master(f"Model rpc {name} finished. Run time {seconds:.4f}s.")


def areal_step(step, total):
    start = CLOCK[0]
    master("Master worker is waiting for the finish of the execution graph.")
    areal_rpc("actor_gen", 801.4 + 37.2 * RANDOM.random())
    areal_rpc("rew_inf", 21.7 + RANDOM.random())
    areal_rpc("ref_inf", 64.3 + RANDOM.random())
    areal_rpc(
        "actor_train",
        397.5 + 9 * RANDOM.random(),
        {
            "ppo_approx_kl": -2.26e-05 - 1e-7 * step,
            "actor_loss": 1.1128166761409375e-06 * (-1) ** step,
            "actor_clip_ratio": 2.1e-07,
            "importance_weight": 1.0000014305114746,
            "task_reward": round(-0.41 + 0.03 * step + 0.02 * RANDOM.random(), 6),
            "kl_reward": -2.27004832709099e-07,
            "avg_seq_len": round(7907.8955 + 90 * RANDOM.random(), 4),
            "avg_prompt_len": 105.845703125,
            "n_seqs": 8192.0,
            "no_eos_ratio": 0.122802734375,
        },
    )
    master("Execution finished!")
    spent = (CLOCK[0] - start).total_seconds()
    master(
        f"Epoch 1/1 step {step}/{total} (global step {step}) finishes. Average #tokens per batch is 54137. "
        f"#End to end# execution time: *{spent:.3f}*s. Total time consumption: {spent * step + 152.1:.3f}s. "
    )
    master(f"Time taken so far across all configurations: {spent * step + 152.1:.2f}s")


def areal_dies(who, pid, ip, error_lines):
    first = max(number for number, line in enumerate(error_lines) if "Error: " in line and not line.startswith(" "))
    message = "\n".join(error_lines[first:]).split(": ", 1)[1]
    worker(who, pid, "worker", f"Worker encountered error {message}\n" + "\n".join(error_lines), RED, "ERROR", ip)
    tick(9)
    driver("controller", f"Worker {who} is WorkerServerStatus.ERROR while experiment is running.", RED, "ERROR")
    driver("controller", "Interrupting experiment", PURPLE)
    driver("controller", "Waiting for 129 jobs.", PURPLE)


OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {tried}. GPU 0 has a total capacity of {capacity} "
    "of which {free} is free. Including non-PyTorch memory, this process has {used} memory in use. Of the allocated "
    "memory {allocated} is allocated by PyTorch, and {reserved} is reserved by PyTorch but unallocated. If reserved "
    "but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid "
    "fragmentation.  See documentation for Memory Management  "
    "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
)

AREAL_GENERATE = (
    ("areal", "realhf/system/model_worker.py", "res = self._interface.generate("),
    ("areal", "realhf/impl/model/interface/ppo_interface.py", "res = module.generate("),
    ("areal", "realhf/impl/model/backend/vllm.py", "req_outputs = LLM.generate("),
    ("vllm063", "vllm/entrypoints/llm.py", "outputs = self._run_engine(use_tqdm=use_tqdm)"),
    ("vllm063", "vllm/entrypoints/llm.py", "step_outputs = self.llm_engine.step()"),
)
AREAL_POLL = (
    ("areal", "realhf/system/worker_base.py", "r = self._poll()"),
    ("areal", "realhf/system/model_worker.py", "self.handle_blocking_request(request, data, handled, res)"),
    ("areal", "realhf/system/model_worker.py", "res = self.__handle_model_function_calls(request, data)"),
)


def areal_cuda_oom_actor_train():
    areal_start()
    areal_launch()
    areal_ready()
    areal_step(1, 77)
    areal_step(2, 77)
    master("Master worker is waiting for the finish of the execution graph.")
    areal_rpc("actor_gen", 829.6)
    areal_rpc("rew_inf", 21.9)
    areal_rpc("ref_inf", 65.0)
    areal_rpc("actor_train", None)
    worker(
        "model_worker/64",
        97164,
        "Megatron Backend",
        "MB spec: MicroBatchSpec(n_mbs=1, max_tokens_per_mb=30720), #mbs=9, #tokens: 268417, pp_size=1, "
        "#tokens per mbs: [30214, 29880, 30015, 29977, 30301, 30688, 29104, 29312, 28926]",
        LCYAN,
        ip="10.0.0.19",
    )
    tick(11.3)
    areal_dies(
        "model_worker/69",
        97169,
        "10.0.0.19",
        traceback(
            *AREAL_POLL,
            ("areal", "realhf/system/model_worker.py", "res = self._interface.train_step("),
            ("areal", "realhf/impl/model/interface/ppo_interface.py", "stats = module.train_batch("),
            ("areal", "realhf/impl/model/backend/megatron.py", "loss, _stat = loss_fn(model_output, mb_input)"),
            ("areal", "realhf/impl/model/interface/ppo_interface.py", "logprobs = gather_packed_shifted_log_probs("),
            ("areal", "realhf/impl/model/utils/functional.py", "logprobs = -vocab_parallel_cross_entropy(logits, labels)"),
            ("areal", "realhf/impl/model/parallelism/model_parallel/modules.py", "return _VocabParallelCrossEntropy.apply("),
            error=OOM.format(tried="8.56 GiB", capacity="79.11 GiB", free="3.02 GiB", used="76.08 GiB", allocated="66.13 GiB", reserved="7.91 GiB"),
        ),
    )


def areal_cpu_swap_space():
    areal_start()
    areal_launch()
    areal_ready()
    areal_step(1, 77)
    master("Master worker is waiting for the finish of the execution graph.")
    areal_rpc("actor_gen", None)
    for percent, count in ((0, 0), (12, 61), (31, 158), (47, 240)):
        put(
            f"{CYAN}(model_worker/0 pid=97100, ip=10.0.0.11){RESET} \rProcessed prompts: {percent:3d}%|"
            f"{'█' * (percent // 10)}{' ' * (10 - percent // 10)}| {count}/512 [0{percent // 9}:1{percent % 6}<0{9 - percent // 11}:02,"
            f"  1.2{percent % 10}s/it, est. speed input: 81.22 toks/s, output: 4212.87 toks/s]"
        )
        tick(97)
    put(
        f"{CYAN}(model_worker/4 pid=97104, ip=10.0.0.11){RESET} WARNING {CLOCK[0]:%m-%d %H:%M:%S} scheduler.py:1483] "
        "Sequence group 214 is preempted by PreemptionMode.SWAP mode because there is not enough KV cache space. This can "
        "affect the end-to-end performance. Increase gpu_memory_utilization or tensor_parallel_size to provide more KV "
        "cache memory. total_num_cumulative_preemption=51"
    )
    areal_dies(
        "model_worker/4",
        97104,
        "10.0.0.11",
        traceback(
            *AREAL_POLL,
            *AREAL_GENERATE,
            ("vllm063", "vllm/engine/llm_engine.py", ") = self.scheduler[virtual_engine].schedule()"),
            ("vllm063", "vllm/core/scheduler.py", "scheduler_outputs: SchedulerOutputs = self._schedule()"),
            ("vllm063", "vllm/core/scheduler.py", "return self._schedule_default()"),
            ("vllm063", "vllm/core/scheduler.py", "running_scheduled = self._schedule_running(budget,"),
            ("vllm063", "vllm/core/scheduler.py", "preempted_mode = self._preempt("),
            ("vllm063", "vllm/core/scheduler.py", "self._preempt_by_swap(seq_group, blocks_to_swap_out)"),
            ("vllm063", "vllm/core/scheduler.py", "self._swap_out(seq_group, blocks_to_swap_out)"),
            ("vllm063", "vllm/core/scheduler.py", "raise RuntimeError(", -1),
            error="RuntimeError: Aborted due to the lack of CPU swap space. Please increase the swap space to avoid this error.",
        ),
    )


def areal_cuda_error_out_of_memory():
    areal_start()
    areal_launch()
    areal_ready()
    master("Master worker is waiting for the finish of the execution graph.")
    areal_rpc("actor_gen", None)
    tick(3.2)
    for rank in (0, 4, 6):
        worker(f"model_worker/{rank}", 97100 + rank, "vllm executor", f"Rank {rank}, # GPU blocks: 47802, # CPU blocks: 74898")
    areal_dies(
        "model_worker/6",
        97106,
        "10.0.0.11",
        traceback(
            *AREAL_POLL,
            ("areal", "realhf/system/model_worker.py", "res = self._interface.generate("),
            ("areal", "realhf/impl/model/interface/ppo_interface.py", "res = module.generate("),
            ("areal", "realhf/impl/model/backend/vllm.py", "self.llm_engine._initialize_kv_caches()"),
            ("vllm063", "vllm/engine/llm_engine.py", "self.model_executor.initialize_cache(num_gpu_blocks, num_cpu_blocks)"),
            ("areal", "realhf/impl/model/backend/thirdparty/vllm/executor.py", "self.driver_worker.initialize_cache("),
            ("vllm063", "vllm/worker/worker.py", "self._init_cache_engine()"),
            ("vllm063", "vllm/worker/worker.py", "CacheEngine(self.cache_config, self.model_config,"),
            ("vllm063", "vllm/worker/cache_engine.py", 'self.cpu_cache = self._allocate_kv_cache(self.num_cpu_blocks, "cpu")'),
            ("vllm063", "vllm/worker/cache_engine.py", "torch.zeros(kv_cache_shape,"),
            error="RuntimeError: CUDA error: out of memory\n"
            "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\n"
            "For debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
            "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n",
        ),
    )


def areal_illegal_memory_access():
    areal_start()
    areal_launch()
    areal_ready()
    areal_step(1, 77)
    master("Master worker is waiting for the finish of the execution graph.")
    areal_rpc("actor_gen", None)
    tick(311)
    error = (
        "RuntimeError: CUDA error: an illegal memory access was encountered\n"
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\n"
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
    )
    areal_dies(
        "model_worker/2",
        97102,
        "10.0.0.11",
        traceback(
            *AREAL_POLL,
            *AREAL_GENERATE,
            ("vllm063", "vllm/engine/llm_engine.py", "outputs = self.model_executor.execute_model("),
            ("vllm063", "vllm/worker/worker_base.py", "output = self.model_runner.execute_model("),
            ("vllm063", "vllm/worker/model_runner.py", "output: SamplerOutput = self.model.sample("),
            error=error,
        ),
    )


def areal_recover_failed():
    areal_start("1024x16")
    tick(0.2)
    driver(
        "main",
        "Invalid recover checkpoint when recover_mode='auto'. Running the experiment from scratch with fault "
        "tolerance. Err message: Recover checkpoint not found at: "
        "/storage/ray/experiments/recover/root/ppo-7B-distill-gpus-128/1024x16/recover_info.pkl",
        YELLOW,
        "WARNING",
    )
    areal_launch("1024x16")
    areal_ready()
    areal_step(1, 38)
    master("Dumped recover info to file.")
    master("Will recover from: StepInfo(epoch=0, epoch_step=1, global_step=1)")
    master("Number of data used in this epoch: 1024")
    areal_step(2, 38)
    areal_step(3, 38)


# --- ChatLearn 1.2.0 (b7af31a9) ----------------------------------------------------------------------------------------
def chat(text, where, model="", rank=None, level="INFO", stamp=True):
    now = CLOCK[0].strftime("%Y-%m-%d %H:%M:%S,") + f"{CLOCK[0].microsecond // 1000:03d}"
    name = f"ChatLearn-{model} 10.0.0.11 RANK:{rank}" if model else "ChatLearn"
    prefix = f"{CYAN}(PolicyTrainer pid={41200 + rank}){RESET} " if model else ""
    for line in f"[{now} {name}] ({where}): {level} {text}".split("\n"):
        put(prefix + line)


def chatlearn_cuda_oom_fsdp():
    CLOCK[0] = datetime.datetime(2025, 9, 2, 14, 3, 11, 120000)
    put("+ export exp_name=qwen3-grpo-8b\n+ exp_name=qwen3-grpo-8b")
    put(
        "+ python chatlearn/entrypoint.py grpo --config-file template/grpo_fsdp.yaml runtime_args.exp_name=qwen3-grpo-8b "
        "runtime_args.num_episode=200 runtime_args.sample_per_episode=2048 runtime_args.train_global_batch_size=2048 "
        "runtime_args.train_micro_batch_size=256 models.policy_trainer.num_gpu=8 models.policy_trainer.packing=True "
        "models.policy_trainer.max_token_in_packing=32768 models.policy_trainer.meta_init=False "
        "models.policy_trainer.ulysses_sequence_parallel_size=1 models.policy.enforce_eager=False "
        "models.policy.tensor_model_parallel_size=1 models.policy.num_inference_per_prompt=32"
    )
    put(
        "2025-09-02 14:03:20,871\tINFO worker.py:1888 -- Started a local Ray instance. View the dashboard at "
        "\033[1m\033[32m127.0.0.1:8265 \033[39m\033[22m"
    )
    tick(10)
    chat("init chatlearn done, version 1.2.0", "initialize.py 111")
    for model in ("policy_trainer", "ref_policy", "policy", "reward"):
        chat(f"chatlearn_log basemodule {model} init start", "base_module.py 56")
        chat(f"chatlearn_log basemodule {model} init done", "base_module.py 109")
    tick(4)
    chat("create placement_group [{'GPU': 8.0, 'CPU': 176.0}] for model ['policy_trainer', 'ref_policy', 'policy'] done", "model_manager.py 278")
    tick(122)
    for model in ("policy_trainer", "ref_policy", "reward"):
        chat(f"chatlearn_log start setup and validate {model}", "engine.py 127")
        tick(31)
        chat(f"chatlearn_log done setup and validate {model}", "engine.py 130")
    chat("chatlearn_log setup_models summary time (sec) | setup_models: 94.17(avg: 94.17)", "engine.py 133")
    chat("sync parameters from policy_trainer to policy every 1 episodes.", "model_manager.py 166")
    tick(19)
    for episode in (1, 2):
        chat(f"chatlearn_log start train episode_id: {episode}/200", "engine.py 497")
        chat(f"chatlearn_log start to make experience: {episode}/200", "engine.py 502")
        for model in ("policy", "policy_trainer", "ref_policy", "reward"):
            chat(f"chatlearn_log start compute_loop for {model}, is_eval=False", "executor.py 372")
            chat(f"chatlearn_log start to generate_step_one_model for {model}", "executor.py 395")
            tick(24)
        chat(f"chatlearn_log complete to make experience: {episode}/200", "engine.py 506")
        chat("chatlearn_log set dataloader for trainer done", "engine.py 515")
        chat("chatlearn_log start compute_loop for policy_trainer, is_eval=False", "executor.py 372")
        chat("chatlearn_log start to generate_step_one_model for policy_trainer", "executor.py 395")
        if episode == 2:
            break
        tick(88)
        chat(f"train episode: {episode}, epoch 0 num_step 1 done", "trainer.py 105")
        chat(f"chatlearn_log save episode_id: {episode}/200 done", "engine.py 528")
        chat(f"chatlearn_log train episode_id: {episode}/200 parameter sync done", "engine.py 532")
        chat(f"chatlearn_log train episode_id: {episode}/200 done", "engine.py 533")
        chat(
            f"chatlearn_log alignment episode summary, episode {episode} time (sec) | episode: 191.04(avg: 191.04) | "
            "train: 88.31(avg: 88.31) | environment: 96.40(avg: 96.40)",
            "engine.py 392",
        )
        chat(
            "step 1 prefix policy_trainer: logging metric {'pg_loss': 0.0012, 'kl_loss': 0.0003, 'entropy_loss': 0.3114, 'grad_norm': 0.1422}",
            "metric_manager.py 90",
        )
        tick(3)
    tick(46)
    error = traceback(
        ("chatlearn", "chatlearn/runtime/decorator.py", "return func(self, *args, **kwargs)"),
        ("chatlearn", "chatlearn/runtime/decorator.py", "ret = func(self, *args, **kwargs)", 1),
        ("chatlearn", "chatlearn/runtime/decorator.py", "ret = func(self, *args, **kwargs)", 0),
        ("chatlearn", "chatlearn/algorithm/grpo_utils/policy_trainer.py", "total_loss.backward()"),
        ("torch", "torch/_tensor.py", "torch.autograd.backward("),
        ("torch", "torch/autograd/__init__.py", "_engine_run_backward(", 0),
        ("torch", "torch/autograd/graph.py", "return Variable._execution_engine.run_backward("),
        error=OOM.format(tried="18.55 GiB", capacity="95.00 GiB", free="9.87 GiB", used="85.11 GiB", allocated="71.46 GiB", reserved="11.62 GiB"),
    )
    message = error[-1].split(": ", 1)[1]
    where = "decorator.py 37"
    chat(f"Catch exception ========= in policy_trainer train_step {message}\n" + "\n".join(error), where, "policy_trainer", 3, "ERROR")
    for line in error + [""]:  # _logger.exception(line): each line of the traceback, and all of it after each line
        chat("\n".join([line] + error), "decorator.py 46", "policy_trainer", 0, "ERROR")
    put("Traceback (most recent call last):")
    for item in (
        ("chatlearn", "chatlearn/entrypoint.py", "self._run_algorithm(algo_args)"),
        ("chatlearn", "chatlearn/entrypoint.py", "instance.run()"),
        ("chatlearn", "chatlearn/algorithm/grpo.py", "engine.learn()"),
        ("chatlearn", "chatlearn/runtime/engine.py", "self.trainer.train(episode_id)"),
        ("chatlearn", "chatlearn/runtime/trainer.py", "self.compute_loop(out_queue, _num_training_iteration)"),
    ):
        put("\n".join(frame(*item)))
    put(
        f"ray.exceptions.RayTaskError(OutOfMemoryError): {CYAN}ray::PolicyTrainer.train_step(){DEFAULT} (pid=41200, "
        "ip=10.0.0.11, actor_id=0c2ad34bf9d2a7c5f16e29d101000000, repr=<chatlearn.algorithm.grpo_utils.policy_trainer."
        "PolicyTrainer object at 0x7f18c41b5cc0>)"
    )
    put("\n".join(error[1:]))


# --- Trinity-RFT 0.2.1 -----------------------------------------------------------------------------------------------
def trinity(actor, pid, text, where, level="INFO"):
    prefix = f"{CYAN}({actor} pid={pid}){RESET} "
    head = f"{level} {CLOCK[0]:%m-%d %H:%M:%S} {where}] "
    for number, line in enumerate(text.split("\n")):
        put(prefix + head + line + ("\r" if number < text.count("\n") else ""))


def trinity_start():
    CLOCK[0] = datetime.datetime(2025, 8, 18, 11, 27, 4)
    put("2025-08-18 11:26:51,402\tINFO worker.py:1723 -- Connecting to existing Ray cluster at address: 10.0.0.21:6379...")
    put(
        "2025-08-18 11:26:51,415\tINFO worker.py:1908 -- Connected to Ray cluster. View the dashboard at "
        "\033[1m\033[32mhttp://10.0.0.21:8265 \033[39m\033[22m"
    )
    put("""Config(mode='both',
       project='Trinity-RFT-gsm8k',
       group='',
       name='qwen2.5-7B-gsm8k',
       checkpoint_root_dir='/checkpoints',
       cluster=ClusterConfig(node_num=1, gpu_per_node=8),
       buffer=BufferConfig(total_epochs=1, batch_size=96, train_batch_size=768),
       explorer=ExplorerConfig(name='explorer', runner_per_model=8,
                               rollout_model=InferenceModelConfig(engine_type='vllm', engine_num=2,
                                                                  tensor_parallel_size=1, use_v1=True,
                                                                  gpu_memory_utilization=0.9)),
       trainer=TrainerConfig(name='trainer', trainer_type='verl', save_interval=100),
       synchronizer=SynchronizerConfig(sync_method=<SyncMethod.NCCL: 'nccl'>, sync_interval=1))""")


def trinity_steps(count):
    for step in range(1, count + 1):
        trinity("Explorer", 51820, f"Explore step {step} started.", "explorer.py:201")
        tick(47)
        trinity("Explorer", 51820, f"Log metrics of step {step}", "explorer.py:353")
        trinity(
            "Explorer",
            51820,
            f"Step {step}: {{'rollout/accuracy/mean': {0.41 + 0.02 * step:.4f}, "
            f"'rollout/response_length/mean': {287.4 + 3 * step:.2f}, 'time/explore_step': 46.8}}",
            "monitor.py:112",
        )
        trinity("Trainer", 51821, f"Training at step {step} started.", "trainer.py:84")
        tick(6)
        trinity("Trainer", 51821, f"Sampling at step {step} done.", "trainer.py:99")
        tick(31)
        trinity("Trainer", 51821, f"Training at step {step} finished.", "trainer.py:101")
        trinity(
            "Trainer",
            51821,
            f"Step {step}: {{'actor/kl_loss': 0.0011, 'actor/pg_loss': -0.0042, 'actor/grad_norm': "
            f"0.214, 'critic/score/mean': {0.41 + 0.02 * step:.4f}, 'perf/max_memory_reserved_gb': 71.2}}",
            "monitor.py:112",
        )
        trinity("Trainer", 51821, f"Trainer synchronizing weights at step {step} starting..", "trainer.py:128")
        trinity("Explorer", 51820, f"Explorer sync_weights at step {step} started.", "explorer.py:331")
        tick(4)
        trinity("Trainer", 51821, f"Trainer synchronizing weights at step {step} end.", "trainer.py:142")


def trinity_explorer_oom():
    trinity_start()
    tick(8)
    for index, pid in enumerate((52101, 52102)):
        trinity("vLLMRolloutModel", pid, "Using vLLM v1 engine", "vllm_model.py:45")
        tick(1)
        put(f"{CYAN}(vLLMRolloutModel pid={pid}){RESET} INFO {CLOCK[0]:%m-%d %H:%M:%S} [config.py:1472] Using max model len 16384")
    tick(17)
    put(
        f"{CYAN}(vLLMRolloutModel pid=52102){RESET} INFO {CLOCK[0]:%m-%d %H:%M:%S} [core.py:69] Initializing a V1 LLM engine "
        "(v0.9.2) with config: model='/models/Qwen2.5-7B-Instruct', speculative_config=None, "
        "tokenizer='/models/Qwen2.5-7B-Instruct', dtype=torch.bfloat16, max_seq_len=16384, tensor_parallel_size=1, "
        "pipeline_parallel_size=1, enforce_eager=False, enable_prefix_caching=True"
    )
    tick(2)
    put(
        f"{CYAN}(vLLMRolloutModel pid=52102){RESET} INFO {CLOCK[0]:%m-%d %H:%M:%S} [gpu_model_runner.py:1770] Starting to load "
        "model /models/Qwen2.5-7B-Instruct..."
    )
    for shard in range(5):
        put(
            f"{CYAN}(vLLMRolloutModel pid=52102){RESET} \rLoading safetensors checkpoint shards: {shard * 25:3d}% Completed | "
            f"{shard}/4 [00:0{shard}<00:0{4 - shard},  1.03it/s]"
        )
    core = traceback(
        ("vllm092", "vllm/v1/engine/core.py", "engine_core = EngineCoreProc(*args, **kwargs)"),
        ("vllm092", "vllm/v1/engine/core.py", "super().__init__(vllm_config, executor_class, log_stats,"),
        ("vllm092", "vllm/v1/engine/core.py", "self.model_executor = executor_class(vllm_config)"),
        ("vllm092", "vllm/executor/executor_base.py", "self._init_executor()"),
        ("vllm092", "vllm/executor/uniproc_executor.py", 'self.collective_rpc("load_model")'),
        ("vllm092", "vllm/executor/uniproc_executor.py", "answer = run_method(self.driver_worker, method, args, kwargs)"),
        ("vllm092", "vllm/utils/__init__.py", "return func(*args, **kwargs)", 0),
        ("vllm092", "vllm/v1/worker/gpu_worker.py", "self.model_runner.load_model()"),
        ("vllm092", "vllm/v1/worker/gpu_model_runner.py", "self.model = model_loader.load_model("),
        ("vllm092", "vllm/model_executor/model_loader/base_loader.py", "model = initialize_model(vllm_config=vllm_config,"),
        ("vllm092", "vllm/model_executor/model_loader/utils.py", "return model_class(vllm_config=vllm_config, prefix=prefix)"),
        ("vllm092", "vllm/model_executor/models/qwen2.py", "self.model = Qwen2Model(vllm_config=vllm_config,"),
        ("vllm092", "vllm/model_executor/models/qwen2.py", "self.start_layer, self.end_layer, self.layers = make_layers("),
        ("vllm092", "vllm/model_executor/models/utils.py", "maybe_offload_to_cpu(layer_fn("),
        ("vllm092", "vllm/model_executor/models/qwen2.py", "self.mlp = Qwen2MLP("),
        ("vllm092", "vllm/model_executor/models/qwen2.py", "self.gate_up_proj = MergedColumnParallelLinear("),
        ("vllm092", "vllm/model_executor/layers/linear.py", "super().__init__(input_size=input_size,", 0),
        ("vllm092", "vllm/model_executor/layers/linear.py", "self.quant_method.create_weights(", 1),
        ("vllm092", "vllm/model_executor/layers/linear.py", "weight = Parameter(torch.empty(sum(output_partition_sizes),"),
        ("torch", "torch/utils/_device.py", "return func(*args, **kwargs)"),
        error=OOM.format(tried="540.00 MiB", capacity="79.33 GiB", free="193.56 MiB", used="79.13 GiB", allocated="78.42 GiB", reserved="49.71 MiB"),
    )
    tick(3)
    prefix = f"{CYAN}(vLLMRolloutModel pid=52102){RESET} "
    head = f"ERROR {CLOCK[0]:%m-%d %H:%M:%S} [core.py:586] "
    for line in ["EngineCore failed to start."] + core:
        put(prefix + head + line)
    put(prefix + "Process EngineCore_0:")
    error = traceback(
        ("trinity", "trinity/common/models/vllm_model.py", "self.async_llm = vllm.AsyncLLMEngine.from_engine_args(engine_args)"),
        ("vllm092", "vllm/v1/engine/async_llm.py", "return cls(", -1),
        ("vllm092", "vllm/v1/engine/async_llm.py", "self.engine_core = EngineCoreClient.make_async_mp_client("),
        ("vllm092", "vllm/v1/engine/core_client.py", "return AsyncMPClient(*client_args)"),
        ("vllm092", "vllm/v1/engine/core_client.py", "super().__init__(", 1),
        ("vllm092", "vllm/v1/engine/core_client.py", "with launch_core_engines(vllm_config, executor_class,"),
        ("vllm092", "vllm/v1/engine/utils.py", "wait_for_engine_startup("),
        ("vllm092", "vllm/v1/engine/utils.py", 'raise RuntimeError("Engine core initialization failed. "'),
        error="RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {'EngineCore_0': 1}",
    )
    tick(2)
    put(
        "\n".join(
            prefix + line
            for line in [
                f"Exception raised in creation task: The actor died because of an error raised in its creation task, "
                f"{CYAN}ray::vLLMRolloutModel.__init__(){DEFAULT} (pid=52102, ip=10.0.0.21, "
                "actor_id=7d31c84f3fd2aa10d61c5b1e02000000, repr=<trinity.common.models.vllm_model.vLLMRolloutModel object at "
                "0x7ef6c0b3a290>)"
            ]
            + error[1:]
        )
    )
    tick(2)
    put("Traceback (most recent call last):")
    put('  File "/usr/local/bin/trinity", line 8, in <module>\n    sys.exit(main())')
    for item in (("trinity", "trinity/cli/launcher.py", "both(config)"), ("trinity", "trinity/cli/launcher.py", "explorer.prepare.remote(),")):
        put("\n".join(frame(*item)))
    put(
        "ray.exceptions.RayTaskError(ActorDiedError): "
        f"{CYAN}ray::Explorer.prepare(){DEFAULT} (pid=51820, ip=10.0.0.21, "
        "actor_id=1f0e6d7ab92c65c1e0c3a57d02000000, repr=<trinity.explorer.explorer.Explorer object at 0x7f02b8d4f0d0>)"
    )
    put(
        "ray.exceptions.ActorDiedError: The actor died because of an error raised in its creation task, "
        f"{CYAN}ray::vLLMRolloutModel.__init__(){DEFAULT} (pid=52102, ip=10.0.0.21, "
        "actor_id=7d31c84f3fd2aa10d61c5b1e02000000, repr=<trinity.common.models.vllm_model.vLLMRolloutModel object at "
        "0x7ef6c0b3a290>)"
    )
    put("\n".join(error[1:]))


def trinity_trainer_oom():
    trinity_start()
    tick(96)
    trinity("Explorer", 51820, "Finished initializing Explorer.", "explorer.py:78")
    trinity("Explorer", 51820, "Scheduler loop started.", "scheduler.py:196")
    trinity("Explorer", 51820, "Starting Scheduler with 16 runners", "scheduler.py:264")
    trinity("Trainer", 51821, "Training from scratch", "verl_trainer.py:399")
    trinity_steps(3)
    trinity("Explorer", 51820, "Explore step 4 started.", "explorer.py:201")
    tick(48)
    trinity("Trainer", 51821, "Training at step 4 started.", "trainer.py:84")
    tick(5)
    trinity("Trainer", 51821, "Sampling at step 4 done.", "trainer.py:99")
    tick(13)
    remote = (
        ("trinity", "trinity/trainer/verl/fsdp_workers.py", "metrics = self.actor.update_policy(data=data)"),
        ("trinity", "trinity/trainer/verl/dp_actor.py", "loss.backward()"),
        ("torch", "torch/_tensor.py", "torch.autograd.backward("),
        ("torch", "torch/autograd/__init__.py", "_engine_run_backward(", 0),
        ("torch", "torch/autograd/graph.py", "return Variable._execution_engine.run_backward("),
    )
    error = OOM.format(tried="9.28 GiB", capacity="79.33 GiB", free="2.79 GiB", used="76.53 GiB", allocated="64.87 GiB", reserved="9.92 GiB")
    text = traceback(
        ("trinity", "trinity/trainer/trainer.py", "self.train_continue &= await train_task"),
        ("trinity", "trinity/trainer/trainer.py", "continue_run, metrics = self.engine.train_step(batch)"),
        ("trinity", "trinity/trainer/verl_trainer.py", "actor_output = self.actor_rollout_wg.update_actor(batch)"),
        error=f"ray.exceptions.RayTaskError(OutOfMemoryError): {CYAN}ray::WorkerDict.actor_rollout_update_actor(){DEFAULT} "
        "(pid=52310, ip=10.0.0.21, actor_id=c01d35ae8f7b7a55ab9410d702000000, "
        "repr=<verl.single_controller.ray.base.WorkerDict object at 0x7f4d0c7e2b60>)",
    )
    for item in remote:
        text += frame(*item)
    text += error.split("\n")
    trinity("Trainer", 51821, "Error in Trainer:\n" + "\n".join(text), "trainer.py:70", "ERROR")
    tick(2)
    trinity("Trainer", 51821, "--------------------\n> Trainer finished.\n--------------------", "trainer.py:75")
    tick(1)
    head = f"INFO {CLOCK[0]:%m-%d %H:%M:%S} launcher.py:136] "
    put(
        "\r\n".join(
            head + line
            for line in (
                "===========================================================",
                "> Launcher detected that the `Trainer` process has finished.",
                "> Stopping the explorer process immediately.",
                "===========================================================",
            )
        )
    )
    tick(5)
    trinity("Explorer", 51820, "Scheduler stopped", "scheduler.py:285")


if __name__ == "__main__":
    globals()[sys.argv[1].replace("-", "_")]()
    finish()
