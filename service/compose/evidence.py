"""Choose sentences that answer a question: by meaning, by the passage they stand in, without repetition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from indexer.embedders import Matrix
from indexer.generation import OpenIndex
from indexer.text import lexical_tokens
from indexer.types import DeviceId, Passage, Sentence
from service.types import Hit, Quote, Statement
from service.views import Views

# A sentence's score is its cosine with the question plus these shares: of its passage's fused score (scaled to the
# best hit), of the question's words in it, and for standing first under its heading, where articles answer.
_PASSAGE = 0.18
_WORDS = 0.12
_FIRST = 0.07
# Two sentences with a higher cosine say the same thing.
_SAME = 0.88
# A sentence below this share of the best score does not belong to the answer.
_FLOOR = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A sentence with its score, ready to be said."""

    statement: Statement
    score: float
    passage: Passage


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    sentence: Sentence
    row: int
    score: float
    text: str


def choose_sentences(
    question: str, vector: Matrix, hits: Sequence[Hit], index: OpenIndex, *, views: Views, limit: int, asked: frozenset[DeviceId]
) -> list[Chosen]:
    """Up to `limit` sentences of the hits' passages, best first; where devices are asked about, none about others."""
    candidates = sorted(
        _candidates(question, vector, hits, index, views, asked), key=lambda item: (-item.score, item.sentence.start, item.row)
    )
    if not candidates:
        return []
    floor = candidates[0].score * _FLOOR
    chosen: list[_Candidate] = []
    for candidate in candidates:
        if len(chosen) == limit or candidate.score < floor:
            break
        if not _repeats(candidate, chosen, index):
            chosen.append(candidate)
    return [_said(item, index) for item in chosen]


def _candidates(
    question: str, vector: Matrix, hits: Sequence[Hit], index: OpenIndex, views: Views, asked: frozenset[DeviceId]
) -> list[_Candidate]:
    words = frozenset(lexical_tokens(question))
    best = max((hit.score for hit in hits), default=1.0)
    worst = min((hit.score for hit in hits), default=0.0)
    found = []
    for hit in hits:
        share = (hit.score - worst) / (best - worst) if best > worst else 1.0
        rows = index.sentences_of(hit.passage.id)
        cosines = index.sentence_vectors[rows.start : rows.stop] @ vector
        for row, cosine in zip(rows, cosines, strict=True):
            text = views.text(row)
            if not _is_statement(text) or (asked and about_others(views.devices(row), asked)):
                continue
            sentence = index.sentences[row]
            common = len(words & views.words(row)) / max(1, len(words))
            first = _FIRST if sentence.start == hit.passage.start else 0.0
            score = float(cosine) + _PASSAGE * share + _WORDS * common + first
            found.append(_Candidate(sentence=sentence, row=row, score=score, text=text))
    return found


def _is_statement(text: str) -> bool:
    """Questions, headings and scraps are no statements."""
    return len(text) > 30 and not text.endswith("?") and not text.startswith(("#", "|", "```"))


def _repeats(candidate: _Candidate, chosen: Sequence[_Candidate], index: OpenIndex) -> bool:
    if not chosen:
        return False
    others = np.stack([index.sentence_vectors[item.row] for item in chosen])
    return bool(float((others @ index.sentence_vectors[candidate.row]).max()) > _SAME)


def _said(candidate: _Candidate, index: OpenIndex) -> Chosen:
    passage = index.passages[candidate.sentence.passage]
    quote = Quote(document_id=passage.document_id, start=candidate.sentence.start, end=candidate.sentence.end)
    return Chosen(
        statement=Statement(text=" ".join(candidate.text.split()), quotes=(quote,)), score=candidate.score, passage=passage
    )


def about_others(named: frozenset[DeviceId], asked: frozenset[DeviceId]) -> bool:
    """Whether a sentence names devices, and none of those asked about."""
    return bool(named) and not named & asked
