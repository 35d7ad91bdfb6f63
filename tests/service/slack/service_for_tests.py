"""The service with the bot in it, before a fake of Slack or another API."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from time import sleep
from typing import Any

import httpx2
from cryptography.fernet import Fernet

from service.http.app import Equipment, create_app
from service.http.state import ServiceState
from service.slack.assembly import BotOptions
from service.slack.clerk import ClerkOptions
from service.slack.door import DoorOptions, SlackDoor
from service.store.keeper import Keeper
from service.store.spool import Spool
from service.store.store import Store
from service.types import Statement
from tests.service.slack.rig_for_tests import echo, until
from tests.slack_fake.api import SECRET, TOKEN, Fake
from tests.slack_fake.events import signed
from tests.slack_fake.server import running


def now_s() -> int:
    return int(datetime.now(UTC).timestamp())


class Engine:
    """Says what it is asked, and which collections it sees."""

    seen = "all"
    delay_s = 0.0
    statements: tuple[Statement, ...] = ()

    def answer(self, question):
        sleep(self.delay_s)
        told = f"Echo: {question.text} ({self.seen})"
        said = self.statements or (Statement(text=told, quotes=()),)
        return replace(
            echo(question.text),
            id=question.id,
            text=told,
            statements=said,
            marks=tuple(() for _ in said),
        )

    def within(self, collections):
        view = Engine()
        view.seen = ", ".join(sorted(collections)) or "none"
        return view


@dataclass
class Service:
    fake: Fake
    client: httpx2.AsyncClient
    keeper: Keeper

    async def post(
        self, body, *, at: int = 0, retry: int = 0, form: bool = False
    ) -> httpx2.Response:
        content, headers = signed(body, at=at or now_s(), retry=retry, form=form)
        return await self.client.post("/slack/events", content=content, headers=headers)

    def counts(self) -> dict[str, int]:
        return self.keeper.store.inbox.counts()


@asynccontextmanager
async def service(
    folder: Path, *, token: str = TOKEN, api_url: str = "", **more: Any
) -> AsyncIterator[Service]:
    """The service with the bot in it; without `api_url` before the fake."""
    fake = Fake()
    async with running(fake):
        key = Fernet.generate_key().decode()
        keeper = Keeper(Store(f"sqlite:///{folder / 'store.sqlite3'}", keys=(key,)), Spool(folder))
        bot = BotOptions(
            api_url=api_url or f"{fake.url}api/",
            bot_token=token,
            signing_secret=SECRET,
            clerk=ClerkOptions(quick_s=0.5, sign_s=0.2),
        )
        door = SlackDoor(keeper, DoorOptions(bot=bot, public_url="https://rigwise.test", **more))
        state = ServiceState(ready)
        equipment = Equipment(keeper=keeper, slack=door, parts={"slack": door.fault})
        app = create_app(state, equipment=equipment, api_key="a key that Slack has not")
        transport = httpx2.ASGITransport(app=app)
        async with (
            app.router.lifespan_context(app),
            httpx2.AsyncClient(transport=transport, base_url="https://rigwise.test") as client,
        ):
            await until(state.ready)
            yield Service(fake, client, keeper)


def ready(state: ServiceState):
    state.mark("model", "ready")
    state.mark("index", "ready")
    return Engine()
