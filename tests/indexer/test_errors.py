"""Every error class has a code of its own, and its message says what would help."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer import errors as indexer_errors
from indexer.errors import EmptyCorpus, GenerationNotFound, IndexerError, ModelNotFound
from service import errors as service_errors
from service.errors import NotFound, ServiceError


def tree(root: type[Exception]) -> list[type[Exception]]:
    return [root, *(found for child in root.__subclasses__() for found in tree(child))]


@pytest.mark.parametrize("root", [IndexerError, ServiceError], ids=["indexer", "service"])
def test_every_class_has_its_own_code(root):
    codes = [str(vars(kind).get("code")) for kind in tree(root)]
    assert len(codes) == len(set(codes))
    assert all(code.replace("_", "").isalpha() and code.islower() for code in codes)


@pytest.mark.parametrize("module", [indexer_errors, service_errors], ids=["indexer", "service"])
def test_the_tree_at_the_top_of_the_module_names_every_class(module):
    kinds = [
        name
        for name, kind in vars(module).items()
        if isinstance(kind, type) and issubclass(kind, Exception)
    ]
    assert [name for name in kinds if name not in module.__doc__] == []


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (EmptyCorpus(Path("docs")), "RIGWISE_CORPUS"),
        (GenerationNotFound("nothing is published", Path("index")), "rigwise index build"),
        (ModelNotFound("m", ["folder m", "hub x/m"]), "folder m; hub x/m"),
        (NotFound("device", "h150"), "/v1/devices"),
    ],
    ids=["empty corpus", "no generation", "no model", "no device"],
)
def test_a_message_says_what_would_help(error, remedy):
    assert remedy in str(error)
