"""Bare Scrapy: the same pages through the same mapper into a file of JSON lines, and nothing else.

``python -m bench.peers.bare_scrapy URL SINCE HOST FILE``
"""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import JsonRequest

from bench.peers.asking import DELAY, question
from tenderscrapy.formats.ted_json import to_notice
from tenderscrapy.items import to_json

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Request, Response


class BareSpider(scrapy.Spider):
    """Walks TED's iteration."""

    name = "bare"

    def __init__(self, url: str, since: str, host: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.url, self.since = url, since
        self.to_notice = partial(to_notice, file_hosts=frozenset({host}))

    def page(self, token: str | None) -> Request:
        return JsonRequest(self.url, data=question(self.since, token), dont_filter=True)

    async def start(self) -> AsyncIterator[Request]:
        yield self.page(None)

    def parse(self, response: Response) -> Iterator[Any]:
        answer = json.loads(response.body)
        if answer["notices"]:
            yield self.page(answer["iterationNextToken"])
        for document in answer["notices"]:
            yield self.to_notice(document)


class JsonLines:
    """The leanest way to keep an item."""

    def open_spider(self) -> None:
        self.file = Path(sys.argv[4]).open("w", encoding="utf-8")  # noqa: SIM115 - closed with the spider

    def process_item(self, item: Any) -> Any:
        self.file.write(json.dumps(to_json(item), ensure_ascii=False) + "\n")
        return item

    def close_spider(self) -> None:
        self.file.close()


def main() -> None:
    process = CrawlerProcess(
        {
            "DOWNLOAD_DELAY": DELAY,
            "LOG_LEVEL": "WARNING",
            "TELNETCONSOLE_ENABLED": False,
            "CONCURRENT_ITEMS": 300,
            "ITEM_PIPELINES": {JsonLines: 1},
        }
    )
    process.crawl(BareSpider, url=sys.argv[1], since=sys.argv[2], host=sys.argv[3])
    process.start()


if __name__ == "__main__":
    main()
