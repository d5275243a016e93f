"""``scrapy crawl``: as Scrapy's own, with an exit status that tells whether the run was complete."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, Any

from scrapy.commands.crawl import Command as ScrapyCrawl

from tenderscrapy.exceptions import ConfigurationError
from tenderscrapy.settings_check import check_settings

if TYPE_CHECKING:
    import argparse


class Command(ScrapyCrawl):
    """Exit status 0 only for a complete run, 2 for an argument that cannot be used, else 1."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        crawlers: list[Any] = []
        process: Any = self.crawler_process
        if problem := self._problem(process, args, opts.spargs):
            print(f"scrapy crawl: {problem}", file=sys.stderr)
            self.exitcode = 2
            return
        create = process.create_crawler

        def remember(spider: Any) -> Any:
            crawlers.append(create(spider))
            _collect_rarely()
            return crawlers[-1]

        process.create_crawler = remember
        super().run(args, opts)
        if not crawlers or any(_state(crawler) != "complete" for crawler in crawlers):
            self.exitcode = 1

    def _problem(self, process: Any, args: list[str], arguments: dict[str, str]) -> str:
        """What cannot be used of the command line, empty when all can."""
        if len(args) != 1:
            return ""  # Scrapy's own usage message
        try:
            spider = process.spider_loader.load(args[0])(**arguments)
            check_settings(process.settings)
            if hasattr(spider, "prepare"):
                spider.prepare(process.settings)
        except KeyError:
            return f"there is no spider {args[0]!r}; scrapy list shows them"
        except ConfigurationError as error:
            return str(error)
        return ""


def _collect_rarely() -> None:
    """Pages are large trees without cycles: the default thresholds have the collector walk them over and over.

    Measured: an eighth of a crawl's processor time.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def _state(crawler: Any) -> str | None:
    try:
        return crawler.stats.get_value("run/state")
    except RuntimeError:  # the crawl never began
        return None
