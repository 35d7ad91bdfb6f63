from __future__ import annotations

import pytest

from tests.service.slack.rig_for_tests import rig, until
from tests.slack_fake.events import mention

pytestmark = pytest.mark.anyio


async def test_a_connection_that_slack_refreshes_loses_no_question(tmp_path):
    async with rig(tmp_path) as it:
        await it.sockets.refresh()
        await it.deliver(mention(it.fake, "How much memory?")[0])
        replies = await it.settled(1)

    assert len(replies) == 1
    assert it.sockets.opened >= 2


async def test_a_connection_that_answers_no_ping_is_told_and_replaced(tmp_path):
    async with rig(tmp_path, mute=True) as it:
        began = it.sockets.opened
        await until(lambda: it.sockets.opened > began)
        it.sockets.mute = False
        await until(lambda: it.door.fault() == "")


async def test_a_connection_that_delivers_nothing_is_renewed_although_it_answers(tmp_path):
    async with rig(tmp_path, renew_s=1.0) as it:
        await until(lambda: it.sockets.opened >= 2)

        await it.deliver(mention(it.fake, "How much memory?")[0])
        replies = await it.settled(1)

    assert len(replies) == 1


async def test_a_slack_that_is_away_is_told(tmp_path):
    async with rig(tmp_path) as it:
        it.fake.failing["apps.connections.open"] = "fatal_error"
        await it.sockets.refresh()
        await until(lambda: it.door.fault().startswith("cannot connect"))
        it.fake.failing.clear()
        await until(lambda: it.door.fault() == "")
