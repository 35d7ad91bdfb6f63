"""The answer, stage by stage: understand, retrieve, advise, compose, verify, rephrase, cite."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from time import perf_counter

from indexer.embedders import Embedder, Matrix
from indexer.generation import OpenIndex
from service.advisor.answers import Advice, advise
from service.cite import cite
from service.compose.draft import Material, compose
from service.conversation import resolve
from service.errors import BadQuestion
from service.language import Writer, rephrase
from service.query import Query, parse_question
from service.refuse import Refusal, refuse
from service.retrieve import retrieve
from service.several import joined, questions_in
from service.snapshot import Snapshot, SnapshotHolder
from service.types import (
    Abstention,
    Analysis,
    Answer,
    Draft,
    Found,
    Hit,
    Intent,
    Question,
    Step,
)
from service.vet import vet

_CANDIDATES = 12
_RETRIEVED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """The collaborators of an answer, built once. Its methods may run on any thread."""

    holder: SnapshotHolder
    embedder: Embedder
    max_question_chars: int = 4000
    writer: Writer | None = None
    clock: Callable[[], float] = perf_counter
    span: Callable[[str], AbstractContextManager[object]] = nullcontext
    collections: frozenset[str] | None = None

    def answer(self, question: Question) -> Answer:
        """Answer, ask back or abstain, from one generation.

        Raises:
            BadQuestion: empty or too long.
            GenerationNotFound, GenerationCorrupt, EmbedderMismatch: there is no usable index.
            UncitedClaim: a fault in composing; nothing unsupported is sent.
        """
        *_, last = self.steps(question)
        if not isinstance(last, Answer):
            raise TypeError("the last step of an answer is the answer")
        return last

    def steps(self, question: Question) -> Iterator[Step]:
        """The same, step by step: what was understood and found of each question in it, then the answer."""
        snapshot = self._snapshot()
        text = question.text
        rewritten = ""
        if len(text) <= self.max_question_chars:
            rewritten = resolve(text, question.conversation, snapshot.lexicon)
        asked = replace(question, text=rewritten or text)
        short = len(asked.text) <= self.max_question_chars
        parts = questions_in(asked.text, snapshot.lexicon) if short else ()
        answers: list[Answer] = []
        for part in parts or (asked.text,):
            for step in self._steps(replace(asked, text=part), snapshot, rewritten=rewritten):
                if isinstance(step, Answer):
                    answers.append(step)
                else:
                    yield step
        answer = joined(text, answers, snapshot.index) if parts else answers[0]
        yield replace(answer, question=text, rewritten=rewritten)

    def draft(self, question: Question) -> Draft:
        """What composing makes of a question, before anything is checked."""
        snapshot = self._snapshot()
        timings: dict[str, float] = {}
        query = self._understood(question, snapshot, timings)
        vector, hits = self._retrieved(query, snapshot, timings)
        return _composed(query, vector, hits, snapshot)

    def _steps(self, question: Question, snapshot: Snapshot, *, rewritten: str) -> Iterator[Step]:
        timings: dict[str, float] = {}
        query = self._understood(question, snapshot, timings)
        yield Analysis(
            question=question.text,
            rewritten=rewritten,
            intent=query.intent,
            devices=query.devices,
        )
        vector, hits = self._retrieved(query, snapshot, timings)
        yield Found(retrieved=tuple(hits[:_RETRIEVED]))
        with self._timed("compose", timings):
            draft = _composed(query, vector, hits, snapshot)
        with self._timed("verify", timings):
            checked = _verified(draft, hits, snapshot)
        if self.writer is not None and checked.kind == "answer":
            with self._timed("language", timings):
                checked = rephrase(checked, query.text, self.writer, snapshot.checker)
        with self._timed("cite", timings):
            answer = self._cited(question, query, checked, hits, snapshot, timings)
        yield answer

    def _understood(
        self, question: Question, snapshot: Snapshot, timings: dict[str, float]
    ) -> Query:
        with self._timed("understand", timings):
            return parse_question(
                question,
                lexicon=snapshot.lexicon,
                speller=snapshot.speller,
                max_chars=self.max_question_chars,
            )

    def _retrieved(
        self, query: Query, snapshot: Snapshot, timings: dict[str, float]
    ) -> tuple[Matrix, list[Hit]]:
        with self._timed("embed", timings):
            vector = self.embedder.embed_queries([query.search])[0]
        with self._timed("retrieve", timings):
            return vector, retrieve(
                query.search,
                vector,
                snapshot.index,
                limit=_CANDIDATES,
                allowed=snapshot.views.is_text,
            )

    def search(self, text: str, *, limit: int) -> tuple[Hit, ...]:
        """The best passages for a text, without an answer.

        Raises:
            BadQuestion: the text is blank.
        """
        if not text.strip():
            raise BadQuestion("the text to search for is empty; name a device, a model or a topic")
        snapshot = self._snapshot()
        vector = self.embedder.embed_queries([text])[0]
        return tuple(retrieve(text, vector, snapshot.index, limit=limit))

    def index(self) -> OpenIndex:
        """The generation in use."""
        return self._snapshot().index

    def _cited(
        self,
        question: Question,
        query: Query,
        draft: Draft,
        hits: list[Hit],
        snapshot: Snapshot,
        timings: dict[str, float],
    ) -> Answer:
        citations, marks = cite(draft.statements, snapshot.index)
        lines = [
            f"{statement.text}{_marks(own)}"
            for statement, own in zip(draft.statements, marks, strict=True)
        ]
        return Answer(
            id=question.id or _answer_id(query, snapshot),
            question=question.text,
            kind=draft.kind,
            intent=_intent(query, draft),
            text="\n\n".join(lines) or _told(draft.abstention),
            statements=draft.statements,
            citations=citations,
            marks=marks,
            table=draft.table,
            recommendation=draft.recommendation,
            abstention=draft.abstention,
            retrieved=tuple(hits[:_RETRIEVED]),
            generation=snapshot.index.id,
            timings_ms=timings,
            devices=query.devices,
            checks=draft.checks,
        )

    def within(self, collections: frozenset[str]) -> Engine:
        """The engine of those who see these collections, and documents that are in none."""
        return replace(self, collections=collections)

    def _snapshot(self) -> Snapshot:
        if self.collections is None:
            return self.holder.current()
        return self.holder.within(self.collections)

    @contextmanager
    def _timed(self, stage: str, timings: dict[str, float]) -> Iterator[None]:
        start = self.clock()
        with self.span(stage):
            yield
        timings[stage] = round((self.clock() - start) * 1000, 3)


def _composed(query: Query, vector: Matrix, hits: list[Hit], snapshot: Snapshot) -> Draft:
    material = Material(
        query=query,
        vector=vector,
        hits=hits,
        index=snapshot.index,
        views=snapshot.views,
        results=snapshot.results,
    )
    return _drafted(material, refuse(query, hits, snapshot), advise(query, snapshot.desk))


def _verified(draft: Draft, hits: Sequence[Hit], snapshot: Snapshot) -> Draft:
    """The draft without what fails a check; an answer with nothing left is an abstention."""
    if not draft.statements and draft.recommendation is None:
        return draft if draft.kind != "answer" else _unsupported(draft, hits)
    checked = vet(draft, snapshot.checker)
    return checked if checked.statements or draft.kind != "answer" else _unsupported(checked, hits)


def _intent(query: Query, draft: Draft) -> Intent:
    """The question's intent; an unknown part was looked up, and what lies outside the field has none of the others."""
    code = draft.abstention.code if draft.abstention else ""
    if code == "out_of_scope":
        return "out_of_scope"
    return "lookup" if code == "unknown_entity" else query.intent


