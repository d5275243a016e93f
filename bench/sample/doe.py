"""Notices as eForms XML, one file a notice version, as the German publication service packs them."""

from __future__ import annotations

from typing import Any

import yaml
from lxml import etree

from bench.sample import ted
from bench.sample.doe_lots import Part, lots, subject
from bench.sample.specs import COUNTRY3, FORM, SPECS, identifier, load, text_with_contact, zone

UBL = "urn:oasis:names:specification:ubl:schema:xsd:"
EU = "http://data.europa.eu/p27/eforms-ubl-"
NS = {
    "cac": UBL + "CommonAggregateComponents-2",
    "cbc": UBL + "CommonBasicComponents-2",
    "ext": UBL + "CommonExtensionComponents-2",
    "efac": EU + "extension-aggregate-components/1",
    "efbc": EU + "extension-basic-components/1",
    "efext": EU + "extensions/1",
}
ROOT = {"cn": "ContractNotice", "can": "ContractAwardNotice", "pin": "PriorInformationNotice"}
OWN = 1000


def documents() -> dict[str, bytes]:
    """File name -> XML of every notice version."""
    found: dict[str, bytes] = {}
    for spec in [*pairs(), *pairs_without_key(), *own()]:
        found[f"{spec['id']}-01.xml"] = notice(spec)
        for number, edition in enumerate(spec.get("versions", ()), start=2):
            found[f"{spec['id']}-{number:02d}.xml"] = notice({**spec, **edition, "version": number})
    return found


def pairs() -> list[dict[str, Any]]:
    """What both TED and the German service show: notice and procedure have the same UUIDs there."""
    return [
        {**spec, "id": identifier("notice", spec["n"]), "folder": ted.procedure(spec), "files": [], "contact": None}
        for spec in ted.specs()
        if spec.get("doe") == "pair"
    ]


def pairs_without_key() -> list[dict[str, Any]]:
    """What both show without any number in common."""
    originals = {spec["n"]: spec for spec in ted.specs()}
    found = []
    for i, entry in enumerate(yaml.safe_load((SPECS / "pairs_without_key.yaml").read_text(encoding="utf-8"))):
        spec = {**originals[entry["ted"]], **entry, "files": [], "contact": None}
        spec |= {"id": identifier("notice", OWN + 500 + i), "folder": identifier("procedure", OWN + 500 + i)}
        found.append(spec)
    return found


def own() -> list[dict[str, Any]]:
    """What only the German service shows; national notices bear numbers of eight digits instead of UUIDs."""
    found = []
    for spec in load("doe_*.yaml"):
        n = spec["n"]
        spec["lang"] = "de"
        if spec.get("national"):
            found.append({**spec, "id": f"{99900000 + n}", "folder": f"{99900000 + n}"})
        else:
            found.append({**spec, "id": identifier("notice", OWN + n), "folder": identifier("procedure", OWN + n)})
    return found


def notice(spec: dict[str, Any]) -> bytes:
    """The XML of one version."""
    kind = spec.get("type", "cn-standard")
    name = ROOT[kind.split("-")[0]]
    namespace = f"{UBL}{name}-2"
    root = etree.Element(f"{{{namespace}}}{name}", nsmap={None: namespace, **NS})
    for part in [extension(spec, kind), *head(spec, kind), *procedure(spec, kind), *lots(spec, kind)]:
        append(root, part)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)


def append(parent: etree._Element, part: Part) -> None:
    """Add ``(name, {attributes}, text or parts ...)``; an attribute-less element may leave the dict out."""
    name, *rest = part
    attributes = rest.pop(0) if rest and isinstance(rest[0], dict) else {}
    prefix, local = name.split(":")
    child = etree.SubElement(parent, f"{{{NS[prefix]}}}{local}", attributes)
    for content in rest:
        if isinstance(content, tuple):
            append(child, content)
        elif content is not None:
            child.text = str(content)


