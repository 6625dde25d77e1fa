#!/bin/bash
# Two runs of train_loop.py whose output is appended to the same file, as by nohup python … >> train.log.
for mode in "$@"; do
    nohup python train_loop.py "$mode" --steps 500
done
