"""Answers ``sample://`` requests out of the bundled sample: it reads package data and opens no connection."""

from __future__ import annotations

import asyncio
import hashlib
import json
import mimetypes
from datetime import date
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.http import Response, TextResponse

from spiders import sample_bundle

if TYPE_CHECKING:
    from scrapy import Request

    from tenderscrapy.http.scrapy_stream import StreamTarget


class SampleHandler(BaseDownloadHandler):
    """``sample://pages/N?anchor=DAY`` is a page as JSON ``{source, documents, next, total}``.

    ``sample://files/NAME`` is a file; anything else, robots.txt too, a 404. A request with ``meta["stream_to"]`` has
    its body written to that target.
    """

    lazy = True

    async def download_request(self, request: Request) -> Response:
        parts = urlsplit(request.url)
        try:
            if parts.hostname == "pages":
                return TextResponse(request.url, body=_page(parts.path, parts.query), encoding="utf-8")
            if parts.hostname == "files":
                return await _file(request, parts.path.strip("/"))
        except (LookupError, ValueError, FileNotFoundError):
            pass
        return Response(request.url, status=HTTPStatus.NOT_FOUND)


def _page(path: str, query: str) -> bytes:
    number = int(path.strip("/"))
    anchor = date.fromisoformat(parse_qs(query)["anchor"][0])
    if number < 0:
        raise LookupError(number)
    source, documents = sample_bundle.documents(number, anchor)
    following = number + 1 if number + 1 < len(sample_bundle.pages()) else None
    texts = [document.decode() if isinstance(document, bytes) else document for document in documents]
    page = {"source": source, "documents": texts, "next": following, "total": sample_bundle.total()}
    return json.dumps(page).encode()


async def _file(request: Request, name: str) -> Response:
    content = sample_bundle.file(name)
    headers: dict[str, Any] = {
        "Content-Type": mimetypes.guess_type(name)[0] or "application/octet-stream",
        "Content-Disposition": f'attachment; filename="{name}"',
        "Content-Length": str(len(content)),
    }
    target: StreamTarget | None = request.meta.get("stream_to")
    if target is None:
        return Response(request.url, headers=headers, body=content)
    await asyncio.to_thread(_write, content, target)
    return Response(request.url, headers=headers)


def _write(content: bytes, target: StreamTarget) -> None:
    with target.path.open("xb") as file:
        file.write(content)
    target.size = target.received = len(content)
    target.sha256 = hashlib.sha256(content).hexdigest()
