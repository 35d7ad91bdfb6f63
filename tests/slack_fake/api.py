"""The Web API of a Slack that runs here: it keeps messages and refuses what the real one refuses.

Sources: docs.slack.dev (each method's page and "Rate limits"), slackapi/python-slack-sdk#1859 (streams end),
slackapi/bolt-js#2509 and seratch/ChatGPT-in-Slack#102 (lengths).
"""

from __future__ import annotations

import itertools
import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from aiohttp import web

from tests.slack_fake.limits import faults, units

BOT_USER, BOT_ID, TEAM = "UBOT", "BBOT", "T1"
TOKEN, APP_TOKEN, SECRET = "xoxb-test", "xapp-test", "signing-secret"
CODE = "granted"  # what Slack hands to the browser of who installs
TEXT_UNITS = 4000  # chat.update: msg_too_long; chat.postMessage is kept to the same
TRIGGER_S = (
    3.0  # docs.slack.dev/interactivity/handling-user-interaction: a trigger holds three seconds
)
RESPONSES = 5  # the same page: five uses of a response_url


class Refusal(Exception):
    """A reply with ok false."""


@dataclass
class Fake:
    """The state of the workspace, and what goes wrong in it."""

    stream_s: float = 300.0
    messages: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    private: list[dict[str, Any]] = field(default_factory=list)
    views: list[dict[str, Any]] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    calls: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    limited: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    failing: dict[str, str] = field(default_factory=dict)
    refusing: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    breaking: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    streams: dict[str, float] = field(default_factory=dict)
    triggers: dict[str, float] = field(default_factory=dict)
    admins: set[str] = field(default_factory=set)
    used: Counter[str] = field(default_factory=Counter)
    waits: list[str] = field(default_factory=list)
    prompts: list[Any] = field(default_factory=list)
    scopes: list[str] = field(default_factory=list)
    url: str = ""
    ticks: Any = field(default_factory=lambda: itertools.count(1))

    def ts(self) -> str:
        """A time stamp that no other message has."""
        return f"1765000000.{next(self.ticks):06d}"

    def trigger(self) -> str:
        """A trigger that holds from now on."""
        made = f"{next(self.ticks)}.1.abc"
        self.triggers[made] = monotonic()
        return made

    def replies(self, channel: str) -> list[dict[str, Any]]:
        """What the bot wrote into a channel."""
        return [each for each in self.messages[channel] if each.get("bot_id") == BOT_ID]

    async def handle(self, request: web.Request) -> web.Response:
        """One call of a method."""
        method = request.match_info["method"]
        self.calls[method] += 1
        if self.limited[method]:
            wait = self.limited[method].pop()
            body = {"ok": False, "error": "ratelimited"}
            return web.json_response(body, status=429, headers={"Retry-After": str(wait)})
        try:
            self._authorized(request, method)
            given = await _arguments(request)
            reply = getattr(self, f"_{method.replace('.', '_')}", _unknown)(given)
        except Refusal as refusal:
            self.refused[f"{method} {refusal}"] += 1
            return web.json_response({"ok": False, "error": str(refusal)})
        if self.breaking[method]:  # it was done, but nobody hears of it
            self.breaking[method] -= 1
            return web.Response(status=502, text="bad gateway")
        headers = {"x-oauth-scopes": ",".join(self.scopes)} if self.scopes else {}
        return web.json_response({"ok": True, **reply}, headers=headers)

    async def respond(self, request: web.Request) -> web.Response:
        """A message through a response_url."""
        key = request.match_info["key"]
        self.used[key] += 1
        if self.used[key] > RESPONSES or key.startswith("expired"):
            return web.Response(status=404, text="expired_url")
        body = await request.json()
        self._checked(body)
        self.private.append({"via": key, **body})
        return web.Response(text="ok")

    def _authorized(self, request: web.Request, method: str) -> None:
        wanted = APP_TOKEN if method == "apps.connections.open" else TOKEN
        if method == "oauth.v2.access":
            return
        if request.headers.get("Authorization") != f"Bearer {wanted}":
            raise Refusal("invalid_auth")
        if method in self.failing:
            raise Refusal(self.failing[method])
        if self.refusing[method]:
            raise Refusal(self.refusing[method].pop())

    def _checked(self, given: dict[str, Any]) -> None:
        if units(given.get("text", "")) > TEXT_UNITS:
            raise Refusal("msg_too_long")
        if not given.get("text") and not given.get("blocks"):
            raise Refusal("no_text")
        found = faults(given.get("blocks") or [])
        if found:
            raise Refusal("invalid_blocks")

    def _auth_test(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"user_id": BOT_USER, "bot_id": BOT_ID, "team_id": TEAM, "url": self.url}

    def _oauth_v2_access(self, given: dict[str, Any]) -> dict[str, Any]:
        if given.get("code") != CODE:
            raise Refusal("invalid_code")
        return {
            "access_token": TOKEN,
            "bot_user_id": BOT_USER,
            "team": {"id": TEAM},
            "app_id": "A1",
        }

    def _chat_postMessage(self, given: dict[str, Any]) -> dict[str, Any]:
        self._checked(given)
        ts = self.ts()
        self.messages[given["channel"]].append({**given, "ts": ts, "bot_id": BOT_ID})
        return {"ts": ts, "channel": given["channel"]}

    def _chat_update(self, given: dict[str, Any]) -> dict[str, Any]:
        self._checked(given)
        self._message(given).update(given)
        self.streams.pop(given["ts"], None)
        return {"ts": given["ts"]}

    def _chat_postEphemeral(self, given: dict[str, Any]) -> dict[str, Any]:
        self._checked(given)
        self.private.append(given)
        return {"message_ts": self.ts()}

    def _chat_startStream(self, given: dict[str, Any]) -> dict[str, Any]:
        if not given.get("thread_ts"):
            raise Refusal("invalid_arguments")
        if given["channel"].startswith("C") and not given.get("recipient_user_id"):
            raise Refusal("missing_recipient_user_id")
        ts = self.ts()
        place = {"channel": given["channel"], "thread_ts": given["thread_ts"], "ts": ts}
        text = given.get("markdown_text", "")
        self.messages[given["channel"]].append({**place, "text": text, "bot_id": BOT_ID})
        self.streams[ts] = monotonic()
        return {"ts": ts}

    def _chat_appendStream(self, given: dict[str, Any]) -> dict[str, Any]:
        self._streaming(given)["text"] += given["markdown_text"]
        return {"ts": given["ts"]}

    def _chat_stopStream(self, given: dict[str, Any]) -> dict[str, Any]:
        self._streaming(given)
        del self.streams[given["ts"]]
        return {"ts": given["ts"]}

    def _conversations_replies(self, given: dict[str, Any]) -> dict[str, Any]:
        def within(message: dict[str, Any]) -> bool:
            return given["ts"] in (message["ts"], message.get("thread_ts"))

        return self._found(given, within)

    def _conversations_history(self, given: dict[str, Any]) -> dict[str, Any]:
        return self._found(given, lambda message: not message.get("thread_ts"))

    def _found(self, given: dict[str, Any], wanted: Any) -> dict[str, Any]:
        """Messages, oldest first; metadata only when asked for."""
        found = [
            each
            for each in self.messages[given["channel"]]
            if wanted(each) and each["ts"] >= given.get("oldest", "0")
        ]
        hidden = () if given.get("include_all_metadata") == "true" else ("metadata",)
        shown = [{k: v for k, v in each.items() if k not in hidden} for each in found]
        limit = int(given.get("limit", 100))
        return {"messages": shown[:limit], "has_more": len(shown) > limit}

    def _conversations_open(self, given: dict[str, Any]) -> dict[str, Any]:
        return {"channel": {"id": f"D{given['users']}"}}

    def _views_open(self, given: dict[str, Any]) -> dict[str, Any]:
        begun = self.triggers.pop(given["trigger_id"], None)
        if begun is None:
            raise Refusal("invalid_trigger_id")
        if monotonic() - begun > TRIGGER_S:
            raise Refusal("expired_trigger_id")
        return self._viewed(given["view"], "modal")

    def _views_publish(self, given: dict[str, Any]) -> dict[str, Any]:
        return self._viewed(given["view"], "home")

    def _viewed(self, view: dict[str, Any], surface: str) -> dict[str, Any]:
        if faults(view["blocks"], surface) or units(view.get("title", {}).get("text", "")) > 24:
            raise Refusal("invalid_arguments")
        self.views.append(view)
        return {"view": view}

    def _users_info(self, given: dict[str, Any]) -> dict[str, Any]:
        return {"user": {"id": given["user"], "is_admin": given["user"] in self.admins}}

    def _assistant_threads_setStatus(self, given: dict[str, Any]) -> dict[str, Any]:
        self.waits.append(given["status"])
        return {}

    def _assistant_threads_setSuggestedPrompts(self, given: dict[str, Any]) -> dict[str, Any]:
        if not 1 <= len(given["prompts"]) <= 4:
            raise Refusal("invalid_arguments")
        self.prompts.append(given["prompts"])
        return {}

    def _apps_connections_open(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"url": self.url.replace("http", "ws") + "socket"}

    def _files_getUploadURLExternal(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"upload_url": f"{self.url}upload", "file_id": "F1"}

    def _files_completeUploadExternal(self, given: dict[str, Any]) -> dict[str, Any]:
        return {"files": given["files"]}

    def _message(self, given: dict[str, Any]) -> dict[str, Any]:
        for each in self.messages[given["channel"]]:
            if each["ts"] == given["ts"] and each.get("bot_id") == BOT_ID:
                return each
        raise Refusal("message_not_found")

    def _streaming(self, given: dict[str, Any]) -> dict[str, Any]:
        """The message of a stream that was begun or added to lately."""
        begun = self.streams.get(given["ts"])
        if begun is None or monotonic() - begun > self.stream_s:
            raise Refusal("message_not_in_streaming_state")
        self.streams[given["ts"]] = monotonic()
        return self._message(given)


def _unknown(_: dict[str, Any]) -> dict[str, Any]:
    raise Refusal("unknown_method")


async def _arguments(request: web.Request) -> dict[str, Any]:
    if request.content_type == "application/json":
        return dict(await request.json())
    given = {**request.query, **await request.post()}
    texts = {name: str(value) for name, value in given.items()}
    return {k: json.loads(v) if v[:1] in ("[", "{") else v for k, v in texts.items()}
