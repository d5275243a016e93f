"""HTTP for the parts without Scrapy: a requests session that goes out by the same rules."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import NameResolutionError, NewConnectionError
from urllib3.util.connection import create_connection

from tenderscrapy.config import config
from tenderscrapy.exceptions import AddressRefusedError
from tenderscrapy.http.url_guard import CREDENTIALS, PrivateHosts, check_address, check_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

MAX_REDIRECTS = 5
TIMEOUT = (10.0, 30.0)  # seconds to connect, seconds between two bytes
MAX_BYTES = 64 * 1024 * 1024
# Headers and bodies that drip never let a read time out.
MAX_HEADERS_SECONDS = 60.0
MAX_BODY_SECONDS = 300.0


class _Guarded:
    """Connects to the very address that was checked."""

    allowed: PrivateHosts

    def _new_conn(self: Any) -> socket.socket:
        host, port = self._dns_host, self.port
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except socket.gaierror as error:
            raise NameResolutionError(host, self, error) from error
        except UnicodeError:
            raise AddressRefusedError("the host of this address cannot be read") from None
        last: Exception | None = None
        for *_, address in found:
            try:
                check_address(host, port, str(address[0]), self.allowed)
                return create_connection(
                    (str(address[0]), port), self.timeout, self.source_address, self.socket_options
                )
            except (AddressRefusedError, OSError) as error:
                last = error
        if isinstance(last, AddressRefusedError):
            raise last
        raise NewConnectionError(self, f"no connection to {host}: {last}")

    def getresponse(self: Any) -> Any:
        late = TimeoutError(f"no whole headers within {MAX_HEADERS_SECONDS:.0f} seconds")
        with _within(MAX_HEADERS_SECONDS, partial(self.sock.shutdown, socket.SHUT_RD), late):
            return super().getresponse()  # type: ignore[misc]  # urllib3's, of the class beside this one


@contextmanager
def _within(seconds: float, stop: Callable[[], object], late: Exception) -> Iterator[None]:
    """Call ``stop`` from a thread after ``seconds``, and raise ``late`` for whatever came of that."""
    over = threading.Event()

    def end() -> None:
        over.set()
        with suppress(OSError, ValueError):  # closed meanwhile
            stop()

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    except Exception:
        if not over.is_set():
            raise
    finally:
        timer.cancel()
    if over.is_set():
        raise late


class GuardedAdapter(HTTPAdapter):
    """The guard at every hop: the text of the address here, what it resolves to in the connection."""

    def __init__(self, allowed: PrivateHosts) -> None:
        self._allowed = allowed
        super().__init__()

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        plain = type("Plain", (_Guarded, HTTPConnection), {"allowed": self._allowed})
        secure = type("Secure", (_Guarded, HTTPSConnection), {"allowed": self._allowed})
        self.poolmanager.pool_classes_by_scheme = {
            "http": type("PlainPool", (HTTPConnectionPool,), {"ConnectionCls": plain}),
            "https": type("SecurePool", (HTTPSConnectionPool,), {"ConnectionCls": secure}),
        }

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        check_url(request.url or "", self._allowed)
        kwargs["timeout"] = kwargs.get("timeout") or TIMEOUT
        kwargs["proxies"] = None
        return super().send(request, *args, **kwargs)


class _Session(requests.Session):
    """Takes nothing secret along to another host."""

    def rebuild_auth(self, prepared_request: requests.PreparedRequest, response: requests.Response) -> None:
        super().rebuild_auth(prepared_request, response)
        if urlsplit(prepared_request.url).hostname != urlsplit(response.request.url).hostname:
            for name in ("Authorization", "Cookie", *CREDENTIALS):
                prepared_request.headers.pop(name, None)


def session(allowed: PrivateHosts | None = None, headers: Mapping[str, str] | None = None) -> requests.Session:
    """A session with the product's name in its requests; it uses no proxies or passwords of the environment.

    ``allowed`` defaults to ALLOW_PRIVATE_HOSTS. Requests raise AddressRefusedError beside what requests raises itself.
    """
    made = _Session()
    made.trust_env = False
    made.max_redirects = MAX_REDIRECTS
    made.headers["User-Agent"] = f"tenderscrapy/0.1 (+{config().contact})"
    made.headers.update(headers or {})
    guarded = GuardedAdapter(PrivateHosts.parse(config().allow_private_hosts) if allowed is None else allowed)
    made.mount("http://", guarded)
    made.mount("https://", guarded)
    return made


def body(response: requests.Response, max_bytes: int = MAX_BYTES, max_seconds: float = MAX_BODY_SECONDS) -> bytes:
    """The decoded body of a response asked for with ``stream=True``, read no further than ``max_bytes``.

    Raises ValueError when it is longer, ReadTimeout when it is not there within ``max_seconds``, and what requests
    raises.
    """
    return b"".join(_pieces(response, max_bytes, max_seconds))


def _pieces(response: requests.Response, max_bytes: int, max_seconds: float) -> Iterator[bytes]:
    size, host = 0, urlsplit(response.url).hostname
    late = requests.ReadTimeout(f"{host}: the answer was not there within {max_seconds:.0f} seconds")
    with response, _within(max_seconds, response.raw.shutdown, late):
        for piece in response.iter_content(65_536):
            size += len(piece)
            if size > max_bytes:
                raise ValueError(f"{host} answers with more than {max_bytes} bytes")
            yield piece
