"""Notices of the open data of Vergabemarktplatz NRW: eForms XML as the marketplace itself exports it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tenderscrapy.formats import doe, eforms

if TYPE_CHECKING:
    from tenderscrapy.items import Notice

_NOTICE_PAGE = re.compile(r"(https?://[^\s?#]+/notice/CX[A-Z0-9]{6,})(?:[/?#]|$)")


def to_notice(document: bytes, *, source_code: str = "nrw_opendata") -> Notice:
    """As eforms.to_notice; ``url`` is the marketplace's page, told by the address of the documents."""
    notice = doe.in_order(eforms.to_notice(document, source_code=source_code))
    pages = (match[1] for link in notice.links if (match := _NOTICE_PAGE.match(link.url)))
    notice.url = next(pages, None)
    return notice
