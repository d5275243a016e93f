"""`scrapy crawl netserver -a portal=ID` against portals that look and misbehave like the real ones."""

from __future__ import annotations

import pytest

NO_FILES = {"ATTACHMENTS_BUDGET": "0.01"}


def last_run(ask) -> tuple:
    return ask("SELECT state, reason, pages, fetched, new, unchanged FROM crawl_run ORDER BY id DESC LIMIT 1")[0]


@pytest.fixture
def town(simulator, portal_file):
    """A portal with seven tenders, three a page."""
    portal = simulator.netserver("town", 7)
    portal.caps = 10
    portal_file(portal.describe(page_size=10))
    return portal


def test_a_list_its_notices_and_their_documents_are_walked(simulator, town, crawl, ask):
    town.caps = 3
    run = crawl("netserver", portal="town", **NO_FILES)

    assert run.returncode == 0, run.stderr
    assert last_run(ask)[:5] == ("complete", "", 3, 7, 7)
    stored = ask(
        "SELECT notice_id, s.snapshot, t.title, t.deadline_at FROM tender_source s JOIN tender t ON t.id = tender_id"
    )
    assert {row[0] for row in stored} == {tender.oid for tender in town.tenders}
    assert {row[2] for row in stored} == {tender.title for tender in town.tenders}
    for _, snapshot, *_ in stored:
        assert "jsessionid" not in str(snapshot)
        assert "csrt" not in str(snapshot)
        assert [file["filename"] for file in snapshot["attachments"]] == ["Leistungsverzeichnis.pdf", "Angebot.pdf"]
        assert "Erika" not in str(snapshot)
    keys = ask("SELECT value FROM tender_key WHERE kind = 'netserver_oid'")
    assert {row[0] for row in keys} == {f"127.0.0.1|{tender.procedure_oid.lower()}" for tender in town.tenders}
