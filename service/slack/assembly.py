"""Puts the bot together from what it stands on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from service.slack.bot import Bot, Parts
from service.slack.clerk import Clerk, ClerkOptions
from service.slack.desk import Desk, DeskOptions
from service.slack.digest import DailyDigest, Digests, Rejected
from service.slack.intake import Intake
from service.slack.pace import Api
from service.slack.ports import Answers, Records
from service.slack.presses import Presses
from service.slack.replies import Replier
from service.slack.workspaces import Workspaces
from service.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class BotOptions:
    """How the bot reaches Slack. Without `bot_token` each workspace's token comes from its installation."""

    api_url: str = "https://slack.com/api/"
    bot_token: str = ""
    signing_secret: str = ""
    digest_channel: str = ""
    max_waiting: int = 1000
    desk: DeskOptions = field(default_factory=DeskOptions)
    clerk: ClerkOptions = field(default_factory=ClerkOptions)


def make_bot(
    store: Store,
    records: Records,
    answers: Answers,
    *,
    options: BotOptions,
    state: Callable[[], str] = str,
    rejected: Rejected = tuple,
) -> Bot:
    """The bot. `state` says in a few words how the index is, `rejected` which documents were refused and why. The store may be away: nothing is acknowledged before it is back."""
    api = Api()
    workspaces = Workspaces(
        api,
        api_url=options.api_url,
        token=options.bot_token,
        installations=store.installations,
    )
    replier = Replier(api, workspaces)
    clerk = Clerk(
        store,
        records,
        answers=answers,
        replier=replier,
        digests=Digests(store.ledger, rejected),
        options=options.clerk,
    )
    desk = Desk(store.inbox, clerk, replier, now=_now, options=options.desk)
    intake = Intake(
        store.inbox, store.channels, now=_now, wake=desk.wake, max_waiting=options.max_waiting
    )
    presses = Presses(
        api, records, store.channels, take=intake.take, now=_now, links=options.clerk.links
    )
    channel = options.digest_channel
    parts = Parts(
        api=api,
        replier=replier,
        intake=intake,
        desk=desk,
        presses=presses,
        state=state,
        digest=DailyDigest(intake, channel, now=_now) if channel else None,
    )
    return Bot(parts, signing_secret=options.signing_secret)


def _now() -> datetime:
    return datetime.now(UTC)
