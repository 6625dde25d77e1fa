"""Jobs of Slurm: what scontrol of Slurm 22.05 really printed, accounts from a stand-in for sacct,
and where Slurm is installed, a cluster of one node.
"""

from __future__ import annotations

import os
import shutil
import socket
import stat
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from logdoctor.cli.slurm import Job, sacct_jobs, scontrol_jobs
from tests.conftest import RunCli

SHORT = "AssertionError: batch_size 32 < chunks 64\n"

SHOWN = """\
JobId=1 JobName=my grpo
   UserId=root(0) GroupId=root(0) MCS_label=N/A
   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)
   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=1:0
   RunTime=00:00:00 TimeLimit=UNLIMITED TimeMin=N/A
   Partition=debug AllocNode:Sid=localhost:28127
   ReqNodeList=(null) ExcNodeList=(null)
   NodeList=vm
   NumNodes=1 NumCPUs=1 NumTasks=1 CPUs/Task=1 ReqB:S:C:T=0:0:*:*
   Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*
   Command={folder}/fail.sh
   WorkDir={folder}
   StdErr={folder}/slurm-1.out
   StdIn=/dev/null
   StdOut={folder}/slurm-1.out
   Power=
   \n
"""
"""Of `scontrol show job 1`, Slurm 22.05.8; a line of blanks and an empty one end every job."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working folder with a blank in its name, where one job has written."""
    folder = tmp_path / "jobs dir"
    folder.mkdir()
    (folder / "slurm-1.out").write_text(f"step:1 - loss:0.5\n{SHORT}", encoding="utf-8")
    return folder


def stand_in(folder: Path, name: str, script: str) -> None:
    program = folder / "bin" / name
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IEXEC)


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PATH": f"{folder / 'bin'}:/usr/bin:/bin"}


def test_what_scontrol_shows(folder: Path) -> None:
    """Names and folders may have blanks; several tasks of an array come one by one."""
    out = str(folder / "slurm-1.out")
    job = Job("1", "my grpo", "FAILED", "1:0", "vm", (out,))
    assert list(scontrol_jobs(SHOWN.format(folder=folder))) == [job]
    task = SHOWN.replace("JobId=1 ", "JobId=4 ArrayJobId=3 ArrayTaskId=2 ")
    assert [each.id for each in scontrol_jobs((task + SHOWN).format(folder=folder))] == ["3_2", "1"]
    assert list(scontrol_jobs("")) == []


def test_a_job_is_judged_by_what_it_wrote(run_cli: RunCli, folder: Path) -> None:
    """The report is scan's; beside it stands what Slurm says."""
    (folder / "shown").write_text(SHOWN.format(folder=folder), encoding="utf-8")
    stand_in(folder, "scontrol", f'test "$*" = "show job 1" && cat "{folder}/shown"')
    done = run_cli("slurm", "1", "--format", "json", environment=environment(folder))
    told = f"job 1 (my grpo): FAILED, exit code 1:0, on vm; reading {folder}/slurm-1.out"
    assert (done.returncode, done.stderr.decode().splitlines()[0]) == (1, f"logdoctor: {told}")
    assert b'"dataproto-batch-smaller-than-chunks"' in done.stdout
    chinese = run_cli("slurm", "1", "--brief", "--lang", "zh", environment=environment(folder))
    assert "作业 1（my grpo）：FAILED" in chinese.stderr.decode()


@pytest.mark.parametrize(
    ("fields", "cells"),
    [
        ("StdOut", "1|a|b|TIMEOUT|0:15|n[1-2]|{folder}|sbatch x.sh|1|{folder}/slurm-%j.out|"),
        ("none", "1|a|b|CANCELLED by 0|0:15|n[1-2]|{folder}|sbatch --output=slurm-%j.out x.sh|1"),
        ("none", "1|a|b|NODE_FAIL|0:15|n[1-2]|{folder}|sbatch x.sh|1"),
    ],
    ids=["fields of 24.05", "command line", "Slurm's own name"],
)
def test_a_job_of_long_ago_is_in_the_accounts(
    run_cli: RunCli, folder: Path, fields: str, cells: str
) -> None:
    """Whose fields depend on the release; a name may hold what divides them."""
    (folder / "told").write_text(cells.format(folder=folder) + "\n", encoding="utf-8")
    stand_in(folder, "scontrol", "echo slurm_load_jobs error: Invalid job id specified >&2; exit 1")
    known = (
        "true"
        if fields == "StdOut"
        else 'case "$*" in *StdOut*) echo Invalid field >&2; exit 1;; esac'
    )
    stand_in(folder, "sacct", f'{known}; cat "{folder}/told"')
    done = run_cli("slurm", "1", environment=environment(folder))
    assert (done.returncode, b"job 1 (a|b): " in done.stderr) == (1, True)
    shown = "".join(done.stdout.decode().split())  # a long path goes over two lines
    assert f"{folder}/slurm-1.out:2".replace(" ", "") in shown


def test_a_task_of_an_array_has_a_number_of_its_own(tmp_path: Path) -> None:
    """`%j` is that, `%A` the array's and `%a` the task's."""
    for name in ("one-4713.out", "two-4711_2.out"):
        (tmp_path / name).touch()
    fields = ("JobID", "JobName", "State", "ExitCode", "NodeList", "WorkDir", "SubmitLine")
    for written in ("one-%j.out", "two-%A_%a.out"):
        line = f"4711_2|train|FAILED|1:0|n1|{tmp_path}|sbatch -a 1-3 -o {written} x.sh|4713"
        (job,) = sacct_jobs(line, (*fields, "JobIDRaw"))
        assert [Path(each).name[:4] for each in job.files] == [written[:4]]


