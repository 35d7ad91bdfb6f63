from __future__ import annotations

import json
import shutil
import socket
from datetime import UTC, datetime

import pytest
from typer.testing import CliRunner

from indexer.errors import GenerationCorrupt
from rigwise.cli import app
from rigwise.doctor import (
    check_address,
    check_clock,
    check_index,
    check_language_model,
    check_python,
)
from service.errors import UnsafeBinding
from service.settings import ServiceSettings


@pytest.fixture
def settings(corpus, store):
    return ServiceSettings(corpus=corpus, index_root=store.root, embedder="hashing", port=0)


def _run(monkeypatch, settings, *words, **more):
    told = {
        "RIGWISE_CORPUS": str(settings.corpus),
        "RIGWISE_INDEX_ROOT": str(settings.index_root),
        "RIGWISE_EMBEDDER": "hashing",
        "RIGWISE_PORT": "0",
        **more,
    }
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    return CliRunner().invoke(app, ["doctor", *words])


def test_a_sound_installation_has_nothing_bad(monkeypatch, settings):
    result = _run(monkeypatch, settings, "--json")

    found = {row["part"]: row["state"] for row in json.loads(result.stdout)}
    assert result.exit_code == 0
    assert found["index"] == "ok"
    assert {"python", "clock", "settings", "disk", "address", "extra llm"} <= found.keys()


def test_a_missing_index_is_bad_and_says_what_to_do(monkeypatch, settings, tmp_path):
    result = _run(monkeypatch, settings, RIGWISE_INDEX_ROOT=str(tmp_path / "none"))

    assert result.exit_code == 1
    assert "rigwise index build" in result.stdout


def test_a_wrong_setting_is_told_by_name_and_not_by_value(monkeypatch, settings):
    result = _run(monkeypatch, settings, RIGWISE_PORT="secret-value")

    assert result.exit_code == 1
    assert "RIGWISE_PORT" in result.stdout
    assert "secret-value" not in result.stdout


def test_an_index_that_does_not_open_is_bad(settings, tmp_path, store):
    copy = tmp_path / "index"
    shutil.copytree(store.root, copy)
    damaged = next(copy.rglob("manifest.json"))
    damaged.write_bytes(damaged.read_bytes()[:-9])

    with pytest.raises(GenerationCorrupt):
        check_index(settings.model_copy(update={"index_root": copy}))


def test_a_port_in_use_is_noted(settings):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        found = check_address(settings.model_copy(update={"port": port}))

    assert (found.state, "RIGWISE_PORT" in found.remedy) == ("note", True)


def test_a_public_address_without_a_key_is_refused(settings):
    with pytest.raises(UnsafeBinding):
        check_address(settings.model_copy(update={"host": "0.0.0.0"}))  # noqa: S104


def test_a_language_model_that_is_down_is_noted(settings):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        url = f"http://127.0.0.1:{port}/v1"
        found = check_language_model(settings.model_copy(update={"llm_url": url}))

    assert found.state == "note"


def test_an_old_python_and_a_wrong_clock_are_bad():
    assert check_python((3, 10)).state == "bad"
    assert check_clock(datetime(1970, 1, 2, tzinfo=UTC)).state == "bad"
