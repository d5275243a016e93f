"""``python -m bench [crawl|persist|files|days]``: without a name all of them, results in bench/results.json.

Contenders take turns; the first round is thrown away. One that did not do the same work ends the run.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import crawl, days, files, persist, report
from bench.machine import load, machine
from bench.measuring import DisqualifiedError

if TYPE_CHECKING:
    from collections.abc import Callable

RESULTS = Path(__file__).resolve().parent / "results.json"
BENCHES: dict[str, Callable[[int, int], dict[str, Any]]] = {
    "crawl": crawl.run,
    "persist": persist.run,
    "files": files.run,
    "days": days.run,
}
SIZES = {"crawl": 10_000, "persist": 5_000, "files": 20, "days": 1_500}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("bench", nargs="?", choices=BENCHES, help="only this one")
    parser.add_argument("--size", type=int, help=f"notices, for files pages of 250; else {SIZES}")
    parser.add_argument("--repeats", type=int, default=3)
    return parser.parse_args()


def main() -> int:
    """Run, print the table, write the results; 1 when a contender was disqualified."""
    given = arguments()
    results: dict[str, Any] = {"machine": machine(), "results": []}
    for name in [given.bench] if given.bench else BENCHES:
        print(f"{name} ...", file=sys.stderr)
        try:
            results["results"].append(BENCHES[name](given.size or SIZES[name], given.repeats))
        except DisqualifiedError as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 1
    results["load_after"] = load()
    if not given.bench:
        RESULTS.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(report.text(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
