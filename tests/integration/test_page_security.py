"""Who may open the pages, what every answer carries, and what a file may not do."""

from __future__ import annotations

import pytest

from services.radar import tender_notice
from tenderscrapy.items import Attachment

PATHS = ("/", "/sources", "/runs", "/files/1", "/static/style.css", "/tenders/00000000-0000-0000-0000-000000000000")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.0.0.1:5000", "[::1]:5000", "LOCALHOST:80"])
def test_the_pages_open_under_the_names_of_this_computer(radar, host):
    assert radar.client.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["example.org", "127.0.0.1.example.org", "localhost.example.org:5000", "192.168.0.7:5000", "0.0.0.0", "a b", ""],
)
def test_under_any_other_name_nothing_but_the_api_is_there(radar, host):
    for path in PATHS:
        answer = radar.client.get(path, headers={"Host": host})
        assert (path, answer.status_code, answer.mimetype) == (path, 403, "text/plain")
    assert "keys create" in answer.text
    assert radar.client.get("/healthz", headers={"Host": host}).status_code == 200
    assert radar.client.get("/api/v1/tenders", headers={"Host": host, **radar.headers}).status_code == 200


@pytest.mark.parametrize(
    "header", ["X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded", "X-Real-IP"]
)
def test_a_request_through_a_proxy_sees_no_page(radar, header):
    assert radar.client.get("/", headers={header: "127.0.0.1"}).status_code == 403


@pytest.mark.parametrize(
    ("address", "status"), [("10.0.0.9", 403), ("2001:db8::7", 403), ("::1", 200), ("::ffff:127.0.0.1", 200), ("", 403)]
)
def test_a_request_from_another_computer_sees_no_page(radar, address, status):
    assert radar.client.get("/", environ_base={"REMOTE_ADDR": address}).status_code == status


def test_every_answer_carries_the_headers_that_confine_it(radar):
    [tender] = radar.publish(tender_notice(1, "School meals"))
    for path in ("/", "/?q=meals", f"/tenders/{tender}", "/nothing", "/static/style.css", "/healthz", "/api/v1/search"):
        answer = radar.client.get(path)
        answer.close()
        headers = answer.headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Referrer-Policy"] == "same-origin"
        assert "Set-Cookie" not in headers


def test_pages_have_nothing_to_run_and_no_style_of_their_own(radar):
    [tender] = radar.publish(tender_notice(1, "School meals"))
    for path in ("/", "/?q=meals", f"/tenders/{tender}", "/sources", "/runs", "/nothing"):
        page = radar.client.get(path).text
        assert "<script" not in page
        assert "<style" not in page
        assert " style=" not in page
        assert " on" not in "".join(page.split("<main")[0].split("<")[1:]).replace(" one", "")


@pytest.fixture
def stored(radar):
    """``stored(path, **columns)``: the address of a ready file whose row says it is at ``path``."""
    [tender] = radar.store(
        tender_notice(1, "School meals", attachments=[Attachment("https://docs.example.org/a", filename="Plan.pdf")])
    )

    def store(path, filename="Plan.pdf", media_type="application/pdf"):
        attachment = radar.value(
            "UPDATE attachment SET status = 'ready', path = %s, filename = %s, media_type = %s, sha256 = 'aa', size = 3"
            " WHERE tender_id = %s RETURNING id",
            path,
            filename,
            media_type,
            tender,
        )
        return f"/files/{attachment}"

    return store


def test_a_ready_file_is_handed_out_as_a_download_under_its_name(radar, stored):
    (radar.files / "ab").mkdir()
    (radar.files / "ab" / "cd").write_bytes(b"%PDF")

    answer = radar.client.get(stored("ab/cd", "Übersicht Preise.pdf"))

    assert (answer.status_code, answer.data, answer.mimetype) == (200, b"%PDF", "application/pdf")
    assert answer.headers["Content-Disposition"].startswith("attachment;")
    assert "filename*=UTF-8''%C3%9Cbersicht%20Preise.pdf" in answer.headers["Content-Disposition"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    answer.close()


@pytest.mark.parametrize("media_type", ["text/html", "image/svg+xml", "application/xhtml+xml", None])
def test_a_file_that_a_browser_would_show_as_a_page_goes_as_bytes(radar, stored, media_type):
    (radar.files / "page").write_bytes(b"<script>")

    answer = radar.client.get(stored("page", "page.html", media_type))

    assert answer.mimetype == "application/octet-stream"
    assert answer.headers["Content-Disposition"].startswith("attachment")
    answer.close()


def test_nothing_outside_of_the_store_is_handed_out(radar, stored):
    (radar.files.parent / "secret").write_text("secret")
    (radar.files / "link").symlink_to(radar.files.parent / "secret")
    (radar.files / "folder").mkdir()

    for path in (
        "../secret",
        str(radar.files.parent / "secret"),
        "link",
        "folder",
        "folder/../../secret",
        "gone",
        "/etc/passwd",
    ):
        answer = radar.client.get(stored(path))
        assert (path, answer.status_code) == (path, 404)
        assert "secret" not in answer.text.replace(path, "")


@pytest.mark.parametrize(
    "name", ['a"; filename="b.exe', "a\r\nSet-Cookie: x=1", "../../etc/passwd", "x" * 400 + ".pdf"]
)
def test_a_hostile_name_stays_a_name(radar, stored, name):
    (radar.files / "file").write_bytes(b"x")

    answer = radar.client.get(stored("file", name))

    assert answer.status_code == 200
    assert "Set-Cookie" not in answer.headers
    assert "\n" not in answer.headers["Content-Disposition"]
    answer.close()


def test_a_file_that_is_not_ready_is_not_there(radar, stored):
    address = stored("file")
    radar.select("UPDATE attachment SET status = 'skipped'")

    assert radar.client.get(address).status_code == 404
    assert radar.client.get("/files/99999999999999999999999").status_code == 404
