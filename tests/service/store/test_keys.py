from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from service.store.errors import BadKey, KeyNotFound, StoreUnavailable
from service.store.keyring import Keyring
from service.store.store import Store
from tests.rigwise.waiting_for_tests import until
from tests.service.store.conftest import NOON

DAY = timedelta(days=1)


@pytest.fixture
def today():
    """The clock: its last entry is now."""
    return [NOON]


@pytest.fixture
def keyring(sql, today):
    ring = Keyring(sql, now=lambda: today[-1], refresh_s=0.01)
    ring.start()
    until(lambda: ring._keys is not None)
    yield ring
    ring.close()


def who(ring, secret: str):
    return asyncio.run(ring.caller(secret))


def test_a_key_is_known_by_its_secret_and_not_kept(sql, keyring):
    secret = sql.keys.create("alice", ["ask", "read"], now=NOON)
    until(lambda: who(keyring, secret) is not None)

    caller = who(keyring, secret)

    assert (caller.name, caller.scopes) == ("alice", {"ask", "read"})
    assert secret not in str(sql.keys.by_digest())
    assert len(secret) >= 43
    assert who(keyring, secret + "x") is None


def test_a_key_has_its_collections(sql, keyring):
    one = sql.keys.create("one", ["read"], now=NOON, collections=["law"])
    every = sql.keys.create("every", ["read"], now=NOON, collections=["*"])
    none = sql.keys.create("none", ["read"], now=NOON)
    until(lambda: who(keyring, none) is not None)

    seen = [who(keyring, secret).visible for secret in (one, every, none)]
    assert seen == [{"law"}, None, set()]


def test_a_key_expires(sql, keyring, today):
    secret = sql.keys.create("alice", ["ask"], now=NOON, expires_at=NOON + DAY)
    until(lambda: who(keyring, secret) is not None)

    today.append(NOON + DAY)

    assert who(keyring, secret) is None
    assert sql.keys.all()[0].state(NOON + DAY) == "expired"


def test_a_revoked_key_opens_nothing(sql, keyring):
    secret = sql.keys.create("alice", ["ask"], now=NOON)
    until(lambda: who(keyring, secret) is not None)

    sql.keys.revoke("alice", now=NOON)

    until(lambda: who(keyring, secret) is None)
    assert sql.keys.all()[0].state(NOON) == "revoked"


def test_a_rotated_key_has_a_new_secret_and_its_old_scopes(sql, keyring):
    old = sql.keys.create("alice", ["write"], now=NOON)

    new = sql.keys.rotate("alice", now=NOON)

    until(lambda: who(keyring, new) is not None)
    assert who(keyring, new).scopes == {"write"}
    assert who(keyring, old) is None


def test_the_last_use_is_noted(sql):
    secret = sql.keys.create("alice", ["ask"], now=NOON)
    ring = Keyring(sql, now=lambda: NOON + DAY, refresh_s=0.01)
    ring.start()
    until(lambda: ring._keys is not None)

    who(ring, secret)
    ring.close()

    assert sql.keys.all()[0].used_at == NOON + DAY


@pytest.mark.parametrize(
    ("name", "scopes", "expires_at"),
    [
        ("", ["ask"], None),
        ("a/b", ["ask"], None),
        ("admin", ["ask"], None),
        ("a" * 101, ["ask"], None),
        ("alice", [], None),
        ("alice", ["ask", "everything"], None),
        ("alice", ["ask"], NOON),
    ],
)
def test_a_key_that_makes_no_sense_is_not_made(sql, name, scopes, expires_at):
    with pytest.raises(BadKey):
        sql.keys.create(name, scopes, now=NOON, expires_at=expires_at)


def test_a_name_is_taken_for_good(sql):
    sql.keys.create("alice", ["ask"], now=NOON)
    sql.keys.revoke("alice", now=NOON)

    with pytest.raises(BadKey, match="alice"):
        sql.keys.create("alice", ["ask"], now=NOON)
    with pytest.raises(BadKey, match="revoked"):
        sql.keys.rotate("alice", now=NOON)
    with pytest.raises(KeyNotFound, match="bob"):
        sql.keys.revoke("bob", now=NOON)


def test_keys_that_were_read_stay_good_while_the_database_is_away(postgres):
    store = Store(postgres.fresh())
    store.prepare()
    secret = store.keys.create("alice", ["ask"], now=NOON)
    ring = Keyring(store, now=lambda: NOON, refresh_s=0.01)
    ring.start()
    until(lambda: ring._keys is not None)

    postgres.stop()
    try:
        until(lambda: store.database.check() != "")
        assert who(ring, secret).name == "alice"
        with pytest.raises(StoreUnavailable):
            who(Keyring(store, now=lambda: NOON), secret)
    finally:
        postgres.start()
        ring.close()
        store.close()
