"""Titles and running text made plain."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenderscrapy.normalise.text import clean_text, clean_title


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("St Bede&apos;s School", "St Bede's School"),
        ("Wartung &amp; Pflege &#8211; Los 1<br/>", "Wartung & Pflege – Los 1"),
        ("Caf&#xe9; &eacute;quip&eacute;", "Café équipé"),
        ("AT&T and R&D", "AT&T and R&D"),
        ("https://portal.example/?a=1&notice=2&section=3", "https://portal.example/?a=1&notice=2&section=3"),
        ("a&nbsp;b&nbsp", "a b"),
    ],
)
def test_entities_are_resolved(written: str, read: str) -> None:
    assert clean_title(written) == read


def test_an_entity_escaped_twice_is_resolved_once_and_stays_visible_text() -> None:
    assert clean_title("&amp;lt;b&amp;gt;") == "&lt;b&gt;"
    assert clean_text("x &amp;amp; y") == "x &amp; y"


def test_markup_that_was_escaped_once_is_markup() -> None:
    assert clean_text("&lt;p&gt;Eins&lt;/p&gt;&lt;p&gt;Zwei&lt;/p&gt;") == "Eins\n\nZwei"


@pytest.mark.parametrize(
    "text",
    ["Pakete < 5 kg", "a < b und c > d", "Rohr <DN 100 und >DN 50", "<Name des Bieters>", "x <b and c> y", "1<2"],
)
def test_a_less_than_sign_that_opens_no_tag_survives(text: str) -> None:
    assert clean_title(text) == text


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Neubau <b>Schule</b>", "Neubau Schule"),
        ('Neubau <a href="https://x.example">Schule</a>', "Neubau Schule"),
        ("<td>Los 1</td><td>Los 2</td>", "Los 1 Los 2"),
        ("vor <script>alert('x')</script> nach", "vor nach"),
        ("vor <style type='a'>b{}</style> nach <!-- still --> Ende", "vor nach Ende"),
        ("<o:p>Word</o:p> <img src=x onerror=alert(1)>", "Word"),
        ("<<b>script>alert(1)</script>", "alert(1)"),
        ("H<sub>2</sub>O", "H2O"),
    ],
)
def test_tags_are_stripped(written: str, read: str) -> None:
    assert clean_title(written) == (read or None)


def test_a_paragraph_and_a_break_become_line_ends() -> None:
    assert clean_text("<p>Eins<br>zwei</p>\r\n\r\n\r\n\r\n<ul><li>a</li><li>b</li></ul>") == "Eins\nzwei\n\na\n\nb"
    assert clean_text("a\r\nb\rc\u2028d\u2029e") == "a\nb\nc\nd\n\ne"


@pytest.mark.parametrize("bad", ["\x00", "\ud800", "\x07", "\x9d", "\u200b", "\u202e", "\u2066", "\ufeff", "\xad"])
def test_characters_that_nobody_sees_are_removed(bad: str) -> None:
    assert clean_title(f"Stra{bad}ße") == "Straße"
    assert clean_text(f"Stra{bad}ße\n{bad}") == "Straße"


def test_a_character_that_the_database_refuses_is_removed_when_written_as_an_entity() -> None:
    assert clean_title("a&#8203;b&#x202E;c") == "abc"
    assert "\x00" not in (clean_title("a&#0;b") or "")


def test_a_hidden_character_does_not_save_a_tag() -> None:
    assert clean_title("<scr\x00ipt>x</scr\u200bipt>y") == "y"


def test_white_space_is_collapsed() -> None:
    assert clean_title(" a \t\r\n b\xa0\u2003c ") == "a b c"
    assert clean_text(" a \t b\xa0\u2003c \n  d ") == "a b c\nd"


@pytest.mark.parametrize("nothing", [None, "", "  \n ", "\x00", "<br/>", "&nbsp;"])
def test_nothing_left_is_none(nothing: str | None) -> None:
    assert clean_title(nothing) is None
    assert clean_text(nothing) is None


@given(st.text(alphabet=st.sampled_from(list("<>&;#/=pbrscit a\n\x00\ud800\u200b")), max_size=60))
def test_any_text_can_be_cleaned_and_encoded(text: str) -> None:
    for read in (clean_title(text), clean_text(text)):
        assert read is None or read.strip() == read != ""
        (read or "").encode("utf-8")


def test_a_long_row_of_opened_brackets_is_read_in_linear_time() -> None:
    assert clean_text("<!--" * 50_000 + "x") == "<!--" * 50_000 + "x"
    assert (clean_text("<script " * 20_000) or "").startswith("<script")
