"""The workspaces of Slack that installed the app, with their tokens encrypted, and the settings of their channels."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Row, delete, select

from service.store.database import Database
from service.store.errors import NoStoreKey
from service.store.tables import slack_installations, slack_settings
from service.store.types import Installation

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

_REMEDY = (
    "set RIGWISE_STORE_KEY; make a key with `python -c 'from cryptography.fernet import Fernet; "
    "print(Fernet.generate_key().decode())'`"
)


class Installations:
    """Who installed the app. Tokens are encrypted with the first of `keys` and read with any of them."""

    def __init__(self, database: Database, *, keys: tuple[str, ...]) -> None:
        self._database = database
        self._keys = keys

    def save(self, installation: Installation) -> None:
        """Store an installation; another one of the same workspace is replaced.

        Raises:
            NoStoreKey: no key is set, or it is none.
        """
        sealed = self._seal().encrypt(json.dumps(dict(installation.secrets)).encode())
        row = {
            "enterprise": installation.enterprise,
            "team": installation.team,
            "installed_at": installation.installed_at,
            "sealed": sealed.decode(),
        }
        with self._database.begin() as connection:
            self._database.upsert(connection, slack_installations, row)

    def find(self, *, enterprise: str, team: str) -> Installation | None:
        """The installation of a workspace.

        Raises:
            NoStoreKey: the key is missing, or another one than it was stored with.
        """
        wanted = _workspace(enterprise, team)
        with self._database.begin() as connection:
            row = connection.execute(select(slack_installations).where(*wanted)).first()
        return self._opened(row) if row is not None else None

    def delete(self, *, enterprise: str, team: str) -> bool:
        """Forget a workspace; False when it is not there."""
        statement = delete(slack_installations).where(*_workspace(enterprise, team))
        with self._database.begin() as connection:
            return connection.execute(statement).rowcount == 1

    def _opened(self, row: Row[Any]) -> Installation:
        from cryptography.fernet import InvalidToken

        try:
            plain = self._seal().decrypt(row.sealed.encode())
        except InvalidToken as error:
            raise NoStoreKey(
                "RIGWISE_STORE_KEY is not the key that the tokens were stored with"
            ) from error
        return Installation(
            enterprise=row.enterprise,
            team=row.team,
            installed_at=row.installed_at,
            secrets=json.loads(plain),
        )

    def _seal(self) -> MultiFernet:
        if not self._keys:
            raise NoStoreKey(f"tokens are stored encrypted; {_REMEDY}")
        try:
            from cryptography.fernet import Fernet, MultiFernet

            return MultiFernet([Fernet(key) for key in self._keys])
        except ImportError as error:
            raise NoStoreKey("tokens need a library: pip install 'rigwise[slack]'") from error
        except ValueError as error:
            raise NoStoreKey(f"RIGWISE_STORE_KEY is no key; {_REMEDY}") from error


class ChannelSettings:
    """Settings by channel, as plain JSON; an empty channel holds those of the whole workspace."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, *, team: str, channel: str = "") -> dict[str, Any]:
        """The settings; empty when none were made."""
        wanted = (slack_settings.c.team == team, slack_settings.c.channel == channel)
        with self._database.begin() as connection:
            row = connection.execute(select(slack_settings.c.settings).where(*wanted)).first()
        return dict(row.settings) if row is not None else {}

    def put(
        self, settings: Mapping[str, Any], *, team: str, channel: str = "", now: datetime
    ) -> None:
        """Replace the settings."""
        row = {"team": team, "channel": channel, "changed_at": now, "settings": dict(settings)}
        with self._database.begin() as connection:
            self._database.upsert(connection, slack_settings, row)


def _workspace(enterprise: str, team: str) -> tuple[Any, Any]:
    columns = slack_installations.c
    return columns.enterprise == enterprise, columns.team == team
