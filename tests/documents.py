"""Files for tests, made here: documents as buyers publish them, and broken or hostile ones."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

from docx import Document
from openpyxl import Workbook
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas


def pdf(*pages: str, password: str | None = None) -> bytes:
    """A PDF with one text a page."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, encrypt=StandardEncryption(password, canPrint=0) if password else None)
    for text in pages:
        for number, line in enumerate(text.split("\n")):
            canvas.drawString(50, 800 - 14 * number, line)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def docx(*paragraphs: str, table: list[list[str]] | None = None) -> bytes:
    """A Word document with paragraphs and, after them, a table."""
    document = Document()
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    if table:
        cells = document.add_table(len(table), len(table[0]))
        for row, values in enumerate(table):
            for column, value in enumerate(values):
                cells.cell(row, column).text = value
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def xlsx(rows: list[list[object]]) -> bytes:
    """A workbook with one sheet."""
    workbook = Workbook()
    for row in rows:
        workbook.active.append(row)
    buffer = io.BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()


def zipped(**members: bytes) -> bytes:
    """A ZIP of files; ``__`` in a keyword stands for the dot of its ending."""
    return zip_of([(name.replace("__", "."), data) for name, data in members.items()])


def zip_of(members: list[tuple[str, bytes]], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A ZIP of (name, data), in this order, equal names too."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data, compression)
    return buffer.getvalue()


def old_zip(raw_name: bytes, data: bytes) -> bytes:
    """A ZIP of one stored file whose name is in an old code page, without the mark for UTF-8."""
    head = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 0x21, zlib.crc32(data), len(data), len(data), len(raw_name), 0)
    local = b"PK\x03\x04" + head + raw_name + data
    central = b"PK\x01\x02" + struct.pack("<H", 20) + head + struct.pack("<HHHII", 0, 0, 0, 0, 0) + raw_name
    return local + central + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)


def zip_bomb(megabytes: int) -> bytes:
    """A ZIP whose one member unpacks to zeros."""
    return zip_of([("zeros.txt", b"0" * (megabytes << 20))])


def _pdf_of(objects: list[bytes]) -> bytes:
    body, offsets = b"%PDF-1.7\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n" % number + content + b"\nendobj\n"
    table = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    table += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(body))
    return body + table + trailer


def endless_pdf(levels: int = 12, fan: int = 30) -> bytes:
    """A small PDF that draws ``fan`` ** ``levels`` forms: each form calls the next one many times."""

    def stream(dictionary: bytes, content: bytes) -> bytes:
        return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (dictionary, len(content), content)

    form = b"/Type /XObject /Subtype /Form /BBox [0 0 600 800]"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R "
            b"/Resources << /XObject << /F 5 0 R >> >> >>"
        ),
        stream(b"", b"/F Do " * fan),
    ]
    for level in range(levels):
        inner = b" /Resources << /XObject << /F %d 0 R >> >>" % (6 + level)
        objects.append(stream(form + inner, b"/F Do " * fan))
    objects.append(stream(form, b"0 0 m 1 1 l S"))
    return _pdf_of(objects)


def looping_xref_pdf() -> bytes:
    """A PDF whose cross-reference table names itself as the one before it."""
    body = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n"
    table = b"xref\n0 1\n0000000000 65535 f \ntrailer << /Size 3 /Root 1 0 R /Prev %d >>\nstartxref\n%d\n%%%%EOF\n"
    return body + table % (len(body), len(body))
