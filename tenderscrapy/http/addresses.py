"""Which IP addresses are public; a name's addresses are checked before anything connects to them."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

IPAddress = IPv4Address | IPv6Address

# What IANA's special-purpose registries list, and what Python's is_global leaves open: multicast, the NAT64 and
# 6to4 prefixes that carry an IPv4 address, and the former site-local range.
_NEVER = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8",
        "100.64.0.0/10",
        "192.0.0.0/24",
        "192.88.99.0/24",
        "198.18.0.0/15",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "64:ff9b:1::/48",
        "100::/64",
        "2001::/23",
        "2001:db8::/32",
        "3fff::/20",
        "5f00::/16",
        "fc00::/7",
        "fe80::/10",
        "fec0::/10",
        "ff00::/8",
    )
)
_NAT64 = IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR = IPv6Network("2002::/16")
_COMPATIBLE = IPv6Network("::/96")


def is_public(address: IPAddress | str) -> bool:
    """Whether anybody on the internet may reach ``address``; an IPv4 address inside an IPv6 one is checked too.

    Text that is no address is not public.
    """
    try:
        parsed = ip_address(address.split("%")[0]) if isinstance(address, str) else address
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address):
        carried = _carried(parsed)
        if carried is not None:
            return is_public(carried)
    return parsed.is_global and not any(parsed in network for network in _NEVER if network.version == parsed.version)


def _carried(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that a gateway would connect to in place of ``address``."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in _SIX_TO_FOUR:
        return address.sixtofour
    if address in _NAT64 or address in _COMPATIBLE:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return None


_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")


def literal(host: str) -> IPAddress | None:
    """The address that ``host`` is written as, None for a name.

    Reads what the C library reads as well: ``2130706433``, ``0x7f.1``, ``0177.0.0.1`` and ``[::1]``.
    """
    text = host.strip("[]").rstrip(".")
    try:
        return ip_address(text.split("%")[0])
    except ValueError:
        pass
    parts = text.split(".")
    if len(parts) > 4 or not all(_NUMBER.fullmatch(part) for part in parts):
        return None
    try:
        *leading, last = (_number(part) for part in parts)
        value = last
        if any(byte > 255 for byte in leading) or last >= 256 ** (4 - len(leading)):
            return None
        for position, byte in enumerate(leading):
            value += byte << (8 * (3 - position))
        return IPv4Address(value)
    except ValueError:
        return None


def _number(part: str) -> int:
    if part[:2].lower() == "0x":
        return int(part[2:] or "0", 16)
    return int(part, 8) if part.startswith("0") and len(part) > 1 else int(part)
