"""Every real notice of the corpus, through the mappers, against what is known of it."""

from __future__ import annotations

import html
import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from tenderscrapy.formats import eforms, ted_json
from tenderscrapy.items import Notice, from_json, to_json
from tenderscrapy.normalise.dates import deadline
from tenderscrapy.normalise.places import alpha2, language2
from tenderscrapy.normalise.text import clean_title

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.corpus

XML_FILES = (
    *("2023-OJS165-00522031", "2024-OJS017-00047522", "2024-OJS028-00082127", "2024-OJS064-00189213"),
    *("2024-OJS198-00611835", "246534-2023", "291858-2023", "309890-2023"),
    *("497181-2023", "583624-2023", "599894-2023", "650276-2023"),
    *("657565-2023", "660556-2023", "739962-2023", "761524-2023"),
    *("762961-2023", "datafrosch_eforms_ubl_2025", "sdk-sample_can_25_withheld", "sdk-sample_change-cn_24_open_dates"),
    *("sdk-sample_cn_24_minimal",),
)


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)


def api(corpus: Path, number: str) -> Notice:
    (file,) = corpus.glob(f"ted/api/{number}_*.json")
    return ted_json.to_notice(json.loads(file.read_text("utf-8")))


def xml(corpus: Path, name: str) -> Notice:
    return eforms.to_notice((corpus / "ted" / "xml" / f"{name}.xml").read_bytes())


def codes(notice: Notice) -> list[str]:
    return [flag.code for flag in notice.flags]


def test_the_title_is_title_proc_and_not_one_of_24_made_titles(corpus: Path) -> None:
    notice = api(corpus, "596426-2026")
    assert str(notice.title).startswith("La adjudicación de los servicios de iluminación ornamental")
    assert notice.title_lang == "es"
    assert (notice.deadline_at, notice.deadline_kind, notice.value_amount) == (None, None, None)
    assert (notice.status, notice.notice_type) == ("planned", "pin-buyer")


def test_five_lots_with_one_deadline(corpus: Path) -> None:
    notice = api(corpus, "596416-2026")
    assert (notice.deadline_at, notice.deadline_is_date) == (utc(2026, 10, 2, 8), False)
    assert (notice.deadline_zone, notice.deadline_kind) == ("Europe/Warsaw", "tender")
    assert notice.extra["lot_count"] == len(notice.lots) == 5
    assert len(notice.cpv) == 8
    assert notice.cpv[:5] == ["90910000", "90911200", "90919200", "90911300", "90620000"]
    assert [link.rel for link in notice.links] == ["documents"]


def test_a_request_deadline_without_time_stays_a_day(corpus: Path) -> None:
    notice = api(corpus, "479730-2026")
    assert (notice.deadline_at, notice.deadline_is_date) == (utc(2026, 8, 10, 21, 59, 59), True)
    assert (notice.deadline_kind, notice.deadline_zone) == ("participation", "Europe/Berlin")
    assert notice.buyers[0].city is None
    assert [lot.id for lot in notice.lots] == ["LOT-0000"]
    assert [file.filename for file in notice.attachments] == ["479730-2026.xml", "479730-2026_de.pdf"]
    assert notice.flags == []
    assert "kontakt" not in json.dumps(to_json(notice))


def test_the_buyers_country_and_that_of_the_work_are_two(corpus: Path) -> None:
    notice = api(corpus, "619675-2026")
    assert (notice.country, notice.performance_countries, notice.nuts) == ("FR", ["AO"], [])
    assert notice.deadline_at == utc(2026, 10, 19, 12)


def test_the_pages_hold_the_same_notices(corpus: Path) -> None:
    paged: list[dict[str, Any]] = []
    for number in ("1.composed", "2.composed", "3_terminal.composed"):
        page = json.loads((corpus / "ted" / "api" / f"page_ITERATION_{number}.json").read_text("utf-8"))
        paged += page["notices"]
    found = {ted_json.to_notice(record).notice_id for record in paged}
    assert found == {"479730-2026", "596416-2026", "596426-2026", "619675-2026"}


@pytest.mark.parametrize("name", XML_FILES)
def test_an_eforms_notice_agrees_with_the_facts_taken_from_it(corpus: Path, name: str) -> None:
    facts = json.loads((corpus / "ted" / "xml" / "facts.json").read_text("utf-8"))[f"{name}.xml"]
    notice = xml(corpus, name)
    number = facts["publication_id"]
    assert notice.notice_id == (number.lstrip("0") if number else facts["notice_id"])
    assert notice.source_code == ("ted" if number else "doe")
    assert (notice.notice_uuid, notice.notice_version) == (facts["notice_id"], facts["version"])
    assert (notice.procedure_id, notice.notice_type) == (facts["procedure_id"], facts["notice_type_code"])
    assert notice.title == clean_title(facts["title"][facts["language"]])
    assert notice.title_lang == language2(facts["language"])
    assert notice.cpv[0] == facts["cpv_main"]
    assert [buyer.name for buyer in notice.buyers] == [buyer["name"][facts["language"]] for buyer in facts["buyers"]]
    assert [buyer.country for buyer in notice.buyers] == [alpha2(buyer["country"]) for buyer in facts["buyers"]]
    expected = {"planning": "planned", "competition": "open", "result": "awarded"}[facts["form_type"]]
    assert (notice.status, notice.extra["form_type"]) == (expected, facts["form_type"])
    if facts["estimated_value_procedure"]:
        amount, currency = facts["estimated_value_procedure"]
        assert (notice.value_amount, notice.value_currency) == (Decimal(amount), currency)
    changed = [(change["changed_notice"], change["reason"]) for change in facts["changes"]]
    assert [(notice.changes_notice, notice.change_reason)] == (changed or [(None, None)])
    assert notice.extra.get("withheld", []) == list(dict.fromkeys(facts["withheld_fields"]))
    agrees_on_lots(notice, facts)
    assert from_json(json.loads(json.dumps(to_json(notice)))) == notice


