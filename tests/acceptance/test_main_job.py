"""The main job: crawl, index, search, and again when a notice changes; the same with a broker and without one."""

from __future__ import annotations

import copy
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pika
import pytest
from documents import pdf

from acceptance.whole_way import WholeWay, whole_way
from services.rabbitmq import without_queues
from tenderscrapy.messaging import broker

if TYPE_CHECKING:
    from collections.abc import Iterator

SINCE = (datetime.now(UTC) - timedelta(days=40)).date().isoformat()
COUNT = 16
QUERIES = (
    *("Stromlieferung", "Réfection de la toiture", "supply of portable computers", "Löschgruppenfahrzeug Hallenbad"),
    *("90910000", "100003-2026", "Maintenance of green areas at a fire station", "Επισκευή στέγης"),
)
#: Words of one page of one file, and of one later edition; no invented notice has them.
PAGES = ("Contents of the specification", "The soakaway is built of perforated concrete rings.", "Bill of quantities")
SPECIFICATION = pdf(*PAGES)
ADDED = "The contractor also maintains the tidal flood barrier and its sluice gates."
GONE = "may visit the site"


@dataclass
class Job:
    """The programs' way on one database, the call whose file has PAGES, and what the first searches found."""

    way: WholeWay
    call: dict[str, Any]
    first: dict[str, list[tuple[Any, ...]]]


def _way_of(server: str, template: str, amqp_url: str) -> Iterator[Job]:
    with whole_way(server, template, amqp_url, ted_notices=COUNT, contracts_finder_releases=COUNT) as way:
        call = _open_call(way)
        way.simulator.files.add(_attachment_path(call), SPECIFICATION)
        for spider in ("ted", "contracts_finder"):
            assert way.crawled(spider, since=SINCE)["fetched"] == COUNT
        way.index_once()
        yield Job(way, call, {query: results(way, query) for query in QUERIES})


@pytest.fixture(scope="module")
def by_lease(database_server: str, database_template: str) -> Iterator[Job]:
    """Without a broker: the indexer claims the events in the database."""
    yield from _way_of(database_server, database_template, "")


@pytest.fixture(scope="module")
def by_broker(database_server: str, database_template: str, rabbitmq: str) -> Iterator[Job]:
    """With RabbitMQ: the crawl publishes the events, the indexer consumes them."""
    without_queues(rabbitmq)
    yield from _way_of(database_server, database_template, rabbitmq)
    without_queues(rabbitmq)


@pytest.fixture(params=["by_lease", pytest.param("by_broker", marks=pytest.mark.rabbitmq)])
def job(request: pytest.FixtureRequest) -> Job:
    """The main job, one way and the other."""
    return request.getfixturevalue(request.param)  # type: ignore[no-any-return]


def _open_call(way: WholeWay) -> dict[str, Any]:
    """The newest release that is an open call and is not an edition of another."""
    releases = way.simulator.contracts_finder.releases
    guids = [release["id"][:36] for release in releases]
    calls = [release for release in releases if release["tag"] == ["tender"]]
    return next(release for release in calls if guids.count(release["id"][:36]) == 1)


def _attachment_path(release: dict[str, Any]) -> str:
    """Where the simulator serves the specification of an open call."""
    [url] = [d["url"] for d in release["tender"]["documents"] if "/Notice/Attachment/" in d["url"]]
    return str(url.partition(".gov.uk")[2])


def results(way: WholeWay, query: str) -> list[tuple[Any, ...]]:
    """What a search finds, by the sources' own numbers: ids differ from database to database."""
    items = way.search(query, 50)["items"]
    found = [(-item["score"], item["tender"]["title"], sources(item["tender"])) for item in items]
    return sorted(found)


def sources(tender: dict[str, Any]) -> list[tuple[str, str]]:
    return sorted((source["source_code"], source["notice_id"]) for source in tender["sources"])


@pytest.mark.rabbitmq
def test_with_a_broker_and_without_one_the_same_is_found(by_lease: Job, by_broker: Job) -> None:
    assert by_broker.first == by_lease.first
    assert all(by_lease.first[query] for query in QUERIES)


