"""The compact specs of the sample notices, and what their shapes have in common."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

SPECS = Path(__file__).parent / "specs"
FILES = "https://files.sample.example/"

COUNTRY3 = {
    "AT": "AUT", "BE": "BEL", "CH": "CHE", "CZ": "CZE", "DE": "DEU", "DK": "DNK", "EL": "GRC", "ES": "ESP", "FI": "FIN",
    "FR": "FRA", "HU": "HUN", "IE": "IRL", "IT": "ITA", "LU": "LUX", "MT": "MLT", "NL": "NLD", "NO": "NOR", "PL": "POL",
    "PT": "PRT", "RO": "ROU", "SE": "SWE",
}  # fmt: skip
LANGUAGE3 = {
    "cs": "ces", "da": "dan", "de": "deu", "el": "ell", "en": "eng", "es": "spa", "fi": "fin", "fr": "fra", "hu": "hun",
    "it": "ita", "nl": "nld", "no": "nor", "pl": "pol", "pt": "por", "ro": "ron", "sv": "swe",
}  # fmt: skip
CURRENCY = {"CZ": "CZK", "DK": "DKK", "HU": "HUF", "NO": "NOK", "PL": "PLN", "RO": "RON", "SE": "SEK", "CH": "CHF"}
ZONE = {
    "AT": "Vienna", "BE": "Brussels", "CH": "Zurich", "CZ": "Prague", "DE": "Berlin", "DK": "Copenhagen",
    "EL": "Athens", "ES": "Madrid", "FI": "Helsinki", "FR": "Paris", "HU": "Budapest", "IE": "Dublin", "IT": "Rome",
    "LU": "Luxembourg", "MT": "Malta", "NL": "Amsterdam", "NO": "Oslo", "PL": "Warsaw", "PT": "Lisbon",
    "RO": "Bucharest", "SE": "Stockholm",
}  # fmt: skip
FORM = {"cn": "competition", "can": "result", "pin": "planning"}

# How a buyer names its contact person in running text: what must never reach the database.
CONTACT_PHRASE = {
    "de": "Ansprechpartnerin: Frau {0}, E-Mail: {1}, Telefon: {2}",
    "fr": "Contact : Mme {0}, courriel {1}, téléphone : {2}",
    "es": "Persona de contacto: Sra. {0}, correo {1}, teléfono: {2}",
    "it": "Contatto: Sig.ra {0}, e-mail {1}, tel. {2}",
    "en": "Contact: Ms {0}, e-mail {1}, telephone: {2}",
}


@dataclass(frozen=True)
class Due:
    """A deadline: days after the anchor, local clock time or None for a day alone."""

    kind: str
    day: int
    clock: str | None

    @classmethod
    def parse(cls, text: str | int) -> Due:
        """Read ``47 10:00``, ``47`` or ``participation 35 14:00``."""
        words = str(text).split()
        kind = words.pop(0) if not words[0].lstrip("-").isdigit() else "tender"
        return cls(kind, int(words[0]), words[1].rjust(5, "0") if len(words) > 1 else None)


def load(pattern: str) -> list[dict[str, Any]]:
    """All entries of the spec files that match, with the language in the file's name where they name none."""
    found = []
    for path in sorted(SPECS.glob(pattern)):
        for entry in yaml.safe_load(path.read_text(encoding="utf-8")):
            entry.setdefault("lang", path.stem.rsplit("_", 1)[-1])
            found.append(entry)
    return found


def changed(spec: dict[str, Any], originals: dict[int, dict[str, Any]]) -> dict[str, Any]:
    """A correction with everything that it leaves as it was."""
    return {"doe": None, "files": [], "contact": None, **without(originals[spec["changes"]]), **spec}


def without(spec: dict[str, Any]) -> dict[str, Any]:
    """The part of a notice that a correction repeats."""
    return {key: value for key, value in spec.items() if key not in {"doe", "files", "contact", "lang"}}


def identifier(kind: str, number: int) -> str:
    """A UUID that is stable, valid, and plainly of the sample (``5a391e`` reads as a misspelt sample)."""
    kinds = {"procedure": 1, "notice": 2, "ocid": 3, "cf notice": 4, "cf file": 5}
    return f"5a391e00-{kinds[kind]:04x}-4000-8000-{number:012d}"


def zone(spec: dict[str, Any]) -> str:
    """The IANA zone of the buyer."""
    return "Europe/" + ZONE[spec["at"][0]]


def currency(spec: dict[str, Any]) -> str:
    """The currency of all amounts of a notice."""
    return CURRENCY.get(spec["at"][0], "EUR")


def nature(spec: dict[str, Any]) -> str:
    """Works, supplies or services, as the first CPV code tells."""
    code = spec["cpv"][0]
    return "works" if code.startswith("45") else "supplies" if code < "45" or code.startswith("48") else "services"


def text_with_contact(spec: dict[str, Any]) -> str:
    """The description, with the contact person in its last sentence where the spec plants one."""
    text = str(spec["text"])
    if spec.get("contact"):
        text += "\n" + CONTACT_PHRASE[spec["lang"]].format(*spec["contact"])
    return text
