"""``scrapy attachments``: fetch the files that wait, without a crawl."""

from __future__ import annotations

import logging
from contextlib import closing
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import Spider

from tenderscrapy import command
from tenderscrapy.exceptions import ConfigurationError

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator

logger = logging.getLogger(__name__)

_PIPELINE = "pipelines.attachments.AttachmentsPipeline"
_DRAIN = "tenderscrapy.extensions.attachment_drain.AttachmentDrain"


class FilesOnly(Spider):
    """Asks for no page; the drain keeps it open while there are files to fetch."""

    name = "attachments"
    custom_settings: ClassVar[dict[Any, Any]] = {  # type: ignore[misc]
        "ITEM_PIPELINES": {_PIPELINE: 400},
        "EXTENSIONS": {_DRAIN: 200, "scrapy.extensions.logstats.LogStats": None},
        "ATTACHMENTS_BUDGET": 0,  # the command ends when the files do
    }

    def __init__(self, source_code: str = "", once: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.source_code = source_code
        self.once = once

    async def start(self) -> AsyncIterator[Any]:
        """No pages."""
        pages: tuple[Any, ...] = ()
        for page in pages:
            yield page


class Command(command.Command):
    """Exit status 0 when every file that was due has been tried; 1 when the run was stopped before."""

    def short_desc(self) -> str:
        return "Fetch the files that are pending"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--source", default="", metavar="CODE", help="only files of this source")
        parser.add_argument("--once", action="store_true", help="try each file that is due once, wait for none")
        parser.add_argument("--sweep", action="store_true", help="remove files that no tender refers to, then end")

    def work(self, opts: argparse.Namespace) -> int:
        # every scrapy command imports this module
        from tenderscrapy.database import attachments
        from tenderscrapy.database.migrate import ready_url
        from tenderscrapy.database.pool import connect

        settings: Any = self.settings
        if opts.sweep:
            print(_sweep(settings["FILES_STORE"]))
            return 0
        _check_source(opts.source)
        process: Any = self.crawler_process
        crawler = process.create_crawler(FilesOnly)
        process.crawl(crawler, source_code=opts.source, once=opts.once)
        process.start()
        finished = crawler.stats.get_value("finish_reason") == "finished"
        url = ready_url()
        if amqp_url := settings.get("AMQP_URL"):
            _publish(url, amqp_url)
        connection = connect(url)
        try:
            found = attachments.counts(connection, opts.source)
        finally:
            connection.close()
        print(", ".join(f"{count} {status}" for status, count in found.items()) or "no files")
        return 0 if finished else 1


def _check_source(code: str) -> None:
    """Raises ConfigurationError for a source that neither the product nor the database knows."""
    from tenderscrapy.database.migrate import ready_url
    from tenderscrapy.database.pool import connect
    from tenderscrapy.database.queries import queries
    from tenderscrapy.sources.registry import fill

    with closing(connect(ready_url())) as connection:
        fill(connection)
        known = [row[0] for row in queries("sources").codes(connection)]
    if code and not any(name == code or name.startswith(f"{code}:") for name in known):
        raise ConfigurationError(f"there is no source {code!r}; there are {', '.join(known)}")


def _publish(url: str, amqp_url: str) -> None:
    """Carry the events of the files to the broker; what it does not take now waits for the next relay."""
    from tenderscrapy.messaging.outbox import OutboxRelay

    relay = OutboxRelay(url, amqp_url)
    relay.start()
    try:
        relay.drain(20.0)
    finally:
        relay.close()


def _sweep(folder: str) -> str:
    """Remove what is older than a day and belongs to nobody: parts of broken transfers, files without a row."""
    from tenderscrapy.database import attachments
    from tenderscrapy.database.migrate import ready_url
    from tenderscrapy.database.pool import connect
    from tenderscrapy.http.file_store import FileStore

    store = FileStore(folder)
    parts = store.remove_parts()
    removed = 0
    connection = connect(ready_url())
    try:
        for paths in store.old_files():
            kept = attachments.referenced(connection, paths)
            removed += sum(store.remove(path) for path in paths if path not in kept)
    finally:
        connection.close()
    return f"removed {parts} unfinished and {removed} unreferenced files"
