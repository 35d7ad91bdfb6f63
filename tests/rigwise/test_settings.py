from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from service.errors import UnsafeBinding
from service.settings import BadSettings, ServiceSettings, load_settings


def test_the_corpus_that_ships_is_found_without_settings():
    assert (ServiceSettings().corpus / "README.md").is_file()


def test_settings_do_not_change():
    with pytest.raises(ValidationError, match="frozen"):
        ServiceSettings().port = 1


@pytest.mark.parametrize(
    ("name", "value"), [("PORT", "http"), ("MAX_CONCURRENT_ANSWERS", "0"), ("EMBEDDER", "magic")]
)
def test_a_bad_value_is_told_by_its_variable(monkeypatch, name, value):
    monkeypatch.setenv(f"RIGWISE_{name}", value)

    with pytest.raises(BadSettings, match=f"RIGWISE_{name}"):
        load_settings()


def test_a_folder_that_is_missing_is_told(monkeypatch):
    monkeypatch.setenv("RIGWISE_DOCUMENTS", "/no/such/folder")

    with pytest.raises(BadSettings, match="/no/such/folder is not a folder"):
        load_settings()


def test_a_variable_that_names_no_setting_is_refused(monkeypatch):
    monkeypatch.setenv("RIGWISE_THREDS", "2")

    with pytest.raises(BadSettings, match="RIGWISE_THREDS"):
        load_settings()


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::"])  # noqa: S104 - they have to be refused
def test_a_public_address_wants_a_key(host):
    with pytest.raises(UnsafeBinding, match="RIGWISE_API_KEY"):
        ServiceSettings(host=host).check_binding()


def test_a_public_address_with_a_key_is_taken():
    settings = ServiceSettings(host="192.0.2.1", api_key="x" * 32)  # type: ignore[arg-type]

    settings.check_binding()

    assert settings.host == "192.0.2.1"
    assert settings.api_key is not None


def test_a_key_is_never_shown():
    assert "secret-words" not in repr(ServiceSettings(api_key="secret-words"))  # type: ignore[arg-type]


def test_own_documents_come_after_the_corpus(tmp_path: Path):
    settings = ServiceSettings(documents=tmp_path)

    assert settings.corpora == (settings.corpus, tmp_path)
