"""Healthy log: TRL's GRPO on the CPU with a tiny model of random weights, completions printed.

Packages (python 3.11): torch==2.13.0 (CPU build), transformers==5.23.0, trl==1.16.0, accelerate==1.15.0,
datasets==5.2.0, tokenizers==0.23.3, rich==15.0.0
Run:
    python healthy_trl_grpo.py > trl-grpo.log 2>&1
"""

import tempfile

import datasets
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
from trl import GRPOConfig, GRPOTrainer

PROMPTS = [
    "Why does this program raise an error?",
    "Fix the bug: x = 1 / 0",
    "What is a segmentation fault?",
    "Explain CUDA out of memory.",
    "def crash(): raise RuntimeError",
    "The job was killed. What now?",
    "Traceback (most recent call last):",
    "List three fatal mistakes.",
    "assert failed, help",
    "Why is the loss nan?",
]


def main():
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tok.decoder = decoders.ByteLevel()
    words = PROMPTS + ["error Error failed fatal exception abort killed OOM timeout nan inf warning Traceback assert"] * 20
    tok.train_from_iterator(words, trainers.BpeTrainer(vocab_size=320, special_tokens=["<pad>", "<eos>"], show_progress=False))
    tok = PreTrainedTokenizerFast(tokenizer_object=tok, pad_token="<pad>", eos_token="<eos>", padding_side="left")
    model = Qwen2ForCausalLM(
        Qwen2Config(
            vocab_size=len(tok),
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=256,
            pad_token_id=tok.pad_token_id,
            eos_token_id=tok.eos_token_id,
            bos_token_id=None,
        )
    )
    path = tempfile.mkdtemp(prefix="tiny-grpo-")
    model.save_pretrained(path)
    tok.save_pretrained(path)

    def contains_error(completions, **kw):
        return [c.lower().count("err") + c.lower().count("fail") for c in completions]

    def short(completions, **kw):
        return [-len(c) / 100 for c in completions]

    data = datasets.Dataset.from_list([{"prompt": p} for p in PROMPTS * 4])
    args = GRPOConfig(
        output_dir=path + "/out",
        use_cpu=True,
        bf16=False,
        per_device_train_batch_size=8,
        num_generations=4,
        max_completion_length=24,
        logging_steps=2,
        max_steps=30,
        save_steps=10,
        log_completions=True,
        num_completions_to_print=3,
        report_to=[],
        learning_rate=1e-3,
        beta=0.01,
        mask_truncated_completions=False,
    )
    trainer = GRPOTrainer(model=path, reward_funcs=[contains_error, short], args=args, train_dataset=data, processing_class=tok)
    trainer.train()
    trainer.save_model(path + "/final")
    print("Training completed. Model saved to", path + "/final")


if __name__ == "__main__":
    main()
