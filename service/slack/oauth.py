"""Installation in several workspaces: Bolt leads through it, the tokens go into our store, encrypted."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Final

from slack_bolt.adapter.starlette.async_handler import to_async_bolt_request, to_starlette_response
from slack_bolt.error import BoltError
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_sdk.oauth.installation_store import Installation as Granted
from slack_sdk.oauth.installation_store.async_installation_store import AsyncInstallationStore
from slack_sdk.oauth.state_store.stateless import StatelessOAuthStateStore
from slack_sdk.web.async_client import AsyncWebClient
from starlette.requests import Request
from starlette.responses import Response

from service.slack.needs import SCOPES
from service.store.errors import StoreError
from service.store.types import Installation
from service.store.workspaces import Installations

REDIRECT_PATH: Final = "/slack/oauth_redirect"
_STATE_S: Final = 300


class StoredInstallations(AsyncInstallationStore):
    """Keeps what Bolt was granted."""

    def __init__(self, installations: Installations) -> None:
        self._installations = installations

    async def async_save(self, installation: Granted) -> None:
        """Store the token of a workspace, in place of an earlier one.

        Raises:
            BoltError: it cannot be stored; Bolt shows a page that says so.
        """
        made = Installation(
            enterprise=installation.enterprise_id or "",
            team="" if installation.is_enterprise_install else installation.team_id or "",
            installed_at=datetime.now(UTC),
            secrets={"bot_token": installation.bot_token or ""},
        )
        try:
            await asyncio.to_thread(self._installations.save, made)
        except StoreError as error:
            raise BoltError(str(error)) from error


class Installing:
    """The two pages of an installation."""

    def __init__(self, flow: AsyncOAuthFlow) -> None:
        self._flow = flow

    async def begin(self, request: Request) -> Response:
        """Lead somebody who installs the app to Slack."""
        reply = await self._flow.handle_installation(to_async_bolt_request(request, b""))
        return to_starlette_response(reply)

    async def end(self, request: Request) -> Response:
        """Take what Slack granted, when the same browser began it."""
        reply = await self._flow.handle_callback(to_async_bolt_request(request, b""))
        return to_starlette_response(reply)


def oauth_flow(
    installations: Installations, *, client_id: str, client_secret: str, public_url: str, api_url: str
) -> AsyncOAuthFlow:  # fmt: skip
    """The flow. Its state is signed, ends after five minutes, and is bound to the browser by a cookie."""
    settings = AsyncOAuthSettings(
        client_id=client_id,
        client_secret=client_secret,
        scopes=SCOPES,
        user_scopes=(),
        redirect_uri=f"{public_url}{REDIRECT_PATH}",
        install_page_rendering_enabled=False,
        installation_store=StoredInstallations(installations),
        state_store=StatelessOAuthStateStore(
            expiration_seconds=_STATE_S, signing_secret=client_secret
        ),
        state_expiration_seconds=_STATE_S,
    )
    return AsyncOAuthFlow(client=AsyncWebClient(base_url=api_url), settings=settings)
