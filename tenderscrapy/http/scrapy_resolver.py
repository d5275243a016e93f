"""The reactor's name resolver: only addresses that the guard lets through are ever connected to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from scrapy.resolver import CachingHostnameResolver
from twisted.internet.interfaces import IResolutionReceiver
from zope.interface import implementer

from tenderscrapy.exceptions import AddressRefusedError
from tenderscrapy.http.url_guard import PrivateHosts, check_address, host_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.crawler import Crawler
    from twisted.internet.base import ReactorBase
    from twisted.internet.interfaces import IAddress, IHostResolution


class GuardedResolver(CachingHostnameResolver):
    """Hands on the public addresses of a name, IPv4 and IPv6, and those of ALLOW_PRIVATE_HOSTS.

    Twisted connects to the addresses that it gets from here without asking again, and passes numeric hosts through
    here as well, so that what is checked and what is connected to are the same.
    """

    def __init__(self, reactor: ReactorBase, cache_size: int, allowed: PrivateHosts) -> None:
        super().__init__(reactor, cache_size)
        self._allowed = allowed
        self._refusals: dict[tuple[str, int], str] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: ReactorBase) -> Self:
        settings = crawler.settings
        size = settings.getint("DNSCACHE_SIZE") if settings.getbool("DNSCACHE_ENABLED") else 0
        return cls(reactor, size, PrivateHosts.parse(settings.get("ALLOW_PRIVATE_HOSTS")))

    def resolveHostName(  # noqa: N802 - Twisted's interface
        self,
        resolutionReceiver: IResolutionReceiver,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[type[IAddress]] | None = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> IHostResolution:
        guarded: Any = _Guarded(resolutionReceiver, self, hostName, portNumber)
        return super().resolveHostName(guarded, hostName, portNumber, addressTypes, transportSemantics)

    def passes(self, host: str, port: int, address: str) -> bool:
        """Whether ``address`` may be connected to for ``host``; a refusal is kept for ``refusal``."""
        try:
            check_address(host, port, address, self._allowed)
        except AddressRefusedError as error:
            self._refusals[_ascii(host), port] = str(error)
            return False
        return True

    def refusal(self, host: str, port: int) -> str | None:
        """Why an address of ``host`` was refused at its last resolution, None when none was."""
        return self._refusals.get((_ascii(host), port))

    def forget(self, host: str, port: int) -> None:
        """A new resolution begins."""
        self._refusals.pop((_ascii(host), port), None)


def _ascii(host: str) -> str:
    """Twisted asks for a name in its own letters, a request has the IDNA form."""
    try:
        return host_name(host.encode("idna").decode("ascii"))
    except UnicodeError:
        return host_name(host)


@implementer(IResolutionReceiver)
class _Guarded:
    def __init__(self, receiver: Any, resolver: GuardedResolver, host: str, port: int) -> None:
        self._receiver = receiver
        self._resolver = resolver
        self._host = host
        self._port = port

    def resolutionBegan(self, resolution: IHostResolution) -> None:  # noqa: N802
        self._resolver.forget(self._host, self._port)
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        if self._resolver.passes(self._host, self._port, getattr(address, "host", "")):
            self._receiver.addressResolved(address)

    def resolutionComplete(self) -> None:  # noqa: N802
        self._receiver.resolutionComplete()
