"""Archives through the child process that reads files: limits, hostile names, broken members."""

from __future__ import annotations

import io
import tarfile
import zipfile

import pytest
from documents import (
    docx,
    old_zip,
    pdf,
    zip_of,
)

from indexer_worker.archive import MAX_MEMBERS


def texts(extracted):
    return [(section.name, section.page, section.text) for section in extracted.sections]


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
def test_a_member_that_points_outside_is_read_and_written_nowhere(extract, file_store, name, label):
    before = sorted(file_store.rglob("*"))
    assert texts(extract("a.zip", zip_of([(name, b"words")]))) == [(f"a.zip › {label}", None, "words")]
    assert sorted(file_store.rglob("*")) == before


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
