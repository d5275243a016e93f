"""Whatever a source sends: a mapper answers with a notice that can be stored, or refuses the document in one way."""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any

import psycopg2
import pytest
from chaos.report import Outcome, full, publish
from fuzz.breaking import broken
from fuzz.formats import FORMATS, Format
from hypothesis import HealthCheck, Phase, find, given, seed, settings
from hypothesis.errors import NoSuchExample
from itemadapter import ItemAdapter

from pipelines.validation import missing_fields
from tenderscrapy.database.batch import rows_of
from tenderscrapy.database.committing import commit, storable
from tenderscrapy.exceptions import UnreadableDocumentError
from tenderscrapy.identity.keys import strong_keys
from tenderscrapy.identity.merging import canonical
from tenderscrapy.items import Notice, from_json, to_json

if TYPE_CHECKING:
    from collections.abc import Callable

#: Documents of each format: 120,000 in all on a full run.
EXAMPLES = 30_000 if full() else 300
SEED = 20261201
E_MAIL = re.compile(r"[\w.+-]+@[\w-]+\.[a-z]{2,}", re.IGNORECASE)
NAMES = [one.name for one in FORMATS]


def mapped(one: Format, document: Any) -> Notice | None:
    """The notice, None when the document was refused as a mapper may."""
    try:
        notice = one.to_notice(document)
    except UnreadableDocumentError:
        return None
    notice.keys = strong_keys(notice)
    return notice


def hold(notice: Notice) -> None:
    """What is true of every notice that a mapper gives; one without an identity or a title is dropped behind it."""
    if missing_fields(ItemAdapter(notice)):
        return
    snapshot = to_json(notice)
    text = canonical(storable(snapshot))
    json.loads(text, parse_constant=pytest.fail)
    assert to_json(from_json(snapshot)) == snapshot
    (row,) = rows_of([notice]).values()
    assert E_MAIL.findall(row.text) == []
    (again,) = rows_of([notice]).values()
    assert again.content_hash == row.content_hash
    assert isinstance(notice.notice_id, str)
    for moment in (notice.published_at, notice.revised_at, notice.deadline_at):
        assert moment is None or moment.tzinfo is not None


@pytest.mark.chaos
@pytest.mark.timeout(3600 if full() else 300)
@pytest.mark.parametrize("one", FORMATS, ids=NAMES)
def test_a_broken_document_is_a_notice_or_refused(one: Format) -> None:
    outcomes: Counter[str] = Counter()

    @seed(SEED)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    @given(broken(one.kind))
    def every(document: Any) -> None:
        notice = mapped(one, document)
        outcomes["refused" if notice is None else "mapped"] += 1
        if notice is not None:
            hold(notice)

    every()
    tried = outcomes.total()
    assert tried >= EXAMPLES
    assert min(outcomes["refused"], outcomes["mapped"]) > tried // 100, f"one-sided: {outcomes}"
    told = f"{outcomes['mapped']:,} mapped, {outcomes['refused']:,} refused as unreadable; seed {SEED}"
    publish(Outcome(f"broken documents: {one.name}", tried, tried, 0, 0, f"no other error ({told})"))


def drawn(one: Format, count: int) -> list[Notice]:
    """Notices of broken documents, with their numbers made unlike each other."""
    found: list[Notice] = []

    def take(document: Any) -> bool:
        notice = mapped(one, document)
        if notice is not None and notice.title and notice.notice_id:
            notice.notice_id = f"{notice.notice_id[:300]}/{len(found)}"
            notice.keys = strong_keys(notice)
            found.append(notice)
        return len(found) >= count

    try:
        find(broken(one.kind), take, settings=settings(max_examples=count * 20, database=None, phases=[Phase.generate]))
    except NoSuchExample:
        pytest.fail(f"only {len(found)} documents of {count * 20} were mapped")
    return found


@pytest.mark.parametrize("one", FORMATS, ids=NAMES)
def test_broken_notices_are_stored_or_set_aside_and_cost_the_good_one_nothing(
    database: str, ask: Callable[..., list[tuple[Any, ...]]], one: Format
) -> None:
    good = Notice("ted", "1-2026", title="Winter service", buyer_name="Town of Example")
    good.keys = strong_keys(good)
    notices = [*drawn(one, 60), good]
    with closing(psycopg2.connect(database)) as connection:
        outcomes = commit(connection, notices)
    assert len(outcomes) == len(notices)
    assert outcomes[-1] == "new"
    assert set(outcomes) <= {"new", "unchanged", "changed", "quarantined"}
    ((stored,),) = ask("SELECT count(*) FROM tender_source")
    ((aside,),) = ask("SELECT count(*) FROM quarantine")
    assert stored + aside == len({(n.source_code, n.notice_id) for n in notices})
    assert ask("SELECT title FROM tender_source s JOIN tender t ON t.id = s.tender_id WHERE notice_id = '1-2026'") == [
        ("Winter service",)
    ]
