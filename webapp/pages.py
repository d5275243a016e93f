"""The pages: plain HTML made here, nothing to run in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from flask import Blueprint, Response, abort, redirect, render_template, request, url_for

from webapp import listing
from webapp.database import database
from webapp.facets import activity, facets
from webapp.formatting import now
from webapp.request_state import Asked, whole_number
from webapp.results import Results, browse, searched
from webapp.search.search import passages_of
from webapp.source_names import read_names
from webapp.tenders import detail, dict_rows, redirected

if TYPE_CHECKING:
    from werkzeug.wrappers import Response as WerkzeugResponse

blueprint = Blueprint("pages", __name__)

RUNS = 50


@blueprint.get("/")
def index() -> Response | WerkzeugResponse:
    """Search results, or the newest open tenders without a query."""
    asked = Asked.from_arguments(request.args)
    if not asked.problems and any(name != "q" and not value for name, value in request.args.items(multi=True)):
        # a form sends its empty fields as well: the address that is kept and passed on goes without them
        return redirect(asked.url())
    with database().connection() as connection:
        counts, going_on = facets(connection), activity(connection)
        read_names(connection)
        try:
            results = searched(connection, asked, now()) if asked.query else browse(connection, asked, now())
        except listing.CursorError as error:
            asked.problems.append(str(error))
            results = Results([])
    page = render_template("index.html", asked=asked, results=results, facets=counts, activity=going_on)
    return Response(page, 400 if asked.problems else 200)


@blueprint.get("/tenders/<tender_id>")
def tender(tender_id: str) -> str | Response | WerkzeugResponse:
    """Everything about one tender; with ``q`` also where it answers that query. The way back is in the address."""
    try:
        wanted = str(UUID(tender_id))
    except ValueError:
        abort(404, "There is no tender with this address.")
    asked = Asked.from_arguments(request.args)
    with database().connection() as connection:
        found = detail(connection, wanted, now())
        if found is None:
            became = redirected(connection, wanted)
            if became is None:
                abort(404, "There is no tender with this address.")
            return redirect(url_for("pages.tender", tender_id=became, **asked.place), 301)
        passages = passages_of(connection, wanted, asked.query) if asked.query else []
        read_names(connection)
    return render_template("tender.html", tender=found.tender, detail=found, asked=asked, passages=passages)


@blueprint.get("/sources")
def sources() -> str:
    """Every source, and how its last run went."""
    with database().connection() as connection:
        found = dict_rows(connection, "sources")
        read_names(connection)
    return render_template("sources.html", sources=found)


@blueprint.get("/runs")
def runs() -> str:
    """Crawl runs, newest first."""
    text = request.args.get("before", "")
    before = whole_number(text, below=2**63)
    if text and before is None:
        abort(400, f"before: {text[:40]!r} is no run's number.")
    with database().connection() as connection:
        found = dict_rows(connection, "runs", before=before, count=RUNS)
        read_names(connection)
    return render_template("runs.html", runs=found, before=found[-1]["id"] if len(found) == RUNS else None)
