"""Names that portals give files in Content-Disposition: shown as they are meant, stored where nothing can go wrong."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from portal_simulator import documents

if TYPE_CHECKING:
    from portal_simulator import PortalSimulator
    from services.files import Files

#: Header and the name shown. A raw byte of Latin-1 is written as its letter.
NAMES = [
    ("attachment; filename*=UTF-8''%C3%9Cbersicht%20Preise.pdf;", "Übersicht Preise.pdf"),
    ("attachment; filename=\"x.pdf\"; filename*=utf8''%C3%BC.pdf", "ü.pdf"),
    ('attachment; filename="Übersicht Preise.pdf"', "Übersicht Preise.pdf"),
    ('attachment; filename="%C3%9Cbersicht%20Preise.pdf"', "Übersicht Preise.pdf"),
    (r'attachment; filename="..\\..\\a.pdf"', "a.pdf"),
    ('attachment; filename="a/b:c*?.pdf"', "b_c__.pdf"),
    (f'attachment; filename="{"a" * 296}.pdf"', "a" * 251 + ".pdf"),
    (f"attachment; filename*=UTF-8''{'%C3%BC' * 296}.pdf", "ü" * 125 + ".pdf"),
    ('attachment; filename="Anlage.pdf"', "Anlage.pdf"),
    ('attachment; filename="Anlage.pdf"', "Anlage.pdf"),
]


def test_the_shown_name_is_right_and_the_stored_one_safe_unique_short_and_of_its_ending(
    files: Files, simulator: PortalSimulator
) -> None:
    urls = [
        simulator.files.add(f"/dl/{number}", documents.pdf(f"body {number}"), Content_Disposition=header)
        for number, (header, _) in enumerate(NAMES)
    ]
    files.offer(*urls)

    run = files.fetch()

    assert run.returncode == 0, run.stderr
    rows = files.rows()
    assert [row["status"] for row in rows] == ["ready"] * len(NAMES)
    assert [row["filename"] for row in rows] == [shown for _, shown in NAMES]
    assert len({row["path"] for row in rows}) == len(NAMES)
    for number, row in enumerate(rows):
        stored = files.store / row["path"]
        assert stored.resolve().is_relative_to(files.store.resolve())
        assert stored.read_bytes() == documents.pdf(f"body {number}")
        for name in (row["filename"], *PurePosixPath(row["path"]).parts):
            assert len(name.encode()) <= 255
            assert not set(name) & set('/\\:*?"<>|\0')
        assert (PurePosixPath(row["filename"]).suffix, stored.suffix) == (".pdf", ".pdf")
    assert len([path for path in files.store.rglob("*") if path.is_file()]) == len(NAMES)
    assert list(files.store.parent.glob("a.pdf")) == []
