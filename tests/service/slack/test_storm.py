from __future__ import annotations

import asyncio
import sqlite3
import sys
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from statistics import median, quantiles

import pytest

from tests.service.slack.rig_for_tests import until
from tests.slack_fake.api import Fake
from tests.slack_fake.events import mention
from tests.slack_fake.server import Sockets, running

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.timeout(120)]
QUESTIONS, CHANNELS, STORM_S, KILLS_AT_S = 200, 20, 10.0, (3.0, 7.0)
ROOT = Path(__file__).parents[3]


async def test_a_storm_is_answered_exactly_once_although_the_process_is_killed_twice(
    tmp_path, capsys
):
    fake = Fake()
    async with running(fake) as sockets:
        fake.limited["chat.postMessage"] = [1] * 5
        process = await started(tmp_path, fake, sockets)
        storm = asyncio.create_task(deliver_all(fake, sockets))
        for at_s, before_s in zip(KILLS_AT_S, (0.0, *KILLS_AT_S), strict=False):
            await asyncio.sleep(at_s - before_s)
            process.kill()
            await process.wait()
            process = await started(tmp_path, fake, sockets)
        deliveries = await storm
        with suppress(TimeoutError):
            await until(lambda: counts(tmp_path) == {"answered": QUESTIONS}, 60)
        process.terminate()
        await process.wait()

    told = report(fake, deliveries, sockets)
    with capsys.disabled():
        print(f"\n{told}")  # noqa: T201 - the counts are to be seen
    assert counts(tmp_path) == {"answered": QUESTIONS}
    assert answered(fake) == expected(fake)


async def started(folder: Path, fake: Fake, sockets: Sockets) -> asyncio.subprocess.Process:
    """A bot's process, connected."""
    before = sockets.opened
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.service.slack.storm_bot", str(folder), fake.url),
        cwd=ROOT,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    await until(lambda: sockets.opened > before, 30)
    return process


async def deliver_all(fake: Fake, sockets: Sockets) -> int:
    """Every question with its twin, two to four times, over the time of the storm in random order."""
    random = Random(7)  # noqa: S311 - no secret
    bodies = []
    for number in range(QUESTIONS):
        pair = mention(fake, f"Question {number}?", channel=f"C{number % CHANNELS}")
        bodies += [*pair, *random.choices(pair, k=random.randint(0, 2))]
    random.shuffle(bodies)

    async def later(body: dict[str, object], wait_s: float) -> None:
        await asyncio.sleep(wait_s)
        await sockets.deliver(body)

    await asyncio.gather(*(later(body, random.uniform(0, STORM_S)) for body in bodies))
    return len(bodies)


def counts(folder: Path) -> dict[str, int]:
    with closing(sqlite3.connect(folder / "store.sqlite3")) as database:
        rows = database.execute("SELECT state, count(*) FROM slack_inbox GROUP BY state")
        return dict(rows.fetchall())


def answered(fake: Fake) -> Counter[tuple[str, str, str]]:
    """The bot's messages by channel, thread and text."""
    return Counter(
        (channel, each["thread_ts"], each["text"])
        for channel in fake.messages
        for each in fake.replies(channel)
    )


def expected(fake: Fake) -> Counter[tuple[str, str, str]]:
    """One answer in the thread of each question."""
    return Counter(
        (channel, each["ts"], each["text"].replace("<@UBOT>", "Echo:"))
        for channel, messages in fake.messages.items()
        for each in messages
        if each.get("bot_id") is None
    )


def report(fake: Fake, deliveries: int, sockets: Sockets) -> str:
    found = answered(fake)
    threads = Counter((channel, thread) for channel, thread, _ in found.elements())
    slow = quantiles(sockets.acked_s, n=100)[98]
    return (
        f"storm: {QUESTIONS} questions, {CHANNELS} channels, {deliveries} deliveries, "
        f"{sockets.resent} tries without acknowledgement, {len(KILLS_AT_S)} kills; "
        f"answered {len(threads)}, twice {sum(n > 1 for n in threads.values())}, "
        f"posts {fake.calls['chat.postMessage']}, streams {fake.calls['chat.startStream']}; "
        f"acknowledged in {median(sockets.acked_s) * 1000:.0f} ms (median), {slow * 1000:.0f} ms (p99)"
    )
