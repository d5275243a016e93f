"""Files on their way from a portal to the store."""

from __future__ import annotations

import gzip
import hashlib
import os
import time
import zlib
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import pytest

from portal_simulator import documents
from tenderscrapy.items import Attachment

if TYPE_CHECKING:
    from portal_simulator import PortalSimulator
    from services.files import Files


def outcomes(files: Files) -> dict[str, tuple[str, str | None]]:
    """Status and error of each file by its name in the address."""
    names = (row["source_url"].partition("/files/")[2].partition("?")[0] for row in files.rows())
    return dict(zip(names, ((row["status"], row["error_message"]) for row in files.rows()), strict=True))


def test_a_pending_file_becomes_ready(files: Files, simulator: PortalSimulator) -> None:
    files.offer(simulator.files.file_url("Leistung.pdf", size=70_000))

    run = files.fetch()

    assert run.returncode == 0, run.stderr
    assert run.stdout == "1 ready\n"
    row = files.row()
    body = (files.store / row["path"]).read_bytes()
    assert (row["status"], row["size"], row["media_type"]) == ("ready", 70_000, "application/pdf")
    assert (row["filename"], row["error_message"], row["claimed_until"]) == ("Leistung.pdf", None, None)
    assert row["sha256"] == hashlib.sha256(body).hexdigest()
    assert row["path"] == f"{row['sha256'][:2]}/{row['sha256'][2:]}.pdf"
    assert sorted(path.name for path in files.store.rglob("*") if path.is_file()) == [row["sha256"][2:] + ".pdf"]


def test_what_cannot_become_a_file_fails_with_a_short_reason(files: Files, simulator: PortalSimulator) -> None:
    at = simulator.files.file_url
    simulator.files.add("/files/notzip", b"\0\1\2" * 100, "application/zip")
    files.offer(
        at("login.pdf", html=1),
        at("login", html=1),
        at("gone.pdf", status=404),
        at("forbidden.pdf", status=403),
        at("empty.pdf", type="application/x-nothing", size=0),
        at("notzip"),
        at("loop.pdf", loop=1),
        at("large.pdf", size=3_000_000),
        at("larger.pdf", size=3_000_000, chunked=1),
        at("inside.pdf", to="http://127.0.0.1:9/x.pdf"),
        at("denied.pdf", to="https://plattform.aumass.de/x.pdf"),
        "http://10.0.0.1/files/private.pdf",
        "ftp://files.example.org/files/ftp.pdf",
        "/files/relative.pdf",
    )

    run = files.fetch(ATTACHMENT_MAX_BYTES=2_000_000)

    assert run.returncode == 0, run.stderr
    reasons = outcomes(files)
    assert {status for status, _ in reasons.values()} == {"failed"}
    assert {name: error for name, (_, error) in reasons.items()} == {
        "login.pdf": "is an HTML page, not a PDF",
        "login": "is an HTML page, not a document",
        "gone.pdf": "the server answers 404",
        "forbidden.pdf": "the server answers 403",
        "empty.pdf": "the file is empty",
        "notzip": "is not a ZIP archive",
        "loop.pdf": f"{simulator.url}/files/loop.pdf: more than 5 redirects",
        "large.pdf": "larger than 2 MB",
        "larger.pdf": "larger than 2 MB",
        "inside.pdf": "not fetched: 127.0.0.1: port 9 is not open (80 and 443 are)",
        "denied.pdf": "not fetched: the operator of this portal prohibits automated access",
        "private.pdf": "not fetched: 10.0.0.1 is not a public address",
        "ftp.pdf": "not fetched: 'ftp' is not http or https",
        "relative.pdf": "the address cannot be read",
    }
    assert [path for path in files.store.rglob("*") if path.is_file()] == []


