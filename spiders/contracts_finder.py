"""Contracts Finder, the United Kingdom's portal of contracts above 12,000 pounds, by its OCDS search."""

from __future__ import annotations

import json
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from scrapy.http import Request

from spiders.base import PagedSpider
from tenderscrapy.exceptions import SourceError
from tenderscrapy.formats.ocds import to_notice
from tenderscrapy.items import SourcePage

if TYPE_CHECKING:
    from scrapy.http import Response


class ContractsFinderSpider(PagedSpider):
    """Follows ``links.next`` to the letter: its cursor carries the filters, so nothing is built from it.

    The service answers 403 when it has had enough, for at least five minutes.
    """

    name = "contracts_finder"
    zone = "Europe/London"
    retry_statuses = frozenset({403})
    #: Releases a page, the most that the service gives.
    limit = 100

    def page_request(self, cursor: Any) -> Request:
        """The first page by date, a later one by its address; ``{"before", "seen"}`` looks behind a full last page."""
        if isinstance(cursor, str):
            return Request(same_host(cursor, self.settings["CONTRACTS_FINDER_URL"]))
        walk = self.run.walk
        parameters: dict[str, str | int] = {}
        if walk is not None:
            parameters["publishedFrom"] = f"{walk.since.isoformat()}T00:00:00"
            if walk.until:
                parameters["publishedTo"] = f"{walk.until.isoformat()}T23:59:59"
        if cursor is not None:
            parameters["publishedTo"] = cursor["before"]
        return Request(f"{self.settings['CONTRACTS_FINDER_URL']}?{urlencode(parameters | {'limit': self.limit})}")

    def parse_page(self, response: Response) -> SourcePage:
        """Read a release package; a full page without a next link is looked behind once before it is believed."""
        package = _package(response)
        releases = package["releases"]
        links = package.get("links")
        following = links.get("next") if isinstance(links, dict) else None
        if following and not isinstance(following, str):
            raise SourceError("Contracts Finder names a next page that is not an address")
        asked = response.meta.get("cursor")
        if isinstance(asked, dict):
            releases, shortfall = _behind(releases, asked)
            if shortfall or not releases:
                return SourcePage([], shortfall=shortfall)
        notices, rejected = self.map(releases, to_notice)
        if not following and len(package["releases"]) >= self.limit:
            following = _probe(package["releases"])
        return SourcePage(notices, next_cursor=following or None, rejected=rejected)


def _package(response: Response) -> dict[str, Any]:
    try:
        package = json.loads(_text(response.body), parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"Contracts Finder answered something that is not JSON: {error}") from None
    if not isinstance(package, dict) or not isinstance(package.get("releases"), list):
        raise SourceError("Contracts Finder answered without a list of releases")
    return package


def _text(body: bytes) -> str:
    """UTF-8 as it should be; Latin-1 has been seen."""
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return body.decode("cp1252", "replace")


def _date(release: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(release["date"])
    except (TypeError, KeyError, ValueError):
        return None
    return moment if moment.tzinfo else None


def _probe(releases: list[Any]) -> dict[str, Any] | None:
    """The cursor that asks for what is as old as the oldest of ``releases`` or older, but for those seen already."""
    dated = [(moment, release) for release in releases if (moment := _date(release))]
    if not dated:
        return None
    oldest, release = min(dated, key=lambda pair: pair[0])
    seen = sorted({str(other.get("id")) for moment, other in dated if moment == oldest})
    return {"before": release["date"], "seen": seen}


def _behind(releases: list[Any], asked: dict[str, Any]) -> tuple[list[Any], str]:
    """What a probe found that was not seen, and why its answer is no proof, where it is none."""
    limit = datetime.fromisoformat(asked["before"])
    dated = [(moment, release) for release in releases if (moment := _date(release))]
    if any(moment > limit for moment, _ in dated):
        return [], "a full page named no next one, and the service ignored the date asked for to look behind it"
    return [release for _, release in dated if str(release.get("id")) not in asked["seen"]], ""


def same_host(url: str, base: str) -> str:
    """``url`` if it lies on the host of ``base``; raises SourceError else: a page never leads to another host."""
    if urlsplit(url).netloc.lower() != urlsplit(base).netloc.lower():
        raise SourceError(f"the next page lies on another host: {url[:200]}")
    return url
