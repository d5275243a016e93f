"""The walk over a paged source: load the cursor, hand on the notices, ask for the next page."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy.exceptions import CloseSpider
from scrapy.spidermiddlewares.httperror import HttpError

from spiders.chain import PARTIAL_RETRIES, Chain
from tenderscrapy.exceptions import (
    AddressRefusedError,
    ConfigurationError,
    SourceError,
    SourceRequestError,
    TenderscrapyError,
    UnreadableDocumentError,
)
from tenderscrapy.extensions.run import Run
from tenderscrapy.sources.walk import WalkArguments, plan

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable

    from scrapy.http import Request, Response
    from twisted.python.failure import Failure

    from tenderscrapy.items import Notice, SourcePage

logger = logging.getLogger(__name__)

#: Pages in flight at most: Scrapy bounds bytes, not pages.
PREFETCH = 4


class PagedSpider(scrapy.Spider):
    """A source that answers page by page: subclasses say how to ask for a page and how to read one.

    ``page_request(cursor)`` gets None for the first page, else the ``next_cursor`` of the page before.
    ``parse_page(response)`` gives a SourcePage or raises SourceError; an empty page ends the walk before its cursor is
    looked at.
    """

    zone = "UTC"
    fields: tuple[str, ...] = ()
    first_days = 7
    overlap = 0
    keeps_cursor = True
    takes_query = False
    reads = "reading since {since}"

    def __init__(
        self,
        since: str | None = None,
        until: str | None = None,
        max_pages: str | None = None,
        query: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        unknown = sorted(kwargs) + (["query"] if query and not self.takes_query else [])
        if unknown:
            raise ConfigurationError(f"{self.name} has no argument {', '.join(unknown)}")
        self.arguments = WalkArguments.parse(since, until, max_pages, query)

    @property
    def source_code(self) -> str:
        """The code under which runs and cursor of this walk are kept."""
        return self.name

    def page_request(self, cursor: Any) -> Request:
        """The request for the page at ``cursor``."""
        raise NotImplementedError

    def parse_page(self, response: Response) -> SourcePage:
        """The notices of an answer and the cursor of the next page."""
        raise NotImplementedError

    def restart_after(self, error: SourceRequestError) -> bool:
        """Whether this failure means that the walk has to begin again from its first page."""
        return False

    def map(self, documents: Iterable[Any], to_notice: Callable[[Any], Notice]) -> tuple[list[Notice], int]:
        """Map each document by itself: the notices, and how many could not be read at all (each is logged)."""
        found, rejected = [], 0
        for document in documents:
            try:
                found.append(to_notice(document))
            except UnreadableDocumentError as error:
                logger.warning("%s: a notice cannot be read and is left out: %s", self.name, str(error)[:300])
                rejected += 1
            except Exception as error:  # ours to mend; the other notices must not suffer
                logger.exception("%s: the mapper died over a notice, which is left out", self.name)
                self.run.leave_out(f"{type(error).__name__} in the mapper: {str(error)[:200]}; a notice is left out")
                rejected += 1
        return found, rejected

    @property
    def run(self) -> Run:
        """The run that this spider is part of."""
        return Run.of(self.crawler)

    async def start(self) -> AsyncIterator[Request]:
        """Open the run and ask for the page where the last one stopped."""
        self._chain = Chain(self.run, self.arguments.max_pages)
        self._restarted = False
        self.run.keeps_cursor = self.keeps_cursor
        try:
            stored = await self.run.open(self.source_code, self.name, f"{socket.gethostname()}:{os.getpid()}")
        except TenderscrapyError as error:
            self.run.break_off("failed", str(error))
            raise CloseSpider("start_error") from None
        walk = plan(
            self.arguments,
            stored,
            fields=self.fields,
            zone=self.zone,
            first_days=self.first_days,
            overlap=self.overlap,
        )
        self.run.resume(walk)
        if self.keeps_cursor:
            going_on = ", going on where the last walk stopped" if walk.position is not None else ""
            logger.info("%s: %s%s", self.source_code, self.reads.format(since=walk.since), going_on)
        yield self._first(walk.position)

    def _first(self, position: Any) -> Request:
        try:
            if position is not None:
                return self._request(position, 0)
        except (SourceError, ValueError, TypeError, KeyError) as error:
            logger.warning("%s: beginning anew, the stored position cannot be used: %s", self.name, error)
        try:
            return self._request(None, 0)
        except (ValueError, ConfigurationError) as error:
            self.run.break_off("failed", f"its address cannot be asked: {error}")
            raise CloseSpider("start_error") from None

    def _request(self, cursor: Any, page: int, tries: int = 0) -> Request:
        request = self.page_request(cursor)
        request.meta.update({"cursor": cursor, "walk_page": page, "tries": tries})
        return request.replace(callback=self.parse, errback=self.failed, dont_filter=True)

    async def parse(self, response: Response) -> AsyncIterator[Any]:
        """One page: announce it, ask for the next, hand on its notices."""
        number, cursor = response.meta["walk_page"], response.meta["cursor"]
        try:
            page = self.parse_page(response)
            end = self._chain.end(page, cursor, number)
        except SourceRequestError as error:
            for request in self._recover(error, cursor, number):
                yield request
            return
        except SourceError as error:
            self.run.break_off("failed", str(error))
            logger.error("%s: %s", self.name, error)
            return
        if page.partial and response.meta["tries"] < PARTIAL_RETRIES:
            logger.warning("%s: page %d was answered in part; asking again", self.name, number + 1)
            yield self._request(cursor, number, response.meta["tries"] + 1)
            return
        following, problem = self._following(page, number) if not end else (None, "")
        self._chain.announce(page, number, end, problem)
        if page.streamed:
            async for part in self._stream(page, number, following):
                yield part
            return
        if following and self.run.checkpoint.at_work <= PREFETCH:
            yield following
            following = None
        for notice in page.notices:
            notice.walk_page = number
            yield notice
        if following and await self._room():
            yield following

    async def _stream(self, page: SourcePage, number: int, following: Request | None) -> AsyncIterator[Any]:
        """A page that is read while its notices are handed on: how many it has is known at its end."""
        run, handed = self.run, 0
        for notice in page.notices:
            if not self.crawler.engine.running:
                return
            handed += 1
            run.counts["fetched"] += 1
            run.fetched += 1
            notice.walk_page = number
            yield notice
        run.counts["fetched"] += page.rejected
        run.counts["rejected"] += page.rejected
        if page.gap:
            # before it is closed: a batch that commits meanwhile must not take it for whole
            run.checkpoint.hold(number)
            run.break_off("incomplete", page.gap)
            logger.error("%s: %s", self.name, page.gap)
            if page.instead is not None:
                following = self._request(page.instead, number + 1)
        run.checkpoint.close(number, handed + page.rejected)
        run.batches.settle(number, page.rejected)
        run.batches.flush()
        if following and await self._room():
            yield following

    def _following(self, page: SourcePage, number: int) -> tuple[Request | None, str]:
        """The request for the next page, or why the page's cursor leads nowhere."""
        try:
            return self._request(page.next_cursor, number + 1), ""
        except (SourceError, ValueError, TypeError, KeyError) as error:
            return None, f"page {number + 1} names a next page that cannot be asked for: {str(error)[:200]}"

    async def _room(self) -> bool:
        """Wait until few pages are unsettled; False when the run is stopping or cannot settle them any more."""
        while self.run.checkpoint.at_work > PREFETCH:
            if not self.crawler.engine.running or self.run.checkpoint.blocked:
                return False
            await asyncio.sleep(0.01)
        return True

    def failed(self, failure: Failure) -> Iterable[Request]:
        """A page that could not be had: begin again where the source wants that, else end the walk here."""
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy sets it
        error = failure.value
        if isinstance(error, HttpError):
            status = error.response.status
            error = SourceRequestError(f"{request.url[:200]} answered {status}", status=status, permanent=status < 500)
        elif not isinstance(error, SourceRequestError):
            refused = isinstance(error, AddressRefusedError)
            error = SourceRequestError(f"{type(error).__name__}: {str(error)[:300]}", permanent=refused)
        yield from self._recover(error, request.meta["cursor"], request.meta["walk_page"])

    def _recover(self, error: SourceRequestError, cursor: Any, number: int) -> Iterable[Request]:
        if cursor is not None and not self._restarted and self.restart_after(error):
            logger.warning("%s: the position is no longer known there; beginning again from the first page", self.name)
            self._restarted = True
            self._chain.restart()
            self.run.restart(number)
            yield self._request(None, number)
            return
        self.run.break_off("failed" if error.permanent else "incomplete", str(error))
        if error.retry_after is not None:
            self.run.postpone(error.retry_after)
        logger.error("%s: page %d cannot be had: %s", self.name, number + 1, str(error)[:300])
