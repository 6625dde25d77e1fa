"""Programs that succeed, to what they print: capture_all.

Each program is a command or a script in `scripts/`, run with a time limit in a scratch folder; its standard output and
standard error go to one file. A program that is missing, or exits with another code than 0, leaves no file.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

SCRIPTS = Path(__file__).parent / "scripts"
LARGEST = 6_000_000  # bytes of one program's output that are kept: no program shall outweigh the others
JOBS = 2
PACKAGES = """torch==2.13.0 numpy transformers trl accelerate peft datasets ray[default] deepspeed lightning scikit-learn
xgboost lightgbm optuna tensorboard wandb mlflow-skinny hydra-core pytest loguru rich tqdm uvicorn fastapi httpx sqlalchemy
alembic flask django celery dask distributed sphinx black mypy ruff networkx sympy pandas scipy gunicorn jupyter-core
nbconvert structlog scrapy prefect luigi aiohttp""".split()
SOURCE_PACKAGES = ("vllm==0.9.2", "sglang", "verl", "openrlhf", "megatron-core", "areal", "trinity-rft", "skyrl", "ms-swift", "llamafactory")
"""Read, not run: they need a GPU."""


@dataclass(frozen=True)
class Program:
    """A name, a shell command (PY is the environment's Python, S the folder of scripts), and a limit in seconds."""

    name: str
    command: str
    limit_s: int = 180


PROGRAMS = (
    # training
    Program("torch-ddp", "torchrun --nproc-per-node 2 $S/ddp.py", 240),
    Program("torch-ddp-detail", "TORCH_DISTRIBUTED_DEBUG=DETAIL TORCH_CPP_LOG_LEVEL=INFO NCCL_DEBUG=INFO torchrun --nproc-per-node 2 --log-dir logs --tee 3 $S/ddp.py 40"),
    Program("torch-compile-debug", "TORCH_LOGS=+dynamo,+inductor,+aot,graph_breaks,guards,recompiles PY $S/compile.py", 240),
    Program("torch-compile-code", "TORCH_LOGS=output_code,graph_code,schedule,fusion PY $S/compile.py", 240),
    Program("transformers-trainer", "PY $S/hf_trainer.py", 240),
    Program("transformers-verbose", "TRANSFORMERS_VERBOSITY=debug HF_HUB_OFFLINE=1 PY $S/hf_trainer.py 30", 240),
    Program("trl-sft", "PY $S/trl_sft.py", 300),
    Program("accelerate", "accelerate launch --cpu --num_processes 2 --num_machines 1 --mixed_precision no --dynamo_backend no --debug $S/accelerated.py", 240),
    Program("deepspeed", "DS_ACCELERATOR=cpu PY $S/deepspeed_cpu.py", 240),
    Program("lightning", "PY $S/lightning_fit.py", 240),
    Program("ray-tasks", "RAY_BACKEND_LOG_LEVEL=debug PY $S/ray_tasks.py", 300),
    Program("ray-session", "PY $S/ray_session.py", 300),
    Program("sklearn", "PY $S/sklearn_verbose.py", 240),
    Program("xgboost-lightgbm", "PY $S/boosting.py", 200),
    Program("optuna", "PY $S/optuna_study.py", 120),
    Program("wandb-offline", "WANDB_MODE=offline PY $S/wandb_offline.py", 120),
    Program("hydra", "for i in 1 2 3; do PY $S/hydra_app.py -m hydra.verbose=true +trial=1,2,3,4,5,6,7,8; done", 120),
    # services
    Program("web-server", "PY $S/web_server.py", 150),
    Program("http-logs", "PY $S/http_logs.py", 150),
    Program("sqlalchemy", "PY $S/sql_echo.py", 120),
    Program("django", "PY $S/django_site.py", 120),
    Program("dask", "PY $S/dask_work.py", 150),
    Program("asyncio-debug", "PYTHONASYNCIODEBUG=1 PY $S/asyncio_debug.py", 100),
    Program("loguru-rich", "PY $S/loggers.py", 100),
    Program("postgres", "bash $S/postgres.sh", 120),
    Program("redis", "bash $S/redis.sh", 60),
    Program("nginx", "bash $S/nginx.sh", 60),
    # a process that crashed on the machine, or was killed for memory, is no healthy matter: its lines are left out
    Program("journal", "(journalctl --no-pager -n 60000; dmesg) | grep -Ev 'segfault at|traps: |general protection|Code: |[Oo]ut of memory|oom-kill|__vm_enough_memory'", 60),
    # tests of installed packages
    Program("pytest-networkx", "PY -m pytest -v -p no:cacheprovider --durations=50 --pyargs networkx", 200),
    Program("pytest-sklearn", "PY -m pytest -rA -p no:cacheprovider --pyargs sklearn.metrics", 200),
    Program("unittest-cpython", "PY -m test -v test_json test_logging test_asyncio test_email test_re test_datetime test_decimal", 240),
    # builds and installs
    Program("pip-verbose", "PY -m pip install -vvv --target t --no-cache-dir rich tqdm requests django sympy networkx sphinx celery", 200),
    Program("pip-report", "PY -m pip install --dry-run --ignore-installed -v transformers ray lightning mlflow sphinx scrapy", 200),
    Program("pip-build", "PY -m pip install -v --target t --no-cache-dir --no-binary :all: --no-deps markupsafe pyyaml wrapt", 200),
    Program("npm", "npm install --verbose --no-fund express webpack typescript eslint jest", 200),
    Program("cmake-build", "bash $S/cmake_build.sh", 200),
    Program("gcc-verbose", "bash $S/gcc_verbose.sh", 120),
    Program("make-debug", "bash $S/make_debug.sh", 60),
    Program("cargo", "bash $S/cargo_build.sh", 120),
    Program("java", "bash $S/java_logs.sh", 120),
    Program("apt", "apt-get -s -o Debug::pkgProblemResolver=true -o Debug::pkgDepCache::Marker=true install nginx redis-server postgresql slurm-wlm gdal-bin texlive openmpi-bin libreoffice", 120),
    Program("apt-show", "apt-cache show nginx redis-server openmpi-bin slurm-wlm python3 gcc systemd linux-image-amd64 docker.io; dpkg -l; dpkg -s $(dpkg-query -f '${Package} ' -W | cut -d' ' -f1-150)", 60),
    # tools
    Program("git", "bash $S/git_work.sh", 120),
    Program("python-verbose", "PY -v -c 'import torch, transformers' 2>&1 | head -c 5000000", 120),
    Program("importtime", "for m in torch transformers ray sklearn pandas scrapy django; do PY -X importtime -c \"import $m\"; done", 120),
    Program("sphinx", "bash $S/sphinx_docs.sh", 200),
    Program("mypy-ruff", "PY -m mypy -v --ignore-missing-imports $S/ddp.py 2>&1 | head -c 3000000; PY -m ruff check --verbose --select ALL --exit-zero $S", 200),
    Program("rsync-tar", "tar cvf /dev/null /usr/share/perl; ls -lR /usr/lib/python3*; du -a /usr/include | head -40000; find /usr -xdev -maxdepth 4 -ls | head -30000", 60),
    Program("system", "bash $S/system_status.sh", 60),
    Program("strace", "strace -f -s 120 PY -c 'import json, asyncio, http.client'", 60),
)


def capture_all(folder: Path, environment: Path, only: Sequence[str]) -> None:
    """Runs all programs, or those named, and keeps what they print."""
    folder.mkdir(parents=True, exist_ok=True)
    python = environment / "bin" / "python"
    if not python.exists():
        _make_environment(environment, folder / "pip-environment.log")
    chosen = [program for program in PROGRAMS if not only or program.name in only]
    with ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(lambda program: _capture(program, folder, environment), chosen))


