"""Invented releases in the shape of Contracts Finder's answers, with contact points to be found and removed."""

from __future__ import annotations

import random
import uuid
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from portal_simulator.words import ENGLISH_BEGINNINGS, ENGLISH_ENDINGS, FACILITIES, SENTENCES, SUBJECTS, Subject

Release = dict[str, Any]

SITE = "https://www.contractsfinder.service.gov.uk"
_NAMESPACE = uuid.UUID("b1a3c1de-0c39-5b3f-8f0e-2a4d6c8e0f12")


def invented_contracts_finder_releases(
    n: int, seed: int = 1, *, last_day: date | None = None, days: int = 30
) -> list[Release]:
    """``n`` releases of ``days`` days up to ``last_day`` (yesterday in UTC), the newest first.

    One in ten is a planning notice, one in five an award; every other one is an open call. The eleventh amends the
    tenth (same ocid and notice, later date), and so on. Every release names a contact person (``planted_contacts``).
    """
    day = last_day or datetime.now(UTC).date() - timedelta(days=1)
    last = datetime.combine(day, time(17), UTC)
    step = timedelta(days=days) / max(n, 1)
    releases = [_release(index, seed, last - step * (n - 1 - index)) for index in range(n)]
    return releases[::-1]


def planted_contacts(release: Release) -> list[str]:
    """Every text of ``release`` that may be kept nowhere: names, addresses and numbers of people."""
    points = (party.get("contactPoint", {}) for party in release["parties"])
    return [text for point in points for text in (point.get(k) for k in ("name", "email", "telephone")) if text]


def _identifier(kind: str, seed: int, index: int) -> str:
    return str(uuid.uuid5(_NAMESPACE, f"{kind} {seed} {index}"))