def test_what_cannot_be_found_is_said(run_cli: RunCli, folder: Path) -> None:
    """No Slurm, no such job, no output, no id; exit code 2."""
    there = environment(folder)
    (folder / "bin").mkdir()
    missing = run_cli("slurm", "1", environment={**there, "PATH": str(folder / "bin")})
    stand_in(folder, "scontrol", "echo slurm_load_jobs error: Invalid job id specified >&2; exit 1")
    stand_in(folder, "sacct", "echo Slurm accounting storage is disabled >&2; exit 1")
    unknown = run_cli("slurm", "999", environment=there)
    wrong = run_cli("slurm", "--", "-1", environment=there)
    (folder / "slurm-1.out").unlink()
    (folder / "shown").write_text(SHOWN.format(folder=folder), encoding="utf-8")
    stand_in(folder, "scontrol", f'cat "{folder}/shown"')
    gone = run_cli("slurm", "1", environment=there)
    assert [each.returncode for each in (missing, unknown, wrong, gone)] == [2, 2, 2, 2]
    assert b"scontrol: no such program; sacct: no such program" in missing.stderr
    assert b"sacct: Slurm accounting storage is disabled" in unknown.stderr
    assert b'"-1" is no job id' in wrong.stderr
    assert f"its output is not there ({folder}/slurm-1.out)".encode() in gone.stderr


def test_a_failed_job_is_not_well_whatever_its_output_shows(run_cli: RunCli, folder: Path) -> None:
    """Slurm may have ended it without a word in the log."""
    (folder / "slurm-1.out").write_text("step:1 - loss:0.5\nstep:2 - loss:0.4\n", encoding="utf-8")
    (folder / "shown").write_text(SHOWN.format(folder=folder), encoding="utf-8")
    stand_in(folder, "scontrol", f'cat "{folder}/shown"')
    done = run_cli("slurm", "1", environment=environment(folder))
    assert (
        done.returncode,
        b"job 1 ended as FAILED, and its output does not show why" in done.stderr,
    ) == (1, True)


CONFIGURATION = """\
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmctldPort={port}
SlurmdPort={other}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/ctld.pid
SlurmdPidFile={folder}/d.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
ReturnToService=2
MpiDefault=none
NodeName={host} NodeAddr=127.0.0.1 CPUs=1 RealMemory=100 State=UNKNOWN
PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def cluster() -> Iterator[Path]:
    """Slurm on this machine: a controller, a node, munge; the folder has its configuration."""
    folder = Path("/tmp") / f"logdoctor-slurm-{os.getpid()}"
    for name in ("state", "spool", "jobs"):
        (folder / name).mkdir(parents=True)
    folder.chmod(0o755)
    (folder / "key").write_bytes(os.urandom(1024))
    (folder / "key").chmod(0o600)
    host = socket.gethostname().partition(".")[0]
    text = CONFIGURATION.format(folder=folder, host=host, port=free_port(), other=free_port())
    (folder / "slurm.conf").write_text(text, encoding="utf-8")
    where = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
    munge = [
        f"--{name}={folder}/munge.{name.partition('-')[0]}"
        for name in ("socket", "pid-file", "log-file", "seed-file")
    ]
    commands = [
        ["munged", "-F", f"--key-file={folder}/key", *munge],
        ["slurmctld", "-D"],
        ["slurmd", "-D"],
    ]
    daemons = []
    for command in commands:
        daemons.append(
            subprocess.Popen(
                command, env=where, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        )
        time.sleep(2)
    yield folder
    for daemon in reversed(daemons):
        daemon.terminate()
        daemon.wait(30)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.slow
@pytest.mark.skipif(
    os.geteuid() != 0 or not all(map(shutil.which, ("slurmctld", "slurmd", "munged"))),
    reason="needs Slurm, munge and root",
)
def test_jobs_of_a_real_cluster(run_cli: RunCli, cluster: Path) -> None:
    """A job that fails, one with files of its own, and the tasks of an array."""
    where = {**os.environ, "SLURM_CONF": str(cluster / "slurm.conf")}
    script = cluster / "jobs" / "fail.sh"
    script.write_text(
        f"#!/bin/bash\necho 'step:1 - loss:0.5'\necho '{SHORT.strip()}' >&2\nexit 1\n",
        encoding="utf-8",
    )
    script.chmod(0o755)
    for options in (
        ["--job-name=my grpo"],
        ["-o", "out-%x-%j.txt", "-e", "err-%j.txt"],
        ["--array=1-2"],
    ):
        subprocess.run(
            ["sbatch", *options, script],
            cwd=script.parent,
            env=where,
            check=True,
            capture_output=True,
        )
    until = time.monotonic() + 60
    while subprocess.run(["squeue", "-h"], env=where, check=True, capture_output=True).stdout:
        assert time.monotonic() < until
        time.sleep(0.5)
    one, split, array, none = (
        run_cli("slurm", job, "--brief", environment=where) for job in ("1", "2", "3", "999")
    )
    assert [each.returncode for each in (one, split, array, none)] == [1, 1, 1, 2]
    assert b"job 1 (my grpo): FAILED, exit code 1:0" in one.stderr
    assert f"{script.parent}/slurm-1.out:2" in one.stdout.decode()
    assert f"{script.parent}/err-2.txt:1" in split.stdout.decode()
    assert [name in array.stdout.decode() for name in ("slurm-3_1.out:2", "slurm-3_2.out:2")] == [
        True,
        True,
    ]
