"""A torch.compile back end that fails inside a Ray actor, so that the driver gets the exception pickled.

Arguments: the form of torch._dynamo.exc.BackendCompilerFailed
  as-installed  the exception of the installed torch (2.13 pickles it well)
  torch-2.6     the constructor as it was up to torch 2.6, (backend_fn, inner_exception), and pickled plainly:
                then the driver cannot rebuild the exception. (No CPU build of torch 2.6 is on the package
                index, hence this; all else is the installed torch's and Ray's own.)

The back end is torch's own "tvm" back end on a machine where TVM is not installed.
"""

import logging
import sys

import ray
import torch
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")


def restore_torch_26_exception():
    from torch._dynamo import exc

    def plain_reduce(self):  # what Exception does by itself, less what the newer class holds and cannot be pickled
        return type(self), self.args, exc._safe_exception_state(self.__dict__)

    exc.TorchDynamoException.__reduce__ = plain_reduce
    exc.BackendCompilerFailed.__init__.__defaults__ = (None,)


@ray.remote(num_cpus=1)
class ActorWorker:
    def __init__(self, form):
        if form == "torch-2.6":
            restore_torch_26_exception()
        torch.set_num_threads(1)
        self.model = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 32))
        self.compiled = torch.compile(self.model, backend="tvm")
        print("ActorWorker initialized", flush=True)

    def compute_log_probs(self, step):
        with torch.no_grad():
            value = torch.log_softmax(self.model(torch.randn(4, 32)), -1).mean().item()
        print(f"step {step} log_probs/mean {value:.4f}", flush=True)
        return value

    def train_step(self, step):
        try:
            return self.compiled(torch.randn(4, 32)).pow(2).mean().item()
        except Exception:
            logging.getLogger("ActorWorker").exception("train_step %d failed", step)
            raise


def main():
    form = sys.argv[1]
    if form == "torch-2.6":
        restore_torch_26_exception()
    log = logging.getLogger("driver")
    ray.init(num_cpus=2, include_dashboard=False)
    worker = ActorWorker.remote(form)
    for step in range(3):
        log.info("pipeline step %d log_probs %.4f", step, ray.get(worker.compute_log_probs.remote(step)))
    log.info("pipeline step 3 train_step")
    ray.get(worker.train_step.remote(3))


main()
