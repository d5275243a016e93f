"""Files of notices: queued in the item's way, fetched apart from it."""

from __future__ import annotations

import errno
import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import Request
from scrapy.exceptions import DownloadCancelledError, IgnoreRequest
from scrapy.http.request import NO_CALLBACK
from scrapy.pipelines.files import FilesPipeline
from scrapy.utils.asyncio import run_in_thread

from tenderscrapy.database.attachments import FailedFile, QueuedFile, StoredFile
from tenderscrapy.exceptions import AddressRefusedError, AttachmentError, SourceRequestError
from tenderscrapy.extensions.attachment_drain import AttachmentDrain
from tenderscrapy.http.file_store import FileStore
from tenderscrapy.http.filenames import clean_name, ending_of, from_disposition, from_url
from tenderscrapy.http.media_types import checked, ending_for, ends_early
from tenderscrapy.http.scrapy_cooldown import RateLimits
from tenderscrapy.http.scrapy_redirect import ATTACHMENT_SLOT
from tenderscrapy.http.scrapy_retry import NETWORK_ERRORS
from tenderscrapy.http.scrapy_stream import StreamTarget

if TYPE_CHECKING:
    from scrapy.http import Response

logger = logging.getLogger(__name__)

#: Sources whose servers say 403 for "too many requests".
FORBIDDEN_MEANS_WAIT = frozenset({"contracts_finder"})
# A file that is forbidden that often is simply forbidden.
_FORBIDDEN_TRIES = 3
_REMEMBERED = 10_000


@dataclass(slots=True)
class _Job:
    """What stands in the item's place when FilesPipeline works on one file."""

    file: QueuedFile
    target: StreamTarget


