"""Runs that die without an error: what is said of their numbers, from consoles and from the files
of trackers.
"""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.speed.numbers import KINDS, cost_of, steps_of, write
from logdoctor.document.document import document
from logdoctor.model import Language, ScanResult
from logdoctor.pipeline.scan import Scan, scan_text
from logdoctor.search.automaton import Automaton
from logdoctor.sources.finding import find_sources
from logdoctor.sources.trackers.tensorboard import masked_crc32c
from tests.curves import NASTY, STEPS, UNHEALTHY, verl


def said(result: ScanResult) -> set[str]:
    return {each.signature.id for each in result.diagnoses}


@pytest.mark.parametrize("fault", UNHEALTHY)
def test_a_sick_run_is_said_with_the_step_where_it_began(automaton: Automaton, fault: str) -> None:
    """Within a twentieth of the run."""
    began, curve = UNHEALTHY[fault]
    result = scan_text(automaton, verl(curve))
    (found,) = [each for each in result.diagnoses if each.signature.id == fault]
    assert abs(int(found.captures["step"]) - began) <= STEPS // 20


def test_the_document_has_the_series(automaton: Automaton) -> None:
    """A number that is none is null: JSON has no NaN."""
    for fault, now in (("reward-collapsed", 0.02), ("loss-not-finite", None)):
        result = scan_text(automaton, verl(UNHEALTHY[fault][1]))
        rows = document(result, Language.EN, "0")["diagnoses"]
        (row,) = [each for each in rows if each["signature_id"] == fault]
        series = row["series"]
        assert (series["name"], series["now"]) == (row["captures"]["metric"], now)
        assert series["onset_step"] == int(row["captures"]["step"])
        assert json.loads(json.dumps(series, allow_nan=False)) == series


@pytest.mark.parametrize("name", NASTY)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_nothing_is_said_of_a_healthy_run(automaton: Automaton, name: str, seed: int) -> None:
    result = scan_text(automaton, verl(NASTY[name], seed))
    assert said(result) == set()


NAN_FORMS: dict[str, Callable[[int, str], str]] = {
    "verl": lambda s, v: f"step:{s} - actor/pg_loss:{v} - actor/grad_norm:{v}",
    "TRL": lambda s, v: f"{{'loss': {v}, 'grad_norm': {v}, 'epoch': {s / 100}}}",
    "OpenRLHF": lambda s, v: f"✨ Global step {s}: {{'policy_loss': {v}, 'reward': 0.3}}",
    "slime": lambda s, v: f"step {s}: {{'train/loss': {v}, 'train/grad_norm': {v}}}",
    "NeMo-RL": lambda s, v: (
        f"{'=' * 25} Step {s}/100 {'=' * 25}\n  • Loss: {v}\n  • Avg Reward: 0.3"
    ),
    "nanoGPT": lambda s, v: f"iter {s}: loss {v}, time 123.45ms, mfu 30.1%",
    "Lightning": lambda s, v: (
        f"Epoch 0: {s:>3}%|███       | {s}/100 [00:10<00:20,  5.1it/s, v_num=0, train_loss={v}]"
    ),
    "torchtune": lambda s, v: f"1|{s}|Loss: {v}: {s:>3}%|███   | {s}/100 [00:10<00:20,  5.1it/s]",
    "PyTorch's example": lambda s, v: f"Train Epoch: 1 [{s * 64}/60000 ({s}%)]\tLoss: {v}",
    "a script with bars": lambda s, v: f"Epoch 2 | step {s} | loss {v} | lr 1e-5",
    "a plain script": lambda s, v: f"epoch 1 step {s} loss {v} lr 1e-5",
    "torchtitan": lambda s, v: (
        f"[rank0]:[titan] 2026-01-01 10:00:00,123 - root - INFO - step: {s}  loss: {v}  tps: 1,000"
    ),
    "key=value": lambda s, v: f"step={s} loss={v} lr=1e-5",
    "verl's JSONL": lambda s, v: (
        f'{{"step": {s}, "data": {{"actor/pg_loss": {v.replace("nan", "NaN")}}}}}'
    ),
    "Megatron": lambda s, v: f" iteration {s:>8}/ 100 | lm loss: {v} | loss scale: 1.0 |",
}


def printed(form: Callable[[int, str], str], last: int) -> str:
    """A loss that is NaN from step 51 to the last, then finite again."""
    return "".join(
        form(step, "nan" if 50 < step <= last else f"{2.5 - step / 100:.4f}") + "\n"
        for step in range(1, 101)
    )


@pytest.mark.parametrize("form", NAN_FORMS)
def test_a_loss_that_is_nan_is_seen_in_every_form(automaton: Automaton, form: str) -> None:
    result = scan_text(automaton, printed(NAN_FORMS[form], last=100))
    (found,) = result.diagnoses
    first = next(
        number
        for number, line in enumerate(printed(NAN_FORMS[form], last=100).splitlines(), 1)
        if "nan" in line.lower().replace("nano", "")
    )
    assert (found.signature.id, found.evidence[0].line) == ("loss-not-finite", first)


