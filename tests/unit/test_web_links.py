"""Addresses as buyers type them."""

from __future__ import annotations

import pytest

from tenderscrapy.formats.web_links import web_address


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("https://portal.example.org/a?b=1&c=2", "https://portal.example.org/a?b=1&c=2"),
        (" HTTPS://Portal.example.org ", "HTTPS://Portal.example.org"),
        ("https://portal.example.org/a?b=1&amp;c=2", "https://portal.example.org/a?b=1&c=2"),
        ("www.example.org", "http://www.example.org"),
        ("example.org/tender", "http://example.org/tender"),
        ("example.org:8080/tender", "http://example.org:8080/tender"),
        ("//example.org/x", "http://example.org/x"),
        ("https://example.org/a b", "https://example.org/a%20b"),
        ("https://exa\x00mple.org/", "https://example.org/"),
        ("https://example.org/?mail=a@b", "https://example.org/?mail=a@b"),
    ],
)
def test_an_address_is_repaired(typed: str, expected: str) -> None:
    assert web_address(typed) == expected


@pytest.mark.parametrize(
    "typed",
    [
        *("", "-", "n/a", "see documents", "jo@example.org", "mailto:jo@example.org", "ftp://example.org"),
        *(
            "javascript:alert(1)",
            "file:///etc/passwd",
            "https://",
            "https://[",
            "https://example.org:x",
            "https://a:b@example.org",
        ),
        *("https://localhost/", "data:text/html,x", "https://example.org/" + "x" * 3000),
    ],
)
def test_what_is_no_address_is_none(typed: str) -> None:
    assert web_address(typed) is None
