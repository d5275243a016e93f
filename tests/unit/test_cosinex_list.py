"""Lists of cosinex marketplaces, in markup built here; every organisation is invented."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from parsel import Selector

from tenderscrapy.exceptions import UnreadableDocumentError
from tenderscrapy.formats.cosinex_list import read_categories, read_list, to_notice
from tenderscrapy.formats.cosinex_rows import project_of
from tenderscrapy.formats.page_outcome import Outcome

BASE = "https://vmp.example.org/VMPCenter/"
URL = f"{BASE}company/announcements/categoryOverview.do?method=showTable&cpvCode=45000000-7"
PROJECT = "https://vmp.example.org/VMPSatellite/public/company/projectForwarding.do?pid=7"
HEADS = ("Veröffentlicht", "Angebots-/Teilnahmefrist", "Kurzbezeichnung", "Typ", "Ausschreibende Stelle", "Aktion")
CELLS = (
    "<abbr title='26.07.2026 um 10:50 Uhr'>26.07.2026 </abbr>",
    "<abbr title='25.08.2026 um 10:00 Uhr'>25.08.2026 </abbr>",
    "Ersatzneubau Mühlbachbrücke",
    'VOB/A<br /><abbr title="Ausschreibung">A</abbr>',
    "Stadt Musterhausen, Tiefbauamt",
    '<a href="https://vmp.example.org/VMPCenter/public/company/projectForwarding.do?pid=59717">Details</a>',
)
FACETS = (
    '<table class="csx-new-table"><tr><td>Weitere Einschränkungsmöglichkeiten</td><td>12</td></tr>'
    "<tr><td>VOB/A</td><td>7</td></tr></table>"
)


def row(cells=CELLS, **changed: str) -> str:
    names = ("published", "deadline", "title", "kind", "authority", "action")
    written = [changed.get(name, cell) for name, cell in zip(names, cells, strict=False)]
    classes = ["", "", ' class="word-break"', "", "", ""]
    return f"<tr>{''.join(f'<td{c}>{w}</td>' for c, w in zip(classes, written, strict=False))}</tr>"


def table(*rows: str, heads=HEADS, pager: str = "") -> str:
    head = "".join(f"<th>{text}</th>" for text in heads)
    if pager:
        pager = (
            f'<tr><td colspan="6"><div class="browsePages"><div class="browsePagesText">{pager}</div></div></td></tr>'
        )
    return f'<table class="csx-new-table"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}{pager}</tbody></table>'


def page(content: str, title: str = "Bekanntmachungen") -> Selector:
    menu = '<div id="menu"><a href="/VMPCenter/login.do">Anmelden</a> Wartung Vergabeunterlagen</div>'
    return Selector(
        text=f"<html><head><title>{title}</title></head><body>{menu}<div id='content'>{content}</div></body></html>"
    )


def listed(content: str, number: int = 1, url: str = URL):
    return read_list(page(content), url, BASE, number)


def only(content: str):
    found = listed(content)
    assert (found.outcome, found.faults, len(found.rows)) == (Outcome.OK, [], 1)
    return found.rows[0]


def notice(content: str, category: str | None = "45000000-7"):
    return to_notice(only(content), "cosinex:town", BASE, category)


def test_a_row_is_read_by_its_heads() -> None:
    read = notice(table(row()))
    assert (read.notice_id, read.url) == (
        "59717",
        "https://vmp.example.org/VMPCenter/public/company/projectForwarding.do?pid=59717",
    )
    assert (read.title, read.title_lang, read.buyer_name) == (
        "Ersatzneubau Mühlbachbrücke",
        "de",
        "Stadt Musterhausen, Tiefbauamt",
    )
    assert (read.notice_type, read.status, read.deadline_kind) == ("Ausschreibung", "open", "tender")
    assert (read.extra["legal_frame"], read.country, read.flags[0].code) == ("VOB/A", "DE", "cpv_coarse")


def test_columns_may_stand_in_any_order() -> None:
    order = [4, 2, 1, 0, 5, 3]
    cells = [CELLS[number] for number in order]
    plain = f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
    read = only(table(plain, heads=[HEADS[number] for number in order]))
    assert (read.title, read.authority, read.regulation, read.kind) == (
        "Ersatzneubau Mühlbachbrücke",
        "Stadt Musterhausen, Tiefbauamt",
        "VOB/A",
        "Ausschreibung",
    )
    assert (read.published, read.deadline) == ("26.07.2026 um 10:50 Uhr", "25.08.2026 um 10:00 Uhr")


def test_other_words_in_the_head_mean_the_same() -> None:
    heads = ("Veröffentlicht ▼", "Frist", "Bezeichnung", "Typ", "Vergabeplattform / Veröffentlicher", "Aktion")
    read = only(table(row(), heads=heads))
    assert (read.authority, read.deadline) == ("Stadt Musterhausen, Tiefbauamt", "25.08.2026 um 10:00 Uhr")


def test_without_heads_class_and_shape_tell() -> None:
    read = only(f'<table class="csx-new-table"><tbody>{row()}</tbody></table>')
    assert (read.title, read.authority, read.kind) == (
        "Ersatzneubau Mühlbachbrücke",
        "Stadt Musterhausen, Tiefbauamt",
        "Ausschreibung",
    )
    assert (read.published, read.deadline) == ("26.07.2026 um 10:50 Uhr", "25.08.2026 um 10:00 Uhr")


def test_a_row_with_a_missing_cell_does_not_move_its_neighbours_facts() -> None:
    cells = "".join(f"<td{' class=word-break' if n == 2 else ''}>{CELLS[n]}</td>" for n in (0, 2, 3, 4, 5))
    read = only(table(f"<tr>{cells}</tr>"))
    assert (read.title, read.authority, read.regulation) == (
        "Ersatzneubau Mühlbachbrücke",
        "Stadt Musterhausen, Tiefbauamt",
        "VOB/A",
    )
    assert (read.published, read.deadline) == (None, None)  # one date alone may be either


def test_the_list_after_a_search_is_read_too() -> None:
    assert only(f'<div id="listTemplate">{table(row()).replace("csx-new-table", "x")}</div>').project == "59717"


# --- edge cases of the platform -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("<abbr title='25.08.2026 um 10:00 Uhr'>25.08.2026 </abbr>", datetime(2026, 8, 25, 8, tzinfo=UTC)),
        ("28.09.2026 10:00", datetime(2026, 9, 28, 8, tzinfo=UTC)),
        ("05.10.2026, 10:00 Uhr", datetime(2026, 10, 5, 8, tzinfo=UTC)),
        ("08.01.2026 12:00 Uhr", datetime(2026, 1, 8, 11, tzinfo=UTC)),
        ("", None),
    ],
)
def test_case_1_dates_are_local_to_berlin(written: str, wanted: datetime | None) -> None:
    read = notice(table(row(deadline=written)))
    assert (read.deadline_at, read.deadline_is_date) == (wanted, False)


@pytest.mark.parametrize("written", ["18.08.2026", "18.08.26"])
def test_case_1_a_day_alone_ends_with_that_day(written: str) -> None:
    read = notice(table(row(deadline=written)))
    assert (read.deadline_at, read.deadline_is_date) == (datetime(2026, 8, 18, 21, 59, 59, tzinfo=UTC), True)


NV = '<abbr title="Die Frist ist bei diesem Verfahren nicht vorhanden (z.B. EU Vorinformation)">nv</abbr>'


@pytest.mark.parametrize("written", ["nv", NV])
def test_case_2_nv_is_no_deadline_and_the_publication_stays(written: str) -> None:
    read = notice(table(row(deadline=written)))
    assert (read.deadline_at, read.published_at) == (None, datetime(2026, 7, 26, 8, 50, tzinfo=UTC))
    assert [flag.code for flag in read.flags] == ["cpv_coarse"]


def test_case_2_nv_without_heads_keeps_its_place() -> None:
    read = only(f'<table class="csx-new-table">{row(deadline="nv")}</table>')
    assert (read.published, read.deadline) == ("26.07.2026 um 10:50 Uhr", "nv")


def test_case_3_the_time_stands_in_the_tooltip_alone() -> None:
    assert only(table(row())).deadline == "25.08.2026 um 10:00 Uhr"
    assert only(table(row(deadline="25.08.2026"))).deadline == "25.08.2026"


def test_case_4_an_empty_list_is_a_head_without_rows_or_a_sentence() -> None:
    assert listed(table()).outcome is Outcome.EMPTY
    assert listed("<p>Es wurden keine passenden Bekanntmachungen gefunden.</p>").outcome is Outcome.EMPTY
    assert listed(table(pager="Seite: 1 von 1 - Gesamteinträge: 0")).outcome is Outcome.EMPTY


def test_case_5_relaunched_markup_is_not_empty() -> None:
    assert listed('<ol class="results"><li>Mühlbachbrücke</li></ol>').outcome is Outcome.NO_ROWS_MATCHED
    without_links = listed(table(row(action="<button>Öffnen</button>")))
    assert (without_links.outcome, without_links.rows) == (Outcome.NO_ROWS_MATCHED, [])
    assert listed(table(pager="Seite: 1 von 3 - Gesamteinträge: 41")).outcome is Outcome.NO_ROWS_MATCHED


def test_case_6_a_login_is_known_by_its_address_or_its_form() -> None:
    assert listed("", url="https://id.dtvp.de/auth/realms/x/protocol/openid-connect/auth").outcome is Outcome.LOGIN
    assert listed("", url="https://vmp.example.org/Center/secured/company/welcome.do").outcome is Outcome.LOGIN
    assert listed('<form><input type="password"></form>').outcome is Outcome.LOGIN


def test_maintenance_and_an_expired_session_are_told_apart() -> None:
    assert listed("<h2>Wartungsarbeiten</h2>").outcome is Outcome.MAINTENANCE
    assert listed("<p>Ihre Sitzung ist abgelaufen.</p>").outcome is Outcome.SESSION_EXPIRED


@pytest.mark.parametrize(
    "written",
    [
        "/VMPSatellite/public/company/projectForwarding.do?pid=7",
        PROJECT,
        f"javascript:openProjectPopup('{PROJECT}', '7');",
        f"javascript:openProjectPopup(%27{PROJECT}%27,%20%277%27);",
        "https://vmp.example.org/VMPSatellite/public/company/projectForwarding.do;jsessionid=A1?pid=7",
    ],
)
def test_case_7_every_form_of_link_names_the_same_project(written: str) -> None:
    assert project_of(written, BASE) == ("7", PROJECT)


@pytest.mark.parametrize(
    "written", ["#", "javascript:void(0)", "http://[bad?projectForwarding.do?pid=7", "mailto:a@b.example?pid=7", ""]
)
def test_what_names_no_project_is_no_link(written: str) -> None:
    assert project_of(written, BASE) is None


def test_a_link_by_the_public_number_names_it() -> None:
    assert project_of("/VMPSatellite/notice/CXTRYY6YT2SPWDR4", BASE) == (
        "CXTRYY6YT2SPWDR4",
        "https://vmp.example.org/VMPSatellite/notice/CXTRYY6YT2SPWDR4",
    )


def test_the_number_of_another_host_is_another_number() -> None:
    link = '<a href="https://www.satellite.example/VMPSatellite/public/company/projectForwarding.do?pid=59717">x</a>'
    assert notice(table(row(action=link))).notice_id == "satellite.example|59717"


def test_case_8_an_award_without_deadline_is_no_open_tender() -> None:
    read = notice(table(row(deadline="", kind='VgV<br><abbr title="Vergebener Auftrag">VA</abbr>')))
    assert (read.status, read.deadline_at, read.notice_type) == ("awarded", None, "Vergebener Auftrag")


def test_case_9_latin_1_is_read_by_its_label() -> None:
    body = table(row(title="Straßenbau Köln")).encode("cp1252")
    assert read_list(Selector(body=body, encoding="cp1252"), URL, BASE).rows[0].title == "Straßenbau Köln"


def test_case_10_an_entry_that_is_rendered_twice_is_one() -> None:
    assert only(table(row(), row(authority=""))).authority == "Stadt Musterhausen, Tiefbauamt"


def test_case_12_a_missing_authority_is_not_invented() -> None:
    cells = "".join(f"<td>{CELLS[n]}</td>" for n in (0, 1, 2, 3, 5))
    read = notice(table(f"<tr>{cells}</tr>", heads=[HEADS[n] for n in (0, 1, 2, 3, 5)]))
    assert (read.buyer_name, read.title) == (None, "Ersatzneubau Mühlbachbrücke")


def test_case_17_facets_and_the_pager_are_no_entries() -> None:
    found = listed(table(row(), pager="Seite: 3 von 47 - Gesamteinträge: 1.929") + FACETS, number=3)
    assert (len(found.rows), found.faults, found.more, found.total) == (1, [], True, 1929)


def test_case_18_maintenance_in_a_title_is_an_ordinary_entry() -> None:
    assert notice(table(row(title="Wartung der Aufzugsanlagen"))).title == "Wartung der Aufzugsanlagen"


# --- rules --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ('VSVgV<br /><abbr title="Teilnahmewettbewerb">TNW</abbr>', ("VSVgV", "TNW", "open", "participation")),
        ("VgV<br>TNW", ("VgV", "TNW", "open", "participation")),
        ("UVgO Ausschreibung", ("UVgO", "Ausschreibung", "open", "tender")),
        ("SektVO<br>Beabsichtigte Ausschreibung", ("SektVO", "Beabsichtigte Ausschreibung", "planned", "tender")),
    ],
)
def test_the_type_gives_status_and_kind_of_deadline(kind: str, wanted: tuple[str, ...]) -> None:
    read = notice(table(row(kind=kind)))
    assert (read.extra["legal_frame"], read.notice_type, read.status, read.deadline_kind) == wanted


def test_an_unknown_type_is_kept_as_written() -> None:
    read = notice(table(row(kind="VgV<br>Dynamik")))
    assert (read.notice_type, read.status) == ("Dynamik", None)
    assert ("category_unknown", "Dynamik") in [(flag.code, flag.detail) for flag in read.flags]


def test_the_lists_code_is_no_code_of_the_tender() -> None:
    read = notice(table(row()))
    assert (read.cpv, read.extra["discovery_cpv"]) == ([], "45000000")
    assert "discovery_cpv" not in notice(table(row()), None).extra


def test_one_project_with_two_titles_is_no_identity() -> None:
    other = '<a href="/VMPCenter/public/company/projectForwarding.do?pid=8">x</a>'
    found = listed(table(row(), row(title="Etwas anderes"), row(action=other)))
    assert ([read.project for read in found.rows], found.faults) == (["8"], ["59717 stands for several tenders"])


def test_a_row_without_project_costs_itself_alone() -> None:
    found = listed(table(row(), row(title="Ohne Nummer", action="")))
    assert (found.outcome, [read.project for read in found.rows]) == (Outcome.OK, ["59717"])
    assert found.faults == ["a row has no project: Ohne Nummer"]


def test_a_row_without_title_is_refused() -> None:
    with pytest.raises(UnreadableDocumentError, match="project 59717 has no title"):
        notice(table(row(title=" ")))


@pytest.mark.parametrize(("number", "more"), [(1, True), (2, True), (3, False)])
def test_the_pager_says_whether_there_is_more(number: int, more: bool) -> None:
    assert listed(table(row(), pager=f"Seite: {number} von 3 - Gesamteinträge: 41"), number).more is more


def test_without_the_pagers_text_its_scripts_name_the_pages() -> None:
    script = "setTargetAndSubmit('/x?method=showTable&amp;selectedTablePagePROJECT_RESULT=2')"
    content = table(row()) + f'<a href="javascript:void(0)" onclick="{script}">2</a>'
    assert (listed(content, 1).more, listed(content, 2).more, listed(table(row())).more) == (True, False, False)


def test_an_overview_names_the_categories_that_have_entries() -> None:
    link = '<li><a href="categoryOverview.do?method=showTable&amp;cpvCode={}">{}</a>{}</li>'
    content = "".join(
        link.format(*entry)
        for entry in (
            ("72000000-5", "IT-Dienste (17)", ""),
            ("45000000-7", "Bauarbeiten", " (929)"),
            ("03000000-1", "Landwirtschaft (0)", ""),
            ("45000000-7", "Bauarbeiten", ""),
        )
    )
    assert read_categories(page(content), URL) == (Outcome.OK, ["45000000-7", "72000000-5"])
    assert read_categories(page("<p>Wartungsarbeiten</p>"), URL) == (Outcome.MAINTENANCE, [])
    assert read_categories(page(link.format("03000000-1", "x (0)", "")), URL) == (Outcome.EMPTY, [])


def test_broken_markup_gives_what_can_be_read() -> None:
    torn = table(row(), row(action='<a href="/VMPCenter/public/company/projectForwarding.do?pid=8">x'))
    found = listed(torn[: torn.rindex("</td>")])
    assert [read.project for read in found.rows] == ["59717", "8"]
    assert listed("").outcome is Outcome.NO_ROWS_MATCHED
    assert read_list(Selector(text="\x00<<<table class='csx-new-table'><tr><td"), URL, BASE).rows == []


def test_contacts_in_a_title_are_masked() -> None:
    read = notice(table(row(title="Reinigung, Ansprechpartner: Erika Erfunden, erika@musterhausen.example")))
    assert "Erfunden" not in str(read.title)
    assert "@" not in str(read.title)