def _instant(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _release(index: int, seed: int, moment: datetime) -> Release:
    """The release; an amendment takes ids and subject from the one before it."""
    amends = index % 10 == 0 and index > 0
    origin = index - 1 if amends else index
    draw = random.Random(f"{seed}/{origin}")
    guid = _identifier("notice", seed, origin)
    subject = draw.choice(SUBJECTS)
    place = draw.choice(ENGLISH_BEGINNINGS) + draw.choice(ENGLISH_ENDINGS)
    kind = "tenderAmendment" if amends else _KINDS[index % 10]
    buyer = {"id": f"GB-CFS-{200_000 + origin}", "name": f"{place} {draw.choice(('Borough', 'District'))} Council"}
    release: Release = {
        "ocid": f"ocds-b5fd17-{_identifier('process', seed, origin)}",
        "id": f"{guid}-{300_000 + index}",
        "language": "en",
        "date": _instant(moment),
        "tag": [kind],
        "initiationType": "tender",
        "tender": _tender(draw, origin, subject, place, moment),
        "parties": [_buyer_party(buyer, place, origin)],
        "buyer": buyer,
    }
    _ADDITIONS[kind](release, draw, guid, moment)
    return release


def _tender(draw: random.Random, index: int, subject: Subject, place: str, moment: datetime) -> dict[str, Any]:
    facility = draw.choice(FACILITIES["eng"])
    title = f"{subject.eng}, {place} {facility} (reference CF/{index + 1})"
    paragraphs = [s.format(subject=subject.eng, facility=facility, place=place, months=24) for s in SENTENCES["eng"]]
    tender: dict[str, Any] = {
        "id": f"{place[:4].upper()}-{index + 1}",
        "title": title if index % 7 else title.replace("school", "St Jo&apos;s school"),
        "description": "\r\n\r\n".join(paragraphs),
        "classification": {"scheme": "CPV", "id": subject.cpv, "description": subject.label},
        "additionalClassifications": [{"scheme": "CPV", "id": code} for code in subject.related],
        "items": [{"id": "1", "deliveryAddresses": [{"region": "North East", "countryName": "United Kingdom"}]}],
        "procurementMethod": "open",
        "procurementMethodDetails": "Open procedure (above threshold)",
        "contractPeriod": {
            "startDate": _instant(moment + timedelta(days=90)),
            "endDate": _instant(moment + timedelta(days=820)),
        },
        "suitability": {"sme": True, "vcse": index % 2 == 0},
        "mainProcurementCategory": {"supplies": "goods"}.get(subject.nature, subject.nature),
    }
    if draw.random() < 0.76:
        tender["value"] = {"amount": draw.randint(10_000, 5_000_000), "currency": "GBP"}
    return tender


def _buyer_party(buyer: dict[str, str], place: str, index: int) -> dict[str, Any]:
    return {
        **buyer,
        "identifier": {"legalName": buyer["name"]},
        "address": {"streetAddress": "Invented House, 1 Sample Street", "locality": place, "countryName": "England"},
        "contactPoint": {
            "name": f"Robin Planted-{index}",
            "email": f"robin.planted{index}@example.org",
            "telephone": f"+44 1632 96{index % 10_000:04d}",
        },
        "details": {"url": "http://council.example.org"},
        "roles": ["buyer"],
    }


def _notice_page(guid: str, kind: str, moment: datetime) -> dict[str, Any]:
    return {
        "id": "1",
        "documentType": kind,
        "description": "Notice on Contracts Finder",
        "url": f"{SITE}/Notice/{guid}",
        "datePublished": _instant(moment),
        "format": "text/html",
        "language": "en",
    }


def _call(release: Release, draw: random.Random, guid: str, moment: datetime) -> None:
    tender = release["tender"]
    tender["status"] = "active"
    tender["datePublished"] = _instant(moment)
    deadline = moment + timedelta(days=draw.randint(30, 60))
    tender["tenderPeriod"] = {"endDate": deadline.strftime("%Y-%m-%dT12:00:00") + draw.choice(("Z", "Z", "+01:00"))}
    attachment = {
        "id": "2",
        "documentType": "biddingDocuments",
        "description": "Specification",
        "url": f"{SITE}/Notice/Attachment/{uuid.uuid5(_NAMESPACE, guid)}",
        "format": "application/pdf",
        "language": "en",
    }
    portal = {"id": "3", "description": "Bidding portal", "url": f"https://bids.example.org/advert/{guid}"}
    tender["documents"] = [_notice_page(guid, "tenderNotice", moment), attachment, portal]


def _amendment(release: Release, draw: random.Random, guid: str, moment: datetime) -> None:
    _call(release, draw, guid, moment)
    release["tender"]["description"] += "\r\n\r\nThe closing date has been moved."
    release["tender"]["documents"][0]["dateModified"] = _instant(moment)


def _planning(release: Release, draw: random.Random, guid: str, moment: datetime) -> None:
    del draw
    release["title"] = release["tender"]["title"]
    release["planning"] = {"documents": [_notice_page(guid, "marketEngagementNotice", moment)]}
    release["tender"]["status"] = "planning"
    for name in ("procurementMethod", "procurementMethodDetails", "contractPeriod", "mainProcurementCategory"):
        release["tender"].pop(name)


def _award(release: Release, draw: random.Random, guid: str, moment: datetime) -> None:
    supplier = {
        "id": f"GB-CFS-{900_000 + draw.randint(1, 90_000)}",
        "name": f"Invented Works {draw.randint(1, 500)} Ltd",
    }
    release["tender"]["status"] = "complete"
    address = {"streetAddress": "2 Sample Street\nSampleton\nAB1 2CD"}
    release["parties"].append({**supplier, "address": address, "roles": ["supplier"]})
    award: dict[str, Any] = {
        "id": f"{release['ocid']}-1",
        "status": "active",
        "date": _instant(moment - timedelta(days=20)),
        "datePublished": _instant(moment),
        "suppliers": [supplier],
        "documents": [_notice_page(guid, "awardNotice", moment)],
    }
    if "value" in release["tender"]:
        award["value"] = release["tender"]["value"]
    release["awards"] = [award]


_KINDS = ("tender", "tender", "award", "tender", "tender", "planning", "tender", "award", "tender", "tender")
_ADDITIONS = {"tender": _call, "tenderAmendment": _amendment, "planning": _planning, "award": _award}
