"""Subjects, lots, deadlines and documents of an eForms notice."""

from __future__ import annotations

from typing import Any

from bench.sample.specs import COUNTRY3, FILES, Due, nature, zone

#: An element: ``(name, {attributes}, text or parts ...)``.
Part = tuple[Any, ...]


def subject(spec: dict[str, Any], title: str, text: str, value: float | None, kind: str) -> Part:
    """What is bought, of the whole or of one lot."""
    country, nuts, _ = spec["at"]
    amount = ("cbc:EstimatedOverallContractAmount", {"currencyID": "EUR"}, value)
    estimate = [("cac:RequestedTenderTotal", amount)] if value is not None and not kind.startswith("can") else []
    return (
        "cac:ProcurementProject",
        ("cbc:Name", {"languageID": "DEU"}, title),
        ("cbc:Description", {"languageID": "DEU"}, text),
        ("cbc:ProcurementTypeCode", {"listName": "contract-nature"}, nature(spec)),
        *estimate,
        classification("cac:MainCommodityClassification", spec["cpv"][0]),
        *(classification("cac:AdditionalCommodityClassification", code) for code in spec["cpv"][1:]),
        (
            "cac:RealizedLocation",
            (
                "cac:Address",
                ("cbc:CountrySubentityCode", {"listName": "nuts"}, nuts),
                ("cac:Country", ("cbc:IdentificationCode", {"listName": "country"}, COUNTRY3[country])),
            ),
        ),
    )


def classification(element: str, code: str) -> Part:
    """One CPV code."""
    return (element, ("cbc:ItemClassificationCode", {"listName": "cpv"}, code))


def lots(spec: dict[str, Any], kind: str) -> list[Part]:
    """The lots with deadline and documents; LOT-0000 stands for a procedure without lots, PAR- for a planned part."""
    scheme, prefix = ("Part", "PAR") if kind == "pin-only" else ("Lot", "LOT")
    parts = spec.get("lots") or [[spec["title"], spec["text"], spec.get("value")]]
    first = 1 if spec.get("lots") else 0
    found: list[Part] = []
    for number, (title, text, value) in enumerate(parts, start=first):
        terms = [] if kind not in {"cn-standard", "cn-social"} else [tendering_terms(spec)]
        process = [] if not spec.get("due") or spec.get("reason") == "cancel" else [tendering_process(spec)]
        found.append(
            (
                "cac:ProcurementProjectLot",
                ("cbc:ID", {"schemeName": scheme}, f"{prefix}-{number:04d}"),
                *terms,
                *process,
                subject(spec, title, text, value, kind),
            )
        )
    return found


def tendering_terms(spec: dict[str, Any]) -> Part:
    """Where the documents are: the buyer's platform, or a file of the sample."""
    urls = [FILES + name for name in spec.get("files") or ()]
    urls = urls or [f"https://vergabe.sample.example/verfahren/{spec['id']}/unterlagen"]
    references = [
        (
            "cac:CallForTendersDocumentReference",
            ("cbc:ID", f"DOC-{i:04d}"),
            ("cbc:DocumentType", "non-restricted-document"),
            ("cac:Attachment", ("cac:ExternalReference", ("cbc:URI", url))),
        )
        for i, url in enumerate(urls, start=1)
    ]
    return ("cac:TenderingTerms", *references)


def tendering_process(spec: dict[str, Any]) -> Part:
    """The deadline of a lot."""
    due = Due.parse(spec["due"])
    names = {"participation": "cac:ParticipationRequestReceptionPeriod", "tender": "cac:TenderSubmissionDeadlinePeriod"}
    parts: list[Part] = [("cbc:EndDate", f"{{{{{due.day:+d} {zone(spec)}}}}}")]
    if due.clock:
        parts.append(("cbc:EndTime", f"{{{{{due.day:+d} {due.clock} {zone(spec)} time}}}}"))
    return ("cac:TenderingProcess", (names[due.kind], *parts))
