"""Files on their way from a portal to the store."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from portal_simulator import PortalSimulator
    from services.files import Files


def test_a_pending_file_becomes_ready(files: Files, simulator: PortalSimulator) -> None:
    files.offer(simulator.files.file_url("Leistung.pdf", size=70_000))

    run = files.fetch()

    assert run.returncode == 0, run.stderr
    row = files.row()
    body = (files.store / row["path"]).read_bytes()
    assert (row["status"], row["size"], row["media_type"]) == ("ready", 70_000, "application/pdf")
    assert row["filename"] == "Leistung.pdf"
    assert row["sha256"] == hashlib.sha256(body).hexdigest()
    assert row["path"] == f"{row['sha256'][:2]}/{row['sha256'][2:]}.pdf"
