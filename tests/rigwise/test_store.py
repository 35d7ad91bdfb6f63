from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from eval.cases import load_cases
from rigwise.cli import app
from service.store.migrate import newest_revision
from service.store.spool import Spool
from service.store.store import Store
from tests.service.store.records_for_tests import judged, stored

NOW = datetime.now(UTC)


@pytest.fixture
def run(monkeypatch, corpus, tmp_path):
    monkeypatch.setenv("RIGWISE_CORPUS", str(corpus))
    monkeypatch.setenv("RIGWISE_INDEX_ROOT", str(tmp_path / "index"))
    store = Store(f"sqlite:///{tmp_path / 'index-store.sqlite3'}")
    store.prepare()
    told = {**stored().answer, "question": "q", "statements": [], "abstention": None}
    store.ledger.write([stored(answer=told, at=NOW), judged(at=NOW - timedelta(days=50))])
    store.close()
    Spool(tmp_path / "index-spool").append([stored(2, at=NOW)])

    def invoke(*words: str):
        result = CliRunner().invoke(app, ["store", *words])
        assert result.exit_code == 0, result.output
        return result.stdout

    return invoke


def test_the_status_counts_what_is_kept_and_what_waits(run):
    shown = json.loads(run("status", "--json"))

    assert (shown["answers"], shown["feedback"], shown["spooled"]) == (1, 1, 1)
    assert shown["revision"] == newest_revision()


def test_all_of_a_person_is_handed_out_and_then_deleted(run):
    rows = [json.loads(line) for line in run("export", "--asker", "ann").splitlines()]
    gone = json.loads(run("delete", "--asker", "ann"))

    assert [row["table"] for row in rows] == ["answers", "feedback", "spool"]
    assert gone == {"slack_inbox": 0, "answers": 1, "feedback": 1, "turns": 0, "spooled": 1}
    assert run("export", "--asker", "ann") == ""


def test_pruning_forgets_what_is_older(run):
    assert json.loads(run("prune", "--days", "30")) == {"pruned": 1}


def test_feedback_becomes_cases_that_the_eval_suite_reads(run, tmp_path):
    run("feedback", "--cases", str(tmp_path / "cases.jsonl"))

    [case] = load_cases(tmp_path / "cases.jsonl")
    assert (case.question, case.kind) == ("q", "answer")
