"""thin"""

from __future__ import annotations
from dataclasses import dataclass, field
from indexer_worker.chunking import Section


@dataclass
class Extracted:
    sections: list[Section] = field(default_factory=list)
    error: str | None = None


class Extractor:
    def extract(self, file) -> Extracted:
        return Extracted()

    def close(self) -> None:
        pass
