"""What is derived of a generation's sentences and passages, once each, when first asked for."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from indexer.generation import OpenIndex
from indexer.text import lexical_tokens
from indexer.types import DeviceId
from service.lexicon import Lexicon, find_devices

_MEASURED = "benchmarks/measured/"
_MODEL_SIZE = re.compile(r"(?<![\w.])(?:\d+x)?(\d+(?:\.\d+)?)[\s-]?(?:[bB]\b|billion)")
_ROWS = ("offers/", "benchmarks/", "models/")
# Words that point at a sentence before: such a sentence says nothing alone.
_LEANING = re.compile(
    r"^(?:it|this|that|these|those|they|such|here|there|then|both|otherwise|hence|thus)\b|"
    r"\b(?:the same (?:run|job|test|comparison|question|report|script|page|table)|that (?:run|figure|report|test)|"
    r"in the table|the table\b[^.]*\b(?:above|below)|see (?:above|below)|the former|the latter)\b",
    re.IGNORECASE,
)


def _is_prose(document_id: str) -> bool:
    """Whether a document is text: tables of offers, results and models are answered from their rows."""
    return not document_id.startswith(_ROWS) or document_id.startswith(_MEASURED)


def model_sizes(text: str) -> frozenset[float]:
    """Sizes such as "70B", "8x7B" and "405 billion parameters", in billions of parameters."""
    return frozenset(float(match) for match in _MODEL_SIZE.findall(text))


class Views:
    """Words and named devices of sentences by row; which passages are text and not rows of a table."""

    def __init__(self, index: OpenIndex, lexicon: Lexicon) -> None:
        self._index = index
        self._lexicon = lexicon
        self._words: dict[int, frozenset[str]] = {}
        self._devices: dict[int, frozenset[DeviceId]] = {}
        self._sizes: dict[int, frozenset[float]] = {}
        self._statements: dict[int, bool] = {}
        self.is_text: npt.NDArray[np.bool_] = np.array(
            [_is_prose(passage.document_id) for passage in index.passages], dtype=bool
        )

    def text(self, row: int) -> str:
        """The sentence itself."""
        sentence = self._index.sentences[row]
        document = self._index.passages[sentence.passage].document_id
        return self._index.documents[document].text[sentence.start : sentence.end]

    def is_statement(self, row: int) -> bool:
        """Questions, headings, scraps, and sentences that lean on the one before are no statements."""
        if row not in self._statements:
            text = self.text(row)
            told = (
                len(text) > 30 and not text.endswith("?") and not text.startswith(("#", "|", "```"))
            )
            self._statements[row] = told and not _LEANING.search(text)
        return self._statements[row]

    def words(self, row: int) -> frozenset[str]:
        """The sentence's lexical tokens."""
        if row not in self._words:
            self._words[row] = frozenset(lexical_tokens(self.text(row)))
        return self._words[row]

    def devices(self, row: int) -> frozenset[DeviceId]:
        """The devices that the sentence names, and the one whose spec sheet it stands in."""
        if row not in self._devices:
            named = {
                device
                for mention in find_devices(self.text(row), self._lexicon)
                for device in mention.devices
            }
            self._devices[row] = frozenset(named) | self._own(row)
        return self._devices[row]

    def model_sizes(self, row: int) -> frozenset[float]:
        """The model sizes that the sentence names, in billions of parameters."""
        if row not in self._sizes:
            self._sizes[row] = model_sizes(self.text(row))
        return self._sizes[row]

    def _own(self, row: int) -> frozenset[DeviceId]:
        document = self._index.passages[self._index.sentences[row].passage].document_id
        slug = DeviceId(document.rsplit("/", 1)[-1])
        return (
            frozenset({slug})
            if document.startswith("hardware/") and slug in self._lexicon.devices
            else frozenset()
        )
