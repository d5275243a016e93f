"""What a search finds and in which order, with the real model and a real index."""

from __future__ import annotations

import pytest

from services.radar import LATER, tender_notice

CLEANING = tender_notice(
    1,
    "Cleaning of primary schools",
    description="Daily cleaning of classrooms, corridors and sanitary rooms in six primary schools.",
    cpv=["90919300"],
)
ROADS = tender_notice(
    2,
    "Sanierung der Ortsdurchfahrt Musterdorf",
    title_lang="de",
    description="Straßenbauarbeiten: Fahrbahn fräsen, Asphaltdeckschicht einbauen, Gehwege pflastern.",
    buyer_name="Gemeinde Musterdorf",
    country="DE",
    cpv=["45233120"],
    reference="MD-2026/017",
)
SOFTWARE = tender_notice(
    3,
    "Library management software",
    description="Licences, hosting and support of a cloud software for public libraries.",
    cpv=["48160000"],
    source_code="contracts_finder",
)
WINTER = tender_notice(
    4,
    "Winterdienstleistungen auf Kreisstraßen",
    title_lang="de",
    description="Räumen und Streuen der Kreisstraßen im Landkreis Beispielland.",
    buyer_name="Landkreis Beispielland",
    country="DE",
    cpv=["90620000"],
)


@pytest.fixture
def filled(radar):
    radar.publish(CLEANING, ROADS, SOFTWARE, WINTER)
    return radar


def test_an_english_query_finds_the_english_notice_by_its_words(filled):
    answer = filled.search("school cleaning")

    assert answer["items"][0]["tender"]["title"] == CLEANING.title
    assert answer["mode"] == "hybrid"
    assert answer["vector_scan"] == "exact"


def test_a_german_query_finds_the_english_notice(filled):
    assert filled.found("Reinigung von Grundschulen")[0] == CLEANING.title


def test_an_english_query_finds_the_german_notice(filled):
    assert filled.found("road resurfacing works")[0] == ROADS.title


def test_a_compound_is_found_by_its_first_part(filled):
    assert filled.found("Winterdienst")[0] == WINTER.title


def test_words_are_found_without_their_umlauts(filled):
    assert ROADS.title in filled.found("Asphaltdeckschicht strassenbauarbeiten")


def test_nonsense_finds_nothing(filled):
    answer = filled.search("qwertz blorf zanzibum")

    assert answer == {"items": [], "mode": "hybrid", "total": 0, "vector_scan": "exact"}


def test_a_low_threshold_of_the_operator_lets_weak_answers_through(filled, monkeypatch):
    from tenderscrapy.config import config

    monkeypatch.setenv("MIN_RELEVANCE_SCORE", "0")
    config.cache_clear()

    assert filled.search("qwertz blorf zanzibum")["total"] == 4


def test_the_calibrated_threshold_of_the_model_is_used(filled):
    filled.select("UPDATE embedding_model SET min_score = 0.99")

    assert filled.found("road resurfacing works") == []


def test_a_phrase_must_occur_and_an_excluded_word_must_not(filled):
    assert filled.found('"Asphaltdeckschicht einbauen"') == [ROADS.title]
    assert filled.found('"einbauen Asphaltdeckschicht"') == []
    assert SOFTWARE.title in filled.found("public libraries")
    assert SOFTWARE.title not in filled.found("public libraries -software")


def test_an_official_number_is_answered_by_key(filled):
    for number in ("2-2026", "00002-2026", "MD-2026/017", "md-2026/017", "OJ 2026/S 213-2", '"2-2026"'):
        answer = filled.search(number)

        found = [(item["tender"]["title"], item["score"]) for item in answer["items"]]
        assert (number, found, answer["mode"]) == (number, [(ROADS.title, 1.0)], "identifier")


def test_ocid_and_the_tenders_own_id_are_numbers_too(radar):
    ocid = "ocds-b5fd17-0d1f7a55-4c61-4f4e-9a7e-2f6f0c1d2e3f"
    [tender] = radar.publish(tender_notice(7, "Street lighting", ocid=ocid, source_code="contracts_finder"))

    assert [i["tender"]["id"] for i in radar.search(ocid.upper())["items"]] == [tender]
    assert [i["tender"]["id"] for i in radar.search(tender)["items"]] == [tender]


def test_a_number_is_found_before_the_tender_is_indexed(radar):
    radar.store(ROADS)

    assert radar.found("2-2026") == [ROADS.title]


