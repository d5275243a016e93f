"""How NetServer's skins write a list. Constructed from their documented structure; nothing here is a capture."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal_simulator.netserver_tenders import Tender

MENU = (
    '<nav class="navbar"><a href="LoginControllerServlet?function=LoginForm">Anmelden</a> <a href="#">Vergabeunterlagen'
    '</a> <a href="#">Hinweise zur Wartung</a></nav>'
)
HEADS = ("Erschienen am", "Ausschreibung", "Vergabestelle", "Verfahrensart", "Rechtsrahmen", "Abgabefrist")


def page(title: str, content: str, charset: str = "utf-8") -> str:
    """A whole page with the menu that every page has."""
    return (
        f'<!DOCTYPE html><html lang="de"><head><meta charset="{charset}"><title>{escape(title)}</title></head><body>'
        f'<header><h1>Vergabeportal</h1></header>{MENU}<main id="content">{content}</main>'
        "<footer>Impressum | Datenschutz | Kontakt</footer></body></html>"
    )


def table(tenders: Sequence[Tender]) -> str:
    return _table(tenders, HEADS, lambda t: [_date(t), _title(t), _authority(t), *_types(t), _deadline(t)])


def table_without_authority(tenders: Sequence[Tender]) -> str:
    """Bremen: no column for the authority, and each tender once more as a bare deadline."""
    heads = tuple(head for head in HEADS if head != "Vergabestelle")
    rows = _table(tenders, heads, lambda t: [_date(t), _title(t), *_types(t), _deadline(t)])
    for tender in tenders:
        again = f'<tr class="tableRow hidden-md" data-oid="{tender.oid}"><td colspan="5">{_deadline(tender)}</td></tr>'
        rows = rows.replace(f"<!-- after {tender.oid} -->", again)
    return rows


def table_with_merged_types(tenders: Sequence[Tender]) -> str:
    """Frankfurt: legal frame and procedure in one cell."""
    heads = ("Erschienen am", "Ausschreibung", "Vergabestelle", "Vergabeart", "Abgabefrist")

    def cells(t: Tender) -> list[str]:
        merged = f'<td class="tenderType">{escape(t.frame)}, {escape(t.procedure)}</td>'
        return [_date(t), _title(t), _authority(t), merged, _deadline(t)]

    return _table(tenders, heads, cells)


def plain_table(tenders: Sequence[Tender]) -> str:
    """An older skin: no classes on the cells, so only the head tells what they hold."""
    rows = "".join(
        f'<tr data-oid="{t.oid}" data-category="{t.category}"><td>{t.published}</td><td>{escape(_numbered(t))}</td>'
        f"<td>{escape(t.authority)}</td><td>{escape(t.procedure)}</td><td>{escape(t.frame)}</td><td>{t.deadline}</td></tr>"
        for t in tenders
    )
    heads = "".join(f"<th>{head}</th>" for head in HEADS)
    return f'<table class="table table-responsive"><tr>{heads}</tr>{rows}</table>'


def plain_table_in_own_words(tenders: Sequence[Tender]) -> str:
    """The older skin of a town that names two columns in its own way."""
    named = plain_table(tenders).replace(">Vergabestelle<", ">Bedarfsstelle<")
    return named.replace(">Abgabefrist<", ">Einzureichen bis<")


def blocks(tenders: Sequence[Tender]) -> str:
    """vmstart: a block of labels and values a tender."""
    body = "".join(
        f'<tbody class="tableLeftHeaderBlock" tabindex="0" data-oid="{t.oid}" data-category="{t.category}">'
        + "".join(
            f'<tr class="tableRowLeft"><td>{label}</td><td>{escape(value)}</td></tr>'
            for label, value in (
                ("Erschienen am", t.published),
                ("Ausschreibung", _numbered(t)),
                ("Vergabestelle", t.authority),
                ("Verfahrensart", t.procedure),
                ("Rechtsrahmen", t.frame),
                ("Abgabefrist", t.deadline),
            )
        )
        + "</tbody>"
        for t in tenders
    )
    heading = f'<h3 class="color-main">{len(tenders)} gefundene Ausschreibung(en)</h3>'
    return f"{heading}<table>{body}</table>"


def table_and_blocks(tenders: Sequence[Tender]) -> str:
    """A desktop and a narrow rendering in one page."""
    return table(tenders) + blocks(tenders)


def cards(tenders: Sequence[Tender]) -> str:
    """Hessen: a card a tender, its own link inside."""
    made = "".join(
        f'<div class="card"><p class="mb-3">{escape(t.title)}</p>'
        f'<div class="row"><div class="col-5"><p>Nummer:</p><p>{t.published}</p><p></p><p>{t.number}</p></div>'
        f'<div class="col-7"><div><div><div>Art:</div><div>{escape(t.procedure)}</div></div></div>'
        f"<div><div>Vergabestelle:</div><div>{escape(t.authority)}</div></div>"
        f"<div><div>Abgabefrist:</div><div>{t.deadline}</div></div></div></div>"
        f'<a href="PublicationControllerServlet?function=Detail&amp;TOID={t.oid}&amp;Category={t.category}">Details</a>'
        "</div>"
        for t in tenders
    )
    return f'<form id="searchForm"><section>{made}</section></form>'


def definitions(tenders: Sequence[Tender]) -> str:
    """Sachsen: a definition list a tender, without its date of publication."""
    return "".join(
        f'<dl class="publication" data-oid="{t.oid}" data-category="{t.category}">'
        f"<dt><strong>{escape(_numbered(t))}</strong></dt><dd></dd>"
        f"<dt>Auftraggeber:</dt><dd>{escape(t.authority)}</dd><dt>Verfahrensart:</dt><dd>{escape(t.procedure)}</dd>"
        f"<dt>Abgabefrist</dt><dd>{t.deadline}</dd></dl>"
        for t in tenders
    )


def relaunched(tenders: Sequence[Tender]) -> str:
    """The same facts in markup that nobody has seen before."""
    rows = "".join(
        f'<li class="x-item"><h2>{escape(t.title)}</h2><span>{escape(t.authority)}</span><time>{t.deadline}</time></li>'
        for t in tenders
    )
    return f'<ol class="x-results">{rows}</ol>'


EMPTY = (
    '<table class="tableHorizontalHeader"><thead><tr>' + "".join(f"<th>{head}</th>" for head in HEADS) + "</tr></thead>"
    "<tbody></tbody></table>"
)

VARIANTS = {
    "table": table,
    "table_without_authority": table_without_authority,
    "table_with_merged_types": table_with_merged_types,
    "plain_table": plain_table,
    "plain_table_in_own_words": plain_table_in_own_words,
    "blocks": blocks,
    "table_and_blocks": table_and_blocks,
    "cards": cards,
    "definitions": definitions,
    "relaunched": relaunched,
}


def _table(tenders: Sequence[Tender], heads: Sequence[str], cells: object) -> str:
    rows = "".join(
        f'<tr class="tableRow clickable-row publicationDetail" data-oid="{t.oid}" data-category="{t.category}">'
        f"{''.join(cells(t))}</tr><!-- after {t.oid} -->"  # type: ignore[operator]
        for t in tenders
    )
    head = "".join(f"<th>{text}</th>" for text in heads)
    return f'<table class="tableHorizontalHeader"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _numbered(tender: Tender) -> str:
    return f"{tender.title} ({tender.number})"


def _date(tender: Tender) -> str:
    return f"<td >{tender.published}</td>"


def _title(tender: Tender) -> str:
    return f'<td class="tender">{escape(_numbered(tender))}</td>'


def _authority(tender: Tender) -> str:
    return f'<td class="tenderAuthority" >{escape(tender.authority)}</td>'


def _types(tender: Tender) -> list[str]:
    return [f'<td class="tenderType">{escape(text)}</td>' for text in (tender.procedure, tender.frame)]


def _deadline(tender: Tender) -> str:
    return f'<td class="tenderDeadline">{tender.deadline}</td>'