def extension(spec: dict[str, Any], kind: str) -> Part:
    """Change, result and organisations live in the EU's extension."""
    country, nuts, city = spec["at"]
    person, email, telephone = spec.get("contact") or ("", "vergabe@buyer.example", "+49 30 23125 100")
    company: Part = (
        "efac:Company",
        ("cac:PartyIdentification", ("cbc:ID", {"schemeName": "organization"}, "ORG-0001")),
        ("cac:PartyName", ("cbc:Name", {"languageID": "DEU"}, spec["buyer"])),
        (
            "cac:PostalAddress",
            ("cbc:CityName", city),
            ("cbc:CountrySubentityCode", {"listName": "nuts"}, nuts),
            ("cac:Country", ("cbc:IdentificationCode", {"listName": "country"}, COUNTRY3[country])),
        ),
        ("cac:PartyLegalEntity", ("cbc:CompanyID", f"99-{spec['id'][-6:]}-00")),
        (
            "cac:Contact",
            ("cbc:Name", person or "Vergabestelle"),
            ("cbc:Telephone", telephone),
            ("cbc:ElectronicMail", email),
        ),
    )
    organisations = [("efac:Organization", company)]
    if spec.get("winner"):
        party = ("cac:PartyIdentification", ("cbc:ID", {"schemeName": "organization"}, "ORG-0002"))
        name = ("cac:PartyName", ("cbc:Name", {"languageID": "DEU"}, spec["winner"]))
        organisations.append(("efac:Organization", ("efac:Company", party, name)))
    content: Part = (
        "efext:EformsExtension",
        *change(spec),
        *result(spec, kind),
        ("efac:NoticeSubType", ("cbc:SubTypeCode", {"listName": "notice-subtype"}, ted.SUBTYPE[kind])),
        ("efac:Organizations", *organisations),
    )
    return ("ext:UBLExtensions", ("ext:UBLExtension", ("ext:ExtensionContent", content)))


def change(spec: dict[str, Any]) -> list[Part]:
    """What a second version says of the first."""
    if "version" not in spec:
        return []
    reason = ("cbc:ReasonCode", {"listName": "change-corrig-justification"}, spec.get("reason", "update-add"))
    text = ("efbc:ChangeDescription", {"languageID": "DEU"}, spec["note"])
    before = ("efbc:ChangedNoticeIdentifier", f"{spec['id']}-{spec['version'] - 1:02d}")
    return [("efac:Changes", before, ("efac:Change", text), ("efac:ChangeReason", reason))]


def result(spec: dict[str, Any], kind: str) -> list[Part]:
    """Total and winner of an award."""
    if not kind.startswith("can"):
        return []
    total = ("cbc:TotalAmount", {"currencyID": "EUR"}, spec["value"])
    lot = (
        "efac:LotResult",
        ("cbc:ID", {"schemeName": "result"}, "RES-0001"),
        ("cbc:TenderResultCode", {"listName": "winner-selection-status"}, "selec-w"),
        ("efac:TenderLot", ("cbc:ID", {"schemeName": "Lot"}, "LOT-0000")),
    )
    party = (
        "efac:TenderingParty",
        ("cbc:ID", {"schemeName": "tendering-party"}, "TPA-0001"),
        ("efac:Tenderer", ("cbc:ID", {"schemeName": "organization"}, "ORG-0002")),
    )
    return [("efac:NoticeResult", total, lot, party)]


def head(spec: dict[str, Any], kind: str) -> list[Part]:
    """Identity, dates and kind of the notice."""
    national = spec.get("national")
    form = FORM[kind.split("-", maxsplit=1)[0]]
    return [
        ("cbc:CustomizationID", "eforms-sdk-0.1" if national else "eforms-sdk-1.13"),
        ("cbc:ID", {"schemeName": "notice-id"}, spec["id"]),
        ("cbc:ContractFolderID", spec["folder"]),
        ("cbc:IssueDate", f"{{{{{spec['pub']:+d} {zone(spec)}}}}}"),
        ("cbc:IssueTime", f"{{{{{spec['pub']:+d} 09:30 {zone(spec)} time}}}}"),
        ("cbc:VersionID", f"{spec.get('version', 1):02d}"),
        ("cbc:RegulatoryDomain", national or "32014L0024"),
        ("cbc:NoticeTypeCode", {"listName": form}, kind),
        ("cbc:NoticeLanguageCode", "DEU"),
        (
            "cac:ContractingParty",
            ("cac:Party", ("cac:PartyIdentification", ("cbc:ID", {"schemeName": "organization"}, "ORG-0001"))),
        ),
    ]


def procedure(spec: dict[str, Any], kind: str) -> list[Part]:
    """The procedure's kind and its subject."""
    process = ("cbc:ProcedureCode", {"listName": "procurement-procedure-type"}, spec.get("proc", "open"))
    parts = [("cac:TenderingProcess", process)] if kind != "pin-only" else []
    return [*parts, subject(spec, spec["title"], text_with_contact(spec), spec.get("value"), kind)]
