"""Healthy log: an RL run on code tasks that prints what its model writes: tracebacks, errors, asserts, stories of failed runs.

A tiny GPT-2 of random weights first learns (supervised) a handful of texts by heart: programs, tracebacks which this script got
by running broken programs, and prose on out-of-memory errors. Then it samples from the model, runs what looks like a program in a
subprocess, prints completion, program output and reward, and takes policy-gradient steps. So every printed completion is
really sampled from a model, with a model's mistakes, and every program output is a real one.

Packages (python 3.11): torch==2.13.0 (CPU build), transformers==5.23.0, tokenizers==0.23.3, numpy==2.4.6
Run:
    python healthy_model_output.py > model-output-tracebacks.log 2>&1
"""

import random
import subprocess
import sys
import textwrap
import time

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import GPT2Config, GPT2LMHeadModel

PROGRAMS = {
    "Write a learning rate scheduler.": """
        class OptimizerParamScheduler:
            def __init__(self, lr_warmup_steps, lr_decay_steps):
                self.lr_warmup_steps = lr_warmup_steps
                self.lr_decay_steps = lr_decay_steps
                assert self.lr_decay_steps > 0
                assert self.lr_warmup_steps < self.lr_decay_steps

        OptimizerParamScheduler(10, 0)
        """,
    "Divide two numbers.": """
        def divide(a, b):
            if b == 0:
                raise ZeroDivisionError("division by zero")
            return a / b

        print(divide(1, 2))
        print(divide(1, 0))
        """,
    "Parse a number safely.": """
        def parse(s):
            try:
                return int(s)
            except ValueError as e:
                print("Error: invalid number:", e)
                return None

        print(parse("12"), parse("twelve"))
        """,
    "Look up the node of a rank.": """
        node2pg = {0: "pg0", 1: "pg1"}

        def get(node_rank):
            return node2pg[node_rank]

        print(get(0), get(2))
        """,
    "Check the batch size.": """
        def chunk(batch_size, chunks):
            assert batch_size >= chunks, f"batch_size {batch_size} < chunks {chunks}"
            return batch_size // chunks

        print(chunk(64, 8))
        print(chunk(32, 64))
        """,
    "Allocate a big tensor.": """
        class OutOfMemoryError(RuntimeError):
            pass

        def allocate(gib):
            if gib > 80:
                raise OutOfMemoryError("CUDA out of memory. Tried to allocate %.2f GiB" % gib)
            return gib

        print(allocate(8))
        print(allocate(96))
        """,
}
PROSE = {
    "Tell me about out of memory errors.": "Last night the job died again. The log said RuntimeError: CUDA out of memory. Tried to allocate 2.50 GiB (GPU 0; 79.15 GiB "
    "total capacity). We lowered the micro batch size from 8 to 4, and the error went away. Then rank 3 was killed by the OOM killer.",
    "Why does NCCL time out?": "Error: a collective times out when one rank never joins it. You will see Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=42, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600012 milliseconds before timing out. Look at the rank that is missing.",
    "What does a failed run look like?": "FATAL: the worker crashed.\nERROR: ray.exceptions.RayActorError: The actor died unexpectedly before finishing this task.\n"
    "Segmentation fault (core dumped)\nThat is what a failed run looks like. Exit code 139.",
}


def run(code):
    try:
        p = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=10)
    except subprocess.TimeoutExpired as e:
        return 124, f"Error: {e}"
    return p.returncode, p.stdout + p.stderr


def main():
    torch.manual_seed(0)
    random.seed(0)
    torch.set_num_threads(1)
    corpus = {}
    for prompt, code in PROGRAMS.items():
        code = textwrap.dedent(code).strip()
        corpus[prompt] = f"```python\n{code}\n```"
        rc, out = run(code)
        corpus["What is printed by: " + prompt] = f"It ends with exit code {rc}:\n{out.strip()}"
    corpus.update(PROSE)

    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tok.decoder = decoders.ByteLevel()
    tok.train_from_iterator(
        [k + v for k, v in corpus.items()],
        trainers.BpeTrainer(
            vocab_size=700, special_tokens=["<pad>", "<end>", "<sep>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
        ),
    )
    pad, end, sep = 0, 1, 2
    seqs = [tok.encode(k).ids + [sep] + tok.encode(v).ids + [end] for k, v in corpus.items()]
    length = max(map(len, seqs))
    print(f"corpus: {len(seqs)} texts, longest {length} tokens", flush=True)
    batch = torch.tensor([s + [pad] * (length - len(s)) for s in seqs])
    model = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=tok.get_vocab_size(),
            n_positions=length + 8,
            n_embd=128,
            n_layer=3,
            n_head=4,
            bos_token_id=sep,
            eos_token_id=end,
            pad_token_id=pad,
            resid_pdrop=0,
            embd_pdrop=0,
            attn_pdrop=0,
        )
    )
    opt = torch.optim.AdamW(model.parameters(), 2e-3)
    labels = batch.masked_fill(batch == pad, -100)
    for step in range(1, 201):
        loss = model(batch, attention_mask=(batch != pad).long(), labels=labels).loss
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        if step % 20 == 0:
            print(f"[sft] step {step}/200 loss {loss.item():.4f}", flush=True)

    for g in opt.param_groups:
        g["lr"] = 1e-5
    prompts = list(corpus)
    for step in range(1, 41):
        t = time.time()
        prompt = prompts[(step - 1) % len(prompts)]
        ids = torch.tensor([tok.encode(prompt).ids + [sep]])
        with torch.no_grad():
            outs = model.generate(
                ids.repeat(2, 1),
                attention_mask=torch.ones(2, ids.shape[1], dtype=torch.long),
                do_sample=True,
                temperature=2.0 if step % 3 == 0 else 1.2,
                max_length=length,
                pad_token_id=pad,
            )
        rewards = []
        for n, o in enumerate(outs):
            text = tok.decode(o[ids.shape[1] :].tolist())
            print(f"----- step {step} sample {n} -----\n[prompt] {prompt}\n[completion]\n{text}")
            reward = 0.1
            if text.startswith("```python\n"):
                rc, out = run(text[10:].split("```")[0])
                print(f"[sandbox] exit code {rc}\n{out.rstrip()}")
                reward = 1.0 if rc == 0 else -1.0
            elif "Error" in text:
                reward = -0.2
            rewards.append(reward)
            print(f"[reward] {reward:.2f}", flush=True)
        adv = torch.tensor(rewards) - sum(rewards) / 2
        logits = model(outs).logits[:, :-1].log_softmax(-1)
        mask = (outs[:, 1:] != pad).float()
        mask[:, : ids.shape[1] - 1] = 0
        logp = (logits.gather(-1, outs[:, 1:, None])[..., 0] * mask).sum(1) / mask.sum(1)
        loss = -(adv * logp).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(
            f"step:{step} - actor/pg_loss:{loss.item():.4f} - critic/rewards/mean:{sum(rewards) / 2:.3f} - critic/rewards/min:{min(rewards):.1f}"
            f" - response_length/mean:{mask.sum(1).mean().item():.1f} - timing_s/step:{time.time() - t:.2f}",
            flush=True,
        )
    print("Training finished: 40/40 steps")


if __name__ == "__main__":
    main()
