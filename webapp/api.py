"""The HTTP API, version 1; webapp/openapi.json is its contract and is what requests are checked against."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from flask import Blueprint, Response, jsonify, request
from werkzeug.exceptions import HTTPException

from tenderscrapy.search.query import Query
from webapp import contract, listing, records
from webapp.access import require_key, show_allowance
from webapp.database import database
from webapp.formatting import now
from webapp.problems import ProblemError, invalid
from webapp.search.filters import FILTER_NAMES, FilterError, Filters
from webapp.search.search import search
from webapp.tenders import detail, dict_rows, redirected, tenders

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webapp.listing import Order

blueprint = Blueprint("api", __name__, url_prefix="/api/v1")

_PAGE = 20
_MAX_PAGE = 100
_RUNS = 50
_MAX_RUNS = 200


@blueprint.before_app_request
def _check_key() -> None:
    """Also for addresses and methods that are not there: only a key learns so."""
    if request.path.startswith("/api/") and request.endpoint != "api.openapi":
        require_key()


blueprint.after_app_request(show_allowance)


@blueprint.get("/openapi.json")
def openapi() -> Response:
    """The contract itself; open to everyone."""
    answer = jsonify(contract.document())
    answer.headers["Cache-Control"] = "public, max-age=300"
    return answer


@blueprint.post("/search")
def search_tenders() -> Response:
    """Tenders that answer a query, best first."""
    body = contract.checked("SearchRequest", _body())
    query = Query.parse(body["query"])
    if not query:
        raise invalid("query", "there is nothing in it to search for")
    filters = _filters(body.get("filters") or {})
    with database().connection() as connection:
        found = search(connection, query, filters, now())
        hits = found.hits[: int(body.get("limit", contract.DEFAULT_LIMIT))]
        shown = {tender.id: tender for tender in tenders(connection, [hit.tender_id for hit in hits], now())}
        passages = found.passages(connection, hits)
    items = [
        {
            "tender": records.tender(shown[hit.tender_id]),
            "score": round(hit.score, 4),
            "passages": [records.passage(passages[hit.chunk_id])] if hit.chunk_id in passages else [],
        }
        for hit in hits
        if hit.tender_id in shown
    ]
    return jsonify({"items": items, "mode": found.mode, "total": found.total, "vector_scan": found.scan})


@blueprint.get("/tenders")
def list_tenders() -> Response:
    """Tenders that pass the filters, newest first or by deadline, page by page."""
    _only("limit", "cursor", "order", *FILTER_NAMES)
    order = request.args.get("order", "newest")
    if order not in ("newest", "deadline"):
        raise invalid("order", "must be newest or deadline")
    limit = _number("limit", 1, _MAX_PAGE) or _PAGE
    filters = _filters(contract.filter_arguments(request.args))
    try:
        with database().connection() as connection:
            page = listing.page(
                connection, filters, now(), order=cast("Order", order), limit=limit, cursor=request.args.get("cursor")
            )
            items = [records.tender(tender) for tender in tenders(connection, page.ids, now())]
    except listing.CursorError as error:
        raise invalid("cursor", str(error)) from error
    return jsonify({"items": items, "next_cursor": page.next_cursor})


@blueprint.get("/tenders/<tender_id>")
def show_tender(tender_id: str) -> Response:
    """One tender with all its sources, files, changes and conflicts; an id that was joined leads to what it became."""
    try:
        wanted = str(UUID(tender_id))
    except ValueError:
        raise ProblemError(404, "Not found", "A tender's id is a UUID.") from None
    with database().connection() as connection:
        found = detail(connection, wanted, now())
        if found is None and (became := redirected(connection, wanted)):
            found = detail(connection, became, now())
    if found is None:
        raise ProblemError(404, "Not found", "There is no tender with this id.")
    return jsonify(records.detail(found))


@blueprint.get("/sources")
def list_sources() -> Response:
    """Every known source and how its last run went."""
    _only()
    with database().connection() as connection:
        sources = dict_rows(connection, "sources")
    return jsonify({"items": [records.plain(source) for source in sources]})


@blueprint.get("/runs")
def list_runs() -> Response:
    """Crawl runs, newest first."""
    _only("limit", "before")
    limit = _number("limit", 1, _MAX_RUNS) or _RUNS
    before = _number("before", 1, 2**63 - 1)
    with database().connection() as connection:
        runs = dict_rows(connection, "runs", before=before, count=limit)
    following = runs[-1]["id"] if len(runs) == limit else None
    return jsonify({"items": [records.plain(run) for run in runs], "next_before": following})


def _body() -> Any:
    if not request.is_json:
        raise ProblemError(415, "Unsupported media type", "Send the search as application/json.")
    try:
        return request.get_json()
    except HTTPException as error:
        if error.code == 400:
            raise ProblemError(400, "Invalid request", "The body is no JSON.") from None
        raise
    except RecursionError:
        raise ProblemError(400, "Invalid request", "The body is nested too deeply.") from None


def _filters(values: Mapping[str, Any]) -> Filters:
    try:
        return Filters.parse(values)
    except FilterError as error:
        raise invalid(f"filters.{error.field}" if request.method == "POST" else error.field, str(error)) from error


def _only(*names: str) -> None:
    for name in request.args:
        if name not in names:
            raise invalid(name[:80], "unknown parameter")


def _number(name: str, least: int, most: int) -> int | None:
    text = request.args.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most):
        raise invalid(name, f"must be a number from {least} to {most}")
    return int(text)
