"""The keys of the store in the memory of a serving process: no request waits for the database to be let in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from threading import Event, Thread
from typing import Final

import structlog

from service.access import Caller
from service.store.errors import StoreError, StoreUnavailable
from service.store.keys import digest_of
from service.store.store import Store
from service.store.types import ApiKey

_NOTE_EVERY: Final = 30
_log = structlog.get_logger()


class Keyring:
    """A gate that reads all keys every `refresh_s` seconds, so that long a revoked key may live on.

    While the database is away the keys that were read last stay good; their expiry still counts.
    """

    def __init__(
        self, store: Store, *, now: Callable[[], datetime], refresh_s: float = 2.0
    ) -> None:
        self._store = store
        self._now = now
        self._refresh_s = refresh_s
        self._keys: Mapping[str, ApiKey] | None = None
        self._used: dict[str, datetime] = {}
        self._stop = Event()
        self._thread: Thread | None = None

    def start(self) -> None:
        """Begin to read keys."""
        self._thread = Thread(target=self._follow, name="rigwise-keyring", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Note when keys were used last, and end."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(self._refresh_s + 1)

    async def caller(self, token: str) -> Caller | None:
        """Whose key it is; None for one that is unknown, was revoked or has expired.

        Raises:
            StoreUnavailable: the keys have not been read yet.
        """
        if self._keys is None:
            raise StoreUnavailable("its keys have not been read yet")
        key = self._keys.get(digest_of(token))
        now = self._now()
        if key is None or not key.lives(now):
            return None
        self._used[key.id] = now
        return Caller(name=key.name, scopes=key.scopes, collections=key.collections)

    def _follow(self) -> None:
        turn = 0
        while not self._stop.is_set():
            self._refresh()
            turn += 1
            if turn % _NOTE_EVERY == 0:
                self._note()
            self._stop.wait(self._refresh_s)
        self._note()

    def _refresh(self) -> None:
        try:
            self._store.prepare()
            self._keys = self._store.keys.by_digest()
        except StoreError as error:
            _log.warning("keys.not_read", code=error.code)

    def _note(self) -> None:
        used, self._used = self._used, {}
        if not used:
            return
        try:
            self._store.keys.used(used)
        except StoreError as error:
            self._used = used | self._used
            _log.warning("keys.use_not_noted", code=error.code)
