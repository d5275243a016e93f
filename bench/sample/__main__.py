"""Write the bundled sample of spiders/sample_data anew from the specs: ``python -m bench.sample``.

The written files are what the product reads; nothing here runs in the product.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.sample import contracts_finder, doe, files, ted

TARGET = Path(__file__).resolve().parents[2] / "spiders" / "sample_data"
PAGE_SIZE = 25


def rendered() -> dict[str, bytes]:
    """Path below sample_data -> content of every document (not of the binary files)."""
    found: dict[str, bytes] = {}
    notices = [ted.notice(spec) for spec in ted.specs()]
    for number, chunk in enumerate(chunks(notices), start=1):
        answer = {"notices": chunk, "totalNoticeCount": len(notices), "timedOut": False}
        found[f"ted/page-{number}.json"] = as_json(answer)
    releases = contracts_finder.releases()
    for number, chunk in enumerate(chunks(releases), start=1):
        package = {
            "uri": f"https://contracts.sample.example/Search?page={number}",
            "version": "1.1",
            "publisher": {"name": "Sample Contracts Service"},
            "releases": chunk,
        }
        found[f"contracts_finder/page-{number}.json"] = as_json(package)
    found |= {f"doe/{name}": content for name, content in doe.documents().items()}
    return found


def chunks(entries: list[Any]) -> list[list[Any]]:
    """Pages of the sample's page size."""
    return [entries[start : start + PAGE_SIZE] for start in range(0, len(entries), PAGE_SIZE)]


def as_json(value: Any) -> bytes:
    """Readable JSON."""
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def main() -> None:
    """Replace the documents; files of a name that exists are made anew as well."""
    contents = rendered() | {f"files/{name}": content for name, content in files.contents().items()}
    for old in TARGET.rglob("*"):
        if old.is_file() and str(old.relative_to(TARGET)) not in contents:
            old.unlink()
    for name, content in contents.items():
        path = TARGET / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    print(f"{len(contents)} files, {sum(map(len, contents.values())) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
