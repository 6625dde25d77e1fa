#!/bin/bash
# torchrun is told to end in the middle of a training, as on a preempted machine.
torchrun --nproc-per-node=2 --max-restarts=1 elastic_loop.py plain 600 &
job=$!
sleep 25
kill -TERM "$job"
wait "$job"