def test_an_error_that_passes_costs_an_attempt_and_nothing_else(files: Files, simulator: PortalSimulator) -> None:
    at = simulator.files.file_url
    simulator.fault("/files/reset.pdf", times=1, kind="reset", after_bytes=500)
    simulator.fault("/files/short.pdf", times=1, kind="half_close")
    files.offer(at("flaky.pdf", fail=1, size=5000), at("reset.pdf", size=5000), at("short.pdf", size=5000))

    run = files.fetch()

    assert run.returncode == 0, run.stderr
    assert [(row["status"], row["size"]) for row in files.rows()] == [("ready", 5000)] * 3
    assert [row["attempts"] for row in files.rows()] == [2, 2, 2]


def test_a_body_shorter_than_announced_is_never_ready(files: Files, simulator: PortalSimulator) -> None:
    at = simulator.files.file_url
    files.offer(
        at("length.pdf", size=5000, declared=6000),
        at("chunks.pdf", size=50_000, chunked=1, cut=20_000),
        at("cut.pdf", size=50_000, cut=20_000),
    )

    run = files.fetch("--once")

    assert run.returncode == 0, run.stderr
    assert set(outcomes(files).values()) == {("pending", "ResponseDataLossError: the answer ended early")}
    assert [path for path in files.store.rglob("*") if path.is_file()] == []


def test_attempts_are_bounded(files: Files, simulator: PortalSimulator) -> None:
    files.offer(simulator.files.file_url("broken.pdf", status=500))
    files.select("UPDATE attachment SET attempts = 6")

    files.fetch("--once")

    row = files.row()
    assert (row["status"], row["attempts"], row["error_message"]) == ("failed", 7, "the server answers 500")


def test_a_host_that_asks_for_a_long_rest_is_not_asked_again(files: Files, simulator: PortalSimulator) -> None:
    simulator.fault("/files/*", times=None, kind="status", status=429, wait=7200)
    files.offer(*(simulator.files.file_url(f"{n}.pdf") for n in range(6)))

    run = files.fetch(ATTACHMENTS_PER_HOST=1)

    assert run.returncode == 0, run.stderr
    assert len(simulator.requests_to("/files/")) == 1
    (asked,) = (row for row in files.rows() if row["error_message"])
    assert (asked["status"], asked["error_message"]) == ("pending", "the server answers 429")
    (left,) = files.select("SELECT extract(epoch FROM max(next_attempt_at) - now())::int AS seconds FROM attachment")
    assert 7000 < left["seconds"] <= 7200


def test_a_short_retry_after_is_waited_for(files: Files, simulator: PortalSimulator) -> None:
    simulator.fault("/files/a.pdf", times=1, kind="status", status=503, wait=3)
    files.offer(simulator.files.file_url("a.pdf"))

    files.fetch()

    first, second = simulator.requests_to("/files/a.pdf")
    assert files.row()["status"] == "ready"
    assert second.at - first.at >= 3


def test_403_is_a_rate_limit_at_contracts_finder_for_its_first_attempts(
    files: Files, simulator: PortalSimulator
) -> None:
    at = simulator.files.file_url
    files.offer(at("first.pdf", status=403), at("third.pdf", status=403), source_code="contracts_finder")
    files.select("UPDATE attachment SET attempts = 2 WHERE source_url LIKE '%%third%%'")

    files.fetch("--once", COOLDOWN_403=1)

    assert outcomes(files) == {
        "first.pdf": ("pending", "the server answers 403"),
        "third.pdf": ("failed", "the server answers 403"),
    }


def test_robots_txt_forbids_a_file(files: Files, simulator: PortalSimulator) -> None:
    simulator.robots = "User-agent: *\nDisallow: /files/"
    files.offer(simulator.files.file_url("a.pdf"))

    files.fetch(ROBOTSTXT_OBEY=1)

    assert outcomes(files)["a.pdf"] == ("failed", "not fetched: robots.txt forbids it")
    assert simulator.requests_to("/files/") == []


