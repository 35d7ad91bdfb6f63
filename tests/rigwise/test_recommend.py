"""`rigwise recommend` and `rigwise estimate` over a small corpus."""

from __future__ import annotations

import json

import pytest

from rigwise.cli import main


@pytest.fixture
def home(corpus, tmp_path, monkeypatch):
    monkeypatch.setenv("RIGWISE_CORPUS", str(corpus))
    monkeypatch.setenv("RIGWISE_INDEX_ROOT", str(tmp_path / "index"))
    monkeypatch.setenv("RIGWISE_EMBEDDER", "hashing")
    monkeypatch.setenv("COLUMNS", "160")
    return tmp_path


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(words)
    return int(ended.value.code or 0)


def test_an_estimate_is_drawn_as_a_bar_with_its_parts(home, capsys):
    assert run("estimate", "run a 7B model in bf16 with 2,048 tokens") == 0
    shown = capsys.readouterr().out
    assert "█" in shown
    assert "weights in bf16" in shown
    assert "GiB" in shown


def test_an_estimate_as_json_is_the_need(home, capsys):
    assert run("estimate", "run a 7B model in bf16", "--json") == 0
    assert json.loads(capsys.readouterr().out)["status"] == "rule"


def test_a_missing_model_is_asked_for(home, capsys):
    assert run("recommend", "how much memory does my model need?") == 3
    assert "parameters" in capsys.readouterr().err


def test_nothing_that_fits_is_told(home, capsys):
    assert run("recommend", "full fine-tune of a 405B model on a single GPU") == 3
    assert "Nothing known here fits" in capsys.readouterr().out
