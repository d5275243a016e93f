"""Web addresses as notices write them."""

import pytest

from tenderscrapy.normalise.urls import WebAddress, web_address, without_session

BASE = "https://portal.example.org"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("https://a.example/x?y=1#z", WebAddress("https://a.example/x?y=1#z")),
        (" HTTPS://A.Example/Pfad ", WebAddress("https://a.example/Pfad")),
        ("https://a.example/?a=1&amp;b=2", WebAddress("https://a.example/?a=1&b=2")),
        ("//x.example/z", WebAddress("https://x.example/z")),
        ("www.a.example:8080/z", WebAddress("https://www.a.example:8080/z", relative=True)),
        ("/Notice/Attachment/abc", WebAddress(f"{BASE}/Notice/Attachment/abc", relative=True)),
        ("docs/a b.pdf", WebAddress(f"{BASE}/docs/a%20b.pdf", relative=True)),
        ("https://a.example/my file.pdf", WebAddress("https://a.example/my%20file.pdf")),
        ("http://127.0.0.1:8080/x", WebAddress("http://127.0.0.1:8080/x")),
        ("https://a.example//x", WebAddress("https://a.example//x")),
        ("https://a.example/x;jsessionid=AB12?y=1", WebAddress("https://a.example/x?y=1")),
    ],
)
def test_an_address_is_made_absolute(written: str, read: WebAddress) -> None:
    assert web_address(written, BASE) == read


@pytest.mark.parametrize(
    "written",
    [
        "",
        "http://Contract Finder",
        "http://contractfinder",
        "https://www.find-tender...",
        "https://",
        "https:/a.example",
        "ftp://a.example/x",
        "mailto:a@example.org",
        "javascript:alert(1)",
        "https://user:pw@a.example/",
        "https://a.example:99999/",
        "https://a.example:x/",
        "https://[::1/",
        "https://a.example\\@b.example/",
        "https://a%2eexample.org/",
    ],
)
def test_what_is_no_web_address_is_refused(written: str) -> None:
    with pytest.raises(ValueError):
        web_address(written, BASE)


def test_a_relative_address_without_a_base_is_refused() -> None:
    with pytest.raises(ValueError, match="absolute"):
        web_address("/x")


@pytest.mark.parametrize(
    ("url", "stored"),
    [
        ("https://a.example/x;JSESSIONID=1.node2?a=1", "https://a.example/x?a=1"),
        ("https://a.example/x?csrt=123&a=1", "https://a.example/x?a=1"),
        ("https://a.example/x?a=1&csrt=123", "https://a.example/x?a=1"),
        ("https://a.example/x?a=1&", "https://a.example/x?a=1&"),
    ],
)
def test_session_parts_are_cut(url: str, stored: str) -> None:
    assert without_session(url) == stored