def _unsupported(draft: Draft, hits: Sequence[Hit]) -> Draft:
    nearest = tuple(hit.passage.id for hit in hits[:3])
    why = "No document here supports an answer to this."
    return Draft(
        kind="abstain",
        abstention=Abstention(code="no_evidence", why=why, nearest=nearest),
        checks=draft.checks,
    )


def _drafted(material: Material, refused: Refusal | None, advice: Advice | None) -> Draft:
    """Refuse, ask back, or compose with what the advisor computed in front."""
    if refused is not None and not (
        advice is not None and advice.kind == "answer" and refused.abstention.code == "needs_detail"
    ):
        return Draft(kind=refused.kind, abstention=refused.abstention)
    if advice is None:
        return compose(material)
    if advice.kind != "answer":
        return Draft(
            kind=advice.kind,
            statements=advice.statements,
            abstention=advice.abstention,
            recommendation=advice.recommendation,
        )
    draft = compose(material, first=advice.statements)
    return replace(draft, recommendation=advice.recommendation)


def _marks(own: tuple[int, ...]) -> str:
    return " " + "".join(f"[{n}]" for n in own) if own else ""


def _told(abstention: Abstention | None) -> str:
    if abstention is None:
        return ""
    return f"{abstention.why} {abstention.ask}".strip()


def _answer_id(query: Query, snapshot: Snapshot) -> str:
    return hashlib.sha256(f"{snapshot.index.id}\0{query.text}".encode()).hexdigest()[:16]
