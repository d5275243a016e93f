"""An asyncio client without Scrapy: the same pages through the same mapper, one transaction a row.

``python -m bench.peers.asyncio_client URL SINCE HOST DATABASE_URL``. The next page is fetched while a page is written.
"""

from __future__ import annotations

import asyncio
import json
import sys
from functools import partial
from typing import Any

import aiohttp
import psycopg2

from bench.peers.asking import DELAY, question
from bench.peers.one_by_one import write
from tenderscrapy.formats.ted_json import to_notice


async def page(session: aiohttp.ClientSession, url: str, since: str, token: str | None) -> Any:
    await asyncio.sleep(DELAY)
    async with session.post(url, json=question(since, token)) as response:
        response.raise_for_status()
        return json.loads(await response.read())


async def crawl(url: str, since: str, host: str, database: str) -> None:
    mapper = partial(to_notice, file_hosts=frozenset({host}))
    connection = psycopg2.connect(database)
    async with aiohttp.ClientSession() as session:
        answer = await page(session, url, since, None)
        while answer["notices"]:
            following = asyncio.ensure_future(page(session, url, since, answer["iterationNextToken"]))
            notices = [mapper(document) for document in answer["notices"]]
            await asyncio.to_thread(write, connection, notices)
            answer = await following
    connection.close()


if __name__ == "__main__":
    asyncio.run(crawl(*sys.argv[1:5]))
