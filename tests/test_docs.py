"""What is written is true: settings, routes, codes and commands are told, and the README's commands exist."""

from __future__ import annotations

import re
import shlex
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer

from eval.errors import EvalError
from indexer.errors import IndexerError
from rigwise.cli import app as command_line
from service.errors import ServiceError
from service.http.app import create_app
from service.http.ports import Answerer
from service.http.problems import PROBLEMS
from service.http.state import ServiceState
from service.render import answer_text
from service.settings import ServiceSettings, settings_markdown
from service.types import Question
from tools.docs import between, readme_question

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
HTTP = (ROOT / "docs/http.md").read_text(encoding="utf-8")
OPERATIONS = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
SETTINGS = (ROOT / "docs/settings.md").read_text(encoding="utf-8")

import_module("service.http.errors")


def _below(root: type[Exception]):
    for kind in root.__subclasses__():
        yield kind
        yield from _below(kind)


def _never(_: ServiceState) -> Answerer:
    raise AssertionError("nothing is loaded to describe the routes")


def _commands(command: Any, name: str = "") -> dict[str, Any]:
    """The commands that do something, by their words."""
    inner = getattr(command, "commands", None)
    if inner is None:
        return {name: command}
    return {
        words: leaf
        for key in sorted(inner)
        for words, leaf in _commands(inner[key], f"{name} {key}".strip()).items()
    }


COMMANDS = _commands(typer.main.get_command(command_line))
CODES = sorted(
    {kind.code for root in (ServiceError, IndexerError, EvalError) for kind in _below(root)}
    | set(PROBLEMS)
)


def test_the_table_of_settings_is_the_one_of_the_code():
    assert between(SETTINGS, "settings") == settings_markdown(), "run python -m tools.docs"


def test_every_setting_is_described():
    assert [
        name for name, field in ServiceSettings.model_fields.items() if not field.description
    ] == []


@pytest.mark.parametrize("code", CODES)
def test_every_code_is_told(code):
    assert f"`{code}`" in HTTP + OPERATIONS


@pytest.mark.parametrize("code", sorted(PROBLEMS))
def test_the_status_of_a_code_is_the_one_that_is_told(code):
    row = re.search(rf"^\| `{code}` \| (\d+) \|", HTTP, re.MULTILINE)

    assert row is not None
    assert int(row.group(1)) == PROBLEMS[code][0]


def test_every_route_is_told_and_every_told_route_exists():
    paths = create_app(ServiceState(_never)).openapi()["paths"]
    routes = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    told = {
        row.split("?")[0]
        for row in re.findall(r"^\| `((?:GET|POST|PUT|DELETE) [^`]+)`", HTTP, re.MULTILINE)
    }

    assert told == {route.replace("{document_id:path}", "{document_id}") for route in routes}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_told(command):
    assert f"`rigwise {command}" in OPERATIONS


def test_every_command_shows_an_example():
    assert [name for name, leaf in COMMANDS.items() if "Example:" not in (leaf.help or "")] == []


@pytest.mark.parametrize("line", re.findall(r"^(make .*|rigwise .*)$", README, re.MULTILINE))
def test_the_commands_of_the_readme_exist(line):
    program, *words = shlex.split(line, comments=True)

    if program == "make":
        assert re.search(
            rf"^{words[0]}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
        )
    else:
        assert words[0] in COMMANDS


def test_the_folders_of_the_readme_exist():
    named = re.findall(r"^(\w+)/ ", README, re.MULTILINE)

    assert named
    assert [name for name in named if not (ROOT / name).is_dir()] == []


def test_the_first_screen_shows_question_answer_commands_and_folders():
    screen = "\n".join(README.splitlines()[:45])

    assert all(
        part in screen for part in ("make ask", "make serve", "make test", "Sources:", "indexer/")
    )


@pytest.mark.parametrize(
    "path", [*sorted(ROOT.glob("docs/**/*.md")), ROOT / "README.md"], ids=lambda path: path.name
)
def test_links_inside_the_repository_lead_somewhere(path):
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))

    assert [link for link in links if not (path.parent / link).exists()] == []


@pytest.mark.model
def test_the_answer_of_the_readme_is_the_one_that_is_given(real_engine):
    answer = real_engine.answer(Question(text=readme_question(README)))

    assert between(README, "answer") == f"```text\n{answer_text(answer)}```\n", (
        "run python -m tools.docs answer"
    )
