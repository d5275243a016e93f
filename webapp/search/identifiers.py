"""Official numbers, answered by key before any ranking."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from uuid import UUID

from tenderscrapy.database.queries import queries
from webapp.search.filters import cpv_prefix

if TYPE_CHECKING:
    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

_IDENTIFIER = re.compile(r"(?=.{4,120}\Z)(?=.*\d)[^\s\"]+(?: [^\s\"]+){0,3}")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_TED = re.compile(r"0*(?P<number>\d{1,8}-(?:19|20)\d{2})")
_OJ = re.compile(r"(?:OJ )?(?P<year>(?:19|20)\d{2})\s?/?\s?S\s?\d{1,3}\s?-\s?0*(?P<number>\d{1,8})", re.IGNORECASE)
_CPV = re.compile(r"CPV[\s:]*(?P<short>\d{2,8}(?:-\d)?)|(?P<full>\d{8}(?:-\d)?)", re.IGNORECASE)


def key_forms(text: str) -> list[str]:
    """The forms in which the database may keep ``text`` as a number: none when it looks like words.

    A TED number loses its leading zeros, an Official Journal number (``2026/S 012-000345``) becomes TED's
    (``345-2026``), UUIDs and OCIDs are lower case.
    """
    text = text.strip().strip('"')
    if match := _OJ.fullmatch(text):
        return [f"{match['number']}-{match['year']}"]
    if not _IDENTIFIER.fullmatch(text):
        return []
    forms = [text, text.lower(), text.upper()]
    if match := _TED.fullmatch(text):
        forms.append(match["number"])
    return list(dict.fromkeys(forms))


def cpv_branch(text: str) -> str | None:
    """The prefix of the CPV branch that ``text`` as a whole names (``CPV 45``, ``45214000-0``), else None."""
    match = _CPV.fullmatch(text.strip())
    return cpv_prefix(match["short"] or match["full"]) if match else None


def tenders_with(connection: Connection, forms: list[str]) -> list[str]:
    """Ids of the tenders that bear one of ``forms`` as an official number or as the buyer's reference."""
    if not forms:
        return []
    sql: Any = queries("search")
    uuids = [str(UUID(form)) for form in forms if _UUID.fullmatch(form)]
    rows = sql.tenders_by_number(connection, forms=forms, uuids=uuids[:1], reference=forms[0].lower())
    return [str(row[0]) for row in rows]
