"""Programs of the Hugging Face stack and of data files that cannot go on: `data_errors.py MODE`.

json-broken, file-missing, column-missing, map-worker: datasets. not-picklable, no-guard: processes that are spawned.
import-removed: a name that transformers no longer has. port-taken: a reward server whose port is in use, and a client
that asks for it until it gives up. supervisor: one failure, as a script that restarts it sees it.
"""

import json
import logging
import multiprocessing
import os
import socket
import subprocess
import sys
import time

logging.basicConfig(level=logging.INFO, format="%(levelname)s|%(asctime)s|%(name)s|%(message)s")
log = logging.getLogger("prepare")
MODE, FOLDER = sys.argv[1], os.environ.get("WORK_FOLDER", ".")


def write_rows(broken):
    path = os.path.join(FOLDER, "train.jsonl")
    with open(path, "w") as file:
        for row in range(5000):
            line = json.dumps({"prompt": f"question {row}", "answer": str(row % 10)})
            file.write((line[:-4] if broken and row == 4100 else line) + "\n")
    return path


def use_datasets():
    import datasets

    log.info("datasets %s", datasets.__version__)
    if MODE == "file-missing":
        return datasets.load_dataset("json", data_files="/data/gsm8k/train.jsonl", split="train")
    rows = datasets.load_dataset("json", data_files=write_rows(MODE == "json-broken"), split="train", cache_dir=os.path.join(FOLDER, "hf-cache"))
    log.info("loaded %d rows with the columns %s", len(rows), rows.column_names)
    if MODE == "column-missing":
        return rows.remove_columns(["solution"])
    return rows.map(lambda row: {"number": int(row["answer"].replace("7", "seven"))}, num_proc=2)


def work(function):
    return function(3)


def spawn():
    context = multiprocessing.get_context("spawn")
    scale = 4
    log.info("starting 2 tokenizer processes")
    with context.Pool(2) as pool:
        print(pool.map(work, [lambda value: value * scale]))


def serve_and_ask():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(0)
        port = str(taken.getsockname()[1])
        log.info("starting the reward server on port %s", port)
        server = subprocess.Popen([sys.executable, "-m", "http.server", port, "--bind", "127.0.0.1"])
        server.wait(20)
    import urllib.request

    for attempt in range(1, 41):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=1)
        except OSError as error:
            log.warning("attempt %d/40: reward server at port %s is not ready: %s", attempt, port, error)
            time.sleep(0.05)
    raise RuntimeError("reward server is not reachable after 40 attempts")


def train_and_fail():
    for step in range(1, 26):
        log.info("step %d/100 loss %.3f", step, 3 / step)
    with open(os.path.join(FOLDER, "curriculum", "stage_2.json")) as file:
        json.load(file)


if MODE == "no-guard":
    log.info("starting the producer")
    process = multiprocessing.get_context("spawn").Process(target=print, args=("ready",))
    process.start()
    process.join()
    log.info("producer ended with %s", process.exitcode)
    sys.exit(process.exitcode)
if __name__ == "__main__":
    if MODE == "import-removed":
        from transformers import AdamW  # noqa: F401
    {"not-picklable": spawn, "port-taken": serve_and_ask, "supervisor": train_and_fail}.get(MODE, use_datasets)()
