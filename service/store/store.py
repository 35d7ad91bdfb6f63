"""The store as a whole: opened at start, brought to its form when its database is there, closed at the end."""

from __future__ import annotations

from threading import Lock

from service.store.database import Database
from service.store.inbox import Inbox
from service.store.keys import ApiKeys
from service.store.ledger import Ledger
from service.store.migrate import migrate
from service.store.workspaces import ChannelSettings, Installations


class Store:
    """The parts of the store over one database. Calls come from several threads at once.

    Opening does not connect: a service starts, and answers, while its database is away.

    Raises:
        BadStoreUrl: the address names no database that Rigwise knows, or its driver is missing.
    """

    def __init__(self, url: str, *, keys: tuple[str, ...] = ()) -> None:
        self.database = Database(url)
        self.ledger = Ledger(self.database)
        self.inbox = Inbox(self.database)
        self.keys = ApiKeys(self.database)
        self.installations = Installations(self.database, keys=keys)
        self.channels = ChannelSettings(self.database)
        self._prepared = False
        self._lock = Lock()

    @property
    def prepared(self) -> bool:
        """Whether the migrations have run."""
        return self._prepared

    def prepare(self) -> None:
        """Run the migrations, once; after a failure the next call tries again.

        Raises:
            StoreUnavailable: the database cannot be reached.
            StoreTooNew: a newer version has changed it.
        """
        with self._lock:
            if not self._prepared:
                migrate(self.database)
                self._prepared = True

    def close(self) -> None:
        """End all connections."""
        self.database.close()
