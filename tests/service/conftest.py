"""One small index of true spec sheets and three articles, for the tests of the stages and of the engine."""

from __future__ import annotations

import pytest

from indexer.embedders.hashing import HashingEmbedder
from indexer.generation import GenerationStore
from indexer.pipeline import build_generation
from service.engine import Engine
from service.lexicon import Lexicon
from service.snapshot import Snapshot, SnapshotHolder
from tests.service.sheets_for_tests import write_sheets


@pytest.fixture(scope="session")
def sheet_engine(tmp_path_factory) -> Engine:
    """The engine over the small index."""
    folder = tmp_path_factory.mktemp("sheets")
    store, embedder = GenerationStore(folder / "index"), HashingEmbedder(dimensions=256)
    report = build_generation([write_sheets(folder / "corpus")], store, embedder)
    assert report.rejected == ()
    holder = SnapshotHolder(store, fingerprint=embedder.spec.fingerprint())
    return Engine(holder=holder, embedder=embedder)


@pytest.fixture(scope="session")
def snapshot(sheet_engine: Engine) -> Snapshot:
    return sheet_engine.holder.current()


@pytest.fixture(scope="session")
def lexicon(snapshot: Snapshot) -> Lexicon:
    return snapshot.lexicon
