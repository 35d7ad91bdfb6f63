"""What a serving process does with the store: keeps answers and feedback, finds them again, forgets what is old."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Event, Lock, Thread
from typing import Final
from uuid import uuid4

import structlog

from service.access import Caller
from service.render import answer_object
from service.store.errors import AnswerNotFound, StoreError
from service.store.keyring import Keyring
from service.store.spool import Spool
from service.store.store import Store
from service.store.talks import StoredConversations
from service.store.types import Feedback, Reason, StoredAnswer, Verdict
from service.store.writer import BackgroundWriter
from service.turns import Conversations, MemoryConversations
from service.types import Answer

_HOUR_S: Final = 3600.0
_RECENT: Final = 4096
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepOptions:
    """How much is kept, and how long. Without `texts` only facts about an answer are kept, neither question nor answer.

    `keys`: whether the keys of the store are read, for those who come with one.
    """

    texts: bool = True
    days: float = 90
    keys: bool = False
    conversation_s: float = 3600.0


def utc_now() -> datetime:
    """The time, with its zone."""
    return datetime.now(UTC)


class Keeper:
    """Keeps answers and feedback in the background. Calls come from several threads at once."""

    def __init__(
        self,
        store: Store,
        spool: Spool,
        options: KeepOptions | None = None,
        *,
        now: Callable[[], datetime] = utc_now,
        writer: BackgroundWriter | None = None,
    ) -> None:
        self.store = store
        self.writer = writer or BackgroundWriter(store, spool)
        self._options = options or KeepOptions()
        self._talks = StoredConversations(
            store.database, keep_s=self._options.conversation_s, now=now
        )
        self.conversations: Conversations = (
            self._talks
            if self._options.texts
            else MemoryConversations(keep_s=self._options.conversation_s)
        )
        self.keyring = Keyring(store, now=now)
        self._now = now
        self._lock = Lock()
        self._recent: OrderedDict[str, str] = OrderedDict()
        self._stop = Event()

    def start(self) -> None:
        """Begin to write, and to forget what is old. A file is made ready before that, a server is not waited for."""
        if self.store.database.is_sqlite:
            try:
                self.store.prepare()
            except StoreError as error:
                _log.warning("store.not_ready", code=error.code, reason=str(error))
        if self._options.keys:
            self.keyring.start()
        self.writer.start()
        Thread(target=self._forget_old, name="rigwise-keeper", daemon=True).start()

    def close(self) -> None:
        """Write what waits, and end."""
        self._stop.set()
        self.keyring.close()
        self.writer.close()
        self.store.close()

    def record(self, answer: Answer, *, asker: str = "", conversation: str = "") -> None:
        """Keep an answer. It returns at once."""
        texts = self._options.texts
        told = answer_object(answer)
        told = told if texts else _facts(answer)
        record = StoredAnswer(
            id=answer.id,
            created_at=self._now(),
            answer=told,
            question=answer.question if texts else "",
            asker=asker,
            conversation=conversation,
        )
        with self._lock:
            self._recent.setdefault(answer.id, asker)
            if len(self._recent) > _RECENT:
                self._recent.popitem(last=False)
        self.writer.put(record)

    def find(self, answer_id: str, *, caller: Caller) -> StoredAnswer:
        """An answer as it was given to this caller; whoever sees all finds those of others as well.

        Raises:
            AnswerNotFound: it is not kept, kept without its text, or somebody else's.
            StoreUnavailable: the database is away.
        """
        found = self.writer.pending(answer_id)
        stored = found if isinstance(found, StoredAnswer) else self.store.ledger.find(answer_id)
        if stored is None or "id" not in stored.answer or not _sees(caller, stored.asker):
            raise AnswerNotFound(answer_id)
        return stored

    def judge(
        self, answer_id: str, verdict: Verdict, *, caller: Caller, reason: Reason = "", comment: str = ""
    ) -> str:  # fmt: skip
        """Keep what somebody thinks of an answer; the id of the feedback.

        Raises:
            AnswerNotFound: no answer of that id is kept, or it is somebody else's.
            StoreUnavailable: the database is away, and this process has not given that answer lately.
        """
        asker = self._recent.get(answer_id)
        if asker is None:
            stored = self.store.ledger.find(answer_id)
            asker = stored.asker if stored is not None else None
        if asker is None or not _sees(caller, asker):
            raise AnswerNotFound(answer_id)
        given = Feedback(
            id=uuid4().hex,
            created_at=self._now(),
            answer_id=answer_id,
            verdict=verdict,
            reason=reason,
            comment=comment,
            asker=caller.name,
        )
        self.writer.put(given)
        return given.id

    def _forget_old(self) -> None:
        while not self._stop.is_set():
            before = self._now() - timedelta(days=self._options.days)
            try:
                self.store.prepare()
                gone = (
                    self.store.ledger.prune(before=before)
                    + self.store.inbox.prune(before=before)
                    + self._talks.prune()
                )
                _log.info("store.pruned", rows=gone)
            except StoreError as error:
                _log.warning("store.not_pruned", code=error.code)
            self._stop.wait(_HOUR_S)


def _sees(caller: Caller, asker: str) -> bool:
    return caller.sees_all or caller.name == asker


def _facts(answer: Answer) -> dict[str, object]:
    """What may be kept of an answer where its texts may not."""
    code = answer.abstention.code if answer.abstention is not None else ""
    return {
        "generation": answer.generation,
        "kind": answer.kind,
        "abstention": {"code": code} if code else None,
    }
