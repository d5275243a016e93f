"""Marketplaces that run the cosinex "Vergabemarktplatz", each described in a file: ``-a portal=ID``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from parsel import Selector

from spiders.cosinex_lists import CosinexLists
from spiders.cosinex_session import ENTER, PROJECTS
from tenderscrapy.exceptions import AddressRefusedError, SourceRequestError
from tenderscrapy.formats.cosinex_detail import read_detail
from tenderscrapy.formats.cosinex_documents import read_documents
from tenderscrapy.formats.cosinex_list import SIGNS
from tenderscrapy.formats.netserver_detail import UnexpectedPageError
from tenderscrapy.formats.page_outcome import Outcome

if TYPE_CHECKING:
    from scrapy.http import Request, Response
    from twisted.python.failure import Failure

    from tenderscrapy.items import Notice

#: How often a session is begun anew for one page of a project.
TRIES = 2


class CosinexSpider(CosinexLists):
    """After the lists the tabs of each project: overview, procedure data, documents."""

    name = "cosinex"

    def refresh_hours(self) -> float:
        return self.portal.detail.refresh_hours

    def first_step(self, notice: Notice) -> Request | None:
        if not self.portal.detail.fetch:
            return None
        if (urlsplit(notice.url or "").hostname or "") not in self.allowed_hosts:
            notice.flag("detail_elsewhere", "url")
            return None
        return self._tab(notice.url or "", "overview")

    def _tab(self, url: str, tab: str, **more: Any) -> Request:
        return self.page(url, cookiejar=PROJECTS, step=tab, **more)

    def read_step(self, notice: Notice, response: Response) -> Request | None:
        meta = response.meta
        if meta["step"] == ENTER:
            return self._tab(**meta["then"])
        try:
            return self._read_tab(notice, response)
        except UnexpectedPageError as error:
            again = self._again(response) if error.outcome is Outcome.SESSION_EXPIRED else None
            if again is None:
                raise
            self.met(error.outcome, f"{notice.notice_id} is asked for again: {error}")
            return again

    def _read_tab(self, notice: Notice, response: Response) -> Request | None:
        meta = response.meta
        page = Selector(text=self.text_of(response))
        if meta["step"] == "documents":
            read_documents(notice, page, response.url)
            return None
        tabs = read_detail(notice, page, response.url, meta.get("facts"), self.zone)
        if meta["step"] == "overview" and tabs.procedure:
            return self._tab(tabs.procedure, "procedure", facts=tabs.facts)
        return self._tab(tabs.documents, "documents") if tabs.documents and self.portal.detail.documents else None

    def _again(self, response: Response) -> Request | None:
        """The way to the same page by the start page: for a session that never began, and for one that ended."""
        meta = response.meta
        if meta.get("again", 0) >= TRIES:
            return None
        then = {
            "url": meta.get("redirect_urls", [response.url])[0],
            "tab": meta["step"],
            "facts": meta.get("facts"),
            "again": meta.get("again", 0) + 1,
        }
        return self._tab(self.portal.start_page, ENTER, then=then)

    def _read_failure(self, failure: Failure) -> tuple[Outcome, SourceRequestError]:
        """A way to the login of another host is refused by the guard, and a login all the same."""
        outcome, error = super()._read_failure(failure)
        url = failure.request.url  # type: ignore[attr-defined]  # Scrapy sets it
        if isinstance(failure.value, AddressRefusedError) and SIGNS.login_url.search(url):
            outcome = Outcome.LOGIN
            error = SourceRequestError(f"login: {url.partition('?')[0][:200]}", kind=str(outcome), permanent=True)
        return outcome, error
