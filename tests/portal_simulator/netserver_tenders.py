"""Invented tenders of NetServer portals. All organisations, people and numbers are made up."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

AUTHORITIES = (
    "Stadt Musterhausen, Amt für Gebäudewirtschaft",
    "Landkreis Beispielau",
    "Straßenbauamt Erfundental",
    "Universitätsklinikum Musterhausen",
    "Zweckverband Wasserversorgung Beispielau",
)
OBJECTS = (
    "Straßenbau Ortsdurchfahrt",
    "Neubau Grundschule, Rohbauarbeiten",
    "Unterhaltsreinigung Verwaltungsgebäude",
    "Lieferung von Büromöbeln",
    "Wartung der Aufzugsanlagen",
    "Rahmenvertrag Grünpflege",
    "Planungsleistungen Technische Ausrüstung",
)
PLACES = ("Nordstadt", "Südring", "Am Mühlbach", "Rathausplatz", "Güterbahnhof")
PROCEDURES = (("Offenes Verfahren", "VgV"), ("Öffentliche Ausschreibung", "VOB"), ("Offenes Verfahren", "UVgO/VgV"))
FORMS = ("national", "old_eu", "eforms")
CPV = ("45233120-6", "45214210-5", "90910000-9", "39130000-2", "50750000-7", "77310000-6", "71321000-4")


@dataclass
class File:
    """A document in several versions, newest first."""

    name: str
    versions: int = 1


@dataclass
class Tender:
    """One tender as a portal knows it. ``deadline`` is written as the list shows it; ``form`` is its detail page's."""

    oid: str
    procedure_oid: str
    title: str
    number: str
    authority: str
    procedure: str
    frame: str
    published: str
    deadline: str
    category: str = "InvitationToTender"
    form: str = "national"
    cpv: str = "45233120-6"
    description: str = "Arbeiten nach Leistungsverzeichnis."
    contact: str = "Erika Erfunden"
    value: str = "1.234.567,89"
    procedure_uuid: str = ""
    files: list[File] = field(default_factory=lambda: [File("Leistungsverzeichnis.pdf", 2), File("Angebot.pdf")])


def invented_netserver_tenders(count: int, seed: int = 1, today: datetime | None = None) -> list[Tender]:
    """``count`` tenders, newest first, the same for the same arguments."""
    chance = random.Random(seed)
    today = today or datetime.now(UTC)
    tenders = []
    for number in range(count):
        day = today - timedelta(days=number // 4)
        until = day + timedelta(days=30)
        procedure, frame = chance.choice(PROCEDURES)
        tail = f"{seed:08x}{number:04x}-{chance.getrandbits(60):015x}"
        tenders.append(
            Tender(
                oid=f"54321-NetTender-{tail}",
                procedure_oid=f"54321-Tender-{chance.getrandbits(44):011x}-{chance.getrandbits(60):015x}",
                title=f"{chance.choice(OBJECTS)} {chance.choice(PLACES)} {number + 1}",
                number=f"66-{day.year}-{number:05d}",
                authority=chance.choice(AUTHORITIES),
                procedure=procedure,
                frame=frame,
                published=f"{day:%d.%m.%Y}",
                deadline=f"{until:%d.%m.%Y} {chance.choice(('10:00', '12:00', '24:00'))}" if number % 7 else "",
                form=FORMS[number % 3],
                cpv=chance.choice(CPV),
                procedure_uuid=f"{chance.getrandbits(32):08x}-0000-4000-8000-{number:012x}",
            )
        )
    return tenders
