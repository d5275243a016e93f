"""The TED search API, version 3, as observed: checks, paging by token, errors."""

from __future__ import annotations

import base64
import json
import re
import secrets
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from portal_simulator.exchange import Answer, RecordedRequest
from portal_simulator.pages import Pages
from portal_simulator.ted_fields import known_fields
from portal_simulator.ted_query import Query, QueryError, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SEARCH_PATH = "/v3/notices/search"
LARGEST_LIMIT = 250
LARGEST_PAGE_FIELDS = 10_000
LARGEST_WINDOW = 15_000
TOO_MANY_REQUESTS = (
    "<html>\r\n<head><title>429 Too Many Requests</title></head>\r\n<body>\r\n"
    "<center><h1>429 Too Many Requests</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
)
_DEFAULTS: dict[str, Any] = {
    "query": None,
    "fields": None,
    "page": 1,
    "limit": 10,
    "scope": "ALL",
    "paginationMode": "PAGE_NUMBER",
    "iterationNextToken": None,
    "onlyLatestVersions": False,
    "checkQuerySyntax": False,
}


class RefusedError(Exception):
    """The answer is an error; ``error`` is its ``error`` member, a list for bean validation."""

    def __init__(self, message: str, error: Any = None, status: int = 400) -> None:
        super().__init__(message)
        self.error = error
        self.status = status


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
        self._fault(f"* {SEARCH_PATH}".removeprefix("* "), times, status=429, body=TOO_MANY_REQUESTS, **options)

    def expire_tokens(self) -> None:
        """Every token given so far is too old, as after the next issue of the Journal and a day."""
        with self._lock:
            for iteration in self._iterations.values():
                iteration.expired = True

    def notice(self, publication_number: str) -> dict[str, Any] | None:
        return self._pages.notice(publication_number)

    def answer(self, request: RecordedRequest) -> Answer:
        if request.method != "POST":
            return Answer.of_json({"message": f"Request method '{request.method}' is not supported"}, 405)
        try:
            return self._search(_checked(request.body))
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
        name = secrets.token_hex(8)
        iteration = _Iteration(_asked_of(asked), self._found(asked, query), self._pages)
        with self._lock:
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


def _invalid(name: str, message: str) -> RefusedError:
    problem = {"objectName": "publicExpertSearchRequestV1", "field": name, "message": message}
    return RefusedError("Validation error", [problem])


def _unsupported(name: str, value: object, message: str) -> RefusedError:
    return RefusedError(message, {"type": "UNSUPPORTED_VALUE", "parameterName": name, "unsupportedValue": str(value)})


def _checked(body: bytes) -> dict[str, Any]:
    """The request with its defaults. Raises RefusedError."""
    try:
        given = json.loads(body)
    except ValueError:
        raise RefusedError("The request body cannot be read") from None
    if not isinstance(given, dict):
        raise RefusedError("The request body cannot be read")
    for name in given:
        if name not in _DEFAULTS:
            raise RefusedError(f'Unrecognized field "{name}"')
    asked = _DEFAULTS | given
    if not isinstance(asked["query"], str) or not asked["query"].strip():
        raise _invalid("query", "must not be blank")
    _check_choices(asked)
    _check_fields(asked["fields"])
    _check_sizes(asked)
    return asked


def _check_choices(asked: dict[str, Any]) -> None:
    choices = {"scope": ("LATEST", "ACTIVE", "ALL"), "paginationMode": ("PAGE_NUMBER", "ITERATION")}
    for name, allowed in choices.items():
        if asked[name] not in allowed:
            raise _unsupported(name, asked[name], f"Parameter '{name}' contains unsupported value")
    for name in ("onlyLatestVersions", "checkQuerySyntax"):
        if not isinstance(asked[name], bool):
            raise RefusedError(f"Parameter '{name}' cannot be read")
    token = asked["iterationNextToken"]
    if token is not None and not (isinstance(token, str) and re.fullmatch(r"\S+", token)):
        raise _invalid("iterationNextToken", "must be a token")


def _check_fields(fields: Any) -> None:
    if not isinstance(fields, list) or not fields:
        raise _invalid("fields", "must not be empty")
    if len(set(map(str, fields))) != len(fields):
        raise _invalid("fields", "must only contain unique elements")
    known = known_fields()
    for name in fields:
        if name not in known:
            listed = ",".join(sorted(known))
            message = f"Parameter 'fields' contains unsupported value (supported values are: {listed})"
            raise _unsupported("fields", name, message)


def _check_sizes(asked: dict[str, Any]) -> None:
    limit, page = asked["limit"], asked["page"]
    for name, value, least in (("limit", limit, 0), ("page", page, 1)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise _invalid(name, f"must be greater than or equal to {least}")
    if limit > LARGEST_LIMIT:
        message = f"Parameter 'limit' ({limit}) exceeds maximum allowed value ({LARGEST_LIMIT})"
        raise _unsupported("limit", limit, message)
    size = limit * (len(asked["fields"]) + 1)  # the unrequested links count as a field
    if size > LARGEST_PAGE_FIELDS:
        message = f"Number of fields of a page ({size}) exceeds maximum allowed value ({LARGEST_PAGE_FIELDS})"
        raise _unsupported("limit", limit, message)
    if asked["paginationMode"] == "PAGE_NUMBER" and page * limit > LARGEST_WINDOW:
        message = f"Window size (page x limit) exceeds maximum allowed value ({LARGEST_WINDOW})"
        raise _unsupported("page", page, message)
