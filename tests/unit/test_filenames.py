"""File names out of headers and addresses."""

from __future__ import annotations

import pytest

from tenderscrapy.http.filenames import LONGEST, clean_name, ending_of, from_disposition, from_url


@pytest.mark.parametrize(
    ("header", "name"),
    [
        (b"attachment; filename*=UTF-8''%C3%9Cbersicht%20Preise.pdf;", "Übersicht Preise.pdf"),
        (b"attachment; filename=\"x.pdf\"; filename*=utf8''%C3%BC.pdf", "ü.pdf"),
        (b"attachment; filename*=utf8''%C3%BC.pdf; filename=\"x.pdf\"", "ü.pdf"),
        (b"attachment; filename*=ISO-8859-1'de'%DCbersicht.pdf", "Übersicht.pdf"),
        (b"attachment; filename*=\"UTF-8''%C3%BC.pdf\"", "ü.pdf"),
        (b"attachment; filename*=%C3%BC.pdf", "ü.pdf"),
        (b"attachment; filename*=no-such-charset''%FC.pdf", "ü.pdf"),
        (b"attachment; filename*=UTF-8''%FC.pdf", "ü.pdf"),
        (b"attachment; filename*=UTF-8''; filename=\"x.pdf\"", "x.pdf"),
        (b"attachment; filename*0*=UTF-8''%C3%9Cber; filename*1=\"sicht 5%.pdf\"", "Übersicht 5%.pdf"),
        (b'attachment; filename*1="b.pdf"; filename*0="a"', "ab.pdf"),
        ('attachment; filename="Übersicht.pdf"'.encode(), "Übersicht.pdf"),
        ('attachment; filename="Übersicht.pdf"'.encode("latin-1"), "Übersicht.pdf"),
        ('attachment; filename="Preis – €.pdf"'.encode("cp1252"), "Preis – €.pdf"),
        (b'attachment; filename="%C3%9Cbersicht%20Preise.pdf"', "Übersicht Preise.pdf"),
        (b'attachment; filename="Rabatt 20%.pdf"', "Rabatt 20%.pdf"),
        (b'attachment; filename="Rabatt%20ab%DC.pdf"', "Rabatt%20ab%DC.pdf"),
        (b'attachment; filename="=?UTF-8?Q?=C3=9Cbersicht=2Epdf?="', "Übersicht.pdf"),
        (b'attachment; filename="=?UTF-8?B?w5xiZXJzaWNodC5wZGY=?="', "Übersicht.pdf"),
        (b"attachment; filename=Preise Los 1.pdf", "Preise Los 1.pdf"),
        (b'attachment; filename="a;b=c.pdf"; size=3', "a;b=c.pdf"),
        (b'attachment; filename="unclosed.pdf', "unclosed.pdf"),
        (b'attachment; filename="a\\"b.pdf"', "a_b.pdf"),
        (b'filename="without type.pdf"', "without type.pdf"),
        (b'ATTACHMENT; FileName = "x.PDF"', "x.PDF"),
        (rb'attachment; filename="..\\..\\a.pdf"', "a.pdf"),
        (rb'attachment; filename="..\..\a.pdf"', "a.pdf"),
        (rb'attachment; filename="C:\temp\a.pdf"', "a.pdf"),
        (b'attachment; filename="../../etc/passwd"', "passwd"),
        (b"attachment; filename*=UTF-8''..%2F..%2Fa.pdf", "a.pdf"),
        (b'attachment; filename="a/b:c*?.pdf"', "b_c__.pdf"),
        ('attachment; filename="evil\u202efdp.exe"'.encode(), "evilfdp.exe"),
        (b'attachment; filename="a\x00b\x07.pdf"', "ab.pdf"),
        (b'attachment; filename=".."', None),
        (b'attachment; filename=""', None),
        (b"attachment; filename=", None),
        (b"attachment", None),
        (b"inline", None),
        (b"", None),
        (None, None),
    ],
)
def test_the_shown_name_is_what_the_header_means(header: bytes | None, name: str | None) -> None:
    assert from_disposition(header) == name


def test_a_long_name_is_cut_before_its_ending_and_between_letters() -> None:
    name = clean_name("ü" * 300 + ".docx")

    assert name == "ü" * 125 + ".docx"
    assert len(name.encode()) == LONGEST


def test_three_hundred_characters_of_ending_are_no_ending() -> None:
    assert len(clean_name("a." + "b" * 300)) == LONGEST


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://example.org/a/Plan%20A.pdf?x=1", "Plan A.pdf"),
        ("https://example.org/Notice/Attachment/12-ab", "12-ab.pdf"),
        ("https://example.org/%DC.pdf", "\ufffd.pdf"),
        ("https://example.org/", "document.pdf"),
        ("https://example.org", "document.pdf"),
    ],
)
def test_an_address_gives_a_name_with_an_ending(url: str, name: str) -> None:
    assert from_url(url, ".pdf") == name


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("a.pdf", ".pdf"),
        ("a.tar.gz", ".gz"),
        ("LV.X83", ".X83"),
        ("LV_01.09.2025", ""),
        ("a", ""),
        ("a.b c", ""),
        (".pdf", ""),
    ],
)
def test_an_ending_is_short_and_no_year(name: str, ending: str) -> None:
    assert ending_of(name) == ending
