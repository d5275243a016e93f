"""The bundled sample: three portals in their own formats, without any network."""

from __future__ import annotations

import json
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import Request

from spiders import sample_bundle
from spiders.base import PagedSpider
from tenderscrapy.exceptions import ConfigurationError
from tenderscrapy.formats import eforms, ocds, ted_json
from tenderscrapy.items import Attachment, Notice, SourcePage

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.http import Response

_MAPPERS: dict[str, Callable[..., Notice]] = {
    "ted": partial(ted_json.to_notice, file_hosts=frozenset({sample_bundle.FILES_HOST})),
    "contracts_finder": ocds.to_notice,
    "doe": eforms.to_notice,
}


class SampleSpider(PagedSpider):
    """Yields notices of several sources (``sample:ted`` ...), so that one tender on two portals can be shown.

    The sample is read whole by every run: ``since`` and ``until`` change nothing. ``anchor`` (a date) is the day that
    its dates are counted from, see sample_bundle.
    """

    name = "sample"
    #: Read whole each time; and ``sample`` alone is no source that a cursor could belong to.
    keeps_cursor = False
    #: Nothing is asked of any host, so nobody has to be spared.
    custom_settings = {  # noqa: RUF012 - Scrapy reads a plain dict
        "DOWNLOAD_HANDLERS": {
            "sample": "spiders.sample_download.SampleHandler",
            **dict.fromkeys(("http", "https", "file", "ftp", "s3")),
        },
        "DOWNLOAD_DELAY": 0.001,
        "AUTOTHROTTLE_ENABLED": False,
    }

    def __init__(self, anchor: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        try:
            self.anchor = date.fromisoformat(anchor) if anchor else sample_bundle.anchor_of()
        except ValueError:
            raise ConfigurationError(f"anchor={anchor!r} is not a date; write it as 2026-11-01") from None

    def page_request(self, cursor: Any) -> Request:
        """A page of the bundle; ``cursor`` is its number."""
        return Request(f"sample://pages/{cursor or 0}?anchor={self.anchor}")

    def parse_page(self, response: Response) -> SourcePage:
        """The page's notices as their portal's own mapper reads them."""
        page = json.loads(response.body)
        source = page["source"]
        documents = [part.encode() if isinstance(part, str) else part for part in page["documents"]]
        notices, rejected = self.map(documents, partial(sample_notice, source))
        return SourcePage(notices, next_cursor=page["next"], announced=page["total"], rejected=rejected)


def sample_notice(source: str, document: Any) -> Notice:
    """The notice of one document of an imitated source, its files at their bundled addresses.

    Raises UnreadableDocumentError.
    """
    notice = _MAPPERS[source](document, source_code=f"sample:{source}")
    # The mappers know the real portals' addresses; a sample notice has no page there.
    notice.url = f"https://{source.replace('_', '-')}.sample.example/{notice.notice_id}"
    for attachment in notice.attachments:
        attachment.url = _bundled(attachment.url) or attachment.url
    known = {attachment.url for attachment in notice.attachments}
    for link in notice.links:
        if (url := _bundled(link.url)) and url not in known:
            known.add(url)
            notice.attachments.append(Attachment(url))
    notice.links = [link for link in notice.links if _bundled(link.url) is None]
    return notice


def _bundled(url: str) -> str | None:
    """The bundled address of a file that a document of the sample names; None for all other addresses."""
    parts = urlsplit(url)
    return f"sample://files{parts.path}" if parts.hostname == sample_bundle.FILES_HOST else None
