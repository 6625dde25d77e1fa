"""FastAPI under uvicorn and gunicorn, with many requests."""
import asyncio, logging, random, subprocess, sys, time
import httpx
open("app.py", "w").write('''
import logging
from fastapi import FastAPI
app = FastAPI(); log = logging.getLogger("uvicorn")
@app.get("/v1/models")
def models(): return {"data": ["tiny"]}
@app.post("/v1/completions")
def complete(n: int = 1): log.info("completing %d tokens", n); return {"n": n}
@app.get("/health")
def health(): return "ok"
def wsgi(environ, start):
    start("200 OK", [("Content-Type", "text/plain")]); return [b"ok"]
''')
async def load(port, n):
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
        for i in range(n):
            await client.get(random.choice(["/health", "/v1/models", f"/v1/models?page={i}"])); await client.post(f"/v1/completions?n={random.randint(1, 4096)}")
for command, port in ((["uvicorn", "app:app", "--port", "8471", "--log-level", "trace"], 8471), (["gunicorn", "app:wsgi", "-b", "127.0.0.1:8472", "--log-level", "debug", "--access-logfile", "-", "-w", "2"], 8472)):
    server = subprocess.Popen([sys.executable, "-m", *command], stderr=subprocess.STDOUT); time.sleep(4)
    asyncio.run(load(port, 1500)); server.terminate(); server.wait()
