"""Files are durable before anybody is told of them, and lie there once."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path
from typing import Any

import pytest

from tenderscrapy.http.file_store import DAY, FileStore


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    return FileStore(tmp_path / "files")


def put(store: FileStore, content: bytes, ending: str = ".pdf") -> str:
    part = store.part()
    part.write_bytes(content)
    return store.keep(part, hashlib.sha256(content).hexdigest(), ending)


def age(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


def test_a_file_lies_under_its_digest(store: FileStore) -> None:
    digest = hashlib.sha256(b"content").hexdigest()

    path = put(store, b"content")

    assert path == f"{digest[:2]}/{digest[2:]}.pdf"
    assert (store.root / path).read_bytes() == b"content"
    assert list(store.root.glob("*.part")) == []


def test_the_order_is_file_then_name_then_folders(store: FileStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.root.mkdir()
    calls: list[tuple[str, str]] = []
    fsync, replace = os.fsync, os.replace

    def record_fsync(opened: int) -> None:
        calls.append(("fsync", os.path.relpath(Path(f"/proc/self/fd/{opened}").readlink(), store.root)))
        fsync(opened)

    def record_replace(source: Any, target: Any) -> None:
        calls.append(("replace", os.path.relpath(target, store.root)))
        replace(source, target)

    monkeypatch.setattr(os, "fsync", record_fsync)
    monkeypatch.setattr(os, "replace", record_replace)

    part = store.part()
    part.write_bytes(b"content")
    path = store.keep(part, hashlib.sha256(b"content").hexdigest(), ".pdf")

    assert calls == [("fsync", part.name), ("replace", path), ("fsync", path[:2]), ("fsync", ".")]


def test_the_same_content_keeps_its_first_ending(store: FileStore) -> None:
    first = put(store, b"content", ".pdf")

    assert put(store, b"content", ".PDF") == first
    assert put(store, b"content", "") == first
    assert [path for path in store.root.rglob("*") if path.is_file()] == [store.root / first]


def test_a_damaged_file_is_not_taken_for_its_content(store: FileStore) -> None:
    path = put(store, b"content")
    (store.root / path).write_bytes(b"con")

    assert put(store, b"content") == path
    assert (store.root / path).read_bytes() == b"content"


def test_only_old_parts_are_removed(store: FileStore) -> None:
    old, young = store.part(), store.part()
    for part in (old, young):
        part.write_bytes(b"x")
    age(old, DAY + 60)

    assert store.remove_parts() == 1
    assert list(store.root.iterdir()) == [young]


def test_a_store_that_does_not_exist_has_nothing_to_remove(store: FileStore) -> None:
    assert store.remove_parts() == 0
    assert list(store.old_files()) == []


def test_a_file_that_came_again_is_young_again(store: FileStore) -> None:
    path = put(store, b"content")
    age(store.root / path, DAY + 60)
    assert list(store.old_files()) == [[path]]

    put(store, b"content")

    assert list(store.old_files()) == []
    assert not store.remove(path)
    assert (store.root / path).exists()


def test_an_old_file_is_removed(store: FileStore) -> None:
    path = put(store, b"content")
    age(store.root / path, DAY + 60)

    assert store.remove(path)
    assert not (store.root / path).exists()
