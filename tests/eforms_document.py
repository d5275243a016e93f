"""Building blocks of eForms documents for tests; organisations and people are invented."""

from __future__ import annotations

from html import escape

NAMESPACES = (
    'xmlns="urn:oasis:names:specification:ubl:schema:xsd:ContractNotice-2"'
    ' xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"'
    ' xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"'
    ' xmlns:ext="urn:oasis:names:specification:ubl:schema:xsd:CommonExtensionComponents-2"'
    ' xmlns:efext="http://data.europa.eu/p27/eforms-ubl-extensions/1"'
    ' xmlns:efac="http://data.europa.eu/p27/eforms-ubl-extension-aggregate-components/1"'
    ' xmlns:efbc="http://data.europa.eu/p27/eforms-ubl-extension-basic-components/1"'
)
UUID = "0f000000-0000-4000-8000-000000000007"
NUMBER = "<efac:Publication><efbc:NoticePublicationID>00007001-2026</efbc:NoticePublicationID></efac:Publication>"


def extension(content: str) -> str:
    inner = f"<efext:EformsExtension>{content}</efext:EformsExtension>"
    return (
        f"<ext:UBLExtensions><ext:UBLExtension><ext:ExtensionContent>{inner}</ext:ExtensionContent></ext:UBLExtension>"
        "</ext:UBLExtensions>"
    )


def document(body: str = "", extended: str = NUMBER, root: str = "ContractNotice", kind: str = "competition") -> bytes:
    head = (
        f'<cbc:ID schemeName="notice-id">{UUID}</cbc:ID><cbc:VersionID>01</cbc:VersionID>'
        f'<cbc:NoticeTypeCode listName="{kind}">cn-standard</cbc:NoticeTypeCode>'
        "<cbc:NoticeLanguageCode>NLD</cbc:NoticeLanguageCode>"
    )
    return f"<{root} {NAMESPACES}>{extension(extended)}{head}{body}</{root}>".encode()


def lot(process: str = "", project: str = "", terms: str = "", key: str = "LOT-0001", scheme: str = "Lot") -> str:
    return (
        f'<cac:ProcurementProjectLot><cbc:ID schemeName="{scheme}">{key}</cbc:ID>'
        f"<cac:TenderingTerms>{terms}</cac:TenderingTerms><cac:TenderingProcess>{process}</cac:TenderingProcess>"
        f"<cac:ProcurementProject>{project}</cac:ProcurementProject></cac:ProcurementProjectLot>"
    )


def period(date: str, time: str | None, element: str = "cac:TenderSubmissionDeadlinePeriod") -> str:
    clock = f"<cbc:EndTime>{time}</cbc:EndTime>" if time else ""
    return f"<{element}><cbc:EndDate>{date}</cbc:EndDate>{clock}</{element}>"


def estimate(amount: str, currency: str = ' currencyID="EUR"') -> str:
    element = "cbc:EstimatedOverallContractAmount"
    return f"<cac:RequestedTenderTotal><{element}{currency}>{amount}</{element}></cac:RequestedTenderTotal>"


def project(content: str) -> str:
    return f"<cac:ProcurementProject>{content}</cac:ProcurementProject>"


def organisation(key: str, names: dict[str, str], touch_point: str = "") -> str:
    parts = "".join(f'<cbc:Name languageID="{code}">{name}</cbc:Name>' for code, name in names.items())
    identity = "<cac:PartyIdentification><cbc:ID>{}</cbc:ID></cac:PartyIdentification>"
    company = (
        f"<efac:Company>{identity.format(key)}<cac:PartyName>{parts}</cac:PartyName><cac:PostalAddress>"
        "<cbc:CityName>Voorbeeldstad</cbc:CityName><cac:Country><cbc:IdentificationCode>BEL</cbc:IdentificationCode>"
        "</cac:Country></cac:PostalAddress><cac:PartyLegalEntity><cbc:CompanyID>0123.456.789</cbc:CompanyID>"
        "</cac:PartyLegalEntity><cac:Contact><cbc:Name>Jo Muster</cbc:Name><cbc:Telephone>+32 20000000</cbc:Telephone>"
        "<cbc:ElectronicMail>jo@example.org</cbc:ElectronicMail></cac:Contact></efac:Company>"
    )
    point = f"<efac:TouchPoint>{identity.format(touch_point)}</efac:TouchPoint>" if touch_point else ""
    return f"<efac:Organization>{company}{point}</efac:Organization>"


def party(key: str) -> str:
    identity = f"<cac:PartyIdentification><cbc:ID>{key}</cbc:ID></cac:PartyIdentification>"
    return f"<cac:ContractingParty><cac:Party>{identity}</cac:Party></cac:ContractingParty>"


def named(title: str, text: str, language: str) -> str:
    return (
        f'<cbc:Name languageID="{language}">{escape(title)}</cbc:Name>'
        f'<cbc:Description languageID="{language}">{escape(text)}</cbc:Description>'
    )


def classified(cpv: str) -> str:
    code = f'<cbc:ItemClassificationCode listName="cpv">{cpv}</cbc:ItemClassificationCode>'
    return f"<cac:MainCommodityClassification>{code}</cac:MainCommodityClassification>"


def documents(address: str) -> str:
    """Where the documents of a lot lie (BT-15)."""
    return (
        "<cac:CallForTendersDocumentReference><cbc:ID>DOC-0001</cbc:ID><cac:Attachment><cac:ExternalReference>"
        f"<cbc:URI>{escape(address)}</cbc:URI>"
        "</cac:ExternalReference></cac:Attachment></cac:CallForTendersDocumentReference>"
    )


def german_organisation(key: str, name: str) -> str:
    return (
        f"<efac:Organization><efac:Company><cac:PartyIdentification><cbc:ID>{key}</cbc:ID></cac:PartyIdentification>"
        f'<cac:PartyName><cbc:Name languageID="DEU">{escape(name)}</cbc:Name></cac:PartyName><cac:PostalAddress>'
        "<cbc:CityName>Musterstadt</cbc:CityName><cac:Country><cbc:IdentificationCode>DEU</cbc:IdentificationCode>"
        "</cac:Country></cac:PostalAddress><cac:Contact><cbc:Name>Kim Muster</cbc:Name>"
        "<cbc:Telephone>+49 30 0000000</cbc:Telephone><cbc:ElectronicMail>kim.muster@example.org</cbc:ElectronicMail>"
        "</cac:Contact></efac:Company></efac:Organization>"
    )


def identified_document(
    notice: str, folder: str, version: str, *, issued: tuple[str, str], body: str, extended: str
) -> bytes:
    """A call with numbers of its own, dispatched at ``issued`` (date and time, with offsets)."""
    head = (
        f'<cbc:ID schemeName="notice-id">{notice}</cbc:ID><cbc:ContractFolderID>{folder}</cbc:ContractFolderID>'
        f"<cbc:IssueDate>{issued[0]}</cbc:IssueDate><cbc:IssueTime>{issued[1]}</cbc:IssueTime>"
        f"<cbc:VersionID>{version}</cbc:VersionID>"
        '<cbc:NoticeTypeCode listName="competition">cn-standard</cbc:NoticeTypeCode>'
        "<cbc:NoticeLanguageCode>DEU</cbc:NoticeLanguageCode>"
    )
    return f"<ContractNotice {NAMESPACES}>{extension(extended)}{head}{body}</ContractNotice>".encode()
