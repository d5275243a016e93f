"""Sources that publish their notices packed: a page of the walk is one ZIP archive, streamed to disk."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy.http import Request

from spiders.base import PagedSpider
from spiders.chain import PARTIAL_RETRIES
from tenderscrapy.exceptions import SourceRequestError, UnreadableDocumentError, UnsupportedFormatError
from tenderscrapy.formats.zip_archive import Archive
from tenderscrapy.http.file_store import FileStore
from tenderscrapy.http.scrapy_stream import StreamTarget
from tenderscrapy.items import SourcePage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from scrapy.http import Response
    from twisted.python.failure import Failure

    from tenderscrapy.items import Notice

logger = logging.getLogger(__name__)

#: A month of notices has 168 MB.
MAX_ARCHIVE = 1_000_000_000
_NAMED = 3
#: A name for people, and what reads its notices.
Document = tuple[str, "Callable[[], Iterable[Notice]]"]


class ArchiveSpider(PagedSpider):
    """Asks for archives and reads their members one by one from disk, never the whole in memory.

    The file has lost its name once it is open: it is gone with the process, however that ends.
    """

    def archive_request(self, url: str, mark: str) -> Request:
        """The request for an archive; ``mark`` names what the walk remembers of it (its ETag)."""
        target = StreamTarget(FileStore(self.settings["FILES_STORE"]).part(), MAX_ARCHIVE, again=True)
        request = Request(url, headers={"Accept-Encoding": "identity"})
        request.meta.update({"stream_to": target, "mark": mark, "handle_httpstatus_list": [304, 400, 404]})
        if known := self.run.cursor.get("marks", {}).get(mark):
            request.headers["If-None-Match"] = known
        return request

    def archive_page(self, response: Response, read: Callable[[Archive, SourcePage], Iterator[Notice]]) -> SourcePage:
        """The page of an answer with an archive or 304; ``read`` hands on the notices of the archive.

        An answer that is no whole archive is ``partial``, with the reason as its gap; the last try gives what members
        it has.
        """
        if response.status == 304:
            return SourcePage((), streamed=True)
        target: StreamTarget = response.meta["stream_to"]
        try:
            archive = Archive.open(target.path, salvage=self.last_try(response))
        except UnreadableDocumentError as error:
            return SourcePage((), streamed=True, partial=True, gap=f"{_place(response)}: {error}")
        finally:
            target.path.unlink(missing_ok=True)
        page = SourcePage((), streamed=True)
        if archive.damage:
            page.gap = f"{_place(response)}: {archive.damage}; {len(archive.members)} members were before the cut"
        page.notices = _closing(archive, read(archive, page))
        etag = (response.headers.get("ETag") or b"").decode("latin-1")
        page.mark = {response.meta["mark"]: etag[:200]} if etag else None
        return page

    def read(
        self, documents: Iterable[Document], page: SourcePage, on_broken: Callable[[str], None] = lambda _: None
    ) -> Iterator[Notice]:
        """The notices of ``documents``; each that is broken is named in the page's gap, and costs only itself.

        A document of a kind that is no tender is rejected, which leaves no gap.
        """
        broken: list[str] = []
        for name, notices_of in documents:
            try:
                notices = list(notices_of())
            except UnsupportedFormatError as error:
                logger.info("%s is left out: %s", name, error)
                page.rejected += 1
                continue
            except UnreadableDocumentError as error:
                broken.append(f"{name}: {str(error)[:100]}")
            except Exception as error:
                logger.exception("%s: the mapper died over %s, which is left out", self.name, name)
                broken.append(f"{name}: {type(error).__name__} in the mapper")
            else:
                yield from notices
                continue
            page.rejected += 1
            on_broken(name)
        if broken:
            more = f" and {len(broken) - _NAMED} more" if len(broken) > _NAMED else ""
            page.gap = page.gap or f"{len(broken)} member(s) cannot be read: {'; '.join(broken[:_NAMED])}{more}"

    def last_try(self, response: Response) -> bool:
        """Whether a partial answer is not asked for again."""
        return bool(response.meta["tries"] >= PARTIAL_RETRIES)

    def failed(self, failure: Failure) -> Iterable[Request]:
        """As for every page; what came of the archive is removed."""
        target: Any = failure.request.meta.get("stream_to")  # type: ignore[attr-defined]  # Scrapy sets it
        if target is not None:
            target.path.unlink(missing_ok=True)
        return super().failed(failure)


def documents_in(archive: Archive, ending: str, to_notices: Callable[[bytes], Iterable[Notice]]) -> Iterator[Document]:
    """The members whose name ends so, as documents; others are no notices."""
    for member in archive.members:
        if member.name.lower().endswith(ending):
            yield member.name, lambda member=member: to_notices(member.read())  # type: ignore[misc]
        else:
            logger.warning("%s is no notice by its name, and is left out", member.name)


def refused(response: Response) -> SourceRequestError:
    """A 400 or 404 that nothing else explains."""
    return SourceRequestError(f"{_place(response)} answered {response.status}", status=response.status, permanent=True)


def _closing(archive: Archive, notices: Iterator[Notice]) -> Iterator[Notice]:
    with archive:
        yield from notices


def _place(response: Response) -> str:
    return response.url[:200]
