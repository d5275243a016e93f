"""Tenders Electronic Daily, the European Union's official journal of procurement, by its Search API v3."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy.http import JsonRequest

from spiders.base import PagedSpider
from tenderscrapy.exceptions import SourceError, SourceRequestError
from tenderscrapy.formats.ted_files import TED_HOSTS
from tenderscrapy.formats.ted_json import FIELDS, to_notice
from tenderscrapy.http.url_guard import PrivateHosts
from tenderscrapy.items import SourcePage

if TYPE_CHECKING:
    from scrapy.http import Request, Response

#: The API's words for a position that it has forgotten.
_LOST_POSITION = {"EXPIRED_ITERATION_TOKEN", "INVALID_ITERATION_TOKEN"}


class TedSpider(PagedSpider):
    """Iterates over a point in time of the index, so that notices published meanwhile neither shift nor repeat pages.

    The body of the request stays the same over a walk but for the token. A 400 is ours to mend and ends the run.
    """

    name = "ted"
    zone = "Europe/Luxembourg"
    fields = FIELDS
    takes_query = True
    #: The server counts the links it adds to every notice as one more field; fields x notices stays within 10,000.
    limit = min(250, 10_000 // (len(FIELDS) + 1))

    def page_request(self, cursor: Any) -> Request:
        """A POST search; ``cursor`` is the iteration token."""
        body = {
            "query": self._query(),
            "fields": list(self.fields),
            "limit": self.limit,
            "scope": "ALL",
            "paginationMode": "ITERATION",
            "onlyLatestVersions": False,
            "checkQuerySyntax": False,
        }
        if cursor is not None:
            body["iterationNextToken"] = cursor
        url = self.settings["TED_API_URL"]
        return JsonRequest(url, data=body, method="POST", meta={"handle_httpstatus_list": [400]})

    def _query(self) -> str:
        """Days are the API's own; newest first, as without an order 2016 would come first."""
        walk = self.run.walk
        parts = [f"({self.arguments.query})"] if self.arguments.query else []
        if walk is not None:
            parts.append(f"publication-date>={walk.since:%Y%m%d}")
            if walk.until:
                parts.append(f"publication-date<={walk.until:%Y%m%d}")
        return " AND ".join(parts) + " SORT BY publication-date DESC"

    def parse_page(self, response: Response) -> SourcePage:
        """Read ``{notices, totalNoticeCount, iterationNextToken, timedOut}``."""
        if response.status == 400:
            raise _refused(response)
        answer = _object(response)
        if not isinstance(answer.get("notices"), list):
            raise SourceError("TED answered without a list of notices")
        private = PrivateHosts.parse(self.settings.get("ALLOW_PRIVATE_HOSTS"))
        hosts = TED_HOSTS | {f"{host}:{port}" for host, port in private.pairs}
        notices, rejected = self.map(answer["notices"], partial(to_notice, file_hosts=hosts))
        total = answer.get("totalNoticeCount")
        return SourcePage(
            notices,
            next_cursor=_token(answer),
            announced=total if isinstance(total, int) else None,
            rejected=rejected,
            shortfall=self._silence(answer),
            partial=answer.get("timedOut") is True,
        )

    def _silence(self, answer: dict[str, Any]) -> str:
        """Nothing at all is believed only with a count that says so."""
        if answer["notices"] or self.run.fetched or isinstance(answer.get("totalNoticeCount"), int):
            return ""
        return "TED answered neither a notice nor how many there are"

    def restart_after(self, error: SourceRequestError) -> bool:
        """The token has expired; a made-up one has been seen to give a 500 again and again."""
        return error.kind in _LOST_POSITION or error.status == 500


def _token(answer: dict[str, Any]) -> str | None:
    token = answer.get("iterationNextToken")
    if token is not None and not isinstance(token, str):
        raise SourceError("TED answered with a token that is not text")
    return token


def _object(response: Response) -> dict[str, Any]:
    try:
        answer = json.loads(response.body)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"TED answered something that is not JSON: {error}") from None
    if not isinstance(answer, dict):
        raise SourceError("TED answered JSON that is not an object")
    return answer


def _refused(response: Response) -> SourceRequestError:
    """A 400 as an error; its message may list every field of the API, so it is cut."""
    try:
        answer = _object(response)
    except SourceError:
        answer = {}
    error = answer.get("error")
    kind = str(error.get("type", "")) if isinstance(error, dict) else ""
    message = str(answer.get("message", "no message"))[:200]
    return SourceRequestError(
        f"TED refused the request: {kind} {message}".strip(), status=400, kind=kind, permanent=True
    )
