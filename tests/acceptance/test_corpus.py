"""Real notices all the way: from portals over HTTP into the database, the files and the index, to the page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from acceptance.real_notices import api_pages, api_records, package, record_of, xml_files
from acceptance.whole_way import WholeWay, whole_way
from tenderscrapy.formats import eforms

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from services.radar import Radar

pytestmark = pytest.mark.corpus

TED = {"since": "2015-01-01"}
CONTRACTS_FINDER = {"since": "2025-01-20"}
TWIN_OCID = "ocds-b5fd17-75afe551-b5e4-4538-a546-0547477d0f9f"
TWINS = ("61663400-0e04-4dd3-9b52-ad091ff31932", "e22ded3b-515b-4309-8ab1-ce3c76e44ebe")
AMENDED = "dff009c9-c955-4f82-8f54-455a64c5bee0"
CHRISTMAS_LIGHTS = "8f124d5d-fa11-457c-a0ed-431674a867c1"
TABLES = (
    *("tender", "tender_source", "notice_version", "tender_key", "match_decision", "attachment", "outbox", "chunk"),
    *("chunk_embedding", "quarantine"),
)


@pytest.fixture(scope="module")
def indexed(corpus: Path, database_server: str, database_template: str) -> Iterator[WholeWay]:
    """Both portals crawled with their files, and everything indexed."""
    xml = xml_files(corpus)
    portals = {
        "ted_notices": [*api_records(corpus), *(record_of(number, data) for number, data in xml.items())],
        "contracts_finder_releases": package(corpus)["releases"],
    }
    with whole_way(database_server, database_template, **portals) as way:
        for number, data in xml.items():
            way.simulator.files.add(f"/en/notice/{number}/xml", data, "application/xml")
        way.crawled("ted", **TED)
        way.crawled("contracts_finder", **CONTRACTS_FINDER)
        way.index_once()
        yield way


def test_every_notice_is_stored_once_and_every_edition_is_a_version(indexed: WholeWay) -> None:
    runs = indexed.select(
        "SELECT spider, state, reason, fetched, new, quarantined, rejected FROM crawl_run ORDER BY id"
    )
    assert [tuple(run.values()) for run in runs] == [
        ("ted", "complete", "", 26, 26, 0, 0),
        ("contracts_finder", "complete", "", 100, 96, 0, 0),
    ]
    sources = indexed.select("SELECT source_code, count(*) AS n FROM tender_source GROUP BY 1 ORDER BY 1")
    assert {row["source_code"]: row["n"] for row in sources} == {"contracts_finder": 96, "ted": 26}
    versions = indexed.select(
        "SELECT source_code, count(*) AS n FROM notice_version v JOIN tender_source s ON s.id = v.tender_source_id"
        " GROUP BY 1"
    )
    assert {row["source_code"]: row["n"] for row in versions} == {"contracts_finder": 100, "ted": 26}
    assert indexed.value("SELECT count(*) FROM tender") == 94 + 26


def test_a_hundred_releases_are_94_procedures(indexed: WholeWay) -> None:
    statement = "SELECT count(DISTINCT {}) FROM tender_source WHERE source_code = 'contracts_finder'"
    assert indexed.value(statement.format("tender_id")) == 94
    assert indexed.value(statement.format("ocid")) == 94
    assert indexed.value("SELECT count(*) FROM tender_key WHERE kind = 'ocid'") == 94
    shared = "SELECT count(*) FROM (SELECT 1 FROM tender_source GROUP BY tender_id HAVING count(DISTINCT ocid) > 1) s"
    assert indexed.value(shared) == 0


def test_an_amendment_is_a_version_of_its_notice_and_leads(indexed: WholeWay) -> None:
    [source] = indexed.select("SELECT * FROM tender_source WHERE notice_id = %s", AMENDED)
    assert source["snapshot"]["notice_type"] == "tenderAmendment"
    versions = indexed.select(
        "SELECT snapshot ->> 'notice_type' AS kind, content_hash FROM notice_version WHERE tender_source_id = %s"
        " ORDER BY revised_at",
        source["id"],
    )
    assert [row["kind"] for row in versions] == ["tender", "tenderAmendment"]
    assert versions[-1]["content_hash"] == source["content_hash"]
    title = "Our Lady of the Magnificat - Home to School Transport for St Bede's Catholic Middle School"
    assert indexed.value("SELECT title FROM tender WHERE id = %s", source["tender_id"]) == title
    assert indexed.value("SELECT count(*) FROM tender_source WHERE tender_id = %s", source["tender_id"]) == 1


def test_twin_notices_of_one_procedure_are_one_tender_with_two_sources(indexed: WholeWay) -> None:
    tenders = {indexed.tender_of("contracts_finder", notice_id) for notice_id in TWINS}
    assert len(tenders) == 1
    shown = indexed.get(f"tenders/{tenders.pop()}").json
    assert (shown["ocid"], shown["title"]) == (TWIN_OCID, "Sumner House - Window Replacement")
    assert sorted(source["notice_id"] for source in shown["sources"]) == list(TWINS)
    assert len({source["url"] for source in shown["sources"]}) == 2


def test_every_file_is_fetched_read_and_searched(indexed: WholeWay) -> None:
    files = indexed.select("SELECT * FROM attachment")
    assert {file["status"] for file in files} == {"ready"}
    assert {file["extraction_error"] for file in files} == {None}
    assert all(file["source_url"].startswith(indexed.simulator.url) for file in files)
    assert sum(file["filename"].endswith(".xml") for file in files) == 26
    chunked = indexed.select("SELECT DISTINCT attachment_id FROM chunk WHERE attachment_id IS NOT NULL")
    assert {row["attachment_id"] for row in chunked} == {file["id"] for file in files}
    assert indexed.select("SELECT DISTINCT index_status FROM tender") == [{"index_status": "ready"}]
    assert indexed.value("SELECT count(*) FROM outbox WHERE published_at IS NULL OR error IS NOT NULL") == 0


def test_the_official_xml_is_stored_as_it_was_published(indexed: WholeWay, corpus: Path) -> None:
    for number, data in xml_files(corpus).items():
        statement = "SELECT path FROM attachment WHERE filename = %s"
        assert (indexed.files / indexed.value(statement, f"{number}.xml")).read_bytes() == data


def test_what_only_the_official_xml_says_finds_its_notice(indexed: WholeWay) -> None:
    [item] = indexed.search("Tranchenmodell", 1)["items"]
    assert item["tender"]["id"] == indexed.tender_of("ted", "657565-2023")
    assert item["passages"][0]["filename"] == "657565-2023.xml"
    assert "Tranchenmodell" in item["passages"][0]["text"]


@pytest.mark.parametrize(
    ("query", "notice_id"),
    [
        ("Beförderung von Schülern zur Schule", AMENDED),
        ("Unterstützung bei häuslicher Gewalt für Kinder", "43fda075"),
        ("Weihnachtsbeleuchtung für die Stadt", CHRISTMAS_LIGHTS),
        ("Website Neugestaltung", "10b46b59"),
        ("Treibstoff Botschaft Bagdad", "2189002a"),
        ("Reinigung in großer Höhe", "2579816e"),
        ("Solardach", "5fb51727"),
    ],
)
def test_german_words_find_a_notice_in_english(indexed: WholeWay, query: str, notice_id: str) -> None:
    statement = "SELECT tender_id::text FROM tender_source WHERE source_code = 'contracts_finder' AND notice_id LIKE %s"
    assert indexed.value(statement, f"{notice_id}%") in indexed.best(query)


@pytest.mark.parametrize(
    ("query", "notice_id"),
    [
        ("security guard services for a military site", "479730-2026"),
        ("cleaning services for tax information offices", "596416-2026"),
        ("ornamental lighting for festivals", "596426-2026"),
        ("tobacco shop", "246534-2023"),
        ("restaurant concession at a racecourse", "761524-2023"),
        ("electricity supply Bundesbank", "657565-2023"),
        ("postal services", "2672-2015"),
    ],
)
def test_english_words_find_a_notice_in_another_language(indexed: WholeWay, query: str, notice_id: str) -> None:
    assert indexed.tender_of("ted", notice_id) in indexed.best(query)


@pytest.mark.parametrize("query", ["479730-2026", "00479730-2026", "f97b0751-7d7b-485d-98a9-fc089091040f"])
def test_an_official_number_of_ted_finds_exactly_its_notice(indexed: WholeWay, query: str) -> None:
    answer = indexed.search(query)
    assert (answer["mode"], answer["total"]) == ("identifier", 1)
    assert answer["items"][0]["tender"]["id"] == indexed.tender_of("ted", "479730-2026")


def test_an_ocid_finds_exactly_its_procedure_and_a_cpv_code_all_that_carry_it(indexed: WholeWay) -> None:
    answer = indexed.search(TWIN_OCID.upper())
    assert [item["tender"]["ocid"] for item in answer["items"]] == [TWIN_OCID]
    for query in ("79713000", "79713000-5", "CPV 79713000"):
        answer = indexed.search(query)
        found = {source["notice_id"] for item in answer["items"] for source in item["tender"]["sources"]}
        assert (answer["mode"], found) == ("identifier", {"479730-2026", "762961-2023"})


def test_the_page_shows_what_the_api_finds(indexed: WholeWay) -> None:
    page = indexed.page("/", query_string={"q": "Weihnachtsbeleuchtung für die Stadt"})
    assert f"/tenders/{indexed.tender_of('contracts_finder', CHRISTMAS_LIGHTS)}" in page
    assert "Managed Service for Christmas Lighting December 2025" in page
    page = indexed.page("/", query_string={"q": "security guard services for a military site"})
    assert "Bewachung Henning-von-Tresckow-Kaserne" in page


def test_a_second_crawl_of_the_same_notices_changes_nothing(indexed: WholeWay) -> None:
    before = everything(indexed)
    for spider, asked, fetched in (("ted", TED, 26), ("contracts_finder", CONTRACTS_FINDER, 100)):
        run = indexed.crawled(spider, **asked)
        assert (run["fetched"], run["new"], run["changed"], run["attachments_ok"]) == (fetched, 0, 0, 0)
    assert "0 indexed, 0 unchanged" in indexed.index_once()
    assert everything(indexed) == before


def everything(way: WholeWay) -> dict[str, Any]:
    """How many rows each table has, and the tenders' hashes."""
    counts = {table: way.value(f"SELECT count(*) FROM {table}") for table in TABLES}
    return counts | {row["id"]: row["content_hash"] for row in way.select("SELECT id, content_hash FROM tender")}


