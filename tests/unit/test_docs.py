"""What the pages say exists: every setting is described, every link leads somewhere, every command is one."""

from __future__ import annotations

import argparse
import importlib.util
import os
import pkgutil
import re
from fnmatch import fnmatch
from functools import cache
from importlib import import_module
from inspect import isclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest
import scrapy.commands
from flask.cli import FlaskGroup, ScriptInfo
from scrapy.settings import Settings, default_settings
from scrapy.spiderloader import SpiderLoader

import tenderscrapy.commands
from indexer_worker import __main__ as indexer
from tenderscrapy import settings as own_settings
from tenderscrapy.config import Config
from webapp import create_app

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
OPERATIONS = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")


def pages() -> Iterator[Path]:
    """Every Markdown file that is not in a folder which .gitignore names."""
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    ignored = [".*", *(line.rstrip("/") for line in lines if line.endswith("/"))]
    for folder, subfolders, files in os.walk(ROOT):
        subfolders[:] = [name for name in subfolders if not any(fnmatch(name, pattern) for pattern in ignored)]
        yield from (Path(folder, name) for name in files if name.endswith(".md"))


PAGES = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sorted(pages())}

# --- settings -------------------------------------------------------------------------------------------------------

FIELDS = {str(field.validation_alias): field for field in Config.model_fields.values()}
#: Scrapy settings that Scrapy itself does not know; the page speaks of the others only where they matter.
OURS = {name for name in dir(own_settings) if name.isupper() and name not in vars(default_settings)}
#: Rows of the tables whose first column holds names in capitals: the names, and the second column.
ROWS = [
    (re.findall(r"`([A-Z][A-Z0-9_]+)`", first), second)
    for first, second in re.findall(r"^\| (`[A-Z][^|]*) \| ([^|]*) \|", OPERATIONS, re.MULTILINE)
]
DESCRIBED = {name for names, _ in ROWS for name in names}


def test_every_setting_is_described_and_every_described_setting_exists() -> None:
    assert sorted((FIELDS.keys() | OURS) - DESCRIBED) == []
    assert sorted(DESCRIBED - (FIELDS.keys() | OURS)) == []


def test_described_numbers_are_the_defaults() -> None:
    wrong = {}
    for names, default in ROWS:
        values = [FIELDS[name].default if name in FIELDS else getattr(own_settings, name) for name in names]
        numbers = re.fullmatch(r"[\d., ]+", default) and default.split(", ")
        if numbers and [f"{value:g}" for value in values] != numbers:
            wrong[", ".join(names)] = (default, values)
    assert wrong == {}


def test_what_is_marked_as_a_scrapy_setting_is_one() -> None:
    marked = set(re.findall(r"`([A-Z][A-Z0-9_]+)` \*", OPERATIONS))
    assert marked == FIELDS.keys() & {name for name in dir(own_settings) if name.isupper()}


def test_every_other_variable_that_the_code_reads_is_described() -> None:
    read = re.compile(r"os\.environ(?:\.get\(|\[)\"([A-Z_]+)\"")
    code = [
        path for name in ("tenderscrapy", "webapp", "indexer_worker", "tests") for path in ROOT.glob(f"{name}/**/*.py")
    ]
    names = {name for path in code for name in read.findall(path.read_text(encoding="utf-8"))} - {"PATH"}
    assert sorted(name for name in names if f"`{name}" not in OPERATIONS) == []


# --- links ----------------------------------------------------------------------------------------------------------


def anchors(text: str) -> set[str]:
    """What a link to a heading of this page may end with."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_every_relative_link_leads_somewhere(page: str) -> None:
    dead = []
    for link in re.findall(r"\]\(([^)\s]+)\)", PAGES[page]):
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = link.partition("#")
        path = (ROOT / page).parent / target if target else ROOT / page
        if not path.exists() or (anchor and anchor not in anchors(path.read_text(encoding="utf-8"))):
            dead.append(link)
    assert dead == []


# --- commands -------------------------------------------------------------------------------------------------------


@cache
def scrapy_commands() -> dict[str, argparse.ArgumentParser]:
    """Scrapy's commands and ours, as they would be found at a start, with their options."""
    found = {}
    for package in (scrapy.commands, tenderscrapy.commands):
        for module in pkgutil.iter_modules(package.__path__):
            members: dict[str, Any] = vars(import_module(f"{package.__name__}.{module.name}"))
            own = [c for c in members.values() if isclass(c) and c.__module__ == f"{package.__name__}.{module.name}"]
            command = next(c for c in own if issubclass(c, scrapy.commands.ScrapyCommand))()
            command.settings = Settings()
            found[module.name] = argparse.ArgumentParser(conflict_handler="resolve")
            command.add_options(found[module.name])
    return found


