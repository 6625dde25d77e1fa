"""All targets, or the named ones, for a while each: `python -m fuzzing [TARGET …] --seconds N`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import click

from fuzzing.seeds import KEPT, seeds_of
from fuzzing.targets import REPOSITORY, TARGETS, automaton

LONGEST = 25
"""Seconds that one input may take before it counts as a hang."""

LARGEST = 20_000
"""Bytes of an input."""

MEMORY = 2_000
"""MiB that a target may take, with what the fuzzer holds itself."""


@click.command()
@click.argument("targets", nargs=-1, type=click.Choice(list(TARGETS)))
@click.option("--seconds", default=60, show_default=True, help="For each target.")
@click.option("--seed", default=1, show_default=True, help="Another one walks another way.")
@click.option("--jobs", default=2, show_default=True, help="Targets at a time.")
@click.option("--keep", is_flag=True, help="Add what reaches something new to the corpus.")
def main(targets: tuple[str, ...], seconds: int, seed: int, jobs: int, *, keep: bool) -> None:
    """Fuzzes TARGETS (all where none is named); exits with 1 where a law is broken.

    The input that broke it is left in fuzzing/found.
    """
    automaton()  # compiled before the time runs
    with ThreadPoolExecutor(jobs) as pool:
        run = partial(fuzzed, seconds=seconds, seed=seed, keep=keep)
        broken = [not is_whole for is_whole in pool.map(run, targets or TARGETS)]
    sys.exit(int(any(broken)))


def fuzzed(target: str, seconds: int, seed: int, *, keep: bool) -> bool:
    """Runs one target and prints a line of it; whether its laws held. With the same seed and code
    it goes the same way, as far as the time reaches.
    """
    found = REPOSITORY / "fuzzing" / "found" / target
    found.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        seeds, new = Path(folder, "seeds"), Path(folder, "new")
        for each in (seeds, new):
            each.mkdir()
        for number, data in enumerate(seeds_of(target)):
            (seeds / f"{number:05}").write_bytes(data)
        options = (
            f"-max_total_time={seconds}",
            f"-seed={seed}",
            f"-timeout={LONGEST}",
            f"-rss_limit_mb={MEMORY}",
            f"-max_len={LARGEST}",
            f"-artifact_prefix={found}/",
            "-print_final_stats=1",
        )
        began = time.monotonic()
        done = subprocess.run(
            (sys.executable, "-m", "fuzzing.one", target, *options, new, seeds),
            cwd=REPOSITORY,
            env={**os.environ, "PYTHONHASHSEED": "0"},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        _tell(target, done, time.monotonic() - began)
        if keep and done.returncode == 0:
            _keep(target, new)
    return done.returncode == 0


def _tell(target: str, done: subprocess.CompletedProcess[str], took: float) -> None:
    runs = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    count = f"{int(runs[1]):,}" if runs else "no"
    held = "" if done.returncode else ": all laws held"
    click.echo(f"{target}: {count} inputs in {took:.0f} s{held}")
    if done.returncode:
        told = re.sub(r"(?m)^(?:INFO|WARNING): .*\n", "", done.stderr)
        click.echo(f"a law is broken (exit code {done.returncode})\n{told[-6000:]}")


def _keep(target: str, new: Path) -> None:
    """Writes the archive of what is kept anew, with these inputs."""
    import zipfile  # noqa: PLC0415  # hardly ever

    archive = KEPT / f"{target}.zip"
    KEPT.mkdir(exist_ok=True)
    kept: dict[str, bytes] = {}
    if archive.exists():
        with zipfile.ZipFile(archive) as before:
            kept = {name: before.read(name) for name in before.namelist()}
    kept |= {path.name: path.read_bytes() for path in new.iterdir()}
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as after:
        for name in sorted(kept):
            after.writestr(zipfile.ZipInfo(name), kept[name], zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()
