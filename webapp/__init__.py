"""The web page and the HTTP API over what was crawled and indexed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Flask

from webapp import (
    access,
    api,
    database,
    facets,
    files,
    formatting,
    health,
    pages,
    presentation,
    problems,
    security,
    source_names,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

#: A search is a query and its filters; nothing larger is read.
MAX_BODY = 64 * 1024


def create_app(config: Mapping[str, Any] | None = None) -> Flask:
    """The application; nothing is connected before the first request.

    ``config`` may hold ``DATABASE_URL`` (else the environment's, or the embedded server) and ``FILES_STORE``.
    """
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY
    app.config["MAX_FORM_MEMORY_SIZE"] = MAX_BODY
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.config.update(config or {})
    app.jinja_env.trim_blocks = True
    app.jinja_env.lstrip_blocks = True
    database.init_app(app)
    security.init_app(app)
    problems.init_app(app)
    formatting.init_app(app)
    presentation.init_app(app)
    facets.init_app(app)
    source_names.init_app(app)
    for blueprint in (pages.blueprint, files.blueprint, api.blueprint, health.blueprint):
        app.register_blueprint(blueprint)
    app.cli.add_command(access.keys)
    return app