def test_a_cpv_code_stands_for_its_branch(filled):
    for code in ("45233120", "45233120-6", "45000000", "CPV 45", "cpv: 452"):
        answer = filled.search(code)

        assert (code, [item["tender"]["title"] for item in answer["items"]]) == (code, [ROADS.title])
        assert answer["mode"] == "identifier"


def test_a_number_outside_the_filters_is_not_shown(filled):
    assert filled.found("2-2026", country=["GB"]) == []


def test_the_passage_is_escaped_and_marks_the_words(radar):
    radar.publish(
        tender_notice(
            5,
            "Demolition of a depot",
            description="Demolition of <b>old</b> halls & <script>alert(1)</script> removal of rubble.",
        )
    )

    [passage] = radar.search("demolition rubble")["items"][0]["passages"]

    assert "<mark>Demolition</mark>" in passage["html"]
    assert "<mark>rubble</mark>" in passage["html"]
    assert "<script" not in passage["html"]
    assert "<b>" not in passage["html"]
    assert "<mark>" not in passage["text"]


def test_a_tender_with_many_chunks_is_one_hit(radar):
    lots = "\n\n".join(f"Section {n}: removal of snow and ice on road number {n}. " * 12 for n in range(30))
    radar.publish(tender_notice(6, "Snow removal", description=lots), CLEANING)

    assert radar.value("SELECT count(*) FROM chunk WHERE section = 'description'") > 5
    assert radar.found("snow removal on roads").count("Snow removal") == 1


def test_a_deadline_that_passed_closes_an_open_tender(radar):
    radar.publish(
        tender_notice(8, "Roofing of a sports hall", deadline_at=LATER.replace(year=2020)),
        tender_notice(9, "Roofing of a fire station"),
    )

    assert radar.found("roofing", status=["open"]) == ["Roofing of a fire station"]
    assert radar.found("roofing", status=["closed"]) == ["Roofing of a sports hall"]
    assert sorted(item["tender"]["state"] for item in radar.search("roofing")["items"]) == ["closed", "open"]


def test_an_answer_does_not_depend_on_what_the_planner_knows(radar):
    tables = ("tender", "chunk", "chunk_embedding")
    for table in tables:
        radar.select(f"ALTER TABLE {table} SET (autovacuum_enabled = false)")
    works = ("Road works", "School cleaning", "Winter service on roads", "Software for schools", "Works of art")
    radar.publish(*(tender_notice(n, works[n % 5], description=f"{works[n % 4]} in part {n}") for n in range(1, 121)))
    queries = ("road works", "Straßenbau", "school", "nettoyage des écoles", "part 7", "software works -winter")

    def answers():
        return [(radar.search(query, 50), radar.search(query, country=["GB"])) for query in queries]

    fresh = answers()
    for table in tables:
        radar.select(f"ANALYZE {table}")
    known = answers()
    for table in tables:
        radar.select(f"VACUUM (FULL, ANALYZE) {table}")

    assert known == fresh
    assert answers() == fresh


def test_without_a_matching_model_the_words_alone_are_searched(filled):
    filled.select("UPDATE embedding_model SET active = false")

    answer = filled.search("school cleaning")

    assert next(item["tender"]["title"] for item in answer["items"]) == CLEANING.title
    assert (answer["mode"], answer["vector_scan"]) == ("text", None)


def test_vectors_of_another_model_are_never_compared(filled, caplog):
    filled.select("UPDATE embedding_model SET active = false")
    filled.select("INSERT INTO embedding_model (model, dim, active) VALUES ('other', 512, true)")

    assert filled.search("school cleaning")["mode"] == "text"
    assert "reindex" in caplog.text


def test_an_embedding_service_that_is_away_leaves_the_words(filled, monkeypatch):
    from tenderscrapy.ai import provider as choice
    from tenderscrapy.config import config

    filled.select("UPDATE embedding_model SET active = false")
    filled.select("INSERT INTO embedding_model (model, dim, active) VALUES ('some-model', 512, true)")
    monkeypatch.setenv("EMBEDDING_PROVIDER", "ollama")
    monkeypatch.setenv("EMBEDDING_MODEL", "some-model")
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    config.cache_clear()
    choice.provider.cache_clear()
    try:
        answer = filled.search("school cleaning")
    finally:
        choice.provider.cache_clear()

    assert answer["mode"] == "text"
    assert answer["items"][0]["tender"]["title"] == CLEANING.title
