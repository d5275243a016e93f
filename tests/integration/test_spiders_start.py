"""Every spider that Scrapy finds can begin: its run is opened in the database, and it asks for a page."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import Settings
from scrapy.spiderloader import SpiderLoader
from scrapy.utils.test import get_crawler

from tenderscrapy import settings as own_settings
from tenderscrapy.extensions.run import Run

if TYPE_CHECKING:
    from scrapy import Request

SPIDERS = SpiderLoader.from_settings(Settings({"SPIDER_MODULES": ["spiders"]}))

#: What a spider cannot begin without.
ARGUMENTS = {"netserver": {"portal": "berlin"}, "cosinex": {"portal": "rlp"}}


@pytest.mark.parametrize("name", SPIDERS.list())
def test_a_spider_starts_with_one_request_for_its_first_page(name: str, database: str) -> None:
    ours = {key: getattr(own_settings, key) for key in dir(own_settings) if key.isupper()}
    crawler = get_crawler(SPIDERS.load(name), ours)
    crawler.spider = spider = crawler._create_spider(**ARGUMENTS.get(name, {}))

    async def first_requests() -> list[Request]:
        try:
            return [request async for request in spider.start()]
        finally:
            run: Any = Run.of(crawler)
            run.database.close()

    (request,) = asyncio.run(first_requests())
    assert (request.meta["walk_page"], request.meta["cursor"], request.dont_filter) == (0, None, True)
    assert request.url.startswith(("https://", "sample://"))
