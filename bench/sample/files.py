"""The sample's files: PDF, Word, Excel, ZIP, XML and plain text, made from specs/files.yaml, byte for byte the same."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO
from typing import Any
from xml.sax.saxutils import escape

import yaml
from docx import Document
from lxml import etree
from openpyxl import Workbook
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer

from bench.sample.specs import SPECS

FIXED = (2020, 1, 1, 0, 0, 0)


def contents() -> dict[str, bytes]:
    """File name -> content."""
    makers = {"pdf": pdf, "docx": docx, "xlsx": xlsx, "zip": archive, "xml": xml, "txt": txt}
    specs = yaml.safe_load((SPECS / "files.yaml").read_text(encoding="utf-8"))
    return {name: makers[name.rsplit(".", 1)[1]](spec) for name, spec in specs.items()}


def pdf(spec: dict[str, Any]) -> bytes:
    """Headed paragraphs, the second half on a second page."""
    styles = getSampleStyleSheet()
    story: list[Any] = [Paragraph(escape(spec["title"]), styles["Title"]), Spacer(1, 12)]
    for number, (heading, text) in enumerate(spec["sections"]):
        if number == (len(spec["sections"]) + 1) // 2:
            story.append(PageBreak())
        story += [Paragraph(escape(heading), styles["Heading2"]), Paragraph(escape(text), styles["BodyText"])]
    target = BytesIO()
    SimpleDocTemplate(target, title=spec["title"], lang=spec["lang"], invariant=1).build(story)
    return target.getvalue()


def docx(spec: dict[str, Any]) -> bytes:
    """Headed paragraphs."""
    document = Document()
    document.core_properties.title, document.core_properties.language = spec["title"], spec["lang"]
    document.core_properties.author = ""
    document.add_heading(spec["title"], level=0)
    for heading, text in spec["sections"]:
        document.add_heading(heading, level=1)
        document.add_paragraph(text)
    target = BytesIO()
    document.save(target)
    return repacked(target.getvalue())


def xlsx(spec: dict[str, Any]) -> bytes:
    """A table and a sheet of notes."""
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Positionen"
    for row in spec["rows"]:
        sheet.append(row)
    book.create_sheet("Hinweise").append([spec["note"]])
    book.properties.creator, book.properties.title = "", spec["title"]
    target = BytesIO()
    book.save(target)
    return repacked(target.getvalue())


def archive(spec: dict[str, Any]) -> bytes:
    """A Word file beside an archive in the archive, whose member has an umlaut in its name."""
    inner_name, member, text = spec["inner"]
    inner = zipped({member: text.encode()})
    return zipped({"Security questionnaire.docx": docx(spec), inner_name: inner})


def xml(spec: dict[str, Any]) -> bytes:
    """Positions of a bill of quantities."""
    root = etree.Element("LV", name=spec["title"])
    header, *rows = spec["rows"]
    for row in rows:
        position = etree.SubElement(root, "Leistungsposition")
        for name, value in zip(header, row, strict=True):
            etree.SubElement(position, name).text = str(value)
    etree.SubElement(root, "Hinweis").text = spec["note"]
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)


def txt(spec: dict[str, Any]) -> bytes:
    """Plain paragraphs."""
    parts = [spec["title"], *(f"{heading}\n{text}" for heading, text in spec["sections"])]
    return ("\n\n".join(parts) + "\n").encode()


def zipped(members: dict[str, bytes]) -> bytes:
    """A ZIP without the time of its making."""
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, FIXED)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            bundle.writestr(info, content)
    return target.getvalue()


def repacked(content: bytes) -> bytes:
    """An Office file without the time of its making."""
    with zipfile.ZipFile(BytesIO(content)) as bundle:
        members = {name: bundle.read(name) for name in bundle.namelist()}
    core = members["docProps/core.xml"]
    members["docProps/core.xml"] = re.sub(rb">\d{4}-\d\d-\d\dT[\d:]+Z<", b">2020-01-01T00:00:00Z<", core)
    return zipped(members)
