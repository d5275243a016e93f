"""The table of docs/reliability.md: what was done to the product, how often, and what came of it."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "reliability.md"
BEGIN, END = "<!-- faults: written by make chaos -->", "<!-- end of faults -->"
HEAD = "| fault | times tried | landed | lost | duplicated | result |\n| --- | ---: | ---: | ---: | ---: | --- |"


def full() -> bool:
    """Whether this is ``make chaos``; else a fixed small part is run."""
    return os.environ.get("CHAOS") == "full"


@dataclass(frozen=True)
class Outcome:
    """One row. ``landed``: how often the fault met work that was not yet committed."""

    fault: str
    tried: int
    landed: int
    lost: int
    duplicated: int
    result: str

    def line(self) -> str:
        return f"| {' | '.join(str(getattr(self, field.name)) for field in fields(self))} |"


def publish(outcome: Outcome) -> None:
    """Print the row; on a full run put it into the page, in place of the row of the same fault."""
    print(f"\n{HEAD}\n{outcome.line()}")  # noqa: T201
    if not full():
        return
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    table, _, after = rest.partition(END)
    rows = [line for line in table.strip().splitlines()[2:] if not line.startswith(f"| {outcome.fault} |")]
    rows = sorted([*rows, outcome.line()])
    PAGE.write_text(f"{before}{BEGIN}\n{HEAD}\n" + "\n".join(rows) + f"\n{END}{after}", encoding="utf-8")
