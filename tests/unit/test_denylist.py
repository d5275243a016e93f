"""Denied portals are recognised in every spelling, and nothing else is."""

from __future__ import annotations

import pytest

from tenderscrapy.sources.denylist import DENIED, is_denied


@pytest.mark.parametrize("denied", DENIED)
@pytest.mark.parametrize(
    "spelling",
    [
        "{}",
        "https://{}",
        "https://{}/path?query#fragment",
        "http://www.{}/",
        "https://deep.er.login.{}:443/",
        "https://{}./",
        "https://{}../",
        "HTTPS://{}:8443/",
        "https://user:password@{}/",
        "https://example.org\\@{}/",
        "https://{}\\@example.org/",
        "https://{}/\\@example.org/",
        "https:/\\{}/",
        "//{}/x",
        "  https://{}/ ",
        "ht\ntps://{}/",
        "https://exam\tple.{}/",
    ],
)
def test_a_denied_host_is_denied_in_every_position(denied: str, spelling: str) -> None:
    assert is_denied(spelling.format(denied))
    assert is_denied(spelling.format(denied.upper()))


@pytest.mark.parametrize(
    "address",
    [
        "https://vergabe24%2Ede/",
        "https://%76ergabe24.de/",
        "https://%2576ergabe24.de/",
        "https://vergabe24\u3002de/",
        "https://vergabe24\uff0ede/",
        "https://vergabe24\uff61de/",
        "https://ｖｅｒｇａｂｅ２４.ｄｅ/",
        "https://𝐯𝐞𝐫𝐠𝐚𝐛𝐞𝟐𝟒.de/",
        "https://ver\u00adgabe24.de/",
        "https://ver\u200bgabe24.de/",
        "https://vergabe24.de\u2060/",
        "https://aumaß.de/",
        "https://www.AUMAß.de/",
        "https://aumaẞ.de/",
        "https://xn--auma-yna.de/",
        "https://XN--AUMA-YNA.DE./",
        "https://vergabe24.de%2f@example.org/",
    ],
)
def test_unicode_percent_and_punycode_do_not_hide_a_denied_host(address: str) -> None:
    assert is_denied(address)


@pytest.mark.parametrize(
    "address",
    [
        "https://tender24.de/",
        "https://notvergabe24.de/",
        "https://vergabe24.de.example.org/",
        "https://vergabe24-de.example.org/",
        "https://example.org/vergabe24.de",
        "https://example.org/?next=https://vergabe24.de/",
        "https://example.org/#@vergabe24.de",
        "https://evergabe.de/",
        "https://aumass.example/",
        "https://bücher.example/",
        "http://127.0.0.1:8000/",
        "http://[::1]/",
        "",
        "https://",
        "not an address",
        "https://" + "x" * 300 + ".example/",
    ],
)
def test_other_hosts_are_not_denied(address: str) -> None:
    assert not is_denied(address)