@pytest.mark.parametrize("form", NAN_FORMS)
def test_a_loss_that_recovers_is_no_finding(automaton: Automaton, form: str) -> None:
    assert said(scan_text(automaton, printed(NAN_FORMS[form], last=60))) == set()


def record(data: bytes) -> bytes:
    """A record of TFRecord."""
    size = struct.pack("<Q", len(data))
    return b"".join(
        (
            size,
            struct.pack("<I", masked_crc32c(size)),
            data,
            struct.pack("<I", masked_crc32c(data)),
        )
    )


def field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2, len(content)]) + content


def event(step: int, tag: str, value: float) -> bytes:
    """An Event with one scalar, as tensorboardX and torch write it."""
    scalar = field(1, tag.encode()) + b"\x15" + struct.pack("<f", value)
    varint = bytes([step & 127 | 128, step >> 7])
    return record(b"\x10" + varint + field(5, field(1, scalar)))


def events(last: int = 100) -> bytes:
    """An event file with a loss that is NaN from step 51 on."""
    rng = random.Random(1)
    return b"".join(
        event(step, "train/loss", float("nan") if step > 50 else 2.5 - step / 100)
        + event(step, "train/lr", rng.random())
        for step in range(1, last + 1)
    )


def scanned(automaton: Automaton, path: Path) -> ScanResult:
    scan = Scan(automaton)
    for source in find_sources([str(path)], None):
        assert not isinstance(source, Exception), source
        scan.read(source.name, source.chunks(), source.open_again)
    return scan.result()


def lines_of(path: Path) -> bytes:
    """What a file is read as; it must be read before the next is asked for."""
    return b"".join(
        chunk
        for source in find_sources([str(path)], None)
        if not isinstance(source, Exception)
        for chunk in source.chunks()
    )


def test_an_event_file_is_read_as_lines(automaton: Automaton, tmp_path: Path) -> None:
    path = tmp_path / "events.out.tfevents.1795389630.host"
    path.write_bytes(events())
    (found,) = scanned(automaton, path).diagnoses
    assert (found.signature.id, found.captures["metric"], found.captures["step"]) == (
        "loss-not-finite",
        "train/loss",
        "51",
    )
    assert "step:51 - " in found.evidence[0].text


@pytest.mark.parametrize("lost", [1, 7, 13, 30])
def test_a_record_that_is_still_being_written_is_no_fault(tmp_path: Path, lost: int) -> None:
    path = tmp_path / "events.out.tfevents.1.host"
    path.write_bytes(events()[:-lost])
    assert b"step:99 - train/loss:nan" in lines_of(path)


def test_what_stands_before_damage_is_read_and_the_damage_said(
    automaton: Automaton, tmp_path: Path
) -> None:
    path = tmp_path / "events.out.tfevents.1.host"
    path.write_bytes(events() + b"\x07" * 64)
    result = scanned(automaton, path)
    assert said(result) == {"loss-not-finite"}
    assert "another checksum" in (result.sources[0].problem or "")


def test_a_record_too_large_for_numbers_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "events.out.tfevents.1.host"
    path.write_bytes(events(20) + record(bytes(3 << 20)) + event(21, "train/loss", 0.5))
    assert lines_of(path).endswith(b"step:21 - train/loss:0.5\n")


def test_the_trainers_state_and_a_table_are_read_as_lines(
    automaton: Automaton, tmp_path: Path
) -> None:
    history = [
        {"step": step, "loss": float("nan") if step > 50 else 1.0, "epoch": step / 100}
        for step in range(1, 101)
    ]
    state = tmp_path / "trainer_state.json"
    state.write_text(json.dumps({"best_metric": None, "log_history": history}, indent=1))
    table = tmp_path / "metrics.csv"
    rows = "".join(f"{each['epoch']},{each['step']},{each['loss']}\n" for each in history)
    table.write_text("epoch,step,train_loss\n" + rows)
    for path, metric in ((state, "loss"), (table, "train_loss")):
        (found,) = scanned(automaton, path).diagnoses
        assert (found.signature.id, found.captures["metric"], found.captures["step"]) == (
            "loss-not-finite",
            metric,
            "51",
        )


def test_a_state_that_is_cut_off_tells_what_it_holds(automaton: Automaton, tmp_path: Path) -> None:
    path = tmp_path / "trainer_state.json"
    history = "".join(f'{{"step": {step}, "loss": NaN}}, ' for step in range(1, 30))
    path.write_text(f'{{"epoch": 1.0, "log_history": [{history}{{"step": 31, "lo')
    result = scanned(automaton, path)
    assert said(result) == {"loss-not-finite"}
    assert result.sources[0].lines == 29
    assert "broken or cut off" in (result.sources[0].problem or "")


@pytest.mark.parametrize("text", ["", "{", "[1", "no json", '{"log_history": [7'])
def test_what_is_no_state_is_said(automaton: Automaton, tmp_path: Path, text: str) -> None:
    path = tmp_path / "trainer_state.json"
    path.write_text(text)
    assert "broken or cut off" in (scanned(automaton, path).sources[0].problem or "")


