from __future__ import annotations

from time import monotonic

import pytest

from service.errors import Overloaded
from service.slack.desk import DeskOptions
from tests.service.slack.rig_for_tests import rig, until
from tests.slack_fake.events import command, mention

pytestmark = pytest.mark.anyio


async def test_a_slow_answer_shows_a_stream_that_becomes_the_answer(tmp_path):
    async with rig(tmp_path) as it:
        it.engine.delay_s = 0.6

        await it.deliver(mention(it.fake, "Slow?")[0])
        replies = await it.settled(1)

    assert [each["text"] for each in replies] == ["Echo: Slow?"]
    assert it.fake.calls["chat.startStream"] == 1
    assert it.fake.calls["chat.appendStream"] >= 2
    assert it.fake.streams == {}


async def test_a_slow_answer_is_shown_by_edits_where_there_are_no_streams(tmp_path):
    async with rig(tmp_path) as it:
        it.engine.delay_s = 1.0
        it.fake.failing["chat.startStream"] = "unknown_method"

        await it.deliver(mention(it.fake, "Slow?")[0])
        replies = await it.settled(1)

    assert [each["text"] for each in replies] == ["Echo: Slow?"]
    assert it.fake.calls["chat.update"] >= 2
    assert it.fake.calls["chat.appendStream"] == 0


async def test_a_stream_that_dies_loses_nothing(tmp_path):
    async with rig(tmp_path, stream_s=0.0) as it:
        it.engine.delay_s = 0.5

        await it.deliver(mention(it.fake, "Slow?")[0])
        replies = await it.settled(1)

    assert [each["text"] for each in replies] == ["Echo: Slow?"]
    assert it.fake.refused["chat.appendStream message_not_in_streaming_state"] == 1


async def test_a_failure_is_told_with_the_id_of_the_request(tmp_path):
    async with rig(tmp_path) as it:
        it.engine.failures.append(ValueError("a fault of ours"))

        await it.deliver(mention(it.fake, "How much memory?")[0])
        replies = await it.settled(1)

    assert it.engine.asked[0].id in replies[0]["text"]
    assert "a fault of ours" not in str(replies)
    assert it.store.inbox.counts() == {"failed": 1}


async def test_a_question_waits_until_there_is_a_place_for_it(tmp_path):
    async with rig(tmp_path) as it:
        it.engine.failures += [Overloaded(1, 1), Overloaded(1, 1)]

        await it.deliver(mention(it.fake, "How much memory?")[0])
        replies = await it.settled(1)

    assert [each["text"] for each in replies] == ["Echo: How much memory?"]
    assert len(it.engine.asked) == 3
    assert it.fake.waits == ["cannot answer right now and will try again"]


async def test_a_reply_that_was_posted_without_our_knowing_is_not_posted_again(tmp_path):
    async with rig(tmp_path) as it:
        it.fake.breaking["chat.postMessage"] = 1

        await it.deliver(mention(it.fake, "How much memory?")[0])
        await until(lambda: it.store.inbox.counts() == {"answered": 1})
        replies = it.fake.replies("C1")

    assert len(replies) == 1
    assert it.fake.calls["chat.postMessage"] == 1


async def test_retry_after_is_obeyed(tmp_path):
    async with rig(tmp_path) as it:
        it.fake.limited["chat.postMessage"] = [1]
        began = monotonic()

        await it.deliver(mention(it.fake, "How much memory?")[0])
        replies = await it.settled(1)

    assert len(replies) == 1
    assert monotonic() - began >= 1
    assert it.fake.calls["chat.postMessage"] == 2


async def test_blocks_that_slack_refuses_leave_a_text_and_a_file(tmp_path):
    async with rig(tmp_path) as it:
        it.fake.refusing["chat.postMessage"] = ["invalid_blocks"]

        await it.deliver(mention(it.fake, "How much memory?")[0])
        replies = await it.settled(1)

    assert (replies[0]["text"], replies[0].get("blocks")) == ("Echo: How much memory?", [])
    assert "Echo: How much memory?" in it.fake.files[0]


async def test_a_shut_channel_sends_the_answer_to_its_asker(tmp_path):
    async with rig(tmp_path) as it:
        it.fake.refusing["chat.postMessage"] = ["is_archived"]

        await it.deliver(mention(it.fake, "How much memory?", user="U7")[0])
        replies = await it.settled(1, "U7")

    assert replies[0]["text"] == "Echo: How much memory?"


async def test_who_waits_in_line_is_told_his_place_and_who_finds_it_full_is_refused(tmp_path):
    async with rig(tmp_path, desk=DeskOptions(workers=1, lease_s=9), max_waiting=3) as it:
        it.engine.delay_s = 0.15

        for number in range(5):
            await it.deliver(mention(it.fake, f"Question {number}?")[0])
        replies = await it.settled(5)

    told = [each["text"] for each in replies]
    assert sum("overloaded" in text for text in told) == 2
    assert "overloaded" not in told[-1]  # who is refused need not wait for the others
    assert "has 2 questions to answer before yours" in it.fake.waits


async def test_an_answer_too_large_for_one_person_alone_follows_as_a_file(tmp_path):
    async with rig(tmp_path) as it:
        it.engine.answers["Long?"] = echo_of_many_statements()

        await it.deliver(command(it.fake, "Long?"), kind="slash_commands")
        await it.settled(0)

    assert "Statement 99 " in it.fake.files[0]
    assert "more statements: see the file answer.md" in str(it.fake.private[0]["blocks"])


async def test_blocks_that_are_refused_for_one_person_leave_a_text_and_a_file(tmp_path):
    async with rig(tmp_path) as it:
        it.fake.refusing["chat.postEphemeral"] = ["invalid_blocks"]

        await it.deliver(command(it.fake, "Power?", key="expired"), kind="slash_commands")
        await it.settled(0)

    assert [(each["user"], each["text"]) for each in it.fake.private] == [("U1", "Echo: Power?")]
    assert "Echo: Power?" in it.fake.files[0]


async def test_a_sign_that_cannot_be_shown_is_no_reason_to_give_up(tmp_path):
    async with rig(tmp_path) as it:
        it.engine.delay_s = 0.5
        it.fake.refusing["chat.startStream"] = ["not_in_channel"]
        it.fake.refusing["chat.postMessage"] = ["not_in_channel"]

        await it.deliver(mention(it.fake, "Slow?")[0])
        replies = await it.settled(1)

    assert [each["text"] for each in replies] == ["Echo: Slow?"]


async def test_a_question_whose_worker_died_is_answered_in_the_message_it_had_begun(tmp_path):
    async with rig(tmp_path) as it:
        it.engine.delay_s = 0.5
        it.fake.breaking["chat.startStream"] = 1

        await it.deliver(mention(it.fake, "Slow?")[0])
        replies = await it.settled(1)

    assert [each["text"] for each in replies] == ["Echo: Slow?"]
    assert it.fake.calls["chat.stopStream"] == 1


def echo_of_many_statements():
    from service.types import Statement
    from tests.service.slack.rig_for_tests import echo

    said = tuple(Statement(text=f"Statement {n} {'word ' * 40}", quotes=()) for n in range(100))
    return echo("Long?", statements=said, marks=tuple(() for _ in said))
