"""Notices as TED's search API answers them."""

from __future__ import annotations

from typing import Any

from bench.sample.specs import (
    COUNTRY3,
    FILES,
    FORM,
    LANGUAGE3,
    Due,
    changed,
    currency,
    identifier,
    load,
    nature,
    text_with_contact,
    zone,
)

SUBTYPE = {"cn-standard": "16", "cn-social": "20", "can-standard": "29", "pin-only": "4"}
YEAR = 2099


def number(n: int) -> str:
    """The publication number of a sample notice: no real one will bear that year in our time."""
    return f"{990000 + n}-{YEAR}"


def specs() -> list[dict[str, Any]]:
    """All TED specs, corrections filled up from what they correct."""
    found = load("ted_*.yaml")
    originals = {spec["n"]: spec for spec in found if "changes" not in spec}
    return [changed(spec, originals) if "changes" in spec else spec for spec in found]


def procedure(spec: dict[str, Any]) -> str:
    """The UUID of the procedure: a correction or a result has that of its call."""
    return identifier("procedure", spec.get("changes") or spec.get("follows") or spec["n"])


def notice(spec: dict[str, Any]) -> dict[str, Any]:
    """One notice; a field without value is left out, as TED does."""
    language = LANGUAGE3[spec["lang"]]
    kind = spec.get("type", "cn-standard")
    country, nuts, city = spec["at"]
    found: dict[str, Any] = {
        "publication-number": number(spec["n"]),
        "publication-date": f"{{{{{spec['pub']:+d} {zone(spec)}}}}}",
        "notice-type": kind,
        "notice-subtype": SUBTYPE[kind],
        "form-type": FORM[kind.split("-")[0]],
        "notice-identifier": identifier("notice", spec["n"]),
        "notice-version": 1,
        "procedure-identifier": procedure(spec),
        "official-language": [language.upper()],
        "buyer-name": {language: [spec["buyer"]]}
        | {LANGUAGE3[lang]: [name] for lang, name in spec.get("buyer_other", {}).items()},
        "buyer-country": [COUNTRY3[country]],
        "buyer-city": {language: [city]},
        "contract-nature-main-proc": nature(spec),
        "classification-cpv": [*spec["cpv"], spec["cpv"][0]],
        "main-classification-proc": [spec["cpv"][0]],
        "place-of-performance": [nuts, COUNTRY3[country], nuts],
        "description-proc": {language: text_with_contact(spec)},
        "links": links(spec, language.upper()),
    }
    if spec["title"]:
        found |= titles(spec, language)
    if kind != "pin-only":
        found["procedure-type"] = spec.get("proc", "open")
    if spec.get("contact"):
        name, email, telephone = spec["contact"]
        found |= {"buyer-email": [email], "buyer-contact-point": {language: [name]}, "buyer-tel": [telephone]}
    documents = [FILES + name for name in spec.get("files", []) if not name.endswith((".xml", ".pdf"))]
    if documents:
        found["document-url-lot"] = documents * max(1, len(spec.get("lots", ())))
    return found | money(spec, kind) | lots(spec, language) | deadline(spec) | change(spec, language)


def titles(spec: dict[str, Any], language: str) -> dict[str, Any]:
    """The buyer's title, and the headline that TED makes of it."""
    title = spec["title"]
    proc = {language: title} | {LANGUAGE3[lang]: text for lang, text in spec.get("title_other", {}).items()}
    return {"title-proc": proc, "notice-title": {"eng": f"{spec['at'][2]} – {title}", language: title}}


def links(spec: dict[str, Any], language: str) -> dict[str, Any]:
    """The notice's page; its files where the sample has some."""
    found: dict[str, Any] = {
        "html": {language: f"https://ted.sample.example/{spec['lang']}/notice/-/detail/{number(spec['n'])}"}
    }
    for name in spec.get("files", []):
        if name.endswith(".xml"):
            found["xml"] = {"MUL": FILES + name}
        elif name.endswith(".pdf"):
            found["pdf"] = {language: FILES + name}
    return found


def money(spec: dict[str, Any], kind: str) -> dict[str, Any]:
    """Estimated value of a call, total of a result with its winner."""
    found: dict[str, Any] = {}
    if spec.get("value") is not None:
        if kind.startswith("can"):
            found = {"total-value": spec["value"], "total-value-cur": [currency(spec)]}
        else:
            found = {"estimated-value-proc": f"{spec['value']}", "estimated-value-cur-proc": currency(spec)}
    if kind.startswith("can"):
        found["winner-selection-status"] = ["clos-nw" if spec.get("nonaward") else "selec-w"]
    if spec.get("winner"):
        found["winner-name"] = {LANGUAGE3[spec["lang"]]: [spec["winner"]]}
    return found


def lots(spec: dict[str, Any], language: str) -> dict[str, Any]:
    """Several lots, else the one that stands for the whole."""
    parts = spec.get("lots")
    if not parts:
        return {"identifier-lot": ["LOT-0000"]} if spec["title"] else {}
    return {
        "identifier-lot": [f"LOT-{i:04d}" for i in range(1, len(parts) + 1)],
        "title-lot": {language: [title for title, _, _ in parts]},
        "description-lot": {language: [text for _, text, _ in parts]},
        "estimated-value-lot": [f"{value}" for _, _, value in parts],
        "estimated-value-cur-lot": [currency(spec)],
    }


def deadline(spec: dict[str, Any]) -> dict[str, Any]:
    """The deadline once a lot, each part with the offset that is valid there on that day."""
    if not spec.get("due") or spec.get("reason") == "cancel":
        return {}
    due = Due.parse(spec["due"])
    field = "deadline-receipt-" + ("request" if due.kind == "participation" else "tender")
    times = max(1, len(spec.get("lots", ())))
    found = {f"{field}-date-lot": [f"{{{{{due.day:+d} {zone(spec)}}}}}"] * times}
    if due.clock:
        found[f"{field}-time-lot"] = [f"{{{{{due.day:+d} {due.clock} {zone(spec)} time}}}}"] * times
    return found


def change(spec: dict[str, Any], language: str) -> dict[str, Any]:
    """What a correction says of the notice that it corrects."""
    if "changes" not in spec:
        return {}
    return {
        "change-notice-version-identifier": number(spec["changes"]),
        "change-reason-code": [spec["reason"]],
        "change-description": {language: spec["note"]},
    }
