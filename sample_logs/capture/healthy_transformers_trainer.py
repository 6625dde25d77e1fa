"""Healthy log: transformers' Trainer with evaluations, checkpoints, newly initialised weights and progress bars.

Packages (python 3.11): torch==2.13.0 (CPU build), transformers==5.23.0, accelerate==1.15.0, datasets==5.2.0, tokenizers==0.23.3
Run:
    python healthy_transformers_trainer.py > transformers-trainer.log 2>&1
"""

import random
import tempfile
import warnings

import datasets
import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForSequenceClassification,
    DataCollatorWithPadding,
    PreTrainedTokenizerFast,
    EarlyStoppingCallback,
    Trainer,
    TrainingArguments,
)
from transformers.utils import logging

BAD = ["the run failed with an error", "fatal exception in worker", "process was killed", "loss became nan", "out of memory on rank 3"]
GOOD = ["the run went well", "all workers are happy", "process ended normally", "loss went down", "plenty of memory on rank 3"]


def main():
    logging.set_verbosity_info()
    warnings.simplefilter("default")
    rng = random.Random(0)
    rows = []
    for _ in range(1200):
        y = rng.randrange(2)
        rows.append({"text": " ".join(rng.sample(BAD if y else GOOD, 2)), "label": y})
    tok = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    tok.train_from_iterator(
        (r["text"] for r in rows), trainers.WordLevelTrainer(special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"], show_progress=False)
    )
    tok = PreTrainedTokenizerFast(
        tokenizer_object=tok, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]", model_max_length=16
    )
    path = tempfile.mkdtemp(prefix="tiny-bert-")
    cfg = BertConfig(
        vocab_size=len(tok), hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, max_position_embeddings=64
    )
    BertForMaskedLM(cfg).save_pretrained(path)
    tok.save_pretrained(path)

    model = BertForSequenceClassification.from_pretrained(path, num_labels=2)
    print(tok("the run failed " * 12)["input_ids"][:5])  # longer than the maximum: a warning
    data = datasets.Dataset.from_list(rows).map(lambda b: tok(b["text"], truncation=True), batched=True).train_test_split(0.2, seed=0)
    args = TrainingArguments(
        path + "/out",
        num_train_epochs=3,
        per_device_train_batch_size=16,
        per_device_eval_batch_size=64,
        logging_steps=10,
        eval_strategy="steps",
        eval_steps=60,
        save_steps=60,
        save_total_limit=2,
        load_best_model_at_end=True,
        metric_for_best_model="error_rate",
        greater_is_better=False,
        learning_rate=2e-3,
        report_to=[],
        use_cpu=True,
        dataloader_num_workers=2,
        dataloader_pin_memory=True,
    )

    def metrics(p):
        wrong = np.argmax(p.predictions, -1) != p.label_ids
        return {"error_rate": float(wrong.mean()), "failures": int(wrong.sum())}

    trainer = Trainer(
        model=model,
        args=args,
        train_dataset=data["train"],
        eval_dataset=data["test"],
        processing_class=tok,
        data_collator=DataCollatorWithPadding(tok),
        compute_metrics=metrics,
        callbacks=[EarlyStoppingCallback(10)],
    )
    trainer.train()
    print(trainer.evaluate())
    trainer.save_model(path + "/final")


if __name__ == "__main__":
    main()
