"""The workspaces that the bot serves: one by its token in the settings, or several by their installations."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from slack_bolt.authorization import AuthorizeResult
from slack_sdk.web.async_client import AsyncWebClient

from service.slack.errors import NoWorkspace
from service.slack.pace import Api
from service.store.types import Installation
from service.store.workspaces import Installations


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """A workspace with a client that has its token, and who we are there."""

    client: AsyncWebClient
    bot_user: str
    bot_id: str


class Workspaces:
    """Finds the client of a workspace. A token in the settings serves every one that asks."""

    def __init__(
        self,
        api: Api,
        *,
        api_url: str,
        token: str = "",
        installations: Installations | None = None,
    ) -> None:
        self._api = api
        self._api_url = api_url
        self._token = token
        self._installations = installations
        self._known: dict[tuple[str, str], Workspace] = {}

    async def of(self, team: str, enterprise: str = "") -> Workspace:
        """The workspace.

        Raises:
            NoWorkspace: no token is known for it.
            SlackRefused: its token does not hold.
        """
        key = ("", "") if self._token else (enterprise, team)
        if key not in self._known:
            token = self._token or await asyncio.to_thread(self._stored, enterprise, team)
            client = AsyncWebClient(token=token, base_url=self._api_url)
            who = await self._api.call(client, "auth.test")
            self._known[key] = Workspace(
                client=client, bot_user=who["user_id"], bot_id=who.get("bot_id", "")
            )
        return self._known[key]

    async def forget(self, team: str, enterprise: str = "") -> None:
        """The app was removed from a workspace: its token is deleted."""
        self._known.pop((enterprise, team), None)
        if self._installations is not None and not self._token:
            await asyncio.to_thread(self._installations.delete, enterprise=enterprise, team=team)

    def _stored(self, enterprise: str, team: str) -> str:
        """The token of a workspace, or of the organisation that installed the app as a whole."""
        found: Installation | None = None
        if self._installations is not None:
            found = self._installations.find(enterprise=enterprise, team=team)
            if found is None and enterprise:
                found = self._installations.find(enterprise=enterprise, team="")
        token = str(found.secrets.get("bot_token", "")) if found is not None else ""
        if not token:
            raise NoWorkspace(team)
        return token


def authorizer(workspaces: Workspaces) -> Callable[..., Awaitable[AuthorizeResult]]:
    """The same for Bolt, which looks at the names of the arguments and takes no methods."""

    async def authorize(enterprise_id: str | None, team_id: str | None) -> AuthorizeResult:
        found = await workspaces.of(team_id or "", enterprise_id or "")
        return AuthorizeResult(
            enterprise_id=enterprise_id,
            team_id=team_id,
            bot_token=found.client.token,
            bot_id=found.bot_id,
            bot_user_id=found.bot_user,
        )

    return authorize
