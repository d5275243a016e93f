"""Records of the TED search API: constructed shapes, one test a rule."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from tenderscrapy.exceptions import UnreadableDocumentError
from tenderscrapy.formats.ted_json import FIELDS, to_notice
from tenderscrapy.items import Buyer, Notice


def record(**fields: Any) -> dict[str, Any]:
    """A record; names with _ for -."""
    return {"publication-number": "7001-2026"} | {name.replace("_", "-"): value for name, value in fields.items()}


def codes(notice: Notice) -> list[str]:
    return [flag.code for flag in notice.flags]


def test_a_page_of_250_notices_may_ask_for_all_fields() -> None:
    assert min(250, 10_000 // (len(FIELDS) + 1)) == 250
    assert len(set(FIELDS)) == len(FIELDS)
    assert not {"deadline", "deadline-date-lot", "deadline-time-lot"} & set(FIELDS)


@pytest.mark.parametrize(
    "document", [None, [], "x", 3, {}, {"publication-number": {}}, {"publication-number": "x-2026"}]
)
def test_only_a_record_without_number_is_refused(document: Any) -> None:
    with pytest.raises(UnreadableDocumentError):
        to_notice(document)


def test_a_bare_number_is_a_notice() -> None:
    notice = to_notice({"publication-number": "00000042-2026"}, source_code="sample:ted")
    assert (notice.source_code, notice.notice_id) == ("sample:ted", "42-2026")
    assert notice.url == "https://ted.europa.eu/en/notice/-/detail/42-2026"
    assert notice.flags == []
    assert (notice.title, notice.deadline_at, notice.value_amount, notice.status) == (None, None, None, None)


def test_a_string_is_never_cut_to_its_first_letter() -> None:
    notice = to_notice(
        record(
            title_proc={"pol": "Dostawa węgla"},
            title_lot={"pol": ["Część A", "Część B"]},
            buyer_name={"fra": ["Ville d'Exemple"]},
            identifier_lot=["LOT-0001", "LOT-0003"],
        )
    )
    assert notice.title == "Dostawa węgla"
    assert notice.buyer_name == "Ville d'Exemple"
    assert [lot.id for lot in notice.lots] == ["LOT-0001", "LOT-0003"]
    assert notice.extra["lot_titles"] == ["Część A", "Część B"]


def test_scalars_and_lists_mean_the_same() -> None:
    plain = record(
        buyer_country=["DEU"], estimated_value_proc="350000", estimated_value_cur_proc="EUR", notice_version=1
    )
    odd = record(
        buyer_country="DEU", estimated_value_proc=["350000"], estimated_value_cur_proc=["EUR"], notice_version="1"
    )
    odd["publication-number"] = ["7001-2026"]
    assert to_notice(odd) == to_notice(plain)
    assert to_notice(odd).country == "DE"
    assert to_notice(odd).value_amount == Decimal(350000)


def test_empty_objects_are_absent_fields() -> None:
    notice = to_notice(record(buyer_name={"deu": ["Amt"]}, buyer_city={}, title_proc={}, identifier_lot={}, links={}))
    assert notice.buyers == [Buyer("Amt")]
    assert notice.title is None
    assert notice.attachments == []


def test_markup_is_resolved_once() -> None:
    once = to_notice(record(title_proc={"deu": "Wartung &amp; Pflege &#8211; Los 1<br/>"}))
    assert once.title == "Wartung & Pflege – Los 1"
    assert to_notice(record(title_proc={"deu": "&amp;lt;b&amp;gt;"})).title == "&lt;b&gt;"


def test_the_title_is_the_buyers_own_in_the_official_language() -> None:
    titles = {"fra": "Nettoyage", "nld": "Schoonmaak", "eng": "Cleaning"}
    notice = to_notice(record(title_proc=titles, official_language=["NLD", "FRA"], notice_title={"eng": "x – y – z"}))
    assert (notice.title, notice.title_lang) == ("Schoonmaak", "nl")


def test_without_a_title_in_the_official_language_the_choice_does_not_hang_on_the_order_of_keys() -> None:
    for titles in ({"hun": "H", "fra": "F"}, {"fra": "F", "hun": "H"}):
        assert to_notice(record(title_proc=titles, official_language=["SPA"])).title == "F"
    for titles in ({"hun": "H", "est": "E"}, {"est": "E", "hun": "H"}):
        assert to_notice(record(title_proc=titles)).title == "E"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Иcпaния – Услуги – Alumbrado de Navidad", "Alumbrado de Navidad"),
        ("Spain – Services – Lot 1 – Lamps", "Lot 1 – Lamps"),
        ("France-Rennes: Services postaux", "Services postaux"),
        ("Whatever this is: text", "Whatever this is: text"),
    ],
)
def test_the_title_made_by_ted_gives_only_the_buyers_part_and_a_flag(title: str, expected: str) -> None:
    notice = to_notice(record(notice_title={"bul": title}, official_language=["SPA"]))
    assert (notice.title, notice.title_lang) == (expected, "es")
    assert codes(notice) == ["title_from_notice_title"]


def test_texts_without_language_are_in_the_official_one() -> None:
    assert to_notice(record(title_proc="Titel", official_language="DEU")).title_lang == "de"
    assert to_notice(record(title_proc={"mul": "Titel"}, official_language="DEU")).title_lang == "de"
    assert to_notice(record(title_proc={"mul": "Titel"})).title_lang is None


def test_contacts_in_free_text_are_not_kept() -> None:
    notice = to_notice(record(description_proc={"deu": "Fragen an jo.muster@example.org, Telefon: 0211 1234567."}))
    assert "example.org" not in str(notice.description)
    assert "1234567" not in str(notice.description)


def test_translations_of_names_are_one_buyer_each() -> None:
    names = {"fra": ["Service A", "Service B"], "nld": ["Dienst A", "Dienst B"], "eng": ["Service A"]}
    notice = to_notice(record(buyer_name=names, official_language=["NLD", "FRA"], buyer_country=["BEL", "BEL"]))
    assert notice.buyers == [Buyer("Dienst A", country="BE"), Buyer("Dienst B", country="BE")]
    assert notice.buyer_name == "Dienst A"
    assert codes(notice) == ["buyers_uneven"]


def test_nothing_is_paired_with_buyers_of_several_countries() -> None:
    notice = to_notice(record(buyer_name={"deu": ["A", "B"]}, buyer_country=["DEU", "AUT"], buyer_city=["X", "Y"]))
    assert notice.buyers == [Buyer("A"), Buyer("B")]
    assert notice.country == "DE"
    assert notice.extra["buyer_countries"] == ["DE", "AT"]


def test_a_single_buyer_has_its_city_and_number_but_no_telephone_number_as_one() -> None:
    named = record(buyer_name={"ita": ["Comune"]}, buyer_city={"ita": ["Roma"]}, buyer_identifier=["00221940364"])
    assert to_notice(named).buyers == [Buyer("Comune", "00221940364", None, "Roma")]
    assert to_notice(named | {"buyer-identifier": ["t:0211000000"]}).buyers[0].identifier is None


def test_regions_and_countries_of_the_place_are_told_apart() -> None:
    notice = to_notice(record(place_of_performance=["DE40E", "DEU", "FRA", "EL303", "QQQ", "anyw", "DE40E"]))
    assert notice.nuts == ["DE40E", "EL303"]
    assert notice.performance_countries == ["DE", "FR", "QQQ", "GR"]
    assert codes(notice) == ["place_unknown"]


def test_cpv_codes_are_distinct_strings_with_the_main_one_first() -> None:
    notice = to_notice(
        record(main_classification_proc="09310000", classification_cpv=["71314100", "09310000", "71314100", 90910000])
    )
    assert notice.cpv == ["09310000", "71314100", "90910000"]
    assert codes(to_notice(record(classification_cpv=["none"]))) == ["cpv_unreadable"]


@pytest.mark.parametrize(
    ("form", "kind", "extra", "expected"),
    [
        ("planning", "pin-only", {}, "planned"),
        ("consultation", "pmc", {}, "planned"),
        ("competition", "cn-standard", {}, "open"),
        ("competition", "pin-cfc-standard", {}, "open"),
        ("competition", "qu-sy", {}, "open"),
        ("dir-awa-pre", "veat", {}, "awarded"),
        ("result", "can-standard", {"winner_selection_status": ["selec-w", "clos-nw"]}, "awarded"),
        ("result", "can-standard", {"winner_selection_status": ["clos-nw", "clos-nw"]}, "cancelled"),
        ("result", "can-standard", {"winner_selection_status": ["open-nw"]}, "awarded"),
        ("competition", "cn-standard", {"change_reason_code": ["cancel"]}, "cancelled"),
        ("competition", "cn-standard", {"change_reason_code": "cancel-intent"}, "open"),
        (None, "pin-cfc-social", {}, "open"),
        (None, "pin-buyer", {}, "planned"),
        (None, "can-modif", {}, "awarded"),
        ("change", "corr", {}, None),
    ],
)
def test_the_status_follows_from_form_type_results_and_change_reason(
    form: str | None, kind: str, extra: dict[str, Any], expected: str | None
) -> None:
    assert to_notice(record(form_type=form, notice_type=kind, **extra)).status == expected


def test_identifiers_and_the_changed_notice_are_kept_as_written() -> None:
    notice = to_notice(
        record(
            notice_identifier="9A3FE699-66D9-4D68-B046-43759F02DA64",
            notice_version=2,
            procedure_identifier="0F000000-0000-4000-8000-000000000001",
            change_notice_version_identifier="123456-2026",
            change_reason_code=["update-add"],
            internal_identifier_proc="0211 / 123456",
            publication_date="2026-08-31+02:00",
        )
    )
    assert notice.notice_uuid == "9a3fe699-66d9-4d68-b046-43759f02da64"
    assert notice.notice_version == "2"
    assert notice.procedure_id == "0f000000-0000-4000-8000-000000000001"
    assert (notice.changes_notice, notice.change_reason) == ("123456-2026", "update-add")
    assert notice.reference == "0211 / 123456"
    assert notice.published_at == notice.revised_at == datetime(2026, 8, 30, 22, tzinfo=UTC)


def test_an_unreadable_publication_date_is_flagged() -> None:
    assert codes(to_notice(record(publication_date="31.08.2026"))) == ["published_at_unreadable"]


def test_characters_that_a_database_refuses_are_gone_from_every_field() -> None:
    notice = to_notice(record(title_proc={"deu": "Stra\x00ße \ud800"}, notice_type="cn-\x00standard"))
    assert (notice.title, notice.notice_type) == ("Straße", "cn-standard")
