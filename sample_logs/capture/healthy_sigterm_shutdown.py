"""Healthy log: the training is complete, then servers and workers are shut down on purpose, noisily.

A shell script starts a reward server (uvicorn), a pool of shared-memory workers and two rollout workers under torchrun, runs a two-rank training against them, and
then ends them with SIGTERM and SIGKILL, as launch scripts do. The shell itself prints "Terminated" and "Killed".

Packages (python 3.11): torch==2.13.0 (CPU build), uvicorn==0.54.0, fastapi==0.165.0, numpy==2.4.6
Run:
    python healthy_sigterm_shutdown.py > sigterm-shutdown.log 2>&1
"""

import os
import subprocess
import sys
import tempfile
import time
import urllib.request

PORT = 18423
LAUNCH = """
cd "$WORKDIR"
"$PY" "$SELF" server &
SERVER=$!
"$PY" "$SELF" pool &
POOL=$!
"$PY" "$SELF" stubborn &
STUBBORN=$!
"$PY" -m torch.distributed.run --nproc-per-node=2 --master-port=29656 "$SELF" rollout &
ROLLOUT=$!
"$PY" -m torch.distributed.run --nproc-per-node=2 --master-port=29655 "$SELF" train
echo "trainer exit status: $?"
echo "stopping background processes ..."
kill -TERM $SERVER
kill -TERM $STUBBORN
wait $SERVER
echo "reward server stopped with status $?"
kill -TERM $POOL
wait $POOL
echo "pool stopped with status $?"
kill -TERM $ROLLOUT
wait $ROLLOUT
echo "rollout workers stopped with status $?"
sleep 1
kill -0 $STUBBORN 2>/dev/null && { echo "log shipper $STUBBORN did not stop, sending SIGKILL"; kill -KILL $STUBBORN; }
wait $STUBBORN
echo "log shipper stopped with status $?"
sleep 1
echo "all processes are gone, run finished"
exit 0
"""


def server():
    import asyncio
    import logging
    from contextlib import asynccontextmanager

    import uvicorn
    from fastapi import FastAPI

    log = logging.getLogger("uvicorn.error")

    async def background():
        try:
            while True:
                await asyncio.sleep(3600)
        except asyncio.CancelledError:
            log.exception("metrics loop cancelled")
            raise

    @asynccontextmanager
    async def life(app):
        app.state.task = asyncio.create_task(background())
        yield
        app.state.task.cancel()

    app = FastAPI(lifespan=life)

    @app.get("/reward")
    def reward(step: int):
        return {"reward": 1 - 1 / (step + 1), "error": None}

    @app.get("/slow")
    async def slow():
        await asyncio.sleep(600)

    uvicorn.run(app, host="127.0.0.1", port=PORT, timeout_graceful_shutdown=1)


def work(name):
    from multiprocessing import shared_memory

    keep = shared_memory.SharedMemory(create=True, size=1 << 16)
    keep.buf[0] = 1
    print(f"pool worker {name} ready, shared memory {keep.name}", flush=True)
    while True:
        time.sleep(0.2)


def pool():
    import torch.multiprocessing as mp

    mp.set_start_method("spawn")
    procs = [mp.Process(target=work, args=(i,)) for i in range(2)]
    for p in procs:
        p.start()
    import signal

    def stop(*_):
        print("pool: SIGTERM received, terminating workers", flush=True)
        for p in procs:
            p.terminate()
        for p in procs:
            p.join()
            print(f"pool: worker {p.pid} exited with code {p.exitcode}", flush=True)
        sys.exit(0)

    signal.signal(signal.SIGTERM, stop)
    while True:
        time.sleep(0.2)


def stubborn():
    import signal

    signal.signal(signal.SIGTERM, lambda *_: print("log shipper: ignoring SIGTERM, buffers are not flushed", flush=True))
    while True:
        time.sleep(0.2)


def rollout():
    import torch.distributed as dist

    dist.init_process_group("gloo")
    print(f"rollout worker {dist.get_rank()} is serving until it is stopped", flush=True)
    while True:
        time.sleep(0.2)


def train():
    import socket
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo")
    rank = dist.get_rank()
    for attempt in range(60):
        try:
            socket.create_connection(("127.0.0.1", PORT), 1).close()
            break
        except OSError as e:
            print(f"[rank{rank}] reward server not up yet: {e!r}", flush=True)
            time.sleep(0.5)
    m = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(16, 1))
    opt = torch.optim.SGD(m.parameters(), 0.05)
    if rank == 0:  # a request that is still open when the server is told to stop
        subprocess.Popen(
            [sys.executable, "-c", f"import urllib.request as u; u.urlopen('http://127.0.0.1:{PORT}/slow', timeout=700)"], start_new_session=True
        )
    for step in range(1, 51):
        urllib.request.urlopen(f"http://127.0.0.1:{PORT}/reward?step={step}").read()
        x = torch.randn(64, 16)
        loss = ((m(x) - x.sum(1, keepdim=True)) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if rank == 0:
            print(f"step {step}/50 loss {loss.item():.4f}", flush=True)
    dist.barrier()
    if rank == 0:
        print("Training complete", flush=True)
    # no destroy_process_group(), on purpose


if __name__ == "__main__":
    if len(sys.argv) > 1:
        {"server": server, "pool": pool, "stubborn": stubborn, "rollout": rollout, "train": train}[sys.argv[1]]()
    else:
        env = dict(os.environ, PY=sys.executable, SELF=os.path.abspath(__file__), WORKDIR=tempfile.mkdtemp(prefix="sigterm-"))
        with tempfile.NamedTemporaryFile("w", suffix=".sh", prefix="launch_") as f:
            f.write(LAUNCH)
            f.flush()
            sys.exit(subprocess.run(["bash", f.name], env=env).returncode)
