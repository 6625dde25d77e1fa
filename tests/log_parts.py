"""Pieces of logs that tests put together in any order: a traceback, steps, progress bars, what is not UTF-8."""

TRACEBACK = b"""\
Traceback (most recent call last):
  File "/app/roll/distributed/scheduler/protocol.py", line 849, in chunk
    assert len(self) >= chunks
AssertionError: batch_size 32 < chunks 64
"""
PARTS = (
    TRACEBACK,
    b"step:12 - actor/loss:0.5 - actor/grad_norm:1.0\n",
    b"\x1b[36m(Worker pid=7)\x1b[0m ValueError: bad shape\r\n",
    b"epoch: 10%|#   | 1/10 [00:01<00:09, 1.0it/s]\repoch: 20%|##  | 2/10\rRuntimeError: CUDA error: out of memory\n",
    b"\xff\xfe\x00 not UTF-8 \x80\n",
    b"nothing of interest here\n" * 30,
    b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\nGPU 0 has a total\n",
)
SETTINGS = b"""\
{'actor_rollout_ref': {'actor': {'strategy': 'fsdp',
                                 'use_dynamic_bsz': False},
                       'rollout': {'n': 5}},
 'data': {'train_batch_size': 510},
 'trainer': {'n_gpus_per_node': 8, 'nnodes': 2}}
"""
"""As verl prints them when it starts."""

DO_NOT_GO_TOGETHER = (
    b"AssertionError: real_train_batch_size (2550) must be divisible by minimal possible batch "
    b"size (16)\n"
)
"""What it ends with then."""
