"""The same bot before a Slack that others wrote: emulate 0.11.2, the Web API half (`make emulator` installs it)."""

from __future__ import annotations

import asyncio
import shutil
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from service.types import Statement
from tests.service.slack.rig_for_tests import until
from tests.service.slack.service_for_tests import Engine, Service, service
from tests.slack_fake.api import TOKEN
from tests.slack_fake.events import event

EMULATOR = Path(__file__).parents[3] / "var" / "emulator" / "node_modules" / ".bin" / "emulate"
SEED = Path(__file__).with_name("emulator_seed.yaml")
CHANNEL, BOT, PERSON = "C000000001", "U0RIGWISE", "test_token_admin"
pytestmark = [
    pytest.mark.anyio,
    pytest.mark.slow,
    pytest.mark.timeout(120),
    pytest.mark.skipif(
        shutil.which("node") is None or not EMULATOR.exists(),
        reason="no emulator of Slack: `make emulator` needs Node 20 and npm",
    ),
]


@dataclass
class Emulated:
    service: Service
    person: AsyncWebClient

    async def asks(self, text: str) -> dict[str, Any]:
        """A person's message in the channel, and the event of it."""
        words = f"<@{BOT}> {text}"
        posted = await self.person.chat_postMessage(channel=CHANNEL, text=words)
        fields = {"channel": CHANNEL, "user": "U000000001", "ts": posted["ts"], "text": words}
        return event(type="app_mention", **fields)

    async def thread(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        """The messages under a question, once it is answered."""
        await until(lambda: set(self.service.counts()) == {"answered"}, 30)
        ts = body["event"]["ts"]
        wanted = {"channel": CHANNEL, "ts": ts}
        found = await self.person.api_call("conversations.replies", json=wanted)
        return [each for each in found["messages"] if each["ts"] != ts]


@asynccontextmanager
async def emulated(folder: Path) -> AsyncIterator[Emulated]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        *("node", str(EMULATOR), "start", "-s", "slack", "-p", str(port), "--seed", str(SEED)),
        cwd=folder,
        stdout=asyncio.subprocess.DEVNULL,
    )
    api_url = f"http://127.0.0.1:{port}/api/"
    try:
        await answering(api_url)
        bot = AsyncWebClient(token=TOKEN, base_url=api_url)
        await bot.api_call("conversations.join", json={"channel": CHANNEL})
        async with service(folder, api_url=api_url) as it:
            yield Emulated(it, AsyncWebClient(token=PERSON, base_url=api_url))
    finally:
        process.terminate()
        await process.wait()


async def answering(url: str) -> None:
    """Wait until the emulator is there and has read its seed."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with httpx2.AsyncClient(headers=headers) as client, asyncio.timeout(30):
        while True:
            with suppress(httpx2.TransportError):
                listed = await client.post(f"{url}conversations.list")
                if CHANNEL in listed.text:
                    return
            await asyncio.sleep(0.1)


async def test_a_question_is_answered_once_in_its_thread(tmp_path):
    async with emulated(tmp_path) as it:
        body = await it.asks("How much memory?")

        for retry in (0, 1, 2):
            await it.service.post(body, retry=retry)
        thread = await it.thread(body)

    assert [each["text"] for each in thread] == ["Echo: How much memory? (none)"]
    assert thread[0]["blocks"][0]["type"] == "section"


async def test_a_slow_answer_is_written_into_the_message_that_announced_it(tmp_path, monkeypatch):
    monkeypatch.setattr(Engine, "delay_s", 1.2)
    async with emulated(tmp_path) as it:
        body = await it.asks("Slow?")  # the emulator knows no streams

        await it.service.post(body)
        thread = await it.thread(body)

    assert [each["text"] for each in thread] == ["Echo: Slow? (none)"]


async def test_what_does_not_fit_follows_in_messages_where_no_file_is_taken(tmp_path, monkeypatch):
    said = tuple(Statement(text=f"Statement {n} {'word ' * 40}", quotes=()) for n in range(100))
    monkeypatch.setattr(Engine, "statements", said)
    async with emulated(tmp_path) as it:
        body = await it.asks("All?")

        await it.service.post(body)
        first, *others = await it.thread(body)

    assert "more statements" in str(first["blocks"])
    assert "Statement 99 word" in "".join(each["text"] for each in others)
