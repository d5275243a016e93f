"""`sample://` addresses are answered out of the package, zipped or not, and lead nowhere else."""

from __future__ import annotations

import asyncio
import hashlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from scrapy import Request
from scrapy.utils.test import get_crawler

from spiders import sample_bundle
from spiders.sample_download import SampleHandler
from tenderscrapy.http.scrapy_stream import StreamTarget

ROOT = Path(__file__).resolve().parents[2]
FILES = ROOT / "spiders" / "sample_data" / "files"


def fetch(url: str, **meta):
    handler = SampleHandler.from_crawler(get_crawler())
    return asyncio.run(handler.download_request(Request(url, meta=meta)))


def test_a_page_names_the_next_one_and_the_last_names_none():
    first = json.loads(fetch("sample://pages/0?anchor=2026-11-01").body)
    last = json.loads(fetch(f"sample://pages/{len(sample_bundle.pages()) - 1}?anchor=2026-11-01").body)
    assert (first["source"], len(first["documents"]), first["next"]) == ("ted", 25, 1)
    assert (last["source"], last["next"]) == ("doe", None)


def test_a_file_is_streamed_to_its_target(tmp_path):
    target = StreamTarget(tmp_path / "part", max_bytes=1_000_000)
    response = fetch("sample://files/general-terms.txt", stream_to=target)
    content = (FILES / "general-terms.txt").read_bytes()
    assert (response.status, response.body, response.headers["Content-Type"]) == (200, b"", b"text/plain")
    assert target.path.read_bytes() == content
    assert (target.size, target.sha256) == (len(content), hashlib.sha256(content).hexdigest())


@pytest.mark.parametrize(
    "url",
    [
        "sample://files/robots.txt",
        "sample://files/..%2fted%2fpage-1.json",
        "sample://files/../ted/page-1.json",
        "sample://files/",
        "sample://pages/99?anchor=2026-11-01",
        "sample://pages/-1?anchor=2026-11-01",
        "sample://pages/0",
        "sample://pages/0?anchor=yesterday",
        "sample://elsewhere/x",
    ],
)
def test_anything_else_is_not_found(url):
    assert fetch(url).status == 404


def test_the_sample_is_read_out_of_a_zipped_egg(tmp_path):
    egg = tmp_path / "project.egg"
    with zipfile.ZipFile(egg, "w") as bundle:
        for path in (ROOT / "spiders").rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                bundle.write(path, path.relative_to(ROOT))
    script = (
        f"import sys; sys.path.insert(0, {str(egg)!r})\n"
        "from datetime import date\nfrom spiders import sample_bundle as b\n"
        "assert '.egg' in b.__file__\n"
        "count = sum(len(b.documents(n, date(2026, 11, 1))[1]) for n in range(len(b.pages())))\n"
        "print(count, b.file('general-terms.txt')[:7])"
    )
    run = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.strip()) == (0, "158 b'General'"), run.stderr
