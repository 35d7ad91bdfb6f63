"""Choose sentences that answer a question: by meaning, by the passage they stand in, without repetition."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from indexer.embedders import Matrix
from indexer.generation import OpenIndex
from indexer.text import lexical_tokens
from indexer.types import DeviceId, Passage, Sentence
from service.types import Hit, Quote, Statement
from service.views import Views, model_sizes

# A sentence's score is its cosine with the question plus these shares: of its passage's fused score
# and of its document's (scaled to the best), of the question's words in it, of the same weighed by how rare they are, and
# for standing first under a section's heading, where articles answer (docs/decisions/0051-sentences.md).
_PASSAGE = 0.15
_DOCUMENT = 0.2
_WORDS = 0.12
_RARE = 0.1
_FIRST = 0.17
# What a sentence loses that speaks of models of other sizes than the question does.
_OTHER_MODEL = 0.2
# What a sentence loses that names devices beside those asked about: its figures may be theirs.
_STRAY_DEVICE = 0.1
# A "Yes" or "No" answers the heading above it; it answers the question only where the passage is this near to it.
_VERDICT = re.compile(r"(?:yes|no),\s+", re.IGNORECASE)
_SAME_QUESTION = 0.62
_YES_OR_NO = re.compile(
    r"(?:^|[.?!,:;]\s+|\b(?:and|or|but)\s+)(?:is|are|was|do|does|did|can|could|will|would|should|must|may|has|have)\b",
    re.IGNORECASE,
)
# What a row of an added table gets for holding all names of the question (words of letters and digits).
_NAMED = 0.4
# What it gets for holding all words of the question, beside what every sentence gets.
_ROW_WORDS = 0.3
_NAME = re.compile(r"[a-z].*\d|\d.*[a-z]")
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
    answers_heading: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What was looked for: the question, its vector [dimensions], the hits, the devices asked about."""

    question: str
    vector: Matrix
    hits: Sequence[Hit]
    asked: frozenset[DeviceId]


def choose_sentences(search: Search, index: OpenIndex, views: Views, *, limit: int) -> list[Chosen]:
    """Up to `limit` sentences of the hits' passages, best first; where devices are asked about, none about others."""
    candidates = _candidates(search, index, views)
    if not candidates:
        return []
    ranked = sorted(candidates, key=lambda item: (-item.score, item.row))
    floor = ranked[0].score * _FLOOR
    chosen: list[_Candidate] = []
    for candidate in ranked:
        if len(chosen) == limit or candidate.score < floor:
            break
        if not _repeats(candidate, chosen, index):
            chosen.append(candidate)
    return [_said(item, index) for item in chosen]


def _candidates(search: Search, index: OpenIndex, views: Views) -> list[_Candidate]:
    words = frozenset(lexical_tokens(search.question))
    rarity = {word: index.lexical.weight(word) for word in words}
    all_of_it = sum(rarity.values()) or 1.0
    sizes = model_sizes(search.question)
    names = frozenset(word for word in words if len(word) > 3 and _NAME.search(word))
    passages = _scaled({hit.passage.id: hit.score for hit in search.hits})
    documents = _scaled(_by_document(search.hits, passages))
    same = _same_question(search)
    found = []
    for passage in _with_lead_document(search.hits, documents, index):
        shared = (
            _PASSAGE * passages.get(passage.id, 0.0) + _DOCUMENT * documents[passage.document_id]
        )
        rows = index.sentences_of(passage.id)
        cosines = index.sentence_vectors[rows.start : rows.stop] @ search.vector
        for row, cosine in zip(rows, cosines, strict=True):
            if not views.is_statement(row) or about_others(views.devices(row), search.asked):
                continue
            shared_words = words & views.words(row)
            common = len(shared_words) / max(1, len(words))
            rare = sum(rarity[word] for word in shared_words) / all_of_it
            if passage.kind == "table":
                # A row of an added table is found by the names in it: "m5ad.2xlarge" means little to an embedder.
                first = _ROW_WORDS * common + _NAMED * len(names & views.words(row)) / max(
                    1, len(names)
                )
            else:
                leads = (
                    index.sentences[row].start == passage.start and len(passage.heading_path) > 1
                )
                first = _FIRST if leads else 0.0
            other = bool(sizes and views.model_sizes(row)) and not sizes & views.model_sizes(row)
            stray = search.asked and views.devices(row) - search.asked
            more = _WORDS * common + _RARE * rare + first - (_OTHER_MODEL if other else 0.0)
            more -= _STRAY_DEVICE if stray else 0.0
            score = float(cosine) + shared + more
            sentence = index.sentences[row]
            answers = passage.id in same
            found.append(
                _Candidate(sentence=sentence, row=row, score=score, answers_heading=answers)
            )
    return found


def _same_question(search: Search) -> frozenset[str]:
    """The passages under the same yes-or-no question as the one asked: near enough in meaning, heading included."""
    if not _YES_OR_NO.search(search.question):
        return frozenset()
    return frozenset(hit.passage.id for hit in search.hits if hit.similarity >= _SAME_QUESTION)


def _with_lead_document(
    hits: Sequence[Hit], documents: Mapping[str, float], index: OpenIndex
) -> list[Passage]:
    """The hits' passages, and the rest of the document that most of them stand in: it treats the subject whole."""
    lead = min(documents, key=lambda key: (-documents[key], key), default="")
    rest = [index.passages[position] for position in index.by_document.get(lead, ())]
    return list(
        {passage.id: passage for passage in [*(hit.passage for hit in hits), *rest]}.values()
    )


def _by_document(hits: Sequence[Hit], passages: Mapping[str, float]) -> dict[str, float]:
    totals: dict[str, float] = {}
    for hit in hits:
        totals[hit.passage.document_id] = (
            totals.get(hit.passage.document_id, 0.0) + passages[hit.passage.id]
        )
    return totals


def _scaled(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores between 0 for the lowest and 1 for the highest."""
    low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    return {
        key: (score - low) / (high - low) if high > low else 1.0 for key, score in scores.items()
    }


def _repeats(candidate: _Candidate, chosen: Sequence[_Candidate], index: OpenIndex) -> bool:
    if not chosen:
        return False
    others = np.stack([index.sentence_vectors[item.row] for item in chosen])
    return bool(float((others @ index.sentence_vectors[candidate.row]).max()) > _SAME)


def _said(candidate: _Candidate, index: OpenIndex) -> Chosen:
    passage = index.passages[candidate.sentence.passage]
    start, end = candidate.sentence.start, candidate.sentence.end
    text = index.documents[passage.document_id].text[start:end]
    verdict = _VERDICT.match(text)
    if verdict and not candidate.answers_heading:
        start += verdict.end()
        text = text[verdict.end()].upper() + text[verdict.end() + 1 :]
    quote = Quote(document_id=passage.document_id, start=start, end=end)
    return Chosen(
        statement=Statement(text=" ".join(text.split()), quotes=(quote,)),
        score=candidate.score,
        passage=passage,
    )


def about_others(named: frozenset[DeviceId], asked: frozenset[DeviceId]) -> bool:
    """Whether devices are asked about, and a sentence names some but none of them."""
    return bool(asked and named) and not named & asked