def test_the_recorded_walk_of_three_pages_is_walked_to_its_empty_end(
    corpus: Path, database_server: str, database_template: str
) -> None:
    with whole_way(database_server, database_template, ted_notices=api_records(corpus)) as way:
        for page in api_pages(corpus, way.simulator.url):
            way.simulator.fault("POST /v3/*", status=200, body=page, media_type="application/json")
        run = way.crawled("ted", **TED)

        asked = [json.loads(request.body) for request in way.simulator.requests_to("/v3/", "POST")]
        tokens = [body.get("iterationNextToken") for body in asked]
        assert tokens == [None, "composed-token-1", "composed-token-2"]
        counts = ("announced", "fetched", "new", "pages", "attachments_ok")
        assert [run[name] for name in counts] == [4, 4, 4, 3, 8]
        stored = way.select("SELECT notice_id FROM tender_source ORDER BY notice_id")
        assert [row["notice_id"] for row in stored] == ["479730-2026", "596416-2026", "596426-2026", "619675-2026"]
        assert way.value("SELECT cursor -> 'position' FROM source WHERE code = 'ted'") is None


def test_official_xml_goes_through_storage_and_its_german_edition_joins(radar: Radar, corpus: Path) -> None:
    files = [file.read_bytes() for file in sorted(corpus.glob("ted/xml/*.xml"))]
    radar.store(*map(eforms.to_notice, files))
    assert counted(radar) == {"doe": 3, "ted": 19}
    assert radar.value("SELECT count(*) FROM tender") == 22
    assert radar.value("SELECT count(*) FROM notice_version") == 22
    facts = json.loads((corpus / "ted" / "xml" / "facts.json").read_text("utf-8"))
    lots = radar.select(
        "SELECT notice_id, jsonb_array_length(lots) AS n FROM tender t JOIN tender_source s ON s.tender_id = t.id"
    )
    known = {_notice_id(fact): fact["lot_count"] for fact in facts.values() if "lots" in fact}
    assert {row["notice_id"]: row["n"] for row in lots if row["notice_id"] in known} == known

    events = radar.value("SELECT count(*) FROM outbox")
    radar.store(*map(eforms.to_notice, files))
    assert (counted(radar), radar.value("SELECT count(*) FROM outbox")) == ({"doe": 3, "ted": 19}, events)

    radar.store(*(eforms.to_notice(data, source_code="doe") for data in files if b"TED_EXPORT" not in data[:200]))
    assert counted(radar) == {"doe": 21, "ted": 19}
    assert radar.value("SELECT count(*) FROM tender") == 22


def _notice_id(fact: dict[str, Any]) -> str:
    return str(fact["publication_id"] or fact["notice_id"]).lstrip("0" if fact["publication_id"] else "")


def counted(radar: Radar) -> dict[str, int]:
    rows = radar.select("SELECT source_code, count(*) AS n FROM tender_source GROUP BY 1")
    return {row["source_code"]: row["n"] for row in rows}
