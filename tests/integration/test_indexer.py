"""The indexer on a real database, with its work from the outbox."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import deque
from threading import Event
from uuid import uuid4

import numpy as np
import pytest
from documents import docx, pdf, xlsx, zip_of
from ollama_double import OllamaDouble
from services.indexing import ROOT

from indexer_worker import chunking, consumer, leases
from indexer_worker.extraction import Extractor
from indexer_worker.jobs import DependencyDownError
from indexer_worker.leases import LeaseConsumer
from indexer_worker.worker import Indexer
from tenderscrapy.ai.embedded import embedded_provider
from tenderscrapy.ai.ollama import OllamaProvider
from tenderscrapy.exceptions import ConfigurationError


@pytest.fixture
def double():
    with OllamaDouble() as running:
        yield running


@pytest.fixture
def once(index, monkeypatch):
    """Run an indexer in this process until nothing waits; its tally."""
    monkeypatch.setattr(leases, "RETRY_AFTER", 0.1)

    def run(provider=None, lease=300.0):
        indexer = Indexer(index.url, provider or embedded_provider(), Extractor(index.store))
        queue = LeaseConsumer(index.url, indexer, lease)
        try:
            queue.run(Event(), once=True)
        finally:
            queue.close()
            indexer.close()
        return queue.tally.counts

    return run


@pytest.fixture
def stub(double, monkeypatch):
    monkeypatch.setattr("tenderscrapy.ai.ollama.BUSY_WAITS", ())
    return OllamaProvider(double.url, double.model)


def test_a_tender_becomes_a_card_a_description_and_its_vectors(index, once):
    tender = index.tender(
        "Dachdeckerarbeiten am Rathaus",
        title_lang="de", description="Das Dach wird neu gedeckt.", country="DE", cpv=["45261210", "45000000"],
        deadline_at="2026-07-15T10:00:00Z", deadline_zone="Europe/Berlin", value_amount="125000.50",
        value_currency="EUR", reference="2026/17", status="open",
    )  # fmt: skip
    assert once()["indexed"] == 1
    (card, description) = index.chunks(tender)
    assert card[:2] == ("card", None)
    assert card[2].splitlines() == [
        "Title: Dachdeckerarbeiten am Rathaus",
        "Buyer: Town of Example",
        "Country: Germany / Deutschland (DE)",
        "CPV: 45261210, 45000000",
        "Status: open",
        "Deadline: 2026-07-15 12:00 Europe/Berlin",
        "Value: 125000.50 EUR",
        "Reference: 2026/17",
    ]
    assert description == ("description", None, "Das Dach wird neu gedeckt.")
    assert index.sql("SELECT model, dim, vector_dims(embedding) FROM chunk_embedding") == [("usem3", 512, 512)] * 2
    ((status, same),) = index.sql("SELECT index_status, indexed_hash = content_hash FROM tender")
    assert (status, same) == ("ready", True)
    assert index.sql("SELECT count(*) FROM outbox WHERE published_at IS NULL") == [(0,)]


def test_a_deadline_that_is_a_day_has_no_clock_time(index, once):
    tender = index.tender(deadline_at="2026-07-15T21:59:59Z", deadline_zone="Europe/Berlin", deadline_is_date=True)
    once()
    assert "Deadline: 2026-07-15\n" in index.chunks(tender)[0][2] + "\n"


def test_files_are_searched_with_their_pages(index, once):
    tender = index.tender()
    file_id = index.file(tender, "terms.pdf", pdf("Bidders state their turnover.", "The contract runs for four years."))
    index.file(tender, "list.docx", docx("Bill of quantities"))
    index.file(tender, "prices.xlsx", xlsx([["Cable", 120]]))
    index.file(tender, "more.zip", zip_of([("a/plan.txt", b"Plan of the site")]))
    assert once()["indexed"] == 1
    found = [(section, page, text.split()[0]) for section, page, text in index.chunks(tender)[1:]]
    assert found == [
        ("terms.pdf", 1, "Bidders"),
        ("terms.pdf", 2, "The"),
        ("list.docx", None, "Bill"),
        ("prices.xlsx", None, "Sheet"),
        ("more.zip › a/plan.txt", None, "Plan"),
    ]
    assert index.sql("SELECT count(*) FROM chunk WHERE attachment_id = %s", file_id) == [(2,)]
    assert index.sql("SELECT count(*) FROM attachment WHERE extraction_error IS NOT NULL") == [(0,)]


def test_a_file_that_cannot_be_read_is_named_and_the_tender_is_found_all_the_same(index, once):
    tender = index.tender()
    index.file(tender, "login.pdf", b"<!DOCTYPE html><html><body>login</body></html>")
    index.file(tender, "good.txt", b"good words")
    assert once() == {"indexed": 1, "unchanged": 0, "retried": 0, "dead": 0}
    assert index.status(tender) == "ready"
    assert index.sql("SELECT filename, extraction_error FROM attachment ORDER BY id") == [
        ("login.pdf", "an HTML page in place of the PDF file"),
        ("good.txt", None),
    ]


def test_a_chunk_knows_its_own_language(index, once):
    tender = index.tender(title_lang="en")
    index.file(
        tender,
        "a.txt",
        ("Die Vergabestelle beabsichtigt, die Arbeiten im offenen Verfahren zu vergeben. " * 3).encode(),
    )
    once()
    assert index.sql("SELECT section, lang FROM chunk WHERE tender_id = %s ORDER BY ordinal", tender) == [
        ("card", "en"),
        ("a.txt", "de"),
    ]


def test_words_are_found_stemmed_in_their_language_and_as_written(index, once):
    tender = index.tender("Müllabfuhr", title_lang="de", description="Die Arbeiten an den Straßen nach DIN 18338")
    once()

    def finds(query, langs="{de}"):
        statement = "SELECT count(*) FROM chunk WHERE section = 'description' AND words @@ query_words(%s, %s)"
        return index.sql(statement, langs, query) == [(1,)]

    assert finds("arbeit")
    assert finds("Strassen", "{}")
    assert finds("straßen", "{en}")
    assert finds('"DIN 18338"')
    assert finds("Muellabfuhr")
    assert not finds("Kanal")
    assert index.sql("SELECT count(*) FROM chunk WHERE words @@ query_words('{en}', 'country')") == [(0,)]
    assert index.status(tender) == "ready"


def test_an_unchanged_tender_is_not_embedded_again(index, once, stub, double):
    tender = index.tender()
    once(stub)
    asked = len(double.requests)
    index.event(tender)
    index.event(tender)
    assert once(stub)["unchanged"] == 2
    assert len(double.requests) == asked


def test_several_tenders_share_a_request(index, once, stub, double):
    for number in range(20):
        index.tender(f"Tender {number}")
    once(stub)
    assert len([request for request in double.requests if len(request["input"]) > 1]) == 1


def test_two_events_of_one_tender_are_one_piece_of_work(index, once, stub, double):
    tender = index.tender()
    index.event(tender)
    once(stub)
    assert sum("Roof works" in text for text in double.texts) == 1


def test_a_changed_tender_replaces_all_that_was_there(index, once):
    tender = index.tender(description="The old text.")
    index.file(tender, "old.txt", b"old file")
    once()
    index.sql("UPDATE attachment SET status = 'skipped'")
    index.change(tender, description="The new text.")
    assert once()["indexed"] == 1
    assert [text for _, _, text in index.chunks(tender)[1:]] == ["The new text."]
    assert index.sql("SELECT count(*) FROM chunk_embedding") == [(2,)]


def test_a_tender_that_changes_while_it_is_embedded_never_shows_its_old_text(index, once, stub, double):
    tender = index.tender(description="The old text.")
    stub.embed_query("warm up")
    seen = []

    def change(_texts):
        index.change(tender, description="The new text.")
        seen.append(index.chunks(tender))

    double.faults = deque([change])
    once(stub)
    assert seen == [[]]
    assert [text for _, _, text in index.chunks(tender)[1:]] == ["The new text."]
    assert index.status(tender) == "ready"


def test_a_content_that_comes_back_is_ready_without_work(index, once, stub, double):
    tender = index.tender()
    once(stub)
    asked = len(double.requests)
    index.sql("UPDATE tender SET index_status = 'pending'")
    index.event(tender)
    once(stub)
    assert index.status(tender) == "ready"
    assert len(double.requests) == asked


def test_tenders_without_an_event_are_found(index, once):
    tender = index.tender(event=False)
    stuck = index.tender(event=False, index_status="processing", processing_since="2026-01-01T00:00:00Z")
    assert once()["indexed"] == 2
    assert (index.status(tender), index.status(stuck)) == ("ready", "ready")


def test_a_tender_that_is_gone_is_done(index, once):
    index.event(str(uuid4()))
    assert once() == {"indexed": 0, "unchanged": 1, "retried": 0, "dead": 0}


def test_events_against_the_contract_are_dead_letters_and_the_good_one_is_done(index, once):
    for payload in ("{}", '"text"', '{"tender_id": 5}', json.dumps({"x": "y" * 100_000})):
        index.sql("INSERT INTO outbox (topic, key, payload) VALUES ('tender.changed.v1', 'bad', %s)", payload)
    tender = index.tender()
    assert once() == {"indexed": 1, "unchanged": 0, "retried": 0, "dead": 4}
    assert index.status(tender) == "ready"
    assert index.sql("SELECT count(*) FROM outbox WHERE published_at IS NOT NULL AND error <> ''") == [(4,)]


def test_characters_that_the_database_refuses_are_left_out(index, once):
    tender = index.tender("Roof\u200b works\ufeff")
    index.file(tender, "a.txt", "Stra\0ße".encode() + b" \xed\xa0\x80 end")
    assert once()["indexed"] == 1
    chunks = index.chunks(tender)
    assert "Title: Roof works\n" in chunks[0][2]
    assert "\0" not in chunks[1][2]
    assert chunks[1][2].endswith("end")


def test_a_service_that_stumbles_once_is_asked_again(index, once, double):
    tender = index.tender()
    double.faults = deque([503])
    provider = OllamaProvider(double.url, double.model)
    assert once(provider)["indexed"] == 1
    assert index.status(tender) == "ready"


def test_a_service_that_is_down_ends_a_single_run_and_burns_no_try(index, once, monkeypatch):
    tender = index.tender()
    with pytest.raises(DependencyDownError):
        once(OllamaProvider("http://127.0.0.1:1", "test-embed"))
    assert index.status(tender) == "pending"
    assert index.sql("SELECT attempts, published_at, error FROM outbox") == [(0, None, None)]


def test_an_error_that_may_pass_is_tried_five_times_in_all(index, once, stub, double):
    index.tender("Trouble")
    stub.embed_query("warm up")
    tried = []

    class Flaky:
        model, dim = stub.model, stub.dim

        def embed_query(self, text):
            return stub.embed_query(text)

        def embed_documents(self, texts):
            tried.append(texts)
            double.faults = deque([500])
            return stub.embed_documents(texts)

    assert once(Flaky())["dead"] == 1
    assert len(tried) == consumer.DELIVERIES
    ((attempts, reason),) = index.sql("SELECT attempts, error FROM outbox WHERE published_at IS NOT NULL")
    assert (attempts, "500" in reason) == (5, True)
    assert index.sql("SELECT index_status FROM tender") == [("pending",)]


def test_a_dead_letter_stays_dead_until_it_is_replayed(index, once, stub, double):
    tender = index.tender()
    index.sql("UPDATE outbox SET published_at = now(), error = 'tried in vain'")
    assert once(stub) == {"indexed": 0, "unchanged": 0, "retried": 0, "dead": 0}
    assert "1 dead letters replayed" in index.run("replay").stdout
    assert once(stub)["indexed"] == 1
    assert index.status(tender) == "ready"


def test_one_bad_tender_fails_alone(index, once, stub, double):
    good, bad = index.tender("Good"), index.tender("Bad")
    stub.embed_query("warm up")

    class Picky:
        model, dim = stub.model, stub.dim

        def embed_query(self, text):
            return stub.embed_query(text)

        def embed_documents(self, texts):
            if any("Bad" in text for text in texts):
                double.faults = deque(["nan"])
            return stub.embed_documents(texts)

    assert once(Picky()) == {"indexed": 1, "unchanged": 0, "retried": 0, "dead": 1}
    assert (index.status(good), index.status(bad)) == ("ready", "failed")
    ((error,),) = index.sql("SELECT index_error FROM tender WHERE index_error IS NOT NULL")
    assert "finite" in error


def item_list():
    numbers = " ".join(f"{n:08d}-{n % 10}" for n in range(150))
    return f"{numbers} {'Donaudampfschifffahrtsgesellschaft' * 3} {'.' * 1200} {numbers}"


@pytest.mark.parametrize("cuts_silently", [False, True])
def test_a_text_longer_than_the_model_takes_is_covered_whole(index, once, stub, double, cuts_silently):
    double.max_tokens, double.cuts_silently = 512, cuts_silently
    tender = index.tender(description=item_list())
    assert once(stub)["indexed"] == 1
    covered = "".join("".join(double.covered).split())
    assert all(word in covered for word in item_list().split() if not word.startswith("."))
    assert covered.count(".") >= 1200
    assert index.status(tender) == "ready"


def test_chunks_a_small_model_refuses_are_split_until_it_takes_them(index, once, stub, double):
    double.max_tokens = 60
    tender = index.tender(description=item_list())
    assert once(stub)["indexed"] == 1
    words = {word for _, _, text in index.chunks(tender) for word in text.split()}
    assert {word for word in item_list().split() if len(word) < 20} <= words
    assert index.sql(
        "SELECT count(*) FROM chunk c LEFT JOIN chunk_embedding e ON e.chunk_id = c.id WHERE e IS NULL"
    ) == [(0,)]


def test_another_model_is_refused_until_it_was_built(index, once, stub):
    index.tender()
    once()
    index.tender()
    with pytest.raises(ConfigurationError, match="reindex --model test-embed"):
        once(stub)
    assert index.sql("SELECT DISTINCT model FROM chunk_embedding") == [("usem3",)]


def test_reindex_builds_beside_and_then_switches(index, once, double, monkeypatch):
    index.tender(description="A text.")
    once()
    run = index.run("reindex", "--model", "test-embed", OLLAMA_HOST=double.url)
    assert run.returncode == 0, run.stderr
    assert index.sql("SELECT model, active FROM embedding_model ORDER BY model") == [
        ("test-embed", True),
        ("usem3", False),
    ]
    assert index.sql("SELECT model, dim, count(*) FROM chunk_embedding GROUP BY 1, 2 ORDER BY 1") == [
        ("test-embed", 64, 2),
        ("usem3", 512, 2),
    ]
    indexes = index.sql("SELECT indexdef FROM pg_indexes WHERE indexname LIKE 'chunk_embedding_%%' ORDER BY 1")
    assert [("halfvec(64)" in text, "halfvec(512)" in text) for (text,) in indexes if "hnsw" in text] == [
        (True, False),
        (False, True),
    ]


def test_calibrate_measures_the_threshold_of_the_active_model(index, once):
    works = ("Roof works", "School cleaning", "Road repair", "Fire engines", "Software licences", "Waste collection")
    for number in range(102):
        work, place = works[number % 6], f"lot {number}"
        index.tender(f"{work}, {place}", description=f"{work} for the town, in {place}, with all materials and staff.")
    small = index.run("calibrate")
    assert small.returncode == 1
    assert "Only 0 indexed tenders" in small.stderr
    once()
    run = index.run("calibrate")
    assert run.returncode == 0, run.stderr
    ((score,),) = index.sql("SELECT min_score FROM embedding_model WHERE active")
    assert f"min_score {score:.3f}" in run.stdout
    assert 0.1 < score < 0.5


def test_a_worker_that_is_told_to_stop_hands_its_work_back(index, double):
    tenders = [index.tender(f"Tender {number}") for number in range(10)]
    double.delay = 2
    settings = {"EMBEDDING_PROVIDER": "ollama", "EMBEDDING_MODEL": double.model, "OLLAMA_HOST": double.url}
    worker = index.start(EMBEDDING_BATCH_SIZE="1", **settings)
    end = time.monotonic() + 60
    while not any("Title: Tender" in text for text in double.texts) and time.monotonic() < end:
        time.sleep(0.05)
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(30) == 0
    assert {index.status(tender) for tender in tenders} == {"pending"}
    assert index.sql("SELECT DISTINCT attempts, claimed_until FROM outbox") == [(0, None)]


def test_two_workers_share_the_queue(index, double):
    for number in range(120):
        index.tender(f"Tender number {number}")
    double.delay = 0.1
    settings = {"EMBEDDING_PROVIDER": "ollama", "EMBEDDING_MODEL": double.model, "OLLAMA_HOST": double.url}
    workers = [index.start("--once", **settings) for _ in range(2)]
    assert [worker.wait(120) for worker in workers] == [0, 0]
    cards = [text for text in double.texts if "Title: Tender number" in text]
    assert len(cards) == len(set(cards)) == 120
    assert index.sql("SELECT index_status, count(*) FROM tender GROUP BY 1") == [("ready", 120)]


def test_a_killed_workers_claim_ends_and_another_does_its_work(index, double):
    tender = index.tender()
    settings = {"EMBEDDING_PROVIDER": "ollama", "EMBEDDING_MODEL": double.model, "OLLAMA_HOST": double.url}
    started = Event()
    double.faults = deque([lambda texts: None, lambda texts: (started.set(), time.sleep(5))])
    worker = index.start(ACK_WAIT="2", **settings)
    assert started.wait(60)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    assert index.status(tender) == "processing"
    other = index.start(ACK_WAIT="2", **settings)
    try:
        end = time.monotonic() + 60
        while index.status(tender) != "ready" and time.monotonic() < end:
            time.sleep(0.1)
        assert index.status(tender) == "ready"
    finally:
        other.send_signal(signal.SIGTERM)
        assert other.wait(30) == 0


def test_a_claim_is_renewed_while_the_work_takes_longer_than_it(index, double):
    index.tender()
    double.faults = deque([lambda texts: None, lambda texts: time.sleep(4)])
    settings = {"EMBEDDING_PROVIDER": "ollama", "EMBEDDING_MODEL": double.model, "OLLAMA_HOST": double.url}
    workers = [index.start("--once", ACK_WAIT="1", **settings) for _ in range(2)]
    assert [worker.wait(60) for worker in workers] == [0, 0]
    assert sum("Title: Roof works" in text for text in double.texts) == 1


def test_a_worker_hears_of_new_events_and_ends_on_sigterm(index):
    worker = index.start()
    try:
        for _ in range(2):
            tender = index.tender()
            end = time.monotonic() + 60
            while index.status(tender) != "ready" and time.monotonic() < end:
                time.sleep(0.05)
            assert index.status(tender) == "ready"
    finally:
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(30) == 0


def test_a_run_says_what_it_did(index):
    index.tender()
    run = index.run("--once")
    assert run.returncode == 0, run.stderr
    assert "1 indexed, 0 unchanged, 0 retried, 0 dead" in run.stdout


def test_the_embedded_model_gives_unit_vectors_alone_and_in_batches():
    provider = embedded_provider()
    texts = ["Dachdeckerarbeiten", "", "x" * 5000, "道路", *(f"text {n}" for n in range(40))]
    vectors = provider.embed_documents(texts)
    assert vectors.shape == (44, 512)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)
    assert np.allclose(vectors[0], provider.embed_query("Dachdeckerarbeiten"), atol=1e-5)
    assert provider.embed_documents([]).shape == (0, 512)


def test_chunks_are_bounded_for_any_model():
    section = chunking.Section("x", item_list() * 3)
    assert all(
        sum(map(chunking.estimated_tokens, chunk.text.split())) <= chunking.TOKENS for chunk in chunking.chunks(section)
    )


def test_no_scrapy_is_loaded_with_the_indexer():
    code = (
        "import sys, indexer_worker.__main__, indexer_worker.worker, indexer_worker.leases, indexer_worker.deliveries,"
        "indexer_worker.upkeep, indexer_worker.reindex, indexer_worker.replay, indexer_worker.extraction_child,"
        "tenderscrapy.ai.ollama; sys.exit(bool({'scrapy', 'twisted'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
