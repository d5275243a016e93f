"""Names of contracting authorities."""

import pytest

from tenderscrapy.normalise.buyers import buyer_name


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("  Stadt &amp; Land\nMusterhausen ", "Stadt & Land Musterhausen"),
        ("Stadt Musterhausen, z. Hd. Frau Anna Muster", "Stadt Musterhausen"),
        ("Landkreis Muster - zu Händen Herrn Max Muster, Zimmer 3", "Landkreis Muster"),
        ("Stadt Musterhausen, vergabe@muster.example", "Stadt Musterhausen"),
        ("Amt für Hochbau (Tel. 030 123456)", "Amt für Hochbau (Tel. […])"),
        ("NHS Trust A", "NHS Trust A"),
    ],
)
def test_a_name_stands_on_one_line_without_contact_persons(written: str, read: str) -> None:
    assert buyer_name(written) == read


@pytest.mark.parametrize("written", [None, "", "-", "n/a", "N.A.", "k. A.", "keine Angabe", "...", 7, {}, []])
def test_a_word_that_stands_in_for_a_name_is_no_name(written: object) -> None:
    assert buyer_name(written) is None
