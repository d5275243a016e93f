"""What a portal's page turned out to be. Only ``ok`` and ``empty`` are clean; all others are said and counted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from parsel import Selector

if TYPE_CHECKING:
    from collections.abc import Iterable


class Outcome(StrEnum):
    """The kinds of pages, as the run record names them."""

    OK = "ok"
    EMPTY = "empty"
    NO_ROWS_MATCHED = "no_rows_matched"
    LOGIN = "login"
    SESSION_EXPIRED = "session_expired"
    MAINTENANCE = "maintenance"
    DENIED_HOST = "denied_host"
    ROBOTS = "robots"
    HTTP_ERROR = "http_error"

    @property
    def clean(self) -> bool:
        """Whether a run with this page may be complete."""
        return self in (Outcome.OK, Outcome.EMPTY)


#: What to do about an outcome, for people.
ADVICE = {
    Outcome.OK: "nothing to do",
    Outcome.EMPTY: "nothing is published there at the moment",
    Outcome.NO_ROWS_MATCHED: "the page has changed, or the selectors do not fit: compare them with the page",
    Outcome.LOGIN: "the portal wants a login, and none is used: set enabled: false with that reason",
    Outcome.SESSION_EXPIRED: "set entry_url to the page that begins a session",
    Outcome.MAINTENANCE: "the portal is being serviced: try later",
    Outcome.DENIED_HOST: "the portal leads to a host that is never asked: set enabled: false with that reason",
    Outcome.ROBOTS: "robots.txt forbids the page: set enabled: false with that reason",
    Outcome.HTTP_ERROR: "the address is wrong or the portal is out of order: check base_url and list_url",
}


@dataclass(frozen=True, slots=True)
class Signs:
    """By what a platform's pages without rows are told apart: CSS selectors, and patterns on the main text.

    ``login_url`` is a pattern on the address that was finally answered.
    """

    main: tuple[str, ...]
    login_url: re.Pattern[str]
    login: tuple[str, ...]
    empty: re.Pattern[str]
    session: re.Pattern[str] = re.compile(
        r"Sitzung ist (?:leider )?(?:abgelaufen|ungültig|beendet)|Session ist abgelaufen|session (?:has )?expired"
        r"|ungültige Sitzung",
        re.IGNORECASE,
    )
    maintenance: re.Pattern[str] = re.compile(
        r"Wartungs(?:arbeiten|modus|fenster|pause)|wegen (?:einer )?Wartung|wird (?:derzeit |gerade )?gewartet"
        r"|vorübergehend nicht (?:verfügbar|erreichbar)|under maintenance|temporarily unavailable",
        re.IGNORECASE,
    )


def unexplained(page: Selector, url: str, signs: Signs) -> Outcome:
    """Why a page that was answered with 200 has no rows; ``url`` is the one finally answered.

    Only the main content is read: menus name login and documents on every page.
    """
    main = main_content(page, signs.main)
    text = text_of(main)
    if signs.login_url.search(url) or any(main.css(css) for css in signs.login):
        return Outcome.LOGIN
    if signs.session.search(text):
        return Outcome.SESSION_EXPIRED
    if signs.maintenance.search(text) or signs.maintenance.search(title_of(page)):
        return Outcome.MAINTENANCE
    if signs.empty.search(text):
        return Outcome.EMPTY
    return Outcome.NO_ROWS_MATCHED


def main_content(page: Selector, candidates: Iterable[str]) -> Selector:
    """The first of ``candidates`` that the page has, else the body without menus, header and footer."""
    for css in candidates:
        if found := page.css(css):
            return found[0]
    bare = Selector(text=page.get() or "<html></html>")
    bare.css("nav, header, footer, aside, script, style, noscript, [role=navigation], .navbar, #menu").drop()
    return bare


def text_of(node: Selector) -> str:
    """All text of a node on one line, scripts and styles left out."""
    pieces = node.xpath(".//text()[not(parent::script or parent::style)]").getall()
    return " ".join(" ".join(pieces).split())


def title_of(page: Selector) -> str:
    """The page's title tag on one line, cut."""
    return " ".join((page.css("title::text").get() or "").split())[:120]
