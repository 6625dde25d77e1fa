#!/bin/bash
# Restarts a training that fails, as scripts of cluster users do, and gives up after five attempts.
for attempt in 1 2 3 4 5; do
    echo "[$(date '+%F %T')] attempt $attempt of 5"
    python data_errors.py supervisor && exit 0
    echo "[$(date '+%F %T')] training exited with $?, restarting in 1 s"
    sleep 1
done
echo "[$(date '+%F %T')] giving up after 5 attempts"
exit 1
