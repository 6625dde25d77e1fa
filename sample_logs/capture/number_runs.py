"""Runs that die without an error, and the same runs in good health: `number_runs.py MODE FOLDER`.

TRL's GRPO and SFT trainers, Lightning, and a loop of policy gradients that prints in verl's form, on
the CPU with tiny models of random weights. FOLDER gets what trackers keep (TensorBoard's events,
trainer_state.json, metrics.csv); the console is what is printed.

Packages (python 3.11): torch==2.13.0 (CPU build), transformers==5.23.0, trl==1.16.0, accelerate==1.15.0,
datasets==5.2.0, tokenizers==0.23.3, lightning==2.6.6, tensorboard==2.21.0
Run:
    python number_runs.py grpo-constant-reward out > out/console.log 2>&1
"""

import os
import random
import sys
from pathlib import Path

import torch

WORDS = "the cat sat on a mat and saw one red bird fly over two green hills".split()


def tiny(folder):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tok.decoder = decoders.ByteLevel()
    special = ["<pad>", "<eos>"]
    tok.train_from_iterator([" ".join(WORDS)] * 20, trainers.BpeTrainer(vocab_size=300, special_tokens=special, show_progress=False))
    tok = PreTrainedTokenizerFast(tokenizer_object=tok, pad_token="<pad>", eos_token="<eos>", padding_side="left")
    sizes = dict(hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2)
    config = Qwen2Config(
        vocab_size=len(tok), max_position_embeddings=256, pad_token_id=tok.pad_token_id, eos_token_id=tok.eos_token_id, bos_token_id=None, **sizes
    )
    path = folder / "model"
    Qwen2ForCausalLM(config).save_pretrained(path)
    tok.save_pretrained(path)
    return str(path), tok


def grpo(fault, folder):
    import datasets
    from trl import GRPOConfig, GRPOTrainer

    path, tok = tiny(folder)

    def vowels(completions, **_):
        return [sum(c.lower().count(v) for v in "aeiou") / max(8, len(c)) for c in completions]

    def constant(completions, **_):
        return [1.0] * len(completions)

    def long(completion_ids, **_):
        return [len(ids) / 24 for ids in completion_ids]

    reward = {"constant-reward": constant, "length-pays": long}.get(fault, vowels)
    data = datasets.Dataset.from_list([{"prompt": " ".join(random.sample(WORDS, 4))} for _ in range(64)])
    args = GRPOConfig(
        output_dir=str(folder / "out"), use_cpu=True, bf16=False, per_device_train_batch_size=16,
        num_generations=8, max_completion_length=24, logging_steps=1, max_steps=100, save_steps=100, report_to=["tensorboard"],
        learning_rate=100.0 if fault == "lr-100" else 1e-3, beta=0.01, disable_tqdm=True,
    )
    GRPOTrainer(model=path, reward_funcs=reward, args=args, train_dataset=data, processing_class=tok).train()


def sft(fault, folder):
    import datasets
    from trl import SFTConfig, SFTTrainer

    path, tok = tiny(folder)
    data = datasets.Dataset.from_list([{"text": " ".join(random.choices(WORDS, k=24))} for _ in range(400)])
    args = SFTConfig(
        output_dir=str(folder / "out"), use_cpu=True, bf16=False, per_device_train_batch_size=4,
        logging_steps=1, max_steps=150, save_steps=150, report_to=["tensorboard"], learning_rate=100.0 if fault == "lr-100" else 2e-3,
        max_length=64, disable_tqdm=True,
    )
    SFTTrainer(model=path, args=args, train_dataset=data, processing_class=tok).train()


def lightning(fault, folder):
    import lightning as L
    from lightning.pytorch.loggers import CSVLogger
    from torch.utils.data import DataLoader, TensorDataset

    class Regression(L.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))

        def training_step(self, batch, _):
            x, y = batch
            loss = torch.nn.functional.mse_loss(self.net(x)[:, 0], y)
            self.log("train_loss", loss, prog_bar=True)
            return loss

        def on_before_optimizer_step(self, _):
            norms = [p.grad.norm() for p in self.parameters() if p.grad is not None]
            self.log("grad_norm", torch.stack(norms).norm())

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=100.0 if fault == "lr-100" else 0.05)

    x = torch.randn(2000, 8)
    data = TensorDataset(x, x[:, 0] * 2 - x[:, 1] + 0.1 * torch.randn(2000))
    trainer = L.Trainer(
        max_epochs=3, logger=CSVLogger(str(folder), name="csv"), log_every_n_steps=1, accelerator="cpu", enable_checkpointing=False, enable_model_summary=False
    )
    trainer.fit(Regression(), DataLoader(data, batch_size=20, shuffle=True))


def loop(fault, folder):
    """PPO on a policy that picks one of 50 tokens in 8 states; each has its own reward."""
    states, tokens, batch = 8, 50, 256
    policy = torch.nn.Sequential(torch.nn.Embedding(states, 32), torch.nn.Linear(32, tokens))
    worth = torch.rand(states, tokens)
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.3 if fault == "lr-high" else 3e-3)
    for step in range(1, 201):
        state = torch.randint(states, (batch,))
        with torch.no_grad():
            old = torch.distributions.Categorical(logits=policy(state))
            token = old.sample()
            before = old.log_prob(token)
            if fault == "old-logprobs" and step > 80:
                before = before.roll(1)  # those of other samples
        reward = worth[state, token] + 0.05 * torch.randn(batch)
        advantage = (reward - reward.mean()) / (reward.std() + 1e-6)
        if fault == "advantage" and step > 60:
            advantage = -advantage
        for _ in range(2):
            now = torch.distributions.Categorical(logits=policy(state))
            ratio = (now.log_prob(token) - before).exp()
            clipped = ratio.clamp(0.8, 1.2)
            loss = -torch.min(ratio * advantage, clipped * advantage).mean()
            entropy = now.entropy().mean()
            optimizer.zero_grad()
            (loss - 0.001 * entropy).backward()
            norm = torch.nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
            optimizer.step()
        kl = (before - now.log_prob(token)).mean()
        outside = ((ratio - 1).abs() > 0.2).float().mean()
        told = {
            "actor/entropy": entropy, "actor/pg_loss": loss, "actor/ppo_kl": kl, "actor/pg_clipfrac": outside, "actor/grad_norm": norm,
            "critic/rewards/mean": reward.mean(), "critic/advantages/max": advantage.max(), "critic/advantages/min": advantage.min(),
        }
        print(f"step:{step} - " + " - ".join(f"{name}:{float(value):.6g}" for name, value in told.items()), flush=True)


def main():
    mode, folder = sys.argv[1], Path(sys.argv[2])
    program, _, fault = mode.partition("-")
    torch.manual_seed(0)
    random.seed(0)
    torch.set_num_threads(1)
    os.environ["TENSORBOARD_LOGGING_DIR"] = str(folder / "tensorboard")
    {"grpo": grpo, "sft": sft, "lightning": lightning, "loop": loop}[program](fault, folder)


if __name__ == "__main__":
    main()
