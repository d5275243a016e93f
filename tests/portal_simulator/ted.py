"""The TED search API, version 3, as observed: checks, paging by token, errors."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from portal_simulator.exchange import Answer, RecordedRequest
from portal_simulator.pages import Pages
from portal_simulator.ted_checks import RefusedError, checked
from portal_simulator.ted_fields import known_fields
from portal_simulator.ted_query import Query, parse
from portal_simulator.ted_terms import QueryError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SEARCH_PATH = "/v3/notices/search"
TOO_MANY_REQUESTS = (
    "<html>\r\n<head><title>429 Too Many Requests</title></head>\r\n<body>\r\n"
    "<center><h1>429 Too Many Requests</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
)


@dataclass
class _Iteration:
    """A point in time: what one walk sees, whatever is published meanwhile."""

    asked: str
    hits: list[int]
    pages: Pages
    started: float = field(default_factory=time.monotonic)
    expired: bool = False


class TedPortal:
    """``notices`` may be replaced or changed (``publish``) at any time; walks under way do not notice.

    ``files_base`` is where ``links`` point to; ``made_up_token_status`` (400 or 500) answers a token never given;
    ``token_lifetime`` in seconds. ``timed_out_share`` of a page is left when it times out (``time_out``).
    """

    def __init__(self, notices: Sequence[dict[str, Any]], url: str, fault: Callable[..., Any]) -> None:
        self.files_base = url
        self.made_up_token_status = 500
        self.token_lifetime = 48 * 3600.0
        self.timed_out_share = 0.5
        self._fault = fault
        self._lock = threading.Lock()
        self._iterations: dict[str, _Iteration] = {}
        self._time_outs = 0
        self._hits: dict[tuple[Any, ...], list[int]] = {}
        self.publish(notices)

    @property
    def notices(self) -> Sequence[dict[str, Any]]:
        return self._pages.notices

    @notices.setter
    def notices(self, notices: Sequence[dict[str, Any]]) -> None:
        self.publish(notices)

    def publish(self, notices: Sequence[dict[str, Any]]) -> None:
        """From now on these are the notices; call it again after changing one of them."""
        pages = Pages(notices)
        with self._lock:
            self._pages = pages
            self._hits = {}

    def time_out(self, times: int = 1) -> None:
        """The next pages are partial: ``timedOut`` is true, some notices and a part of the count are missing."""
        with self._lock:
            self._time_outs += times

    def rate_limit(self, times: int | None = 1, **options: Any) -> None:
        """429 as nginx says it: HTML, and no Retry-After unless ``wait`` gives one."""
        self._fault(f"POST {SEARCH_PATH}", times, status=429, body=TOO_MANY_REQUESTS, **options)

    def expire_tokens(self) -> None:
        """Every token given so far is too old, as after the next issue of the Journal and a day."""
        with self._lock:
            for iteration in self._iterations.values():
                iteration.expired = True

    def notice(self, publication_number: str) -> dict[str, Any] | None:
        return self._pages.notice(publication_number)

    def before(self, token: str) -> list[str]:
        """The publication numbers that a walk has been given when it holds ``token``, in the order of the pages."""
        name, offset = _read(token)
        iteration = self._iterations[name]
        return [str(iteration.pages.notices[i]["publication-number"]) for i in iteration.hits[:offset]]

    def answer(self, request: RecordedRequest) -> Answer:
        if request.method != "POST":
            return Answer.of_json({"message": f"Request method '{request.method}' is not supported"}, 405)
        if "json" not in request.headers.get("content-type", ""):
            media_type = request.headers.get("content-type", "")
            return Answer.of_json({"message": f"Content-Type '{media_type}' is not supported"}, 415)
        try:
            return self._search(checked(request.body))
        except RefusedError as refused:
            document: dict[str, Any] = {"message": str(refused)}
            if refused.error is not None:
                document["error"] = refused.error
            return Answer.of_json(document, refused.status)
        except QueryError as error:
            return Answer.of_json({"message": str(error), "error": error.error}, 400)

    def _search(self, asked: dict[str, Any]) -> Answer:
        query = parse(asked["query"], known_fields())
        if asked["checkQuerySyntax"]:
            return _answer(b"[]", None, None)
        if asked["paginationMode"] == "PAGE_NUMBER":
            offset = (asked["page"] - 1) * asked["limit"]
            return self._page(asked, self._pages, self._found(asked, query), offset, None)
        token = asked["iterationNextToken"]
        name, offset = (self._begin(asked, query), 0) if token is None else self._resume(token, asked)
        iteration = self._iterations[name]
        last = min(offset + asked["limit"], len(iteration.hits))
        return self._page(asked, iteration.pages, iteration.hits, offset, _token(name, last))

    def _page(self, asked: dict[str, Any], pages: Pages, hits: list[int], offset: int, token: str | None) -> Answer:
        chosen = hits[offset : offset + asked["limit"]]
        with self._lock:
            timed_out = self._time_outs > 0
            self._time_outs -= timed_out
        if timed_out:
            chosen = chosen[: int(len(chosen) * self.timed_out_share)]
        body = pages.rendered(chosen, tuple(asked["fields"]), self.files_base)
        return _answer(body, len(chosen) if timed_out else len(hits), token, timed_out=timed_out)

    def _found(self, asked: dict[str, Any], query: Query) -> list[int]:
        key = (asked["query"], asked["scope"], asked["onlyLatestVersions"], time.strftime("%Y%m%d", time.gmtime()))
        pages, known = self._pages, self._hits
        if key not in known:
            known[key] = pages.search(query, asked["scope"], newest_versions=asked["onlyLatestVersions"])
        return known[key]

    def _begin(self, asked: dict[str, Any], query: Query) -> str:
        iteration = _Iteration(_asked_of(asked), self._found(asked, query), self._pages)
        with self._lock:
            name = hashlib.sha256(f"{len(self._iterations)} {iteration.asked}".encode()).hexdigest()[:16]
            self._iterations[name] = iteration
        return name

    def _resume(self, token: str, asked: dict[str, Any]) -> tuple[str, int]:
        name, offset = _read(token)
        iteration = self._iterations.get(name)
        if iteration is None and self.made_up_token_status >= 500:
            raise RefusedError("Internal server error", status=self.made_up_token_status)
        if iteration is None or iteration.asked != _asked_of(asked):
            raise RefusedError("The iteration token is not valid for this request", {"type": "INVALID_ITERATION_TOKEN"})
        if iteration.expired or time.monotonic() - iteration.started > self.token_lifetime:
            raise RefusedError("The iteration token has expired", {"type": "EXPIRED_ITERATION_TOKEN"})
        return name, offset


def _answer(notices: bytes, total: int | None, token: str | None, *, timed_out: bool = False) -> Answer:
    rest = json.dumps({"totalNoticeCount": total, "iterationNextToken": token, "timedOut": timed_out})
    return Answer(200, b'{"notices":' + notices + b"," + rest[1:].encode())


def _token(name: str, offset: int) -> str:
    return base64.urlsafe_b64encode(f"pit:{name}:{offset}".encode()).decode()


def _read(token: str) -> tuple[str, int]:
    """Name and offset; an empty name for a token that was never given."""
    try:
        kind, name, offset = base64.urlsafe_b64decode(token.encode()).decode().split(":")
        return (name if kind == "pit" else "", int(offset))
    except ValueError:
        return "", 0


def _asked_of(asked: dict[str, Any]) -> str:
    return json.dumps({name: value for name, value in asked.items() if name != "iterationNextToken"})
