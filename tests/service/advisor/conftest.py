"""The shipped corpus, indexed once by the test embedder: the advisor is tested on what it ships with."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.embedders.hashing import HashingEmbedder
from indexer.generation import GenerationStore, OpenIndex
from indexer.pipeline import build_generation
from service.advisor.answers import Desk, open_desk
from service.lexicon import build_lexicon

CORPUS = Path(__file__).parents[3] / "corpus"
TODAY = "2026-12-01"


@pytest.fixture(scope="session")
def shipped(tmp_path_factory) -> OpenIndex:
    store = GenerationStore(tmp_path_factory.mktemp("shipped"))
    build_generation([CORPUS], store, HashingEmbedder())
    return store.open_current()


@pytest.fixture(scope="session")
def desk(shipped) -> Desk:
    return open_desk(shipped.catalog, build_lexicon(shipped.catalog), today=TODAY)
