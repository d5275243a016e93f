"""People are not data: a notice's contacts reach neither a table nor a line of any log, whatever becomes of it."""

from __future__ import annotations

import json
import logging
import subprocess
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psycopg2
import pytest

from acceptance import planted
from acceptance.planted import UNSTORABLE, Person, english_text, german_text, without_separators
from acceptance.whole_way import WholeWay, whole_way
from tenderscrapy.database.committing import commit
from tenderscrapy.database.placement import wheel_programs
from tenderscrapy.formats.eforms import to_notice
from tenderscrapy.identity.keys import strong_keys

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class Remains:
    """All that a crawl leaves: the database as SQL, and the lines of its programs at their most talkative."""

    way: WholeWay
    log: str
    dump: str


@pytest.fixture(scope="module")
def remains(database_server: str, database_template: str) -> Iterator[Remains]:
    """Both portals crawled, the XML of both generations stored, one notice of each format set aside, all indexed."""
    releases = [
        planted.release(planted.CONTRACTS_FINDER, 0),
        planted.release(planted.CONTRACTS_FINDER_ASIDE, 3, ocid=f"ocds-b5fd17-{UNSTORABLE}"),
        _without_title(planted.release(planted.CONTRACTS_FINDER_DROPPED, 5)),
    ]
    with whole_way(database_server, database_template, ted_notices=[], contracts_finder_releases=releases) as way:
        for page in (_ted_records(), []):
            way.simulator.fault("POST /v3/*", status=200, body=_ted_page(page), media_type="application/json")
        runs = [way.crawl(spider, since="2026-01-01", LOG_LEVEL="DEBUG") for spider in ("ted", "contracts_finder")]
        log = "".join(run.stdout + run.stderr for run in runs) + _store_xml(way) + way.index_once()
        yield Remains(way, log, _dump(way.database))


def _ted_records() -> list[dict[str, Any]]:
    """One record to store, one to set aside, one that cannot be read, one without title."""
    return [
        planted.ted_record(planted.TED, "471001-2026"),
        planted.ted_record(planted.TED_ASIDE, "471002-2026", **{"buyer-country": [UNSTORABLE]}),
        planted.ted_record(planted.TED_DROPPED, f"Tel. {planted.TED_DROPPED.phone}"),
        planted.ted_record(planted.TED_DROPPED, "471003-2026", **{"title-proc": {}}),
    ]


def _ted_page(records: list[dict[str, Any]]) -> bytes:
    page = {"notices": records, "totalNoticeCount": 4, "iterationNextToken": "next", "timedOut": False}
    return json.dumps(page).encode()


def _without_title(release: dict[str, Any]) -> dict[str, Any]:
    for owner in (release, release["tender"]):
        owner.pop("title", None)
        owner.pop("description", None)
    return release


def _store_xml(way: WholeWay) -> str:
    """Commit four notices, two of which the database refuses; the log of it."""
    documents = [
        planted.eforms(planted.EFORMS),
        planted.eforms(planted.EFORMS_ASIDE, country=UNSTORABLE),
        planted.ted_export(planted.EXPORT),
        planted.ted_export(planted.EXPORT_ASIDE, country=UNSTORABLE),
    ]
    notices = [to_notice(data) for data in documents]
    for notice in notices:
        notice.keys = strong_keys(notice)
    lines: list[str] = []
    handler = logging.Handler(logging.DEBUG)
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    try:
        with closing(psycopg2.connect(way.database)) as connection:
            outcomes = commit(connection, notices)
    finally:
        logging.getLogger().removeHandler(handler)
    assert outcomes == ["new", "quarantined", "new", "quarantined"]
    return "\n".join(lines)


def _dump(url: str) -> str:
    program = wheel_programs() / "pg_dump"
    run = subprocess.run([program, "--dbname", url, "--data-only"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def leaks(text: str) -> list[str]:
    """Every sign of a planted person in ``text``."""
    lower = text.lower()
    digits = without_separators(lower)
    return [sign for person in planted.PEOPLE for sign in person.found_in(lower, digits)]


def test_the_notices_went_the_ways_that_they_were_made_for(remains: Remains) -> None:
    names = "spider, state, reason, fetched, new, quarantined, rejected"
    runs = remains.way.select(f"SELECT {names} FROM crawl_run ORDER BY id")
    reason = "1 notice(s) set aside; see quarantine"
    assert [tuple(run.values()) for run in runs] == [
        ("ted", "incomplete", reason, 4, 1, 1, 2),
        ("contracts_finder", "incomplete", reason, 3, 1, 1, 1),
    ]
    aside = remains.way.select("SELECT source_code, count(*) AS n FROM quarantine GROUP BY 1 ORDER BY 1")
    assert [(row["source_code"], row["n"]) for row in aside] == [("contracts_finder", 1), ("ted", 3)]
    assert remains.way.value("SELECT count(*) FROM tender WHERE index_status = 'ready'") == 4


def test_the_dump_shows_what_the_notices_say_of_the_tender(remains: Remains) -> None:
    kept = ["Stadt Beetingen", "Hazelford Council", "Gemeente Distelstad", "Kreis Ampfer"]
    kept += ["Pflege der Beete", "Hedge laying", "Wegebau", "Die Anlage hat 471 Räume", "The depot has 471 bays"]
    for table in ("tender", "tender_source", "notice_version", "quarantine", "chunk"):
        assert f"COPY public.{table} (" in remains.dump
    assert [words for words in kept if words not in remains.dump] == []
    aside = remains.dump.partition("COPY public.quarantine (")[2].partition("\n\\.")[0]
    assert [words for words in ("Stadt Beetingen", "Hazelford Council", "Kreis Ampfer") if words not in aside] == []


@pytest.mark.parametrize("person", planted.PEOPLE, ids=lambda person: person.last)
def test_a_person_would_be_found_however_the_text_names_them(person: Person) -> None:
    for text in (german_text(person), english_text(person)):
        found = leaks(text)
        assert f"{person.name}: {person.last.lower()}" in found
        assert f"{person.name}: {person.phone.replace(' ', '').lstrip('+')}" in found
        assert any(person.national.replace(" ", "") in sign for sign in found)


def test_nobody_is_in_the_database(remains: Remains) -> None:
    assert leaks(remains.dump) == []


def test_nobody_is_in_the_log(remains: Remains) -> None:
    assert "471002-2026" in remains.log
    assert leaks(remains.log) == []
