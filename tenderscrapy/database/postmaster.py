"""What is known of a server process from outside: is it ready, is it alive, does its pid file lie?"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tenderscrapy.database.programs import run


def is_ready(programs: Path, socket_folder: str, port: int) -> bool:
    """Whether the server with its socket in ``socket_folder`` takes connections now."""
    # any role is answered; an unknown one would fill the log
    command: list[str | Path] = [programs / "pg_isready", "-q", "-t", "5", "-h", socket_folder, "-p", str(port)]
    return run([*command, "-U", "tenders", "-d", "postgres"]).returncode == 0


def command_line(pid: int) -> str:
    """The command line of a living process, else ""; a zombie is not living."""
    if Path("/proc/self/stat").exists():
        try:
            status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
            if status.rpartition(")")[2].split()[0] in "ZX":
                return ""
            return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:
            return ""
    state, _, line = run(["/bin/ps", "-o", "stat=,command=", "-p", str(pid)]).stdout.strip().partition(" ")
    return "" if state.startswith("Z") else line.strip()


def postmaster(data: Path) -> int | None:
    """The process id of the server that runs on ``data``; None when the pid file is missing or lies.

    After a restart of a container the noted id often belongs to some other program.
    """
    try:
        pid = int((data / "postmaster.pid").read_text(encoding="utf-8", errors="replace").split("\n", 1)[0])
    except (OSError, ValueError):
        return None
    line = command_line(pid)
    if "postgres" not in line:
        return None
    working_folder = Path(f"/proc/{pid}/cwd")
    try:
        return pid if working_folder.samefile(data) else None
    except OSError:  # another platform, or not ours to see
        return pid if f" -D {data} " in line else None


class Listening(NamedTuple):
    """Where a running server can be reached."""

    pid: int
    port: int
    socket_folder: str


def listening(data: Path) -> Listening | None:
    """The running server of ``data`` with its address, as it noted them itself; None where there is none."""
    pid = postmaster(data)
    try:
        lines = (data / "postmaster.pid").read_text(encoding="utf-8", errors="replace").split("\n")
        return None if pid is None else Listening(pid, int(lines[3]), lines[4])
    except (OSError, ValueError, IndexError):
        return None


def remove_stale_pid_file(data: Path) -> None:
    """Delete a pid file that names no server of ``data``; the server itself would refuse to start over it."""
    if postmaster(data) is None:
        (data / "postmaster.pid").unlink(missing_ok=True)
