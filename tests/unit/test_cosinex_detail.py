"""Projects of cosinex marketplaces, in markup built here; every organisation and person is invented."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from parsel import Selector

from tenderscrapy.formats.cosinex_detail import read_detail
from tenderscrapy.formats.netserver_detail import UnexpectedPageError
from tenderscrapy.identity.keys import strong_keys
from tenderscrapy.items import Flag, Link, Notice

ROOT = "https://vmp.example.org/VMPSatellite/public/company/project/CXTRYY6YT2SPWDR4"
URL = f"{ROOT}/de/overview"
UUID = "8fe324e9-7ca3-4000-8000-0123456789ab"


def group(label: str, value: str) -> str:
    return (
        f'<div class="control-group"><label class="control-label">{label}</label>'
        f'<div class="controls"><span class="read-only">{value}</span></div></div>'
    )


def section(headline: str, *groups: str) -> str:
    return f'<div class="sub-headline-container"><h4 class="sub-headline">{headline}</h4></div>{"".join(groups)}'


def page(*content: str, title: str = "") -> Selector:
    menu = '<div id="menu"><a href="/login.do">Anmelden</a> Vergabeunterlagen</div>'
    return Selector(
        text=f"<html><head><title>{title}</title></head><body>{menu}"
        f'<div id="mainBox"><div id="content">{"".join(content)}</div></div></body></html>'
    )


def listed(kind: str = "Ausschreibung") -> Notice:
    found = Notice("cosinex:town", "59717", url=f"{ROOT}?pid=59717", title="Brücke", notice_type=kind, status="open")
    found.extra["discovery_cpv"] = "45000000"
    return found.flag("cpv_coarse", "cpv", "45000000")


def read(*content: str, kind: str = "Ausschreibung", url: str = URL, title: str = "") -> Notice:
    found = listed(kind)
    read_detail(found, page(*content, title=title), url)
    return found


BUYER = section(
    "Auftraggeber",
    group("Offizielle Bezeichnung", "Stadt Musterhausen, Amt 66"),
    group("Ort", "Musterhausen"),
    group("Postleitzahl", "12345"),
    group("NUTS Code", "DEA11"),
)


def test_a_national_form() -> None:
    found = read(
        BUYER,
        section(
            "Verfahrensangaben",
            group("VO:", "UVgO"),
            group("Vergabeart:", "Öffentliche Ausschreibung"),
            group("Vergabenummer", "66-2026-0042"),
            group("Kurze Beschreibung", "Erneuerung der Brücke."),
            group("Schlusstermin für den Eingang der Angebote", "25.08.2026 10:00 Uhr"),
        ),
        section("Auftragsgegenstand", "<p><b>45221119-9</b> Brückenerneuerung</p><p><b>45000000-7</b> Bau</p>"),
    )
    assert (found.buyers[0].name, found.buyers[0].city, found.nuts) == (
        "Stadt Musterhausen, Amt 66",
        "Musterhausen",
        ["DEA11"],
    )
    assert (found.extra["legal_frame"], found.procedure_type, found.reference) == (
        "UVgO",
        "Öffentliche Ausschreibung",
        "66-2026-0042",
    )
    assert (found.description, found.cpv) == ("Erneuerung der Brücke.", ["45221119", "45000000"])
    assert (found.deadline_at, found.deadline_kind) == (datetime(2026, 8, 25, 8, tzinfo=UTC), "tender")


def test_an_old_eu_form() -> None:
    found = read(
        section("Abschnitt I", group("I.1) Offizielle Bezeichnung:", "Kreis Beispielau"), group("Ort:", "Beispielau")),
        section(
            "Abschnitt II",
            group("II.1.1) Bezeichnung des Auftrags:", "Neubau Brücke"),
            group("Referenznummer der Bekanntmachung:", "B-17/26"),
            group("II.1.2) CPV-Code Hauptteil", "45221119-9"),
            group("II.1.4) Kurze Beschreibung:", "Neubau."),
            group("IV.2.2) Schlusstermin für den Eingang der Angebote oder Teilnahmeanträge", "05.10.2026, 10:00 Uhr"),
        ),
    )
    assert (found.title, found.reference, found.cpv) == ("Neubau Brücke", "B-17/26", ["45221119"])
    assert (found.buyer_name, found.description) == ("Kreis Beispielau", "Neubau.")
    assert found.deadline_at == datetime(2026, 10, 5, 8, tzinfo=UTC)


def test_eforms() -> None:
    found = read(
        section("Beschaffer", group("Offizielle Bezeichnung", "Kreis Beispielau")),
        section(
            "Verfahren",
            group("Kennung des Verfahrens", UUID),
            group("Titel", "Neubau Brücke"),
            group("Beschreibung", "Neubau."),
            group("Interne Kennung", "B-17/26"),
            group("Haupteinstufung (cpv):", "45221119 Brücken"),
            group("Geschätzter Wert ohne MwSt.", "1.234.567,89 EUR"),
            group("Frist für den Eingang der Angebote", "05.10.2026 10:00 Uhr"),
        ),
    )
    assert (found.procedure_id, found.reference, found.cpv) == (UUID, "B-17/26", ["45221119"])
    assert (found.value_amount, found.value_currency) == (Decimal("1234567.89"), "EUR")


def test_of_boxes_to_tick_the_ticked_one_counts() -> None:
    boxes = '<span class="checked-element">Bauauftrag</span><span>Lieferauftrag</span>'
    assert read(BUYER, group("Art des Auftrags", boxes)).extra["contract_nature"] == "Bauauftrag"


def test_a_field_without_label_is_named_by_its_headline() -> None:
    bare = (
        '<div class="control-group"><div class="controls"><span class="read-only">25.08.2026 10:00</span></div></div>'
    )
    assert read(section("Abgabefrist", bare)).deadline_at == datetime(2026, 8, 25, 8, tzinfo=UTC)


def test_two_cells_and_definitions_are_read_like_fields() -> None:
    table = "<table><tr><td>Offizielle Bezeichnung</td><td>Kreis Beispielau</td></tr></table>"
    terms = "<dl><div><dt>Vergabenummer</dt><dd>17</dd></div></dl>"
    found = read(table, terms)
    assert (found.buyer_name, found.reference) == ("Kreis Beispielau", "17")


def test_other_organisations_are_not_the_buyer() -> None:
    other = section("Nachprüfungsstelle", group("Offizielle Bezeichnung", "Vergabekammer"), group("Ort", "Anderswo"))
    found = read(other, BUYER)
    assert [(buyer.name, buyer.city) for buyer in found.buyers] == [("Stadt Musterhausen, Amt 66", "Musterhausen")]


@pytest.mark.parametrize("label", ["Abgabefrist", "Schlusstermin für den Eingang der Angebote oder Teilnahmeanträge"])
def test_an_ambiguous_deadline_is_that_of_the_entrys_type(label: str) -> None:
    assert read(group(label, "25.08.2026 10:00"), kind="TNW").deadline_kind == "participation"
    assert read(group(label, "25.08.2026 10:00")).deadline_kind == "tender"


def test_of_a_contest_the_participation_counts() -> None:
    found = read(
        group("Frist für den Eingang der Angebote", "25.09.2026 10:00"),
        group("Frist für den Eingang der Teilnahmeanträge", "25.08.2026 10:00"),
        kind="TNW",
    )
    assert (found.deadline_at, found.deadline_kind) == (datetime(2026, 8, 25, 8, tzinfo=UTC), "participation")


def test_another_deadline_than_the_lists_is_said() -> None:
    found = listed()
    found.deadline_at = datetime(2026, 8, 20, 8, tzinfo=UTC)
    read_detail(found, page(group("Angebotsfrist:", "25.08.2026 10:00 Uhr")), URL)
    assert found.deadline_at == datetime(2026, 8, 25, 8, tzinfo=UTC)
    assert "deadline_differs_from_list" in [flag.code for flag in found.flags]


def test_case_16_the_check_digit_stays_in_what_was_written() -> None:
    found = read(BUYER, "<p><b>71322000-1</b> Planung</p>")
    assert (found.cpv, found.extra["cpv_as_written"]) == (["71322000"], ["71322000-1"])
    assert "discovery_cpv" not in found.extra
    assert "cpv_coarse" not in [flag.code for flag in found.flags]


def test_without_a_code_of_its_own_the_lists_code_stays_marked() -> None:
    found = read(BUYER)
    assert (found.cpv, found.extra["discovery_cpv"]) == ([], "45000000")
    assert found.flags == [Flag("cpv_coarse", "cpv", "45000000")]


def test_the_tabs_add_up() -> None:
    found = listed()
    links = f'<a href="{ROOT}/de/processdata/eforms;jsessionid=A1">x</a><a href="{ROOT}/de/documents">y</a>'
    first = page(links, "<p><b>45221119-9</b> Brücke</p>", group("NUTS Code", "DEA11"))
    tabs = read_detail(found, first, URL)
    assert (tabs.procedure, tabs.documents) == (f"{ROOT}/de/processdata/eforms", f"{ROOT}/de/documents")

    second = page(BUYER, group("Geschätzter Wert", "1"), "<p><b>45000000-7</b> Bau</p>")
    again = read_detail(found, second, f"{ROOT}/de/processdata/eforms", tabs.facts)
    assert (found.cpv, found.buyer_name) == (["45221119", "45000000"], "Stadt Musterhausen, Amt 66")
    assert [flag.code for flag in found.flags] == ["value_placeholder"]
    assert again.documents == f"{ROOT}/de/documents"
    assert found.links == [Link(f"{ROOT}/de/documents", "documents")]


def test_the_answered_address_gives_the_key() -> None:
    found = read(BUYER, url=f"{ROOT}/de/overview;jsessionid=A1")
    assert found.url == f"{ROOT}/de/overview"
    assert ("cosinex_project", "CXTRYY6YT2SPWDR4") in [(key.kind, key.value) for key in strong_keys(found)]


def test_without_it_the_title_tag_does() -> None:
    url = "https://vmp.example.org/VMPSatellite/public/company/projectForwarding.do?pid=59717"
    found = read(BUYER, url=url, title="CXTRYY6YT2SPWDR4 | Brücke | vmp.example.org")
    assert found.url == f"{ROOT}/de/overview"


def test_a_project_on_the_page_of_another_host_gives_no_key() -> None:
    url = "https://vmp.example.org/VMPSatellite/public/company/projectForwarding.do?pid=59717"
    found = read(BUYER, '<a href="https://other.example/notice/CXOTHER0001">x</a>', url=url)
    assert "procedure_key_missing" in [flag.code for flag in found.flags]


@pytest.mark.parametrize(
    ("content", "outcome"),
    [
        ("<h2>Wartungsarbeiten</h2>", "maintenance"),
        ("<p>Ihre Sitzung ist abgelaufen.</p>", "session_expired"),
        ('<form><input type="password"></form>', "login"),
        ("<p>Alles neu.</p>", "no_rows_matched"),
        ("", "no_rows_matched"),
    ],
)
def test_a_page_that_is_no_project_leaves_the_notice_alone(content: str, outcome: str) -> None:
    found = listed()
    with pytest.raises(UnexpectedPageError) as error:
        read_detail(found, page(content), URL)
    assert (error.value.outcome, found) == (outcome, listed())


def test_case_18_maintenance_in_a_title_is_a_project() -> None:
    assert read(group("Titel", "Wartung der Aufzugsanlagen; Wartungsarbeiten")).title is not None


def test_a_closed_project_is_awarded() -> None:
    closed = (
        "<p>Bitte beachten Sie, dass dieser Auftrag bereits vergeben wurde und Vergabeunterlagen an dieser Stelle "
        "nicht mehr abgerufen werden können.</p>"
    )
    assert read(closed).status == "awarded"


def test_a_gated_tab_says_nothing() -> None:
    gated = "<p>Um Zugriff auf dieses Modul zu erhalten müssen Sie am Vergabeverfahren teilnehmen.</p>"
    assert (read(gated).title, read(gated).status) == ("Brücke", "open")


def test_contact_persons_do_not_come_along() -> None:
    found = read(BUYER, group("Kurze Beschreibung", "Auskunft: Ansprechpartner: Erika Erfunden, Tel. 0211 1234567"))
    assert "Erfunden" not in str(found)
    assert "1234567" not in str(found)


def test_broken_markup_gives_what_can_be_read() -> None:
    torn = page(BUYER, '<a href="http://[bad">x</a><table><tr><td>Titel</td><td>Neu')
    found = listed()
    read_detail(found, torn, URL)
    assert (found.title, found.buyer_name) == ("Neu", "Stadt Musterhausen, Amt 66")