def test_every_tender_is_indexed_and_no_event_is_left(job: Job) -> None:
    states = job.way.select("SELECT index_status, count(*) AS n FROM tender GROUP BY 1")
    tenders = job.way.value("SELECT count(DISTINCT tender_id) FROM tender_source")
    assert states == [{"index_status": "ready", "n": tenders}]
    assert job.way.value("SELECT count(*) FROM tender WHERE indexed_hash IS DISTINCT FROM content_hash") == 0
    assert job.way.value("SELECT count(*) FROM outbox WHERE published_at IS NULL OR error IS NOT NULL") == 0


@pytest.mark.rabbitmq
def test_the_broker_holds_no_message_after_the_index_run(by_broker: Job, rabbitmq: str) -> None:
    assert by_broker.way.value("SELECT count(*) FROM outbox WHERE published_at IS NOT NULL") > 0
    with closing(pika.BlockingConnection(pika.URLParameters(rabbitmq))) as connection:
        channel = connection.channel()
        left = {q: channel.queue_declare(q, passive=True).method.message_count for q in broker.QUEUES}
    assert left == {broker.QUEUE: 0, broker.RETRY_QUEUE: 0, broker.DEAD_QUEUE: 0}


def test_the_text_of_a_file_is_found_with_its_page(job: Job) -> None:
    [item, *_] = job.way.search("soakaway perforated concrete rings")["items"]
    assert sources(item["tender"]) == [("contracts_finder", job.call["id"][:36])]
    [passage] = item["passages"]
    assert (passage["page"], "soakaway" in passage["text"]) == (2, True)
    assert passage["filename"].endswith(".pdf")
    with job.way.client.get(f"/files/{passage['attachment_id']}") as download:
        assert download.data == SPECIFICATION
    page = job.way.page("/", query_string={"q": "soakaway perforated concrete rings"})
    assert f"/tenders/{item['tender']['id']}" in page
    assert "<mark>soakaway</mark>" in page


def test_a_new_edition_is_one_event_one_index_run_and_the_new_text(job: Job) -> None:
    way = job.way
    tender_id = way.tender_of("contracts_finder", job.call["id"][:36])
    before = way.events()
    publish_edition(way, job.call)

    run = way.crawled("contracts_finder")
    assert (run["new"], run["changed"]) == (0, 1)
    written = way.select("SELECT key, payload FROM outbox ORDER BY id OFFSET %s", before)
    assert [row["key"] for row in written] == [tender_id]
    content_hash = way.value("SELECT content_hash FROM tender WHERE id = %s", tender_id)
    assert written[0]["payload"]["content_hash"] == content_hash
    assert " 1 indexed, 0 unchanged" in way.index_once()

    [item, *_] = way.search("tidal flood barrier and sluice gates")["items"]
    assert item["tender"]["id"] == tender_id
    assert "tidal flood barrier" in item["passages"][0]["text"]
    texts = " ".join(row["text"] for row in way.select("SELECT text FROM chunk WHERE tender_id = %s", tender_id))
    assert (ADDED in texts, GONE in texts) == (True, False)
    shown = way.get(f"tenders/{tender_id}").json
    assert [change["first"] for change in shown["versions"]].count(False) == 1
    assert way.search("soakaway perforated concrete rings")["items"][0]["tender"]["id"] == tender_id

    assert (way.crawled("contracts_finder")["changed"], way.events()) == (0, before + 1)


def publish_edition(way: WholeWay, call: dict[str, Any]) -> None:
    """Amend ``call`` now: another description, all else as it was."""
    assert GONE in call["tender"]["description"]
    edition = copy.deepcopy(call) | {
        "id": f"{call['id'][:36]}-999001",
        "tag": ["tenderAmendment"],
        "date": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
    }
    edition["tender"]["description"] = ADDED
    way.simulator.contracts_finder.publish([*way.simulator.contracts_finder.releases, edition])
