"""How NetServer writes one notice and its documents page. Constructed; nothing here is a capture."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from portal_simulator.netserver_tenders import Tender

SERVLET = "TenderingProcedureDetails"


def _rows(pairs: list[tuple[str, str]]) -> str:
    return "".join(f"<tr><td>{label}</td><td>{value}</td></tr>" for label, value in pairs)


def _section(name: str, pairs: list[tuple[str, str]]) -> str:
    head = f'<tr class="tableNoticeHead"><td colspan="2"><span class="color-main">{name}</span></td></tr>'
    return f'<table class="tableContractNotice">{head}{_rows(pairs)}</table>'


def _until(tender: Tender) -> str:
    day, _, clock = tender.deadline.partition(" ")
    return f"{day}, {clock} Uhr" if clock else day


def national(t: Tender) -> str:
    """VOB and UVgO."""
    address = f"{escape(t.authority)}<br>Musterweg 1<br>12345 Musterhausen"
    return _section(
        "Bekanntmachung",
        [
            ("a) Name und Anschrift:", address),
            ("Telefonnummer:", "030 123456"),
            ("E-Mail-Adresse:", "erika@musterhausen.example"),
            ("b) Vergabenummer:", t.number),
            ("Art der Leistung:", "Ausführung von Bauleistungen"),
            ("Umfang der Leistung:", f"{escape(t.description)} Ansprechpartner: {t.contact}, Tel. 030 1234567"),
            ("Angebote sind einzureichen bis:", _until(t)),
            ("unter (URL:)", "https://portal.example/angebote"),
        ],
    )


def old_eu(t: Tender) -> str:
    """The form before eForms."""
    address = "Postanschrift: Musterweg 1<br>NUTS-Code: DE212<br>Telefon: 030 123456"
    buyer = f"Offizielle Bezeichnung: {escape(t.authority)}<br>{address}"
    return _section("Abschnitt I", [("I.1) Name und Adressen", buyer)]) + _section(
        "Abschnitt II",
        [
            (
                "II.1.1) Bezeichnung des Auftrags:",
                f"{escape(t.title)}<br>Referenznummer der Bekanntmachung: {t.number}",
            ),
            ("II.1.2) CPV-Code Hauptteil", f"{t.cpv} Arbeiten"),
            ("II.1.4) Kurze Beschreibung:", escape(t.description)),
            ("Art des Auftrags", "Bauauftrag"),
            ("IV.2.2) Schlusstermin für den Eingang der Angebote oder Teilnahmeanträge", _until(t)),
            ("VI.5) Tag der Absendung dieser Bekanntmachung:", t.published),
        ],
    )


def eforms(t: Tender) -> str:
    """eForms as the portals print them."""
    return _section(
        "1 Beschaffer", [("Beschaffer", f"Offizielle Bezeichnung: {escape(t.authority)}<br>E-Mail: x@y.example")]
    ) + _section(
        "2 Verfahren",
        [
            ("Kennung des Verfahrens:", t.procedure_uuid),
            ("Titel:", escape(t.title)),
            ("Beschreibung:", escape(t.description)),
            ("Interne Kennung:", t.number),
            ("Art des Auftrags:", "Bauleistung"),
            ("CPV-Code Hauptteil:", t.cpv),
            ("Geschätzter Wert ohne MwSt. (in Euro):", t.value),
            ("Frist für den Eingang der Angebote:", f"{t.deadline} Uhr" if t.deadline else ""),
        ],
    )


FORMS = {"national": national, "old_eu": old_eu, "eforms": eforms}


def notice(t: Tender, session: str) -> str:
    """The page of a notice; its link to the documents carries the session."""
    link = f"{SERVLET}{session}?function=_Details&amp;TenderOID={t.procedure_oid}&amp;thContext=publications"
    return (
        f'<div id="printarea"><div class="col-lg-12"><h1>Ausschreibung</h1><h2 class="smallGrey">{escape(t.title)} '
        f"({t.number})</h2></div>{FORMS[t.form](t)}</div>"
        f'<div class="downloadDocuments"><a href="{link}">Vergabeunterlagen</a></div>'
    )


def documents(t: Tender, session: str) -> str:
    """One row a version, the newest of each file first."""
    rows = "".join(
        f"<tr><td>{escape(file.name)}</td><td>Version {version}</td><td>0{version}.10.2026 08:00</td><td>"
        f'<a href="{SERVLET}{session}?function=_DownloadTenderDocument&amp;documentOID={t.procedure_oid}.{version}'
        f'&amp;Document={escape(file.name)}">{escape(file.name)}</a></td></tr>'
        for file in t.files
        for version in range(file.versions, 0, -1)
    )
    note = "<p>Es gilt immer nur die aktuellste Version der Unterlagen.</p>"
    return f'<h2>Vergabeunterlagen</h2>{note}<table class="documents"><tr><th>Name</th></tr>{rows}</table>'