def test_names_come_from_the_source_the_header_or_the_address(files: Files, simulator: PortalSimulator) -> None:
    at = simulator.files.file_url
    simulator.files.add("/files/octets", documents.pdf("x"), "application/octet-stream")
    files.offer(
        Attachment(at("1", disposition="attachment"), filename="Vom Portal.pdf"),
        at("Übersicht Preise.pdf", disposition="utf8", n=1),
        at("Übersicht Preise.pdf", disposition="both", n=2),
        at("Übersicht Preise.pdf", disposition="latin1", n=3),
        at("Übersicht.pdf", disposition="path", n=4),
        at("Übersicht.pdf", disposition="windows", n=5),
        at("ohne", to=at("Ziel.pdf", n=6)),
        at("octets"),
        at("a" * 120 + "ü" * 90 + ".pdf", disposition="utf8"),
    )

    files.fetch()

    shown = [row["filename"] for row in files.rows()]
    assert shown[:8] == [
        "Vom Portal.pdf",
        *["Übersicht Preise.pdf"] * 3,
        *["Übersicht.pdf"] * 2,
        "Ziel.pdf",
        "octets.pdf",
    ]
    assert len(shown[8].encode()) <= 255
    assert shown[8].endswith("ü.pdf")
    assert {PurePath(row["path"]).suffix for row in files.rows()} == {".pdf"}


def test_the_same_content_lies_under_one_path(files: Files, simulator: PortalSimulator) -> None:
    body = documents.pdf("the same")
    for name in ("a.pdf", "b.PDF", "c"):
        simulator.files.add(f"/files/{name}", body)
    files.offer(*(f"{simulator.url}/files/{name}" for name in ("a.pdf", "b.PDF", "c")))

    files.fetch()

    assert [row["status"] for row in files.rows()] == ["ready"] * 3
    (path,) = {row["path"] for row in files.rows()}
    assert [str(found.relative_to(files.store)) for found in files.store.rglob("*") if found.is_file()] == [path]


def test_one_address_of_two_tenders_is_ready_for_both(files: Files, simulator: PortalSimulator) -> None:
    url = simulator.files.file_url("shared.pdf")
    files.offer(url, notice_id="1-2026")
    files.offer(url, notice_id="2-2026")

    files.fetch()

    assert [row["status"] for row in files.rows()] == ["ready", "ready"]
    assert len({row["tender_id"] for row in files.rows()}) == 2
    assert len({row["path"] for row in files.rows()}) == 1


def test_a_ready_file_is_never_fetched_again(files: Files, simulator: PortalSimulator) -> None:
    files.offer(simulator.files.file_url("a.pdf"))
    files.fetch()
    before = files.row()
    files.offer(simulator.files.file_url("a.pdf"))

    files.fetch()

    assert files.row() == before
    assert len(simulator.requests_to("/files/a.pdf")) == 1


def test_the_files_of_a_tender_make_one_event(files: Files, simulator: PortalSimulator) -> None:
    files.offer(*(simulator.files.file_url(f"{n}.pdf", delay=n / 2) for n in range(4)))
    (before,) = files.select("SELECT content_hash FROM tender")
    files.select("DELETE FROM outbox")

    files.fetch()

    (after,) = files.select("SELECT content_hash, index_status FROM tender")
    events = files.select("SELECT payload FROM outbox")
    assert [row["status"] for row in files.rows()] == ["ready"] * 4
    assert [event["payload"]["content_hash"] for event in events] == [after["content_hash"]]
    assert after["content_hash"] != before["content_hash"]
    assert after["index_status"] == "pending"


def test_only_the_files_of_the_named_source_are_fetched(files: Files, simulator: PortalSimulator) -> None:
    files.offer(simulator.files.file_url("a.pdf"), source_code="ted")
    files.offer(simulator.files.file_url("b.pdf"), source_code="sample:ted")
    files.offer(simulator.files.file_url("c.pdf"), source_code="sample:doe")

    run = files.fetch("--source", "sample")

    assert [row["status"] for row in files.rows()] == ["pending", "ready", "ready"]
    assert run.stdout == "2 ready\n"


