"""trl's SFTTrainer with a tiny model and a tokenizer trained on the spot."""
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import SFTConfig, SFTTrainer

texts = [f"the answer to question {i} is {i * 7 % 13} because {i} times seven leaves that much" for i in range(800)]
raw = Tokenizer(models.WordLevel(unk_token="<unk>")); raw.pre_tokenizer = pre_tokenizers.Whitespace()
raw.train_from_iterator(texts, trainers.WordLevelTrainer(special_tokens=["<unk>", "<pad>", "<eos>"]))
tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, unk_token="<unk>", pad_token="<pad>", eos_token="<eos>")
model = LlamaForCausalLM(LlamaConfig(vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2, max_position_embeddings=128))
config = SFTConfig(output_dir="out", max_steps=300, logging_steps=1, per_device_train_batch_size=4, max_length=64, report_to=[], use_cpu=True, bf16=False, packing=False, save_steps=100, eval_strategy="steps", eval_steps=50)
trainer = SFTTrainer(model=model, args=config, train_dataset=Dataset.from_dict({"text": texts}), eval_dataset=Dataset.from_dict({"text": texts[:40]}), processing_class=tokenizer)
print(trainer.train())
