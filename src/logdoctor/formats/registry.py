"""All frameworks and programs whose output is known, in order: FORMATS.

A new one is a file in `frameworks` and its line here.
"""

from logdoctor.formats.frameworks import (
    areal,
    axolotl,
    chatlearn,
    deepspeed,
    hydra,
    kubernetes,
    lightning,
    llamafactory,
    megatron,
    nemo_rl,
    openrlhf,
    prime_rl,
    ray,
    rllm,
    roll,
    sglang,
    skyrl,
    slime,
    slurm,
    swift,
    torch,
    transformers,
    trinity,
    trl,
    unsloth,
    verl,
    vllm,
    wandb,
)

APPLICATIONS = (
    roll.FORMAT,
    chatlearn.FORMAT,
    areal.FORMAT,
    trinity.FORMAT,
    rllm.FORMAT,
    verl.FORMAT,
    openrlhf.FORMAT,
    slime.FORMAT,
    nemo_rl.FORMAT,
    prime_rl.FORMAT,
    skyrl.FORMAT,
    llamafactory.FORMAT,
    swift.FORMAT,
    unsloth.FORMAT,
    axolotl.FORMAT,
    trl.FORMAT,
)
"""What a user calls the run, outermost first: some are built on later ones. Where rows of two fit
one text, the earlier counts; so one that takes another's lines over stands before it.
"""

FOUNDATIONS = frozenset({"verl", "trl"})
"""Those of them that others are built on, whose logs tell of both."""

PARTS = (
    megatron.FORMAT,
    deepspeed.FORMAT,
    vllm.FORMAT,
    sglang.FORMAT,
    ray.FORMAT,
)
"""Frameworks that they are built on."""

PROGRAMS = (
    kubernetes.FORMAT,
    slurm.FORMAT,
    torch.FORMAT,
    lightning.FORMAT,
    transformers.FORMAT,
    hydra.FORMAT,
    wandb.FORMAT,
)
"""What else runs beside or below them: known by what it prints, and not named as a framework."""

FORMATS = (*APPLICATIONS, *PARTS, *PROGRAMS)
