"""Serve the page and the API: ``python -m webapp [--host HOST] [--port PORT]``."""

from __future__ import annotations

import argparse
import errno
import logging
import socket
import sys
import threading

import waitress

from tenderscrapy.ai.provider import provider
from tenderscrapy.exceptions import ConfigurationError, TenderscrapyError
from webapp import create_app
from webapp.database import POOL_SIZE

#: Ports tried after the first one when it is taken.
TRIES = 50


def main() -> int:
    """Serve until stopped; the port is the asked one, or the next that is free."""
    parser = argparse.ArgumentParser(prog="python -m webapp", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on; the pages open on loopback only")
    parser.add_argument("--port", type=port, default=5000, help="the first that is tried; 0 is any free one")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        listener = free_socket(arguments.host, arguments.port)
    except OSError as error:
        print(f"Cannot listen on {arguments.host}:{arguments.port}: {error}", file=sys.stderr)  # noqa: T201
        return 1
    try:
        app = create_app()
        app.extensions["database"].open()
    except ConfigurationError as error:
        print(f"webapp: {error}", file=sys.stderr)  # noqa: T201
        return 2
    except TenderscrapyError as error:
        logging.getLogger(__name__).error("%s The pages say so until it is back.", error)
    threading.Thread(target=_load_model, daemon=True).start()
    host, number = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    print(f"tenderscrapy is at http://{shown}:{number}", flush=True)  # noqa: T201
    # the pages are closed to whoever comes through a proxy, which its headers tell: waitress would drop them
    waitress.serve(app, sockets=[listener], threads=POOL_SIZE - 4, ident=None, clear_untrusted_proxy_headers=False)
    return 0


def port(text: str) -> int:
    """A port of the command line. Raises ValueError."""
    number = int(text)
    if not 0 <= number <= 65535:
        raise ValueError
    return number


def _load_model() -> None:
    """Let the first search not wait for what all of them need."""
    try:
        provider().embed_query("ready")
    except TenderscrapyError as error:
        logging.getLogger(__name__).warning("Searches go by words alone for now: %s", error)


def free_socket(host: str, port: int) -> socket.socket:
    """A listening socket at ``port`` or the first free one after it; port 0 is any. Raises OSError."""
    candidates = [0] if port == 0 else list(range(port, min(port + TRIES, 65536)))
    for candidate in candidates[:-1]:
        try:
            return _listening(host, candidate)
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
    return _listening(host, candidates[-1])


def _listening(host: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener


if __name__ == "__main__":
    sys.exit(main())
