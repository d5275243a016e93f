"""Redirects: few, apart from retries, and each hop is a new request to a new host."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from scrapy.downloadermiddlewares.redirect import RedirectMiddleware as ScrapyRedirectMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.utils.httpobj import urlparse_cached

from tenderscrapy.exceptions import SourceRequestError
from tenderscrapy.http.url_guard import CREDENTIALS

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

ATTACHMENT_SLOT = "attachments:"
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_USER = re.compile("//[^/]*@")


class RedirectMiddleware(ScrapyRedirectMiddleware):
    """Scrapy's, with the rules of an API client.

    A JSON POST that is answered with 301, 302 or 303 would become a GET without its query: refused; 307 and 308 keep
    it. Refused as well: too many redirects, and a target that is no address of the web. Each is a permanent
    SourceRequestError. A target that was seen before is still fetched. The slot follows the host.
    """

    def process_response(self, request: Request, response: Response, spider: Any = None) -> Request | Response:
        del spider
        where = _target(response)
        if where is None:
            return response
        if response.status in {301, 302, 303} and _is_api_post(request):
            raise _refused(
                f"{_place(request.url)} answers the query with a redirect ({response.status}) to {_place(where)};"
                " a query is not sent on, set the source's URL to its new place",
                response,
            )
        try:
            answer = super().process_response(request, response)
        except IgnoreRequest:
            problem = f"more than {self.max_redirect_times} redirects"
            raise _refused(f"{_place(request.url)}: {problem}", response) from None
        except ValueError:
            answer = response
        if answer is response and response.status not in request.meta.get("handle_httpstatus_list", ()):
            scheme = where.partition(":")[0][:20]
            raise _refused(f"{_place(request.url)} redirects to an address ({scheme}:) that cannot be asked", response)
        return answer

    def _redirect(self, redirected: Request, request: Request, reason: Any) -> Request:
        hop = super()._redirect(redirected, request, reason)
        hop.dont_filter = True
        old, new = urlparse_cached(request).hostname or "", urlparse_cached(hop).hostname or ""
        if old == new:
            return hop
        for name in CREDENTIALS:  # Scrapy itself drops Cookie and Authorization
            hop.headers.pop(name, None)
        slot = hop.meta.pop("download_slot", "")
        if slot.startswith(ATTACHMENT_SLOT):
            hop.meta["download_slot"] = ATTACHMENT_SLOT + new
        return hop


def _target(response: Response) -> str | None:
    """Where an answer sends on to, None when it does not."""
    location = response.headers.get("Location")
    if location is None or response.status not in _REDIRECTS:
        return None
    try:
        return response.urljoin(location.decode("latin-1"))
    except ValueError:
        return location.decode("latin-1")


def _refused(message: str, response: Response) -> SourceRequestError:
    return SourceRequestError(message, status=response.status, permanent=True)


def _is_api_post(request: Request) -> bool:
    media_type = request.headers.get("Content-Type", b"") or b""
    return request.method == "POST" and b"json" in media_type.lower()


def _place(url: str) -> str:
    """An address without its query, which may hold a cursor or a token, and without a user's name."""
    return _USER.sub("//", url.partition("?")[0], count=1)[:200]
