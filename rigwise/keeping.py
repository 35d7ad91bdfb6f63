"""The store of the settings."""

from __future__ import annotations

from service.settings import ServiceSettings
from service.store.keeper import Keeper, KeepOptions
from service.store.spool import Spool
from service.store.store import Store


def sql_of(settings: ServiceSettings) -> Store:
    """The store, not yet connected.

    Raises:
        BadStoreUrl: its address cannot be used.
    """
    return Store(settings.store_address, keys=settings.store_keys)


def spool_of(settings: ServiceSettings) -> Spool:
    """Where rows wait while the database is away: beside the index."""
    root = settings.index_root.resolve()
    return Spool(root.with_name(f"{root.name}-spool"))


def keeper_of(settings: ServiceSettings) -> Keeper:
    """What keeps answers and feedback.

    Raises:
        BadStoreUrl: the address of the store cannot be used.
    """
    options = KeepOptions(
        texts=settings.store_texts,
        days=settings.keep_days,
        conversation_s=settings.conversation_keep_s,
        keys=settings.wants_key,
    )
    return Keeper(sql_of(settings), spool_of(settings), options)
