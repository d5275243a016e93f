"""The German publication service's poorer forms of the same invented notices: OCDS packages and CSV tables."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal_simulator.doe_notices import GermanNotice

_TABLES = {
    "notice": "procedureIdentifier,procedureLegalBasis,formType,noticeType,publicationDate",
    "purpose": "lotIdentifier,internalIdentifier,mainNature,title,estimatedValue,estimatedValueCurrency,description",
    "organisation": "organisationName,organisationIdentifier,organisationCity,organisationCountryCode,organisationRole",
    "classification": "lotIdentifier,classificationType,mainClassificationCode,additionalClassificationCodes",
    "procedure": "procedureType",
}


def ocds_members(notices: Sequence[GermanNotice]) -> list[tuple[str, bytes]]:
    """A package a notice; neither deadline nor version, and the buyer's number in the wrong place."""
    return [(f"{notice.id}.json", json.dumps(_package(notice)).encode()) for notice in notices]


def _package(notice: GermanNotice) -> dict[str, Any]:
    release = {
        "ocid": f"ocds-mnwr74-{notice.folder}",
        "id": notice.id,
        "date": f"{notice.issued}T22:00:00Z",
        "tag": ["tender"],
        "initiationType": "tender",
        "parties": [{"name": notice.buyer, "id": "ORG-0001", "roles": ["buyer"], "address": {"countryName": "DEU"}}],
        "buyer": {"name": notice.buyer, "id": "99-900001-00", "identifier": {"id": "ORG-7001"}},
        "tender": {
            "id": notice.folder,
            "title": notice.title,
            "description": notice.text,
            "items": [{"id": "1", "classification": {"scheme": "CPV", "id": notice.cpv}, "relatedLot": "LOT-0000"}],
            "lots": [{"id": "LOT-0000", "title": notice.title}],
        },
        "language": "DEU",
    }
    return {"uri": "https://example.org/package", "version": "1.1", "releases": [release]}


def csv_members(notices: Sequence[GermanNotice]) -> list[tuple[str, bytes]]:
    """The tables of a day; a national notice has no procedure number there."""
    return [(f"{name}.csv", _table(name, columns.split(","), notices)) for name, columns in _TABLES.items()]


def _table(name: str, columns: list[str], notices: Sequence[GermanNotice]) -> bytes:
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, ["noticeIdentifier", "noticeVersion", *columns], restval="", extrasaction="ignore")
    writer.writeheader()
    for notice in notices:
        identity = {"noticeIdentifier": notice.id, "noticeVersion": notice.version}
        for row in _rows(name, notice):
            writer.writerow(identity | row)
    return buffer.getvalue().encode()


def _rows(name: str, notice: GermanNotice) -> list[dict[str, Any]]:
    if name == "notice":
        folder = notice.folder if "-" in notice.folder else ""
        date = f"{notice.issued}T23:00:00Z"
        kind = {"formType": "competition", "noticeType": "cn-standard"}
        return [{"procedureIdentifier": folder, "publicationDate": date, **kind}]
    if name == "organisation":
        return [{"organisationName": notice.buyer, "organisationCountryCode": "DEU", "organisationRole": "buyer"}]
    if name == "procedure":
        return [{"procedureType": "de-open"}]
    of_lots = {
        "purpose": {"title": notice.title, "description": notice.text},
        "classification": {"classificationType": "cpv", "mainClassificationCode": f"{notice.cpv}-0"},
    }
    return [{"lotIdentifier": lot} | of_lots[name] for lot in ("", "LOT-0000")]
