"""Progress bars tell how far a loop came, and that it went on."""

from __future__ import annotations

from logdoctor.formats.progress_bars import LOOPS_LIMIT, MOVES_KEPT, LoopReader
from logdoctor.model import Progress


def _read(*texts: str) -> LoopReader:
    reader = LoopReader()
    for number, text in enumerate(texts, 1):
        reader.feed("train.log", number, text)
    return reader


def test_the_bar_of_the_trainer_has_no_label_and_counts_where_something_else_tells_of_training() -> (
    None
):
    reader = _read(" 61%|██████▏   | 2306/3750 [4:00:06<2:23:22,  5.96s/it]")
    assert reader.training_step("train.log") == Progress("train.log", 1, 2306, 3750)
    assert reader.training_step(None) is None


def test_a_bar_that_is_called_training_counts_everywhere() -> None:
    reader = _read(
        "(TaskRunner pid=1651349) Training Progress:   0%|          | 33/15625 [36:51<289:24:03, 66.82s/it]"
    )
    assert reader.training_step(None) == Progress("train.log", 1, 33, 15625)


def test_loading_and_data_are_no_training() -> None:
    reader = _read(
        "Loading checkpoint shards: 100%|██████████| 3/3 [00:15<00:00,  5.04s/it]",
        "Generating train split: 100%|██████████| 570/570 [00:00<00:00, 179015.60 examples/s]",
        "Training split:  10%|█         | 57/570 [00:00<00:00, 179015.60 examples/s]",
    )
    assert reader.training_step("train.log") is None


def test_the_loop_drawn_last_is_the_one_meant() -> None:
    reader = _read(
        " 50%|█████     | 100/200 [00:05<00:05, 20.0it/s]",
        "100%|██████████| 9000/9000 [00:05<00:00, 1800.0it/s]",
        "100%|██████████| 200/200 [00:10<00:00, 20.0it/s]",
    )
    assert reader.training_step("train.log") == Progress("train.log", 3, 200, 200)


def test_moves_are_the_lines_in_which_the_same_bar_shows_another_step() -> None:
    reader = _read(
        "eval:   4%|▍         | 1/24 [00:41<15:48, 41.23s/it]",
        "eval:   8%|▊         | 2/24 [01:21<14:52, 40.57s/it]eval:   8%|▊         | 2/24 [01:21<14:52, 40.57s/it]",
        "eval:  12%|█▎        | 3/24 [02:01<14:12, 40.57s/it]",
    )
    assert reader.moves("train.log") == ((1, 2, 3),)
    assert reader.moves("other.log") == ()


def test_epochs_are_one_loop() -> None:
    reader = _read(
        "Epoch 1: 100%|██████████| 928/928 [00:33<00:00, 2.18it/s]",
        "Epoch 2:   0%|          | 1/928 [00:00<06:32, 2.18it/s]",
    )
    assert reader.moves("train.log") == ((1, 2),)


def test_what_is_kept_has_limits() -> None:
    many = _read(
        *(
            f"step:  1%| | {n}/{9 * MOVES_KEPT} [00:00<06:32, 2.18it/s]"
            for n in range(3 * MOVES_KEPT)
        )
    )
    (moves,) = many.moves("train.log")
    assert len(moves) <= MOVES_KEPT
    assert (moves[0], moves[-1]) == (1, 3 * MOVES_KEPT)
    crowd = _read(*(f"1%| | 1/{n} [00:00<06:32, 2.18it/s]" for n in range(1, 2 * LOOPS_LIMIT)))
    assert len(crowd.moves("train.log")) == LOOPS_LIMIT


def test_work_under_way_is_told_from_its_preparation() -> None:
    reader = LoopReader()
    texts = (
        "Loading checkpoint shards: 100%|██████████| 3/3 [00:15<00:00,  5.04s/it]",
        "Capturing CUDA graph shapes:  50%|█████     | 1/2 [00:15<00:00,  5.04s/it]",
        "处理测试数据:   0%|          | 0/24 [00:00<?, ?it/s]",
        "处理测试数据:   4%|▍         | 1/24 [00:41<15:48, 41.23s/it]",
        "  4%|▍         | 1/24 [00:41<15:48, 41.23s/it]",
    )
    assert [reader.feed("eval.log", 1, text) for text in texts] == [False, False, False, True, True]
