from __future__ import annotations

import asyncio
import sqlite3

import pytest

from service.slack.notes import EXAMPLES
from tests.service.slack.rig_for_tests import rig, until
from tests.slack_fake.events import command, event, mention, said

pytestmark = pytest.mark.anyio


async def test_a_mention_and_its_twin_are_answered_once_in_the_thread(tmp_path):
    async with rig(tmp_path) as it:
        pair = mention(it.fake, "How much memory?")

        await it.deliver(*pair, *pair)
        replies = await it.settled(1)

    assert [(each["thread_ts"], each["text"]) for each in replies] == [
        (pair[0]["event"]["ts"], "Echo: How much memory?")
    ]
    assert len(it.engine.asked) == 1
    assert min(it.sockets.acked_s) < 0.5


async def test_a_direct_message_is_answered(tmp_path):
    async with rig(tmp_path) as it:
        await it.deliver(said(it.fake, "Power of an L4?", channel="D1"))
        replies = await it.settled(1, "D1")

    assert replies[0]["text"] == "Echo: Power of an L4?"


async def test_a_follow_up_in_our_thread_needs_no_mention_and_knows_what_came_before(tmp_path):
    async with rig(tmp_path) as it:
        first = mention(it.fake, "How much memory?")[0]
        await it.deliver(first)
        await it.settled(1)

        await it.deliver(said(it.fake, "And power?", thread=first["event"]["ts"]))
        replies = await it.settled(2)

    assert [each["text"] for each in replies] == ["Echo: How much memory?", "Echo: And power?"]
    assert it.engine.asked[1].conversation == ("How much memory?",)


async def test_talk_that_is_not_for_us_is_neither_answered_nor_kept(tmp_path):
    async with rig(tmp_path) as it:
        first = mention(it.fake, "How much memory?")[0]
        await it.deliver(first)
        await it.settled(1)

        await it.deliver(
            said(it.fake, "hello all"),
            said(it.fake, "in a thread of others", thread="1.1"),
            said(it.fake, "<@U2> look here", thread=first["event"]["ts"]),
            said(it.fake, "a bot", thread=first["event"]["ts"], bot_id="B2"),
            said(it.fake, "an edit", channel="D1", subtype="message_changed"),
            said(it.fake, "our own", channel="D1", user="UBOT"),
        )
        replies = await it.settled(1)

    assert len(replies) == 1
    assert it.store.inbox.counts() == {"answered": 1}


async def test_a_mention_without_words_shows_how_to_ask(tmp_path):
    async with rig(tmp_path) as it:
        await it.deliver(mention(it.fake, "")[0])
        replies = await it.settled(1)

    assert "Ask me about hardware" in replies[0]["text"]


async def test_a_command_is_answered_to_its_asker_alone(tmp_path):
    async with rig(tmp_path) as it:
        acked = await it.deliver(command(it.fake, "Power of an L4?"), kind="slash_commands")
        await it.settled(0)

    assert acked[0]["payload"]["response_type"] == "ephemeral"
    assert [each["text"] for each in it.fake.private] == ["Echo: Power of an L4?"]
    assert it.fake.replies("C1") == []


async def test_a_command_whose_address_has_expired_is_answered_to_its_asker_all_the_same(tmp_path):
    async with rig(tmp_path) as it:
        await it.deliver(command(it.fake, "Power?", key="expired"), kind="slash_commands")
        await it.settled(0)

    assert [(each["user"], each["text"]) for each in it.fake.private] == [("U1", "Echo: Power?")]


async def test_a_shortcut_answers_the_message_it_was_called_on(tmp_path):
    async with rig(tmp_path) as it:
        body = {
            "type": "message_action",
            "callback_id": "rigwise_ask",
            "team": {"id": "T1"},
            "user": {"id": "U1"},
            "channel": {"id": "C1"},
            "message": {"text": "which card has 80 GB &amp; HBM3?", "ts": "1.1"},
            "message_ts": "1.1",
            "trigger_id": it.fake.trigger(),
            "response_url": f"{it.fake.url}respond/s1",
        }
        await it.deliver(body, kind="interactive")
        await it.settled(0)

    assert it.engine.asked[0].text == "which card has 80 GB & HBM3?"
    assert len(it.fake.private) == 1


async def test_the_home_tab_shows_examples_and_the_index(tmp_path):
    async with rig(tmp_path) as it:
        await it.deliver(event(type="app_home_opened", user="U1", channel="D1", tab="home"))
        await until(lambda: it.fake.views)

    assert "Index g1 in use." in str(it.fake.views[0]["blocks"])


async def test_the_messages_tab_suggests_questions(tmp_path):
    async with rig(tmp_path) as it:
        await it.deliver(event(type="app_home_opened", user="U1", channel="D1", tab="messages"))
        await until(lambda: it.fake.prompts)

    assert [each["message"] for each in it.fake.prompts[0]] == list(EXAMPLES)


async def test_a_store_that_cannot_take_a_question_loses_none(tmp_path):
    async with rig(tmp_path) as it:
        other = sqlite3.connect(tmp_path / "store.sqlite3", isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        delivery = asyncio.create_task(
            it.sockets.deliver(mention(it.fake, "How much memory?")[0], wait_s=0.3)
        )
        await asyncio.sleep(1)
        acked = delivery.done()
        other.execute("ROLLBACK")
        other.close()
        await delivery
        replies = await it.settled(1)

    assert not acked
    assert len(replies) == 1
