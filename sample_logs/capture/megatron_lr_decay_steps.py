"""Megatron-core's OptimizerParamScheduler with lr_decay_steps == 0, under torchrun.

The data set here is smaller than one global batch, so the number of training
iterations, and with it lr_decay_steps, comes out as 0.
"""

import datetime
import os

import torch
import torch.distributed as dist
from megatron.core import parallel_state
from megatron.core.models.gpt.gpt_layer_specs import get_gpt_layer_local_spec
from megatron.core.models.gpt.gpt_model import GPTModel
from megatron.core.optimizer_param_scheduler import OptimizerParamScheduler
from megatron.core.tensor_parallel.random import initialize_rng_tracker
from megatron.core.transformer.transformer_config import TransformerConfig


def print_rank_0(message):
    if dist.get_rank() == 0:
        print(message, flush=True)


def print_datetime(string):
    dist.barrier()
    now = datetime.datetime.now().strftime("%Y-%m-%d %H:%M:%S")
    print_rank_0(f"[{string}] datetime: {now} ")


def build_model():
    config = TransformerConfig(
        num_layers=2,
        hidden_size=64,
        num_attention_heads=4,
        use_cpu_initialization=True,
        gradient_accumulation_fusion=False,
    )
    model = GPTModel(
        config=config,
        transformer_layer_spec=get_gpt_layer_local_spec(),
        vocab_size=1024,
        max_sequence_length=128,
    )
    if parallel_state.get_data_parallel_rank() == 0:
        count = sum(p.nelement() for p in model.parameters())
        print(
            " > number of parameters on (tensor, pipeline) model parallel rank "
            f"({parallel_state.get_tensor_model_parallel_rank()}, "
            f"{parallel_state.get_pipeline_model_parallel_rank()}): {count}",
            flush=True,
        )
    return model


def get_optimizer_param_scheduler(optimizer, lr_decay_steps):
    return OptimizerParamScheduler(
        optimizer,
        init_lr=0.0,
        max_lr=1e-6,
        min_lr=0.0,
        lr_warmup_steps=0,
        lr_decay_steps=lr_decay_steps,
        lr_decay_style="constant",
        start_wd=0.0,
        end_wd=0.0,
        wd_incr_steps=lr_decay_steps,
        wd_incr_style="constant",
    )


def main():
    dist.init_process_group("gloo")
    parallel_state.initialize_model_parallel(create_gloo_process_groups=True)
    print_rank_0(
        f"using world size: {dist.get_world_size()}, data-parallel size: "
        f"{parallel_state.get_data_parallel_world_size()}, tensor-model-parallel size: 1, "
        "pipeline-model-parallel size: 1 "
    )
    print_rank_0(f"> initialized tensor model parallel with size {parallel_state.get_tensor_model_parallel_world_size()}")
    torch.manual_seed(1234)
    print_datetime("after megatron is initialized")

    train_samples = int(os.environ.get("TRAIN_SAMPLES", "24"))
    global_batch_size = int(os.environ.get("GLOBAL_BATCH_SIZE", "64"))
    train_iters = train_samples // global_batch_size
    print_rank_0(f"setting training iterations to {train_iters}")

    model = build_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6)
    lr_decay_steps = train_iters * global_batch_size
    get_optimizer_param_scheduler(optimizer, lr_decay_steps)
    print_datetime("after model, optimizer, and learning rate scheduler are built")


main()
