"""Writes records in the background: nobody who answers ever waits for the database or the disk.

Records go from a bounded queue into the database. While it is away they go to the spool, and from there into the
database when it is back. What cannot be kept anywhere is counted and logged, never dropped in silence.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from queue import Empty, Full, Queue
from threading import Event, Lock, Thread
from time import monotonic
from typing import Final, Literal

import structlog

from service.store.errors import StoreError, StoreRefused
from service.store.ledger import Record
from service.store.spool import Spool
from service.store.store import Store

_BATCH: Final = 100
_LOOK_S: Final = 0.5
_DRAIN_S: Final = 8.0
Fate = Literal["stored", "known", "spooled", "replayed", "refused", "dropped"]
_log = structlog.get_logger()


class BackgroundWriter:
    """One thread between those who answer and the store.

    Fates of a record: `stored`, `known` (its id was there), `spooled` then `replayed`, `refused` (put aside in the spool
    for a person), `dropped` (queue full, or neither database nor disk took it).
    """

    def __init__(
        self,
        store: Store,
        spool: Spool,
        *,
        most: int = 10_000,
        pauses_s: tuple[float, float] = (1.0, 30.0),
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._store = store
        self._spool = spool
        self._queue: Queue[Record] = Queue(most)
        self._pauses_s = pauses_s
        self._clock = clock
        self._lock = Lock()
        self._pending: OrderedDict[str, Record] = OrderedDict()
        self._fates: Counter[Fate] = Counter()
        self._waiting_in_spool = 0
        self._fault = ""
        self._pause_s = pauses_s[0]
        self._retry_at = clock()
        self._stop = Event()
        self._thread: Thread | None = None

    def start(self) -> None:
        """Begin to write; what waits in the spool from before is replayed."""
        self._waiting_in_spool = self._spool.count()
        self._thread = Thread(target=self._run, name="rigwise-writer", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Write what waits, to the database or, where that takes too long, to the spool; and end."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(_DRAIN_S)
        with self._lock:
            left = list(self._pending.values())
        if left:  # what the database takes all the same is known when it is replayed
            self._put_aside(left, "spooled", self._spool.append)

    def put(self, record: Record) -> bool:
        """Take a record, without waiting; False when the queue is full, and the record is dropped."""
        with self._lock:
            self._pending[record.id] = record
        try:
            self._queue.put_nowait(record)
        except Full:
            self._end("dropped", [record])
            _log.error("store.dropped", reason="queue_full", rows=1)
            return False
        return True

    def pending(self, record_id: str) -> Record | None:
        """A record that is still in the queue."""
        with self._lock:
            return self._pending.get(record_id)

    def fates(self) -> Mapping[Fate, int]:
        """What became of how many records, since the start."""
        with self._lock:
            return dict(self._fates)

    def waiting(self) -> tuple[int, int]:
        """How many records are yet to be written, those at hand among them, and how many lie in the spool."""
        with self._lock:
            return len(self._pending), self._waiting_in_spool

    def fault(self) -> str:
        """What is wrong with the store; empty: nothing."""
        waiting = self._waiting_in_spool
        return f"{self._fault}; {waiting} rows wait in the spool" if self._fault else ""

    def _run(self) -> None:
        self._catch_up()
        while not self._stop.is_set():
            self._turn(_LOOK_S)
        while not self._queue.empty():
            self._turn(0)

    def _turn(self, wait_s: float) -> None:
        batch = self._take(wait_s)
        if batch:
            self._keep_or_tell(batch)
        if not self._stop.is_set() and self._clock() >= self._retry_at:
            self._catch_up()

    def _take(self, wait_s: float) -> list[Record]:
        batch: list[Record] = []
        try:
            batch.append(self._queue.get(timeout=wait_s) if wait_s else self._queue.get_nowait())
            while len(batch) < _BATCH:
                batch.append(self._queue.get_nowait())
        except Empty:
            pass
        return batch

    def _keep_or_tell(self, batch: list[Record]) -> None:
        """Whatever happens the thread goes on, and what was lost by it is counted."""
        try:
            self._keep(batch)
        except Exception:  # noqa: BLE001  # else the thread would end, and all rows after this one
            _log.exception("store.dropped", reason="internal_error", rows=len(batch))
            self._end("dropped", batch)

    def _keep(self, batch: list[Record]) -> None:
        """Into the database; while it is away, into the spool."""
        if not self._fault:
            try:
                self._write(batch, "stored")
            except StoreError as error:
                self._away(error)
            else:
                return
        self._put_aside(batch, "spooled", self._spool.append)

    def _write(self, records: list[Record], fate: Fate) -> None:
        """Store records, those that are refused one by one to find the one at fault.

        Raises:
            StoreError: the database is away.
        """
        self._store.prepare()
        try:
            new = self._store.ledger.write(records)
        except StoreRefused as error:
            if len(records) == 1:
                _log.error("store.refused", id=records[0].id, reason=str(error))
                self._put_aside(records, "refused", self._spool.refuse)
                return
            for record in records:
                self._write([record], fate)
            return
        self._end(fate, records, known=len(records) - new)

    def _catch_up(self) -> None:
        """Look whether the database is back, and replay the oldest file of the spool."""
        if self._store.prepared and not self._fault and not self._waiting_in_spool:
            return
        try:
            self._store.prepare()
            with self._spool.oldest() as records:
                for start in range(0, len(records), _BATCH):
                    self._write(records[start : start + _BATCH], "replayed")
                more = bool(records)
        except StoreError as error:
            self._away(error)
            return
        except OSError as error:
            _log.error("store.spool_unreadable", reason=str(error))
            self._retry_at = self._clock() + self._pauses_s[1]
            return
        self._waiting_in_spool = max(0, self._waiting_in_spool - len(records)) if more else 0
        self._pause_s = self._pauses_s[0]
        if self._fault:
            self._fault = ""
            _log.info("store.back", waiting=self._waiting_in_spool)

    def _away(self, error: StoreError) -> None:
        if not self._fault:
            _log.warning("store.away", code=error.code, reason=str(error))
        self._fault = str(error)
        self._retry_at = self._clock() + self._pause_s
        self._pause_s = min(2 * self._pause_s, self._pauses_s[1])

    def _put_aside(
        self, records: list[Record], fate: Fate, put: Callable[[Sequence[Record]], None]
    ) -> None:
        try:
            put(records)
        except OSError as error:
            _log.error("store.dropped", reason=str(error), rows=len(records))
            self._end("dropped", records)
            return
        if fate == "spooled":
            self._waiting_in_spool += len(records)
        self._end(fate, records)

    def _end(self, fate: Fate, records: list[Record], *, known: int = 0) -> None:
        with self._lock:
            self._fates[fate] += len(records) - known
            if known:
                self._fates["known"] += known
            for record in records:
                self._pending.pop(record.id, None)