MAKE = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
SPIDERS = SpiderLoader.from_settings(Settings({"SPIDER_MODULES": ["spiders"]})).list()


def commands(text: str) -> Iterator[list[str]]:
    """The words of every command line in the page's code that calls one of our programs."""
    blocks = re.findall(r"^```(?:sh)?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    lines = [line.partition(" #")[0] for block in blocks for line in block.splitlines()]
    lines += re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))
    for line in lines:
        start = re.search(r"(?:^|[\s/(])((?:scrapy|make|flask --app webapp|python -m) [a-z].*)", line)
        if start:
            yield [word.strip("()\"'") for word in re.findall(r'"[^"]*"|\S+', start[1])]


def fault(words: list[str], page: str) -> str:
    """What is wrong with a command line, empty where nothing is."""
    program, name, *rest = words
    if program == "make":
        return "" if name in MAKE else f"no target {name}"
    if program == "python":
        return _module_fault(*rest)
    if program == "flask":
        return _flask_fault(rest[1:])
    known = scrapy_commands().get(name)
    if known is None:
        return f"no command {name}"
    if name == "crawl" and rest and rest[0] not in (*SPIDERS, "NAME") and f'name = "{rest[0]}"' not in PAGES[page]:
        return f"no spider {rest[0]}"
    return _option_fault(rest, {option for action in known._actions for option in action.option_strings})


def _option_fault(words: list[str], known: set[str]) -> str:
    unknown = [word for word in words if re.fullmatch(r"--?[a-z][\w-]*", word) and word not in known]
    return f"no option {unknown}" if unknown else ""


def _module_fault(module: str, *rest: str) -> str:
    if not (importlib.util.find_spec(module) and importlib.util.find_spec(f"{module}.__main__")):
        return f"{module} cannot be run"
    if module != "indexer_worker":
        return ""
    parser = indexer._parser()
    known = {option for action in parser._actions for option in action.option_strings}
    choices: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:
        choices |= dict(action.choices or {})  # type: ignore[arg-type]
    if rest and not rest[0].startswith("-"):
        if rest[0] not in choices:
            return f"no command {rest[0]}"
        known = {option for action in choices[rest[0]]._actions for option in action.option_strings}
    return _option_fault(list(rest), known)


def _flask_fault(words: list[str]) -> str:
    group: click.Command | None = FlaskGroup(create_app=create_app)
    while isinstance(group, click.Group) and words:
        with click.Context(group, obj=ScriptInfo(create_app=create_app)) as context:
            group, words = group.get_command(context, words[0]), words[1:]
    if group is None:
        return "no such command"
    return _option_fault(words, {option for parameter in group.params for option in parameter.opts})


@pytest.mark.parametrize("page", PAGES)
def test_every_command_on_a_page_exists(page: str) -> None:
    faults = {" ".join(words): fault(words, page) for words in commands(PAGES[page])}
    assert {line: text for line, text in faults.items() if text} == {}


def test_the_pages_name_every_command_of_ours() -> None:
    ours = {module.name for module in pkgutil.iter_modules(tenderscrapy.commands.__path__)}
    assert sorted(name for name in ours if f"`scrapy {name}" not in OPERATIONS) == []


# --- size -----------------------------------------------------------------------------------------------------------


def test_the_readme_is_read_in_one_go() -> None:
    assert len(PAGES["README.md"].splitlines()) < 120


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("docs/")])
def test_a_page_is_short(page: str) -> None:
    assert len(PAGES[page].splitlines()) <= 150
