"""Releases as Contracts Finder packs them."""

from __future__ import annotations

from typing import Any

from bench.sample.specs import FILES, Due, identifier, load, nature

MEDIA = {
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "zip": "application/zip",
    "txt": "text/plain",
}
PAGE = "https://contracts.sample.example/Notice/"


def releases() -> list[dict[str, Any]]:
    """All releases, newest first."""
    found: list[tuple[int, int, dict[str, Any]]] = []
    for spec in load("cf_*.yaml"):
        for order, (day, release) in enumerate(editions(spec)):
            found.append((day, 10 * spec["n"] + order, release))
    found.sort(key=lambda entry: (-entry[0], -entry[1]))
    return [release for _, _, release in found]


def editions(spec: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    """The first release of a process and what came of it: amendment, twin, award or cancellation."""
    first = {"planning": planning, "award": award}.get(spec.get("stage", ""), tender)
    found = [(spec["pub"], first(spec))]
    if more := spec.get("amended"):
        amended = tender({**spec, "due": more["due"], "text": f"{spec['text']}\r\n\r\n{more['note']}"}, more["pub"])
        found.append((more["pub"], amended | {"tag": ["tenderAmendment"]}))
    if spec.get("twin"):
        found.append((spec["pub"], tender(spec, guid=spec["n"] + 500)))
    if more := spec.get("awarded"):
        found.append((more["pub"], award({**spec, **more}, guid=spec["n"] + 500)))
    if more := spec.get("cancelled"):
        release = tender(spec, more["pub"]) | {"tag": ["tenderCancellation"]}
        release["tender"] = release["tender"] | {"status": "withdrawn"}
        found.append((more["pub"], release))
    return found


def moment(day: int, n: int) -> str:
    """An edition's instant: some minute of the working day."""
    return f"{{{{{day:+d} {8 + n % 9:02d}:{n * 7 % 60:02d} Europe/London}}}}"


def base(spec: dict[str, Any], tag: str, pub: int | None, guid: int | None) -> dict[str, Any]:
    """What every release has."""
    n, day = spec["n"], spec["pub"] if pub is None else pub
    buyer = {"id": f"GB-CFS-99{n:04d}", "name": spec["buyer"]}
    name, email, telephone = spec.get("contact") or ("", f"tenders@buyer{n}.example", "")
    contact = {"name": name, "email": email, "telephone": telephone}
    return {
        "ocid": f"ocds-b5fd17-{identifier('ocid', n)}",
        "id": f"{identifier('cf notice', guid or n)}-{990000 + n * 10 + (pub is not None)}",
        "language": "en",
        "date": moment(day, n),
        "tag": [tag],
        "initiationType": "tender",
        "parties": [
            {
                **buyer,
                "identifier": {"legalName": spec["buyer"]},
                "address": {"locality": spec["region"], "countryName": "England"},
                "contactPoint": {key: value for key, value in contact.items() if value},
                "roles": ["buyer"],
            }
        ],
        "buyer": buyer,
    }


def core(spec: dict[str, Any], status: str) -> dict[str, Any]:
    """The tender section without period and documents."""
    text = spec["text"].replace("\n", "\r\n")
    if spec.get("contact"):
        text += "\r\nPlease contact {} on {} or {}.".format(*spec["contact"])
    found: dict[str, Any] = {
        "id": f"SAMPLE-{spec['n']:03d}",
        "title": spec["title"],
        "description": text,
        "status": status,
        "classification": {"scheme": "CPV", "id": spec["cpv"][0]},
        "additionalClassifications": [{"scheme": "CPV", "id": code} for code in spec["cpv"][1:]],
        "items": [{"id": "1", "deliveryAddresses": [{"region": spec["region"], "countryName": "United Kingdom"}]}],
        "suitability": {"sme": True, "vcse": spec["n"] % 3 == 0},
        "mainProcurementCategory": nature(spec).replace("supplies", "goods"),
    }
    value = spec.get("value")
    if isinstance(value, list):
        found["minValue"], value = {"amount": value[0], "currency": "GBP"}, value[1]
    if value is not None:
        found["value"] = {"amount": value, "currency": "GBP"}
    return found


def page_document(release: dict[str, Any], kind: str) -> dict[str, Any]:
    """The link back to the notice's own page."""
    url = PAGE + release["id"][:36]
    return {"id": "1", "documentType": kind, "url": url, "format": "text/html", "datePublished": release["date"]}


def tender(spec: dict[str, Any], pub: int | None = None, guid: int | None = None) -> dict[str, Any]:
    """An opportunity."""
    release = base(spec, "tender", pub, guid)
    section = core(spec, "active") | {"datePublished": moment(spec["pub"], spec["n"])}
    method, details = spec.get("proc", ["open", "Open procedure (below threshold)"])
    section |= {"procurementMethod": method, "procurementMethodDetails": details}
    if spec.get("due"):
        due = Due.parse(spec["due"])
        clock = f" {due.clock} Europe/London" if due.clock else ""
        section["tenderPeriod"] = {"endDate": f"{{{{{due.day:+d}{clock}}}}}"}
    section["documents"] = [page_document(release, "tenderNotice")]
    for i, name in enumerate(spec.get("files", []), start=2):
        section["documents"].append(
            {
                "id": str(i),
                "documentType": "biddingDocuments",
                "description": name.rsplit(".", 1)[0].replace("-", " ").capitalize(),
                "url": FILES + name,
                "format": MEDIA[name.rsplit(".", 1)[1]],
            }
        )
    return release | {"tender": section}


def planning(spec: dict[str, Any]) -> dict[str, Any]:
    """An early engagement; its title stands on the release as well."""
    release = base(spec, "planning", None, None) | {"title": spec["title"]}
    document = page_document(release, "marketEngagementNotice")
    return release | {"planning": {"documents": [document]}, "tender": core(spec, "planning")}


def award(spec: dict[str, Any], guid: int | None = None) -> dict[str, Any]:
    """An award."""
    release = base(spec, "award", None, guid)
    entry: dict[str, Any] = {
        "id": f"{release['ocid']}-1",
        "status": "active",
        "date": moment(spec["pub"] - 2, spec["n"]),
        "suppliers": [{"id": f"GB-CFS-98{spec['n']:04d}", "name": spec["winner"]}],
        "documents": [page_document(release, "awardNotice")],
    }
    if spec.get("value") is not None:
        entry["value"] = {"amount": spec["value"], "currency": "GBP"}
    return release | {"tender": core(spec, "complete"), "awards": [entry]}
