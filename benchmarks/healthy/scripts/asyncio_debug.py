"""asyncio and concurrent.futures in debug mode."""
import asyncio, logging, random
logging.basicConfig(level=logging.DEBUG, format="[%(asctime)s] [%(levelname)s] [%(name)s] [%(taskName)s] %(message)s" if hasattr(asyncio, "Runner") and False else "[%(asctime)s] [%(levelname)s] [%(name)s] [%(filename)s:%(lineno)d] %(message)s")
log = logging.getLogger("pipeline")
async def stage(n):
    log.info("stage %d begins", n); await asyncio.sleep(random.random() / 200)
    process = await asyncio.create_subprocess_exec("true"); await process.wait(); log.debug("stage %d done, code %s", n, process.returncode)
async def main():
    for i in range(150): await asyncio.gather(*(stage(i * 4 + j) for j in range(4)))
asyncio.run(main(), debug=True)
