"""What cannot be used is said in one line that names it, without a traceback, and the exit status tells."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent.parent
SCRAPY = (sys.executable, "-m", "scrapy")
INDEXER = (sys.executable, "-m", "indexer_worker", "--once")
WEBAPP = (sys.executable, "-m", "webapp")
KEYS = (sys.executable, "-m", "flask", "--app", "webapp", "keys")

#: Every program that asks the database for something.
DATABASE_USERS = {
    "crawl": (*SCRAPY, "crawl", "ted"),
    "initdb": (*SCRAPY, "initdb"),
    "psql": (*SCRAPY, "psql", "-c", "SELECT 1"),
    "attachments": (*SCRAPY, "attachments", "--once"),
    "sweep": (*SCRAPY, "attachments", "--sweep"),
    "republish": (*SCRAPY, "republish"),
    "requeue": (*SCRAPY, "requeue"),
    "up": (*SCRAPY, "up", "--once"),
    "indexer": INDEXER,
    "keys": (*KEYS, "list"),
}


def run(*command: str, **environment: str) -> tuple[int, str]:
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, timeout=120, check=False
    )
    return done.returncode, done.stdout + done.stderr


def refused(said: tuple[int, str], named: str, status: int = 2) -> None:
    code, text = said
    assert named in text
    assert "Traceback" not in text
    assert code == status


@pytest.mark.parametrize("name", DATABASE_USERS)
def test_an_address_of_a_database_that_cannot_be_read(name: str) -> None:
    code, text = run(*DATABASE_USERS[name], DATABASE_URL="db.example:5432/tenders")
    assert "DATABASE_URL cannot be read: it must be postgresql://" in text
    assert "Traceback" not in text
    assert code in (1, 2)


@pytest.mark.parametrize("name", DATABASE_USERS)
def test_a_database_that_is_not_there(name: str) -> None:
    said = run(*DATABASE_USERS[name], DATABASE_URL="postgresql://radar:s3cret@127.0.0.1:1/tenders")
    refused(said, "PostgreSQL at 127.0.0.1:1/tenders cannot be used", 1)
    assert "s3cret" not in said[1]


@pytest.mark.parametrize("name", [name for name in DATABASE_USERS if name != "up"])
def test_a_folder_for_data_that_is_a_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    taken = tmp_path / "taken"
    taken.touch()
    refused(run(*DATABASE_USERS[name], VAR_DIR=str(taken)), f"{taken}/postgres cannot be used", 1)


def test_up_with_a_folder_for_data_that_is_a_file(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.touch()
    refused(run(*SCRAPY, "up", VAR_DIR=str(taken)), "VAR_DIR cannot be used")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("crawl", "nope"), "there is no spider 'nope'"),
        (("crawl", "ted", "-a", "since=tomorrow"), "since='tomorrow' is not a date"),
        (("attachments", "--source", "nope"), "there is no source 'nope'; there are contracts_finder"),
        (("attachments", "nope"), "'nope' is not understood"),
        (("requeue", "nope"), "'nope' is not understood"),
        (("republish", "nope"), "'nope' is not understood"),
        (("republish", "--seconds", "x"), "invalid float value: 'x'"),
        (("psql", "SELECT 1"), "'SELECT 1' is not understood"),
        (("up", "--port", "0"), "--port 0 is no port"),
        (("up", "--port", "99999"), "--port 99999 is no port"),
        (("up", "--days", "-1"), "--days -1 is not 1 or more"),
        (("up", "--pages", "0"), "--pages 0 is not 1 or more"),
        (("up", "now"), "'now' is not understood"),
    ],
)
def test_arguments_of_scrapy(database: str, arguments: tuple[str, ...], named: str) -> None:
    refused(run(*SCRAPY, *arguments), named)


@pytest.mark.parametrize(
    "setting",
    [
        "ATTACHMENTS_BUDGET=x",
        "ATTACHMENTS_CONCURRENCY=0",
        "ATTACHMENT_MAX_BYTES=1e",
        "BROWSER_PAGES=1.5",
        "DOWNLOAD_DELAY=-1",
        "DOWNLOAD_TIMEOUT=nan",
        "RETRY_AFTER_MAX=inf",
        "RETRY_TIMES=x",
    ],
)
@pytest.mark.parametrize("command", [("crawl", "ted"), ("attachments", "--once")], ids=["crawl", "attachments"])
def test_settings_of_scrapy(database: str, command: tuple[str, ...], setting: str) -> None:
    name, _, value = setting.partition("=")
    refused(run(*SCRAPY, *command, "-s", setting), f"{name}='{value}' is not a")


@pytest.mark.parametrize(
    ("name", "value", "named"),
    [
        ("ALLOW_PRIVATE_HOSTS", "localhost", "ALLOW_PRIVATE_HOSTS: 'localhost' is not host:port"),
        ("AMQP_URL", "http://radar:s3cret@mq.example", "AMQP_URL cannot be read: it must be amqp://"),
        ("RETRY_AFTER_MAX", "soon", "RETRY_AFTER_MAX='soon'"),
        ("MIN_RELEVANCE_SCORE", "nan", "MIN_RELEVANCE_SCORE='nan'"),
        ("MIN_RELEVANCE_SCORE", "5", "MIN_RELEVANCE_SCORE='5'"),
        ("EMBEDDING_BATCH_SIZE", "0", "EMBEDDING_BATCH_SIZE='0'"),
        ("EMBEDDING_PROVIDER", "cloud", "EMBEDDING_PROVIDER='cloud'"),
    ],
)
def test_variables_of_a_crawl(database: str, name: str, value: str, named: str) -> None:
    said = run(*SCRAPY, "crawl", "ted", **{name: value})
    refused(said, named)
    assert "s3cret" not in said[1]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("nonsense", "its address cannot be asked"),
        ("ftp://a.example/", "'ftp' is not http or https"),
        ("http://10.0.0.7/search", "10.0.0.7 is not a public address"),
        ("https://www.vergabe24.de/", "the operator of this portal prohibits automated access"),
    ],
)
@pytest.mark.parametrize(("spider", "name"), [("ted", "TED_API_URL"), ("contracts_finder", "CONTRACTS_FINDER_URL")])
def test_the_address_of_a_source_fails_its_run(
    ask: Callable[..., list[tuple[Any, ...]]], spider: str, name: str, value: str, reason: str
) -> None:
    refused(run(*SCRAPY, "crawl", spider, **{name: value}), reason, 1)
    ((state, told),) = ask("SELECT state, reason FROM crawl_run")
    assert (state, reason in told) == ("failed", True)


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"AMQP_URL": "http://radar:s3cret@mq.example"}, "AMQP_URL cannot be read"),
        ({"EMBEDDING_MODEL": "nope"}, "EMBEDDING_MODEL=nope needs EMBEDDING_PROVIDER=ollama"),
        ({"EMBEDDING_PROVIDER": "ollama"}, "EMBEDDING_PROVIDER=ollama needs EMBEDDING_MODEL"),
        ({"MIN_RELEVANCE_SCORE": "x"}, "MIN_RELEVANCE_SCORE='x'"),
    ],
)
def test_variables_of_the_indexer(database: str, environment: dict[str, str], named: str) -> None:
    refused(run(*INDEXER, **environment), named)


def test_a_broker_that_is_not_there_is_said_by_the_indexer(database: str) -> None:
    said = run(*INDEXER, AMQP_URL="amqp://radar:s3cret@127.0.0.1:1")
    refused(said, "RabbitMQ at 127.0.0.1:1 cannot be reached", 1)
    assert "s3cret" not in said[1]


@pytest.mark.parametrize(
    ("arguments", "environment", "named", "status"),
    [
        (("--port", "99999"), {}, "invalid port value: '99999'", 2),
        (("--port", "x"), {}, "invalid port value: 'x'", 2),
        (("--host", "no.such.host.invalid", "--port", "0"), {}, "Cannot listen on no.such.host.invalid:0", 1),
        (("--port", "0"), {"DATABASE_URL": "db.example/tenders"}, "DATABASE_URL cannot be read", 2),
        (("--port", "0"), {"MIN_RELEVANCE_SCORE": "x"}, "MIN_RELEVANCE_SCORE='x'", 2),
    ],
)
def test_the_page(
    database: str, arguments: tuple[str, ...], environment: dict[str, str], named: str, status: int
) -> None:
    refused(run(*WEBAPP, *arguments, **environment), named, status)


@pytest.mark.parametrize("name", ["", "  ", "two\nlines", "bell\x07", "x" * 101])
def test_names_of_keys(database: str, name: str) -> None:
    refused(run(*KEYS, "create", name), "a key needs a name of 1 to 100 printable characters")


def test_a_key_that_does_not_exist(database: str) -> None:
    refused(run(*KEYS, "revoke", "nobody"), "no valid key of 'nobody'", 1)
