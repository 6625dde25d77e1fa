"""A run that SwanLab keeps offline, and that ends at a data file that is missing: `swanlab_offline.py FOLDER`.

A regression on numbers that it draws, so that its loss is that of a real run. FOLDER gets SwanLab's
folder, whose `run-*.swanlab` (releases before 0.8: `backup.swanlab`) is the sample.

Packages (python 3.11): swanlab==0.10.3
Run:
    python swanlab_offline.py /tmp/cap/swanlab
"""

import json
import random
import sys

import swanlab


def main(folder: str) -> None:
    random.seed(3)
    swanlab.init(project="regression", mode="offline", config={"lr": 0.05}, logdir=folder)
    weight = 0.0
    for step in range(24):
        if step % 12 == 0:
            print(f"reading shard {step // 12}", flush=True)
        if step == 18:
            rows = json.loads(open("/tmp/cap/job/work/shard_00002.json").read())
        rows = [(x := random.gauss(0, 1), 3 * x + random.gauss(0, 0.1)) for _ in range(16)]
        gradient = sum(2 * (weight * x - y) * x for x, y in rows) / len(rows)
        loss = sum((weight * x - y) ** 2 for x, y in rows) / len(rows)
        weight -= 0.05 * gradient
        swanlab.log({"train/loss": loss, "train/grad_norm": abs(gradient)}, step=step)


if __name__ == "__main__":
    main(sys.argv[1])
