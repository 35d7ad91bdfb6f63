from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from service.slack.digest import DailyDigest, Digests
from service.slack.intake import Intake
from service.store.store import Store
from service.store.types import Feedback, StoredAnswer
from tests.service.slack.rig_for_tests import rig
from tests.slack_fake.limits import faults

NOON = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
MORNING = datetime(2026, 12, 2, 7, 0, tzinfo=UTC)


@pytest.fixture
def store(tmp_path):
    made = Store(f"sqlite:///{tmp_path / 'store.sqlite3'}")
    made.prepare()
    yield made
    made.close()


def unanswered(n: int = 1, at: datetime = NOON) -> StoredAnswer:
    told = {"id": f"a{n}", "kind": "abstain", "abstention": {"code": "no_evidence"}}
    return StoredAnswer(id=f"a{n}", created_at=at, answer=told, question=f"What of <{n}>?")


def wrong(at: datetime = NOON) -> Feedback:
    return Feedback(
        id="f1",
        created_at=at,
        answer_id="a1",
        verdict="down",
        reason="outdated",
        comment="See *now*.",
    )


def test_a_digest_tells_of_its_day_alone(store):
    store.ledger.write([unanswered(1), unanswered(2, NOON + timedelta(days=1)), wrong()])
    refused = [("own/broken.pdf", "it has no text")]

    told = Digests(store.ledger, lambda: refused).message("2026-12-01")

    assert told is not None
    assert (
        told.text
        == "Rigwise on 2026-12-01: without an answer: 1, found wrong: 1, refused documents: 1"
    )
    shown = "\n".join(block["text"]["text"] for block in told.blocks)
    assert "• What of &lt;1&gt;? (no_evidence, 1×)" in shown
    assert "• What of &lt;1&gt;? — outdated — See *now*." in shown
    assert "• own/broken.pdf — it has no text" in shown
    assert "What of &lt;2&gt;" not in shown


def test_a_long_digest_says_what_it_leaves_out(store):
    store.ledger.write([unanswered(n) for n in range(1000)])

    told = Digests(store.ledger, tuple).message("2026-12-01")

    assert told is not None
    assert faults(list(told.blocks)) == []
    assert "more rows" in str(told.blocks[-1])


def test_a_day_without_news_has_no_digest(store):
    assert Digests(store.ledger, tuple).message("2026-12-01") is None


@pytest.mark.anyio
async def test_the_digest_of_yesterday_comes_once(tmp_path, store):
    store.ledger.write([unanswered()])
    for _ in range(2):
        await begun(store)

    async with rig(tmp_path) as it:
        replies = await it.settled(1, "C9")

    assert [each["text"][:21] for each in replies] == ["Rigwise on 2026-12-01"]
    assert "thread_ts" not in replies[0]


async def begun(store: Store) -> None:
    """A process that runs for a moment in the morning."""
    intake = Intake(store.inbox, store.channels, now=lambda: MORNING, wake=lambda: None)
    running = asyncio.create_task(DailyDigest(intake, "C9", now=lambda: MORNING).run())
    await asyncio.sleep(0.2)
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
