"""Portals that run "NetServer": lists in several skins, notices, documents, sessions, and all that goes wrong there.

Constructed from public descriptions; every organisation and person is invented.
"""

from __future__ import annotations

import itertools
import threading
from typing import TYPE_CHECKING, Any

from portal_simulator import netserver_lists as lists
from portal_simulator import netserver_notices as notices
from portal_simulator.documents import pdf
from portal_simulator.exchange import Answer, RecordedRequest
from portal_simulator.netserver_tenders import Tender, invented_netserver_tenders

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = "/NetServer/"
LOGIN = "LoginControllerServlet?function=LoginForm"
#: Pages instead of the ones asked for, all answered with 200.
MAINTENANCE = "<h2>Wartungsarbeiten</h2><p>Das Portal wird derzeit gewartet. Bitte versuchen Sie es später.</p>"
EXPIRED = "<p>Ihre Sitzung ist abgelaufen. Bitte starten Sie neu.</p>"
OVER = "<p>Der Sichtbarkeitszeitraum dieser Vergabe ist abgelaufen.</p>"
LOGIN_FORM = '<form><input name="user"><input type="password" name="password"></form>'


class NetserverPortal:
    """One portal below ``/ID/NetServer/``.

    ``variant`` is a skin of ``netserver_lists.VARIANTS``; ``encoding`` is that of its pages, and ``declares`` the one
    that they say they have. ``links``: paged by links (with ``csrt`` and jsessionid) or by offset alone; ``last_link``
    is where the last page's link leads; ``caps`` the rows of any page. ``behind_login``, ``maintained`` and ``expired``
    are sets of ``list``, ``detail``, ``documents``; ``strict`` wants the session that the entry begins.
    """

    def __init__(self, name: str, url: str, tenders: Sequence[Tender] | int, variant: str = "table") -> None:
        self.path = f"/{name}{ROOT}"
        self.base_url = url + self.path
        self.tenders = invented_netserver_tenders(tenders) if isinstance(tenders, int) else list(tenders)
        self.variant = variant
        self.encoding = "utf-8"
        self.declares: str | None = None
        self.links = True
        self.caps = 100
        self.strict = False
        self.last_link: str | None = None
        self.ignores_offset = False
        self.behind_login: set[str] = set()
        self.maintained: set[str] = set()
        self.expired: set[str] = set()
        self.redirects: dict[str, str] = {}
        self._sessions: set[str] = set()
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def end_sessions(self) -> None:
        """All sessions expire now."""
        with self._lock:
            self._sessions.clear()

    def answer(self, request: RecordedRequest) -> Answer:
        """Dispatch by servlet, after the portal's moods."""
        servlet = request.path.removeprefix(self.path).partition(";")[0]
        function = request.parameters.get("function", "")
        if servlet == "LoginControllerServlet":
            return self._entry(function)
        kind = _kind(servlet, function)
        if kind is None:
            return Answer.of_html("<html><body>Not found</body></html>", 404)
        target = self.path + LOGIN if kind in self.behind_login else self.redirects.get(kind)
        if target:
            return Answer(302, b"", None, [("Location", target)])
        return self._page(kind, request)

    def _page(self, kind: str, request: RecordedRequest) -> Answer:
        session = self._session(request)
        if kind in self.maintained:
            return self._html("Wartung", MAINTENANCE)
        if kind in self.expired or (self.strict and session is None):
            return self._html("Hinweis", EXPIRED)
        answers: dict[str, Any] = {"list": self._list, "detail": self._detail, "documents": self._documents}
        return self._file(request) if kind == "file" else answers[kind](request, session)

    def _entry(self, function: str) -> Answer:
        if function == "LoginForm":
            return self._html("Anmelden", LOGIN_FORM)
        answer = self._html("Willkommen", "<p>Willkommen</p>")
        with self._lock:
            session = f"S{next(self._numbers):08d}"
            self._sessions.add(session)
        answer.headers.append(("Set-Cookie", f"JSESSIONID={session}; Path={self.path}; HttpOnly"))
        return answer

    def _session(self, request: RecordedRequest) -> str | None:
        cookies = dict(
            part.strip().split("=", 1) for part in request.headers.get("cookie", "").split(";") if "=" in part
        )
        with self._lock:
            session = cookies.get("JSESSIONID")
            return session if session in self._sessions else None

    def _list(self, request: RecordedRequest, session: str | None) -> Answer:
        asked = request.parameters
        category = asked.get("Category") or "InvitationToTender"
        found = [tender for tender in self.tenders if tender.category in (category, "ContractAward")]
        start = 0 if self.ignores_offset else int(asked.get("Start", 0))
        size = min(int(asked.get("Max", 50)), self.caps)
        chosen = found[start : start + size]
        content = lists.VARIANTS[self.variant](chosen) if chosen else lists.EMPTY
        if self.links and start + size < len(found):
            content += self._next(asked, start + size, session)
        elif self.last_link is not None:
            content += f'<ul class="pagination"><li><a title="Next Page" href="{self.last_link}">&raquo;</a></li></ul>'
        return self._html("Ausschreibungen", content)

    def _next(self, asked: dict[str, str], start: int, session: str | None) -> str:
        shown = {**asked, "Start": str(start), "csrt": "4711"}
        query = "&amp;".join(f"{name}={value}" for name, value in shown.items())
        carried = f";jsessionid={session}" if session else ""
        href = f"PublicationSearchControllerServlet{carried}?{query}"
        return f'<ul class="pagination"><li><a title="Next Page" href="{href}">&raquo;</a></li></ul>'

    def _detail(self, request: RecordedRequest, session: str | None) -> Answer:
        oid = request.parameters.get("TOID")
        tender = next((tender for tender in self.tenders if tender.oid == oid), None)
        if tender is None:
            return self._html("Fehler", "<p>Die Bekanntmachung gibt es nicht.</p>", 404)
        return self._html(tender.title, notices.notice(tender, _carried(session)))

    def _documents(self, request: RecordedRequest, session: str | None) -> Answer:
        oid = request.parameters.get("TenderOID")
        tender = next((tender for tender in self.tenders if tender.procedure_oid == oid), None)
        content = notices.documents(tender, _carried(session)) if tender else OVER
        return self._html("Vergabeunterlagen", content)

    def _file(self, request: RecordedRequest) -> Answer:
        name = request.parameters.get("Document", "Datei.pdf")
        return Answer(200, pdf(f"{name} {request.parameters.get('documentOID')}"), "application/pdf")

    def _html(self, title: str, content: str, status: int = 200) -> Answer:
        declared = self.declares or self.encoding
        text = lists.page(title, content, declared)
        media_type = f"text/html; charset={declared}"
        return Answer(status, text.encode(self.encoding, "xmlcharrefreplace"), media_type)

    def describe(self, **more: Any) -> dict[str, Any]:
        """This portal as a block of a portal file."""
        name = self.path.split("/")[1]
        block = {"id": name, "name": f"Portal {name}", "platform": "netserver", "base_url": self.base_url}
        return block | {"entry_url": "LoginControllerServlet?function=CookiesCheckDone", "enabled": True} | more


def _kind(servlet: str, function: str) -> str | None:
    if servlet == "PublicationSearchControllerServlet":
        return "list"
    if servlet == "PublicationControllerServlet" and function == "Detail":
        return "detail"
    if servlet == "TenderingProcedureDetails":
        return "documents" if function == "_Details" else "file" if function.startswith("_Download") else None
    return None


def _carried(session: str | None) -> str:
    return f";jsessionid={session}" if session else ""
