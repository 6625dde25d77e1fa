"""Progress bars tell how far a loop came, and that it went on."""

from __future__ import annotations

from logdoctor.formats.progress_bars import drawn_bars, training_step
from logdoctor.model import Progress
from logdoctor.model.history import LOOPS_LIMIT, MOVES_KEPT, Histories


def _read(*texts: str) -> Histories:
    histories = Histories()
    for number, text in enumerate(texts, 1):
        for bar in drawn_bars(number, text):
            histories["train.log"].note(bar)
    return histories


def _moves(histories: Histories, source: str = "train.log") -> list[list[int]]:
    return [loop.moves for loop in histories[source].loops.values()]


def test_the_bar_of_the_trainer_has_no_label_and_counts_where_something_else_tells_of_training() -> (
    None
):
    histories = _read(" 61%|██████▏   | 2306/3750 [4:00:06<2:23:22,  5.96s/it]")
    assert training_step(histories, "train.log") == Progress("train.log", 1, 2306, 3750)
    assert training_step(histories, None) is None


def test_a_bar_that_is_called_training_counts_everywhere() -> None:
    histories = _read(
        "(TaskRunner pid=1651349) Training Progress:   0%|          | 33/15625 [36:51<289:24:03, 66.82s/it]"
    )
    assert training_step(histories, None) == Progress("train.log", 1, 33, 15625)


def test_loading_and_data_are_no_training() -> None:
    histories = _read(
        "Loading checkpoint shards: 100%|██████████| 3/3 [00:15<00:00,  5.04s/it]",
        "Generating train split: 100%|██████████| 570/570 [00:00<00:00, 179015.60 examples/s]",
        "Training split:  10%|█         | 57/570 [00:00<00:00, 179015.60 examples/s]",
    )
    assert training_step(histories, "train.log") is None


def test_the_loop_drawn_last_is_the_one_meant() -> None:
    histories = _read(
        " 50%|█████     | 100/200 [00:05<00:05, 20.0it/s]",
        "100%|██████████| 9000/9000 [00:05<00:00, 1800.0it/s]",
        "100%|██████████| 200/200 [00:10<00:00, 20.0it/s]",
    )
    assert training_step(histories, "train.log") == Progress("train.log", 3, 200, 200)


def test_moves_are_the_lines_in_which_the_same_bar_shows_another_step() -> None:
    histories = _read(
        "eval:   4%|▍         | 1/24 [00:41<15:48, 41.23s/it]",
        "eval:   8%|▊         | 2/24 [01:21<14:52, 40.57s/it]eval:   8%|▊         | 2/24 [01:21<14:52, 40.57s/it]",
        "eval:  12%|█▎        | 3/24 [02:01<14:12, 40.57s/it]",
    )
    assert _moves(histories) == [[1, 2, 3]]
    assert _moves(histories, "other.log") == []


def test_epochs_are_one_loop() -> None:
    histories = _read(
        "Epoch 1: 100%|██████████| 928/928 [00:33<00:00, 2.18it/s]",
        "Epoch 2:   0%|          | 1/928 [00:00<06:32, 2.18it/s]",
    )
    assert _moves(histories) == [[1, 2]]


def test_what_is_kept_has_limits() -> None:
    many = _read(
        *(
            f"step:  1%| | {n}/{9 * MOVES_KEPT} [00:00<06:32, 2.18it/s]"
            for n in range(3 * MOVES_KEPT)
        )
    )
    (moves,) = _moves(many)
    assert len(moves) <= MOVES_KEPT
    assert (moves[0], moves[-1]) == (1, 3 * MOVES_KEPT)
    crowd = _read(*(f"1%| | 1/{n} [00:00<06:32, 2.18it/s]" for n in range(1, 2 * LOOPS_LIMIT)))
    assert len(_moves(crowd)) == LOOPS_LIMIT


def test_work_under_way_is_told_from_its_preparation() -> None:
    texts = (
        "Loading checkpoint shards: 100%|██████████| 3/3 [00:15<00:00,  5.04s/it]",
        "Capturing CUDA graph shapes:  50%|█████     | 1/2 [00:15<00:00,  5.04s/it]",
        "处理测试数据:   0%|          | 0/24 [00:00<?, ?it/s]",
        "处理测试数据:   4%|▍         | 1/24 [00:41<15:48, 41.23s/it]",
        "  4%|▍         | 1/24 [00:41<15:48, 41.23s/it]",
    )
    told = [bar.is_work for text in texts for bar in drawn_bars(1, text)]
    assert told == [False, False, False, True, True]
