"""Healthy log: caught exceptions of a data pipeline with whole tracebacks, retried connections, then a training that ends well.

Packages (python 3.11): torch==2.13.0 (CPU build), requests==2.34.2, numpy==2.4.6
Run:
    python healthy_caught_errors.py > caught-errors.log 2>&1
Only loopback is used: a port which is closed at first and served by a thread of this program after some seconds.
"""

import http.server
import json
import logging
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import requests
import torch

logging.basicConfig(level=logging.INFO, format="%(asctime)s - %(name)s - %(levelname)s - %(message)s")
log = logging.getLogger("pipeline")


class Answer(http.server.BaseHTTPRequestHandler):
    hits = 0

    def do_GET(self):
        Answer.hits += 1
        if Answer.hits in (2, 3):
            self.send_error(503, "model is still loading")
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"status": "ok"}')


def connect(port):
    url = f"http://127.0.0.1:{port}/health"
    for attempt in range(1, 11):
        try:
            r = requests.get(url, timeout=1)
            r.raise_for_status()
            log.info("reward server is healthy after %d attempts: %s", attempt, r.text)
            return url
        except requests.HTTPError as e:
            log.error("attempt %d/10: reward server answered with an error: %s", attempt, e)
        except requests.ConnectionError:
            log.warning(
                "attempt %d/10: cannot reach the reward server at %s, retrying in %.1f s",
                attempt,
                url,
                0.25 * 1.6**attempt,
                exc_info=attempt in (1, 2),
            )
        time.sleep(0.25 * 1.6**attempt)
    raise SystemExit("reward server did not come up")


def load(i):
    """A sample; three of the thousand are damaged in different ways."""
    line = json.dumps({"id": i, "prompt": "x" * (i % 7 + 1), "answer": i % 10, "features": [float((i * k) % 11) for k in range(1, 9)]})
    if i == 113:
        line = line[:41]
    d = json.loads(line)
    if i == 402:
        del d["features"]
    if i == 777:
        d["features"] = d["features"][:5]
    x = torch.tensor(d["features"])
    return (x @ torch.ones(8)).item(), x


def tokenize(sample):
    try:
        return load(sample)
    except KeyError as e:
        raise ValueError(f"sample {sample} has no field {e}") from e


def main():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    server = []

    def later():
        server.append(http.server.ThreadingHTTPServer(("127.0.0.1", port), Answer))
        server[0].serve_forever()

    threading.Timer(4, later).start()
    connect(port)

    good, failed = [], 0
    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(tokenize, i) for i in range(1000)]
        for i, f in enumerate(futures):
            try:
                good.append(f.result())
            except Exception:
                failed += 1
                log.exception("Failed to process sample %d, skipping sample", i)
            if i % 100 == 99:
                log.info("processed %d/1000 samples (%d failed so far)", i + 1, failed)
    log.warning("%d samples failed and were skipped (tolerated: 10)", failed)

    x = torch.stack([g[1] for g in good])
    y = torch.tensor([g[0] for g in good])[:, None]
    m = torch.nn.Linear(8, 1)
    opt = torch.optim.Adam(m.parameters(), 0.02)
    for step in range(1, 121):
        idx = torch.randint(0, len(x), (64,))
        loss = ((m(x[idx]) - y[idx]) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step == 60:
            try:
                m.load_state_dict({"weight": torch.zeros(1, 9)})
            except RuntimeError:
                log.exception("could not warm-start the EMA copy from the old checkpoint, starting it fresh")
        if step % 50 == 0:
            try:
                requests.get(f"http://127.0.0.1:{port}/health", timeout=1).raise_for_status()
            except requests.RequestException as e:
                log.warning("health check failed: %r", e)
        log.info("step %d/120 loss %.4f", step, loss.item())
    server[0].shutdown()
    log.info("done. failed: %d, succeeded: %d", failed, len(good))


if __name__ == "__main__":
    main()
