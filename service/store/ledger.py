"""Answers with what people think of them: written in batches, found again, exported, and forgotten."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, Table, and_, delete, func, select

from service.store.database import Database
from service.store.tables import answers, feedback, slack_inbox, turns
from service.store.types import Feedback, StoredAnswer, Unanswered

_MISSING: Final = ("no_evidence", "unknown_entity", "conflicting_sources")
Record = StoredAnswer | Feedback


class Ledger:
    """Every call is a transaction of its own."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def write(self, records: Sequence[Record]) -> int:
        """Store records; what is there already by its id stays as it is. How many were new.

        Raises:
            StoreRefused: one of them does not fit; none was stored.
        """
        kept = [_answer_row(record) for record in records if isinstance(record, StoredAnswer)]
        judged = [_plain(record) for record in records if isinstance(record, Feedback)]
        with self._database.begin() as connection:
            return self._database.insert_new(connection, answers, kept) + self._database.insert_new(
                connection, feedback, judged
            )

    def find(self, answer_id: str) -> StoredAnswer | None:
        """An answer by its id."""
        with self._database.begin() as connection:
            row = connection.execute(select(answers).where(answers.c.id == answer_id)).first()
        return _answer(row) if row is not None else None

    def unanswered(
        self, *, limit: int, since: datetime | None = None, until: datetime | None = None
    ) -> list[Unanswered]:
        """The questions for which a document was missing, of a time or ever, most often asked first."""
        times, last_at = (
            func.count().label("times"),
            func.max(answers.c.created_at).label("last_at"),
        )
        statement = (
            select(answers.c.question, answers.c.abstention.label("code"), times, last_at)
            .where(answers.c.abstention.in_(_MISSING), answers.c.question != "")
            .group_by(answers.c.question, answers.c.abstention)
            .order_by(times.desc(), last_at.desc(), answers.c.question)
            .limit(limit)
        )
        if since is not None:
            statement = statement.where(answers.c.created_at >= since)
        if until is not None:
            statement = statement.where(answers.c.created_at < until)
        with self._database.begin() as connection:
            return [Unanswered(**_row(row)) for row in connection.execute(statement)]

    def judged(self, *, since: datetime | None = None) -> Iterator[tuple[StoredAnswer, Feedback]]:
        """What people think of which answer, oldest first; of several by the same asker the newest."""
        statement = (
            select(feedback)
            .join(answers, answers.c.id == feedback.c.answer_id)
            .order_by(feedback.c.created_at, feedback.c.id)
        )
        if since is not None:
            statement = statement.where(feedback.c.created_at >= since)
        with self._database.begin() as connection:
            newest = {(row.answer_id, row.asker): row for row in connection.execute(statement)}
        for row in newest.values():
            answer = self.find(row.answer_id)
            if answer is not None:
                yield answer, Feedback(**_row(row))

    def counts(self) -> dict[str, int]:
        """How many rows each table has."""
        with self._database.begin() as connection:
            return {table.name: _count(connection, table) for table in (answers, feedback, turns)}

    def prune(self, *, before: datetime) -> int:
        """Forget answers, feedback and turns of before that time; how many."""
        with self._database.begin() as connection:
            return sum(
                connection.execute(delete(table).where(table.c.created_at < before)).rowcount
                for table in (answers, feedback, turns)
            )

    def of_asker(self, asker: str) -> Iterator[Mapping[str, Any]]:
        """All that is stored of somebody, as rows with the name of their table."""
        with self._database.begin() as connection:
            for table, wanted in _personal(asker):
                for row in connection.execute(select(table).where(wanted).order_by(table.c.id)):
                    yield {"table": str(table.name), **_row(row)}

    def forget(self, asker: str) -> dict[str, int]:
        """Delete all that is stored of somebody, with what others said of the answers; how many rows by table."""
        own = select(answers.c.id).where(answers.c.asker == asker)
        with self._database.begin() as connection:
            said = connection.execute(delete(feedback).where(feedback.c.answer_id.in_(own)))
            gone = {
                str(table.name): connection.execute(delete(table).where(wanted)).rowcount
                for table, wanted in _personal(asker)
            }
        return {**gone, "feedback": gone["feedback"] + said.rowcount}


def _personal(asker: str) -> tuple[tuple[Table, Any], ...]:
    """The tables that hold what somebody did, with the condition. Of Slack an asker is `team/user`."""
    team, _, user = asker.partition("/")
    asked = and_(slack_inbox.c.team == team, slack_inbox.c.payload["user"].as_string() == user)
    return (
        (slack_inbox, asked),
        (answers, answers.c.asker == asker),
        (feedback, feedback.c.asker == asker),
        (turns, func.substr(turns.c.conversation, 1, len(asker) + 1) == f"{asker}/"),
    )


def _count(connection: Connection, table: Table) -> int:
    return connection.execute(select(func.count()).select_from(table)).scalar_one()


def _plain(record: Record) -> dict[str, Any]:
    """A record as a row; PostgreSQL takes no zero byte in a text."""
    row = {name: getattr(record, name) for name in record.__dataclass_fields__}
    return {
        name: value.replace("\0", "\ufffd") if isinstance(value, str) else value
        for name, value in row.items()
    }


def _answer_row(record: StoredAnswer) -> dict[str, Any]:
    abstention = record.answer.get("abstention") or {}
    return {
        **_plain(record),
        "generation": record.answer.get("generation", ""),
        "kind": record.answer.get("kind", ""),
        "abstention": abstention.get("code", ""),
    }


def _answer(row: Row[Any]) -> StoredAnswer:
    return StoredAnswer(
        id=row.id,
        created_at=row.created_at,
        answer=row.answer,
        question=row.question,
        asker=row.asker,
        conversation=row.conversation,
    )


def _row(row: Row[Any]) -> dict[str, Any]:
    return {str(name): value for name, value in row._mapping.items()}
