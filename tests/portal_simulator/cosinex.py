"""Marketplaces that run "cosinex": lists kept in a session, projects in tabs, documents, and all that goes wrong there.

Constructed from public descriptions; every organisation and person is invented.
"""

from __future__ import annotations

import itertools
import threading
from typing import TYPE_CHECKING, Any

from portal_simulator import cosinex_pages as pages
from portal_simulator.documents import pdf
from portal_simulator.exchange import Answer, RecordedRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal_simulator.cosinex_pages import Project

PREFIX = "/VMPCenter/"
SORTED = "tableSortAttributePROJECT_RESULT"
NUMBER = "selectedTablePagePROJECT_RESULT"
#: Pages instead of the ones asked for, all answered with 200.
MAINTENANCE = "<h2>Wartungsarbeiten</h2><p>Der Marktplatz ist vorübergehend nicht verfügbar.</p>"
EXPIRED = "<p>Ihre Sitzung ist abgelaufen. Bitte melden Sie sich erneut an.</p>"
LOGIN_FORM = '<form><input name="user"><input type="password" name="password"></form>'
BAD_REQUEST = "<p>Es ist ein Fehler (400) aufgetreten!</p>"
NONE_FOUND = "<p>Es wurden keine passenden Bekanntmachungen gefunden.</p>"


