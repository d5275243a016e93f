"""The rules that hold for every part at once: who may import whom, what things are called, how large they may be."""

from __future__ import annotations

import ast
import importlib
import os
import re
import subprocess
import sys
from fnmatch import fnmatch
from importlib import resources
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import Settings
from scrapy.spiderloader import SpiderLoader

from spiders.base import PagedSpider
from tenderscrapy.database.migrate import migrations
from tenderscrapy.database.queries import queries
from tenderscrapy.sources.registry import SOURCES, portal_sources

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("tenderscrapy", "spiders", "pipelines", "indexer_worker", "webapp")
#: Rules about size and names hold for the benchmarks as well.
MEASURED = (*PACKAGES, "bench")

MODULES = {path.relative_to(ROOT).as_posix(): path for name in MEASURED for path in (ROOT / name).rglob("*.py")}
TREES = {name: ast.parse(path.read_text(encoding="utf-8"), name) for name, path in MODULES.items()}


def nodes(*kinds: type[ast.AST], within: tuple[str, ...] = MEASURED) -> Iterator[tuple[str, ast.AST]]:
    """Every node of these kinds, with the module that it stands in."""
    for name, tree in TREES.items():
        if name.startswith(tuple(f"{package}/" for package in within)):
            yield from ((name, node) for node in ast.walk(tree) if isinstance(node, kinds))


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_is_loaded_from_this_repository(package: str) -> None:
    assert Path(importlib.import_module(package).__file__ or "").parent == ROOT / package


def test_no_installed_package_takes_the_name_of_one_of_ours() -> None:
    installed = packages_distributions()
    assert {name: installed[name] for name in PACKAGES if name in installed} == {}


def test_webapp_and_indexer_run_without_scrapy() -> None:
    program = (
        "import importlib, pkgutil, sys\n"
        "for name in ('webapp', 'indexer_worker'):\n"
        "    package = importlib.import_module(name)\n"
        "    for module in pkgutil.walk_packages(package.__path__, f'{name}.'):\n"
        "        importlib.import_module(module.name)\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & {'scrapy', 'twisted', 'webapp'}))\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert (result.stdout.strip(), result.returncode) == ("['webapp']", 0), result.stderr


def test_imports_go_in_one_direction() -> None:
    program = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    result = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "2 kept, 0 broken" in result.stdout


SPIDERS = SpiderLoader.from_settings(Settings({"SPIDER_MODULES": ["spiders"]}))


@pytest.mark.parametrize("name", SPIDERS.list())
def test_a_spider_its_module_and_its_class_have_one_name(name: str) -> None:
    spider = SPIDERS.load(name)
    camel_case = "".join(part.capitalize() for part in name.split("_"))
    assert (spider.__module__, spider.__name__) == (f"spiders.{name}", f"{camel_case}Spider")
    assert issubclass(spider, PagedSpider)


def test_every_spider_has_a_source_and_every_source_a_spider() -> None:
    assert {source.spider for source in (*SOURCES, *portal_sources())} == set(SPIDERS.list())


def test_no_file_is_longer_than_250_lines() -> None:
    lengths = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in MODULES.items()}
    assert {name: length for name, length in lengths.items() if length > 250} == {}


def test_no_function_is_longer_than_40_lines() -> None:
    lengths = {
        f"{module}:{node.name}": (node.end_lineno or 0) - node.lineno + 1
        for module, node in nodes(ast.FunctionDef, ast.AsyncFunctionDef)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {name: length for name, length in lengths.items() if length > 40} == {}


def test_no_constructor_takes_more_than_six_arguments() -> None:
    crowded = []
    for module, node in nodes(ast.FunctionDef):
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            arguments = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
            if len(arguments) > 7:  # self is not counted
                crowded.append(module)
    assert crowded == []


def test_no_module_is_a_drawer_of_unrelated_things() -> None:
    drawer = re.compile(r"(^|_)(utils?|helpers?|managers?|misc|common)(_|$)")
    assert [name for name, path in MODULES.items() if drawer.search(path.stem) or drawer.search(path.parent.name)] == []


def test_every_module_says_what_it_is() -> None:
    assert [name for name, tree in TREES.items() if tree.body and not ast.get_docstring(tree)] == []


def test_only_commands_print() -> None:
    printing = {
        module
        for module, node in nodes(ast.Call, within=PACKAGES)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    }
    commands = ("tenderscrapy/commands/", "tenderscrapy/command.py", "tenderscrapy/settings.py")
    assert {m for m in printing if not (m.startswith(commands) or m.endswith("/__main__.py"))} == set()


def test_migrations_are_numbered_without_a_gap() -> None:
    numbers = [re.fullmatch(r"(\d{4})_[a-z_]+", migration.id) for migration in migrations()]
    assert [match and match[1] for match in numbers] == [f"{n:04}" for n in range(1, len(numbers) + 1)]


QUERY_FILES = sorted(
    file.name.removesuffix(".sql")
    for file in resources.files("tenderscrapy.database.queries").iterdir()
    if file.name.endswith(".sql")
)


@pytest.mark.parametrize("name", QUERY_FILES)
def test_every_query_is_used(name: str) -> None:
    statements = {query for query in queries(name).available_queries if not query.endswith("_cursor")}
    code = "\n".join(MODULES[module].read_text(encoding="utf-8") for module in MODULES)
    used = set(re.findall(r"\.(\w+)\b", code)) | set(re.findall(r"\"(\w+)\"", code))
    assert sorted(statements - used) == []


def test_nothing_names_a_package_registry_or_the_place_of_a_checkout() -> None:
    # in pieces, so that this file does not name them itself
    hosts = ["pypi" + ".org", "python" + "hosted", "npm" + "js", "proxy.golang" + ".org"]
    forbidden = re.compile("|".join([re.escape(host) for host in hosts] + [r"(?<![\w.$}])/wor" + r"k\b"]))
    found = []
    for path in texts():
        content = path.read_text(encoding="utf-8", errors="ignore")
        found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in forbidden.finditer(content)]
    assert found == []


def texts() -> Iterator[Path]:
    """Every file of the project that is not in a folder that .gitignore names."""
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    ignored = [".git", *(line.rstrip("/") for line in lines if line.endswith("/"))]
    for folder, subfolders, files in os.walk(ROOT):
        subfolders[:] = [name for name in subfolders if not any(fnmatch(name, pattern) for pattern in ignored)]
        yield from (Path(folder, name) for name in files if Path(name).suffix not in {".pyc", ".png", ".pdf"})