def _make_environment(environment: Path, log: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    with log.open("wb") as output:
        command = [environment / "bin" / "python", "-m", "pip", "install", "-v", *PACKAGES]
        subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=True)
        for package in SOURCE_PACKAGES:
            command = [environment / "bin" / "python", "-m", "pip", "download", "-v", "--no-deps", "--only-binary", ":all:", "-d", environment / "wheels", package]
            subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False)
    for wheel in sorted((environment / "wheels").glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            sources = [name for name in archive.namelist() if name.endswith((".py", ".md", ".cu", ".h"))]
            archive.extractall(environment / "sources", sources)


def _capture(program: Program, folder: Path, environment: Path) -> None:
    scratch = folder.parent / "scratch" / program.name
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    path = folder / f"{program.name}.log"
    variables = {
        **os.environ,
        "PATH": f"{environment / 'bin'}:{os.environ['PATH']}",
        "S": str(SCRIPTS),
        "PYTHONUNBUFFERED": "1",
        "OMP_NUM_THREADS": "1",
        "RAY_USAGE_STATS_ENABLED": "0",
        "TOKENIZERS_PARALLELISM": "false",
        "DEBIAN_FRONTEND": "noninteractive",
        "HF_HUB_OFFLINE": "1",
    }
    command = program.command.replace("PY ", f"{environment / 'bin' / 'python'} ")
    with path.open("wb") as output:
        run = subprocess.Popen(
            ["bash", "-c", command], cwd=scratch, env=variables, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            code = run.wait(program.limit_s)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, 15)
            code = None
    size = path.stat().st_size
    is_kept = code == 0 and size > 0
    print(f"{program.name:<24} exit {code}  {size / 1e6:6.2f} MB{'' if is_kept else '  left out'}", flush=True)
    if not is_kept:
        path.rename(path.with_suffix(".failed")) if size else path.unlink()
        failed = folder.parent / "scratch" / "failed"
        failed.mkdir(parents=True, exist_ok=True)
        if path.with_suffix(".failed").exists():
            path.with_suffix(".failed").replace(failed / f"{program.name}.log")
    elif size > LARGEST:
        os.truncate(path, LARGEST)
    shutil.rmtree(scratch, ignore_errors=True)
