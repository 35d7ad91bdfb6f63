"""What is asked in an event of Slack, and whether it is asked of us. Pure: what it must know is given.

An event counts when a person wrote it and means us: a mention, a direct message, or a message in a thread that
began with a question to us. Bots, edits and our own messages never count, so no two bots can talk to each other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Any, Final, Literal

Way = Literal["mention", "direct", "thread", "command", "shortcut", "button", "share", "digest"]
_SUBTYPES: Final = frozenset({None, "file_share", "thread_broadcast"})
_MENTION: Final = re.compile(r"<@([UW][A-Z0-9]+)(?:\|[^>]*)?>")
_LINK: Final = re.compile(r"<(?:https?|mailto):([^|>]+)(?:\|([^>]*))?>")
_WORD: Final = re.compile(r"[\w']+")
_TALK: Final = frozenset(
    "agreed all alright and awesome bye cheers cool done fine for fyi good got great haha hello helped helpful helps hey hi "
    "indeed is it's it lol makes morning much nice no noted now ok okay perfect please right sense so sure ta thank thanks "
    "that that's the thx to very well wow yeah yep yes you".split()
)
_CHANNEL: Final = re.compile(r"<#C[A-Z0-9]+\|([^>]*)>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A question from Slack, as it is kept in the inbox. `key` is the message's time stamp, or stands for it.

    `response_url` is set for what is answered to one person alone; `refused` is what came when too many waited.
    """

    event_id: str
    team: str
    channel: str
    key: str
    user: str
    text: str
    way: Way
    thread_ts: str = ""
    enterprise: str = ""
    response_url: str = ""
    refused: bool = False

    @property
    def conversation(self) -> str:
        """The id of its conversation: a thread, or all that one person is told alone, which is his in the store."""
        if not self.thread_ts or self.channel.startswith("D"):
            return f"{self.team}/{self.user}/{self.channel}"
        return f"slack/{self.team}/{self.channel}/{self.thread_ts}"

    @property
    def request_id(self) -> str:
        """The id of the answer, the same for each attempt."""
        return f"slack-{_digest(f'{self.team} {self.event_id}')}"

    def payload(self) -> dict[str, Any]:
        """The form in the inbox."""
        return asdict(self)


def of_event(body: Mapping[str, Any], *, bot_user: str) -> Ask | None:
    """The question in an event; None: there is none. In a channel's thread it may still be meant for others."""
    event = body.get("event") or {}
    person = event.get("user")
    bot = event.get("bot_id") or event.get("bot_profile") or event.get("app_id")
    if not person or person == bot_user or bot or event.get("subtype") not in _SUBTYPES:
        return None
    way = _way(event, bot_user)
    text = clean(str(event.get("text") or ""), bot_user=bot_user)
    if is_talk(text):
        text = ""  # a mention without a question; in a thread nobody is spoken to
    if way is None or not event.get("ts") or not event.get("channel"):
        return None
    if way == "thread" and not text:
        return None
    return Ask(
        event_id=str(body.get("event_id") or f"message:{event['ts']}"),
        team=str(body.get("team_id") or event.get("team") or ""),
        enterprise=str(body.get("enterprise_id") or ""),
        channel=event["channel"],
        key=event["ts"],
        user=person,
        text=text,
        way=way,
        thread_ts=str(event.get("thread_ts") or event["ts"]),
    )


def of_command(body: Mapping[str, Any]) -> Ask:
    """The question of a slash command; its answer is for the asker alone."""
    return _private(body, text=body.get("text", ""), way="command", channel=body["channel_id"], user=body["user_id"], team=body["team_id"])  # fmt: skip


def of_shortcut(body: Mapping[str, Any]) -> Ask:
    """The message that somebody asks about; the answer is for him alone."""
    return _private(body, text=body["message"].get("text", ""), way="shortcut", channel=body["channel"]["id"], user=body["user"]["id"], team=body["team"]["id"])  # fmt: skip


def of_button(body: Mapping[str, Any], text: str, *, part: str) -> Ask:
    """A press of a button under one of our messages; the same button counts once. `part` tells buttons apart."""
    container = body.get("container") or {}
    message, ts = body.get("message") or {}, str(container.get("message_ts") or "")
    ephemeral = bool(container.get("is_ephemeral"))
    key = f"{ts[-20:]}:{_digest(part)[:8]}"
    return Ask(
        event_id=f"button:{key}",
        team=body["team"]["id"],
        channel=container.get("channel_id") or body["channel"]["id"],
        key=key,
        user=body["user"]["id"],
        text=clean(text, bot_user=""),
        way="button",
        thread_ts="" if ephemeral else str(message.get("thread_ts") or ts),
        enterprise=str((body.get("enterprise") or {}).get("id") or ""),
        response_url=str(body.get("response_url") or "") if ephemeral else "",
    )


def of_share(body: Mapping[str, Any], answer_id: str) -> Ask:
    """A press of the button that shows an answer to the whole channel; a second press counts no more."""
    pressed = of_button(body, answer_id, part="share")
    return replace(pressed, way="share", thread_ts="", response_url="")


def is_talk(text: str) -> bool:
    """Whether a message is nothing but thanks, a greeting or a sign of agreement."""
    return "?" not in text and all(word in _TALK for word in _WORD.findall(text.casefold()))


def clean(text: str, *, bot_user: str) -> str:
    """The text as a person reads it: without the mention of us, links as addresses, three escapes undone."""
    text = _MENTION.sub(lambda found: "" if found.group(1) == bot_user else "someone", text)
    text = _LINK.sub(lambda found: found.group(2) or found.group(1), text)
    text = _CHANNEL.sub(lambda found: f"#{found.group(1)}", text)
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").strip()


def _way(event: Mapping[str, Any], bot_user: str) -> Way | None:
    kind, text = event.get("type"), str(event.get("text") or "")
    mentioned = _MENTION.findall(text)
    if kind == "app_mention" or bot_user in mentioned:
        return "mention"
    if kind != "message":
        return None
    if event.get("channel_type") == "im":
        return "direct"
    follows = event.get("thread_ts") not in (None, event.get("ts"))
    return "thread" if follows and not mentioned else None


def _private(
    body: Mapping[str, Any], *, text: str, way: Way, channel: str, user: str, team: str
) -> Ask:
    key = _digest(str(body["trigger_id"]))
    enterprise = body.get("enterprise_id") or (body.get("enterprise") or {}).get("id")
    return Ask(
        event_id=f"{way}:{key}",
        team=team,
        channel=channel,
        key=key,
        user=user,
        text=clean(text, bot_user=""),
        way=way,
        enterprise=str(enterprise or ""),
        response_url=body["response_url"],
    )


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:24]
