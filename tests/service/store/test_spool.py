from __future__ import annotations

import pytest

from service.store.spool import Spool
from tests.service.store.records_for_tests import judged, stored


@pytest.fixture
def spool(tmp_path):
    return Spool(tmp_path / "spool")


def taken(spool):
    with spool.oldest() as records:
        return records


def test_records_come_back_as_they_were_and_only_once(spool):
    spool.append([stored(1), judged(1)])
    spool.append([stored(2)])

    assert spool.count() == 3
    assert taken(spool) == [stored(1), judged(1), stored(2)]
    assert taken(spool) == []


def test_records_stay_when_they_could_not_be_stored(spool):
    spool.append([stored()])

    with pytest.raises(ValueError, match="away"), spool.oldest():
        raise ValueError("the database is away")

    assert taken(spool) == [stored()]


def test_a_line_that_was_torn_is_put_aside_and_spoils_no_other(spool, tmp_path):
    spool.append([stored(1)])
    file = tmp_path / "spool/00000001.jsonl"
    file.write_bytes(file.read_bytes() + b'{"answer": {"id": "a')
    spool.append([stored(2)])

    assert taken(spool) == [stored(1), stored(2)]
    assert (tmp_path / "spool/refused.jsonl").read_bytes() == b'{"answer": {"id": "a\n'


def test_the_spool_is_for_its_owner_only(spool, tmp_path):
    spool.append([stored()])

    assert {path.stat().st_mode & 0o077 for path in (tmp_path / "spool").rglob("*")} == {0}


def test_what_waits_of_a_person_is_forgotten_too(spool):
    spool.append([stored(1), stored(2, asker="bob")])
    spool.refuse([stored(3)])

    assert spool.of_asker("ann") == [stored(1)]
    assert spool.forget("ann") == 2
    assert taken(spool) == [stored(2, asker="bob")]
