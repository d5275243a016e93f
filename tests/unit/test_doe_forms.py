"""The German publication service's rules on top of its three forms."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, date, datetime

import pytest

from portal_simulator.doe_forms import csv_members, ocds_members
from portal_simulator.doe_notices import invented_german_notices, written
from tenderscrapy.exceptions import UnreadableDocumentError
from tenderscrapy.formats import doe, doe_csv
from tenderscrapy.formats.german_prose import deadline_in
from tenderscrapy.formats.zip_archive import Archive
from tenderscrapy.identity.keys import strong_keys

DAY = date(2026, 11, 20)
NOTICES = invented_german_notices(6, day=DAY)
NATIONAL = next(notice for notice in NOTICES if "-" not in notice.id)
EUROPEAN = next(notice for notice in NOTICES if "-" in notice.id)


def archive_of(members, place):
    with zipfile.ZipFile(place, "w") as archive:
        for name, content in members:
            archive.writestr(name, content)
    return Archive.open(place)


@pytest.fixture
def from_csv(tmp_path):
    """``from_csv(members)``: the notices of such an archive."""

    def read(members):
        with archive_of(members, tmp_path / "csv.zip") as archive:
            return [doe_csv.to_notice(rows) for rows in doe_csv.notices_of(archive.members)]

    return read


def test_the_three_forms_of_a_notice_agree_where_they_speak(from_csv):
    names = (
        "notice_id",
        "url",
        "title",
        "buyer_name",
        "country",
        "cpv",
        "ocid",
        "status",
        "description",
        "notice_uuid",
    )
    tables = {notice.notice_id: notice for notice in from_csv(csv_members(NOTICES))}
    for invented, (_, package) in zip(NOTICES, ocds_members(NOTICES), strict=True):
        forms = [doe.from_eforms(written(invented)), *doe.from_package(package), tables[invented.id]]
        assert len(forms) == 3
        for name in names:
            assert len({repr(getattr(form, name)) for form in forms}) == 1, name
        assert forms[1].revised_at < forms[0].revised_at > forms[2].revised_at


def test_a_national_notice_has_the_services_ocid_and_no_uuid():
    notice = doe.from_eforms(written(NATIONAL))
    assert (notice.notice_id, notice.ocid) == (NATIONAL.id, f"ocds-mnwr74-{NATIONAL.id}")
    assert {key.kind for key in strong_keys(notice)} == {"notice", "ocid", "cosinex_project"}
    assert notice.url.endswith(f"noticeId={NATIONAL.id}")


def test_a_european_notice_has_the_keys_that_ted_has():
    keys = {key.kind: key.value for key in strong_keys(doe.from_eforms(written(EUROPEAN)))}
    assert (keys["procedure_uuid"], keys["notice_uuid"]) == (EUROPEAN.folder, EUROPEAN.id)
    assert keys["ocid"] == f"ocds-mnwr74-{EUROPEAN.folder}"


def test_versions_of_one_instant_are_in_order():
    first, second = (doe.from_eforms(written(notice)) for notice in (EUROPEAN, EUROPEAN.edition()))
    assert first.revised_at < second.revised_at
    assert second.notice_version == "02"


def test_an_award_that_is_labelled_as_a_call_is_awarded():
    (notice,) = invented_german_notices(1, day=DAY)
    assert doe.from_eforms(written(notice)).status == "open"
    sold = notice.edition(title="Vergebener Auftrag gemäß § 30 UVgO")
    assert doe.from_eforms(written(sold)).status == "awarded"


@pytest.mark.parametrize(
    ("text", "kind", "at", "is_date"),
    [
        ("i) Angebotsfrist: 19.01.2026, 12:00 Uhr; Bindefrist: 27.04.2026", "tender", (2026, 1, 19, 11), False),
        ("o) Ablauf der Angebotsfrist\n\nam:\n13.01.2026\num:\n10:00 Uhr", "tender", (2026, 1, 13, 9), False),
        ("Angebotsfrist: 15.07.2026 10.30 Uhr", "tender", (2026, 7, 15, 8, 30), False),
        ("Die Angebotsfrist endet am 15.07.26", "tender", (2026, 7, 15, 21, 59, 59), True),
        ("Angebotsfrist: 31.12.2026, 24:00 Uhr", "tender", (2026, 12, 31, 23), False),
        ("Teilnahmefrist: 02.02.2026 um 9 Uhr", "participation", (2026, 2, 2, 8), False),
    ],
)
def test_a_deadline_in_the_text_is_read(text, kind, at, is_date):
    found = deadline_in(text)
    assert found is not None
    assert (found[0], found[1].at, found[1].is_date) == (kind, datetime(*at, tzinfo=UTC), is_date)
    assert found[1].zone == "Europe/Berlin"


@pytest.mark.parametrize(
    "text",
    [
        "Bindefrist: 27.04.2026",
        "Bieterfragen nur bis 4 Tage vor dem Ablauf der Angebotsfrist. Besichtigung am 12.01.2026",
        "Angebotsfrist: siehe Bekanntmachung; Bindefrist: 27.04.2026",
        "Angebotsfrist: 32.01.2026",
        "Angebotsfrist Los 1: 12.01.2026",
        "Angebotsfrist: 12.01.2026, verlängert; neue Angebotsfrist: 15.01.2026",
    ],
)
def test_another_date_is_never_taken_for_it(text):
    assert deadline_in(text) is None


def test_a_deadline_of_the_text_is_marked_and_never_replaces_a_stated_one():
    text = f"{NATIONAL.text} i) Angebotsfrist: 19.01.2026, 12:00 Uhr; Bindefrist: 27.04.2026"
    told = doe.from_eforms(written(NATIONAL.edition(text=text, deadline=None)))
    stated = doe.from_eforms(written(NATIONAL.edition(text=text)))
    assert told.deadline_at == datetime(2026, 1, 19, 11, tzinfo=UTC)
    assert "deadline_from_text" in {flag.code for flag in told.flags}
    assert stated.deadline_at != told.deadline_at
    assert "deadline_from_text" not in {flag.code for flag in stated.flags}


# --- tables that are not as they should be ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ([("purpose.csv", b"x")], "no table notice.csv"),
        ([("notice.csv", b"a,b\n1,2\n")], "notice.csv has no columns"),
        ([("notice.csv", b"\xff\xfe\x00")], "notice.csv cannot be read"),
        ([("notice.csv", b"noticeIdentifier,noticeVersion\n,1\n")], "no noticeIdentifier"),
    ],
)
def test_tables_that_cannot_be_read_are_refused_in_words(from_csv, members, reason):
    with pytest.raises(UnreadableDocumentError, match=reason):
        from_csv(members)


def test_a_notice_without_its_other_rows_is_a_notice(from_csv):
    (notice,) = from_csv([("notice.csv", f"noticeIdentifier,noticeVersion\n{NATIONAL.id},1\n".encode())])
    assert (notice.notice_id, notice.title, notice.notice_version) == (NATIONAL.id, None, "01")
    assert [flag.code for flag in notice.flags] == ["buyer_unknown"]


@pytest.mark.parametrize("content", [b"", b"[", b"[]", b"{}", json.dumps({"releases": [1]}).encode(), b"[" * 100_000])
def test_a_package_that_is_none_is_refused(content):
    with pytest.raises(UnreadableDocumentError):
        doe.from_package(content)


# --- real exports ----------------------------------------------------------------------------------------------------


@pytest.mark.corpus
def test_real_tables_of_a_day_are_read(corpus, from_csv):
    folder = corpus / "ocds" / "doe" / "csv_2025-12-06"
    notices = from_csv([(path.name, path.read_bytes()) for path in sorted(folder.glob("*.csv"))])
    rows = (folder / "notice.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert [notice.notice_id for notice in notices] == [row.split(",")[0] for row in rows]
    assert all(notice.title for notice in notices)
    deadlines = [notice for notice in notices if notice.deadline_at]
    assert len(deadlines) > 20
    assert all(notice.published_at < notice.deadline_at for notice in deadlines)


@pytest.mark.corpus
def test_real_releases_are_read(corpus):
    for path in sorted((corpus / "ocds" / "doe" / "ocds").glob("*.json")):
        (notice,) = doe.from_package(path.read_bytes())
        assert notice.notice_id in path.name
        assert notice.ocid.startswith("ocds-mnwr74-")
