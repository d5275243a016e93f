"""Files behind the notices' links, and files that behave as a test asks them to."""

from __future__ import annotations

import hashlib
import re
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from portal_simulator import documents
from portal_simulator.exchange import Answer, RecordedRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal_simulator.contracts_finder import ContractsFinderPortal
    from portal_simulator.ted import TedPortal

LARGEST_FILE = 4 * 1024 * 1024 * 1024
HELD = 8 * 1024 * 1024
_TED_FILE = re.compile(r"/[a-z]{2}/notice/(?:-/detail/)?(?P<number>\d+-\d{4})(?:/(?P<form>xml|pdf|pdfs|html))?")
_GUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"


@dataclass
class _Stored:
    body: bytes
    media_type: str | None
    headers: list[tuple[str, str]] = field(default_factory=list)


class FilePortal:
    """``/files/NAME`` with the behaviour in its query string, and the sites' own file addresses.

    Parameters of ``/files/NAME`` (``file_url`` writes them): ``size`` bytes; ``type``; ``rate`` bytes a second in
    writes of ``piece``; ``disposition`` (``_disposition``); ``redirects`` N hops, ``loop``, ``to`` any address;
    ``status``; ``fail`` (the first N requests: 500); ``declared`` length, ``cut`` after N bytes with ``ending``;
    ``html`` in place of the file; ``etag``; ``chunked``; ``delay`` seconds; ``text`` shown in the PDF.
    """

    def __init__(self, url: str, ted: TedPortal, contracts_finder: ContractsFinderPortal) -> None:
        self._url = url
        self._ted = ted
        self._contracts_finder = contracts_finder
        self._stored: dict[str, _Stored] = {}
        self._asked: dict[str, int] = {}
        self._lock = threading.Lock()

    def file_url(self, name: str, **behaviour: object) -> str:
        query = f"?{urlencode(behaviour)}" if behaviour else ""
        return f"{self._url}/files/{quote(name)}{query}"

    def add(self, path: str, body: bytes, media_type: str | None = documents.PDF, **headers: str) -> str:
        """Serve ``body`` at ``path`` (any path); answers its URL. Header names with ``_`` for ``-``."""
        named = [(name.replace("_", "-"), value) for name, value in headers.items()]
        with self._lock:
            self._stored[path] = _Stored(body, media_type, named)
        return self._url + path

    def answer(self, request: RecordedRequest) -> Answer:
        if stored := self._stored.get(request.path):
            return _tagged(request, Answer(200, stored.body, stored.media_type, list(stored.headers)))
        if request.path.startswith("/files/"):
            return self._behaving(request, request.parameters)
        if found := _TED_FILE.fullmatch(request.path):
            return self._ted_file(request, found["number"], found["form"] or "html")
        if found := re.fullmatch(rf"/Notice/(?P<attachment>Attachment/)?(?P<guid>{_GUID})", request.path):
            return self._contracts_finder_file(request, found["guid"], attachment=bool(found["attachment"]))
        return Answer.of_html("<html><body>Not found</body></html>", 404)

    def _ted_file(self, request: RecordedRequest, number: str, form: str) -> Answer:
        notice = self._ted.notice(number)
        if notice is None:
            return Answer.of_html("<html><body>No such notice</body></html>", 404)
        if form == "xml":
            return _tagged(request, Answer(200, documents.notice_xml(notice), "application/xml"))
        if form == "html":
            return Answer.of_html(documents.notice_html(documents.title_of(notice)))
        return _tagged(request, Answer(200, documents.notice_pdf(notice), documents.PDF))

    def _contracts_finder_file(self, request: RecordedRequest, guid: str, *, attachment: bool) -> Answer:
        if attachment:
            name = [("Content-Disposition", f'attachment; filename="specification-{guid[:8]}.pdf"')]
            body = documents.pdf(f"Specification {guid}. Invented requirements for an invented contract.")
            return _tagged(request, Answer(200, body, documents.PDF, name))
        release = self._contracts_finder.release_of(guid)
        if release is None:
            return Answer.of_html("<html><body>No such notice</body></html>", 404)
        return Answer.of_html(documents.notice_html(release["tender"].get("title", "")))

    def _behaving(self, request: RecordedRequest, asked: dict[str, str]) -> Answer:
        with self._lock:
            count = self._asked[request.target] = self._asked.get(request.target, 0) + 1
        if count <= int(asked.get("fail", 0)):
            return Answer.of_html("<html><body>Sorry</body></html>", 500)
        if location := self._redirect(request, asked):
            return Answer(302, b"", "text/html", [("Location", location)])
        if status := int(asked.get("status", 0)):
            return Answer.of_html("<html><body>An error</body></html>", status)
        if "html" in asked:
            answer = Answer.of_html("<!DOCTYPE html><html><body>Please log in</body></html>")
        else:
            answer = _file(request.path.removeprefix("/files/"), asked)
        answer = _tagged(request, answer) if "etag" in asked else answer
        return _delivered(answer, asked)

    def _redirect(self, request: RecordedRequest, asked: dict[str, str]) -> str | None:
        if "loop" in asked:
            return self._url + request.target
        if hops := int(asked.get("redirects", 0)):
            return f"{self._url}{quote(request.path)}?{urlencode(asked | {'redirects': hops - 1})}"
        return asked.get("to")


