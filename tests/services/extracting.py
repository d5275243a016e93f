"""Bytes through the process that reads files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer_worker.extraction import Extracted, Extractor
from indexer_worker.tender_text import File

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def file_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of files."""
    return tmp_path_factory.mktemp("files")


@pytest.fixture(scope="module")
def extractor(file_store: Path) -> Iterator[Extractor]:
    """A patient reader, one for the module."""
    made = Extractor(file_store, wall_seconds=60)
    yield made
    made.close()


@pytest.fixture
def extract(file_store: Path, extractor: Extractor) -> Callable[..., Extracted]:
    """``extract(name, data)``: what is read of a file with this name and these bytes."""

    def call(name: str, data: bytes, media_type: str | None = None, by: Extractor = extractor) -> Extracted:
        (file_store / "file").write_bytes(data)
        return by.extract(File(7, name, media_type, "file"))

    return call
