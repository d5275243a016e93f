"""The pages of one cosinex project: overview and procedure data, national forms, old EU forms and eForms, by label."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from tenderscrapy.formats.cosinex_list import SIGNS, deadline_kind
from tenderscrapy.formats.netserver_detail import UnexpectedPageError, add_link, comparable_label, read_facts
from tenderscrapy.formats.notice_text import one_line
from tenderscrapy.formats.page_outcome import Outcome, main_content, text_of, title_of, unexplained
from tenderscrapy.normalise.text import clean_text
from tenderscrapy.normalise.urls import without_session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsel import Selector

    from tenderscrapy.items import Notice

#: Labels of the forms, without numbering, colon and case -> what is done with their value (netserver_detail).
_LABELS = {
    "title": ("bezeichnung des auftrags", "titel", "kurzbezeichnung"),
    "description": ("kurze beschreibung", "beschreibung", "art und umfang der leistung", "umfang der leistung",
                    "beschreibung der beschaffung"),
    "buyer": ("offizielle bezeichnung",),
    "address": ("name und anschrift",),
    "city": ("ort",),
    "reference": ("vergabenummer", "aktenzeichen", "interne kennung", "referenznummer der bekanntmachung"),
    "tender": ("frist für den eingang der angebote", "schlusstermin für den eingang der angebote", "angebotsfrist",
               "angebote sind einzureichen bis"),
    "participation": ("frist für den eingang der teilnahmeanträge", "teilnahmefrist",
                      "schlusstermin für den eingang der teilnahmeanträge"),
    "either": ("schlusstermin für den eingang der angebote oder teilnahmeanträge", "abgabefrist",
               "angebots-/teilnahmefrist"),
    "cpv": ("cpv-code hauptteil", "weitere(r) cpv-code(s)", "weiterer cpv-code", "cpv-code", "cpv-codes", "cpv",
            "haupteinstufung (cpv)", "zusätzliche einstufung (cpv)", "haupteinstufung", "zusätzliche einstufung"),
    "nuts": ("nuts-code", "nuts code", "land, gliederung (nuts)"),
    "value": ("geschätzter wert ohne mwst. (in euro)", "geschätzter gesamtwert", "geschätzter wert",
              "geschätzter wert ohne mwst."),
    "dispatched": ("tag der absendung dieser bekanntmachung",),
    "procedure_id": ("kennung des verfahrens",),
    "notice_uuid": ("kennung/fassung der bekanntmachung", "kennung der bekanntmachung"),
    "kind": ("art des auftrags",),
    "procedure": ("verfahrensart", "vergabeart", "art des verfahrens"),
    "frame": ("vo", "vergabeordnung"),
    "project": ("ausschreibungs-id",),
}  # fmt: skip
_MEANING = {label: meaning for meaning, labels in _LABELS.items() for label in labels}
#: Sections about other organisations than the buyer, whose names and places are not the procedure's.
_OTHERS = re.compile(r"nachprüf|rechtsbehelf|schlichtung|beschwerde|auskünfte|auftragnehmer|bezuschlagt", re.IGNORECASE)
_OF_THE_BUYER = frozenset({"buyer", "address", "city", "nuts"})

_HEADLINE = "h4.sub-headline, .sub-headline-container h4"
_CPV_LINE = re.compile(r"\d{8}(?:-\d)?")
_PROJECT = re.compile(r"(?<![A-Z0-9])CX[A-Z0-9]{6,}(?![A-Za-z0-9])")
_PROJECT_PAGE = re.compile(r"^(.*/(?:notice|project)/(CX[A-Z0-9]{6,}))(?![A-Za-z0-9])")
#: The sentences of a tab that shows nothing any more, or nothing without an account.
CLOSED = re.compile(r"dieser Auftrag bereits vergeben wurde", re.IGNORECASE)
GATED = re.compile(
    r"Um Zugriff auf dieses Modul zu erhalten,? müssen Sie am Vergabeverfahren teilnehmen", re.IGNORECASE
)

Facts = dict[str, list[str]]


@dataclass(slots=True)
class Tabs:
    """Further pages of the project (absolute, None where there is none), and all that was read of it so far."""

    facts: Facts
    procedure: str | None = None
    documents: str | None = None


def read_detail(
    notice: Notice,
    page: Selector,
    url: str,
    earlier: Facts | None = None,
    zone: str = "Europe/Berlin",
) -> Tabs:
    """Put what a tab says on the notice, with what an ``earlier`` one said; ``url`` is the one finally answered.

    Raises UnexpectedPageError when the page is none of a project, and leaves the notice as it was.
    """
    content = main_content(page, SIGNS.main)
    facts, text = _facts(content), text_of(content)
    if not facts and not CLOSED.search(text) and not GATED.search(text):
        outcome = unexplained(page, url, SIGNS)
        raise UnexpectedPageError(Outcome.NO_ROWS_MATCHED if outcome.clean else outcome, page, url)
    merged = {
        meaning: list(dict.fromkeys([*(earlier or {}).get(meaning, []), *facts.get(meaning, [])]))
        for meaning in dict.fromkeys([*(earlier or {}), *facts])
    }
    _read(notice, merged, zone)
    if CLOSED.search(text):
        notice.status = "awarded"
    return _tabs(notice, page, url, merged)


def _read(notice: Notice, facts: Facts, zone: str) -> None:
    asked = facts | {(kind := deadline_kind(notice)): [*facts.get(kind, []), *facts.get("either", [])]}
    if kind == "participation" and asked[kind]:
        asked.pop("tender", None)  # what comes after the participation
    read_facts(notice, asked, zone)
    if notice.cpv:
        notice.extra.pop("discovery_cpv", None)
        notice.flags = [flag for flag in notice.flags if flag.code != "cpv_coarse"]
    if notice.buyers and (city := one_line(next(iter(facts.get("city", [])), None))):
        notice.buyers[0].city = city[:100]
    if "legal_frame" not in notice.extra and (frame := one_line(next(iter(facts.get("frame", [])), None))):
        notice.extra["legal_frame"] = frame[:60]
    # a later tab repeats what an earlier one said, and what was wrong with it
    notice.flags = [flag for number, flag in enumerate(notice.flags) if flag not in notice.flags[:number]]


def _facts(content: Selector) -> Facts:
    """Meaning -> every value under a label of that meaning, in the order of the page."""
    found: Facts = {}
    for headline, label, value in _labelled(content):
        meaning = _MEANING.get(comparable_label(label))
        if meaning and value and not (meaning in _OF_THE_BUYER and _OTHERS.search(headline)):
            values = found.setdefault(meaning, [])
            if value not in values:
                values.append(value)
    return found


def _labelled(content: Selector) -> Iterator[tuple[str, str, str]]:
    """Headline, label and value of each field; the headline stands for the label that a field does not have."""
    headline = ""
    for node in content.css(f"{_HEADLINE}, .control-group, p, tr, dl > div"):
        kind = node.root.tag
        if "control-group" in node.attrib.get("class", "").split():
            label = (
                text_of(node.css("label.control-label, .control-label")[:1][0]) if node.css(".control-label") else ""
            )
            yield headline, label or headline, _value(node)
        elif kind == "h4":
            headline = text_of(node)
        elif kind == "p":
            code = text_of(node.css("b")[0]) if node.css("b") else ""
            if _CPV_LINE.fullmatch(code):
                yield headline, "cpv", code
        else:
            cells = node.xpath("./td | ./th | ./dt | ./dd")
            if len(cells) == 2:
                yield headline, text_of(cells[0]), _lines(cells[1])


def _value(group: Selector) -> str:
    """The text that is shown; of boxes to tick the ticked ones."""
    if ticked := group.css(".checked-element"):
        return "\n".join(text_of(node) for node in ticked)
    shown = group.css(".controls .read-only, .read-only") or group.css(".controls")
    return "\n".join(text for node in shown if (text := _lines(node)))


def _lines(node: Selector) -> str:
    text = clean_text(node.get()) or ""
    return "\n".join(line.strip() for line in text.split("\n") if line.strip())


def _tabs(notice: Notice, page: Selector, url: str, facts: Facts) -> Tabs:
    """Links to the other tabs; the CX id in addresses is the key that other portals' notices share."""
    root = _project_root(page, url, facts)
    if root is None:
        notice.flag("procedure_key_missing", "links")
        return Tabs(facts)
    own = [href for href in _addresses(page, url) if href.startswith(f"{root}/")]
    forms = sorted(href for href in own if "/processdata/" in href)  # eforms before generic
    documents = next((href for href in own if re.search(r"/documents/?$", urlsplit(href).path)), None)
    if documents is None:
        documents = f"{root}/documents" if "/notice/" in root else f"{root}/de/documents"
    notice.url = f"{root}" if "/notice/" in root else f"{root}/de/overview"
    add_link(notice, documents, "documents")
    return Tabs(facts, forms[0] if forms else None, documents)


def _project_root(page: Selector, url: str, facts: Facts) -> str | None:
    """``…/project/CX…`` of the answered address, of a link of the page, or made of the number that the page names."""
    for candidate in (without_session(url), *_addresses(page, url)):
        match = _PROJECT_PAGE.match(candidate)
        if match and urlsplit(candidate).netloc.lower() == urlsplit(url).netloc.lower():
            return match[1]
    named = _PROJECT.search(title_of(page)) or _PROJECT.search(" ".join(facts.get("project", [])))
    prefix, public, _ = without_session(url).partition("/public/")
    return f"{prefix}/public/company/project/{named[0]}" if named and public else None


def _addresses(page: Selector, url: str) -> list[str]:
    """Every link of the page, absolute and without session; what is no address is left out."""
    found = []
    for href in page.xpath("//a/@href").getall():
        try:
            found.append(without_session(urljoin(url, href.strip())))
            urlsplit(found[-1])
        except ValueError:
            continue
    return found
