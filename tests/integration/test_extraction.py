"""Texts of files through the child process that reads them."""

from __future__ import annotations

import io
import os
import tarfile
import time
import zipfile
from pathlib import Path

import pytest
from documents import (
    docx, endless_pdf, looping_xref_pdf, old_zip, pdf, xlsx, zip_bomb, zip_of,
)  # fmt: skip

from indexer_worker.archive import MAX_MEMBERS
from indexer_worker.extraction import Extractor
from indexer_worker.tender_text import File


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("files")


@pytest.fixture(scope="module")
def extractor(store):
    made = Extractor(store, wall_seconds=60)
    yield made
    made.close()


@pytest.fixture
def extract(store, extractor):
    def call(name, data, media_type=None, by=extractor):
        (store / "file").write_bytes(data)
        return by.extract(File(7, name, media_type, "file"))

    return call


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


def test_members_of_an_archive_are_texts_of_their_own(extract):
    inner = zip_of([("deep.txt", b"deep inside")])
    extracted = extract("all.zip", zip_of([("docs/a.pdf", pdf("page of a member")), ("inner.zip", inner)]))
    assert texts(extracted) == [
        ("all.zip › docs/a.pdf", 1, "page of a member"),
        ("all.zip › inner.zip › deep.txt", None, "deep inside"),
    ]
    assert extracted.error is None


def test_a_packed_tar_is_an_archive_too(extract):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        info = tarfile.TarInfo("docs/a.txt")
        info.size = 5
        archive.addfile(info, io.BytesIO(b"hello"))
    assert texts(extract("a.tar.gz", buffer.getvalue())) == [("a.tar.gz › content › docs/a.txt", None, "hello")]


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("../../x.txt", "x.txt"),
        ("/etc/x.txt", "etc/x.txt"),
        ("C:\\Users\\x.txt", "Users/x.txt"),
        ("a/../b.txt", "a/b.txt"),
    ],
)
def test_a_member_that_points_outside_is_read_and_written_nowhere(extract, store, name, label):
    before = sorted(store.rglob("*"))
    assert texts(extract("a.zip", zip_of([(name, b"words")]))) == [(f"a.zip › {label}", None, "words")]
    assert sorted(store.rglob("*")) == before


def test_two_members_of_one_name_are_both_read(extract):
    with pytest.warns(UserWarning, match="Duplicate"):
        data = zip_of([("a.txt", b"one"), ("a.txt", b"two")])
    assert [text for _, _, text in texts(extract("a.zip", data))] == ["one", "two"]


def test_names_in_an_old_code_page_are_read(extract):
    assert texts(extract("a.zip", old_zip("Übersicht.txt".encode("cp850"), b"words"))) == [
        ("a.zip › Übersicht.txt", None, "words")
    ]


def test_a_bomb_is_not_unpacked_and_good_members_are_read(extract):
    data = zip_of([("zeros.bin", b"0" * 50_000_000), ("good.txt", b"good words")])
    extracted = extract("a.zip", data)
    assert texts(extracted) == [("a.zip › good.txt", None, "good words")]
    assert extracted.error == "zeros.bin: packed more than 200 times, a bomb"


def test_a_bomb_in_a_word_document_costs_nothing_but_the_document(extract):
    with zipfile.ZipFile(io.BytesIO(docx("x"))) as good:
        members = [(name, good.read(name)) for name in good.namelist() if name != "word/document.xml"]
    bomb = b"<?xml version='1.0'?><w:document xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'><w:body><w:p><w:r><w:t>"
    bomb += b"A" * 200_000_000 + b"</w:t></w:r></w:p></w:body></w:document>"
    extracted = extract("a.docx", zip_of([*members, ("word/document.xml", bomb)]))
    assert extracted.sections == []
    assert extracted.error
    assert texts(extract("b.txt", b"next")) == [("b.txt", None, "next")]


def test_a_gzip_bomb_is_stopped_while_it_unpacks(extract):
    import gzip

    extracted = extract("a.gz", gzip.compress(b"0" * 300_000_000))
    assert extracted.sections == []
    assert "bytes" in extracted.error


def test_an_archive_of_very_many_members_is_read_to_the_limit(extract):
    extracted = extract("a.zip", zip_of([*((f"{n}.txt", b"") for n in range(100_000)), ("last.txt", b"x")]))
    assert extracted.error == f"members after {MAX_MEMBERS} left out"


def test_archives_in_archives_end_somewhere(extract):
    data = b"deepest"
    name = "a.txt"
    for _ in range(6):
        data, name = zip_of([("side.txt", b"side"), (name, data)]), "inner.zip"
    extracted = extract("a.zip", data)
    assert len(extracted.sections) == 3
    assert "beyond 3 levels" in extracted.error


def test_a_forged_size_is_found_out(extract):
    data = bytearray(zip_of([("a.txt", b"x" * 5000), ("b.txt", b"good")], zipfile.ZIP_STORED))
    at = data.index(b"PK\x01\x02")
    data[at + 24 : at + 28] = (10).to_bytes(4, "little")
    extracted = extract("a.zip", bytes(data))
    assert ("a.zip › b.txt", None, "good") in texts(extracted)
    assert "a.txt" in extracted.error


def test_a_link_and_an_encrypted_member_are_named_and_the_rest_is_read(extract):
    link = zipfile.ZipInfo("link.txt")
    link.external_attr = 0o120777 << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(link, "/etc/passwd")
        archive.writestr("good.txt", "good")
        archive.writestr("locked.txt", "locked")
    data = bytearray(buffer.getvalue())
    at = data.rindex(b"PK\x01\x02")
    data[at + 8] |= 1
    extracted = extract("a.zip", bytes(data))
    assert texts(extracted) == [("a.zip › good.txt", None, "good")]
    assert extracted.error == "link.txt: a link; locked.txt: encrypted"


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


def test_a_file_that_is_missing_or_outside_the_folder_says_so(extractor, store):
    assert "missing" in extractor.extract(File(1, "a.pdf", None, "nowhere")).error
    assert "leads out" in extractor.extract(File(1, "a.pdf", None, "../../etc/passwd")).error


def test_a_pdf_that_never_ends_is_stopped_and_the_next_one_is_read(extract, store):
    hasty = Extractor(store, wall_seconds=2)
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
