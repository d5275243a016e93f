"""Archives that a server sent are read member by member, and each member only as far as it may be."""

from __future__ import annotations

import io
import struct
import zipfile
from typing import TYPE_CHECKING

import pytest

from tenderscrapy.exceptions import UnreadableDocumentError
from tenderscrapy.formats import zip_archive
from tenderscrapy.formats.zip_archive import Archive

if TYPE_CHECKING:
    from pathlib import Path


def packed(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "archive.zip"


def test_members_come_in_the_order_of_their_names_even_when_the_file_has_lost_its_own(place):
    place.write_bytes(packed({"b-02.xml": b"two", "b-01.xml": b"one", "a/": b""}))
    with Archive.open(place) as archive:
        place.unlink()
        assert [(member.name, member.read()) for member in archive.members] == [
            ("b-01.xml", b"one"),
            ("b-02.xml", b"two"),
        ]


@pytest.mark.parametrize("body", [b"", b"not acceptable", packed({"a.xml": b"x" * 999})[:-30], b"PK\x05\x06"])
def test_what_is_no_whole_archive_is_refused(place, body):
    place.write_bytes(body)
    with pytest.raises(UnreadableDocumentError, match="no whole ZIP"):
        Archive.open(place)


def test_a_file_that_never_came_is_an_empty_answer(place):
    with pytest.raises(UnreadableDocumentError, match="the answer is empty"):
        Archive.open(place)


def test_a_bomb_is_not_unpacked_and_its_neighbours_are_read(place, monkeypatch):
    monkeypatch.setattr(zip_archive, "MAX_MEMBER", 1000)
    place.write_bytes(packed({"bomb.xml": b" " * 50_000_000, "good.xml": b"<a/>"}))
    with Archive.open(place) as archive:
        bomb, good = archive.members
        with pytest.raises(UnreadableDocumentError, match="unpacks to more than 2,000 bytes"):
            bomb.read(2000)
        assert good.read() == b"<a/>"
        assert archive.unpacked < 3000


def test_all_members_together_have_a_limit(place, monkeypatch):
    monkeypatch.setattr(zip_archive, "MAX_TOTAL", 1500)
    place.write_bytes(packed({f"{n}.xml": b" " * 1000 for n in range(3)}))
    with Archive.open(place) as archive:
        archive.members[0].read()
        for member in archive.members[1:]:
            with pytest.raises(UnreadableDocumentError, match="unpacks to more than"):
                member.read()


def test_a_directory_larger_than_any_is_refused_before_it_is_held(place, monkeypatch):
    monkeypatch.setattr(zip_archive, "MAX_DIRECTORY", 10_000)
    place.write_bytes(packed({f"{n}.xml": b"" for n in range(500)}))
    with pytest.raises(UnreadableDocumentError, match="its directory is too large"):
        Archive.open(place)


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_methods_that_may_ask_for_gigabytes_are_refused(place, method):
    place.write_bytes(packed({"a.xml": b"<a/>"}, method))
    with Archive.open(place) as archive, pytest.raises(UnreadableDocumentError, match=f"by method {method}"):
        archive.members[0].read()


def test_a_size_in_the_directory_that_lies_is_found_out(place):
    body = bytearray(packed({"a.xml": b"x" * 5000}))
    entry = body.index(b"PK\x01\x02")
    body[entry + 24 : entry + 28] = struct.pack("<I", 10)
    place.write_bytes(bytes(body))
    with Archive.open(place) as archive, pytest.raises(UnreadableDocumentError, match="damaged"):
        archive.members[0].read()


def test_a_name_is_shown_without_what_nobody_sees(place):
    place.write_bytes(packed({"../\x1b[31mevil\n.xml": b""}))
    with Archive.open(place) as archive:
        (member,) = archive.members
        assert "\x1b" not in member.name


# --- what can be had of an archive that was cut -----------------------------------------------------------------------


def streamed(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """As a server packs that does not know sizes beforehand: they follow each member."""

    class Pipe(io.RawIOBase):
        def __init__(self) -> None:
            self.parts: list[bytes] = []

        def writable(self) -> bool:
            return True

        def write(self, data) -> int:
            self.parts.append(bytes(data))
            return len(data)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return b"".join(pipe.parts)


FOUR = {f"{n}.xml": f"<a>{n}</a>".encode() * 400 for n in range(4)}


@pytest.mark.parametrize("pack", [packed, streamed, lambda members: packed(members, zipfile.ZIP_STORED)])
def test_the_members_before_a_cut_are_salvaged_wherever_it_is(place, pack):
    body = pack(FOUR)
    numbers = []
    for size in range(len(body)):
        place.write_bytes(body[:size])
        try:
            archive = Archive.open(place, salvage=True)
        except UnreadableDocumentError:
            numbers.append(0)
            continue
        with archive:
            found = {member.name: member.read() for member in archive.members}
            assert archive.damage
            assert found == dict(list(FOUR.items())[: len(found)])
            numbers.append(len(found))
    assert numbers == sorted(numbers)
    assert set(numbers) == {0, 1, 2, 3, 4}


def test_a_damaged_or_a_huge_member_ends_what_is_salvaged(place, monkeypatch):
    monkeypatch.setattr(zip_archive, "MAX_MEMBER", 100_000)
    for bad in (b" " * 50_000_000, None):
        body = bytearray(packed({"0.xml": b"<a/>", "1.xml": bad or b"<b>word</b>" * 20, "2.xml": b"<c/>"}))
        if bad is None:
            body[body.index(b"1.xml") + 12] ^= 0xFF
        place.write_bytes(bytes(body[:-40]))
        with Archive.open(place, salvage=True) as archive:
            assert [member.name for member in archive.members] == ["0.xml"]


@pytest.mark.parametrize("body", [b"not acceptable", b"", b"PK\x03\x04"])
def test_where_there_is_nothing_to_salvage_it_is_no_archive(place, body):
    place.write_bytes(body)
    with pytest.raises(UnreadableDocumentError, match="no whole ZIP"):
        Archive.open(place, salvage=True)
