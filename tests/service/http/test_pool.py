from __future__ import annotations

import asyncio
from threading import Event

import pytest

from service.errors import Overloaded
from service.http.errors import AnswerTimeout
from service.http.pool import AnswerPool


def test_an_error_of_the_work_comes_back():
    pool = AnswerPool(running=1, waiting=0, timeout_s=5)

    with pytest.raises(ZeroDivisionError, match="by zero"):
        asyncio.run(pool.run(lambda: 1 // 0))


def test_a_timeout_of_the_work_itself_is_not_ours():
    pool = AnswerPool(running=1, waiting=0, timeout_s=5)

    def slow():
        raise TimeoutError("a disk is slow")

    with pytest.raises(TimeoutError, match="a disk is slow"):
        asyncio.run(pool.run(slow))


def test_a_place_is_free_after_an_error():
    pool = AnswerPool(running=1, waiting=0, timeout_s=5)
    with pytest.raises(ZeroDivisionError, match="by zero"):
        asyncio.run(pool.run(lambda: 1 // 0))

    assert asyncio.run(pool.run(lambda: 7)) == 7


def test_waiting_work_that_times_out_never_begins():
    pool = AnswerPool(running=1, waiting=1, timeout_s=0.05)
    gate, begun = Event(), []

    async def both():
        return await asyncio.gather(
            pool.run(lambda: gate.wait(10)),
            pool.run(lambda: begun.append(1)),
            return_exceptions=True,
        )

    outcomes = asyncio.run(both())
    gate.set()

    assert [type(outcome) for outcome in outcomes] == [AnswerTimeout, AnswerTimeout]
    assert begun == []


def test_the_time_to_come_back_follows_the_last_answer():
    ticks = iter([0.0, 4.0, 0.0, 0.0])
    pool = AnswerPool(running=1, waiting=0, timeout_s=5, clock=lambda: next(ticks))
    asyncio.run(pool.run(lambda: None))
    gate = Event()

    async def two():
        first = asyncio.ensure_future(pool.run(lambda: gate.wait(10)))
        await asyncio.sleep(0)
        try:
            await pool.run(lambda: None)
        finally:
            gate.set()
            await first

    with pytest.raises(Overloaded, match="try again in 4 s"):
        asyncio.run(two())
