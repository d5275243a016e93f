"""How cosinex writes lists, projects and documents. Constructed from their documented structure; no captures."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from html import escape
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HEADS = ("Veröffentlicht", "Angebots-/Teilnahmefrist", "Kurzbezeichnung", "Typ", "Ausschreibende Stelle", "Aktion")
FACETS = (
    '<table class="csx-new-table"><tr><td>Weitere Einschränkungsmöglichkeiten</td><td></td></tr>'
    "<tr><td>VOB/A</td><td>7</td></tr></table>"
)
MENU = (
    '<div id="menu"><a href="/VMPCenter/login.do">Anmelden</a> <a href="#">Vergabeunterlagen</a> '
    '<a href="#">Hinweise zur Wartung</a></div>'
)
AUTHORITIES = ("Stadt Musterhausen, Zentrale Vergabestelle", "Kreis Beispielau", "Straßenbaubetrieb Erfundental")
SUBJECTS = (("Brückensanierung", "45221119-9"), ("Büromöbel", "39130000-2"), ("Wartung der Aufzüge", "50750000-7"))
DIVISIONS = {"45": "45000000-7", "39": "39000000-2", "50": "50000000-5"}
FORMS = ("national", "old_eu", "eforms")
BERLIN = ZoneInfo("Europe/Berlin")


@dataclass
class Project:
    """One project as the marketplace knows it; both moments are in UTC, a deadline may be missing ("nv")."""

    pid: int
    cx: str
    title: str
    cpv: str
    authority: str
    published_at: datetime
    deadline_at: datetime | None
    kind: tuple[str, str] = ("Ausschreibung", "Ausschreibung")
    regulation: str = "VgV"
    form: str = "national"
    number: str = "ZV-2026-001"
    contact: str = "Erika Erfunden"
    uuid: str = ""
    files: list[tuple[str, int]] = field(default_factory=lambda: [("Leistungsverzeichnis.pdf", 2), ("Angebot.pdf", 1)])

    also: str = ""

    @property
    def codes(self) -> list[str]:
        return [self.cpv, self.also] if self.also else [self.cpv]

    @property
    def heading(self) -> str:
        return f"{self.cx} | {self.title} | vmp.example"


def invented_projects(count: int, seed: int = 1) -> list[Project]:
    """``count`` projects in three divisions, newest first, the same but for the day for the same arguments."""
    chance = random.Random(seed)
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    made = []
    for number in range(count):
        subject, cpv = SUBJECTS[number % 3]
        published = now - timedelta(hours=5 * number + 1)
        made.append(
            Project(
                pid=59000 + number,
                cx=f"CXTEST{seed}Y{number:04d}",
                title=f"{subject} Los {number + 1}",
                cpv=cpv,
                authority=chance.choice(AUTHORITIES),
                published_at=published,
                deadline_at=published + timedelta(days=30) if number % 7 else None,
                form=FORMS[number // 3 % 3],
                number=f"ZV-{seed}-{number:05d}",
                uuid=f"{chance.getrandbits(32):08x}-0000-4000-8000-{number:012x}",
            )
        )
    return made


def page(title: str, content: str, charset: str) -> str:
    """A whole page with the menu that every page has."""
    return (
        f'<!DOCTYPE html><html><head><meta charset="{charset}"><title>{escape(title)}</title></head><body>{MENU}'
        f'<div id="mainBox"><div id="content">{content}</div></div><div id="footer">Impressum</div></body></html>'
    )


def overview(projects: Sequence[Project]) -> str:
    counts: dict[str, int] = {"03000000-1": 0}
    for written in (code for project in projects for code in project.codes):
        division = DIVISIONS[written[:2]]
        counts[division] = counts.get(division, 0) + 1
    link = '<li><a href="categoryOverview.do?method=showTable&amp;cpvCode={0}">Abteilung {0} ({1})</a></li>'
    return f"<ul>{''.join(link.format(code, count) for code, count in counts.items())}</ul>"


def pager(number: int, total: int, size: int) -> str:
    pages = -(-total // size)
    script = "setTargetAndSubmit('/VMPCenter/x.do?method=showTable&amp;selectedTablePagePROJECT_RESULT={}')"
    links = "".join(f'<a href="javascript:void(0)" onclick="{script.format(n)}">{n}</a>' for n in range(1, pages + 1))
    text = f"Seite: {number} von {pages} - Gesamteinträge: {total}"
    return (
        f'<tr><td colspan="6"><div class="browsePages"><div class="browsePagesText">{text}</div>{links}</div></td></tr>'
    )


def with_heads(projects: Sequence[Project], links: dict[int, str], below: str) -> str:
    head = "".join(f"<th>{text}</th>" for text in HEADS)
    rows = "".join(_row(p, links.get(p.pid)) for p in projects)
    return f'<table class="csx-new-table"><thead><tr>{head}</tr></thead><tbody>{rows}{below}</tbody></table>'


def without_heads(projects: Sequence[Project], links: dict[int, str], below: str) -> str:
    rows = "".join(_row(p, f"javascript:openProjectPopup(%27{links[p.pid]}%27,%20%27{p.pid}%27);") for p in projects)
    return f'<table class="csx-new-table"><tbody>{rows}{below}</tbody></table>'


def relaunched(projects: Sequence[Project], links: dict[int, str], below: str) -> str:
    """The same facts in markup that nobody has seen before."""
    del below
    items = "".join(f'<li><h2>{escape(p.title)}</h2><button data-x="{p.pid}">Öffnen</button></li>' for p in projects)
    return f'<ol class="x-results" data-count="{len(links)}">{items}</ol>'


SKINS: dict[str, Callable[[Sequence[Project], dict[int, str], str], str]] = {
    "heads": with_heads,
    "plain": without_heads,
    "relaunched": relaunched,
}


def _row(p: Project, link: str | None) -> str:
    short, full = p.kind
    action = f'<a href="{escape(link)}" target="_blank"><img src="/x.gif"></a>' if link else ""
    return (
        f'<tr class="odd"><td>{_moment(p.published_at)}</td><td>{_moment(p.deadline_at)}</td>'
        f'<td class="word-break">{escape(p.title)}</td><td>{p.regulation}<br /><abbr title="{full}">{short}</abbr></td>'
        f"<td>{escape(p.authority)}</td><td>{action}</td></tr>"
    )


def _moment(at: datetime | None) -> str:
    if at is None:
        return "nv"
    local = at.astimezone(BERLIN)
    return f"<abbr title='{local:%d.%m.%Y} um {local:%H:%M} Uhr'>{local:%d.%m.%Y} </abbr>"


def _group(label: str, value: str) -> str:
    return (
        f'<div class="control-group"><label class="control-label">{label}</label>'
        f'<div class="controls"><span class="read-only">{value}</span></div></div>'
    )


def _section(headline: str, *groups: str) -> str:
    return f'<div class="sub-headline-container"><h4 class="sub-headline">{headline}</h4></div>{"".join(groups)}'


def project_page(p: Project, root: str) -> str:
    """The overview tab, with links to the others."""
    form = "eforms" if p.form == "eforms" else "generic"
    tabs = "".join(f'<a href="{root}/{tab}">{tab}</a>' for tab in ("overview", f"processdata/{form}", "documents"))
    codes = f"<p><b>{p.cpv}</b> Leistungen</p>" if p.form != "eforms" else ""
    until = p.deadline_at.astimezone(BERLIN).strftime("%d.%m.%Y %H:%M Uhr") if p.deadline_at else ""
    return (
        f"<div>{tabs}</div>"
        + _section("Allgemein", _group("Ausschreibungs-ID", p.cx), _group("VO:", p.regulation))
        + _section("Abgabefrist", _group("Angebotsfrist:", until))
        + _section("Auftragsgegenstand", codes)
    )


def processdata(p: Project) -> str:
    """The procedure's tab in one of three forms; the last section is about somebody else."""
    buyer = (_group("Offizielle Bezeichnung", escape(p.authority)), _group("Ort", "Musterhausen"))
    others = _section("Nachprüfungsverfahren", _group("Offizielle Bezeichnung", "Vergabekammer Beispielau"))
    text = f"Ausführung nach Plan. Ansprechpartner: {p.contact}, Tel. 0211 1234567"
    forms = {
        "national": (
            _section("Auftraggeber", *buyer, _group("E-Mail", "erika@musterhausen.example")),
            _section(
                "Verfahren", _group("Vergabenummer", p.number), _group("Vergabeart:", "Öffentliche Ausschreibung")
            ),
            _section("Leistung", _group("Kurze Beschreibung", text)),
        ),
        "old_eu": (
            _section("Abschnitt I", *buyer, _group("NUTS Code", "DEA11")),
            _section(
                "Abschnitt II",
                _group("II.1.4) Kurze Beschreibung", text),
                _group("Referenznummer der Bekanntmachung", p.number),
            ),
        ),
        "eforms": (
            _section("Beschaffer", *buyer),
            _section(
                "Verfahren",
                _group("Kennung des Verfahrens", p.uuid),
                _group("Interne Kennung", p.number),
                _group("Beschreibung", text),
                _group("Haupteinstufung (cpv):", p.cpv),
            ),
        ),
    }
    return "".join(forms[p.form]) + others


def documents(p: Project, path: str) -> str:
    """One row a version, the oldest first."""
    root = f"{path}public/company/project/{p.cx}/de/documents"
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td>Version {version}</td><td>120 KB</td><td>0{version}.10.2026 08:00</td>"
        f'<td><a href="{root}/{version}/{escape(name)}">Herunterladen</a></td></tr>'
        for name, versions in p.files
        for version in range(1, versions + 1)
    )
    heads = "".join(f"<th>{head}</th>" for head in ("Dateiname", "Stand", "Größe", "Datum", "Aktion"))
    archive = f'<a href="{root}/archive/Vergabeunterlagen_{p.cx}.zip">Alle Dokumente als ZIP</a>'
    return f"<h4>Vergabeunterlagen</h4>{archive}<table><tr>{heads}</tr>{rows}</table>"
