"""Persisting alone: storage beside ``execute_values`` that writes the same rows into the same tables."""

from __future__ import annotations

import copy
import json
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Protocol
from uuid import NAMESPACE_URL, uuid5

import psycopg2

from bench.measuring import DisqualifiedError, Figures, interleaved, ratio_to, timed
from bench.peers import floor
from bench.peers.rows import TABLES, rows_of
from bench.services import databases
from portal_simulator import invented_ted_notices
from portal_simulator.pages import Pages
from tenderscrapy.database.committing import commit
from tenderscrapy.formats.ted_json import FIELDS, to_notice
from tenderscrapy.identity.keys import strong_keys

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.peers.rows import Rows
    from bench.services import Databases
    from tenderscrapy.items import Notice

BATCH = 250
HOST = "files.example:80"
STATES = ("new", "unchanged", "changed")
OURS = "tenderscrapy"
FLOOR = "execute_values floor"
READY = "execute_values, rows made before"
GOAL = 0.7
GUARANTEES = {
    OURS: "keys looked up, decided, locked, merged, compared; safe beside other writers; new files and events only",
    FLOOR: "snapshot, hash and merged record are made; nothing stored is looked at, one writer only",
    READY: "the statements of the floor alone, on rows that were made before the clock ran",
}


def _notices(count: int) -> list[Notice]:
    page = Pages(invented_ted_notices(count)).rendered(list(range(count)), tuple(FIELDS), f"http://{HOST}")
    mapper = partial(to_notice, file_hosts=frozenset({HOST}))
    notices = [mapper(document) for document in json.loads(page)]
    for notice in notices:
        notice.keys = strong_keys(notice)
    return notices


def _next_edition(notice: Notice) -> Notice:
    assert notice.revised_at is not None
    return replace(notice, title=f"{notice.title} (corrected)", revised_at=notice.revised_at + timedelta(hours=1))


class _Bench:
    def __init__(self, server: Databases, count: int) -> None:
        self.server = server
        self.editions = {"new": _notices(count)}
        self.editions["unchanged"] = copy.deepcopy(self.editions["new"])
        self.editions["changed"] = [_next_edition(notice) for notice in self.editions["new"]]
        self.results = {(name, state): Figures(name, "notices/s") for name in GUARANTEES for state in STATES}
        self.first: dict[str, Any] = {}

    def contender(self, name: str, writer: Writer) -> Callable[[bool], None]:
        def run(counted: bool) -> None:
            with closing(psycopg2.connect(self.server.fresh())) as connection:
                for state in STATES:
                    notices = self.editions[state]
                    cut = [notices[i : i + BATCH] for i in range(0, len(notices), BATCH)]
                    batches = [writer.before(batch) for batch in cut]
                    seconds = timed(lambda: [writer.write(connection, batch, state) for batch in batches])  # noqa: B023
                    if counted:
                        self.results[name, state].values.append(len(notices) / seconds)
                    self._check(name, state, connection)

        return run

    def _check(self, name: str, state: str, connection: Any) -> None:
        """Both must have written the same: hashes of notices and tenders, and the number of rows of each table."""
        with connection.cursor() as cursor:
            found = []
            for query in (
                "SELECT md5(string_agg(notice_id || content_hash, ',' ORDER BY notice_id)) FROM tender_source",
                "SELECT md5(string_agg(content_hash, ',' ORDER BY content_hash)) FROM tender",
                *(f"SELECT count(*) FROM {table}" for table in TABLES),
            ):
                cursor.execute(query)
                found.append(cursor.fetchone())
        connection.rollback()
        if found != self.first.setdefault(state, found):
            raise DisqualifiedError(f"{name}, {state}: wrote {found}, not {self.first[state]}")


class Writer(Protocol):
    """``before`` is not on the clock, ``write`` is."""

    def before(self, batch: list[Notice]) -> Any: ...

    def write(self, connection: Any, batch: Any, state: str) -> None: ...


class _Ours:
    def before(self, batch: list[Notice]) -> Any:
        return batch

    def write(self, connection: Any, batch: list[Notice], state: str) -> None:
        if set(commit(connection, batch)) != {state}:
            raise DisqualifiedError(f"notices that are {state} were taken for something else")


class _Floor:
    """Tells its tenders' ids from the notices, as only a writer that never joins any can."""

    def before(self, batch: list[Notice]) -> Any:
        return batch

    def write(self, connection: Any, batch: Any, state: str) -> None:
        self._write(connection, self._rows(batch), state)

    def _rows(self, batch: list[Notice]) -> list[Rows]:
        return [rows_of(notice, str(uuid5(NAMESPACE_URL, notice.notice_id))) for notice in batch]

    def _write(self, connection: Any, rows: list[Rows], state: str) -> None:
        if state == "unchanged":
            floor.see(connection, rows)
            return
        for each in rows:
            each.first = state == "new"
        floor.write(connection, rows)


class _Ready(_Floor):
    def before(self, batch: list[Notice]) -> Any:
        return self._rows(batch)

    def write(self, connection: Any, batch: Any, state: str) -> None:
        self._write(connection, batch, state)


def run(count: int, repeats: int) -> dict[str, Any]:
    """Rows a second of both for new, unchanged and changed notices."""
    with databases() as server:
        bench = _Bench(server, count)
        writers: dict[str, Writer] = {OURS: _Ours(), FLOOR: _Floor(), READY: _Ready()}
        interleaved(repeats, [bench.contender(name, writer) for name, writer in writers.items()])
    results = {key: figures.as_json() | {"state": key[1]} for key, figures in bench.results.items()}
    ratios = []
    for peer, state in product((FLOOR, READY), STATES):
        mine, theirs = bench.results[OURS, state].median, bench.results[peer, state].median
        ratios.append(ratio_to(f"{peer}, {state}", mine / theirs, GOAL if peer == FLOOR else None))
    return {
        "bench": "persist",
        "notices": count,
        "repeats": repeats,
        "contenders": [results[key] | {"guarantees": GUARANTEES[key[0]]} for key in results],
        "ratios": ratios,
    }
