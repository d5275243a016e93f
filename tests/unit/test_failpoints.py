"""Failpoints: they end the process at the passing that was asked for, in tests and nowhere else."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tenderscrapy import failpoints
from tenderscrapy.exceptions import ConfigurationError
from tenderscrapy.failpoints import POINTS

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = (
    "from tenderscrapy.failpoints import failpoint\n"
    "for number in range(5):\n"
    "    failpoint('commit.before')\n"
    "    print(number, flush=True)\n"
)


def run(text: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, env=os.environ | {"FAILPOINTS": text} | environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_process_dies_at_the_passing_that_was_asked_for() -> None:
    died = run("commit.after:kill@1,commit.before:kill@3")
    assert (died.returncode, died.stdout, died.stderr) == (-9, "0\n1\n", "failpoint commit.before 3\n")


def test_a_process_that_comes_there_less_often_ends_by_itself() -> None:
    ended = run("commit.before:kill@6")
    assert (ended.returncode, ended.stdout.split(), ended.stderr) == (0, list("01234"), "")


def test_a_trace_names_every_passing() -> None:
    traced = run("commit.before:trace")
    assert traced.returncode == 0
    assert traced.stderr.splitlines() == [f"failpoint commit.before {number}" for number in range(1, 6)]


def test_outside_of_a_test_the_process_does_not_start() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    for text, status in (("commit.before:kill@3", 1), ("", 0)):
        ended = subprocess.run(
            [sys.executable, "-c", PROGRAM], cwd=ROOT, env=environment | {"FAILPOINTS": text},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert ended.returncode == status
        assert ("for tests only: unset it" in ended.stderr) == bool(status)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("comit.before:kill@1", "there is no 'comit.before'; there are ack.after, ack.before, "),
        ("commit:kill@1", "there is no 'commit'"),
        ("commit.before:kill@0", "'commit.before:kill@0' is not NAME:kill@NUMBER or NAME:trace"),
        ("commit.before", "'commit.before' is not"),
        ("commit.before:kill@1;ack.after:kill@1", "is not NAME:kill@NUMBER"),
    ],
)
def test_a_name_or_a_form_that_is_not_known_is_an_error(text: str, complaint: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(complaint)):
        failpoints.read(text, testing=True)


def test_a_command_does_not_start_with_a_name_that_is_not_known() -> None:
    for command in (["scrapy", "crawl", "ted"], ["scrapy", "attachments"], ["indexer_worker", "--once"]):
        ended = subprocess.run(
            [sys.executable, "-m", *command], cwd=ROOT, env=os.environ | {"FAILPOINTS": "sleep.before:kill@1"},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert ended.returncode == 2, command
        assert "FAILPOINTS: there is no 'sleep.before'" in ended.stderr.splitlines()[-1], command


def test_every_place_is_passed_somewhere_in_the_code_before_and_after() -> None:
    called = Counter(
        name
        for package in ("tenderscrapy", "indexer_worker", "pipelines", "spiders", "webapp")
        for path in (ROOT / package).rglob("*.py")
        for name in re.findall(r"^ +failpoint\((.*)\)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert called.keys() == {f'"{name}"' for name in POINTS}
    assert [name for name in called if called[name] != called[name.replace("before", "after")]] == []
