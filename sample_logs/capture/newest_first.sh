#!/bin/bash
# elastic_loop.py MODE, and its lines in the order in which log viewers export them: the newest first.
torchrun --nproc-per-node="$2" --max-restarts=2 elastic_loop.py "$1" 2>&1 | tac
