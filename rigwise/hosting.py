"""The HTTP application of the settings: a state that loads itself, limits, key."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from fastapi import FastAPI

from rigwise.host import Host
from rigwise.keeping import keeper_of
from service.access import Gate
from service.http.app import Equipment, HttpLimits, create_app
from service.http.errors import SlackMissing
from service.http.state import ServiceState
from service.settings import ServiceSettings
from service.store.keeper import Keeper

if TYPE_CHECKING:
    from service.http.mcp_door import McpDoor
    from service.slack.door import SlackDoor

ROOM_GIB: Final = 1.0
_GIB: Final = 2**30


class HostedState(ServiceState):
    """A state that loads, follows and rebuilds the index of a host, and closes it when it is stopped."""

    def __init__(self, host: Host, *, refresh_s: float) -> None:
        super().__init__(host.load, refresh=host.refresh, refresh_s=refresh_s)
        self.host = host

    def stop(self) -> None:
        """End following, watching and building; what is loaded stays."""
        super().stop()
        self.host.close()


def state_of(settings: ServiceSettings) -> HostedState:
    """A state that loads model and index when it is started, and then follows new generations."""
    return HostedState(Host(settings), refresh_s=settings.refresh_s)


def application(settings: ServiceSettings, state: ServiceState) -> FastAPI:
    """The HTTP application with the limits and the key of the settings.

    Raises:
        UnsafeBinding: the host is not loopback and no key is set.
        BadStoreUrl: the address of the store cannot be used.
        OidcUnavailable: tokens of an issuer are to be taken, and the extra `oidc` is not installed.
        SlackMissing: the bot is switched on, and the extra `slack` is not installed.
    """
    settings.check_binding()
    key = settings.api_key.get_secret_value() if settings.api_key is not None else None
    limits = HttpLimits(
        max_concurrent_answers=settings.max_concurrent_answers,
        max_queued_answers=settings.max_queued_answers,
        answer_timeout_s=settings.answer_timeout_s,
        max_question_chars=settings.max_question_chars,
        max_body_bytes=settings.max_body_bytes,
        body_timeout_s=settings.body_timeout_s,
        conversation_keep_s=settings.conversation_keep_s,
        heartbeat_s=settings.heartbeat_s,
        rate_per_address=settings.rate_per_address,
        rate_per_key=settings.rate_per_key,
        rate_store=settings.rate_store.get_secret_value(),
    )
    keeper = keeper_of(settings)
    host = state.host if isinstance(state, HostedState) else None
    slack = slack_of(settings, keeper)
    parts = {"disk": lambda: disk_fault(settings.index_root), "store": keeper.writer.fault}
    equipment = Equipment(
        managed=host.managed if host is not None else None,
        traces=host.traces if host is not None else None,
        keeper=keeper,
        gates=_gates(settings, keeper),
        parts=parts if slack is None else {**parts, "slack": slack.fault},
        public_url=address_of(settings),
        mcp=mcp_of(settings),
        slack=slack,
    )
    return create_app(state, limits=limits, api_key=key, equipment=equipment)


def address_of(settings: ServiceSettings) -> str:
    """The address that links to this service begin with."""
    if settings.public_url is not None:
        return settings.public_url
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{settings.port}"


def _gates(settings: ServiceSettings, keeper: Keeper) -> list[Gate]:
    """Those who know a token, beside the key of the settings."""
    gates: list[Gate] = [keeper.keyring] if settings.wants_key else []
    if settings.oidc_issuer is not None:
        from service.oidc import OidcGate, OidcOptions

        options = OidcOptions(
            issuer=settings.oidc_issuer,
            audience=settings.oidc_audience,
            jwks_url=settings.oidc_jwks_url,
            claim=settings.oidc_scope_claim,
            prefix=settings.oidc_scope_prefix,
        )
        gates.append(OidcGate(options))
    return gates


def mcp_of(settings: ServiceSettings) -> McpDoor | None:
    """The door of the Model Context Protocol; None where the extra `mcp` is not installed.

    It takes requests for this machine's own names, the host that is listened on and that of the public address.
    """
    if find_spec("mcp") is None:
        return None
    from service.http.mcp_door import McpDoor

    public = urlsplit(address_of(settings))
    listened = f"[{settings.host}]" if ":" in settings.host else settings.host
    names = {"127.0.0.1", "localhost", "[::1]", listened, public.netloc}
    if public.hostname is not None and ":" not in public.hostname:
        names.add(public.hostname)
    local = [f"http://{name}:{settings.port}" for name in ("127.0.0.1", "localhost", "[::1]")]
    return McpDoor(
        hosts=[*names, *(f"{name}:*" for name in names)],
        origins=[f"{public.scheme}://{public.netloc}", *local],
    )


def slack_of(settings: ServiceSettings, keeper: Keeper) -> SlackDoor | None:
    """The bot in Slack; None where it is not switched on.

    Raises:
        SlackMissing: the extra `slack` is not installed.
    """
    if not settings.slack_wanted:
        return None
    if find_spec("slack_bolt") is None:
        raise SlackMissing("RIGWISE_SLACK_BOT_TOKEN")
    from service.slack.assembly import BotOptions
    from service.slack.clerk import ClerkOptions
    from service.slack.door import DoorOptions, SlackDoor

    bot = BotOptions(
        api_url=settings.slack_api_url,
        bot_token=settings.slack_bot_token.get_secret_value(),
        signing_secret=settings.slack_signing_secret.get_secret_value(),
        digest_channel=settings.slack_digest_channel,
        clerk=ClerkOptions(links=(settings.public_url or "").rstrip("/")),
    )
    options = DoorOptions(
        bot=bot,
        app_token=settings.slack_app_token.get_secret_value(),
        client_id=settings.slack_client_id,
        client_secret=settings.slack_client_secret.get_secret_value(),
        collections=settings.slack_sees,
        public_url=address_of(settings),
    )
    return SlackDoor(keeper, options)


def disk_fault(folder: Path) -> str:
    """What is wrong with the room for another generation; empty: nothing."""
    place = next(above for above in (folder, *folder.resolve().parents) if above.is_dir())
    free_gib = shutil.disk_usage(place).free / _GIB
    return (
        "" if free_gib >= ROOM_GIB else f"{free_gib:.1f} GiB free; a build needs {ROOM_GIB:g} GiB"
    )
