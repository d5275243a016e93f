"""Contracts Finder's OCDS search: a window of time, newest first, and an opaque cursor that carries the filters."""

from __future__ import annotations

import base64
import json
import re
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

from portal_simulator.exchange import Answer, RecordedRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Release = dict[str, Any]

SEARCH_PATH = "/Published/Notices/OCDS/Search"
SITE = "https://www.contractsfinder.service.gov.uk"
STAGES = {
    "planning": ("planning", "planningUpdate"),
    "tender": ("tender", "tenderAmendment", "tenderUpdate", "tenderCancellation"),
    "award": ("award", "awardUpdate", "awardCancellation"),
    "implementation": ("implementation", "implementationUpdate", "contract"),
}
FORBIDDEN = (
    "<html><head><title>Forbidden</title></head><body><h1>Request forbidden</h1>"
    "<p>Too many requests may have been made. Please try again later.</p></body></html>"
)
ENDS: dict[str, dict[str, Any]] = {
    "absent": {},
    "empty": {"links": {}},
    "null": {"links": {"next": None}},
    "blank": {"links": {"next": ""}},
    "empty_releases": {},
}


class UnacceptableError(Exception):
    """A parameter that the service refuses."""


class ContractsFinderPortal:
    """``releases`` in any order. ``end`` is the shape of the last page (``ENDS``).

    ``truncate_at`` page ends the walk there although more exists; ``repeat_cursor_at`` page points to itself;
    ``ignore_filters`` returns everything, whatever window was asked for. ``files_base`` replaces the service's site
    in every link.
    """

    def __init__(self, releases: Sequence[Release], url: str, fault: Callable[..., Any]) -> None:
        self.url = url + SEARCH_PATH
        self.files_base = url
        self.end = "absent"
        self.truncate_at: int | None = None
        self.repeat_cursor_at: int | None = None
        self.ignore_filters = False
        self._fault = fault
        self._lock = threading.Lock()
        self._cache: dict[tuple[Any, ...], bytes] = {}
        self.publish(releases)

    @property
    def releases(self) -> list[Release]:
        return self._releases

    @releases.setter
    def releases(self, releases: Sequence[Release]) -> None:
        self.publish(releases)

    def publish(self, releases: Sequence[Release]) -> None:
        """From now on these are the releases; call it again after changing one of them."""
        newest_first = sorted(releases, key=lambda release: moment(release["date"]), reverse=True)
        with self._lock:
            self._releases = newest_first
            self._cache = {}

    def rate_limit(self, times: int | None = 1, status: int = 403, **options: Any) -> None:
        """403 as the service says it (HTML, called text/plain) or 429; ``wait`` adds Retry-After."""
        self._fault(SEARCH_PATH, times, status=status, body=FORBIDDEN, media_type="text/plain", **options)

    def release_of(self, guid: str) -> Release | None:
        """The newest release of the notice."""
        return next((release for release in self._releases if release.get("id", "").startswith(guid)), None)

    def before(self, url: str) -> list[str]:
        """The ids of the releases that a walk has been given when ``url`` is its next page."""
        parameters = {name: values[-1] for name, values in parse_qs(urlsplit(url).query).items()}
        filters, start = _filters(parameters)
        return [str(release["id"]) for release in self._found(filters)[:start]]

    def answer(self, request: RecordedRequest) -> Answer:
        if request.method != "GET":
            return Answer.of_json({"message": "The requested resource does not support this method."}, 405)
        try:
            filters, start = _filters(request.parameters)
        except UnacceptableError as error:
            return Answer.of_json({"message": str(error)}, 400)
        return self._page(filters, start)

    def _page(self, filters: dict[str, str], start: int) -> Answer:
        found = self._found(filters)
        limit = int(filters.get("limit", 100))
        chosen = found[start : start + limit]
        number = start // limit + 1
        more = len(found) > start + limit or (self.end == "empty_releases" and bool(chosen))
        if number == self.truncate_at:
            more = False
        package = _envelope(f"{self.url}?{urlencode(filters, safe=':+')}", chosen)
        package["releases"] = "@"
        if more:
            after = start if number == self.repeat_cursor_at else start + limit
            package["links"] = {"next": self._next(filters, after)}
        else:
            package |= ENDS[self.end]
        head, tail = json.dumps(package, ensure_ascii=False, separators=(",", ":")).split('"@"', 1)
        return Answer(200, head.encode() + self._written(filters, start, chosen) + tail.encode())

    def _found(self, filters: dict[str, str]) -> list[Release]:
        if self.ignore_filters:
            return self._releases
        first, last = filters.get("publishedFrom"), filters.get("publishedTo")
        since = moment(first) if first else datetime.min.replace(tzinfo=UTC)
        until = moment(last) if last else datetime.max.replace(tzinfo=UTC)
        tags = {tag for stage in filters.get("stages", "").split(",") if stage for tag in STAGES[stage]}
        return [
            release
            for release in self._releases
            if since <= moment(release["date"]) <= until and (not tags or tags.intersection(release["tag"]))
        ]

    def _next(self, filters: dict[str, str], start: int) -> str:
        carried = "|".join([f"{name}={value}" for name, value in filters.items()] + [f"nextCursor={start}"])
        cursor = base64.b64encode(carried.encode()).decode().replace("+", "").replace("/", "")
        return f"{self.url}?{urlencode({**filters, 'cursor': cursor}, safe=':+=')}"

    def _written(self, filters: dict[str, str], start: int, chosen: list[Release]) -> bytes:
        key = (tuple(filters.items()), start, self.files_base, self.ignore_filters)
        with self._lock:
            if key in self._cache:
                return self._cache[key]
        text = json.dumps(chosen, ensure_ascii=False, separators=(",", ":")).replace(SITE, self.files_base)
        with self._lock:
            return self._cache.setdefault(key, text.encode())


