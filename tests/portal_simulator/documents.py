"""Small true files: PDF, eForms XML and HTML, made from the notices."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape

Notice = dict[str, Any]

PDF = "application/pdf"
_LINE = 90


def pdf(text: str, size: int = 0) -> bytes:
    """A one-page PDF that shows ``text`` in Helvetica; a comment makes it exactly ``size`` bytes if it is smaller."""
    lines = [text[i : i + _LINE] for i in range(0, len(text), _LINE)][:50] or [""]
    shown = "".join(f"({_literal(line)}) Tj T*\n" for line in lines)
    content = f"BT /F1 10 Tf 14 TL 56 780 Td\n{shown}ET".encode("cp1252", "replace")
    fonts = b"/Resources << /Font << /F1 5 0 R >> >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R %b >>" % fonts,
        b"<< /Length %d >>\nstream\n%b\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    missing = size - len(_assembled(objects, 0))
    surplus = max(0, len(_assembled(objects, missing)) - size)  # the place of the table may need another digit
    return _assembled(objects, missing - surplus)


def _assembled(objects: list[bytes], comment: int) -> bytes:
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    out += padding(comment)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


def padding(size: int) -> bytes:
    """``size`` bytes of comment lines."""
    line = b"%" + b"." * 78 + b"\n"
    return (line * (size // len(line) + 1))[: size - 1] + b"\n" if size > 1 else b""


def _literal(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def title_of(notice: Notice) -> str:
    titles = notice.get("title-proc") or notice.get("notice-title") or {"eng": "Notice"}
    return str(next(iter(titles.values())))


def notice_pdf(notice: Notice) -> bytes:
    descriptions = notice.get("description-proc") or {"eng": ""}
    return pdf(f"{notice['publication-number']} {title_of(notice)}. {next(iter(descriptions.values()))}")


def notice_html(title: str) -> str:
    return (
        f"<!DOCTYPE html><html><head><title>{escape(title)}</title></head><body><h1>{escape(title)}</h1></body></html>"
    )


_NAMESPACES = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "cac": "urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2",
        "cbc": "urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2",
        "ext": "urn:oasis:names:specification:ubl:schema:xsd:CommonExtensionComponents-2",
        "efac": "http://data.europa.eu/p27/eforms-ubl-extension-aggregate-components/1",
        "efbc": "http://data.europa.eu/p27/eforms-ubl-extension-basic-components/1",
        "efext": "http://data.europa.eu/p27/eforms-ubl-extensions/1",
    }.items()
)


def notice_xml(notice: Notice) -> bytes:
    """The notice as an eForms contract notice: ids, title, buyer, CPV, lots, deadlines."""
    language = next(iter(notice.get("title-proc", {"eng": ""}))).upper()
    lots = "".join(_lot(notice, language, i) for i in range(len(notice.get("identifier-lot", []))))
    procedure = f'<cbc:ProcedureCode listName="procurement-procedure-type">{notice.get("procedure-type", "")}'
    text = f"""<?xml version="1.0" encoding="UTF-8"?>
<ContractNotice xmlns="urn:oasis:names:specification:ubl:schema:xsd:ContractNotice-2" {_NAMESPACES}>
<ext:UBLExtensions><ext:UBLExtension><ext:ExtensionContent><efext:EformsExtension>
{_extension(notice, language)}</efext:EformsExtension></ext:ExtensionContent></ext:UBLExtension></ext:UBLExtensions>
<cbc:ID schemeName="notice-id">{notice.get("notice-identifier", "")}</cbc:ID>
<cbc:ContractFolderID>{notice.get("procedure-identifier", "")}</cbc:ContractFolderID>
<cbc:VersionID>{int(notice.get("notice-version", 1)):02d}</cbc:VersionID>
<cbc:NoticeTypeCode listName="{notice.get("form-type", "")}">{notice.get("notice-type", "")}</cbc:NoticeTypeCode>
<cbc:NoticeLanguageCode>{language}</cbc:NoticeLanguageCode>
<cac:ContractingParty><cac:Party><cac:PartyIdentification><cbc:ID>ORG-0001</cbc:ID></cac:PartyIdentification>
</cac:Party></cac:ContractingParty>
<cac:TenderingProcess>{procedure}</cbc:ProcedureCode></cac:TenderingProcess>
<cac:ProcurementProject><cbc:Name languageID="{language}">{escape(title_of(notice))}</cbc:Name>
{_classification(notice)}</cac:ProcurementProject>
{lots}</ContractNotice>
"""
    return text.encode()


def _extension(notice: Notice, language: str) -> str:
    buyers = next(iter((notice.get("buyer-name") or {"eng": ["?"]}).values()))
    number = str(notice["publication-number"]).zfill(13)
    country = notice.get("buyer-country", ["DEU"])[0]
    subtype = notice.get("notice-subtype", "16")
    return f"""<efac:NoticeSubType><cbc:SubTypeCode>{subtype}</cbc:SubTypeCode></efac:NoticeSubType>
<efac:Organizations><efac:Organization><efac:Company>
<cac:PartyIdentification><cbc:ID schemeName="organization">ORG-0001</cbc:ID></cac:PartyIdentification>
<cac:PartyName><cbc:Name languageID="{language}">{escape(buyers[0])}</cbc:Name></cac:PartyName>
<cac:PostalAddress><cac:Country><cbc:IdentificationCode>{country}</cbc:IdentificationCode></cac:Country></cac:PostalAddress>
</efac:Company></efac:Organization></efac:Organizations>
<efac:Publication><efbc:NoticePublicationID schemeName="ojs-notice-id">{number}</efbc:NoticePublicationID>
<efbc:PublicationDate>{notice.get("publication-date", "")}</efbc:PublicationDate></efac:Publication>
"""


def _classification(notice: Notice) -> str:
    codes = notice.get("classification-cpv", [])[:1]
    item = '<cbc:ItemClassificationCode listName="cpv">{}</cbc:ItemClassificationCode>'
    inner = "".join(item.format(code) for code in codes)
    return f"<cac:MainCommodityClassification>{inner}</cac:MainCommodityClassification>\n"


def _lot(notice: Notice, language: str, index: int) -> str:
    titles = next(iter(notice.get("title-lot", {"eng": [""]}).values()))
    dates = notice.get("deadline-receipt-tender-date-lot", [])
    times = notice.get("deadline-receipt-tender-time-lot", [])
    period = ""
    if index < min(len(dates), len(times)):
        period = (
            f"<cac:TenderSubmissionDeadlinePeriod><cbc:EndDate>{dates[index]}</cbc:EndDate>"
            f"<cbc:EndTime>{times[index]}</cbc:EndTime></cac:TenderSubmissionDeadlinePeriod>"
        )
    return (
        f'<cac:ProcurementProjectLot><cbc:ID schemeName="Lot">{notice["identifier-lot"][index]}</cbc:ID>'
        f"<cac:TenderingProcess>{period}</cac:TenderingProcess>"
        f'<cac:ProcurementProject><cbc:Name languageID="{language}">{escape(titles[index])}</cbc:Name>'
        f"{_classification(notice)}</cac:ProcurementProject></cac:ProcurementProjectLot>\n"
    )
