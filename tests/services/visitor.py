"""Somebody who looks at the page in a browser, and notices what a page must never do."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page


@dataclass
class Visitor:
    """Opens pages, and keeps what a visitor must never cause."""

    browser: Browser
    address: str
    foreign: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    contexts: list[BrowserContext] = field(default_factory=list)

    def open(self, path: str, *, status: int = 200, width: int = 1280, scripts: bool = True) -> Page:
        context = self.browser.new_context(
            viewport={"width": width, "height": 844}, java_script_enabled=scripts, locale="en-GB"
        )
        context.set_default_timeout(30_000)
        self.contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: self._watch(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        answer = page.goto(self.address + path)
        assert answer is not None
        assert answer.status == status
        if status >= 400:  # Chromium notes the page's own status as an error
            self.complaints = [said for said in self.complaints if f"status of {status}" not in said]
        return page

    def _watch(self, url: str) -> None:
        if not url.startswith((f"{self.address}/", "data:")):
            self.foreign.append(url)


def titles(page: Page) -> list[str]:
    return page.locator(".hit h2").all_inner_texts()


def places(page: Page) -> set[str]:
    """The addresses of the tenders of a list; two may have one title."""
    return {urlsplit(link.get_attribute("href") or "").path for link in page.locator(".hit h2 a").all()}


def section(page: Page, heading: str) -> Locator:
    return page.locator("section", has=page.get_by_role("heading", name=re.compile(heading), level=2))


def asked(page: Page) -> dict[str, list[str]]:
    """What stands in the address."""
    return parse_qs(urlsplit(page.url).query)


def search(page: Page, words: str) -> None:
    page.get_by_role("searchbox").fill(words)
    page.get_by_role("searchbox").press("Enter")
    page.wait_for_load_state()
