"""``python -m portal_simulator`` (in tests/): the simulator as a process of its own."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from datetime import date, timedelta
from pathlib import Path

from portal_simulator import PortalSimulator, invented_contracts_finder_releases, invented_ted_notices
from portal_simulator.doe import today
from portal_simulator.doe_notices import invented_german_notices


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="portal_simulator", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0: a free one")
    parser.add_argument("--notices", type=int, default=60, help="how many TED notices to invent")
    parser.add_argument("--releases", type=int, default=60, help="how many Contracts Finder releases to invent")
    parser.add_argument("--german", type=int, default=0, help="notices of each of the last three completed German days")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--days", type=int, default=30, help="how many days the notices spread over")
    parser.add_argument("--last-day", type=date.fromisoformat, default=None, help="their last day; default today")
    parser.add_argument("--files-base", default=None, help="where the notices' links point to; default the simulator")
    parser.add_argument("--log", type=Path, default=None, help="append one JSON line for each request to this file")
    parser.add_argument("--compress", action="store_true", help="gzip for clients that accept it")
    return parser.parse_args()


def main() -> None:
    """Print the address, serve until SIGTERM or SIGINT."""
    given = arguments()
    spread = {"last_day": given.last_day, "days": given.days}
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    simulator = PortalSimulator(
        ted_notices=invented_ted_notices(given.notices, given.seed, **spread),
        contracts_finder_releases=invented_contracts_finder_releases(given.releases, given.seed, **spread),
        port=given.port,
        log_file=given.log,
    )
    simulator.compress = given.compress
    if given.files_base:
        simulator.ted.files_base = simulator.contracts_finder.files_base = given.files_base.rstrip("/")
    for back in range(1, 4) if given.german else ():
        day = today() - timedelta(days=back)
        simulator.doe.publish(day, invented_german_notices(given.german, given.seed, day=day))
    with simulator:
        sys.stdout.write(simulator.url + "\n")
        sys.stdout.flush()
        stopped.wait()


if __name__ == "__main__":
    main()
