"""The indexer and what goes wrong: bad events, bad texts, services that are away."""

from __future__ import annotations

import json
from collections import deque

import pytest

from indexer_worker import chunking, consumer
from indexer_worker.jobs import DependencyDownError
from tenderscrapy.ai.ollama import OllamaProvider


def test_events_against_the_contract_are_dead_letters_and_the_good_one_is_done(index, index_once):
    for payload in ("{}", '"text"', '{"tender_id": 5}', json.dumps({"x": "y" * 100_000})):
        index.sql("INSERT INTO outbox (topic, key, payload) VALUES ('tender.changed.v1', 'bad', %s)", payload)
    tender = index.tender()
    assert index_once() == {"indexed": 1, "unchanged": 0, "retried": 0, "dead": 4}
    assert index.status(tender) == "ready"
    assert index.sql("SELECT count(*) FROM outbox WHERE published_at IS NOT NULL AND error <> ''") == [(4,)]


def test_characters_that_the_database_refuses_are_left_out(index, index_once):
    tender = index.tender("Roof\u200b works\ufeff")
    index.file(tender, "a.txt", "Stra\0ße".encode() + b" \xed\xa0\x80 end")
    assert index_once()["indexed"] == 1
    chunks = index.chunks(tender)
    assert "Title: Roof works\n" in chunks[0][2]
    assert "\0" not in chunks[1][2]
    assert chunks[1][2].endswith("end")


def test_a_service_that_stumbles_once_is_asked_again(index, index_once, ollama_server):
    tender = index.tender()
    ollama_server.faults = deque([503])
    provider = OllamaProvider(ollama_server.url, ollama_server.model)
    assert index_once(provider)["indexed"] == 1
    assert index.status(tender) == "ready"


def test_a_service_that_is_down_ends_a_single_run_and_burns_no_try(index, index_once, monkeypatch):
    tender = index.tender()
    with pytest.raises(DependencyDownError):
        index_once(OllamaProvider("http://127.0.0.1:1", "test-embed"))
    assert index.status(tender) == "pending"
    assert index.sql("SELECT attempts, published_at, error FROM outbox") == [(0, None, None)]


def test_an_error_that_may_pass_is_tried_five_times_in_all(index, index_once, ollama_provider, ollama_server):
    index.tender("Trouble")
    ollama_provider.embed_query("warm up")
    tried = []

    class Flaky:
        model, dim = ollama_provider.model, ollama_provider.dim

        def embed_query(self, text):
            return ollama_provider.embed_query(text)

        def embed_documents(self, texts):
            tried.append(texts)
            ollama_server.faults = deque([500])
            return ollama_provider.embed_documents(texts)

    assert index_once(Flaky())["dead"] == 1
    assert len(tried) == consumer.DELIVERIES
    ((attempts, reason),) = index.sql("SELECT attempts, error FROM outbox WHERE published_at IS NOT NULL")
    assert (attempts, "500" in reason) == (5, True)
    assert index.sql("SELECT index_status FROM tender") == [("pending",)]


def test_a_dead_letter_stays_dead_until_it_is_replayed(index, index_once, ollama_provider, ollama_server):
    tender = index.tender()
    index.sql("UPDATE outbox SET published_at = now(), error = 'tried in vain'")
    assert index_once(ollama_provider) == {"indexed": 0, "unchanged": 0, "retried": 0, "dead": 0}
    assert "1 dead letters replayed" in index.run("replay").stdout
    assert index_once(ollama_provider)["indexed"] == 1
    assert index.status(tender) == "ready"


def test_one_bad_tender_fails_alone(index, index_once, ollama_provider, ollama_server):
    good, bad = index.tender("Good"), index.tender("Bad")
    ollama_provider.embed_query("warm up")

    class Picky:
        model, dim = ollama_provider.model, ollama_provider.dim

        def embed_query(self, text):
            return ollama_provider.embed_query(text)

        def embed_documents(self, texts):
            if any("Bad" in text for text in texts):
                ollama_server.faults = deque(["nan"])
            return ollama_provider.embed_documents(texts)

    assert index_once(Picky()) == {"indexed": 1, "unchanged": 0, "retried": 0, "dead": 1}
    assert (index.status(good), index.status(bad)) == ("ready", "failed")
    ((error,),) = index.sql("SELECT index_error FROM tender WHERE index_error IS NOT NULL")
    assert "finite" in error


def item_list():
    numbers = " ".join(f"{n:08d}-{n % 10}" for n in range(150))
    return f"{numbers} {'Donaudampfschifffahrtsgesellschaft' * 3} {'.' * 1200} {numbers}"


@pytest.mark.parametrize("cuts_silently", [False, True])
def test_a_text_longer_than_the_model_takes_is_covered_whole(
    index, index_once, ollama_provider, ollama_server, cuts_silently
):
    ollama_server.max_tokens, ollama_server.cuts_silently = 512, cuts_silently
    tender = index.tender(description=item_list())
    assert index_once(ollama_provider)["indexed"] == 1
    covered = "".join("".join(ollama_server.covered).split())
    assert all(word in covered for word in item_list().split() if not word.startswith("."))
    assert covered.count(".") >= 1200
    assert index.status(tender) == "ready"


def test_chunks_a_small_model_refuses_are_split_until_it_takes_them(index, index_once, ollama_provider, ollama_server):
    ollama_server.max_tokens = 60
    tender = index.tender(description=item_list())
    assert index_once(ollama_provider)["indexed"] == 1
    words = {word for _, _, text in index.chunks(tender) for word in text.split()}
    assert {word for word in item_list().split() if len(word) < 20} <= words
    assert index.sql(
        "SELECT count(*) FROM chunk c LEFT JOIN chunk_embedding e ON e.chunk_id = c.id WHERE e IS NULL"
    ) == [(0,)]


def test_chunks_are_bounded_for_any_model():
    section = chunking.Section("x", item_list() * 3)
    assert all(
        sum(map(chunking.estimated_tokens, chunk.text.split())) <= chunking.TOKENS for chunk in chunking.chunks(section)
    )
