"""Documents of cosinex projects, in markup built here."""

from __future__ import annotations

import pytest
from parsel import Selector

from tenderscrapy.formats.cosinex_documents import read_documents
from tenderscrapy.formats.netserver_detail import UnexpectedPageError
from tenderscrapy.items import Link, Notice

ROOT = "https://vmp.example.org/VMPSatellite/public/company/project/CXTRYY6YT2SPWDR4/de"
URL = f"{ROOT}/documents"
HEADS = ("Dateiname", "Stand", "Größe", "Datum", "Aktion")
ARCHIVE = f'<a href="{ROOT}/documents/archive/Vergabeunterlagen_CXTRYY6YT2SPWDR4.zip">Alle als ZIP</a>'


def row(name: str, number: int, state: str = "", date: str = "") -> str:
    link = f'<a href="{ROOT}/documents/{number}/download;jsessionid=A1">Herunterladen</a>'
    return f"<tr><td>{name}</td><td>{state}</td><td>120 KB</td><td>{date}</td><td>{link}</td></tr>"


def table(*rows: str, heads=HEADS) -> str:
    return f"<table><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>{''.join(rows)}</table>"


def page(*content: str) -> Selector:
    return Selector(
        text=f"<html><body><div id='menu'>Vergabeunterlagen</div><div id='content'>{''.join(content)}</div>"
    )


def read(*content: str) -> Notice:
    found = Notice("cosinex:town", "59717", status="open")
    read_documents(found, page(*content), URL)
    return found


def numbers(found: Notice) -> list[int]:
    return [int(file.url.split("/")[-2]) for file in found.attachments]


def test_files_by_the_head_that_names_them() -> None:
    found = read(table(row("LV.pdf", 1), row("Angebot.docx", 2)), ARCHIVE)
    assert [(file.filename, file.url) for file in found.attachments] == [
        ("LV.pdf", f"{ROOT}/documents/1/download"),
        ("Angebot.docx", f"{ROOT}/documents/2/download"),
    ]
    assert found.links == [Link(URL, "documents")]


def test_columns_may_stand_in_any_order() -> None:
    link = f'<a href="{ROOT}/documents/1/download">x</a>'
    plain = f"<tr><td>120 KB</td><td>{link}</td><td>LV.pdf</td></tr>"
    assert read(table(plain, heads=("Größe", "Aktion", "Name"))).attachments[0].filename == "LV.pdf"
    assert read(f"<table>{plain}</table>").attachments[0].filename == "LV.pdf"


@pytest.mark.parametrize("order", [(1, 2, 10), (10, 2, 1), (2, 10, 1)])
def test_of_versions_the_highest_stays_wherever_it_stands(order: tuple[int, ...]) -> None:
    assert numbers(read(table(*(row("LV.pdf", n, f"Version {n}") for n in order)))) == [10]


def test_without_versions_the_latest_date_stays() -> None:
    dates = (row("LV.pdf", 1, date="01.10.2026 08:00"), row("LV.pdf", 2, date="12.09.2026 08:00"))
    assert numbers(read(table(*dates))) == [1]


def test_without_either_both_stay() -> None:
    assert numbers(read(table(row("LV.pdf", 1), row("LV.pdf", 2)))) == [1, 2]


def test_files_of_one_name_in_two_folders_are_two() -> None:
    folders = [f"<h4>{name}</h4>{table(row('LV.pdf', n, 'Version 1'))}" for n, name in enumerate(("Los 1", "Los 2"), 1)]
    assert numbers(read(*folders)) == [1, 2]


def test_the_archive_stands_where_no_single_file_is_named() -> None:
    found = read(ARCHIVE)
    assert [(file.filename, file.media_type) for file in found.attachments] == [
        ("Vergabeunterlagen_CXTRYY6YT2SPWDR4.zip", "application/zip")
    ]


def test_a_file_on_another_host_or_behind_a_script_is_none() -> None:
    other = '<tr><td>LV.pdf</td><td><a href="https://other.example/documents/1/download">x</a></td></tr>'
    script = '<tr><td>LV.pdf</td><td><a href="javascript:download(1)">x</a></td></tr>'
    broken = '<tr><td>LV.pdf</td><td><a href="http://[bad/documents/1">x</a></td></tr>'
    assert read(table(other, script, broken)).attachments == []


def test_a_closed_project_shows_none() -> None:
    found = read(
        "<p>Bitte beachten Sie, dass dieser Auftrag bereits vergeben wurde und Vergabeunterlagen an dieser Stelle "
        "nicht mehr abgerufen werden können.</p>"
    )
    assert (found.status, [flag.code for flag in found.flags]) == ("awarded", ["documents_expired"])


def test_a_gated_tab_is_said() -> None:
    found = read("<p>Um Zugriff auf dieses Modul zu erhalten müssen Sie am Vergabeverfahren teilnehmen.</p>")
    assert [flag.code for flag in found.flags] == ["documents_need_login"]


def test_no_documents_is_nothing_amiss() -> None:
    assert (read(table()).flags, read("<p>Es sind keine Vergabeunterlagen vorhanden.</p>").flags) == ([], [])


@pytest.mark.parametrize(
    ("content", "outcome"),
    [
        ("<h2>Wartungsarbeiten</h2>", "maintenance"),
        ("<p>Ihre Sitzung ist abgelaufen.</p>", "session_expired"),
        ('<form><input type="password"></form>', "login"),
        ("<ol><li>LV</li></ol>", "no_rows_matched"),
    ],
)
def test_a_page_that_is_no_documents_tab_is_refused(content: str, outcome: str) -> None:
    with pytest.raises(UnexpectedPageError) as error:
        read(content)
    assert error.value.outcome == outcome


def test_names_of_people_in_names_of_files_are_masked() -> None:
    found = read(table(row("Rückfragen an erika@musterhausen.example", 1)))
    assert "@" not in str(found.attachments[0].description)
