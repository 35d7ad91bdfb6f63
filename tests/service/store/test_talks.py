from __future__ import annotations

from datetime import timedelta

import pytest

from indexer.types import DeviceId
from service.store.errors import StoreUnavailable
from service.store.store import Store
from service.store.talks import StoredConversations
from service.turns import Turn
from tests.service.store.conftest import NOON

FIRST = Turn(question="q1", asked="q1", devices=(DeviceId("d1"),))
SECOND = Turn(question="and that?", asked="q2")


def another_process(sql, *, later_s: float = 0.0) -> StoredConversations:
    return StoredConversations(
        sql.database, keep_s=60, now=lambda: NOON + timedelta(seconds=later_s)
    )


def test_a_conversation_outlives_its_process(sql, conversations):
    conversations.add("ann/c1", FIRST)
    conversations.add("ann/c1", SECOND)

    assert another_process(sql).turns("ann/c1") == (FIRST, SECOND)
    assert another_process(sql).turns("ann/c2") == ()


def test_a_conversation_expires(sql, conversations):
    conversations.add("ann/c1", FIRST)

    assert another_process(sql, later_s=59).turns("ann/c1") == (FIRST,)
    assert another_process(sql, later_s=60).turns("ann/c1") == ()


def test_a_deleted_conversation_is_gone_everywhere(sql, conversations):
    conversations.add("ann/c1", FIRST)

    assert conversations.delete("ann/c1")
    assert not conversations.delete("ann/c1")
    assert another_process(sql).turns("ann/c1") == ()


def test_memory_stands_in_while_the_database_is_away(postgres, url_of_postgres):
    store = Store(url_of_postgres)
    store.prepare()
    talks = another_process(store)
    talks.add("ann/c1", FIRST)
    postgres.stop()

    talks.add("ann/c1", SECOND)
    found = talks.turns("ann/c1")
    with pytest.raises(StoreUnavailable):
        talks.delete("ann/c1")
    postgres.start()

    assert found == (FIRST, SECOND)
    store.close()


def test_what_has_expired_is_forgotten_and_what_lives_is_not(sql, conversations):
    conversations.add("ann/old", FIRST)
    later = another_process(sql, later_s=60)
    later.add("ann/new", FIRST)

    assert later.prune() == 1
    assert sql.ledger.counts()["turns"] == 1
