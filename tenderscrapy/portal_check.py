"""One page of a portal's list, looked at as a crawl would: what is there, what is missing, what to do."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import requests
from parsel import Selector
from protego import Protego

from tenderscrapy.config import PROJECT, VAR
from tenderscrapy.exceptions import AddressRefusedError, SourceError, UnreadableDocumentError
from tenderscrapy.formats import cosinex_list
from tenderscrapy.formats.netserver_list import read_list, to_notice
from tenderscrapy.formats.page_outcome import ADVICE, Outcome, title_of
from tenderscrapy.http.client import body, session
from tenderscrapy.normalise.privacy import without_contacts
from tenderscrapy.normalise.urls import without_session
from tenderscrapy.sources.cosinex_schema import CosinexPortal
from tenderscrapy.sources.portal_schema import NetserverPortal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tenderscrapy.http.url_guard import PrivateHosts
    from tenderscrapy.items import Notice
    from tenderscrapy.sources.portal_schema import Portal

#: Fields whose share of the rows is shown; the first two belong to every row.
FIELDS = ("notice_id", "title", "buyer_name", "procedure_type", "published_at", "deadline_at")
_TEXT = re.compile(r"(?<=>)[^<>]+(?=<)")
#: The division whose list a marketplace always has.
_BUILDING = "45000000-7"
_LARGEST = 8 * 1024 * 1024


@dataclass(slots=True)
class Check:
    """What one look found. ``robots``: none, allows, forbids, unreadable; ``absent``: fields that no list has."""

    portal: Portal
    url: str
    robots: str = "none"
    outcome: Outcome = Outcome.OK
    detail: str = ""
    notices: list[Notice] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    absent: frozenset[str] = frozenset()
    page: bytes = b""
    media_type: str = ""

    def share(self, name: str) -> float:
        """The part of the notices that have the field."""
        found = sum(bool(getattr(notice, name)) for notice in self.notices)
        return found / len(self.notices) if self.notices else 0.0

    def advice(self) -> list[str]:
        """What to do, the most important first; empty when nothing is wrong."""
        if not self.outcome.clean:
            return [ADVICE[self.outcome]]
        by_heads = isinstance(self.portal, CosinexPortal)
        remedy = "correct headers.title" if by_heads else "correct selectors.id and selectors.title"
        said = [f"a row was left out: {fault}; {remedy}" for fault in self.faults[:3]]
        for name in ("buyer_name", "deadline_at") if self.notices else ():
            if not self.share(name) and name not in self.absent:
                key = {"buyer_name": "authority", "deadline_at": "deadline"}[name]
                remedy = f"headers.{key}" if by_heads else f"selectors.{key} or headers.{key}, or set it to null"
                said.append(f"no row has a {key}: correct {remedy}")
        if self.notices and len(self.notices) < self.portal.minimum_rows:
            said.append(f"fewer rows than minimum_rows ({self.portal.minimum_rows}); a crawl adds those of later pages")
        return said


def check(portal: Portal, allowed: PrivateHosts) -> Check:
    """Ask for robots.txt, the entry page and one page of the list; nothing is stored.

    Raises SourceError for a platform or a portal that cannot be checked so.
    """
    if portal.requires_browser:
        raise SourceError(f"{portal.code} needs a browser, which this command does not start")
    list_url, read = _platform(portal)
    found = Check(portal, list_url)
    http = session(allowed)
    try:
        found.robots = _robots(http, list_url)
        if found.robots == "forbids":
            found.outcome = Outcome.ROBOTS
            return found
        if portal.entry_url:
            _get(http, portal.url(portal.entry_url))
        answer, found.page = _get(http, list_url)
    except AddressRefusedError as error:
        found.outcome, found.detail = Outcome.DENIED_HOST, str(error)
        return found
    except (requests.RequestException, ValueError) as error:
        found.outcome, found.detail = Outcome.HTTP_ERROR, f"{type(error).__name__}: {str(error)[:200]}"
        return found
    found.url = without_session(answer.url)
    found.media_type = answer.headers.get("Content-Type", "")
    if answer.status_code != 200:
        found.outcome, found.detail = Outcome.HTTP_ERROR, f"status {answer.status_code}"
        return found
    page = Selector(text=found.page.decode(portal.encoding or answer.encoding or "utf-8", "replace"))
    found.detail = f"title: {title_of(page) or 'none'}"
    read(found, page, answer.url)
    return found


def _platform(portal: Portal) -> tuple[str, Callable[[Check, Selector, str], None]]:
    """The first page of the list, and how it is read."""
    if isinstance(portal, NetserverPortal):
        return portal.list_page(portal.categories[0]), _read_netserver
    if isinstance(portal, CosinexPortal):
        return portal.first_page(_division(portal)), _read_cosinex
    raise SourceError(f"{portal.code}: the platform {portal.platform} cannot be checked")


def _division(portal: CosinexPortal) -> str | None:
    if portal.mode == "welcome":
        return None
    return _BUILDING if portal.cpv == "all" else portal.cpv[0]


def _read_netserver(found: Check, page: Selector, url: str) -> None:
    portal = found.portal
    assert isinstance(portal, NetserverPortal)  # noqa: S101 - _platform chose this reader for it
    listed = read_list(page, url, portal.layout())
    found.outcome, found.faults = listed.outcome, listed.faults
    names = {"authority": "buyer_name", "deadline": "deadline_at", "published": "published_at"}
    found.absent = frozenset(names[key] for key, place in portal.selectors.items() if place is None and key in names)
    for row in listed.rows:
        try:
            notice = to_notice(row, portal.code, portal.base_url, portal.categories[0], portal.timezone)
        except UnreadableDocumentError as error:
            found.faults.append(str(error))
        else:
            found.notices.append(notice)


def _read_cosinex(found: Check, page: Selector, url: str) -> None:
    portal = found.portal
    assert isinstance(portal, CosinexPortal)  # noqa: S101 - _platform chose this reader for it
    listed = cosinex_list.read_list(page, url, portal.base_url, labels=portal.headers)
    found.outcome, found.faults = listed.outcome, listed.faults
    for row in listed.rows:
        try:
            notice = cosinex_list.to_notice(row, portal.code, portal.base_url, _division(portal), portal.timezone)
        except UnreadableDocumentError as error:
            found.faults.append(str(error))
        else:
            found.notices.append(notice)


def _robots(http: requests.Session, url: str) -> str:
    answer, text = _get(http, urljoin(url, "/robots.txt"))
    if answer.status_code != 200:
        return "none" if answer.status_code < 500 else "unreadable"
    rules = Protego.parse(text.decode("utf-8", "replace"))
    return "allows" if rules.can_fetch(url, str(http.headers["User-Agent"])) else "forbids"


def _get(http: requests.Session, url: str) -> tuple[requests.Response, bytes]:
    answer = http.get(url, stream=True)
    return answer, body(answer, _LARGEST)


def record(found: Check) -> Path:
    """Store the page as the portal's capture, without session and contacts; the folder that it lies in."""
    tests = PROJECT / "tests" / "portals"
    folder = (tests if tests.is_dir() else VAR / "portals") / found.portal.id
    folder.mkdir(parents=True, exist_ok=True)
    encoding = found.portal.encoding or "utf-8"
    text = found.page.decode(encoding, "replace")
    text = re.sub(r";jsessionid=[^?#;/\"']*", "", text, flags=re.IGNORECASE)
    text = re.sub(r"(?:&amp;|&)csrt=[^&\"'#]*", "", text)
    text = _TEXT.sub(lambda match: without_contacts(match[0]), text)
    (folder / "list.html").write_bytes(text.encode(encoding, "replace"))
    about = {
        "provenance": "captured",
        "url": found.url,
        "fetched_at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "media_type": found.media_type,
    }
    (folder / "capture.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    return folder
