"""CPV codes."""

import pytest

from tenderscrapy.normalise.cpv import cpv_code, cpv_codes


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("45000000", "45000000"),
        ("45000000-7", "45000000"),
        ("71322000 - 1", "71322000"),
        ("45", "45000000"),
        ("452", "45200000"),
        ("09310000", "09310000"),
        (9310000, "09310000"),
        (45210000, "45210000"),
        ("CPV: 72000000-5", "72000000"),
        (" 30200000 ", "30200000"),
    ],
)
def test_a_code_is_eight_digits_without_check_digit(written: object, read: str) -> None:
    assert cpv_code(written) == read


@pytest.mark.parametrize("written", [None, "", "4", "00000000", "Bauarbeiten", "450000001", True, 4.5, [], "４５"])
def test_what_is_no_code_is_none(written: object) -> None:
    assert cpv_code(written) is None


def test_codes_are_distinct_and_keep_their_order() -> None:
    assert cpv_codes(["45000000-7", None, "09310000", "45000000", "x"]) == ["45000000", "09310000"]


def test_a_text_may_list_several_codes() -> None:
    assert cpv_codes(["45000000-7 45210000-2", "71000000,72000000-5"]) == [
        "45000000",
        "45210000",
        "71000000",
        "72000000",
    ]
