"""httpx, urllib3 and aiohttp at debug level against a server on this machine; scrapy crawls it."""
import functools, http.server, logging, subprocess, sys, threading
import asyncio, aiohttp, httpx
folder = sys.prefix + "/lib/python3.%d/site-packages" % sys.version_info[1]
server = http.server.ThreadingHTTPServer(("127.0.0.1", 8473), functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder))
threading.Thread(target=server.serve_forever, daemon=True).start()
open("spider.py", "w").write('''
import scrapy
class Spider(scrapy.Spider):
    name = "local"; start_urls = ["http://127.0.0.1:8473/"]; custom_settings = {"CLOSESPIDER_PAGECOUNT": 900, "DEPTH_LIMIT": 2}
    def parse(self, response):
        for href in response.css("a::attr(href)").getall()[:60]:
            if href.endswith("/"): yield response.follow(href, self.parse)
        yield {"title": response.css("title::text").get(), "links": len(response.css("a"))}
''')
subprocess.run([sys.executable, "-m", "scrapy", "runspider", "spider.py"], check=True)
logging.basicConfig(level=logging.DEBUG, format="%(asctime)s.%(msecs)03d | %(levelname)-8s | %(name)s:%(funcName)s:%(lineno)d - %(message)s")
with httpx.Client() as client:
    for i in range(500): client.get(f"http://127.0.0.1:8473/torch/?n={i}")
async def many():
    async with aiohttp.ClientSession() as session:
        for i in range(300): await (await session.get(f"http://127.0.0.1:8473/ray/?n={i}")).text()
asyncio.run(many())
