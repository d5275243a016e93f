"""Which IP addresses count as public, and which texts are addresses."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address

import pytest

from tenderscrapy.http.addresses import is_public, literal


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "193.17.5.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"]
)
def test_public_addresses_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "0.1.2.3",
        "192.0.0.8",
        "192.0.2.1",
        "192.88.99.1",
        "198.18.0.1",
        "198.51.100.1",
        "203.0.113.9",
        "224.0.0.1",
        "239.1.2.3",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::808:808",
        "2002:7f00:1::",
        "2002:a00:1::1",
        "2001::1",
        "2001:db8::1",
        "3fff::1",
        "fc00::1",
        "fd12:3456::1",
        "fe80::1",
        "fe80::1%eth0",
        "fec0::1",
        "ff02::1",
        "100::1",
        "no address",
        "",
    ],
)
def test_special_addresses_are_not_public_in_any_wrapping(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("127.0.0.1.", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("0x7f000001", "127.0.0.1"),
        ("0x7f.1", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("10.0x10.1", "10.16.0.1"),
        ("0", "0.0.0.0"),
    ],
)
def test_numbers_are_read_as_the_c_library_reads_them(text: str, address: str) -> None:
    assert literal(text) == IPv4Address(address)


def test_a_bracketed_address_is_read() -> None:
    assert literal("[::1]") == IPv6Address("::1")


@pytest.mark.parametrize(
    "text", ["example.org", "1.2.3.4.5", "256.1.1.1", "4294967296", "08.1", "1.2.3.4.example", "0xzz", "", "."]
)
def test_names_are_no_addresses(text: str) -> None:
    assert literal(text) is None