class CosinexPortal:
    """One marketplace below ``/NAME/VMPCenter/``.

    ``skin`` is one of ``cosinex_pages.SKINS``. ``strict`` wants the session that a start page began, for lists and for
    projects. ``behind_login``, ``maintained`` and ``expired`` are sets of ``overview``, ``list``, ``project``,
    ``documents``; ``redirects`` leads these elsewhere. ``forgets`` sessions on the n-th request of a list. ``sorts``:
    whether it heeds the order asked for. ``broken``: numbers of projects whose row has no link.
    """

    def __init__(self, name: str, url: str, projects: Sequence[Project] | int, skin: str = "heads") -> None:
        self.name = name
        self.path = f"/{name}{PREFIX}"
        self.base_url = url + self.path
        self.projects = pages.invented_projects(projects) if isinstance(projects, int) else list(projects)
        self.skin = skin
        self.encoding = "utf-8"
        self.size = 20
        self.total: int | None = None
        self.strict = False
        self.sorts = True
        self.behind_login: set[str] = set()
        self.maintained: set[str] = set()
        self.expired: set[str] = set()
        self.redirects: dict[str, str] = {}
        self.forgets: set[int] = set()
        self.broken: set[int] = set()
        self._sessions: dict[str, dict[str, str]] = {}
        self._lists = itertools.count(1)
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def end_sessions(self) -> None:
        """All sessions expire now."""
        with self._lock:
            self._sessions.clear()

    def answer(self, request: RecordedRequest) -> Answer:
        """Dispatch by path, after the portal's moods."""
        place = request.path.removeprefix(self.path).partition(";")[0]
        kind = self._kind(place, request.parameters)
        if kind is None:
            return self._html("Fehler", BAD_REQUEST, 400)
        if kind == "list" and next(self._lists) in self.forgets:
            self.end_sessions()
        target = f"{self.path}login.do" if kind in self.behind_login else self.redirects.get(kind)
        if kind == "login":
            return self._html("Anmelden", LOGIN_FORM)
        if target:
            return Answer(302, b"", None, [("Location", target)])
        return self._page(kind, place, request)

    def _kind(self, place: str, asked: dict[str, str]) -> str | None:
        if place == "company/announcements/categoryOverview.do":
            return {"showCategoryOverview": "overview", "showTable": "list"}.get(asked.get("method", ""))
        if place == "company/welcome.do":
            return "list"
        if place == "login.do":
            return "login"
        if "/documents/" in place:
            return "file"
        if place.endswith("/documents"):
            return "documents"
        return "project"

    def _page(self, kind: str, place: str, request: RecordedRequest) -> Answer:
        if kind in self.maintained:
            return self._html("Wartung", MAINTENANCE)
        session, begun = self._session(request)
        starts = kind in ("overview", "file") or (place == "company/welcome.do" and "method" not in request.parameters)
        if kind in self.expired or (self.strict and begun and not starts):
            return self._html("Hinweis", EXPIRED)
        if kind == "overview":
            answer = self._html("Kategorien", pages.overview(self.projects))
        elif kind == "list":
            answer = self._list(request.parameters, session)
        elif kind == "file":
            answer = Answer(200, pdf(place.rpartition("/")[2]), "application/pdf")
        elif kind == "documents":
            answer = self._documents(place)
        else:
            answer = self._project(place, request.parameters)
        if begun:
            answer.headers.append(("Set-Cookie", f"JSESSIONID={session['id']}; Path=/; HttpOnly"))
        return answer

    def _session(self, request: RecordedRequest) -> tuple[dict[str, str], bool]:
        """The visitor's session, and whether it has only just begun."""
        cookies = dict(
            part.strip().split("=", 1) for part in request.headers.get("cookie", "").split(";") if "=" in part
        )
        with self._lock:
            known = self._sessions.get(cookies.get("JSESSIONID", ""))
            if known is not None:
                return known, False
            session = {"id": f"S{next(self._numbers):08d}"}
            self._sessions[session["id"]] = session
            return session, True

    def _list(self, asked: dict[str, str], session: dict[str, str]) -> Answer:
        """The filter, the order and the page are the session's; without a filter the whole list."""
        if asked.get("fromSearch") != "1":
            session.pop("order", None)
            session["cpv"] = asked.get("cpvCode", "")
        if SORTED in asked:
            session["order"] = asked[SORTED]
        number = int(asked.get(NUMBER, 1))
        division = session.get("cpv", "")[:2]
        found = [project for project in self.projects if any(code.startswith(division) for code in project.codes)]
        if session.get("order") and self.sorts:
            found.sort(key=lambda project: project.published_at, reverse=True)
        chosen = found[(number - 1) * self.size : number * self.size]
        total = len(found) if self.total is None else self.total
        links = {p.pid: self._link(p) for p in chosen if p.pid not in self.broken}
        content = pages.SKINS[self.skin](chosen, links, pages.pager(number, total, self.size)) if chosen else NONE_FOUND
        return self._html("Bekanntmachungen", content + pages.FACETS)

    def _link(self, project: Project) -> str:
        return f"{self.base_url}public/company/projectForwarding.do?pid={project.pid}"

    def _project(self, place: str, asked: dict[str, str]) -> Answer:
        project = self._find(place, asked)
        if project is None:
            return Answer(404, b"", "text/html")
        root = f"{self.path}public/company/project/{project.cx}/de"
        if "projectForwarding.do" in place:
            return Answer(302, b"", None, [("Location", f"{root}/overview")])
        if "/processdata/" in place:
            return self._html(project.heading, pages.processdata(project))
        return self._html(project.heading, pages.project_page(project, root))

    def _documents(self, place: str) -> Answer:
        project = self._find(place, {})
        if project is None:
            return Answer(404, b"", "text/html")
        return self._html(project.heading, pages.documents(project, self.path))

    def _find(self, place: str, asked: dict[str, str]) -> Project | None:
        return next((p for p in self.projects if p.cx in place or asked.get("pid") == str(p.pid)), None)

    def _html(self, title: str, content: str, status: int = 200) -> Answer:
        text = pages.page(title, content, self.encoding)
        media_type = f"text/html;charset={self.encoding}"
        return Answer(status, text.encode(self.encoding, "xmlcharrefreplace"), media_type)

    def describe(self, **more: Any) -> dict[str, Any]:
        """This marketplace as a block of a portal file."""
        block = {"id": self.name, "name": f"Portal {self.name}", "platform": "cosinex", "base_url": self.base_url}
        return block | {"enabled": True} | more
