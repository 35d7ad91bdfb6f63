"""The findings of `rigwise slack doctor`: each part between Slack and the bot, and what to do about it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.signature import SignatureVerifier
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from rigwise.doctor import Finding
from rigwise.keeping import sql_of
from service.settings import ServiceSettings
from service.slack.needs import EVENTS, SCOPES
from service.store.errors import StoreError

_SKEW_S: Final = 60.0  # Slack signs with its time, and five minutes are the most that is taken
_WAIT_S: Final = 10.0
_REMEDIES: Final[Mapping[str, str]] = {
    "invalid_auth": "copy the token anew: xoxb-… from OAuth & Permissions, xapp-… from Basic Information",
    "not_authed": "set the token",
    "account_inactive": "the app was removed from the workspace: install it again",
    "token_revoked": "the token was revoked: install the app again",
    "missing_scope": "give the token the scope that is named, and install the app again",
    "not_allowed_token_type": "an app token begins with xapp- and has the scope connections:write",
}


async def slack_findings(settings: ServiceSettings) -> list[Finding]:
    """All findings, in the order of the set-up."""
    if not settings.slack_wanted:
        remedy = "set RIGWISE_SLACK_BOT_TOKEN; docs/slack.md leads through it"
        return [Finding(part="bot", state="bad", found="not switched on", remedy=remedy)]
    found = [each async for each in _bot(settings)]
    found.append(await _socket(settings))
    found.append(await _reachable(settings, lambda: datetime.now(UTC)))
    found.append(_events(settings))
    return found


async def _bot(settings: ServiceSettings) -> AsyncIterator[Finding]:
    """Token, scopes and clock, all from one call."""
    token = settings.slack_bot_token.get_secret_value()
    if not token:
        yield _ok("bot token", "none: each workspace has its own, by installation")
        return
    client = AsyncWebClient(token=token, base_url=settings.slack_api_url)
    try:
        reply = await client.auth_test()
    except (SlackApiError, aiohttp.ClientError, TimeoutError, OSError) as error:
        yield _failed("bot token", error)
        return
    yield _ok("bot token", f"{reply.get('user', reply['user_id'])} in {reply.get('team', reply['team_id'])}")  # fmt: skip
    yield _scopes(reply)
    yield check_clock(str(reply.headers.get("Date", "")), datetime.now(UTC))


def _scopes(reply: AsyncSlackResponse) -> Finding:
    granted = {each.strip() for each in str(reply.headers.get("x-oauth-scopes", "")).split(",")}
    missing = sorted(set(SCOPES) - granted)
    if not missing:
        return _ok("scopes", f"all {len(SCOPES)} are granted")
    remedy = (
        "add them under OAuth & Permissions, or paste deploy/slack-manifest.yaml; then reinstall"
    )
    return Finding(
        part="scopes", state="bad", found=f"missing: {', '.join(missing)}", remedy=remedy
    )


def check_clock(date: str, now: datetime) -> Finding:
    """Compare this machine's clock with Slack's, from the header `Date`."""
    try:
        skew_s = abs((now - parsedate_to_datetime(date)).total_seconds())
    except ValueError:
        return Finding(part="clock", state="note", found="Slack told no time")
    if skew_s <= _SKEW_S:
        return _ok("clock", f"within {skew_s:.0f} s of Slack's")
    remedy = "set the clock (NTP); what Slack signs is refused when it is five minutes off"
    return Finding(part="clock", state="bad", found=f"{skew_s:.0f} s off Slack's", remedy=remedy)


async def _socket(settings: ServiceSettings) -> Finding:
    """Whether a socket can be opened and Slack greets on it."""
    token = settings.slack_app_token.get_secret_value()
    if not token:
        return _ok("socket", "not used: no RIGWISE_SLACK_APP_TOKEN")
    client = AsyncWebClient(base_url=settings.slack_api_url)
    try:
        opened = await client.apps_connections_open(app_token=token)
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_WAIT_S)) as session,
            session.ws_connect(opened["url"]) as socket,
        ):
            greeting = json.loads(await socket.receive_str())
    except (SlackApiError, aiohttp.ClientError, TimeoutError, OSError, TypeError) as error:
        return _failed("socket", error)
    number = greeting.get("num_connections", "?")
    return _ok("socket", f"Slack says {greeting.get('type')}, connections now: {number}")


async def _reachable(settings: ServiceSettings, now: Callable[[], datetime]) -> Finding:
    """Whether the address for events answers a challenge that is signed as Slack signs it."""
    secret = settings.slack_signing_secret.get_secret_value()
    if not secret:
        return _ok("events address", "not used: no RIGWISE_SLACK_SIGNING_SECRET")
    if settings.public_url is None:
        remedy = "set RIGWISE_PUBLIC_URL to the address that Slack reaches"
        return Finding(part="events address", state="bad", found="not known", remedy=remedy)
    url = f"{settings.public_url.rstrip('/')}/slack/events"
    body = json.dumps({"type": "url_verification", "challenge": "rigwise", "token": ""})
    at = str(int(now().timestamp()))
    signature = SignatureVerifier(secret).generate_signature(timestamp=at, body=body)
    headers = {
        "Content-Type": "application/json",
        "X-Slack-Request-Timestamp": at,
        "X-Slack-Signature": str(signature),
    }
    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_WAIT_S)) as session,
            session.post(url, data=body, headers=headers) as reply,
        ):
            text = await reply.text()
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        return _failed("events address", error)
    if reply.status == 200 and "rigwise" in text:
        return _ok("events address", f"{url} answers")
    remedy = "run `rigwise serve` there with the same RIGWISE_SLACK_SIGNING_SECRET"
    found = f"{url} answers {reply.status}"
    return Finding(part="events address", state="bad", found=found, remedy=remedy)


def _events(settings: ServiceSettings) -> Finding:
    """Whether anything has come; Slack tells nobody what an app is subscribed to."""
    store = sql_of(settings)
    try:
        store.prepare()
        counts = store.inbox.counts()
    except StoreError as error:
        remedy = "look at RIGWISE_STORE_URL; nothing is acknowledged before it is back"
        return Finding(part="events", state="bad", found=str(error), remedy=remedy)
    finally:
        store.close()
    if counts:
        told = ", ".join(f"{number} {state}" for state, number in sorted(counts.items()))
        return _ok("events", told)
    names = ", ".join(EVENTS)
    remedy = f"mention the bot; if nothing comes, look whether Event Subscriptions has {names}"
    return Finding(part="events", state="note", found="none has come yet", remedy=remedy)


def _failed(part: str, error: Exception) -> Finding:
    reason = ""
    if isinstance(error, SlackApiError) and isinstance(error.response.data, dict):
        reason = str(error.response.data.get("error", ""))
    remedy = _REMEDIES.get(reason, "look whether this machine reaches Slack (proxy, firewall, DNS)")
    found = reason or f"{type(error).__name__} {error}".strip()
    return Finding(part=part, state="bad", found=found, remedy=remedy)


def _ok(part: str, found: str) -> Finding:
    return Finding(part=part, state="ok", found=found)
