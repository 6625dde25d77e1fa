"""Prints the texts beside this file anew, as the programs themselves print them; needs no GPU.

usage: python tests/printed/capture.py  (with rich, ipython, pydantic, hydra-core, omegaconf, loguru, torch and ray installed)

Captured with Python 3.11.7, rich 15.0, IPython 9.18, pydantic 2.14, hydra-core 1.3.8, omegaconf 2.3, torch 2.13.0+cpu and
ray 2.60. Paths of the interpreter and of the scratch folder are shortened; nothing else is changed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PROGRAMS = {
    "app": """
def chunk(n, chunks):
    assert n >= chunks, f"batch_size {n} < chunks {chunks}"
def step():
    return chunk(32, 64)
""",
    "rich-box": """
from rich.traceback import install; install(show_locals=True, width=80)
import app
def main():
    try:
        app.step()
    except AssertionError as e:
        raise RuntimeError("CUDA error: out of memory") from e
main()
""",
    "rich-handler": """
import logging; from rich.logging import RichHandler
logging.basicConfig(level="INFO", format="%(message)s", handlers=[RichHandler(rich_tracebacks=True)])
log = logging.getLogger("rich")
import app
try: app.step()
except Exception: log.exception("training failed")
""",
    "ipython": "import app\napp.step()\n",
    "exception-group": """
import asyncio, app
async def a(): app.step()
async def b(): raise ValueError("cannot reshape tensor of 0 elements")
async def main():
    async with asyncio.TaskGroup() as g:
        g.create_task(a()); g.create_task(b())
asyncio.run(main())
""",
    "faulthandler": "import faulthandler, ctypes; faulthandler.enable()\ndef crash(): ctypes.string_at(0)\ncrash()\n",
    "pydantic": """
from pydantic import BaseModel, ConfigDict
class M(BaseModel):
    model_config = ConfigDict(extra="forbid")
    model: str
    tensor_parallel_size: int
M(model=3, tensor_parallel_size="x", foo=1)
""",
    "hydra": "import hydra\n@hydra.main(version_base=None)\ndef main(cfg): print(cfg.actor.lr)\nmain()\n",
    "omegaconf": 'from omegaconf import OmegaConf\nc = OmegaConf.create({"trainer": {"lr": 1}}); OmegaConf.set_struct(c, True)\nc.trainer.foo\n',
    "ignored": """
class A:
    def __del__(self): raise AttributeError("'A' object has no attribute 'conn'")
a = A(); del a
import threading, app
t = threading.Thread(target=app.step); t.start(); t.join()
""",
    "loguru": "from loguru import logger; import app\n@logger.catch\ndef main(): app.step()\nmain()\n",
    "cpp-stack": "import torch\ntorch.ones(3) @ torch.ones(4)\n",
    "spawn": 'import torch.multiprocessing as mp, app\ndef w(i): app.step()\nif __name__ == "__main__": mp.spawn(w, nprocs=2)\n',
    "torchrun": """
import torch.distributed as d, app
d.init_process_group("gloo")
if d.get_rank() == 1: app.step()
d.barrier()
""",
    "ray": """
import ray
ray.init(num_cpus=4, include_dashboard=False)
@ray.remote
class WorkerDict:
    def update_actor(self):
        import app; app.step()
@ray.remote
class Runner:
    def run(self):
        return ray.get([w.update_actor.remote() for w in [WorkerDict.remote() for _ in range(2)]])
ray.get(Runner.remote().run.remote())
""",
}
COMMANDS = {
    "ipython": ["-m", "IPython", "--no-banner", "--colors=NoColor", "try_ipython.py"],
    "hydra": ["try_hydra.py", "actor.lr=3"],
    "torchrun": ["-m", "torch.distributed.run", "--nproc_per_node", "2", "try_torchrun.py"],
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, code in PROGRAMS.items():
            Path(folder, f"{name}.py" if name == "app" else f"try_{name}.py").write_text(
                code.lstrip("\n"), encoding="utf-8"
            )
        environment = os.environ | {
            "PYTHONPATH": folder,
            "COLUMNS": "100",
            "TERM": "dumb",
            "TORCH_SHOW_CPP_STACKTRACES": "1",
            "PYTHONUTF8": "1",
        }
        for name in [each for each in PROGRAMS if each != "app"]:
            command = [sys.executable, *COMMANDS.get(name, [f"try_{name}.py"])]
            done = subprocess.run(
                command,
                cwd=folder,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
                timeout=180,
            )
            text = done.stdout.decode("utf-8", "replace").replace(folder, "/app")
            text = text.replace(sysconfig.get_path("purelib"), "/site-packages").replace(
                sysconfig.get_path("stdlib"), "/usr/lib/python3.11"
            )
            text = re.sub(r"(?m)^.*Failed to initialize NumPy.*\n.*\n", "", text)
            Path(HERE, f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
