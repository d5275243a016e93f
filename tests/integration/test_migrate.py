"""The schema: applied once, whole, by however many processes."""

from __future__ import annotations

from contextlib import closing

import psycopg2

from tenderscrapy.database.migrate import migrate, migrations


def test_a_fresh_database_has_every_migration_and_needs_no_more(database: str) -> None:
    with closing(psycopg2.connect(database)) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT id FROM schema_migration ORDER BY id")
        assert [row[0] for row in cursor.fetchall()] == [migration.id for migration in migrations()]
        cursor.execute("SELECT tender_state('open', now() - interval '1 day', now()), text_config('de')::text")
        assert cursor.fetchone() == ("closed", "german")
    assert migrate(database) == []
