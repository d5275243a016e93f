"""Deadlines that German notices state in running text only."""

from __future__ import annotations

import re

from tenderscrapy.normalise.dates import Deadline, german_deadline

_TENDER = (
    r"(?:Ablauf\s+der\s+)?Angebotsfrist|Frist\s+für\s+den\s+Eingang\s+der\s+Angebote"
    r"|Schlusstermin\s+für\s+den\s+Eingang\s+der\s+Angebote|Angebote\s+sind\s+einzureichen\s+bis"
)
_PARTICIPATION = (
    r"Teilnahmefrist|(?:Schluss|End)termin\s+für\s+den\s+Eingang\s+der\s+Teilnahmeanträge"
    r"|Frist\s+für\s+den\s+Eingang\s+der\s+Teilnahmeanträge"
)
_LABELS = (("tender", _TENDER), ("participation", _PARTICIPATION))
#: Between a label and its date stand these words only: any other text makes it another date's label.
_BETWEEN = r"\s*(?:[:.]|\b(?:am|bis|zum|den|endet|ist|läuft|ab|spätestens)\b|\s)*"
_DATE = r"(?P<date>\d{1,2}\.\s?\d{1,2}\.\s?(?:\d{4}|\d{2}(?!\d)))"
_TIME = r"(?:\s*,?\s*(?:um)?\s*:?\s*(?P<time>\d{1,2}[:.]\d{2}(?::\d{2})?|\d{1,2}(?=\s*Uhr)))?"
_PATTERNS = [(kind, re.compile(rf"\b(?:{label})\b{_BETWEEN}{_DATE}{_TIME}", re.IGNORECASE)) for kind, label in _LABELS]


def deadline_in(text: str) -> tuple[str, Deadline] | None:
    """Kind (``tender``, ``participation``) and deadline that a label in ``text`` announces, local to Berlin.

    A date that follows another label, as that of the Bindefrist, is never taken; where a label stands before several
    dates, which differ, none is.
    """
    for kind, pattern in _PATTERNS:
        found = {_read(match["date"], match["time"]) for match in pattern.finditer(text)}
        found.discard(None)
        if len(found) == 1:
            stated = found.pop()
            return (kind, stated) if stated else None
        if found:
            return None
    return None


def _read(date: str, time: str | None) -> Deadline | None:
    clock = f", {time.replace('.', ':') if ':' not in time else time}" if time else ""
    try:
        return german_deadline(f"{date}{clock}{' Uhr' if clock and ':' not in clock else ''}")
    except ValueError:
        return None
