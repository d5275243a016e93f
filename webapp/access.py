"""API keys: made on the command line, checked and counted at each request."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
from flask import g, request
from flask.cli import AppGroup

from tenderscrapy.database.queries import queries
from tenderscrapy.exceptions import TenderscrapyError
from webapp.database import database
from webapp.problems import ProblemError

if TYPE_CHECKING:
    from flask import Response

#: Seconds of a key's window.
WINDOW = 60
DEFAULT_LIMIT = 60
LONGEST_NAME = 100
#: Visible ASCII without the comma, which joins two headers of one name.
_KEY = re.compile(r"[!-+\--~]{1,256}")
_NOBODY = "0" * 64


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left of a key's window; ``reset`` in seconds from now."""

    limit: int
    used: int
    reset: int

    @property
    def headers(self) -> dict[str, str]:
        """The X-RateLimit headers."""
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(max(0, self.limit - self.used)),
            "X-RateLimit-Reset": str(self.reset),
        }


def require_key() -> None:
    """Let the request pass with a valid key that has requests left; raises the problem to answer otherwise."""
    digest = _known_digest(request.headers.get("X-API-Key", ""))
    if digest is None:
        raise ProblemError(
            401,
            "Unauthorized",
            "Send a valid key in the X-API-Key header.",
            headers={"WWW-Authenticate": 'ApiKey realm="tenderscrapy"'},
        )
    g.allowance = allowance = _take(*digest)
    if allowance.used > allowance.limit:
        raise ProblemError(
            429,
            "Too many requests",
            f"This key may ask {allowance.limit} times in {WINDOW} seconds; try again in {allowance.reset} seconds.",
            headers={"Retry-After": str(allowance.reset)},
        )


def show_allowance(response: Response) -> Response:
    """Put the X-RateLimit headers on every answer to a known key."""
    if "allowance" in g:
        response.headers.update(g.allowance.headers)
    return response


def digest_of(key: str) -> str:
    """What is stored of a key; its random part is long enough that no salt is needed."""
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def _known_digest(key: str) -> tuple[str, int] | None:
    well_formed = _KEY.fullmatch(key) is not None
    digest = digest_of(key) if well_formed else _NOBODY
    with database().connection() as connection:
        row = queries("access").key_with_digest(connection, key_sha256=digest)
    stored, limit = row or ("f" * 64, 0)
    return (digest, limit) if hmac.compare_digest(stored, digest) and well_formed else None


def _take(digest: str, limit: int) -> Allowance:
    access: Any = queries("access")
    with database().connection() as connection:
        used, reset = access.take_from_window(connection, key_sha256=digest, enough=limit, seconds=WINDOW)
    return Allowance(limit, used, int(reset))


class _Keys(AppGroup):
    """Commands whose errors are one line."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand."""
        try:
            return super().invoke(ctx)
        except TenderscrapyError as error:
            raise click.ClickException(str(error)) from None


keys = _Keys("keys", help="Keys of the HTTP API.")


@keys.command("create")
@click.argument("name")
@click.option("--limit", default=DEFAULT_LIMIT, show_default=True, type=click.IntRange(1), help="Requests a minute.")
def create(name: str, limit: int) -> None:
    """Make a key and print it, this once: only its SHA-256 is stored."""
    name = name.strip()
    if not name or not name.isprintable() or len(name) > LONGEST_NAME:
        raise click.BadParameter(f"a key needs a name of 1 to {LONGEST_NAME} printable characters", param_hint="NAME")
    key = "tsk_" + secrets.token_urlsafe(32)
    with database().connection() as connection:
        queries("access").add_key(connection, key_sha256=digest_of(key), name=name, limit_per_minute=limit)
    click.echo(f"Key of {name}, {limit} requests a minute; it is not shown again:", err=True)
    click.echo(key)


@keys.command("revoke")
@click.argument("name")
def revoke(name: str) -> None:
    """Make all keys of NAME invalid at once."""
    with database().connection() as connection:
        revoked = queries("access").revoke_keys(connection, name=name)
    if not revoked:
        raise click.ClickException(f"no valid key of {name!r}")
    click.echo(f"{revoked} key(s) of {name} revoked.")


@keys.command("list")
def list_keys() -> None:
    """Names, limits and dates; never the keys."""
    with database().connection() as connection:
        for name, limit, created, revoked in queries("access").all_keys(connection):
            state = f"revoked {revoked:%Y-%m-%d}" if revoked else "valid"
            click.echo(f"{name}\t{limit}/min\tcreated {created:%Y-%m-%d}\t{state}")
