"""What every answer carries, and who may open the pages."""

from __future__ import annotations

import ipaddress
import logging
import re
import time
import uuid
from typing import TYPE_CHECKING

from flask import Response, g, request

if TYPE_CHECKING:
    from flask import Flask

logger = logging.getLogger(__name__)

_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_HOST = re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?", re.IGNORECASE)
_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP")
#: The API and the health checks may be reached from elsewhere: the first asks for a key, the second says nothing.
_OPEN = ("/api/", "/healthz", "/readyz")

_REFUSED = """The pages of tenderscrapy open on this computer only.

Open http://127.0.0.1 with the port that the program printed, without a proxy in between.
Other computers can use the API at /api/v1 with a key: flask --app webapp keys create NAME
"""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def init_app(app: Flask) -> None:
    """Number requests, guard the pages, and put the headers on each answer."""
    app.before_request(_number_request)
    app.before_request(_refuse_strangers)
    app.after_request(_finish)


def _number_request() -> None:
    given = request.headers.get("X-Request-ID", "")
    g.request_id = given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex
    g.started = time.monotonic()


def _refuse_strangers() -> Response | None:
    """There are no accounts: what is not on this computer, or came through a proxy, sees no page.

    The Host header is checked because a page elsewhere can make a browser here ask under a name of its own.
    """
    if request.path.startswith(_OPEN):
        return None
    # from the headers, not request.host, which raises on what is no host name
    host_is_ours = _HOST.fullmatch(request.headers.get("Host", "")) is not None
    forwarded = any(name in request.headers for name in _FORWARDED)
    if host_is_ours and not forwarded and _is_loopback(request.remote_addr):
        return None
    return Response(_REFUSED, 403, mimetype="text/plain")


def _is_loopback(address: str | None) -> bool:
    try:
        parsed = ipaddress.ip_address(address or "")
    except ValueError:
        return False
    mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
    return (mapped or parsed).is_loopback


def _finish(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers["X-Request-ID"] = g.get("request_id", "")
    if "Cache-Control" not in response.headers:
        response.headers["Cache-Control"] = "no-store" if request.path.startswith("/api/") else "private, no-cache"
    seconds = time.monotonic() - g.get("started", time.monotonic())
    path = request.path.encode("unicode_escape").decode()[:200]  # a line break in an address starts no line in the log
    logger.info(
        "%s %s %s %.0f ms request_id=%s",
        request.method,
        path,
        response.status_code,
        seconds * 1000,
        g.request_id,
    )
    return response
