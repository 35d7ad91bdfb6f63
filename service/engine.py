"""The answer, stage by stage: understand, retrieve, advise, compose, cite, verify."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import perf_counter

from indexer.embedders import Embedder
from indexer.generation import OpenIndex
from service.advisor.answers import Advice, advise
from service.cite import cite
from service.compose.draft import Material, compose
from service.query import Query, parse_question
from service.refuse import Refusal, refuse
from service.retrieve import retrieve
from service.snapshot import Snapshot, SnapshotHolder
from service.types import Abstention, Answer, Draft, Hit, Question
from service.verify import verify

_CANDIDATES = 12
_RETRIEVED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """The collaborators of an answer, built once. Its methods may run on any thread."""

    holder: SnapshotHolder
    embedder: Embedder
    max_question_chars: int = 4000
    clock: Callable[[], float] = perf_counter

    def answer(self, question: Question) -> Answer:
        """Answer, ask back or abstain, from one generation.

        Raises:
            BadQuestion: empty or too long.
            GenerationNotFound, GenerationCorrupt, EmbedderMismatch: there is no usable index.
            UncitedClaim: a fault in composing; nothing unsupported is sent.
        """
        timings: dict[str, float] = {}
        snapshot = self.holder.current()
        with self._timed("understand", timings):
            query = parse_question(
                question,
                lexicon=snapshot.lexicon,
                speller=snapshot.speller,
                max_chars=self.max_question_chars,
            )
        with self._timed("embed", timings):
            vector = self.embedder.embed_queries([query.search])[0]
        with self._timed("retrieve", timings):
            hits = retrieve(
                query.search,
                vector,
                snapshot.index,
                limit=_CANDIDATES,
                allowed=snapshot.views.is_text,
            )
        with self._timed("compose", timings):
            material = Material(
                query=query,
                vector=vector,
                hits=hits,
                index=snapshot.index,
                views=snapshot.views,
                results=snapshot.results,
            )
            draft = _drafted(material, refuse(query, hits, snapshot), advise(query, snapshot.desk))
        with self._timed("verify", timings):
            checked = _verified(draft, hits, snapshot)
        with self._timed("cite", timings):
            return self._cited(question, query, checked, hits, snapshot, timings)

    def search(self, text: str, *, limit: int) -> tuple[Hit, ...]:
        """The best passages for a text, without an answer."""
        snapshot = self.holder.current()
        vector = self.embedder.embed_queries([text])[0]
        return tuple(retrieve(text, vector, snapshot.index, limit=limit))

    def index(self) -> OpenIndex:
        """The generation in use."""
        return self.holder.current().index

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
            intent=query.intent,
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

    @contextmanager
    def _timed(self, stage: str, timings: dict[str, float]) -> Iterator[None]:
        start = self.clock()
        yield
        timings[stage] = round((self.clock() - start) * 1000, 3)


def _verified(draft: Draft, hits: Sequence[Hit], snapshot: Snapshot) -> Draft:
    """The draft without the statements that fail a check; nothing left is an abstention."""
    if draft.kind != "answer":
        return draft
    verdicts = verify(draft.statements, snapshot.index.documents)
    sound = tuple(verdict.statement for verdict in verdicts if not verdict.faults)
    checks = {"statements": len(verdicts), "dropped": len(verdicts) - len(sound)}
    if sound:
        return replace(draft, statements=sound, checks=checks)
    nearest = tuple(hit.passage.id for hit in hits[:3])
    why = "No document here supports an answer to this."
    return Draft(
        kind="abstain",
        abstention=Abstention(code="no_evidence", why=why, nearest=nearest),
        checks=checks,
    )


def _drafted(material: Material, refused: Refusal | None, advice: Advice | None) -> Draft:
    """Refuse, ask back, or compose with what the advisor computed in front."""
    if refused is not None and not (
        advice is not None
        and advice.kind == "answer"
        and refused.abstention.code == "needs_detail"
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
