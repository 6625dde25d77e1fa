#!/bin/bash
#SBATCH --job-name=grpo --nodes=1 --ntasks=1
if [ "$1" = batch ]; then
    torchrun --nproc-per-node 2 slurm_training.py "${@:2}"
else
    srun torchrun --nproc-per-node 2 slurm_training.py "${@:2}"
fi
