"""Requests through the product's way out, in a process of their own; run as a program it reads a plan from stdin."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).resolve().parent.parent.parent

#: Nothing but the way out: no database, no pipelines.
BARE = {
    "ITEM_PIPELINES": {},
    "EXTENSIONS": {},
    "LOG_LEVEL": "WARNING",
    "DOWNLOAD_DELAY": 0.01,
    "AUTOTHROTTLE_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
}


def leave(*requests: str | dict[str, Any], **plan: Any) -> dict[str, Any]:
    """Fetch each request (a URL, or arguments of scrapy.Request) and say what became of it, in the order of their ends.

    ``settings`` are Scrapy's, ``spider`` attributes of the spider; ``speed`` lets the cool-down's clock run faster;
    ``names`` are what the name server would say, of a list one address a question; ``texts`` asks for the pages' texts.
    ``ports`` are open beside 80 and 443, the addresses of ``public`` stand for public ones, and ``stream_to`` is a
    folder that bodies are streamed to, as files are, with ``patience`` seconds for headers and for silence.
    The answer: ``outcomes`` (``asked`` with ``url``, ``status`` and the ``meta`` named in ``show``, or with ``error``,
    ``message`` and ``retry_after``), ``log``, ``stats`` and ``peak_memory`` in bytes.
    """
    plan["requests"] = [{"url": request} if isinstance(request, str) else request for request in requests]
    run = subprocess.run(
        [sys.executable, "-W", "error", __file__],
        input=json.dumps(plan),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return {**json.loads(run.stdout), "log": run.stderr}


def answer_names(names: dict[str, str | list[str]]) -> None:
    """Have this process' name server say what ``names`` says: of a list each question's answer, the last for ever."""
    resolve = socket.getaddrinfo
    left = {host.lower(): [said] if isinstance(said, str) else list(said) for host, said in names.items()}

    def answer(host: Any, *rest: Any, **more: Any) -> Any:
        text = host.decode() if isinstance(host, bytes) else host
        if said := left.get(str(text).lower()):
            host = said.pop(0) if len(said) > 1 else said[0]
        return resolve(host, *rest, **more)

    socket.getaddrinfo = answer


def open_the_guard(ports: Iterable[int], public: Iterable[str]) -> None:
    """Take two rules of the guard out of the way of this process, so that the others stand alone."""
    from tenderscrapy.http import url_guard

    is_public, outside = url_guard.is_public, {*public}
    url_guard.PORTS.update({f"test-{port}": port for port in ports})
    if outside:
        url_guard.is_public = lambda address: str(address) in outside or is_public(address)


def _peak_memory() -> int:
    """Of this program alone; ``ru_maxrss`` would carry over what the process was before it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) * 1024


def _main() -> None:
    sys.path[:0] = [str(ROOT)]
    plan = json.load(sys.stdin)
    if names := plan.get("names"):  # before Twisted takes hold of it
        answer_names(names)
    open_the_guard(plan.get("ports", ()), plan.get("public", ()))
    from scrapy import Request, Spider
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.utils.project import get_project_settings

    from tenderscrapy.http.cooldown import Cooldown
    from tenderscrapy.http.scrapy_cooldown import share_cooldown
    from tenderscrapy.http.scrapy_stream import StreamTarget

    settings = get_project_settings()
    settings.setdict({**BARE, **plan.get("settings", {})}, "cmdline")
    outcomes: list[dict[str, Any]] = []

    class Leaving(Spider):
        name = "leaving"

        async def start(self) -> Any:
            for arguments in plan["requests"]:
                meta = {"asked": arguments["url"], **arguments.pop("meta", {})}
                if folder := plan.get("stream_to"):
                    path, limit = Path(folder) / uuid4().hex, plan.get("patience", 60)
                    meta["stream_to"] = StreamTarget(path, 1_000_000, headers_timeout=limit, idle_timeout=limit)
                try:
                    yield Request(**arguments, meta=meta, callback=self.arrived, errback=self.failed)
                except ValueError as error:  # Scrapy itself takes it for no address
                    outcomes.append({"asked": meta["asked"], "error": "ValueError", "message": str(error)})

        def arrived(self, response: Any) -> None:
            asked = response.meta["asked"]
            meta = {name: response.meta.get(name) for name in response.meta.get("show", ())}
            outcome = {"url": response.url, "asked": asked, "status": response.status, "meta": meta}
            outcomes.append(outcome | ({"text": response.text} if plan.get("texts") else {}))

        def failed(self, failure: Any) -> None:
            error = failure.value
            outcomes.append(
                {
                    "asked": failure.request.meta["asked"],
                    "error": type(error).__name__,
                    "message": str(error),
                    "retry_after": getattr(error, "retry_after", None),
                }
            )

    for name, value in plan.get("spider", {}).items():
        setattr(Leaving, name, value)
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(Leaving)
    if speed := plan.get("speed"):
        share_cooldown(crawler, Cooldown(lambda: time.monotonic() * speed))
    process.crawl(crawler)
    process.start()
    stats = {name: value for name, value in crawler.stats.get_stats().items() if isinstance(value, int | str)}
    sys.stdout.write(json.dumps({"outcomes": outcomes, "stats": stats, "peak_memory": _peak_memory()}))


if __name__ == "__main__":
    _main()
