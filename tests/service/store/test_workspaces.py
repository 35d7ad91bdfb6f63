from __future__ import annotations

import pytest
from sqlalchemy import text

from service.store.errors import NoStoreKey
from service.store.store import Store
from service.store.types import Installation
from tests.service.store.conftest import NOON

HOME = Installation(
    enterprise="", team="T1", installed_at=NOON, secrets={"bot_token": "xoxb-secret"}
)
OTHER_KEY = "LlV3kqzyuGy3BmPCl6mTTYYw3Y6MOoTV2wAQV2HcEFY="


def test_an_installation_comes_back_whole(sql):
    sql.installations.save(HOME)

    assert sql.installations.find(enterprise="", team="T1") == HOME
    assert sql.installations.find(enterprise="", team="T2") is None


def test_a_token_never_stands_in_the_database_as_it_is(sql):
    sql.installations.save(HOME)

    with sql.database.begin() as connection:
        row = connection.execute(text("SELECT * FROM slack_installations")).one()
    assert "xoxb" not in str(row)


def test_installing_again_replaces_and_uninstalling_forgets(sql):
    sql.installations.save(HOME)
    sql.installations.save(
        Installation(enterprise="", team="T1", installed_at=NOON, secrets={"bot_token": "xoxb-2"})
    )

    assert sql.installations.find(enterprise="", team="T1").secrets == {"bot_token": "xoxb-2"}
    assert sql.installations.delete(enterprise="", team="T1")
    assert not sql.installations.delete(enterprise="", team="T1")


@pytest.mark.parametrize(("keys", "told"), [((), "encrypted"), (("short",), "no key")])
def test_without_a_good_key_no_token_is_stored(url, keys, told):
    store = Store(url, keys=keys)
    store.prepare()

    with pytest.raises(NoStoreKey, match=told):
        store.installations.save(HOME)
    store.close()


def test_a_new_key_in_front_of_the_old_one_reads_both(sql, url):
    sql.installations.save(HOME)
    rotated = Store(url, keys=(OTHER_KEY, "b1CGBGvL0sZqwTzlvrFHz2ehNbHPDzZ6e3JHGbFDVpE="))
    stranger = Store(url, keys=(OTHER_KEY,))

    assert rotated.installations.find(enterprise="", team="T1") == HOME
    with pytest.raises(NoStoreKey, match="stored with"):
        stranger.installations.find(enterprise="", team="T1")
    rotated.close()
    stranger.close()


def test_settings_are_kept_by_channel(sql):
    sql.channels.put({"mode": "mention"}, team="T1", channel="C1", now=NOON)
    sql.channels.put({"mode": "always"}, team="T1", channel="C1", now=NOON)

    assert sql.channels.get(team="T1", channel="C1") == {"mode": "always"}
    assert sql.channels.get(team="T1", channel="C2") == {}
