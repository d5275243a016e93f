"""Invented notices as eForms XML, as the German publication service and Vergabemarktplatz NRW pack them."""

from __future__ import annotations

import random
import uuid
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

import eforms_document as xml

from portal_simulator.words import FACILITIES, PLACE_BEGINNINGS, PLACE_ENDINGS, SENTENCES, SUBJECTS

_NAMESPACE = uuid.UUID("5d0e6f0a-6f0d-5a2c-8a52-0d0e00000001")


@dataclass(frozen=True)
class GermanNotice:
    """What one notice says. ``id`` is a UUID, or eight digits for a national notice; ``folder`` its procedure.

    ``padding`` is a number of characters that its description is longer by.
    """

    id: str
    folder: str
    title: str
    buyer: str
    text: str
    cpv: str
    issued: date
    deadline: date | None
    version: int = 1
    documents: str = ""
    value: str = ""
    padding: int = 0

    @property
    def member(self) -> str:
        """Its name in an archive."""
        return f"{self.id}-{self.version:02d}.xml"

    def edition(self, **changes: Any) -> GermanNotice:
        """The next version."""
        return replace(self, version=self.version + 1, **changes)


def invented_german_notices(n: int, seed: int = 1, *, day: date, national_every: int = 3) -> list[GermanNotice]:
    """``n`` notices dispatched the day before ``day``; every third is a national one."""
    return [_notice(i, seed, day, national=i % national_every == national_every - 1) for i in range(n)]


def twin_of(ted_notice: dict[str, Any], *, issued: date) -> GermanNotice:
    """The notice that TED publishes too: both of its UUIDs are the same there."""
    language = next(iter(ted_notice["title-proc"]))
    return GermanNotice(
        id=ted_notice["notice-identifier"],
        folder=ted_notice["procedure-identifier"],
        title=ted_notice["title-proc"][language],
        buyer=ted_notice["buyer-name"][language][0],
        text=ted_notice["description-proc"][language],
        cpv=ted_notice["main-classification-proc"][0],
        issued=issued,
        deadline=issued + timedelta(days=40),
    )


def _notice(index: int, seed: int, day: date, *, national: bool) -> GermanNotice:
    draw = random.Random(f"german {seed}/{day}/{index}")
    subject = draw.choice(SUBJECTS)
    place = draw.choice(PLACE_BEGINNINGS) + draw.choice(PLACE_ENDINGS)
    facility = draw.choice(FACILITIES["deu"])
    number = f"{90_000_000 + (day.toordinal() * 1500 + seed * 7919 + index) % 9_999_999:08d}"
    notice_id = number if national else str(uuid.uuid5(_NAMESPACE, f"notice {seed} {day} {index}"))
    folder = number if national else str(uuid.uuid5(_NAMESPACE, f"procedure {seed} {day} {index}"))
    project = "".join(draw.choice("0123456789ABCDEFGHJKLMNPQRSTUVWXYZ") for _ in range(14))
    return GermanNotice(
        id=notice_id,
        folder=folder,
        title=f"{subject.deu}, {facility} {place}, {draw.randint(1, 99)}/{day:%Y}-{index + 1}",
        buyer=f"Stadt {place}",
        text=" ".join(SENTENCES["deu"]).format(subject=subject.deu, facility=facility, place=place, months=24),
        cpv=subject.cpv,
        issued=day - timedelta(days=1),
        deadline=day + timedelta(days=draw.randint(20, 50)),
        documents=f"https://vergabe.example.org/VMPSatellite/notice/CX{project}/documents",
        value=str(draw.randint(20_000, 2_000_000)) if draw.random() < 0.2 else "",
    )


def written(notice: GermanNotice) -> bytes:
    """The XML of one version."""
    code = "DEU"
    text = notice.text + " Wort" * (notice.padding // 5)
    names = xml.named(notice.title, text, code)
    value = xml.estimate(notice.value) if notice.value else ""
    classified = xml.classified(notice.cpv)
    process = xml.period(f"{notice.deadline}+01:00", "10:00:00+01:00") if notice.deadline else ""
    terms = xml.documents(notice.documents) if notice.documents else ""
    body = (
        xml.party("ORG-0001")
        + "<cac:TenderingProcess><cbc:ProcedureCode>open</cbc:ProcedureCode></cac:TenderingProcess>"
        + xml.project(names + value + classified)
        + xml.lot(process, names + classified, terms, key="LOT-0000")
    )
    organisations = xml.german_organisation("ORG-0001", notice.buyer)
    return xml.identified_document(
        notice.id,
        notice.folder,
        f"{notice.version:02d}",
        issued=(f"{notice.issued}+01:00", "09:30:00+01:00"),
        body=body,
        extended=f"<efac:Organizations>{organisations}</efac:Organizations>",
    )
