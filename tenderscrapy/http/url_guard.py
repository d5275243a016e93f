"""The rules for every address that comes from outside: source, notice, redirect, document, robots.txt."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Self
from urllib.parse import SplitResult, urlsplit

from tenderscrapy.exceptions import AddressRefusedError, ConfigurationError
from tenderscrapy.http.addresses import is_public, literal
from tenderscrapy.sources.denylist import is_denied

if TYPE_CHECKING:
    from collections.abc import Collection

logger = logging.getLogger(__name__)

PORTS = {"http": 80, "https": 443}

#: Request headers, beside Authorization and Cookie, that prove to one host who we are and go to no other.
CREDENTIALS = ("X-API-Key", "Api-Key", "X-Auth-Token", "Proxy-Authorization")

_LONGEST = 8192
# What may stand in the authority of an address: a name or a bracketed IPv6 address, then a port.
_AUTHORITY = re.compile(r"(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?")
_CONTROL = re.compile("[\x00-\x20\x7f]")


@dataclass(frozen=True)
class PrivateHosts:
    """The ``host:port`` pairs of ALLOW_PRIVATE_HOSTS: loopback servers of tests, portals inside a company."""

    pairs: frozenset[tuple[str, int]] = frozenset()

    @classmethod
    def parse(cls, text: str | Collection[str] | None) -> Self:
        """Read the setting (comma-separated, or a list).

        Raises ConfigurationError for a part that is no ``host:port``.
        """
        parts = text.split(",") if isinstance(text, str) else list(text or ())
        pairs = frozenset(_pair(part.strip()) for part in parts if part.strip())
        if pairs:
            _announce(", ".join(f"{host}:{port}" for host, port in sorted(pairs)))
        return cls(pairs)

    def __contains__(self, pair: object) -> bool:
        return pair in self.pairs


NO_PRIVATE_HOSTS = PrivateHosts()


def _pair(part: str) -> tuple[str, int]:
    host, _, port = part.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536 or "/" in host:
        raise ConfigurationError(f"ALLOW_PRIVATE_HOSTS: {part!r} is not host:port, as in 127.0.0.1:8080")
    return host_name(host), int(port)


@lru_cache(maxsize=16)
def _announce(pairs: str) -> None:
    logger.warning("ALLOW_PRIVATE_HOSTS opens addresses that are refused otherwise: %s", pairs)


def host_name(host: str) -> str:
    """``host`` as it is compared: lower case, no brackets, no trailing dot."""
    return host.lower().strip("[]").rstrip(".")


def check_url(url: str, allowed: PrivateHosts = NO_PRIVATE_HOSTS, *, hosts: Collection[str] | None = None) -> None:
    """Refuse an address by how it is written; what its name resolves to is checked when something connects to it.

    ``hosts``: the only hosts that this request may go to, where its source has fixed ones.
    Raises AddressRefusedError that names the host and the rule, never the whole address.
    """
    if len(url) > _LONGEST:
        raise AddressRefusedError(f"an address of more than {_LONGEST} characters")
    if is_denied(url):
        raise AddressRefusedError("the operator of this portal prohibits automated access")
    parts = _split(url)
    host, port = host_name(parts.hostname or ""), parts.port or PORTS[parts.scheme]
    if hosts is not None and host not in hosts:
        raise AddressRefusedError(f"{host} is not a host of this source")
    if (host, port) in allowed:
        return
    if port not in PORTS.values():
        raise AddressRefusedError(f"{host}: port {port} is not open (80 and 443 are)")
    address = literal(host)
    if address is not None and not is_public(address):
        raise AddressRefusedError(f"{host} is not a public address")
    if address is None and ("." not in host or host.endswith((".localhost", ".local", ".internal"))):
        raise AddressRefusedError(f"{host} is not a public name")


def check_address(host: str, port: int, address: str, allowed: PrivateHosts = NO_PRIVATE_HOSTS) -> None:
    """Refuse to connect to ``address``, which ``host`` resolved to, unless it is public or an exception.

    Raises AddressRefusedError.
    """
    if is_denied(host):
        raise AddressRefusedError("the operator of this portal prohibits automated access")
    if (host_name(host), port) not in allowed and not is_public(address):
        raise AddressRefusedError(f"{host} resolves to {address}, which is not a public address")


def _split(url: str) -> SplitResult:
    """The parts of an address that every client reads in the same way."""
    scheme, separator, rest = url.partition("://")
    if scheme.lower() not in PORTS or not separator:
        raise AddressRefusedError(f"{scheme[:20]!r} is not http or https")
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    if "@" in authority:
        raise AddressRefusedError("an address with a user name is not followed")
    if _CONTROL.search(url) or "\\" in authority or not _AUTHORITY.fullmatch(_ascii(authority)):
        raise AddressRefusedError("the host of this address cannot be read in one way only")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise AddressRefusedError(f"the address cannot be read: {error}") from None
    if not parts.hostname or port == 0:
        raise AddressRefusedError("the address has no host")
    return parts


def _ascii(authority: str) -> str:
    """A host in its own letters is read as its IDNA form, as the clients do."""
    if authority.isascii():
        return authority
    host, colon, port = authority.partition(":")
    try:
        return host.encode("idna").decode("ascii") + colon + port
    except UnicodeError:
        return ""