def _file(name: str, asked: dict[str, str]) -> Answer:
    size = min(int(asked.get("size", 0)), LARGEST_FILE)
    media_type = asked.get("type", documents.PDF)
    headers = _disposition(asked.get("disposition", "none"), name)
    if media_type == documents.PDF and size <= HELD:
        return Answer(200, documents.pdf(asked.get("text", f"The file {name}"), size), media_type, headers)
    start = documents.pdf(name)[:-6] if media_type == documents.PDF else b""
    return Answer(200, media_type=media_type, headers=headers, pieces=_filled(start, size), length=size)


def _filled(start: bytes, size: int) -> Iterator[bytes]:
    """``size`` bytes, of which none but one piece is ever held."""
    block = documents.padding(80 * 1024)
    yield start[:size]
    left = size - len(start)
    while left > 0:
        yield block[:left]
        left -= len(block)


def _disposition(form: str, name: str) -> list[tuple[str, str]]:
    """Content-Disposition in the spellings that portals use, well-formed or not."""
    forms = {
        "attachment": f'attachment; filename="{name}"',
        "bare": f"attachment; filename={name}",
        "utf8": f"attachment; filename*=UTF-8''{quote(name)}",
        "both": f"attachment; filename=\"file.pdf\"; filename*=UTF-8''{quote(name)}",
        "latin1": f'attachment; filename="{name}"',
        "path": f'attachment; filename="../../../etc/{name}"',
        "windows": f'attachment; filename="C:\\temp\\{name}"',
        "inline": "inline",
    }
    return [("Content-Disposition", forms[form])] if form in forms else []


def _tagged(request: RecordedRequest, answer: Answer) -> Answer:
    """With an ETag, and 304 for the client that knows it."""
    seed = answer.body or f"{answer.media_type}{answer.length}".encode()
    tag = f'"{hashlib.sha256(seed).hexdigest()[:16]}"'
    headers = [*answer.headers, ("ETag", tag)]
    if request.headers.get("if-none-match") == tag:
        return Answer(304, b"", None, headers)
    answer.headers = headers
    return answer


def _delivered(answer: Answer, asked: dict[str, str]) -> Answer:
    return answer.sent(
        delay=min(float(asked.get("delay", 0)), 120.0),
        rate=float(asked["rate"]) if "rate" in asked else None,
        piece=max(1, int(asked.get("piece", 16_384))),
        stop_after=int(asked["cut"]) if "cut" in asked else None,
        ending=asked.get("ending", "close"),
        declared_length=int(asked["declared"]) if "declared" in asked else None,
        chunked="chunked" in asked,
    )
