"""`scrapy crawl sample`: the whole way of notices and files without any network, and nothing new the second time."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys

from services.crawling import ROOT, environment

ANCHOR = "2026-11-01"
PEOPLE = ("Musterfeld", "Exemplaire", "Gwendolyn", "Korbinian", "gwen.placeholder@", "90009 117", "960187", "@buyer")


def last_run(ask) -> tuple:
    return ask(
        "SELECT state, reason, announced, pages, fetched, new, changed, rejected, attachments_ok, attachments_failed"
        " FROM crawl_run ORDER BY id DESC LIMIT 1"
    )[0]


def everything(ask) -> dict[str, list[tuple]]:
    """All that a run may change, apart from when it was seen."""
    return {
        "tenders": ask("SELECT id, content_hash, title, deadline_at, status, updated_at FROM tender ORDER BY id"),
        "sources": ask("SELECT id, tender_id, notice_id, content_hash, snapshot::text FROM tender_source ORDER BY id"),
        "versions": ask("SELECT tender_source_id, content_hash FROM notice_version ORDER BY 1, 2"),
        "files": ask("SELECT id, status, sha256, path FROM attachment ORDER BY id"),
        "events": ask("SELECT id, key FROM outbox ORDER BY id"),
        "decisions": ask("SELECT id FROM match_decision ORDER BY id"),
    }


def test_the_second_run_adds_and_changes_nothing(crawl, ask):
    first = crawl("sample", anchor=ANCHOR)
    assert first.returncode == 0, first.stderr
    assert last_run(ask)[:5] == ("complete", "", 158, 8, 158)
    before = everything(ask)
    assert len(before["sources"]) == 152
    assert len(before["versions"]) == 157

    second = crawl("sample", anchor=ANCHOR)
    assert second.returncode == 0, second.stderr
    assert last_run(ask) == ("complete", "", 158, 8, 158, 0, 0, 1, 0, 0)
    assert everything(ask) == before


def test_one_tender_on_two_portals_is_one_row_with_two_sources(crawl, ask):
    crawl("sample", anchor=ANCHOR)

    both = ask(
        "SELECT t.title, array_agg(s.source_code ORDER BY s.source_code) FROM tender t"
        " JOIN tender_source s ON s.tender_id = t.id GROUP BY t.id HAVING count(DISTINCT s.source_code) = 2"
    )
    strong = [title for title, codes in both if codes == ["sample:doe", "sample:ted"]]
    assert "Lieferung von Verbrauchsmaterial für die Dialyse" in strong
    assert len(both) >= 8
    assert ask("SELECT DISTINCT source_code FROM tender_source ORDER BY 1") == [
        ("sample:contracts_finder",),
        ("sample:doe",),
        ("sample:ted",),
    ]
    assert ask("SELECT code FROM source WHERE code = 'sample'") == []


def test_a_notice_without_title_is_left_out_alone_and_said(crawl, ask):
    run = crawl("sample", anchor=ANCHOR)

    assert ask("SELECT count(*) FROM tender_source WHERE notice_id = '990077-2099'") == [(0,)]
    assert re.search(r"WARNING.*990077-2099.*no title", run.stderr)


def test_corrections_and_cancellations_reach_the_tender(crawl, ask):
    crawl("sample", anchor=ANCHOR)

    def tender(notice_id: str) -> tuple:
        return ask(
            "SELECT t.status, t.deadline_at::text FROM tender t JOIN tender_source s ON s.tender_id = t.id"
            f" WHERE s.notice_id = '{notice_id}'"
        )[0]

    assert tender("990014-2099")[0] == "cancelled"
    assert tender("5a391e00-0004-4000-8000-000000000036")[0] == "cancelled"
    assert tender("5a391e00-0002-4000-8000-000000001024")[0] == "cancelled"
    assert tender("990010-2099")[0] == "awarded"
    assert tender("5a391e00-0002-4000-8000-000000001007") == ("open", "2026-12-21 09:30:00+00")
    assert tender("990064-2099") == ("open", "2026-12-25 08:00:00+00")


def test_files_are_ready_whole_and_one_content_lies_once(crawl, ask, tmp_path):
    crawl("sample", anchor=ANCHOR)

    files = ask("SELECT source_url, status, path, sha256, size, error_message FROM attachment")
    assert {file[1] for file in files} == {"ready"}, [file for file in files if file[1] != "ready"]
    assert len({url for url, *_ in files}) == 17
    for _, _, path, sha256, size, _ in files:
        content = (tmp_path / "files" / path).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (size, sha256)
    terms = {path for url, _, path, *_ in files if url == "sample://files/general-terms.txt"}
    assert len(terms) == 1


def test_files_that_wait_are_fetched_without_a_crawl_too(crawl, ask, tmp_path):
    crawl("sample", anchor=ANCHOR)
    before = everything(ask)["files"]
    ask("UPDATE attachment SET status = 'pending', path = NULL, sha256 = NULL, size = NULL RETURNING id")

    fast = ["-s", "DOWNLOAD_DELAY=0.01", "-s", "AUTOTHROTTLE_ENABLED=0"]
    line = [sys.executable, "-m", "scrapy", "attachments", "--source", "sample", *fast]
    run = subprocess.run(
        line, cwd=ROOT, env=environment(tmp_path / "files"), capture_output=True, text=True, check=False, timeout=120
    )

    assert (run.returncode, run.stdout.strip()) == (0, f"{len(before)} ready"), run.stderr
    assert everything(ask)["files"] == before


def test_no_person_reaches_the_database_or_the_log(crawl, ask):
    run = crawl("sample", anchor=ANCHOR, LOG_LEVEL="DEBUG")

    kept = json.dumps([ask(f"SELECT {table}::text FROM {table}") for table in ("tender", "tender_source",
        "notice_version", "attachment", "outbox", "quarantine")], ensure_ascii=False)  # fmt: skip
    assert "Birkenrode" in kept
    assert [word for word in PEOPLE if word in kept or word in run.stderr] == []


def test_a_bad_anchor_is_named(crawl):
    run = crawl("sample", anchor="tomorrow")
    assert run.returncode != 0
    assert "anchor='tomorrow'" in run.stderr
