#!/bin/bash
# elastic_loop.py MODE with one file for each rank, as torchrun writes them, and the launcher's own output: a folder.
torchrun --nproc-per-node="$2" --max-restarts=1 --redirects=3 --log-dir=files elastic_loop.py "$1"
