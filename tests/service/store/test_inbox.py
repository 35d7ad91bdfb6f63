from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from tests.service.store.conftest import NOON


@pytest.fixture
def inbox(sql):
    return sql.inbox


def take(inbox, n: int = 1, *, at=NOON, **changed):
    event = {"event_id": f"Ev{n}", "team": "T1", "channel": "C1", "ts": f"{n}.0"}
    return inbox.receive(**(event | changed), payload={"text": f"question {n}"}, now=at)


def after(seconds: float):
    return NOON + timedelta(seconds=seconds)


def test_an_event_is_taken_in_once_by_its_id_and_once_by_its_message(inbox):
    assert take(inbox)

    assert not take(inbox)
    assert not take(inbox, event_id="Ev2")
    assert not take(inbox, ts="2.0")
    assert take(inbox, 2)


def test_items_are_claimed_oldest_first_and_each_once(inbox):
    take(inbox, 2, at=after(1))
    take(inbox, 1)

    claimed = [inbox.claim(after(2), 60) for _ in range(3)]

    assert [item and item.payload["text"] for item in claimed] == ["question 1", "question 2", None]


def test_a_dead_workers_item_is_claimed_again_when_its_lease_is_over(inbox):
    take(inbox)
    inbox.claim(NOON, 60)

    assert inbox.claim(after(59), 60) is None
    again = inbox.claim(after(60), 60)
    assert (again.attempts, again.state) == (2, "working")


def test_a_lease_can_be_lengthened(inbox):
    take(inbox)
    item = inbox.claim(NOON, 60)

    inbox.extend(item.id, until=after(300))

    assert inbox.claim(after(120), 60) is None


def test_an_answered_item_is_never_claimed_again(inbox):
    take(inbox)
    item = inbox.claim(NOON, 60)

    assert inbox.done(item.id, reply_ts="9.9", now=after(1))

    assert inbox.claim(after(1000), 60) is None
    assert not inbox.done(item.id, reply_ts="9.9", now=after(2))
    assert inbox.find(team="T1", channel="C1", ts="1.0").reply_ts == "9.9"


def test_an_item_is_given_back_and_then_given_up(inbox):
    take(inbox)
    item = inbox.claim(NOON, 60)
    inbox.replying(item.id, reply_ts="8.8")

    inbox.later(item.id, at=after(10), error="rate_limited")

    assert inbox.claim(after(9), 60) is None
    again = inbox.claim(after(10), 60)
    assert (again.reply_ts, again.error) == ("8.8", "rate_limited")
    inbox.failed(again.id, error="channel_not_found", now=after(11))
    assert inbox.counts() == {"failed": 1}


def test_many_workers_never_share_an_item(inbox):
    for n in range(40):
        take(inbox, n)

    with ThreadPoolExecutor(8) as threads:
        claimed = list(threads.map(lambda _: inbox.claim(after(1), 60), range(60)))

    ids = [item.id for item in claimed if item is not None]
    assert len(ids) == len(set(ids)) == 40


def test_only_what_ended_long_ago_is_forgotten(inbox):
    take(inbox, 1)
    inbox.done(inbox.claim(NOON, 60).id, reply_ts="9.9", now=NOON)
    take(inbox, 2)

    assert inbox.prune(before=after(1)) == 1
    assert inbox.counts() == {"received": 1}
