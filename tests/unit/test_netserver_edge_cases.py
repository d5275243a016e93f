"""What has gone wrong for readers of NetServer pages, one case a test."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from parsel import Selector

from portal_simulator import netserver_lists as lists
from portal_simulator import netserver_notices as pages
from portal_simulator.netserver_tenders import File, Tender, invented_netserver_tenders
from tenderscrapy.exceptions import UnreadableDocumentError
from tenderscrapy.formats.netserver_detail import UnexpectedPageError, read_detail
from tenderscrapy.formats.netserver_documents import read_documents
from tenderscrapy.formats.netserver_list import procedure_and_frame, read_list, to_notice
from tenderscrapy.formats.netserver_rows import Layout, Row
from tenderscrapy.formats.page_outcome import Outcome

if TYPE_CHECKING:
    from tenderscrapy.items import Notice

BASE = "https://portal.example/NetServer/"
LIST = BASE + "PublicationSearchControllerServlet?function=SearchPublications"
TENDERS = invented_netserver_tenders(6, today=datetime(2026, 10, 1, tzinfo=UTC))


def listed(content: str, layout: Layout | None = None, url: str = LIST):
    return read_list(Selector(text=lists.page("Ausschreibungen", content)), url, layout or Layout())


def notice_of(**facts: str | None) -> Notice:
    row = Row("54321-NetTender-1a-2b3", title="Neubau", category="InvitationToTender")
    for name, value in facts.items():
        setattr(row, name, value)
    return to_notice(row, "netserver:town", BASE, "InvitationToTender")


@pytest.mark.parametrize(
    ("written", "instant", "is_date"),
    [
        ("18.08.2026", datetime(2026, 8, 18, 21, 59, 59, tzinfo=UTC), True),
        ("28.09.2026 10:00", datetime(2026, 9, 28, 8, 0, tzinfo=UTC), False),
        ("25.08.2026 um 10:00 Uhr", datetime(2026, 8, 25, 8, 0, tzinfo=UTC), False),
        ("08.05.2026 12:00 Uhr", datetime(2026, 5, 8, 10, 0, tzinfo=UTC), False),
        ("05.10.2026, 10:00 Uhr", datetime(2026, 10, 5, 8, 0, tzinfo=UTC), False),
        ("18.08.26", datetime(2026, 8, 18, 21, 59, 59, tzinfo=UTC), True),
        ("15.12.2026 12:00", datetime(2026, 12, 15, 11, 0, tzinfo=UTC), False),
        ("15.07.2026, 24:00 Uhr", datetime(2026, 7, 15, 22, 0, tzinfo=UTC), False),
        ("", None, False),
        (None, None, False),
    ],
)
def test_case_1_dates(written: str | None, instant: datetime | None, is_date: bool) -> None:
    notice = notice_of(deadline=written)
    assert (notice.deadline_at, notice.deadline_is_date, notice.flags) == (instant, is_date, [])


@pytest.mark.parametrize("written", ["siehe Unterlagen", "31.02.2026", "15.07.2026 25:00", "nach Absprache"])
def test_case_1_a_deadline_that_cannot_be_read_is_a_flag(written: str) -> None:
    notice = notice_of(deadline=written)
    assert notice.deadline_at is None
    assert [(flag.code, flag.field, flag.detail) for flag in notice.flags] == [
        ("deadline_unreadable", "deadline_at", written)
    ]


@pytest.mark.parametrize(
    "content",
    [
        lists.EMPTY,
        "<p>Es wurden keine passenden Bekanntmachungen gefunden.</p>",
        '<h3 class="color-main">0 gefundene Ausschreibung(en)</h3>',
        lists.EMPTY.replace("<tbody></tbody>", '<tbody><tr><td colspan="6">Keine Einträge</td></tr></tbody>'),
    ],
)
def test_case_4_an_empty_list_is_empty(content: str) -> None:
    assert (listed(content).outcome, listed(content).rows) == (Outcome.EMPTY, [])


@pytest.mark.parametrize(
    "content",
    [
        lists.relaunched(TENDERS),
        '<h3 class="color-main">12 gefundene Ausschreibung(en)</h3>' + lists.EMPTY,
        '<h3 class="color-main">10 gefundene Ausschreibung(en)</h3>',
        lists.table(TENDERS).replace("data-oid", "data-x").replace("clickable-row", "y"),
        "<h2>Willkommen</h2>",
        "",
    ],
)
def test_case_5_a_relaunch_is_not_an_empty_list(content: str) -> None:
    assert listed(content).outcome is Outcome.NO_ROWS_MATCHED


@pytest.mark.parametrize(
    ("content", "url", "outcome"),
    [
        ('<form><input type="password"></form>', LIST, Outcome.LOGIN),
        ("<p>Bitte</p>", BASE + "LoginControllerServlet?function=LoginForm", Outcome.LOGIN),
        ("<p>x</p>", "https://id.portal.example/realms/x/protocol/openid-connect/auth?x=1", Outcome.LOGIN),
        ("<p>Ihre Sitzung ist abgelaufen.</p>", LIST, Outcome.SESSION_EXPIRED),
        ("<h2>Wartungsarbeiten</h2>", LIST, Outcome.MAINTENANCE),
        ("<p>Wegen Wartung geschlossen</p>", LIST, Outcome.MAINTENANCE),
    ],
)
def test_case_6_login_session_and_maintenance_are_told_apart(content: str, url: str, outcome: Outcome) -> None:
    assert listed(content, url=url).outcome is outcome


def test_case_8_an_award_in_a_list_of_tenders_is_no_open_tender() -> None:
    award = notice_of(category="ContractAward", deadline="")
    assert (award.status, award.notice_type, award.deadline_at, award.flags) == ("awarded", "ContractAward", None, [])


def test_case_10_a_tender_that_is_rendered_twice_is_one() -> None:
    twice = lists.table_without_authority(TENDERS)
    assert twice.count(TENDERS[0].oid) == 2
    found = listed(twice)
    assert [row.oid for row in found.rows] == [tender.oid for tender in TENDERS]
    assert [row.deadline or "" for row in found.rows] == [tender.deadline for tender in TENDERS]
    both = listed(lists.table_and_blocks(TENDERS))
    assert [row.oid for row in both.rows] == [tender.oid for tender in TENDERS]


@pytest.mark.parametrize(
    ("cells", "procedure", "frame"),
    [
        (("UVgO/VgV, Offenes Verfahren", None), "Offenes Verfahren", "UVgO/VgV"),
        (
            ("VOB Bund (VHB) - Mannheim, Beschränkte Ausschreibung", None),
            "Beschränkte Ausschreibung",
            "VOB Bund (VHB) - Mannheim",
        ),
        (("Offenes Verfahren", "VgV"), "Offenes Verfahren", "VgV"),
        (("Verhandlung, ohne Teilnahme", "VgV"), "Verhandlung, ohne Teilnahme", "VgV"),
        (("Interessenbekundung", None), "Interessenbekundung", None),
        ((None, None), None, None),
    ],
)
def test_case_11_legal_frame_and_procedure_in_one_cell(cells, procedure, frame) -> None:
    assert procedure_and_frame(*cells) == (procedure, frame)


def test_case_12_a_list_without_authority_invents_none() -> None:
    for row in listed(lists.table_without_authority(TENDERS)).rows:
        notice = to_notice(row, "netserver:town", BASE, "InvitationToTender")
        assert (notice.buyer_name, notice.flags) == (None, [])


def test_case_16_labels_inside_a_value() -> None:
    inner = "Offizielle Bezeichnung: Stadt X, Amt Y<br>Postanschrift: Weg 1<br>NUTS-Code: DE212"
    rows = (("I.1) Name und Adressen", inner), ("CPV-Code Hauptteil", "71322000-1"))
    table = "<table>" + "".join(f"<tr><td>{label}</td><td>{value}</td></tr>" for label, value in rows) + "</table>"
    notice = notice_of()
    read_detail(notice, Selector(text=lists.page("x", f'<div id="printarea">{table}</div>')), BASE, BASE)
    assert (notice.buyer_name, notice.cpv, notice.nuts) == ("Stadt X, Amt Y", ["71322000"], ["DE212"])
    assert notice.extra["cpv_as_written"] == ["71322000-1"]


@pytest.mark.parametrize("variant", ["table", "plain_table", "blocks", "cards", "definitions"])
def test_case_18_a_title_that_speaks_of_servicing_is_a_notice(variant: str) -> None:
    tender = invented_netserver_tenders(1)[0]
    tender.title = "Wartung der Aufzüge, Anmeldung erforderlich"
    found = listed(lists.VARIANTS[variant]([tender]))
    assert (found.outcome, len(found.rows)) == (Outcome.OK, 1)
    notice = to_notice(found.rows[0], "netserver:town", BASE, "InvitationToTender")
    assert notice.title == "Wartung der Aufzüge, Anmeldung erforderlich"


@pytest.mark.parametrize(
    "variant", ["table", "table_with_merged_types", "plain_table", "blocks", "cards", "definitions"]
)
def test_every_skin_says_the_same(variant: str) -> None:
    found = listed(lists.VARIANTS[variant](TENDERS))
    assert (found.outcome, found.faults) == (Outcome.OK, [])
    for row, tender in zip(found.rows, TENDERS, strict=True):
        notice = to_notice(row, "netserver:town", BASE, "InvitationToTender")
        assert (notice.notice_id, notice.title) == (tender.oid, tender.title)
        assert (notice.buyer_name, notice.procedure_type) == (tender.authority, tender.procedure)
        assert (notice.deadline_at is None) == (not tender.deadline)
        assert notice.flags == []


def test_rows_of_one_number_are_no_tender() -> None:
    for identity in ("54321-NetTender-1a-2b3", "", "-", "siehe Bekanntmachung"):
        rows = [Tender(identity, "", f"Los {n}", "", "Amt", "x", "y", "01.10.2026", "") for n in range(20)]
        found = listed(lists.table(rows))
        assert found.rows == []
        assert found.faults
        assert found.outcome is Outcome.OK, "the page has rows; it is their identity that is no good"


def test_a_row_without_title_is_refused() -> None:
    with pytest.raises(UnreadableDocumentError, match="54321-NetTender-1a-2b3 has no title"):
        notice_of(title=None)


@pytest.mark.parametrize(
    ("written", "title", "reference"),
    [
        ("Neubau (66-2026-00024)", "Neubau", "66-2026-00024"),
        ("Winterdienst (2026/2027)", "Winterdienst (2026/2027)", None),
        ("Winterdienst (2026/27)", "Winterdienst (2026/27)", None),
        ("Winterdienst (2026)", "Winterdienst (2026)", None),
        ("Neubau (Los 1)", "Neubau (Los 1)", None),
        ("Neubau (BA 2)", "Neubau (BA 2)", None),
        ("Brücke (3/26-0815)", "Brücke", "3/26-0815"),
        ("(66-2026-00024)", "(66-2026-00024)", "66-2026-00024"),
    ],
)
def test_a_number_at_the_end_of_a_title_is_the_reference(written: str, title: str, reference: str | None) -> None:
    notice = notice_of(title=written)
    assert (notice.title, notice.reference) == (title, reference)


@pytest.mark.parametrize("form", ["national", "old_eu", "eforms"])
def test_every_form_of_a_notice_is_read(form: str) -> None:
    tender = TENDERS[1]
    tender.form = form
    notice = notice_of()
    text = lists.page("x", pages.notice(tender, ";jsessionid=ABC"))
    documents = read_detail(notice, Selector(text=text), BASE, BASE)

    assert documents is not None
    assert documents.endswith(f"?function=_Details&TenderOID={tender.procedure_oid}&thContext=publications")
    assert [link.url for link in notice.links] == [documents.replace(";jsessionid=ABC", "")]
    assert (notice.buyer_name, notice.reference) == (tender.authority, tender.number)
    assert notice.description is not None
    assert "Arbeiten nach Leistungsverzeichnis." in notice.description
    assert notice.deadline_at is not None
    assert "Erika" not in str(notice)
    assert "030" not in str(notice)
    if form == "eforms":
        assert notice.value_amount == Decimal("1234567.89")
        assert notice.procedure_id == tender.procedure_uuid


@pytest.mark.parametrize(
    ("content", "outcome"),
    [
        ('<form><input type="password"></form>', Outcome.LOGIN),
        ("<p>Ihre Sitzung ist abgelaufen</p>", Outcome.SESSION_EXPIRED),
        ("<p>Wartungsarbeiten</p>", Outcome.MAINTENANCE),
        ("<p>Etwas anderes</p>", Outcome.NO_ROWS_MATCHED),
        (lists.EMPTY, Outcome.NO_ROWS_MATCHED),
    ],
)
def test_a_page_that_is_no_notice_leaves_the_notice_as_it_was(content: str, outcome: Outcome) -> None:
    notice, untouched = notice_of(), notice_of()
    page = Selector(text=lists.page("x", content))
    for read in (read_detail, read_documents):
        with pytest.raises(UnexpectedPageError) as caught:
            read(notice, page, BASE + "x;jsessionid=SECRET", BASE)
        assert caught.value.outcome is outcome
        assert "SECRET" not in str(caught.value)
    assert notice == untouched


def test_of_each_document_the_newest_version_is_taken_and_sessions_are_cut() -> None:
    tender = Tender("o", "54321-Tender-1-2", "t", "n", "a", "p", "f", "", "")
    tender.files = [File("A.pdf", 3), File("B.pdf"), File("A 2.pdf", 2)]
    notice = notice_of()
    read_documents(notice, Selector(text=lists.page("x", pages.documents(tender, ";jsessionid=ABC"))), BASE, BASE)
    assert [file.filename for file in notice.attachments] == ["A.pdf", "B.pdf", "A 2.pdf"]
    assert ["3&" in file.url for file in notice.attachments] == [True, False, False]
    assert not any("jsessionid" in file.url for file in notice.attachments)


@pytest.mark.parametrize(
    ("content", "flag"),
    [
        ("<p>Der Sichtbarkeitszeitraum dieser Vergabe ist abgelaufen.</p>", "documents_expired"),
        ('<table><tr><td><a class="zipFileContents" data-oid="1" data-token="x">Inhalt</a></td></tr></table>',
         "documents_need_browser"),
    ],
)  # fmt: skip
def test_documents_that_cannot_be_had_are_said(content: str, flag: str) -> None:
    notice = notice_of()
    read_documents(notice, Selector(text=lists.page("x", content)), BASE, BASE)
    assert [found.code for found in notice.flags] == [flag]


def test_files_on_another_host_are_no_downloads() -> None:
    link = '<a href="https://elsewhere.example/x?function=_DownloadTenderDocument">x.pdf</a>'
    notice = notice_of()
    read_documents(notice, Selector(text=lists.page("x", f"{link}<div id='documents'></div>")), BASE, BASE)
    assert notice.attachments == []


def test_a_deadline_that_differs_from_the_list_is_said_and_the_notice_page_stands() -> None:
    notice = notice_of(deadline="28.09.2026 10:00")
    table = "<table><tr><td>Angebotsfrist:</td><td>30.09.2026 12:00 Uhr</td></tr></table>"
    read_detail(notice, Selector(text=lists.page("x", f'<div id="printarea">{table}</div>')), BASE, BASE)
    assert notice.deadline_at == datetime(2026, 9, 30, 10, 0, tzinfo=UTC)
    assert "deadline_differs_from_list" in [flag.code for flag in notice.flags]


def detail(*rows: tuple[str, str], more: str = "") -> Notice:
    notice = notice_of()
    table = "<table>" + "".join(f"<tr><td>{label}</td><td>{value}</td></tr>" for label, value in rows) + "</table>"
    page = lists.page("x", f'<div id="printarea">{table}</div>{more}')
    read_detail(notice, Selector(text=page), BASE, BASE)
    return notice


def test_of_the_deadlines_of_several_lots_the_earliest_stands() -> None:
    label = "Frist für den Eingang der Angebote:"
    notice = detail((label, "30.09.2026 12:00 Uhr"), (label, "28.09.2026 10:00 Uhr"))
    assert notice.deadline_at == datetime(2026, 9, 28, 8, 0, tzinfo=UTC)
    assert "lot_deadlines_differ" in [flag.code for flag in notice.flags]
    assert notice.extra["lot_deadlines"] == ["2026-09-28T08:00:00Z", "2026-09-30T10:00:00Z"]


def test_day_and_local_time_on_two_lines_are_one_deadline() -> None:
    notice = detail(("IV.2.2) Schlusstermin für den Eingang der Angebote", "Tag: 10.11.2026<br>Ortszeit: 10:00"))
    assert (notice.deadline_at, notice.deadline_is_date) == (datetime(2026, 11, 10, 9, 0, tzinfo=UTC), False)


@pytest.mark.parametrize(
    ("written", "amount", "flag"),
    [
        ("185.000,50", Decimal("185000.50"), None),
        ("185000", Decimal(185000), None),
        ("1.234.567 €", Decimal(1234567), None),
        ("185000.50", Decimal("185000.50"), None),
        ("1,00", None, "value_placeholder"),
        ("0", None, "value_placeholder"),
        ("1,234,567.89", None, "value_unreadable"),
        ("rund zwei Millionen", None, "value_unreadable"),
        ("", None, None),
    ],
)
def test_amounts_are_german_or_nothing(written: str, amount: Decimal | None, flag: str | None) -> None:
    notice = detail(("Titel:", "x"), ("Geschätzter Wert ohne MwSt. (in Euro):", written))
    assert (notice.value_amount, notice.value_currency) == (amount, "EUR" if amount else None)
    assert [found.code for found in notice.flags if found.field == "value_amount"] == ([flag] if flag else [])


def test_the_number_of_another_portals_procedure_is_not_this_ones() -> None:
    cited = "https://other.example/NetServer/TenderingProcedureDetails?function=_Details&amp;TenderOID=54321-Tender-a-b"
    notice = detail(("Titel:", "x"), more=f'<a href="{cited}">siehe auch</a>')
    assert notice.links == []
    assert "procedure_key_missing" in [flag.code for flag in notice.flags]


def test_an_empty_list_beside_a_box_to_sign_in_is_empty() -> None:
    box = '<form><input type="password"></form>'
    assert listed(lists.EMPTY + box).outcome is Outcome.EMPTY
    assert listed(lists.EMPTY + box, url=BASE + "LoginControllerServlet?function=LoginForm").outcome is Outcome.LOGIN


@pytest.mark.parametrize(
    "href", ["http://[x?TenderOID=54321-Tender-a-b", "javascript:x?TenderOID=54321-Tender-a-b", "//["]
)
def test_an_address_that_is_none_costs_the_notice_nothing(href: str) -> None:
    link = f'<a href="{href}&amp;function=_DownloadTenderDocument">x.pdf</a>'
    notice = detail(("Titel:", "Neubau"), more=f'<div class="downloadDocuments">{link}</div>')
    assert (notice.title, notice.links) == ("Neubau", [])
    read_documents(notice, Selector(text=lists.page("x", link)), BASE, BASE)
    assert notice.attachments == []
    assert (
        notice_of(href=href).url
        == f"{BASE}PublicationControllerServlet?function=Detail&TOID=54321-NetTender-1a-2b3&Category=InvitationToTender"
    )
