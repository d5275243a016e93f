"""Is the process alive, and can it do its work: for supervisors, without a key and without secrets."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import psycopg2
from flask import Blueprint, Response, json, jsonify

from tenderscrapy.ai.provider import provider
from tenderscrapy.config import config
from tenderscrapy.database.queries import queries
from tenderscrapy.exceptions import TenderscrapyError
from webapp.database import database

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def alive() -> Response:
    """The process answers."""
    return jsonify({"status": "alive"})


@blueprint.get("/readyz")
def ready() -> Response:
    """200 when database, queue and model can all be used, else 503; ``checks`` says which cannot."""
    checks = {"database": _check(_database), "queue": _check(_queue), "model": _check(_model)}
    fine = all(state == "ready" for state in checks.values())
    body = {"status": "ready" if fine else "not ready", "checks": checks}
    return Response(json.dumps(body), 200 if fine else 503, mimetype="application/json")


def _check(check: Callable[[], None]) -> str:
    try:
        check()
    except (TenderscrapyError, psycopg2.Error, OSError) as error:
        logger.warning("not ready: %s: %s", check.__name__.strip("_"), error)
        return "unavailable"
    return "ready"


def _database() -> None:
    with database().connection() as connection:
        queries("search").active_model(connection)


def _queue() -> None:
    """Without AMQP_URL the queue is a table, so it is as ready as the database."""
    if url := config().amqp_url:
        from tenderscrapy.messaging import broker

        broker.connect(url, "tenderscrapy readiness").close()
    else:
        _database()


def _model() -> None:
    embedder: Any = provider()
    embedder.embed_query("ready")
