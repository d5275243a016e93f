"""Downloaded files, handed out as files: never shown inside the page's own origin."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from flask import Blueprint, Response, abort, current_app, send_file

from tenderscrapy.config import config
from tenderscrapy.database.queries import queries
from webapp.database import database

if TYPE_CHECKING:
    from werkzeug.wrappers import Response as WerkzeugResponse

blueprint = Blueprint("files", __name__)

#: Types that a browser hands to the right program; what could be run or shown as a page goes as plain bytes.
_TYPES = {
    "application/pdf",
    "application/zip",
    "application/msword",
    "application/vnd.ms-excel",
    "application/vnd.oasis.opendocument.text",
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "text/plain",
    "text/csv",
}


@blueprint.get("/files/<int:attachment_id>")
def download(attachment_id: int) -> Response | WerkzeugResponse:
    """A ready attachment under the name that its source gave it."""
    if attachment_id >= 2**63:
        abort(404)
    with database().connection() as connection:
        row = queries("tenders").file(connection, id=attachment_id)
    if row is None:
        abort(404, "There is no such file, or it has not been downloaded yet.")
    path, filename, media_type, _ = row
    answer = send_file(
        _confined(path),
        mimetype=media_type if media_type in _TYPES else "application/octet-stream",
        as_attachment=True,
        download_name=_name(filename) or _name(path) or "file",
        max_age=0,
    )
    answer.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return answer


def _name(text: str | None) -> str:
    """The last part of a name or path without what a header cannot carry."""
    printable = "".join(c for c in text or "" if c.isprintable())
    return printable.replace("\\", "/").rsplit("/", maxsplit=1)[-1].strip()[-200:]


def _confined(path: str) -> Path:
    """The file at ``path`` below FILES_STORE; 404 for anything that is elsewhere, a link included."""
    store = Path(current_app.config.get("FILES_STORE") or config().files).resolve()
    try:
        file = (store / path).resolve()
        inside = file.is_relative_to(store) and file.is_file()
    except (OSError, ValueError):
        inside = False
    if not inside:
        abort(404, "The file is no longer where it was stored.")
    return file