def moment(text: str) -> datetime:
    """An instant; without a zone it is UTC, a plain date is its midnight."""
    value = datetime.fromisoformat(text)
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def _envelope(uri: str, chosen: list[Release]) -> dict[str, Any]:
    newest = chosen[0]["date"] if chosen else datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "uri": uri,
        "version": "1.1",
        "extensions": ["https://extensions.example.org/pagination/extension.json"],
        "publishedDate": newest,
        "publisher": {
            "name": "An Invented Office",
            "scheme": "GB-GOR",
            "uid": "X0",
            "uri": "https://office.example.org",
        },
        "license": "https://licence.example.org/open/3/",
        "publicationPolicy": "https://office.example.org/policy",
    }


def _filters(parameters: dict[str, str]) -> tuple[dict[str, str], int]:
    """The filters in force and the place of the first release; a cursor brings its own, which must be the same."""
    known = ("publishedFrom", "publishedTo", "stages", "limit")
    given = {name: parameters[name] for name in known if parameters.get(name)}
    _check(given)
    if not (cursor := parameters.get("cursor")):
        return given, 0
    if not re.fullmatch(r"[A-Za-z0-9=]{0,300}", cursor):
        raise UnacceptableError("The cursor is invalid.")
    try:
        carried = dict(part.split("=", 1) for part in base64.b64decode(cursor, validate=True).decode().split("|"))
        start = int(carried.pop("nextCursor"))
    except (ValueError, KeyError):
        raise UnacceptableError("The cursor is invalid.") from None
    if any(carried.get(name) != value for name, value in given.items()):
        raise UnacceptableError("The cursor belongs to another search.")
    return carried, start


def _check(given: dict[str, str]) -> None:
    for name in ("publishedFrom", "publishedTo"):
        if name in given:
            try:
                moment(given[name])
            except ValueError:
                raise UnacceptableError(f"{name} is not a date.") from None
    if unknown := set(given.get("stages", "planning").split(",")) - STAGES.keys():
        raise UnacceptableError(f"stages: {', '.join(sorted(unknown))} unknown.")
    limit = given.get("limit", "100")
    if not limit.isdecimal() or not 1 <= int(limit) <= 100:
        raise UnacceptableError("limit must be between 1 and 100.")
