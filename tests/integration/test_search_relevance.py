"""Which tenders of the bundled sample answer which query, and how high up: the measure of each change of search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from acceptance.whole_way import WholeWay, whole_way

if TYPE_CHECKING:
    from collections.abc import Iterator

#: A query; beginnings of titles of which one must be among the first so many hits. Where that is more than 3, the
#: encoder knows no better, and the number is what there was when the table was made.
TABLE = [
    ("Schulbus", 2, "Transport scolaire"),
    ("school transport", 1, "Transport scolaire"),
    ("school bus", 3, "Transport scolaire"),
    ("Schülerbeförderung", 1, "Transport scolaire"),
    ("Schülertransport", 1, "Transport scolaire"),
    ("Gebäudereinigung", 1, "Unterhaltsreinigung"),
    ("building cleaning", 1, "Unterhaltsreinigung", "Cleaning of primary"),
    ("Straßenbau", 3, "Asphaltdecke", "Highway resurfacing", "Oprava povrchu"),
    ("road works", 3, "Asphaltdecke", "Highway resurfacing", "Oprava povrchu"),
    ("Feuerwehrfahrzeuge", 2, "Drei Hilfeleistungslösch"),
    ("fire engines", 4, "Drei Hilfeleistungslösch"),
    ("Spielplatz", 1, "Spielgeräte", "Play area", "Speeltoestellen"),
    ("playground equipment", 1, "Spielgeräte", "Play area", "Speeltoestellen"),
    ("Aufzugswartung", 1, "Maintenance et dépannage des ascenseurs", "Modernisierung von neunzehn Personenaufzügen"),
    ("lift maintenance", 1, "Maintenance et dépannage des ascenseurs", "Modernisierung von neunzehn Personenaufzügen"),
    ("tree care", 1, "Baumkontrolle", "Manutenzione del verde", "Fasorok"),
    ("street lighting", 4, "Umrüstung der Straßenbeleuchtung", "Renovación del alumbrado"),
    ("éclairage public", 1, "Umrüstung der Straßenbeleuchtung", "Renovación del alumbrado"),
    ("Schulessen", 10, "Préparation et livraison de repas", "Skolmåltider"),
    ("school meals", 3, "Préparation et livraison de repas", "Skolmåltider"),
    ("waste collection", 2, "Sammlung und Transport von Restabfall", "Recogida selectiva"),
    ("gritting roads in winter", 1, "Winterdienst", "Rock salt"),
    ("Dolmetscherdienste", 3, "Interpreting", "Språktolkning"),
    ("Ladesäulen für Elektroautos", 1, "Public charge points", "Laddinfrastruktur"),
    ("Kanalreinigung", 1, "Kamerabefahrung", "Reiniging en camera-inspectie"),
    ("sewer inspection", 2, "Kamerabefahrung", "Reiniging en camera-inspectie"),
    ("Wärmepumpen", 1, "Replacement of gas boilers", "Termomodernizacja"),
    ("Krankenhausverpflegung", 1, "Patient meals", "Servizio di ristorazione"),
    ("Bibliothekssoftware", 2, "Library management system"),
    ("Asbestsanierung", 1, "Removal of asbestos", "Rückbau eines Parkhauses"),
    ("flood protection", 1, "Hochwasserschutz", "River flood model"),
    ("Solaranlage auf dem Schuldach", 2, "Dachsanierung und Photovoltaikanlage"),
    ("Büromöbel", 1, "Office furniture"),
    ("Fährverbindung", 1, "Island ferry service"),
    ("Videoüberwachung", 1, "Video surveillance"),
    ("security guards", 5, "Vigilanza armata"),
    ("home care for the elderly", 1, "Home care", "Servicio de ayuda a domicilio"),
    ("piste cyclable", 1, "Protected cycle lanes"),
]
#: Mean of 1/rank over the table, a little below what was measured.
MEAN_RECIPROCAL_RANK = 0.74
NONSENSE = [
    "Horoskop für Verliebte",
    "best pizza in Naples",
    "chess puzzles for beginners",
    "who painted the Mona Lisa",
    "how tall is Mount Everest",
    "asdf qwer zxcv",
    "warum schnarcht mein Mann",
    "guitar chords for beginners",
    "knitting pattern for a baby hat",
    "Pokémon Karten tauschen",
    "moon landing conspiracy",
    "comment dormir mieux",
    "jak upiec sernik",
    "poème d'amour",
]


@pytest.fixture(scope="module")
def sample(database_server: str, database_template: str) -> Iterator[WholeWay]:
    """The bundled sample, crawled and indexed."""
    with whole_way(database_server, database_template) as way:
        way.crawled("sample", anchor="2026-11-01")
        way.index_once()
        yield way


@pytest.fixture
def everything_shown(sample: WholeWay) -> Iterator[WholeWay]:
    """Without a threshold: the order alone counts."""
    sample.select("UPDATE embedding_model SET min_score = 0")
    yield sample
    sample.select("UPDATE embedding_model SET min_score = NULL")


def ranks(way: WholeWay) -> dict[str, int]:
    """The place of the first wanted tender by query; 0 where there is none."""
    found = {}
    for query, _, *wanted in TABLE:
        titles = way.found(query)
        found[query] = next((n for n, title in enumerate(titles, 1) if title.startswith(tuple(wanted))), 0)
    return found


def test_each_query_finds_what_answers_it(everything_shown: WholeWay) -> None:
    found = ranks(everything_shown)
    assert {query: found[query] for query, most, *_ in TABLE if not 0 < found[query] <= most} == {}
    mean = sum(1 / rank for rank in found.values()) / len(found)
    assert mean >= MEAN_RECIPROCAL_RANK, f"{mean:.3f}"


@pytest.mark.parametrize("query", NONSENSE)
def test_what_nobody_tenders_finds_nothing(sample: WholeWay, query: str) -> None:
    assert sample.found(query) == []


def test_the_calibrated_threshold_hides_nonsense_and_keeps_answers(sample: WholeWay) -> None:
    sample.indexer("calibrate")
    assert 0.2 < sample.value("SELECT min_score FROM embedding_model WHERE active") < 0.3
    assert [query for query in NONSENSE if sample.found(query)] == []
    answered = [query for query, *_ in TABLE if sample.found(query)]
    assert len(answered) >= 0.9 * len(TABLE), {query for query, *_ in TABLE} - set(answered)
    sample.select("UPDATE embedding_model SET min_score = NULL")
