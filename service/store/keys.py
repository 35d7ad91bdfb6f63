"""Keys of the API: shown once when they are made, kept as digests, ended by date or by hand."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, insert, or_, select, update

from service.access import SCOPES
from service.store.database import Database
from service.store.errors import BadKey, KeyNotFound
from service.store.tables import api_keys
from service.store.types import ApiKey

ADMIN: Final = "admin"
EVERY: Final = "*"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_PREFIX: Final = "rgw_"
_BYTES: Final = 32


def digest_of(secret: str) -> str:
    """What is kept of a key. It holds 256 random bits, so a fast digest gives nothing to guess at."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


class ApiKeys:
    """Every call is a transaction of its own. Each raises StoreUnavailable when the database is away."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(
        self,
        name: str,
        scopes: Collection[str],
        *,
        now: datetime,
        expires_at: datetime | None = None,
        collections: Collection[str] = (),
    ) -> str:
        """Make a key; the secret, which is nowhere else. `collections` with `*` are all.

        Raises:
            BadKey: the name cannot be used or is taken (also by a key that was revoked), a scope is unknown or none is given, or it would
                have expired already.
        """
        _check(name, scopes, now=now, expires_at=expires_at)
        secret = _new_secret()
        row = {
            "id": secrets.token_hex(8),
            "name": name,
            "digest": digest_of(secret),
            "scopes": sorted(scopes),
            "collections": sorted(set(collections)),
            "created_at": now,
            "expires_at": expires_at,
        }
        with self._database.begin() as connection:
            if _named(connection, name) is not None:
                raise BadKey(f"there is a key {name!r} already; take another name, or rotate it")
            connection.execute(insert(api_keys).values(row))
        return secret

    def rotate(self, name: str, *, now: datetime) -> str:
        """Replace the secret of a key; the old one ends. Scopes and expiry stay.

        Raises:
            KeyNotFound: no such key.
            BadKey: it was revoked, or has expired.
        """
        secret = _new_secret()
        with self._database.begin() as connection:
            key = _found(connection, name)
            if not key.lives(now):
                raise BadKey(f"the key {name!r} was revoked or has expired; create another one")
            changed = {"digest": digest_of(secret), "created_at": now, "used_at": None}
            connection.execute(update(api_keys).where(api_keys.c.name == name).values(changed))
        return secret

    def revoke(self, name: str, *, now: datetime) -> None:
        """End a key. Doing it again does no harm.

        Raises:
            KeyNotFound: no such key.
        """
        ending = update(api_keys).where(api_keys.c.name == name, api_keys.c.revoked_at.is_(None))
        with self._database.begin() as connection:
            _found(connection, name)
            connection.execute(ending.values(revoked_at=now))

    def all(self) -> list[ApiKey]:
        """Every key, also those that have ended, by name."""
        with self._database.begin() as connection:
            rows = connection.execute(select(api_keys).order_by(api_keys.c.name)).all()
        return [_key(row) for row in rows]

    def by_digest(self) -> dict[str, ApiKey]:
        """The keys that were not revoked, by the digests of their secrets."""
        wanted = select(api_keys).where(api_keys.c.revoked_at.is_(None))
        with self._database.begin() as connection:
            return {row.digest: _key(row) for row in connection.execute(wanted)}

    def used(self, moments: Mapping[str, datetime]) -> None:
        """Note by their ids when keys were used last."""
        with self._database.begin() as connection:
            for key_id, moment in moments.items():
                older = or_(api_keys.c.used_at.is_(None), api_keys.c.used_at < moment)
                noting = update(api_keys).where(api_keys.c.id == key_id, older)
                connection.execute(noting.values(used_at=moment))


def _check(
    name: str, scopes: Collection[str], *, now: datetime, expires_at: datetime | None
) -> None:
    if not _NAME.fullmatch(name) or name == ADMIN:
        raise BadKey(
            f"{name!r} cannot be the name of a key; take letters, digits, `.`, `_`, `-`, and not `{ADMIN}`"
        )
    if not scopes or not set(scopes) <= set(SCOPES):
        raise BadKey(f"the scopes of a key are one or more of {', '.join(SCOPES)}")
    if expires_at is not None and expires_at <= now:
        raise BadKey(f"the key would have expired at {expires_at.isoformat()}; take a later time")


def _new_secret() -> str:
    return _PREFIX + secrets.token_urlsafe(_BYTES)


def _named(connection: Connection, name: str) -> Row[Any] | None:
    return connection.execute(select(api_keys).where(api_keys.c.name == name)).first()


def _found(connection: Connection, name: str) -> ApiKey:
    row = _named(connection, name)
    if row is None:
        raise KeyNotFound(name)
    return _key(row)


def _key(row: Row[Any]) -> ApiKey:
    return ApiKey(
        id=row.id,
        name=row.name,
        scopes=frozenset(row.scopes),
        collections=None if EVERY in row.collections else frozenset(row.collections),
        created_at=row.created_at,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
        used_at=row.used_at,
    )