@pytest.mark.parametrize("text", ['{"epoch": 1.0}', '{"log_history": [], "epoch": 1.0}', "{}"])
def test_a_state_without_a_history_is_no_fault(
    automaton: Automaton, tmp_path: Path, text: str
) -> None:
    path = tmp_path / "trainer_state.json"
    path.write_text(text)
    assert scanned(automaton, path).sources[0].problem is None


def test_the_folder_of_mlflow_is_a_run(automaton: Automaton, tmp_path: Path) -> None:
    """A file for each metric, named by it; folders are part of the name."""
    folder = tmp_path / "mlruns" / "0" / "0123456789abcdef0123456789abcdef"
    for metric, value in (("train/loss", "nan"), ("lr", "0.1")):
        path = folder / "metrics" / metric
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            "".join(
                f"{1700000000000 + step} {value if step > 50 else 0.5} {step}\n"
                for step in range(1, 101)
            )
        )
    (folder / "params").mkdir()
    (folder / "params" / "lr").write_text("0.1")
    result = scanned(automaton, tmp_path)
    assert [source.name.rpartition("metrics/")[2] for source in result.sources] == [
        "lr",
        "train/loss",
    ]
    (found,) = result.diagnoses
    assert (found.signature.id, found.captures["metric"], found.captures["step"]) == (
        "loss-not-finite",
        "train/loss",
        "51",
    )


def test_what_only_lies_in_such_a_folder_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 32) / "metrics" / "notes"
    path.parent.mkdir(parents=True)
    path.write_text("ValueError: x\n")
    assert lines_of(path) == b"ValueError: x\n"


def test_the_summary_of_wandb_is_one_line(tmp_path: Path) -> None:
    """Its own keys and what is no number are left out."""
    path = tmp_path / "wandb-summary.json"
    path.write_text('{"loss": NaN, "_runtime": 5.5, "_step": 90, "note": "x", "lr": 0.1}')
    assert lines_of(path) == b"step:90 - loss:nan - lr:0.1\n"
    path.write_text('{"loss": 0.5}')
    assert lines_of(path) == b""


def test_a_table_of_thousands_of_metrics_is_one(tmp_path: Path) -> None:
    """Its first line alone is longer than what is looked at of other files."""
    path = tmp_path / "metrics.csv"
    names = ",".join(f"layer_{number}/attention/grad_norm" for number in range(5000))
    path.write_text(f"epoch,step,{names}\n0,1{',0.5' * 5000}\n")
    assert lines_of(path).count(b":0.5") == 5000
    path.write_text(f"time,{names}\n")
    assert lines_of(path).startswith(b"time,layer_0")


ODD_VALUES = ['"NaN"', '"inf"', '"-Infinity"', "NaN", "Infinity"]


@pytest.mark.parametrize("value", [*ODD_VALUES, "null", '""', '"n/a"'])
def test_a_number_that_is_a_text_in_lines_of_json_is_a_number(
    automaton: Automaton, value: str
) -> None:
    """Null is none, and a line that is cut in the middle takes no other with it."""
    lines = [
        f'{{"step": {step}, "损失": 0.5, "loss": {value if step > 50 else 0.4 + step % 7 / 50}}}'
        for step in range(1, 101)
    ]
    lines[30] = lines[30][:20]
    found = {
        each.name: each.captures["step"]
        for each in scan_text(automaton, "\n".join(lines)).diagnoses
    }
    assert found == ({"loss-not-finite": "51"} if value in ODD_VALUES else {})


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "mlflow"])
def test_memory_does_not_grow_with_the_number_of_steps(kind: str, tmp_path: Path) -> None:
    """Ten times as many steps take the same, but for 20 MB that buffers and queues fill up to."""
    short, long = (
        cost_of(write(kind, tmp_path / str(count), steps_of(count)))["memory"]
        for count in (10_000, 100_000)
    )
    assert long < short + (20 << 20)


def test_an_event_file_of_gigabytes_is_read_past_what_is_no_number(tmp_path: Path) -> None:
    """Here of two records of 400 MB that are holes of the disk, with numbers around them."""
    path = tmp_path / "events.out.tfevents.1.host"
    size = struct.pack("<Q", 400 << 20)
    with path.open("wb") as file:
        for first in (0, 10):
            file.write(b"".join(event(first + step, "train/loss", 0.5) for step in range(1, 11)))
            file.write(size + struct.pack("<I", masked_crc32c(size)))
            file.seek((400 << 20) + 4, 1)
        file.write(event(21, "train/loss", 0.5))
    assert lines_of(path).endswith(b"step:21 - train/loss:0.5\n")
    assert lines_of(path).count(b"\n") == 21


@pytest.mark.parametrize("name", ["run-a.wandb", "run-a.swanlab", "events.out.tfevents.1.host"])
def test_what_is_encrypted_is_said_to_be_no_log(
    automaton: Automaton, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(random.Random(1).randbytes(100_000))
    (source,) = scanned(automaton, path).sources
    assert "looks like a binary file" in (source.problem or "")
