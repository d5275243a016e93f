"""The corpus of real notices in the shapes that the portals publish them in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tenderscrapy.formats import eforms

if TYPE_CHECKING:
    from pathlib import Path

#: What official samples without a publication number are published under here.
SAMPLES = 900_001
PAGES = ("1.composed", "2.composed", "3_terminal.composed")


def api_records(corpus: Path) -> list[dict[str, Any]]:
    """The records that the TED search API gave one by one."""
    return [json.loads(file.read_text("utf-8")) for file in sorted(corpus.glob("ted/api/[0-9]*.json"))]


def api_pages(corpus: Path, site: str) -> list[bytes]:
    """A walk of three pages, the last one empty, as they are but for the site that their links lead to."""
    files = [corpus / "ted" / "api" / f"page_ITERATION_{number}.json" for number in PAGES]
    return [file.read_bytes().replace(b"https://ted.europa.eu", site.encode()) for file in files]


def xml_files(corpus: Path) -> dict[str, bytes]:
    """The official XML of every notice, by publication number."""
    found = {}
    for number, file in enumerate(sorted(corpus.glob("ted/xml/*.xml")), SAMPLES):
        data = file.read_bytes()
        notice = eforms.to_notice(data)
        found[notice.notice_id if notice.source_code == "ted" else f"{number}-2026"] = data
    return found


def record_of(number: str, data: bytes) -> dict[str, Any]:
    """A short record of the search API that leads to this XML: what the notice says more, only the XML says."""
    notice = eforms.to_notice(data)
    language = _LANGUAGES[str(notice.title_lang)]
    day = notice.published_at.date().isoformat() if notice.published_at else f"{number[-4:]}-01-05"
    return {
        "publication-number": number,
        "publication-date": f"{day}Z",
        "official-language": [language.upper()],
        "notice-type": notice.notice_type,
        "form-type": notice.extra.get("form_type", "result"),
        "title-proc": {language: notice.title},
        "buyer-name": {language: [buyer.name for buyer in notice.buyers]},
        "classification-cpv": notice.cpv,
    }


def package(corpus: Path) -> dict[str, Any]:
    """The captured page of Contracts Finder."""
    (file,) = corpus.glob("ocds/contracts_finder/search_page_*.json")
    return dict(json.loads(file.read_text("utf-8")))


_LANGUAGES = {
    "de": "deu", "el": "ell", "en": "eng", "es": "spa", "et": "est", "fi": "fin", "fr": "fra", "it": "ita", "nl": "nld",
    "pl": "pol",
}  # fmt: skip
