#!/bin/bash
# A job script as users write them: looks around, prepares, and stops at the first command that fails.
set -euo pipefail
echo "=== job ${JOB_NAME:-tiny-sft} on $(uname -n) at $(date '+%F %T') ==="
nvidia-smi --query-gpu=name --format=csv || echo "no GPU here, training on the CPU"
python -m pip list 2> /dev/null | head -60
rm checkpoints/old 2>&1 || true
for shard in 0 1 2 3 4 5 6 7; do
    echo "preparing shard $shard"
    head -c 3000 /dev/urandom | base64 | sha256sum
done
MODE=$1
if [ "$MODE" = copy ]; then
    cp /mnt/shared/tokenizer/tokenizer.json work/tokenizer.json
elif [ "$MODE" = argument ]; then
    python train_loop.py alarming --steps 40 --micro-batchsize 4
fi
python train_loop.py alarming --steps 150 --folder work
echo "=== job ended at $(date '+%F %T') ==="
