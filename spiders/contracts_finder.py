"""Contracts Finder, the United Kingdom's portal of contracts above 12,000 pounds, by its OCDS search."""

from __future__ import annotations

import json
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from scrapy.http import Request
from tenderscrapy.formats.ocds import to_notice

from spiders.base import PagedSpider, same_host
from tenderscrapy.exceptions import SourceError
from tenderscrapy.items import SourcePage

if TYPE_CHECKING:
    from scrapy.http import Response

#: Releases a page, the most that the service gives.
LIMIT = 100


class ContractsFinderSpider(PagedSpider):
    """Follows ``links.next`` to the letter: its cursor carries the filters, so nothing is built from it.

    The service answers 403 when it has had enough, for at least five minutes.
    """

    name = "contracts_finder"
    zone = "Europe/London"
    retry_statuses = frozenset({403})

    def page_request(self, cursor: Any) -> Request:
        """The first page by date, a later one by its address; ``{"before": date}`` looks behind a full last page."""
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
        return Request(f"{self.settings['CONTRACTS_FINDER_URL']}?{urlencode(parameters | {'limit': LIMIT})}")

    def parse_page(self, response: Response) -> SourcePage:
        """Read a release package; a full page without a next link is looked behind once before it is believed."""
        package = _package(response)
        releases = package["releases"]
        links = package.get("links")
        following = links.get("next") if isinstance(links, dict) else None
        asked = response.meta.get("cursor")
        if isinstance(asked, dict):
            releases, shortfall = _behind(releases, asked["before"])
            if shortfall or not releases:
                return SourcePage([], shortfall=shortfall)
        notices, rejected = self.map(releases, to_notice)
        if not following and len(package["releases"]) >= LIMIT and (oldest := _oldest(releases)):
            following = {"before": oldest}
        return SourcePage(notices, next_cursor=following or None, rejected=rejected)


def _package(response: Response) -> dict[str, Any]:
    try:
        package = json.loads(_text(response.body), parse_float=Decimal)
    except ValueError as error:
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


def _oldest(releases: list[Any]) -> str | None:
    dated = [(moment, release["date"]) for release in releases if (moment := _date(release))]
    return min(dated)[1] if dated else None


def _behind(releases: list[Any], before: str) -> tuple[list[Any], str]:
    """What a probe found older than ``before``, and why its answer is no proof, where it is none."""
    limit = datetime.fromisoformat(before)
    dated = [(moment, release) for release in releases if (moment := _date(release))]
    if any(moment > limit for moment, _ in dated):
        return [], "a full page named no next one, and the service ignored the date asked for to look behind it"
    return [release for moment, release in dated if moment < limit], ""