def agrees_on_lots(notice: Notice, facts: dict[str, Any]) -> None:
    assert notice.extra["lot_count"] == len(notice.lots) == facts["lot_count"]
    for lot, known in zip(notice.lots, facts["lots"], strict=True):
        assert lot.id == known["id"]
        # The facts are cut to 120 characters.
        assert str(lot.title).startswith(str(clean_title(known["title"][facts["language"]])))
        assert lot.cpv[0] == known["cpv"]
        amount, currency = known["estimated_value"] or (None, None)
        assert (lot.value_amount, lot.value_currency) == (amount and Decimal(amount), currency)
        if "tender_deadline" in known:
            assert lot.deadline_at == deadline(*known["tender_deadline"]).at
            assert notice.deadline_kind == "tender"
    pages = {html.unescape(url) for known in facts["lots"] for url in known["document_urls"]}
    pages = {url if url.startswith("http") else f"http://{url}" for url in pages}
    linked = {link.url for link in notice.links if link.rel == "documents"}
    assert linked == pages


def test_xml_and_api_agree_on_the_number(corpus: Path) -> None:
    assert xml(corpus, "739962-2023").notice_id == "739962-2023"


def test_an_estonian_change_without_changed_notice_is_its_own_tender(corpus: Path) -> None:
    notice = xml(corpus, "291858-2023")
    assert (notice.deadline_at, notice.deadline_zone) == (utc(2023, 5, 30, 7), "Europe/Tallinn")
    assert (notice.changes_notice, notice.change_reason, notice.status) == (None, "update-add", "open")


def test_four_ombudsmen_are_four_buyers(corpus: Path) -> None:
    notice = xml(corpus, "2024-OJS198-00611835")
    assert [buyer.name for buyer in notice.buyers] == [
        "Consumentenombudsdienst",
        "Ombudsdienst voor telecommunicatie",
        "Ombudsman poste",
        "Ombudsdienst voor de treinreizigers",
    ]
    assert notice.buyer_name == "Consumentenombudsdienst"


def test_z_and_zero_offset_are_utc(corpus: Path) -> None:
    austrian, irish = xml(corpus, "246534-2023"), xml(corpus, "2024-OJS064-00189213")
    assert (austrian.deadline_at, austrian.deadline_zone) == (utc(2023, 5, 30, 12), "+00:00")
    assert (irish.deadline_at, irish.deadline_zone) == (utc(2024, 5, 27, 12), "+00:00")


def test_withheld_total_and_procedure_are_not_taken(corpus: Path) -> None:
    notice = xml(corpus, "sdk-sample_can_25_withheld")
    assert (notice.value_amount, notice.procedure_type) == (None, None)
    assert codes(notice) == ["withheld", "withheld"]


def test_lots_that_close_a_minute_apart_are_flagged(corpus: Path) -> None:
    notice = xml(corpus, "762961-2023")
    assert (notice.deadline_at, notice.deadline_kind) == (utc(2024, 2, 5, 21, 59), "expression")
    assert codes(notice) == ["lot_deadlines_differ"]


def test_a_notice_of_2015_is_read(corpus: Path) -> None:
    notice = xml(corpus, "datafrosch_ted_v2_r2_0_8_2015")
    assert (notice.source_code, notice.notice_id, notice.country) == ("ted", "2672-2015", "FR")
    assert notice.title == "Fourniture de services postaux pour les besoins de la région Bretagne."
    assert (notice.title_lang, notice.buyer_name, notice.cpv) == ("fr", "Région Bretagne", ["64110000", "64113000"])
    assert (notice.status, notice.reference) == ("awarded", "14SEMLOG05")
    assert notice.extra["previous_notice"] == "299275-2014"


def test_no_contact_of_any_notice_is_kept(corpus: Path) -> None:
    for file in sorted((corpus / "ted" / "xml").glob("*.xml")):
        kept = json.dumps(to_json(eforms.to_notice(file.read_bytes())), ensure_ascii=False)
        assert not any(mark in kept for mark in ("kontakt@", "Mustermann", "@example.org", "000000000"))
