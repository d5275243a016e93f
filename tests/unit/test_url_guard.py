"""The guard's rules on how an address is written and what it resolves to."""

from __future__ import annotations

import logging

import pytest

from tenderscrapy.exceptions import AddressRefusedError, ConfigurationError
from tenderscrapy.http.url_guard import PrivateHosts, check_address, check_url


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/",
        "http://example.org:80/x?y=z@w",
        "HTTPS://EXAMPLE.ORG:443",
        "https://bücher.example/ü",
        "https://under_score.example.org/",
        "http://8.8.8.8/",
        "https://[2606:4700::1111]/",
        "https://example.org:/",
        "https://example.org?q=a\\b",
    ],
)
def test_ordinary_addresses_pass(url: str) -> None:
    check_url(url)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("ftp://example.org/", "is not http or https"),
        ("file:///etc/passwd", "is not http or https"),
        ("javascript:alert(1)", "is not http or https"),
        ("example.org", "is not http or https"),
        ("", "is not http or https"),
        ("https:example.org", "is not http or https"),
        ("https://user@example.org/", "user name"),
        ("https://user:secret@example.org/", "user name"),
        ("https://@example.org/", "user name"),
        ("https://example.org\\@example.com/", "user name"),
        ("https://example.org:8443/", "port 8443"),
        ("https://example.org:22/", "port 22"),
        ("https://example.org:99999/", "cannot be read"),
        ("https://example.org:0/", "no host"),
        ("https://example.org:80:80/", "in one way only"),
        ("https://exa mple.org/", "in one way only"),
        ("https://example.org/a b", "in one way only"),
        ("https://example.org/\x00", "in one way only"),
        ("https://example.org\\x/", "in one way only"),
        ("https://ex%61mple.org/", "in one way only"),
        ("https://[::1/", "in one way only"),
        ("https:///path", "in one way only"),
        ("http://Contract Finder", "in one way only"),
        ("http://127.0.0.1/", "not a public address"),
        ("http://2130706433/", "not a public address"),
        ("http://0x7f.1/", "not a public address"),
        ("http://[::ffff:127.0.0.1]/", "not a public address"),
        ("http://169.254.169.254/latest/meta-data", "not a public address"),
        ("http://localhost/", "not a public name"),
        ("http://intranet/", "not a public name"),
        ("http://portal.local/", "not a public name"),
        ("http://metadata.google.internal./", "not a public name"),
        ("https://www.vergabe24.de/", "prohibits automated access"),
        ("https://example.org/" + "x" * 9000, "more than 8192 characters"),
    ],
)
def test_other_addresses_are_refused_with_their_reason(url: str, reason: str) -> None:
    with pytest.raises(AddressRefusedError, match=reason):
        check_url(url)


def test_the_reason_never_shows_the_password_or_the_query() -> None:
    with pytest.raises(AddressRefusedError) as refused:
        check_url("https://user:secret@example.org:99/?token=secret")

    assert "secret" not in str(refused.value)


def test_an_exception_opens_exactly_its_host_and_port() -> None:
    allowed = PrivateHosts.parse("127.0.0.1:8080, portal.intern:443,[::1]:80")

    for url in ("http://127.0.0.1:8080/", "https://portal.intern/", "https://PORTAL.intern.:443/", "http://[::1]/"):
        check_url(url, allowed)
    for url in ("http://127.0.0.1:8081/", "http://127.0.0.1/", "http://localhost:8080/", "http://[::1]:8080/"):
        with pytest.raises(AddressRefusedError):
            check_url(url, allowed)


def test_an_exception_never_opens_a_denied_portal() -> None:
    allowed = PrivateHosts.parse("vergabe24.de:8080")

    with pytest.raises(AddressRefusedError, match="prohibits"):
        check_url("http://vergabe24.de:8080/", allowed)
    with pytest.raises(AddressRefusedError, match="prohibits"):
        check_address("vergabe24.de", 8080, "8.8.8.8", allowed)


def test_exceptions_are_told_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        PrivateHosts.parse("told.example:8080")

    assert "told.example:8080" in caplog.text


@pytest.mark.parametrize(
    "text", ["127.0.0.1", "127.0.0.1:", ":8080", "a:0", "a:65536", "a:http", "http://a:80", "a:８０"]
)
def test_an_exception_that_is_no_host_and_port_is_named(text: str) -> None:
    with pytest.raises(ConfigurationError, match="ALLOW_PRIVATE_HOSTS"):
        PrivateHosts.parse(text)


def test_a_source_may_be_held_to_its_hosts() -> None:
    check_url("https://API.example.org./x", hosts={"api.example.org"})
    with pytest.raises(AddressRefusedError, match="not a host of this source"):
        check_url("https://www.example.org/x", hosts={"api.example.org"})


@pytest.mark.parametrize("address", ["10.0.0.1", "::1", "64:ff9b::7f00:1", "224.0.0.1"])
def test_a_name_may_not_resolve_to_a_private_address(address: str) -> None:
    with pytest.raises(AddressRefusedError, match="resolves to"):
        check_address("example.org", 443, address)

    check_address("example.org", 443, address, PrivateHosts.parse("example.org:443"))
