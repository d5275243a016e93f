"""TED's XML from before eForms, in its two generations."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from tenderscrapy.exceptions import UnreadableDocumentError
from tenderscrapy.formats.eforms import to_notice
from tenderscrapy.items import Buyer, Link

R209 = """<TED_EXPORT xmlns="http://publications.europa.eu/resource/schema/ted/R2.0.9/publication"
 xmlns:n2016="http://publications.europa.eu/resource/schema/ted/2016/nuts" DOC_ID="007001-2019" VERSION="R2.0.9.S03">
<CODED_DATA_SECTION><REF_OJS><DATE_PUB>20190104</DATE_PUB></REF_OJS><NOTICE_DATA><LG_ORIG>DE</LG_ORIG>
<ISO_COUNTRY VALUE="DE"/><n2016:PERFORMANCE_NUTS CODE="DEA22">Bonn</n2016:PERFORMANCE_NUTS>
<ORIGINAL_CPV CODE="71000000">x</ORIGINAL_CPV><REF_NOTICE><NO_DOC_OJS>2018/S 230-005001</NO_DOC_OJS></REF_NOTICE>
</NOTICE_DATA>
<CODIF_DATA><TD_DOCUMENT_TYPE CODE="{kind}">x</TD_DOCUMENT_TYPE><PR_PROC CODE="{procedure}">x</PR_PROC>
<DT_DATE_FOR_SUBMISSION>20190205 9:30</DT_DATE_FOR_SUBMISSION></CODIF_DATA></CODED_DATA_SECTION>
<FORM_SECTION><F02_2014 CATEGORY="TRANSLATION" LG="EN">
<OBJECT_CONTRACT><TITLE><P>Nursery</P></TITLE></OBJECT_CONTRACT></F02_2014>
<F02_2014 CATEGORY="ORIGINAL" LG="DE"><CONTRACTING_BODY>
<ADDRESS_CONTRACTING_BODY><OFFICIALNAME>Stadt Musterhausen</OFFICIALNAME>
<NATIONALID>05111-05001-82</NATIONALID><TOWN>Musterhausen</TOWN><COUNTRY VALUE="DE"/>
<CONTACT_POINT>Jo Muster</CONTACT_POINT>
<PHONE>+49 2110000000</PHONE><E_MAIL>jo@example.org</E_MAIL></ADDRESS_CONTRACTING_BODY>
<ADDRESS_CONTRACTING_BODY_ADDITIONAL><OFFICIALNAME>Kreis Muster</OFFICIALNAME></ADDRESS_CONTRACTING_BODY_ADDITIONAL>
<URL_DOCUMENT>https://portal.example.org/7</URL_DOCUMENT></CONTRACTING_BODY>
<OBJECT_CONTRACT><TITLE><P>Neubau Kita</P></TITLE><REFERENCE_NUMBER>VV-7/2019</REFERENCE_NUMBER>
<CPV_MAIN><CPV_CODE CODE="45214100"/></CPV_MAIN><SHORT_DESCR><P>Eins.</P><P>Zwei.</P></SHORT_DESCR>
<VAL_ESTIMATED_TOTAL CURRENCY="EUR">1200000.00</VAL_ESTIMATED_TOTAL>
<OBJECT_DESCR ITEM="1"><TITLE><P>Rohbau</P></TITLE><LOT_NO>1</LOT_NO>
<CPV_ADDITIONAL><CPV_CODE CODE="45262000"/></CPV_ADDITIONAL>
</OBJECT_DESCR></OBJECT_CONTRACT><PROCEDURE>{limit}</PROCEDURE>
<COMPLEMENTARY_INFO><ADDRESS_REVIEW_BODY><OFFICIALNAME>Kammer</OFFICIALNAME></ADDRESS_REVIEW_BODY></COMPLEMENTARY_INFO>
</F02_2014></FORM_SECTION></TED_EXPORT>"""
LIMIT = "<DATE_RECEIPT_TENDERS>2019-02-05</DATE_RECEIPT_TENDERS><TIME_RECEIPT_TENDERS>12:00</TIME_RECEIPT_TENDERS>"


def export(kind: str = "3", procedure: str = "1", limit: str = LIMIT) -> bytes:
    return R209.format(kind=kind, procedure=procedure, limit=limit).encode()


def test_the_original_form_is_read() -> None:
    notice = to_notice(export())
    assert (notice.source_code, notice.notice_id, notice.status) == ("ted", "7001-2019", "open")
    assert (notice.title, notice.title_lang, notice.description) == ("Neubau Kita", "de", "Eins.\nZwei.")
    assert notice.buyers == [
        Buyer("Stadt Musterhausen", "05111-05001-82", "DE", "Musterhausen"),
        Buyer("Kreis Muster", None, "DE", None),
    ]
    assert (notice.cpv, notice.nuts, notice.reference) == (["45214100", "71000000", "45262000"], ["DEA22"], "VV-7/2019")
    assert (notice.value_amount, notice.value_currency) == (Decimal("1200000.00"), "EUR")
    assert [(lot.id, lot.title, lot.cpv) for lot in notice.lots] == [("1", "Rohbau", ["45262000"])]
    assert notice.links == [Link("https://portal.example.org/7", "documents")]
    assert notice.published_at == datetime(2019, 1, 3, 23, tzinfo=UTC)
    assert not any(secret in repr(notice) for secret in ("Muster,", "Jo Muster", "2110000000", "jo@"))


def test_times_are_local_to_the_buyer() -> None:
    notice = to_notice(export())
    assert (notice.deadline_at, notice.deadline_zone) == (datetime(2019, 2, 5, 11, tzinfo=UTC), "Europe/Berlin")
    coded = to_notice(export(limit="", procedure="2"))
    assert (coded.deadline_at, coded.deadline_kind) == (datetime(2019, 2, 5, 8, 30, tzinfo=UTC), "participation")


@pytest.mark.parametrize(
    ("kind", "status"), [("0", "planned"), ("M", "open"), ("7", "awarded"), ("2", None), ("B", None)]
)
def test_the_status_follows_from_the_document_type(kind: str, status: str | None) -> None:
    assert to_notice(export(kind)).status == status


def test_a_correction_names_what_it_corrects() -> None:
    assert to_notice(export("2")).changes_notice == "5001-2018"
    assert (to_notice(export("3")).changes_notice, to_notice(export("3")).extra["previous_notice"]) == (
        None,
        "5001-2018",
    )


def test_the_older_generation_is_read_too() -> None:
    document = """<TED_EXPORT xmlns="http://publications.europa.eu/TED_schema/Export" DOC_ID="002001-2012">
    <FORM_SECTION><CONTRACT CATEGORY="ORIGINAL" LG="FR"><FD_CONTRACT><CA_CE_CONCESSIONAIRE_PROFILE>
    <ORGANISATION><OFFICIALNAME>Ville d'Exemple</OFFICIALNAME></ORGANISATION><COUNTRY VALUE="FR"/>
    <ATTENTION>Jo Exemple</ATTENTION></CA_CE_CONCESSIONAIRE_PROFILE><TITLE_CONTRACT><P>Balayage</P></TITLE_CONTRACT>
    </FD_CONTRACT></CONTRACT></FORM_SECTION></TED_EXPORT>"""
    notice = to_notice(document.encode())
    assert (notice.notice_id, notice.title, notice.title_lang) == ("2001-2012", "Balayage", "fr")
    assert notice.buyers == [Buyer("Ville d'Exemple", None, "FR", None)]
    assert (notice.deadline_at, notice.published_at, notice.flags) == (None, None, [])


def test_an_export_without_number_is_refused() -> None:
    with pytest.raises(UnreadableDocumentError, match="DOC_ID"):
        to_notice(b"<TED_EXPORT/>")
