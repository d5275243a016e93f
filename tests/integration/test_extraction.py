"""Texts of files through the child process that reads them."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from documents import (
    docx,
    endless_pdf,
    looping_xref_pdf,
    pdf,
    xlsx,
    zip_bomb,
    zip_of,
)

from indexer_worker.extraction import Extractor
from indexer_worker.tender_text import File


def texts(extracted):
    return [(section.name, section.page, section.text) for section in extracted.sections]


def test_a_pdf_is_read_page_by_page(extract):
    extracted = extract("terms.pdf", pdf("Angebotsfrist: 15.07.2026", "Müllabfuhr, 12 Monate"))
    assert texts(extracted) == [
        ("terms.pdf", 1, "Angebotsfrist: 15.07.2026"),
        ("terms.pdf", 2, "Müllabfuhr, 12 Monate"),
    ]
    assert extracted.error is None
    assert {section.attachment_id for section in extracted.sections} == {7}


def test_a_word_document_is_read_with_its_tables(extract):
    ((_, _, text),) = texts(extract("a.docx", docx("Leistungsbeschreibung", table=[["Pos", "Preis"], ["1", "12,50"]])))
    assert text.split() == ["Leistungsbeschreibung", "Pos", "Preis", "1", "12,50"]


def test_a_workbook_is_read(extract):
    ((_, _, text),) = texts(extract("a.xlsx", xlsx([["Pos", "Menge"], ["Kabel", 120]])))
    assert "Kabel 120" in text


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("a.txt", "Straße\r\nund Weg".encode(), "Straße\nund Weg"),
        ("a.csv", "Größe;Menge".encode("cp1252"), "Größe;Menge"),
        ("a.txt", "\ufeffÜbersicht".encode("utf-16"), "Übersicht"),
        ("a.txt", "Stra\0ße \u200bund\ufeff Weg".encode(), "Straße und Weg"),
        ("a.html", b"<!doctype html><html><body><p>Gr&ouml;&szlig;e</p><script>x()</script></body></html>", "Größe"),
        (
            "notice.xml",
            "<?xml version='1.0'?><n:a xmlns:n='u'><n:b>Straße</n:b><!-- no --><c>2</c></n:a>".encode(),
            "Straße\n2",
        ),
        ("a.rtf", rb"{\rtf1\ansi Hallo \b Welt}", "Hallo Welt"),
    ],
)
def test_texts_are_read_in_their_encodings(extract, name, data, text):
    assert texts(extract(name, data)) == [(name, None, text)]


def test_an_xml_entity_opens_no_file(extract, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret words")
    data = f"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY e SYSTEM 'file://{secret}'>]><a>plain &e; words</a>".encode()
    assert "secret" not in str(texts(extract("a.xml", data)))


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.pdf", b"<!DOCTYPE html><html><body>Please log in</body></html>", "an HTML page in place of the PDF file"),
        ("a.pdf", b"", "the file is empty"),
        ("a.pdf", b"\0" * 100, "the file is empty"),
        ("a.pdf", b"%PDF-1.4\n" + b"1" * 68, "the PDF cannot be read"),
        ("a.pdf", pdf("some text")[:300], "the PDF cannot be read"),
        ("a.pdf", looping_xref_pdf(), "the PDF cannot be read"),
        ("a.pdf", pdf("secret", password="x"), "the PDF is encrypted"),
        ("a.pdf", pdf(""), "the PDF has no text, it may be scanned"),
        ("a.zip", zip_of([("a.txt", b"x" * 100)])[:60], "a broken archive"),
        ("a.png", b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "an image, its text is not read"),
        ("a.bin", bytes(range(256)) * 20, "an unknown format"),
        ("a.docx", b"PK\x03\x04" + b"x" * 50, "a broken archive"),
        ("bomb.zip", zip_bomb(50), "bomb"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(extract, name, data, said):
    extracted = extract(name, data)
    assert extracted.sections == []
    assert said in extracted.error


def test_a_file_that_is_missing_or_outside_the_folder_says_so(extractor, file_store):
    assert "missing" in extractor.extract(File(1, "a.pdf", None, "nowhere")).error
    assert "leads out" in extractor.extract(File(1, "a.pdf", None, "../../etc/passwd")).error


def test_a_pdf_that_never_ends_is_stopped_and_the_next_one_is_read(extract, file_store):
    hasty = Extractor(file_store, wall_seconds=2)
    try:
        assert extract("a.pdf", endless_pdf(), by=hasty).error == "reading it took longer than 2 s"
        assert texts(extract("b.pdf", pdf("the next one"), by=hasty)) == [("b.pdf", 1, "the next one")]
    finally:
        hasty.close()


def test_a_child_that_is_killed_costs_no_file(extract, extractor):
    extract("a.txt", b"first")
    os.kill(extractor._child.pid, 9)
    time.sleep(0.05)
    assert texts(extract("b.txt", b"second")) == [("b.txt", None, "second")]


def test_the_child_may_neither_write_nor_take_all_memory(extract, extractor):
    extract("a.txt", b"x")
    pid = extractor._child.pid
    limits = Path(f"/proc/{pid}/limits").read_text()
    values = {line[:26].strip(): line[26:].split()[0] for line in limits.splitlines()[1:]}
    assert values["Max file size"] == "0"
    assert int(values["Max address space"]) <= 3_000_000_000
    if os.geteuid() == 0:
        assert "Uid:\t65534\t65534" in Path(f"/proc/{pid}/status").read_text()
