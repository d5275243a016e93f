"""The bundled sample: every document can be read by its portal's mapper, and shows what it is there to show."""

from __future__ import annotations

import json
import re
import zipfile
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from pathlib import Path

import pytest

from bench.sample.__main__ import rendered
from spiders import sample_bundle
from spiders.sample import sample_notice
from tenderscrapy.identity.keys import strong_keys
from tenderscrapy.items import Notice, to_json

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "spiders" / "sample_data"
ANCHOR = date(2026, 11, 1)
FILES = {entry.name for entry in (DATA / "files").iterdir()}
PLANTED = (
    *("Musterfeld", "Exemplaire", "Marisol", "Ottavia", "Fionn", "Gwendolyn", "gwen.placeholder", "Korbinian"),
    *("birkenrode.example", "trois-rivieres.example", "llanoalto.example", "navigli.example", "noise-office.example"),
    *("harrowmere.example", "haidmoos.example", "90009 117", "49 01 99", "550 142", "5550 133", "910 0188", "960187"),
    *("99998 163", "23125 100", "vergabe@buyer.example", "tenders@buyer"),
)


def read(anchor: date = ANCHOR) -> list[Notice]:
    found = []
    for number in range(len(sample_bundle.pages())):
        source, documents = sample_bundle.documents(number, anchor)
        found += [sample_notice(source, document) for document in documents]
    return found


@pytest.fixture(scope="module")
def notices() -> list[Notice]:
    return read()


def of(notices: list[Notice], source: str, notice_id: str) -> list[Notice]:
    return [n for n in notices if (n.source_code, n.notice_id) == (f"sample:{source}", notice_id)]


def clusters(notices: list[Notice]) -> list[set[str]]:
    """Notices joined by strong keys."""
    groups: list[tuple[set, set[str]]] = []
    for notice in notices:
        keys, names = set(strong_keys(notice)), {f"{notice.source_code}|{notice.notice_id}"}
        for group in [group for group in groups if group[0] & keys]:
            groups.remove(group)
            keys, names = keys | group[0], names | group[1]
        groups.append((keys, names))
    return [names for _, names in groups]


def test_the_committed_documents_are_what_the_specs_say():
    committed = {
        path.relative_to(DATA).as_posix(): path.read_bytes()
        for path in DATA.rglob("*")
        if path.is_file() and path.parent.name != "files"
    }
    assert committed == rendered(), "run python -m bench.sample and commit what it writes"


def test_every_document_is_read_and_what_is_unreadable_in_them_is_the_one_planted_zero(notices):
    assert Counter(notice.source_code for notice in notices) == {
        "sample:ted": 76,
        "sample:contracts_finder": 46,
        "sample:doe": 36,
    }
    assert [(n.notice_id[-3:], flag.code) for n in notices for flag in n.flags] == [("041", "value_zero")]


def test_the_sample_speaks_many_languages_and_currencies(notices):
    languages = Counter(notice.title_lang for notice in notices if notice.title)
    assert {language for language, count in languages.items() if count >= 7} == {"de", "en", "fr", "es", "it", "pl"}
    assert set(languages) > {"nl", "sv", "el", "pt", "cs", "da", "fi", "no", "ro", "hu"}
    assert {n.value_currency for n in notices} > {"EUR", "GBP", "PLN", "SEK", "CZK", "DKK", "CHF", "RON", "HUF", "NOK"}
    assert len({notice.country for notice in notices}) == 22


def test_every_status_and_kind_of_deadline_is_there(notices):
    assert Counter(notice.status for notice in notices) == {"open": 137, "awarded": 11, "planned": 6, "cancelled": 4}
    assert Counter(notice.deadline_kind for notice in notices if notice.deadline_kind) == {
        "tender": 127,
        "participation": 10,
    }
    assert sum(notice.deadline_is_date for notice in notices) == 7
    assert sum(notice.status == "open" and notice.deadline_at is None for notice in notices) == 1
    assert sum(notice.value_amount is None for notice in notices) == 9


def test_texts_are_long_enough_to_be_found_by_their_meaning(notices):
    titles = {notice.title for notice in notices if notice.title}
    assert len(titles) > 130
    long = [notice for notice in notices if len(notice.description or "") > 150]
    assert len(long) > 120
    assert all(re.fullmatch(r"\d{8}", code) for notice in notices for code in notice.cpv)
    assert all(notice.cpv for notice in notices)


def test_exactly_one_notice_has_no_title(notices):
    assert [notice.notice_id for notice in notices if notice.title is None] == ["990077-2099"]


def test_planted_people_do_not_reach_a_notice(notices):
    raw = b"".join(path.read_bytes() for path in DATA.rglob("*.[jx][sm]*") if path.parent.name != "files").decode()
    assert [word for word in PLANTED if word not in raw] == []
    kept = json.dumps([to_json(notice) for notice in notices], ensure_ascii=False)
    assert [word for word in PLANTED if word in kept] == []
    assert "@" not in kept


def test_eight_tenders_are_on_two_portals_and_share_a_strong_key(notices):
    crossing = [names for names in clusters(notices) if len({name.split("|")[0] for name in names}) > 1]
    assert len(crossing) == 8
    assert {"sample:ted|990006-2099", "sample:doe|5a391e00-0002-4000-8000-000000000006"} in crossing


