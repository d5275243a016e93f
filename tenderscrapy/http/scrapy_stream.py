"""Bodies that go to disk as they come: memory does not depend on their size."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, BinaryIO
from urllib.parse import urldefrag

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)
from scrapy.http import Headers, Response
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.internet.defer import TimeoutError as NoHeadersError
from twisted.internet.error import ConnectError, DNSLookupError
from twisted.internet.error import ConnectionRefusedError as NotListeningError
from twisted.internet.error import TimeoutError as ConnectTimeoutError
from twisted.internet.protocol import Protocol, connectionDone
from twisted.web.client import Agent, HTTPConnectionPool, ResponseDone, ResponseFailed
from twisted.web.http import PotentialDataLoss
from twisted.web.http_headers import Headers as TxHeaders
from twisted.web.iweb import UNKNOWN_LENGTH

from tenderscrapy.exceptions import AttachmentError
from tenderscrapy.http.decoding import Identity, decoder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from scrapy import Request
    from twisted.python.failure import Failure
    from twisted.web.iweb import IPolicyForHTTPS

# A body that is not kept (an error page) is read so far, to leave the connection usable.
_DISCARDED = 65_536


@dataclass(eq=False)
class StreamTarget:
    """``request.meta["stream_to"]``: the body of a 200 goes to ``path``; the response is empty.

    ``path`` must not exist; with ``again`` what an earlier attempt left there is removed first.

    Filled in at the end: ``sha256`` and ``size`` of what lies in ``path``, and ``unmarked_end`` for a body that had
    neither a length nor an end mark, so that a cut cannot be told from its end. ``stopped`` is asked twice a second;
    once it is true the transfer ends with DownloadCancelledError. ``received`` counts bytes of the wire.
    """

    path: Path
    max_bytes: int
    headers_timeout: float = 60.0
    idle_timeout: float = 60.0
    stopped: Callable[[], bool] = field(default=lambda: False)
    again: bool = False
    sha256: str = ""
    size: int = 0
    unmarked_end: bool = False
    received: int = 0


class Streamer:
    """Fetches requests whose body goes to a file, over the connections of the handler that owns it."""

    def __init__(self, context_factory: IPolicyForHTTPS, pool: HTTPConnectionPool) -> None:
        from twisted.internet import reactor

        self._reactor: Any = reactor
        self._agent_of = lambda timeout: Agent(reactor, context_factory, connectTimeout=timeout, pool=pool)

    async def fetch(self, request: Request, target: StreamTarget) -> Response:
        """Fetch ``request``; see StreamTarget.

        Raises AttachmentError (too large, unreadable encoding), OSError (disk), and Scrapy's download errors.
        """
        started = monotonic()
        head = await self._head(request, target.headers_timeout)
        request.meta["download_latency"] = monotonic() - started
        headers = Headers(head.headers.getAllRawHeaders())
        body = _Body(target if head.code == 200 else None, head.length, headers)
        if head.length == 0:
            # Twisted never ends a body that it knows to be empty.
            body.close()
        else:
            head.deliverBody(body)
            await maybe_deferred_to_future(body.finished)
        return Response(request.url, status=head.code, headers=headers, protocol="HTTP/1.1")

    async def _head(self, request: Request, timeout: float) -> Any:
        url = urldefrag(request.url)[0].encode("ascii")
        sent = self._agent_of(timeout).request(request.method.encode("ascii"), url, TxHeaders(request.headers))
        sent.addTimeout(timeout, self._reactor)
        late, end = f"no answer within {timeout:.0f} seconds", monotonic() + timeout
        try:
            return await maybe_deferred_to_future(sent)
        except (NoHeadersError, ConnectTimeoutError) as error:
            raise DownloadTimeoutError(late) from error
        except DNSLookupError as error:
            raise CannotResolveHostError(str(error)) from error
        except NotListeningError as error:
            raise DownloadConnectionRefusedError("the connection was refused") from error
        except (ConnectError, ResponseFailed) as error:
            if monotonic() >= end:  # headers that had begun: Twisted tells the cancellation as a failed response
                raise DownloadTimeoutError(late) from error
            raise DownloadFailedError(_cause(error)) from error


def _cause(error: Exception) -> str:
    """The innermost words of an error of Twisted's, which wraps them in lists of failures."""
    reasons = getattr(error, "reasons", None)
    return _cause(reasons[-1].value) if reasons else str(error) or type(error).__name__


class _Body(Protocol):
    """Writes one body, or discards it when there is no target; ``finished`` fires at its end."""

    def __init__(self, target: StreamTarget | None, length: Any, headers: Headers) -> None:
        self.finished: Deferred[None] = Deferred(lambda _: self._abort())
        self._target = target
        self._length = length
        self._encoding = b",".join(headers.getlist("Content-Encoding")).decode("latin-1")
        # The body will be decoded (or dropped) here: nobody after us has to.
        headers.pop("Content-Encoding", None)
        self._decoder = Identity()
        self._digest = hashlib.sha256()
        self._file: BinaryIO | None = None
        self._discarded = 0

    def connectionMade(self) -> None:  # noqa: N802 - Twisted's interface
        if self._target is None:
            return
        self._target.size = self._target.received = 0
        try:
            self._decoder = decoder(self._encoding)
            if self._length is not UNKNOWN_LENGTH and self._length > self._target.max_bytes:
                raise AttachmentError(_too_large(self._target))
        except AttachmentError as error:
            self._fail(error)

    def dataReceived(self, data: bytes) -> None:  # noqa: N802
        if self.finished.called:
            return
        try:
            self._take(data)
        except (AttachmentError, OSError) as error:
            self._fail(error)

    def _take(self, data: bytes) -> None:
        target = self._target
        if target is None:
            self._discarded += len(data)
            if self._discarded > _DISCARDED:
                self._abort()
                self.finished.callback(None)
            return
        target.received += len(data)
        for piece in self._decoder.feed(data):
            target.size += len(piece)
            if target.size > target.max_bytes:
                raise AttachmentError(_too_large(target))
            if self._file is None:
                if target.again:
                    target.path.unlink(missing_ok=True)
                self._file = target.path.open("xb", buffering=0)
            self._digest.update(piece)
            _write(self._file, piece)

    def connectionLost(self, reason: Failure = connectionDone) -> None:  # noqa: N802
        if self.finished.called:
            return
        if not reason.check(ResponseDone, PotentialDataLoss) or not self._decoder.whole():
            self._fail(ResponseDataLossError("the answer ended early"))
            return
        if self._target is not None:
            self._target.unmarked_end = bool(reason.check(PotentialDataLoss))
        self.close()
        self.finished.callback(None)

    def close(self) -> None:
        """Close the file and note its digest."""
        if self._file is not None:
            self._file.close()
            self._file = None
        if self._target is not None:
            self._target.sha256 = self._digest.hexdigest()

    def _fail(self, error: Exception) -> None:
        self._abort()
        self.finished.errback(error)

    def _abort(self) -> None:
        """Drop the connection at once; closing it politely would wait for a peer that may never answer."""
        self.close()
        connection = getattr(self.transport, "_producer", None)
        if connection is not None:
            connection.abortConnection()


def _write(file: BinaryIO, piece: bytes) -> None:
    """All of ``piece``: on a disk that is nearly full a write may take only a part of it."""
    rest = memoryview(piece)
    while rest:
        rest = rest[file.write(rest) :]


def _too_large(target: StreamTarget) -> str:
    return f"larger than {target.max_bytes / 1_000_000:.0f} MB"
