#!/bin/bash
# torchrun is given a port that another program listens on.
echo "master port 29577, $(date '+%F %T')"
python -c 'import socket, time; s = socket.socket(); s.bind(("0.0.0.0", 29577)); s.listen(); time.sleep(60)' &
other=$!
sleep 1
torchrun --nproc-per-node=2 --master-port=29577 elastic_loop.py plain
code=$?
kill "$other"
exit "$code"
