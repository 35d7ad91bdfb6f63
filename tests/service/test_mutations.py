"""The checker against right answers made wrong: what it catches, and what it takes for wrong though it is right."""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from pathlib import Path

import pytest

from service.phrases import say
from service.types import Question, Statement
from service.verify import Checker
from tests.service.mutations_for_tests import Material, Mutation, mutations

QUESTIONS = Path(__file__).parents[2] / "eval/data/questions.jsonl"
ASKED = 120
CAUGHT = 0.97
FALSE_ALARMS = 0.02
EACH_KIND = 0.9

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def checker(real_engine) -> Checker:
    return Checker(real_engine.index().documents)


@pytest.fixture(scope="module")
def statements(real_engine) -> list[Statement]:
    """What composing makes of every other question, before anything is dropped."""
    lines = QUESTIONS.read_text(encoding="utf-8").splitlines()[::2][:ASKED]
    drafts = [real_engine.draft(Question(text=json.loads(line)["question"])) for line in lines]
    return list(
        dict.fromkeys(
            statement
            for draft in drafts
            if draft.kind == "answer"
            for statement in draft.statements
        )
    )


@pytest.fixture(scope="module")
def wrong(real_engine, checker, statements) -> list[Mutation]:
    documents = real_engine.index().documents.values()
    names = sorted(document.title for document in documents if document.kind == "hardware")
    right = [each for each in statements if not checker.check(each).faults]
    material = Material(names=names, others=right, chance=random.Random(16))  # noqa: S311
    return [mutation for statement in right for mutation in mutations(statement, material)]


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def test_at_least_97_of_100_mutations_are_caught(checker, wrong, capsys):
    made: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    for mutation in wrong:
        for group in (mutation.kind, "taken over" if mutation.extracted else "phrased", "all"):
            made[group] += 1
            caught[group] += bool(checker.check(mutation.statement).faults)
    with capsys.disabled():
        _tell("\n| mutation | made | caught |\n|---|---:|---:|")
        for group in sorted(made, key=lambda name: (name == "all", name)):
            _tell(f"| {group} | {made[group]} | {caught[group] / made[group]:.1%} |")

    assert made["all"] >= 300
    assert caught["all"] >= CAUGHT * made["all"]
    assert [kind for kind in made if caught[kind] < EACH_KIND * made[kind]] == []


def test_at_most_2_of_100_right_statements_are_taken_for_wrong(checker, statements, capsys):
    alarms = [verdict for each in statements if (verdict := checker.check(each)).faults]
    with capsys.disabled():
        _tell(f"\nfalse alarms: {len(alarms)} of {len(statements)} statements")
        for verdict in alarms[:10]:
            _tell(f"- {verdict.faults[0]} | {verdict.statement.text}")

    assert len(alarms) <= FALSE_ALARMS * len(statements)


def test_every_fact_of_the_catalog_can_be_said(real_engine, checker, capsys):
    devices = real_engine.index().catalog.devices
    statements = [say(device, fact) for device in devices for fact in device.facts]

    alarms = [verdict for each in statements if (verdict := checker.check(each)).faults]
    with capsys.disabled():
        _tell(f"\nfalse alarms: {len(alarms)} of {len(statements)} facts of the catalog")

    assert len(alarms) <= FALSE_ALARMS * len(statements)
