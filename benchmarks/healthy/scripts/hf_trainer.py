"""transformers.Trainer with a tiny model made from a configuration."""
import logging, sys
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 600
logging.basicConfig(level=logging.INFO)

class Data(Dataset):
    def __len__(self): return 512
    def __getitem__(self, i):
        ids = torch.randint(0, 200, (24,))
        return {"input_ids": ids, "attention_mask": torch.ones(24, dtype=torch.long), "labels": ids if causal else torch.tensor(i % 3)}

for causal in (False, True):
    if causal:
        model = GPT2LMHeadModel(GPT2Config(vocab_size=200, n_embd=32, n_layer=2, n_head=2, n_positions=64))
    else:
        model = BertForSequenceClassification(BertConfig(vocab_size=200, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, num_labels=3))
    arguments = TrainingArguments(output_dir="out", max_steps=steps, logging_steps=1, eval_strategy="steps", eval_steps=100, save_steps=200, save_total_limit=2,
        per_device_train_batch_size=8, gradient_accumulation_steps=2, warmup_steps=50, lr_scheduler_type="cosine", report_to=[], use_cpu=True, log_level="info", gradient_checkpointing=causal)
    trainer = Trainer(model=model, args=arguments, train_dataset=Data(), eval_dataset=Data())
    trainer.train(); print(trainer.evaluate()); trainer.save_model("out/final")