def test_two_tenders_are_on_two_portals_without_any_shared_key(notices):
    pairs = [n for n in notices if n.notice_id.endswith(("000000001500", "000000001501"))]
    assert [pair.source_code for pair in pairs] == ["sample:doe"] * 2
    for pair, number in zip(pairs, ("990009-2099", "990013-2099"), strict=True):
        (original,) = of(notices, "ted", number)
        assert original.deadline_at == pair.deadline_at
        assert not set(strong_keys(original)) & set(strong_keys(pair))


def test_corrections_awards_and_cancellations_join_their_calls(notices):
    joined = clusters(notices)
    for first, second in (("003", "012"), ("013", "014"), ("017", "010"), ("046", "048"), ("021", "030")):
        both = {f"sample:ted|990{first}-2099", f"sample:ted|990{second}-2099"}
        assert any(both <= names for names in joined), both
    (call,), (correction,) = of(notices, "ted", "990003-2099"), of(notices, "ted", "990012-2099")
    assert (correction.changes_notice, correction.change_reason) == ("990003-2099", "update-add")
    assert correction.deadline_at - call.deadline_at == timedelta(days=14)
    assert of(notices, "ted", "990014-2099")[0].status == "cancelled"


def test_editions_of_one_notice_are_ordered_by_their_revision(notices):
    versions = of(notices, "doe", "5a391e00-0002-4000-8000-000000001007")
    assert [n.notice_version for n in sorted(versions, key=lambda n: n.revised_at)] == ["01", "02"]
    releases = of(notices, "contracts_finder", "5a391e00-0004-4000-8000-000000000004")
    first, amendment = sorted(releases, key=lambda n: n.revised_at)
    assert amendment.deadline_at > first.deadline_at
    assert "moved by two weeks" in (amendment.description or "")


def test_twin_notices_of_one_process_differ_in_nothing_but_their_number(notices):
    twins = [n for n in notices if n.ocid == "ocds-b5fd17-5a391e00-0003-4000-8000-000000000030"]
    assert sorted(n.notice_id[-3:] for n in twins) == ["030", "530"]
    assert len({(n.title, n.deadline_at, n.value_amount) for n in twins}) == 1


def test_entities_and_markup_are_plain_text(notices):
    titles = {notice.title for notice in notices}
    assert "Objekt- und Tragwerksplanung Ersatzneubau Muldebrücke & Rampen" in titles
    assert "Patient meals for St Aldhelm's Hospital & community wards" in titles
    assert "Καθαρισμός ακτών και περισυλλογή πλαστικών απορριμμάτων" in titles


def test_no_address_leads_to_a_real_host(notices):
    addresses = [n.url for n in notices] + [link.url for n in notices for link in n.links]
    addresses += [file.url for n in notices for file in n.attachments]
    assert {url for url in addresses if not re.match(r"https://[\w-]+\.sample\.example/|sample://files/", url)} == set()


def test_every_bundled_file_is_linked_from_a_notice_and_one_from_two(notices):
    links = Counter(file.url.removeprefix("sample://files/") for n in notices for file in n.attachments)
    assert set(links) == FILES
    assert len(FILES) >= 15
    assert links["general-terms.txt"] == 2
    assert {name.rsplit(".", 1)[1] for name in FILES} == {"pdf", "docx", "xlsx", "zip", "xml", "txt"}


def test_an_archive_holds_an_archive_with_an_umlaut_in_its_name():
    with zipfile.ZipFile(DATA / "files" / "security-questionnaire.zip") as outer:
        assert "Anhänge.zip" in outer.namelist()
        inner = zipfile.ZipFile(BytesIO(outer.read("Anhänge.zip")))
    assert inner.namelist() == ["Prüfplan für Übungen.txt"]


@pytest.mark.parametrize("today", [date(2026, 11, 1), date(2026, 11, 30), date(2027, 2, 28), date(2028, 2, 29)])
def test_on_any_day_most_notices_are_open_and_none_is_published_in_the_future(today):
    found = read(sample_bundle.anchor_of(today))
    midnight = datetime(today.year, today.month, today.day, tzinfo=UTC)
    assert all(n.published_at and n.published_at < midnight for n in found)
    still_open = [n for n in found if n.status == "open" and n.deadline_at and n.deadline_at > midnight]
    assert len(still_open) > 120


def test_within_a_month_nothing_changes_and_at_its_turn_the_dates_move_on():
    first, last, next_month = (
        [to_json(notice) for notice in read(sample_bundle.anchor_of(day))]
        for day in (date(2026, 11, 1), date(2026, 11, 30), date(2026, 12, 1))
    )
    assert first == last
    assert first[0]["deadline_at"] == "2026-12-18T09:00:00Z"
    assert next_month[0]["deadline_at"] == "2027-01-15T09:00:00Z"


@pytest.mark.parametrize(
    ("token", "written"),
    [
        ("{{+35}}", "2026-12-04"),  # a Sunday, moved back to the Friday
        ("{{+36 Europe/Berlin}}", "2026-12-07+01:00"),
        ("{{-18 Europe/Berlin}}", "2026-10-14+02:00"),
        ("{{+36 10:30 Europe/Athens}}", "2026-12-07T10:30:00+02:00"),
        ("{{+36 10:30 Europe/Athens time}}", "10:30:00+02:00"),
        ("{{+36 12:00 Europe/London}}", "2026-12-07T12:00:00Z"),
        ("{{no token}}", "{{no token}}"),
    ],
)
def test_a_date_is_written_with_the_offset_of_its_day(token, written):
    assert sample_bundle.dated(token, ANCHOR) == written
