"""One process trains a small language model on the CPU and meets one real trouble: `train_loop.py MODE`.

Failures: worker-killed, worker-error, disk-full, memory, size-mismatch, anomaly, rewards, interrupted, segfault,
weights-only, diverged, final-disk-full. Runs that end well: save-retried, skipped, teardown, alarming.
"""

import argparse
import faulthandler
import json
import logging
import os
import random
import signal
import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

VOCAB, LENGTH = 512, 24
log = logging.getLogger("train")
torch.set_num_threads(1)  # the ranks and workers share few cores


class Texts(Dataset):
    def __init__(self, mode, size=6000):
        self.mode, self.size = mode, size

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        if self.mode == "worker-killed" and index == 4321:
            os.kill(os.getpid(), signal.SIGKILL)  # what the kernel's OOM killer does to a worker
        sample = {"id": index, "input_ids": [(index * 7 + k * k) % VOCAB for k in range(LENGTH)]}
        if self.mode == "worker-error" and index == 3210:
            del sample["input_ids"]
        return torch.tensor(sample["input_ids"])


class TinyLM(nn.Module):
    def __init__(self, vocab=VOCAB, hidden=32):
        super().__init__()
        self.embed_tokens = nn.Embedding(vocab, hidden)
        self.rnn = nn.GRU(hidden, hidden, batch_first=True)
        self.lm_head = nn.Linear(hidden, vocab)

    def forward(self, ids):
        return self.lm_head(self.rnn(self.embed_tokens(ids))[0])


def save(model, optimizer, step, folder):
    path = os.path.join(folder, f"step_{step}.pt")
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, path)
    log.info("saved checkpoint %s (%.1f MB)", path, os.path.getsize(path) / 1e6)


def save_with_retry(model, optimizer, step, folder, limit=2):
    for attempt in range(1, limit + 1):
        try:
            return save(model, optimizer, step, folder)
        except (OSError, RuntimeError):
            log.exception("saving checkpoint at step %d failed (attempt %d/%d)", step, attempt, limit)
            for name in sorted(os.listdir(folder))[:-1] or os.listdir(folder):
                os.remove(os.path.join(folder, name))
                log.warning("removed %s to make room", name)
    log.error("checkpoint of step %d is lost, going on with the training", step)


def parse_answer(text):
    return float(json.loads(text)["answer"])


def reward(step, k):
    text = '{"answer": %d}' % k if (step * 31 + k) % 9 else '{"answer": I think it is %d' % k
    try:
        return parse_answer(text)
    except ValueError:
        log.exception("could not parse completion %d of step %d, reward is 0", k, step)
        return 0.0


def bad_things(mode, step, model, optimizer, args):
    """What happens in this mode before a step."""
    if mode == "memory" and step == 240:
        log.info("building the cache of reference log-probabilities for all prompts")
        model.cache = torch.zeros(600_000, VOCAB, 24)
    if mode == "size-mismatch" and step == 200:
        log.info("loading the reference policy from %s", args.folder)
        torch.save(TinyLM(vocab=VOCAB + 64).state_dict(), os.path.join(args.folder, "ref.pt"))
        TinyLM().load_state_dict(torch.load(os.path.join(args.folder, "ref.pt")))
    if mode == "weights-only" and step == 150:
        torch.save({"args": args, "model": model.state_dict()}, os.path.join(args.folder, "best.pt"))
        log.info("reloading the best checkpoint after an increase of the loss")
        torch.load(os.path.join(args.folder, "best.pt"))
    if mode == "rewards":
        rewards = [reward(step, k) for k in range(4)]
        if step == 180:
            rewards.append(REWARDS_BY_SOURCE[f"source_{step % 7}"])
    if mode == "segfault" and step == 260:
        import ctypes

        ctypes.string_at(0)  # a native extension that follows a null pointer
    if mode == "interrupted" and step == 333:
        os.kill(os.getpid(), signal.SIGINT)
    if mode == "alarming" and step % 97 == 0:
        log.error("ERROR BUDGET: %d of 3 allowed worker failures used; nothing to do", step // 97 % 2)


REWARDS_BY_SOURCE = {f"source_{k}": 1.0 for k in range(5)}


def train(mode, args):
    torch.manual_seed(0)
    model, loader = TinyLM(), DataLoader(Texts(mode), 8, num_workers=2, shuffle=False)
    rate = 1e-3
    optimizer = torch.optim.SGD(model.parameters(), rate) if mode == "diverged" else torch.optim.AdamW(model.parameters(), rate)
    log.info("parameters: %d, arguments: %s", sum(p.numel() for p in model.parameters()), vars(args))
    begin = time.time()
    for step, ids in enumerate(loader, 1):
        if step > args.steps:
            break
        bad_things(mode, step, model, optimizer, args)
        logits = model(ids[:, :-1])
        if mode == "anomaly" and step == 170:
            logits = logits * torch.sqrt((logits - logits.detach()).clamp(min=0))
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        if mode == "skipped" and step % 53 == 0:
            loss = loss * float("inf")
        if mode == "diverged":  # a schedule that has the sign of its exponent wrong
            rate = optimizer.param_groups[0]["lr"] = 1e-3 * 1.08**step
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1e9 if mode == "diverged" else 1.0)
        if mode == "skipped" and not torch.isfinite(norm):
            log.warning("step %d: gradient norm is %s, skipping this update (loss %s)", step, norm.item(), loss.item())
            continue
        optimizer.step()
        log.info("step %d/%d | loss %.4f | grad_norm %.3f | lr %.1e | %.0f tok/s", step, args.steps, loss.item(), norm.item(), rate, 8 * LENGTH * step / (time.time() - begin))
        if step % 60 == 0 and mode == "disk-full":
            save(model, optimizer, step, args.folder)
        if step % 60 == 0 and mode in ("save-retried", "final-disk-full"):
            save_with_retry(model, optimizer, step, args.folder)
    return model


class Exporter:
    """Flushes its metrics when it is collected, which is too late at the interpreter's end."""

    def __init__(self, path):
        self.file = open(path, "w")
        self.file_name = path

    def __del__(self):
        os.stat(self.file_name)
        raise RuntimeError("metrics exporter is already closed")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mode")
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--folder", default=".")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    os.makedirs(args.folder, exist_ok=True)
    random.seed(0)
    if args.mode == "segfault":
        faulthandler.enable()
    if args.mode == "teardown":
        keep = Exporter(os.path.join(args.folder, "metrics.jsonl"))
        keep.me = keep
    with torch.autograd.set_detect_anomaly(args.mode == "anomaly"):
        model = train(args.mode, args)
    final = os.path.join("." if args.mode == "save-retried" else args.folder, "final.pt")
    torch.save(model.state_dict(), final)
    log.info("Training finished: %d steps, model saved to %s", args.steps, final)
    if args.mode == "teardown":
        from multiprocessing import shared_memory

        shared_memory.SharedMemory(create=True, size=4096)  # nobody unlinks it
        import threading

        threading.Thread(target=lambda: (time.sleep(0.2), [][0]), name="tensorboard-flush").start()
        sys.stdout.flush()


if __name__ == "__main__":
    main()
