"""A bot that runs against the fake of Slack, with an engine that repeats the question."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from indexer.types import GenerationId
from service.access import Caller
from service.errors import NotFound
from service.render import answer_object
from service.slack.assembly import BotOptions, make_bot
from service.slack.bot import Bot
from service.slack.clerk import ClerkOptions
from service.slack.desk import DeskOptions
from service.slack.sockets import SocketDoor
from service.store.store import Store
from service.store.types import Feedback, Reason, StoredAnswer, Verdict
from service.turns import MemoryConversations
from service.types import Answer, Question, Statement
from tests.slack_fake.api import APP_TOKEN, TOKEN, Fake
from tests.slack_fake.server import Sockets, running


class Echo:
    """Answers with the question; counts, waits and fails as it is told."""

    def __init__(self, delay_s: float = 0.0) -> None:
        self.delay_s = delay_s
        self.asked: list[Question] = []
        self.failures: list[Exception] = []
        self.answers: dict[str, Answer] = {}

    async def answer(self, question: Question) -> Answer:
        self.asked.append(question)
        await asyncio.sleep(self.delay_s)
        if self.failures:
            raise self.failures.pop()
        prepared = self.answers.get(question.text) or echo(question.text)
        return replace(prepared, id=question.id, question=question.text)


def echo(text: str, **more: Any) -> Answer:
    return Answer(
        **{
            "id": "",
            "question": text,
            "kind": "answer",
            "intent": "lookup",
            "text": f"Echo: {text}",
            "statements": (Statement(text=f"Echo: {text}", quotes=()),),
            "citations": (),
            "retrieved": (),
            "generation": GenerationId("g1"),
            "timings_ms": {},
            **more,
        }
    )


class MemoryRecords:
    """Records of this process."""

    def __init__(self) -> None:
        self.conversations = MemoryConversations(keep_s=3600)
        self.kept: dict[str, StoredAnswer] = {}
        self.feedback: list[Feedback] = []

    def record(self, answer: Answer, *, asker: str = "", conversation: str = "") -> None:
        self.kept[answer.id] = StoredAnswer(
            id=answer.id,
            created_at=datetime.now(UTC),
            answer=answer_object(answer),
            question=answer.question,
            asker=asker,
            conversation=conversation,
        )

    def find(self, answer_id: str, *, caller: Caller) -> StoredAnswer:
        found = self.kept.get(answer_id)
        if found is None or not (caller.sees_all or caller.name == found.asker):
            raise NotFound("answer", answer_id)
        return found

    def judge(
        self, answer_id: str, verdict: Verdict, *, caller: Caller, reason: Reason = "", comment: str = ""
    ) -> str:  # fmt: skip
        given = Feedback(
            id=str(len(self.feedback)),
            created_at=datetime.now(UTC),
            answer_id=answer_id,
            verdict=verdict,
            reason=reason,
            comment=comment,
            asker=caller.name,
        )
        self.feedback.append(given)
        return given.id


@dataclass
class Rig:
    """Everything that a test may touch."""

    fake: Fake
    sockets: Sockets
    store: Store
    engine: Echo
    records: MemoryRecords
    bot: Bot
    door: SocketDoor
    waited_s: float = field(default=10.0)

    async def settled(self, number: int, channel: str = "C1") -> list[dict[str, Any]]:
        """The bot's messages in a channel, once there are so many and nothing is worked on."""

        def calm() -> bool:
            counts = self.store.inbox.counts()
            open_ones = counts.get("received", 0) + counts.get("working", 0)
            return open_ones == 0 and len(self.fake.replies(channel)) >= number

        await until(calm, self.waited_s)
        await asyncio.sleep(0.05)
        return self.fake.replies(channel)

    def now(self) -> datetime:
        return datetime.now(UTC)

    async def deliver(self, *bodies: dict[str, Any], kind: str = "events_api") -> list[Any]:
        """Deliver all, one after the other."""
        return [await self.sockets.deliver(body, kind=kind) for body in bodies]


async def until(true: Any, wait_s: float = 10.0) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(wait_s):
        while not true():  # noqa: ASYNC110 - what is waited for sets no event
            await asyncio.sleep(0.02)


DESK = DeskOptions(workers=4, lease_s=3.0, retry_s=0.05)
CLERK = ClerkOptions(quick_s=0.2, sign_s=0.1)


@asynccontextmanager
async def rig(
    folder: Path,
    *,
    desk: DeskOptions = DESK,
    max_waiting: int = 1000,
    engine: Any = None,
    renew_s: float = 60.0,
    mute: bool = False,
    **fakes: Any,
) -> AsyncIterator[Rig]:
    """A bot, connected over Socket Mode."""
    fake = Fake(**fakes)
    async with running(fake) as sockets:
        sockets.mute = mute
        store = Store(f"sqlite:///{folder / 'store.sqlite3'}")
        store.prepare()
        engine, records = engine or Echo(), MemoryRecords()
        options = BotOptions(
            api_url=f"{fake.url}api/",
            bot_token=TOKEN,
            desk=desk,
            clerk=CLERK,
            max_waiting=max_waiting,
        )
        bot = make_bot(store, records, engine, options=options, state=lambda: "Index g1 in use.")
        door = SocketDoor(
            bot.app, app_token=APP_TOKEN, api_url=f"{fake.url}api/", silent_s=3.0, renew_s=renew_s
        )
        tasks = [asyncio.create_task(bot.run()), asyncio.create_task(door.run())]
        await until(lambda: sockets.open)
        try:
            yield Rig(fake, sockets, store, engine, records, bot, door)
        finally:
            for task in tasks:
                task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.gather(*tasks)
            store.close()
