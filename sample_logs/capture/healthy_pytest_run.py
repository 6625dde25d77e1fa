"""Healthy log: a test run of a training code base in which everything passes; names, captured logs and expected failures look bad.

Packages (python 3.11): pytest==9.2.0, torch==2.13.0 (CPU build), numpy==2.4.6
Run:
    python -m pytest -c /dev/null --rootdir . -p no:cacheprovider -v -rA --showlocals healthy_pytest_run.py > pytest-run.log 2>&1
"""

import logging
import traceback
import warnings

import pytest
import torch

log = logging.getLogger("trainer")


def train(steps, lr=0.1, fail_at=None, retries=1):
    m = torch.nn.Linear(4, 1)
    opt = torch.optim.SGD(m.parameters(), lr)
    losses = []
    step = 0
    while step < steps:
        try:
            if step == fail_at and retries:
                retries -= 1
                raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB (injected by the test)")
            loss = m(torch.ones(8, 4)).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
            step += 1
        except torch.OutOfMemoryError:
            log.exception("step %d failed, halving the micro batch and retrying", step)
    return losses


def test_out_of_memory_is_retried():
    assert len(train(5, fail_at=2)) == 5


def test_fatal_error_is_reported(capsys):
    try:
        torch.zeros(2, 3) @ torch.zeros(2, 3)
    except RuntimeError:
        traceback.print_exc()
    assert "cannot be multiplied" in capsys.readouterr().err
    print("FATAL: worker 3 crashed (text for the parser under test)")


@pytest.mark.parametrize("exc", [RuntimeError("NCCL error"), TimeoutError("watchdog timeout"), KeyError(2)])
def test_exception_is_propagated(exc):
    with pytest.raises(type(exc)):
        raise exc


@pytest.mark.xfail(reason="lr_decay_steps of 0 is not supported yet")
def test_lr_decay_steps_zero():
    lr_decay_steps = 0
    assert lr_decay_steps > 0


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA-capable device is detected")
def test_nccl_failure():
    raise AssertionError


def test_nan_loss_warns():
    with warnings.catch_warnings(record=True):
        losses = train(40, lr=1e3)
    assert losses[-1] != losses[-1] or losses[-1] == float("inf")
    warnings.warn("loss became nan or inf as it should")


def test_segfault_handler_is_registered():
    log.error("Segmentation fault (simulated by the test)")
