"""Documents of OCDS releases: downloads, links, and what is dropped."""

from __future__ import annotations

from typing import Any

import pytest

from tenderscrapy.formats.ocds import to_notice
from tenderscrapy.items import Attachment, Link, Notice

SITE = "https://www.contractsfinder.service.gov.uk"
GUID = "5d0c1f3e-1111-4222-8333-944455556666"
OTHER = "aaaaaaaa-1111-4222-8333-944455556666"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def read(*documents: Any, **members: Any) -> Notice:
    base = {"ocid": f"ocds-b5fd17-{OTHER}", "id": f"{GUID}-1", "tag": ["tender"]}
    base_url = members.pop("base_url", None)
    return to_notice(base | {"tender": {"title": "T", "documents": list(documents)}} | members, base_url=base_url)


def codes(notice: Notice) -> list[str]:
    return [flag.code for flag in notice.flags]


@pytest.mark.parametrize("tender", [{"title": "T"}, {"title": "T", "documents": []}, {"title": "T", "documents": None}])
def test_d4_no_documents_are_no_attachments(tender: dict[str, Any]) -> None:
    notice = read(tender=tender)
    assert (notice.attachments, notice.links, notice.flags) == ([], [], [])


@pytest.mark.parametrize("url", [None, "", "  "])
def test_d5_a_document_without_address_is_no_fault(url: str | None) -> None:
    notice = read({"id": "3", "description": "x"}, {"id": "4", "url": url, "format": "application/pdf"})
    assert (notice.title, notice.attachments, notice.flags) == ("T", [], [])


def test_d6_a_relative_address_starts_at_the_publisher_and_is_flagged() -> None:
    notice = read({"url": "/Notice/Attachment/abc"})
    assert notice.attachments == [Attachment(f"{SITE}/Notice/Attachment/abc")]
    assert codes(notice) == ["url_relative"]


def test_d6_a_relative_address_starts_at_a_base_that_is_given() -> None:
    notice = read({"url": "/Notice/Attachment/abc"}, base_url="https://mirror.example")
    assert notice.attachments == [Attachment("https://mirror.example/Notice/Attachment/abc")]
    assert notice.url == f"{SITE}/Notice/{GUID}"


def test_d6_a_protocol_relative_address_is_https() -> None:
    notice = read({"url": "//x.example/z", "format": "application/pdf"})
    assert (notice.attachments, notice.flags) == ([Attachment("https://x.example/z", media_type="application/pdf")], [])


def test_d7_an_address_that_is_none_is_dropped_and_the_others_kept() -> None:
    notice = read({"url": "http://Contract Finder"}, {"url": "https://a.example/x", "format": "application/pdf"})
    assert [file.url for file in notice.attachments] == ["https://a.example/x"]
    assert [(f.code, f.field, f.detail) for f in notice.flags] == [
        ("document_url_invalid", "attachments", "http://Contract Finder")
    ]


def test_an_address_that_is_no_text_is_flagged() -> None:
    assert codes(read({"url": 5}, "x")) == ["documents_unreadable", "document_url_unreadable"]


def test_the_notice_page_is_the_url_and_neither_download_nor_link() -> None:
    notice = read({"url": f"{SITE}/Notice/{GUID}", "documentType": "tenderNotice", "format": "text/html"})
    assert (notice.url, notice.attachments, notice.links) == (f"{SITE}/Notice/{GUID}", [], [])


def test_the_own_page_is_taken_as_the_source_links_it() -> None:
    notice = read({"url": f"https://mirror.example/Notice/{GUID}", "format": "text/html"})
    assert (notice.url, notice.links) == (f"https://mirror.example/Notice/{GUID}", [])


def test_the_page_of_another_notice_is_a_link() -> None:
    fts = "https://www.find-tender.service.gov.uk/Notice/002433-2025"
    notice = read({"url": f"{SITE}/Notice/{OTHER}", "format": "text/html"}, {"url": fts})
    assert notice.url == f"{SITE}/Notice/{GUID}"
    assert notice.links == [Link(fts, "notice"), Link(f"{SITE}/Notice/{OTHER}", "notice")]


@pytest.mark.parametrize("media_type", ["application/pdf", WORD, None, "text/html", "unknown"])
def test_an_attachment_address_is_a_download_whatever_its_format(media_type: str | None) -> None:
    url = f"{SITE}/Notice/Attachment/{OTHER}"
    notice = read({"url": url, "format": media_type, "description": "Terms"})
    assert [(file.url, file.filename, file.description) for file in notice.attachments] == [(url, None, "Terms")]
    assert notice.attachments[0].media_type == (media_type if media_type != "unknown" else None)


@pytest.mark.parametrize(
    "media_type", [None, "", "text/html", "text/html; charset=utf-8", "application/xhtml+xml", "page"]
)
def test_a_page_or_an_unknown_format_is_a_link(media_type: str | None) -> None:
    notice = read({"url": "https://portal.example/rfq?PID=1", "format": media_type})
    assert (notice.attachments, notice.links) == ([], [Link("https://portal.example/rfq?PID=1", "documents")])


@pytest.mark.parametrize(
    ("written", "media_type"),
    [
        ("application/pdf", "application/pdf"),
        ("Application/PDF; x=1", "application/pdf"),
        ("pdf", "application/pdf"),
        (".pdf", "application/pdf"),
    ],
)
def test_a_file_format_makes_a_download(written: str, media_type: str) -> None:
    notice = read({"url": "https://a.example/download?id=1", "format": written})
    assert notice.attachments == [Attachment("https://a.example/download?id=1", media_type=media_type)]


def test_a_title_is_a_file_name_only_when_it_looks_like_one() -> None:
    notice = read(
        {"url": "https://a.example/1", "format": "application/pdf", "title": "Site Plan"},
        {"url": "https://a.example/2", "format": "application/pdf", "title": "plan v1.2.pdf"},
    )
    assert [(f.filename, f.description) for f in notice.attachments] == [
        (None, "Site Plan"),
        ("plan v1.2.pdf", "plan v1.2.pdf"),
    ]


def test_documents_of_all_stages_are_read_once_each() -> None:
    def file(number: int) -> dict[str, str]:
        return {"url": f"{SITE}/Notice/Attachment/{number}", "format": "application/pdf"}

    notice = read(
        file(1),
        file(2),
        planning={"documents": [file(3)]},
        awards=[{"documents": [file(2), file(4)]}, {"documents": None}],
        contracts=[{"documents": [file(5)]}],
    )
    assert sorted(f.url[-1] for f in notice.attachments) == ["1", "2", "3", "4", "5"]


def test_the_place_of_submission_is_a_link() -> None:
    notice = read(tender={"title": "T", "submissionMethodDetails": "https://submit.example/x"})
    assert notice.links == [Link("https://submit.example/x", "submission")]
    assert read(tender={"title": "T", "submissionMethodDetails": "By post to https://x.example"}).links == []


def test_the_description_of_a_document_holds_no_contacts() -> None:
    notice = read({"url": f"{SITE}/Notice/Attachment/1", "description": "Ask a.b@example.org"})
    assert notice.attachments[0].description == "Ask […]"


def test_session_parts_are_not_stored() -> None:
    notice = read({"url": "https://a.example/x;jsessionid=1AB?TenderOID=54321-Tender-1-2&csrt=99"})
    assert notice.links == [Link("https://a.example/x?TenderOID=54321-Tender-1-2", "documents")]