def test_a_slow_file_is_not_cut_and_a_silent_one_is(files: Files, simulator: PortalSimulator) -> None:
    at = simulator.files.file_url
    files.offer(at("slow.pdf", size=40_000, rate=10_000, piece=1000), at("silent.pdf", size=9000, rate=20, piece=10))

    files.fetch("--once", ATTACHMENT_IDLE_TIMEOUT=2, DOWNLOAD_TIMEOUT=1)

    found = outcomes(files)
    assert found["slow.pdf"] == ("ready", None)
    assert found["silent.pdf"] == ("pending", "DownloadTimeoutError: hardly a byte came in 2 seconds")


def test_a_compressed_answer_is_stored_as_what_it_unpacks_to(files: Files, simulator: PortalSimulator) -> None:
    body = documents.pdf("packed", 300_000)
    packings: dict[str, Any] = {
        "gzip": gzip.compress(body),
        "deflate": zlib.compress(body),
        "x-gzip": gzip.compress(body[:100_000]) + gzip.compress(body[100_000:]),
    }
    for encoding, packed in packings.items():
        simulator.files.add(f"/files/{encoding}.pdf", packed, Content_Encoding=encoding)
    simulator.files.add("/files/br.pdf", b"whatever", Content_Encoding="br")
    simulator.files.add("/files/bad.pdf", b"no gzip at all", Content_Encoding="gzip")
    simulator.files.add("/files/half.pdf", gzip.compress(body)[:200], Content_Encoding="gzip")
    names = [*packings, "br", "bad", "half"]
    files.offer(*(f"{simulator.url}/files/{name}.pdf" for name in names))

    files.fetch("--once")

    assert [(row["status"], row["size"]) for row in files.rows()[:3]] == [("ready", 300_000)] * 3
    assert outcomes(files)["br.pdf"] == ("failed", "the answer is encoded as br, which was not asked for")
    assert outcomes(files)["bad.pdf"][0] == "failed"
    assert outcomes(files)["half.pdf"] == ("pending", "ResponseDataLossError: the answer ended early")


def test_a_compression_bomb_is_stopped_at_the_limit(files: Files, simulator: PortalSimulator) -> None:
    simulator.fault("/files/bomb.pdf", kind="gzip_bomb", size=512 * 1024 * 1024)
    files.offer(simulator.files.file_url("bomb.pdf"))

    files.fetch(ATTACHMENT_MAX_BYTES=5_000_000)

    assert outcomes(files)["bomb.pdf"] == ("failed", "larger than 5 MB")
    assert [path for path in files.store.rglob("*") if path.is_file()] == []


def test_sweep_removes_old_parts_and_files_that_no_row_names(files: Files, simulator: PortalSimulator) -> None:
    files.offer(simulator.files.file_url("a.pdf"))
    files.fetch()
    kept = files.store / files.row()["path"]
    (files.store / "ab").mkdir(exist_ok=True)
    stray, fresh = files.store / "ab" / "stray.pdf", files.store / "ab" / "fresh.pdf"
    part, live = files.store / "old.part", files.store / "live.part"
    for path in (stray, fresh, part, live):
        path.write_bytes(b"x")
    long_ago = time.time() - 2 * 86_400
    for path in (kept, stray, part):
        os.utime(path, (long_ago, long_ago))

    run = files.fetch("--sweep")

    assert run.stdout == "removed 1 unfinished and 1 unreferenced files\n"
    assert [path.exists() for path in (kept, fresh, live, stray, part)] == [True, True, True, False, False]


@pytest.mark.parametrize("option", ["--once", "--source=ted"])
def test_nothing_to_fetch_is_no_failure(files: Files, option: str) -> None:
    run = files.fetch(option)

    assert (run.returncode, run.stdout) == (0, "no files\n")