class AttachmentsPipeline(FilesPipeline):
    """In the chain of items it wakes the drain, and the notice goes on at once.

    The drain then calls ``fetch`` for each file that it has claimed. What is FilesPipeline's own: one address wanted
    by two tenders at a time is fetched once. The body never passes through memory: the download handler streams it.
    """

    STORE_SCHEMES: ClassVar[dict[str, Any]] = {**FilesPipeline.STORE_SCHEMES, "": FileStore, "file": FileStore}

    def __init__(self, store_uri: Any, *, crawler: Any) -> None:
        super().__init__(store_uri, crawler=crawler)
        settings = crawler.settings
        self.files: Any = self.store
        self.allow_redirects = True
        self._handle_statuses(self.allow_redirects)
        self._max_bytes = settings.getint("ATTACHMENT_MAX_BYTES", 1024 * 1024 * 1024)
        self._idle_timeout = settings.getfloat("ATTACHMENT_IDLE_TIMEOUT", 60)
        self._limits = RateLimits(crawler)
        self._failures: dict[bytes, FailedFile] = {}
        self._per_host, self._stopped = 1, lambda: False
        self.drain = crawler.get_extension(AttachmentDrain)
        if self.drain is not None:
            self._per_host, self._stopped = self.drain.limits.per_host, self.drain.stopping
            self.drain.use(self)

    async def process_item(self, item: Any) -> Any:  # type: ignore[override]
        """The item, at once; its files are rows by now."""
        if self.drain is not None:
            self.drain.wake()
        return item

    async def fetch(self, file: QueuedFile) -> StoredFile | FailedFile | None:
        """Fetch one file into the store; None when the run is stopping and the file is as it was."""
        try:
            part = self.files.part()
        except OSError as error:
            return _failure(error)
        target = StreamTarget(part, self._max_bytes, idle_timeout=self._idle_timeout, stopped=self._stopped)
        try:
            return await super().process_item(_Job(file, target))
        except ValueError:
            return FailedFile("the address cannot be read")
        finally:
            part.unlink(missing_ok=True)

    def get_media_requests(self, item: Any, info: Any) -> list[Request]:
        file: QueuedFile = item.file
        slot = ATTACHMENT_SLOT + file.host
        # Scrapy reads a slot's settings by its full name, and these hosts are not known before.
        self.crawler.engine.downloader.per_slot_settings.setdefault(slot, {"concurrency": self._per_host})
        meta = {"stream_to": item.target, "download_slot": slot, "dont_retry": True}
        waits = _base(file.source_code) in FORBIDDEN_MEANS_WAIT and file.attempts < _FORBIDDEN_TRIES - 1
        meta["retry_statuses"] = {403} if waits else set()
        # Files are compressed already; what comes compressed all the same is unpacked with its size watched.
        request = Request(file.url, headers={"Accept-Encoding": "identity"}, meta=meta, callback=NO_CALLBACK)
        self._failures.pop(self._fingerprinter.fingerprint(request), None)
        return [request]

    def media_to_download(self, request: Request, info: Any, *, item: Any = None) -> None:
        """Always fetch: a file that is there is ``ready`` and was not claimed."""

    async def media_downloaded(self, response: Response, request: Request, info: Any, *, item: Any = None) -> Any:
        if response.status != 200:
            return self._refusal(response, request, item.file)
        return await run_in_thread(self._keep, response, item)

    def media_failed(self, failure: Any, request: Request, info: Any) -> Any:
        """Note why; raising here would log every dead link with a traceback."""
        error = failure.value
        if not isinstance(error, DownloadCancelledError):
            self._failures[self._fingerprinter.fingerprint(request)] = _failure(error)

    def item_completed(self, results: list[Any], item: Any, info: Any) -> Any:
        fingerprint = self._fingerprinter.fingerprint(Request(item.file.url))
        ok, outcome = results[0]
        if not ok:
            outcome = _failure(outcome.value)
        elif outcome is None:
            outcome = self._failures.get(fingerprint)
        if not isinstance(outcome, StoredFile) or len(info.downloaded) > _REMEMBERED:
            info.downloaded.pop(fingerprint, None)
        elif item.file.filename:
            outcome = replace(outcome, filename=clean_name(item.file.filename) or outcome.filename)
        return outcome

    def _keep(self, response: Response, job: _Job) -> StoredFile | FailedFile:
        """Check the body and move it to its place; blocks on the disk."""
        file, target = job.file, job.target
        if not target.size:
            raise AttachmentError("the file is empty")
        name = clean_name(file.filename or "") or from_disposition(response.headers.get("Content-Disposition"))
        named = name or _from_urls(file.url, response.url)
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
        media_type = checked(target.path, named, [file.media_type, content_type])
        if target.unmarked_end and ends_early(target.path, media_type):
            return FailedFile("the answer ended early", passing=True)
        if not name and not ending_of(named):
            named += ending_for(media_type)
        path = self.files.keep(target.path, target.sha256, ending_of(named).lower() or ending_for(media_type))
        return StoredFile(path, target.sha256, target.size, named, media_type)

    def _refusal(self, response: Response, request: Request, file: QueuedFile) -> FailedFile:
        message = f"the server answers {response.status}"
        if not self._limits.passing(request, response.status):
            return FailedFile(message)
        return FailedFile(message, passing=True, wait=self._limits.asked(request, response) or 0.0)


def _base(source_code: str) -> str:
    """``contracts_finder`` of ``sample:contracts_finder``, ``netserver`` of ``netserver:ID``."""
    platform, _, rest = source_code.partition(":")
    return rest if platform == "sample" else platform


def _from_urls(*urls: str) -> str:
    names = [from_url(url) for url in urls]
    return next((name for name in names if ending_of(name)), names[0])


def _failure(error: BaseException) -> FailedFile:
    """The words for an error, and whether it may pass."""
    if isinstance(error, AddressRefusedError | IgnoreRequest):
        reason = "robots.txt forbids it" if isinstance(error, IgnoreRequest) else error
        return FailedFile(f"not fetched: {reason}")
    if isinstance(error, SourceRequestError) and error.retry_after:
        return FailedFile(str(error), passing=True, wait=error.retry_after, tried=False)
    if isinstance(error, AttachmentError | SourceRequestError):
        return FailedFile(str(error))
    if isinstance(error, NETWORK_ERRORS):
        return FailedFile(f"{type(error).__name__}: {error}"[:200], passing=True)
    if isinstance(error, OSError):
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        message = "the disk is full" if full else f"the file cannot be written: {error.strerror}"
        return FailedFile(message, passing=True, wait=60, tried=False, disk=True)
    logger.error("a file could not be fetched for an unforeseen reason", exc_info=error)
    return FailedFile(f"unforeseen: {type(error).__name__}", passing=True)
