"""The embedded server: one for all processes, whoever dies, and gone when nobody needs it."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import psutil
import psycopg2
import pytest

from services.embedded_clients import client, end, gone, keep_rows, keeper, rows, server_processes, url_of, wait_until
from tenderscrapy.config import config
from tenderscrapy.database import embedded as embedded_module
from tenderscrapy.database.embedded import Embedded, database_url
from tenderscrapy.database.pool import connect
from tenderscrapy.database.postmaster import postmaster
from tenderscrapy.exceptions import DatabaseUnavailableError


@pytest.fixture
def server(embedded_state: Path) -> Embedded:
    return Embedded(embedded_state, idle=1, settings={"fsync": "off"})


def test_a_new_server_has_its_extensions_and_speaks_utf8_in_utc(server: Embedded) -> None:
    url = server.start()
    for extension in ("vector", "pg_trgm", "unaccent"):
        rows(url, f"CREATE EXTENSION {extension}")
    shown = "SELECT current_setting('server_encoding'), current_setting('timezone'), current_setting('jit'), lower('Ä')"
    assert rows(url, shown) == [("UTF8", "UTC", "off", "ä")]


def test_tcp_asks_for_the_password_and_listens_on_loopback_alone(server: Embedded) -> None:
    url = server.start()
    password = url.split(":")[2].partition("@")[0]
    with pytest.raises(psycopg2.OperationalError, match="password authentication failed"):
        psycopg2.connect(url.replace(password, "wrong"))
    assert rows(url, "SHOW listen_addresses") == [("127.0.0.1",)]


def test_only_the_owner_can_read_what_the_server_keeps(server: Embedded, embedded_state: Path) -> None:
    server.start()
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in embedded_state.iterdir()}
    assert modes.pop("data") == 0o700
    assert set(modes.values()) == {0o600}


def test_four_processes_on_an_empty_folder_share_one_server(embedded_state: Path) -> None:
    clients = [client(embedded_state) for _ in range(4)]
    urls = {url_of(process) for process in clients}
    for process in clients:
        end(process)
    assert len(urls) == 1
    assert (embedded_state / "server.log").read_text().count("starting PostgreSQL") == 1


def test_a_killed_server_is_started_again_with_its_rows_at_the_same_address(
    server: Embedded, embedded_state: Path
) -> None:
    url = server.start()
    keep_rows(url)
    os.kill(server_processes(embedded_state / "data")[0].pid, signal.SIGKILL)
    assert server.start() == url
    assert rows(url) == [(1,), (2,), (3,)]


def test_a_connection_to_a_killed_server_starts_it_again(
    server: Embedded, embedded_state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setattr(embedded_module, "server", lambda _state: server)
    config.cache_clear()
    keep_rows(database_url())
    os.kill(server_processes(embedded_state / "data")[0].pid, signal.SIGKILL)
    with closing(connect(server.start())) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM kept")
        assert cursor.fetchall() == [(3,)]
    config.cache_clear()


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel of this platform tells no child of its parent's death")
def test_a_server_does_not_outlive_a_killed_keeper(server: Embedded, embedded_state: Path) -> None:
    url = server.start()
    keep_rows(url)
    processes = server_processes(embedded_state / "data")
    keeper(embedded_state).kill()
    wait_until(lambda: all(map(gone, processes)))
    assert rows(server.start()) == [(1,), (2,), (3,)]


def test_the_next_client_gets_a_server_whose_keeper_was_just_killed(server: Embedded, embedded_state: Path) -> None:
    keep_rows(server.start())
    keeper(embedded_state).kill()
    assert rows(server.start()) == [(1,), (2,), (3,)]


def test_a_server_that_outlived_its_keeper_is_taken_over_and_stopped_when_idle(
    server: Embedded, embedded_state: Path
) -> None:
    as_elsewhere = (
        "import tenderscrapy.database.server as s, tenderscrapy.database.keeper as k; s._libc = None; k.main()"
    )
    url = server.start()
    request = json.loads(keeper(embedded_state).cmdline()[-1])
    server.stop()
    subprocess.run([sys.executable, "-c", as_elsewhere, json.dumps(request)], check=True, stdout=subprocess.PIPE)
    processes = server_processes(embedded_state / "data")
    os.kill(int((embedded_state / "keeper.lock").read_text()), signal.SIGKILL)
    assert server.start() == url
    assert server_processes(embedded_state / "data")[0] == processes[0]
    server.close()
    wait_until(lambda: all(map(gone, processes)))


def test_a_killed_client_keeps_nothing_running(embedded_state: Path) -> None:
    process = client(embedded_state)
    url_of(process)
    left = [keeper(embedded_state), *server_processes(embedded_state / "data")]
    process.kill()
    end(process)
    wait_until(lambda: all(map(gone, left)))


def test_a_session_of_a_program_that_knows_only_the_url_is_not_cut_off(server: Embedded, embedded_state: Path) -> None:
    with closing(psycopg2.connect(server.start())) as session, session.cursor() as cursor:
        server.close()
        cursor.execute("SELECT pg_sleep(2.5)")
        cursor.execute("SELECT 1")
        assert cursor.fetchall() == [(1,)]
    processes = server_processes(embedded_state / "data")
    wait_until(lambda: all(map(gone, processes)))


def test_the_keeper_carries_no_secret_in_its_environment(embedded_state: Path) -> None:
    process = client(embedded_state)
    url_of(process)
    assert "SECRET_KEY" not in keeper(embedded_state).environ()
    assert "SECRET_KEY" not in server_processes(embedded_state / "data")[0].environ()
    end(process)


def test_a_pid_file_that_names_some_other_program_does_not_stop_the_start(
    server: Embedded, embedded_state: Path
) -> None:
    server.start()
    server.stop()
    (embedded_state / "data" / "postmaster.pid").write_text(f"{os.getpid()}\n{embedded_state / 'data'}\n")
    assert rows(server.start(), "SELECT 1") == [(1,)]
    assert postmaster(embedded_state / "data") != os.getpid()


def test_a_half_made_data_folder_is_made_anew(server: Embedded, embedded_state: Path) -> None:
    (embedded_state / "data.unfinished").mkdir(parents=True)
    (embedded_state / "data.unfinished" / "PG_VERSION").write_text("18\n")
    embedded_state.chmod(0o755)
    assert rows(server.start(), "SELECT 1") == [(1,)]
    assert not (embedded_state / "data.unfinished").exists()


def test_a_lost_address_file_is_written_anew(server: Embedded, embedded_state: Path) -> None:
    keep_rows(server.start())
    server.stop()
    (embedded_state / "server.json").unlink()
    assert rows(server.start()) == [(1,), (2,), (3,)]


def test_data_of_another_major_version_is_refused_by_name(server: Embedded, embedded_state: Path) -> None:
    server.start()
    server.stop()
    (embedded_state / "data" / "PG_VERSION").write_text("17\n")
    with pytest.raises(DatabaseUnavailableError, match="made by PostgreSQL 17, the installed one is 18"):
        server.start()
    (embedded_state / "data" / "PG_VERSION").write_text("18\n")


def test_a_server_that_does_not_start_says_why(embedded_state: Path) -> None:
    with pytest.raises(
        DatabaseUnavailableError, match=r'unrecognized configuration parameter "nonsense".*DATABASE_URL'
    ):
        Embedded(embedded_state, settings={"nonsense": "1"}).start()


def test_a_folder_moved_while_its_server_runs_is_served_at_its_new_place(
    server: Embedded, embedded_state: Path
) -> None:
    keep_rows(server.start())
    server.close()
    moved = embedded_state.rename(embedded_state.with_name("moved"))
    assert rows(Embedded(moved, idle=1).start()) == [(1,), (2,), (3,)]


def test_a_folder_may_have_any_name(embedded_state: Path) -> None:
    server = Embedded(embedded_state.with_name('Ausschreibungen, "öffentlich" %d'), idle=1)
    assert rows(server.start(), "SELECT 1") == [(1,)]
    os.kill(server_processes(server.state / "data")[0].pid, signal.SIGKILL)
    assert rows(server.start(), "SELECT 1") == [(1,)]


def test_a_path_too_long_for_a_socket_gets_a_short_one_that_is_removed(embedded_state: Path) -> None:
    server = Embedded(embedded_state / ("d" * 100) / "pg", idle=1)
    embedded_state.mkdir()
    assert rows(server.start(), "SELECT 1") == [(1,)]
    folder = Path(json.loads((server.state / "server.json").read_text())["socket"])
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    server.stop()
    assert not folder.exists()


def test_a_stopped_server_has_written_all_and_leaves_no_process(server: Embedded, embedded_state: Path) -> None:
    server.start()
    left = [keeper(embedded_state), *server_processes(embedded_state / "data")]
    server.stop()
    wait_until(lambda: all(map(gone, left)))
    assert "database system is shut down" in (embedded_state / "server.log").read_text()
    assert not psutil.pid_exists(left[0].pid) or gone(left[0])
