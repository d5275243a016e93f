"""What a file is by its content, held against what it says it is."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import docx
import openpyxl
import pytest

from tenderscrapy.exceptions import AttachmentError
from tenderscrapy.http.media_types import checked, ending_for, ends_early, sniff

if TYPE_CHECKING:
    from pathlib import Path

PDF = b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n%%EOF\n"
LOGIN = b"<!DOCTYPE html><html><body>Please log in</body></html>"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
ODT = "application/vnd.oasis.opendocument.text"


def word() -> bytes:
    buffer = io.BytesIO()
    docx.Document().save(buffer)
    return buffer.getvalue()


def sheet() -> bytes:
    buffer = io.BytesIO()
    openpyxl.Workbook().save(buffer)
    return buffer.getvalue()


def archive(*names: str, first: tuple[str, str] | None = None) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        if first:
            packed.writestr(zipfile.ZipInfo(first[0]), first[1])
        for name in names:
            packed.writestr(name, "x" * 100)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (PDF, "application/pdf"),
        (b"junk before\n" + PDF, "application/pdf"),
        (word(), DOCX),
        (sheet(), XLSX),
        (archive("ppt/presentation.xml", "[Content_Types].xml"), PPTX),
        (archive("content.xml", first=("mimetype", ODT)), ODT),
        (archive("Los 1/Plan.pdf"), "application/zip"),
        (archive(), "application/zip"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "application/x-ole-storage"),
        (b"{\\rtf1 x}", "application/rtf"),
        (LOGIN, "text/html"),
        (b"\xef\xbb\xbf\r\n  <HTML lang=de>", "text/html"),
        (b"<!-- a comment --><html>", "text/html"),
        (b"<!----><!---->" * 200 + b"<htm", "text/plain"),  # no spinning over what looks like a page
        (b'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "x"><html>', "text/html"),
        ("<html>".encode("utf-16"), "text/html"),
        (b"<script>location='/login'</script>", "text/html"),
        (b'<?xml version="1.0"?><GAEB/>', "application/xml"),
        (b"<GAEB xmlns='x'/>", "application/xml"),
        (b"Plain text, <b>not</b> HTML.", "text/plain"),
        ("Größe\n".encode("latin-1"), "text/plain"),
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\0\1\2\3", None),
        (b"", None),
    ],
)  # fmt: skip
def test_content_shows_its_type(content: bytes, media_type: str | None) -> None:
    assert sniff(content[:65_536], content[-66_000:]) == media_type


@pytest.mark.parametrize(
    ("content", "name", "declared", "media_type"),
    [
        (PDF, "a.pdf", (), "application/pdf"),
        (PDF, "a", ("application/octet-stream", "text/html; charset=utf-8"), "application/pdf"),
        (PDF, "a.docx", (DOCX,), "application/pdf"),
        (word(), "a.docx", ("application/octet-stream",), DOCX),
        (archive("Los 1/Plan.pdf"), "a.docx", (), DOCX),
        (archive("Los 1/Plan.pdf"), "a", ("docx",), DOCX),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "a.doc", (), "application/msword"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "a", (), "application/x-ole-storage"),
        (LOGIN, "a.html", (), "text/html"),
        (LOGIN, "a", ("text/html",), "text/html"),
        (b"<?xml version='1.0'?><GAEB/>", "LV.x83", (), "application/xml"),
        (b"a;b\n1;2\n", "a.csv", ("text/plain",), "text/csv"),
        (b"a;b\n1;2\n", "a", ("text/html",), "text/plain"),
        (b"\0\1\2", "a.dwg", ("image/vnd.dwg",), "image/vnd.dwg"),
        (b"\0\1\2", "a.dwg", (None, ""), "application/octet-stream"),
    ],
)
def test_a_file_is_kept_as_what_it_is(
    tmp_path: Path, content: bytes, name: str, declared: tuple[str, ...], media_type: str
) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)

    assert checked(path, name, declared) == media_type


@pytest.mark.parametrize(
    ("content", "name", "declared", "reason"),
    [
        (b"", "a.pdf", (), "the file is empty"),
        (LOGIN, "a.pdf", (), "is an HTML page, not a PDF"),
        (LOGIN, "a", ("application/pdf",), "is an HTML page, not a PDF"),
        (LOGIN, "a.docx", ("", "text/html"), "is an HTML page, not a document of the type DOCX"),
        (LOGIN, "a.zip", (), "is an HTML page, not a ZIP archive"),
        (LOGIN, "a", (None, "text/html"), "is an HTML page, not a document"),
        (LOGIN, "a.txt", (), "is an HTML page, not a document"),
        (b"Session expired", "a.pdf", (), "is not a PDF"),
        (b"\0\1\2\3", "a.xlsx", (), "is not a document of the type XLSX"),
    ],
)
def test_a_page_or_text_in_place_of_a_document_is_refused(
    tmp_path: Path, content: bytes, name: str, declared: tuple[str | None, ...], reason: str
) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)

    with pytest.raises(AttachmentError) as refused:
        checked(path, name, declared)
    assert str(refused.value) == reason


def test_a_cut_file_shows_where_its_format_has_an_end_mark(tmp_path: Path) -> None:
    path = tmp_path / "x"
    for content, media_type in ((PDF, "application/pdf"), (word(), DOCX)):
        path.write_bytes(content)
        assert not ends_early(path, media_type)
        path.write_bytes(content[:-30])
        assert ends_early(path, media_type)
    assert not ends_early(path, "text/plain")


def test_endings_are_the_usual_ones() -> None:
    assert [ending_for(t) for t in ("application/pdf", "image/jpeg", "text/html", "x/y", None)] == [
        ".pdf",
        ".jpg",
        ".html",
        "",
        "",
    ]
