"""Errors: RFC 9457 problems for programs, a page for people, and internals for neither."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from flask import Response, json, render_template, request
from werkzeug.exceptions import HTTPException, InternalServerError, ServiceUnavailable

from tenderscrapy.exceptions import DatabaseUnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask import Flask

logger = logging.getLogger(__name__)

_FOR_PROGRAMS = ("/api/", "/healthz", "/readyz")


class ProblemError(Exception):
    """An answer of the API that is no success; ``more`` are further members of the problem, ``headers`` of HTTP."""

    def __init__(
        self, status: int, title: str, detail: str, *, headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(detail)
        self.status, self.title, self.detail = status, title, detail
        self.headers, self.more = dict(headers or {}), more

    def response(self) -> Response:
        """The problem as ``application/problem+json``."""
        body = {"type": "about:blank", "title": self.title, "status": self.status, "detail": self.detail, **self.more}
        answer = Response(json.dumps(body), self.status, mimetype="application/problem+json")
        answer.headers.update(self.headers)
        return answer


def invalid(field: str, message: str) -> ProblemError:
    """A request that cannot be answered because of one field."""
    return ProblemError(400, "Invalid request", f"{field}: {message}", errors=[{"field": field, "message": message}])


def init_app(app: Flask) -> None:
    """Answer every error in the form that its reader wants."""
    app.register_error_handler(ProblemError, lambda problem: problem.response())
    app.register_error_handler(DatabaseUnavailableError, _database_away)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _unexpected)


def _database_away(error: DatabaseUnavailableError) -> Response:
    logger.error("database unavailable: %s", error)
    away = ServiceUnavailable("The database cannot be reached.")
    if _wants_problem():
        return ProblemError(
            503,
            "Database unavailable",
            "The database cannot be reached; try again later.",
            headers={"Retry-After": "10"},
        ).response()
    answer = Response(render_template("unavailable.html"), away.code)
    answer.headers["Retry-After"] = "10"
    return answer


def _http(error: HTTPException) -> Response:
    status = error.code or 500
    if status < 400:
        return error.get_response()  # type: ignore[return-value]
    if _wants_problem():
        headers = {name: value for name, value in error.get_headers() if name in ("Allow", "Retry-After")}
        return ProblemError(status, error.name, error.description or error.name, headers=headers).response()
    return Response(render_template("error.html", status=status, title=error.name, detail=error.description), status)


def _unexpected(error: Exception) -> Response:
    logger.error("unexpected error at %s", request.path, exc_info=error)
    return _http(InternalServerError("Something went wrong here; the log of the server has the details."))


def _wants_problem() -> bool:
    return request.path.startswith(_FOR_PROGRAMS)
