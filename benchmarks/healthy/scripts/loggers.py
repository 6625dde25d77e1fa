"""The same work told by loguru, structlog, rich and tqdm."""
import logging, random, sys, time
import structlog
from loguru import logger
from rich.console import Console
from rich.logging import RichHandler
from rich.progress import track
from rich.table import Table
from tqdm import tqdm
words = "loading tokenizer|building model|sharding parameters|warming up cache|collecting rollouts|computing advantages|updating policy|syncing weights|saving state|evaluating|resharding|prefetching batch|flushing metrics|rotating log".split("|")
rich_log = logging.getLogger("rich"); rich_log.addHandler(RichHandler()); rich_log.setLevel(logging.DEBUG)
struct = structlog.get_logger(); console = Console(width=120)
for i in range(1500):
    w = random.choice(words)
    logger.debug("{} for step {}", w, i); logger.info("{} took {:.3f} s", w, random.random()); logger.success("{} finished", w)
    struct.info(w, step=i, seconds=round(random.random(), 3), worker=f"w-{i % 8}"); rich_log.info("%s, step %d, %.2f GB used", w, i, random.random() * 80)
    if i % 50 == 0:
        table = Table(title=f"step {i}")
        for c in ("metric", "mean", "min", "max"): table.add_column(c)
        for m in ("reward", "kl", "entropy", "length", "grad norm"): table.add_row(m, *(f"{random.random():.4f}" for _ in range(3)))
        console.print(table)
for name in words:
    for _ in tqdm(range(300), desc=name, mininterval=0): time.sleep(0.0005)
for _ in track(range(100), description="working"): pass
