"""Trainers of the Hugging Face stack with tiny models built from a configuration: `hf_training.py MODE`.

Failures: out-of-vocabulary, no-checkpoint, loss-nan, grpo-batch, grpo-reward, sft-no-text, deepspeed-batch,
lightning-disk, lightning-error, accelerate-dtype. Runs that end well: sft, wandb-offline,
accelerate-skipped, reward-errors.
"""

import logging
import os
import sys

import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast, Trainer, TrainingArguments

MODE, FOLDER = sys.argv[1], os.environ.get("WORK_FOLDER", ".")
logging.basicConfig(level=logging.INFO, format="%(asctime)s - %(levelname)s - %(name)s - %(message)s")
log = logging.getLogger("run")
torch.set_num_threads(1)


def tokenizer():
    words = {"<pad>": 0, "<eos>": 1, "<unk>": 2} | {f"w{k}": k for k in range(3, 300)}
    made = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>")


def model(vocabulary=300):
    torch.manual_seed(0)
    return GPT2LMHeadModel(GPT2Config(vocab_size=vocabulary, n_embd=32, n_layer=2, n_head=2, n_positions=64, pad_token_id=0, eos_token_id=1, bos_token_id=1))


def rows(column="text", count=800):
    return Dataset.from_dict({column: [" ".join(f"w{3 + (k * j) % 290}" for j in range(1, 13)) for k in range(count)]})


def trainer(vocabulary=300, **more):
    made = tokenizer()
    data = rows().map(lambda row: {"input_ids": (ids := made(row["text"])["input_ids"]), "labels": ids}, remove_columns="text")
    settings = {"output_dir": FOLDER, "per_device_train_batch_size": 4, "max_steps": 200, "logging_steps": 1, "save_steps": 100, "report_to": "none", "use_cpu": True, "disable_tqdm": True}
    return Trainer(model(vocabulary), TrainingArguments(**settings | more), train_dataset=data)


def grpo(reward, **more):
    from trl import GRPOConfig, GRPOTrainer

    settings = {"output_dir": FOLDER, "per_device_train_batch_size": 4, "num_generations": 4, "max_completion_length": 8, "max_steps": 40, "logging_steps": 1, "report_to": "none", "use_cpu": True, "bf16": False, "disable_tqdm": True}
    return GRPOTrainer(model(), reward, args=GRPOConfig(**settings | more), train_dataset=rows("prompt"), processing_class=tokenizer())


CALLS = 0


def judged(completions, **_):
    """A reward that fails on some answers; the failures are logged and count as 0, but not the last one."""
    global CALLS
    CALLS += 1
    values = []
    for text in completions:
        try:
            values.append(1 / (sum(map(len, text.split())) % 7 - 3))
        except ZeroDivisionError:
            log.exception("judge failed on %r", text)
            values.append(0.0)
    return values if MODE == "reward-errors" or CALLS < 24 else values[:-1]


def sft(data, **more):
    from trl import SFTConfig, SFTTrainer

    settings = {"output_dir": FOLDER, "per_device_train_batch_size": 4, "max_steps": 150, "logging_steps": 1, "report_to": "none", "use_cpu": True, "bf16": False, "disable_tqdm": True}
    return SFTTrainer(model(), args=SFTConfig(**settings | more), train_dataset=data, processing_class=tokenizer())


def lightning():
    import lightning as L

    class Module(L.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(32, 4)

        def training_step(self, batch, index):
            if MODE == "lightning-error" and self.global_step == 40:
                batch = batch[:, :30]
            return torch.nn.functional.mse_loss(self.layer(batch), torch.zeros(len(batch), 4))

        def on_train_batch_end(self, outputs, batch, index):
            log.info("global_step %d train_loss %.5f", self.global_step, outputs["loss"].item())

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.01)

    loader = torch.utils.data.DataLoader(torch.randn(256, 32), 4)
    L.Trainer(max_epochs=3, accelerator="cpu", default_root_dir=FOLDER, logger=False, enable_progress_bar=False).fit(Module(), loader)


def deepspeed_batch():
    import deepspeed

    deepspeed.init_distributed("gloo")
    settings = {"train_batch_size": 32, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2, "zero_optimization": {"stage": 1}, "optimizer": {"type": "Adam", "params": {"lr": 1e-3, "torch_adam": True}}}
    deepspeed.initialize(model=model(), config=settings)


def accelerate_loop():
    from accelerate import Accelerator

    accelerator = Accelerator(cpu=True)
    data = torch.randn(2048, 32)

    network = torch.nn.Linear(32, 4)
    optimizer = torch.optim.AdamW(network.parameters(), 1e-2)
    network, optimizer, loader = accelerator.prepare(network, optimizer, torch.utils.data.DataLoader(data, 16))
    for step, batch in enumerate(loader, 1):
        if MODE == "accelerate-dtype" and accelerator.is_last_process and step == 50:
            batch = batch.double()
        loss = network(batch).pow(2).mean()
        if MODE == "accelerate-skipped" and step % 9 == 0:
            loss = loss / 0
        accelerator.backward(loss)
        norm = accelerator.clip_grad_norm_(network.parameters(), 1.0)
        if not torch.isfinite(norm):
            log.error("rank %d: gradient norm is not finite (%s) at step %d, the update is left out", accelerator.process_index, norm.item(), step)
        else:
            optimizer.step()
        optimizer.zero_grad()
        log.info("rank %d step %d loss %.4f", accelerator.process_index, step, loss.item())
    accelerator.end_training()
    log.info("training done")


def wandb_offline():
    import wandb

    run = wandb.init(project="tiny", mode="offline", dir=FOLDER)
    done = trainer(report_to="wandb", logging_steps=5).train()
    log.info("final: %s", done.metrics)
    run.finish()


if __name__ == "__main__":
    if MODE == "out-of-vocabulary":
        trainer(vocabulary=290).train()
    elif MODE == "no-checkpoint":
        trainer().train(resume_from_checkpoint=True)
    elif MODE == "loss-nan":
        print(trainer(learning_rate=1e30, lr_scheduler_type="constant", max_grad_norm=0.0, optim="sgd", max_steps=150).train())
    elif MODE == "grpo-batch":
        grpo(judged, num_generations=8, per_device_train_batch_size=6).train()
    elif MODE in ("grpo-reward", "reward-errors"):
        grpo(judged).train()
        log.info("training done")
    elif MODE == "sft-no-text":
        sft(rows("content")).train()
    elif MODE == "sft":
        sft(rows()).train()
        log.info("training done")
    elif MODE.startswith("lightning"):
        lightning()
    elif MODE == "deepspeed-batch":
        deepspeed_batch()
    elif MODE == "wandb-offline":
        wandb_offline()
    else:
        accelerate_loop()
