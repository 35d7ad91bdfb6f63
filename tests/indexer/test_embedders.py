"""Profiles by name, where weights are looked for, and the embedder of the tests by hand."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from indexer.embedders import EmbedderChoice, make_embedder
from indexer.embedders.hashing import HashingEmbedder
from indexer.embedders.locate import locate_onnx, locate_package
from indexer.embedders.profiles import Carrier, ModelProfile, profile_of
from indexer.errors import ModelCorrupt, ModelNotFound, UnknownEmbedder


def nowhere(**changes) -> ModelProfile:
    return ModelProfile(name="none", hub_id="none/none", dimensions=8, max_tokens=16, **changes)


@pytest.mark.parametrize(
    "name", ["e5-small-v2", "intfloat/e5-small-v2", "/models/e5-small-v2", "E5-Small-v2"]
)
def test_a_profile_is_found_by_name_hub_id_or_folder(name):
    assert profile_of(name).query_prefix == "query: "


def test_an_unknown_model_gets_a_plain_profile():
    profile = profile_of("acme/new-model")
    assert (profile.hub_id, profile.pooling, profile.query_prefix) == ("acme/new-model", "mean", "")


def test_a_folder_comes_first(tmp_path):
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / name).write_bytes(b"")
    found = locate_onnx(str(tmp_path), nowhere(), offline=True)
    assert found == {"model": tmp_path / "model.onnx", "tokenizer": tmp_path / "tokenizer.json"}


def test_a_folder_that_lacks_a_file_is_named_with_it(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"")
    with pytest.raises(ModelNotFound, match="tokenizer"):
        locate_onnx(str(tmp_path), nowhere(), offline=True)


def test_a_model_that_is_nowhere_names_every_place_that_was_tried():
    carrier = Carrier(package="no-such==1", import_name="no_such_package", folder="", files=())
    with pytest.raises(ModelNotFound) as caught:
        locate_onnx("none", nowhere(carriers=(carrier,)), offline=True)
    folder, package, hub = caught.value.tried
    assert (folder, package) == ("folder none", "package no-such==1")
    assert hub.startswith("hub none/none")


@pytest.fixture
def carried(tmp_path, monkeypatch) -> Carrier:
    (tmp_path / "acme_weights").mkdir()
    (tmp_path / "acme_weights" / "__init__.py").write_text("")
    (tmp_path / "acme_weights" / "model.onnx").write_bytes(b"weights")
    monkeypatch.syspath_prepend(tmp_path)
    digest = hashlib.sha256(b"weights").hexdigest()
    files = (("model", "model.onnx", digest),)
    return Carrier(package="acme==1", import_name="acme_weights", folder=".", files=files)


def test_a_package_that_carries_the_pinned_file_is_found(carried):
    folder = locate_package(nowhere(carriers=(carried,)), "model")
    assert folder is not None
    assert folder.name == "acme_weights"


def test_a_carried_file_that_was_altered_is_refused(carried, tmp_path):
    (tmp_path / "acme_weights" / "model.onnx").write_bytes(b"other weights")
    with pytest.raises(ModelCorrupt, match="acme_weights"):
        locate_onnx("none", nowhere(carriers=(carried,)), offline=True)


def test_an_unknown_backend_names_the_known_ones():
    with pytest.raises(UnknownEmbedder, match="hashing"):
        make_embedder(EmbedderChoice(backend="magic"))


def test_hashing_counts_words_by_the_first_bytes_of_their_hash():
    dimension = int.from_bytes(hashlib.sha256(b"gpu").digest()[:2], "big") % 64
    vector = HashingEmbedder().embed_queries(["GPU gpu"])[0]
    assert vector[dimension] == 1
    assert np.count_nonzero(vector) == 1


@pytest.mark.parametrize("text", ["", " ", "😀", "a b c", "显存", "x" * 10_000])
def test_hashing_gives_unit_rows_for_any_text(text):
    vector = HashingEmbedder().embed_passages([text])[0]
    assert np.linalg.norm(vector) == pytest.approx(1)


def test_no_texts_give_no_rows():
    assert HashingEmbedder().embed_passages([]).shape == (0, 64)


def test_a_changed_specification_changes_the_fingerprint():
    one, other = HashingEmbedder(dimensions=64), HashingEmbedder(dimensions=65)
    assert one.spec.fingerprint() == HashingEmbedder().spec.fingerprint()
    assert one.spec.fingerprint() != other.spec.fingerprint()
