"""Connections: what they speak, what becomes of broken ones, and what a failure says."""

from __future__ import annotations

import threading
from contextlib import closing

import psycopg2
import pytest

from tenderscrapy.database.pool import ConnectionPool, connect, transaction
from tenderscrapy.exceptions import ConfigurationError, DatabaseUnavailableError


def one(connection: psycopg2.extensions.connection, statement: str) -> object:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        row = cursor.fetchone()
    assert row is not None
    return row[0]


def backend(connection: psycopg2.extensions.connection) -> int:
    return connection.info.backend_pid


def end_session(database: str, pid: int) -> None:
    with closing(connect(database, autocommit=True)) as other:
        assert one(other, f"SELECT pg_terminate_backend({pid}, 5000)") is True


def test_a_session_is_in_utc_though_the_database_is_not(database: str) -> None:
    with closing(connect(database, autocommit=True)) as connection:
        name = one(connection, "SELECT current_database()")
        with connection.cursor() as cursor:
            cursor.execute(f"ALTER DATABASE {name} SET timezone TO 'Asia/Tokyo'")
            cursor.execute(f"ALTER DATABASE {name} SET client_encoding TO 'LATIN1'")
    with closing(connect(database, application_name="of this test")) as connection:
        assert one(connection, "SHOW timezone") == "UTC"
        assert one(connection, "SHOW client_encoding") == "UTF8"
        assert one(connection, "SHOW application_name") == "of this test"
        assert one(connection, "SELECT 'Łódź'") == "Łódź"


def test_a_transaction_commits_at_its_end_and_rolls_back_on_an_error(database: str) -> None:
    with closing(connect(database)) as connection, closing(connect(database, autocommit=True)) as other:
        with transaction(connection), connection.cursor() as cursor:
            cursor.execute("CREATE TABLE kept AS SELECT 1 AS n")

        def insert_and_fail() -> None:
            with transaction(connection), connection.cursor() as cursor:
                cursor.execute("INSERT INTO kept VALUES (2)")
                raise KeyError

        with pytest.raises(KeyError):
            insert_and_fail()
        assert one(other, "SELECT array_agg(n) FROM kept") == [1]


def test_a_lost_session_raises_what_happened_and_not_the_rollbacks_failure(database: str) -> None:
    connection = connect(database)
    end_session(database, backend(connection))
    with pytest.raises(psycopg2.OperationalError), transaction(connection):
        one(connection, "SELECT 1")
    assert connection.closed


def test_the_pool_hands_out_the_same_connection_again(database: str) -> None:
    with closing(ConnectionPool(database)) as pool:
        with pool.connection() as first:
            pid = backend(first)
        with pool.connection() as second:
            assert backend(second) == pid


def test_the_pool_throws_away_a_connection_that_broke_while_idle(database: str) -> None:
    with closing(ConnectionPool(database, size=1)) as pool:
        with pool.connection() as first:
            pid = backend(first)
        end_session(database, pid)
        with pool.connection() as second:
            assert one(second, "SELECT 1") == 1
            assert backend(second) != pid


def test_the_pool_goes_on_after_a_connection_broke_in_use(database: str) -> None:
    with closing(ConnectionPool(database, size=1)) as pool:
        with pytest.raises(psycopg2.OperationalError), pool.connection() as first:
            one(first, f"SELECT pg_terminate_backend({backend(first)})")
        with pool.connection() as second:
            assert one(second, "SELECT 1") == 1


def test_a_thread_waits_for_a_connection_and_gets_the_one_given_back(database: str) -> None:
    got: list[int] = []
    with closing(ConnectionPool(database, size=1, wait=60)) as pool:

        def wait_for_it() -> None:
            with pool.connection() as connection:
                got.append(backend(connection))

        with pool.connection() as held:
            pid = backend(held)
            thread = threading.Thread(target=wait_for_it)
            thread.start()
        thread.join()
    assert got == [pid]


def test_a_wait_for_a_connection_has_an_end(database: str) -> None:
    with (
        closing(ConnectionPool(database, size=1, wait=0.05)) as pool,
        pool.connection(),
        pytest.raises(DatabaseUnavailableError, match="All 1 database connections were in use"),
        pool.connection(),
    ):
        pass


def test_a_closed_pool_leaves_no_session(database: str) -> None:
    pool = ConnectionPool(database, application_name="a closed pool")
    with pool.connection():
        pool.close()
    with closing(connect(database, autocommit=True)) as other:
        end = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'a closed pool'"
        while one(other, end) != 0:  # a backend takes a moment to leave; the test's time limit ends a wait in vain
            pass


def test_a_refused_password_is_not_in_the_error(database: str) -> None:
    wrong = psycopg2.extensions.make_dsn(database, password="a-wrong-one")
    with pytest.raises(DatabaseUnavailableError, match="Is it running, and is DATABASE_URL right") as caught:
        connect(wrong.replace("user=tenders", "user=nobody_at_all"))
    assert "a-wrong-one" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://tenders:se@cret@db.example/tenders",
        "postgresql://tenders:se/cret@db.example/tenders",
        "postgresql://tenders:se#cret@db.example/tenders",
        "postgresql://tenders:cret:se@db.example:x/tenders",
        "postgresql+psycopg2://tenders:secret@db.example/tenders",
        "mysql://tenders:secret@db.example/tenders",
    ],
)
def test_an_address_that_cannot_be_read_is_refused_without_showing_its_password(url: str) -> None:
    with pytest.raises(ConfigurationError, match="percent-encoded") as caught:
        connect(url)
    assert "cret" not in str(caught.value)
    assert caught.value.__cause__ is None
