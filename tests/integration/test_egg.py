"""The egg that scrapyd runs: what is in it, and that it runs zipped, far from the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path, PurePosixPath

import pytest
from scrapy.settings import Settings
from scrapy.spiderloader import SpiderLoader

from spiders import sample_bundle
from tenderscrapy.database.pool import connect

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("tenderscrapy", "spiders", "pipelines")


@pytest.fixture(scope="module")
def egg(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The egg, built without leaving anything in the checkout."""
    built = tmp_path_factory.mktemp("egg")
    command = [sys.executable, "-W", "ignore", "setup.py", "-q", "egg_info", "--egg-base", str(built)]
    command += ["build", "--build-base", str(built / "build")]
    command += ["bdist_egg", "--bdist-dir", str(built / "unzipped"), "--dist-dir", str(built / "dist")]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (found,) = (built / "dist").glob("*.egg")
    return found


@pytest.fixture(scope="module")
def names(egg: Path) -> set[str]:
    """Every file in the egg but its metadata and compiled code."""
    with zipfile.ZipFile(egg) as archive:
        found = (name for name in archive.namelist() if not name.endswith("/"))
        return {name for name in found if not name.startswith("EGG-INFO/") and not name.endswith(".pyc")}


def test_the_egg_has_every_file_of_core_spiders_and_pipelines_and_nothing_else(names: set[str]) -> None:
    files = (path for package in PACKAGES for path in (ROOT / package).rglob("*") if path.is_file())
    wanted = {path.relative_to(ROOT).as_posix() for path in files if "__pycache__" not in path.parts}
    assert names == {name for name in wanted if not PurePosixPath(name).name.startswith(".")}


def test_the_egg_names_the_settings_that_scrapyd_loads(egg: Path) -> None:
    with zipfile.ZipFile(egg) as archive:
        lines = archive.read("EGG-INFO/entry_points.txt").decode().split("\n")
    assert lines[:2] == ["[scrapy]", "settings = tenderscrapy.settings"]


def scrapy(egg: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """``scrapy`` in an empty folder, with the zipped egg as the only place of our packages."""
    working = folder / "elsewhere"
    working.mkdir(exist_ok=True)
    environment = os.environ | {"PYTHONPATH": str(egg), "SCRAPY_SETTINGS_MODULE": "tenderscrapy.settings"}
    environment.pop("VAR_DIR", None)
    environment.pop("FILES_STORE", None)
    return subprocess.run(
        [sys.executable, "-m", "scrapy", *arguments],
        cwd=working,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_the_zipped_egg_lists_the_spiders(egg: Path, tmp_path: Path) -> None:
    listed = scrapy(egg, tmp_path, "list")
    ours = sorted(SpiderLoader.from_settings(Settings({"SPIDER_MODULES": ["spiders"]})).list())
    assert (listed.returncode, listed.stdout.split()) == (0, ours), listed.stderr


def test_the_zipped_egg_knows_the_portals(egg: Path, tmp_path: Path) -> None:
    run = scrapy(egg, tmp_path, "check-portal", "nowhere")
    assert run.returncode == 2
    assert "is no portal; there are: " in run.stderr


def test_the_zipped_egg_crawls_and_keeps_its_files_below_the_working_directory(
    egg: Path, tmp_path: Path, database: str
) -> None:
    run = scrapy(egg, tmp_path, "crawl", "sample")
    assert run.returncode == 0, run.stderr
    connection = connect(database, autocommit=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT state, reason, announced, quarantined FROM crawl_run")
        assert cursor.fetchall() == [("complete", "", sample_bundle.total(), 0)]
        cursor.execute("SELECT path FROM attachment WHERE status = 'ready'")
        paths = {path for (path,) in cursor.fetchall()}
    connection.close()
    files = tmp_path / "elsewhere" / "var" / "files"
    assert {path.relative_to(files).as_posix() for path in files.rglob("*") if path.is_file()} == paths
    assert len(paths) > 10
