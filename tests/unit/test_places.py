"""Countries, languages, NUTS codes and zones."""

from __future__ import annotations

import zoneinfo

import pytest

from tenderscrapy.normalise.places import alpha2, country_name, is_country, is_nuts, language2, nuts_country, zone_of


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("DEU", "DE"),
        ("GRC", "GR"),
        ("ROU", "RO"),
        ("FRA", "FR"),
        ("AGO", "AO"),
        ("GBR", "GB"),
        ("CHE", "CH"),
        ("UKR", "UA"),
        ("XKX", "XK"),
        ("1A0", "XK"),
        ("EL", "GR"),
        ("UK", "GB"),
        ("de", "DE"),
        (" pol ", "PL"),
        ("QQQ", "QQQ"),
        ("SUN", "SUN"),
        ("Germany", "Germany"),
        ("", ""),
    ],
)
def test_country_codes_become_alpha_2_and_unknown_ones_stay(code: str, expected: str) -> None:
    assert alpha2(code) == expected


def test_every_country_of_the_union_and_its_neighbours_has_both_codes() -> None:
    pairs = (
        "AUT:AT BEL:BE BGR:BG CYP:CY CZE:CZ DEU:DE DNK:DK ESP:ES EST:EE FIN:FI FRA:FR GRC:GR HRV:HR HUN:HU IRL:IE"
        " ITA:IT LTU:LT LUX:LU LVA:LV MLT:MT NLD:NL POL:PL PRT:PT ROU:RO SVK:SK SVN:SI SWE:SE ISL:IS LIE:LI NOR:NO "
        "CHE:CH TUR:TR SRB:RS MKD:MK MNE:ME ALB:AL BIH:BA MDA:MD USA:US CHN:CN"
    )
    for pair in pairs.split():
        long, short = pair.split(":")
        assert alpha2(long) == short
        assert zone_of(short) in zoneinfo.available_timezones()


@pytest.mark.parametrize(
    "code", ["DE40E", "PL225", "ES300", "DEA", "FR1", "EL303", "UKI31", "ITC4C", "de300", "TR100", "FRK2"]
)
def test_regions_are_nuts(code: str) -> None:
    assert is_nuts(code)


@pytest.mark.parametrize(
    "code", ["DEU", "POL", "ESP", "FRA", "ROU", "UKR", "AGO", "CHN", "DE", "US123", "DE40E1", "", "DE-40", "XXX"]
)
def test_countries_and_other_codes_are_not_nuts(code: str) -> None:
    assert not is_nuts(code)


def test_a_nuts_code_names_its_country() -> None:
    assert [nuts_country(code) for code in ("DE40E", "EL303", "UKI31")] == ["DE", "GR", "GB"]


def test_a_known_country_is_told_from_a_word() -> None:
    assert is_country("DEU")
    assert is_country("AO")
    assert not is_country("Germany")


@pytest.mark.parametrize(
    ("country", "zone"),
    [
        ("DE", "Europe/Berlin"),
        ("ESP", "Europe/Madrid"),
        ("PT", "Europe/Lisbon"),
        ("CY", "Asia/Nicosia"),
        ("GB", "Europe/London"),
        ("PL", "Europe/Warsaw"),
        ("XK", "Europe/Belgrade"),
        ("QQQ", None),
        ("", None),
        (None, None),
        ("001", None),
    ],
)
def test_the_zone_is_that_of_the_capital(country: str | None, zone: str | None) -> None:
    assert zone_of(country) == zone


def test_language_codes_of_both_sets_become_two_letters() -> None:
    pairs = (
        "bul:bg ces:cs cze:cs dan:da deu:de ger:de ell:el gre:el eng:en est:et fin:fi fra:fr fre:fr gle:ga hrv:hr"
        " hun:hu ita:it lav:lv lit:lt mlt:mt nld:nl dut:nl pol:pl por:pt ron:ro rum:ro slk:sk slo:sk slv:sl spa:es "
        "swe:sv nor:no isl:is ice:is tur:tr srp:sr mkd:mk mac:mk sqi:sq alb:sq ukr:uk rus:ru POL:pl"
        " de:de pt-PT:pt EN_GB:en mul:mul xyz:xyz"
    )
    for pair in pairs.split():
        long, short = pair.split(":")
        assert language2(long) == short


def test_countries_are_named_in_the_readers_language() -> None:
    assert country_name("DE", "de") == "Deutschland"
    assert country_name("GRC", "fr") == "Grèce"
    assert country_name("DE", "pt-BR") == "Alemanha"
    assert country_name("DE", "not a locale") == "Germany"
    assert country_name("QQQ", "en") == "QQQ"
