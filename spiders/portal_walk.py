"""The walk over a portal without an interface for machines: a list, then each row's own pages, then its notice."""

from __future__ import annotations

import logging
import re
from collections import Counter
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Self

import psycopg2
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request
from scrapy.spidermiddlewares.httperror import HttpError

from spiders.base import PagedSpider
from spiders.known_rows import NOT_READ, known_rows, row_is_the_same, with_row
from tenderscrapy.exceptions import (
    AddressRefusedError,
    ConfigurationError,
    SourceError,
    SourceRequestError,
    UnreadableDocumentError,
)
from tenderscrapy.formats.page_outcome import Outcome
from tenderscrapy.items import Notice
from tenderscrapy.sources.denylist import is_denied
from tenderscrapy.sources.portals import portal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure

    from tenderscrapy.sources.portal_schema import Portal

logger = logging.getLogger(__name__)

_LOGIN = re.compile(r"openid-connect|/oauth2?/|/saml|/login\b|function=Login", re.IGNORECASE)


class PortalSpider(PagedSpider):
    """One spider for all portals of a platform: ``-a portal=ID``; the platform is the spider's name.

    ``parse_page`` gives the rows of a list as notices. Of each, ``first_step`` names the first further page and
    ``read_step`` reads an answer into the notice and names the next, until there is none: then the notice is handed on.
    All this happens in the portal's slot. A page that fails costs its row nothing but what it would have said: the
    notice is flagged and the run incomplete. A row that says what it said, of a notice read less than
    ``refresh_hours`` ago, is not asked about again unless ``since`` is given.
    """

    zone = "Europe/Berlin"
    first_days = 3650
    portal: Portal

    def __init__(self, portal: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._portal_id = portal
        self.outcomes: Counter[str] = Counter()
        if self.arguments.since is None:
            self.reads = "reading the whole list"

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """The spider of one portal, with that portal's delay (the command line's wins)."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.prepare(crawler.settings)
        if not crawler.settings.frozen:  # a crawl freezes them after this
            crawler.settings.set("DOWNLOAD_DELAY", spider.portal.delay, priority="spider")
        return spider

    def prepare(self, settings: BaseSettings) -> None:
        """Find the portal. Raises ConfigurationError when there is none of that name or it is not enabled."""
        files = str(settings.get("PORTALS_FILE") or ""), str(settings.get("ALLOW_PRIVATE_HOSTS") or "")
        found = portal(self.name, self._portal_id, *files)
        if not found.enabled:
            raise ConfigurationError(f"{found.code} ({found.name}) is not enabled: {found.disabled_reason}")
        self.portal = found
        self.zone = found.timezone
        bare = found.host.removeprefix("www.")
        self.allowed_hosts = [found.host, bare, f"www.{bare}"]

    @property
    def source_code(self) -> str:
        return self.portal.code

    def first_step(self, notice: Notice) -> Request | None:
        """The request for the first page of the notice's own; None when its row is all there is."""
        raise NotImplementedError

    def read_step(self, notice: Notice, response: Response) -> Request | None:
        """Read an answer into the notice, all or nothing; the next request, None when it is whole.

        Raises SourceError or UnreadableDocumentError.
        """
        raise NotImplementedError

    def refresh_hours(self) -> float:
        """How long a notice whose row stays the same is taken as read."""
        return 0.0

    def page(self, url: str, **meta: Any) -> Request:
        """A request for a page of the portal, in a browser where it needs one."""
        return Request(url, meta=meta | ({"playwright": True} if self.portal.requires_browser else {}))

    def met(self, outcome: Outcome, what: str) -> None:
        """Count a page's outcome; all but the clean ones are said."""
        self.outcomes[outcome] += 1
        if self.crawler.stats is not None:
            self.crawler.stats.inc_value(f"portal/outcome/{outcome}")
        if not outcome.clean:
            logger.warning("%s: %s: %s", self.source_code, str(outcome).replace("_", " "), what)

    async def parse(self, response: Response) -> AsyncIterator[Any]:
        """A page of the list: as for every source, then the rows' own pages."""
        rows: list[Notice] = []
        async for part in super().parse(response):
            if isinstance(part, Notice):
                rows.append(part)
            else:
                yield part
        try:
            stored = await self._stored(rows)
        except psycopg2.Error as error:
            # without it a notice in part could not be told from one that is stored whole
            self.run.break_off("incomplete", f"the database did not answer: {str(error).strip()[:200]}")
            self.run.checkpoint.fail(rows[0].walk_page)
            return
        for notice in rows:
            known = stored.get(notice.notice_id)
            request = self.first_step(notice)
            if request is not None and known is not None and self._is_current(notice, *known):
                self._settle_unread(notice)
            elif request is None:
                yield notice
            else:
                yield self._step(request, notice, known[0] if known else None)

    async def _stored(self, rows: list[Notice]) -> dict[str, tuple[Notice, datetime]]:
        if not rows or self.run.database is None:
            return {}
        return await self.run.database.run(known_rows, self.source_code, [notice.notice_id for notice in rows])

    def _is_current(self, notice: Notice, stored: Notice, seen_at: datetime) -> bool:
        return (
            self.arguments.since is None
            and row_is_the_same(notice, stored)
            and not any(flag.code == NOT_READ for flag in stored.flags)
            and datetime.now(UTC) - seen_at < timedelta(hours=self.refresh_hours())
        )

    def _settle_unread(self, notice: Notice) -> None:
        """The stored notice stands; its row is done with."""
        self.run.counts["unchanged"] += 1
        self.run.batches.settle(notice.walk_page)

    def _step(self, request: Request, notice: Notice, stored: Notice | None) -> Request:
        carried = {"notice": notice, "stored": stored}
        # before the next page of the list: what has begun is finished first
        return request.replace(
            callback=self.parse_step, errback=self.step_failed, cb_kwargs=carried, dont_filter=True, priority=1
        )

    def parse_step(self, response: Response, notice: Notice, stored: Notice | None) -> Iterator[Any]:
        """One of a row's own pages: on to the next, or the notice is whole."""
        before = deepcopy(notice)
        try:
            following = self.read_step(notice, response)
        except (SourceError, UnreadableDocumentError) as error:
            outcome = getattr(error, "outcome", Outcome.NO_ROWS_MATCHED)
            yield from self._in_part(before, stored, outcome, str(error))
            return
        except Exception as error:
            # a page that nobody thought of must not stop its whole list, in this run and in all later ones
            logger.exception("%s: %s cannot be read", self.source_code, response.url.partition("?")[0])
            yield from self._in_part(before, stored, Outcome.NO_ROWS_MATCHED, f"{type(error).__name__}: {error}"[:200])
            return
        self.met(Outcome.OK, "")
        yield notice if following is None else self._step(following, notice, stored)

    def step_failed(self, failure: Failure) -> Iterator[Notice]:
        """A page of a row could not be had: what is known of its notice is handed on, unless the run is stopping."""
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy sets it
        if not self.crawler.engine.running:
            return
        outcome, error = self._read_failure(failure)
        if error.retry_after is not None:
            self.run.postpone(error.retry_after)
        yield from self._in_part(request.cb_kwargs["notice"], request.cb_kwargs["stored"], outcome, str(error))

    def _in_part(self, notice: Notice, stored: Notice | None, outcome: Outcome, reason: str) -> Iterator[Notice]:
        self.met(outcome, f"{notice.notice_id} is kept as far as it is known: {reason}")
        self.run.break_off("incomplete", f"{outcome}: a page of {notice.notice_id} could not be read: {reason}")
        if stored is None:
            yield notice.flag(NOT_READ, "", str(outcome))
        elif row_is_the_same(notice, stored):
            self._settle_unread(notice)
        else:
            yield with_row(stored, notice).flag(NOT_READ, "", str(outcome))

    def failed(self, failure: Failure) -> Iterable[Request]:
        """A page of the list could not be had; the outcome stands before the reason."""
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy sets it
        outcome, error = self._read_failure(failure)
        self.met(outcome, str(error))
        yield from self._recover(error, request.meta["cursor"], request.meta["walk_page"])

    def _read_failure(self, failure: Failure) -> tuple[Outcome, SourceRequestError]:
        error, request = failure.value, failure.request  # type: ignore[attr-defined]  # Scrapy sets it
        place, status, wait, permanent = request.url.partition("?")[0][:200], None, None, False
        outcome, reason = Outcome.HTTP_ERROR, f"{type(error).__name__}: {str(error)[:200]}"
        if isinstance(error, HttpError):
            status = error.response.status
            reason, permanent = f"answered {status}", status < 500
        elif isinstance(error, AddressRefusedError):
            # who leaves for a sign-in of another host wants a login; no request went there
            login = _LOGIN.search(request.url) and not is_denied(request.url)
            outcome, reason, permanent = Outcome.LOGIN if login else Outcome.DENIED_HOST, str(error), True
        elif isinstance(error, IgnoreRequest):
            outcome, reason = Outcome.ROBOTS, "robots.txt forbids it"
        elif isinstance(error, SourceRequestError):
            status, wait, permanent, reason = error.status, error.retry_after, error.permanent, str(error)
        return outcome, SourceRequestError(
            f"{outcome}: {place}: {reason}", status=status, kind=str(outcome), retry_after=wait, permanent=permanent
        )
