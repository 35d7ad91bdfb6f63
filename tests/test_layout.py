"""The house rules that a machine can hold."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ORDER = ("indexer", "service", "eval", "rigwise")
MAX_FILE_LINES = 300
MAX_FUNCTION_LINES = 45
# Values are told in one place each, so these may name more.
MANY_NAMES = re.compile(
    r"(types|errors|schemas|queries|terminal|browse|routes|problems|state)\.py$"
)
MAX_PUBLIC_NAMES = 12

MODULES = sorted(path for name in ORDER for path in (ROOT / name).rglob("*.py"))
SOURCES = sorted(
    path for name in (*ORDER, "tests", "tools") for path in (ROOT / name).rglob("*.py")
)


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_a_package_imports_only_those_before_it(path):
    own = ORDER.index(path.relative_to(ROOT).parts[0])
    after = set(ORDER[own + 1 :]) | {"tests", "tools"}

    assert {name for name in _imported(path) if name.split(".")[0] in after} == set()


def test_nobody_hides_the_builtin_eval():
    pattern = re.compile(r"^\s*import eval\b", re.MULTILINE)

    assert [
        _name(path) for path in SOURCES if pattern.search(path.read_text(encoding="utf-8"))
    ] == []


def test_tests_are_no_package():
    assert [_name(path) for path in (ROOT / "tests").rglob("__init__.py")] == []


def test_the_corpus_is_data_only():
    assert [_name(path) for path in (ROOT / "corpus").rglob("*.py")] == []


def test_files_are_short():
    long = {_name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}

    assert {name: lines for name, lines in long.items() if lines > MAX_FILE_LINES} == {}


def test_functions_are_short():
    long = {}
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
                and node.end_lineno is not None
            ):
                long[f"{_name(path)}:{node.name}"] = node.end_lineno - node.lineno + 1

    assert {name: lines for name, lines in long.items() if lines > MAX_FUNCTION_LINES} == {}


def test_modules_have_few_public_names():
    many = {_name(path): _public(path) for path in MODULES if not MANY_NAMES.search(path.name)}

    assert {name: names for name, names in many.items() if len(names) > MAX_PUBLIC_NAMES} == {}


def test_only_settings_read_the_environment():
    pattern = re.compile(r"os\.environ|os\.getenv|getenv\(")

    readers = [_name(path) for path in MODULES if pattern.search(path.read_text(encoding="utf-8"))]
    assert readers == ["service/settings.py"]


def _public(path: Path) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return [
        node.name for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")
    ]
