"""The places for answers: so many run, so many wait, and the next one is refused at once."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from threading import Lock
from time import perf_counter
from typing import TypeVar

from service.errors import Overloaded
from service.http.errors import AnswerTimeout

T = TypeVar("T")


class AnswerPool:
    """Threads of its own for the engine, so that no other route ever waits for an answer.

    A place is free again when its work has ended, not when its caller gave up: work that timed out still counts.
    """

    def __init__(
        self,
        *,
        running: int,
        waiting: int,
        timeout_s: float,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self._executor = ThreadPoolExecutor(running, thread_name_prefix="rigwise-answer")
        self._running = running
        self._places = running + waiting
        self._timeout_s = timeout_s
        self._clock = clock
        self._lock = Lock()
        self._taken = 0
        self._refused = 0
        self._last_s = 1.0

    async def run(self, work: Callable[[], T]) -> T:
        """Do the work on a thread and wait for it.

        Raises:
            Overloaded: every place is taken.
            AnswerTimeout: it took too long; work that has not begun is given up.
        """
        future = self._submit(work)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self._timeout_s)
        except TimeoutError as error:
            if future.done() and not future.cancelled():
                raise
            raise AnswerTimeout(self._timeout_s) from error

    @property
    def timeout_s(self) -> float:
        """How long an answer may take."""
        return self._timeout_s

    def load(self) -> tuple[int, int, int]:
        """How many pieces of work run, how many wait, how many were refused so far."""
        with self._lock:
            running = min(self._taken, self._running)
            return running, self._taken - running, self._refused

    def start(self, work: Callable[[], T]) -> Future[T]:
        """Begin the work on a thread; whoever began it looks after its time.

        Raises:
            Overloaded: every place is taken.
        """
        return self._submit(work)

    def close(self) -> None:
        """Give up what has not begun."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _submit(self, work: Callable[[], T]) -> Future[T]:
        with self._lock:
            if self._taken >= self._places:
                self._refused += 1
                raise Overloaded(self._places, self._retry_after_s())
            self._taken += 1
        try:  # what is logged on the thread tells its request
            future = self._executor.submit(copy_context().run, self._timed, work)
        except RuntimeError:
            self._free()
            raise
        future.add_done_callback(self._free)
        return future

    def _timed(self, work: Callable[[], T]) -> T:
        began = self._clock()
        try:
            return work()
        finally:
            self._last_s = self._clock() - began

    def _free(self, _: object = None) -> None:
        with self._lock:
            self._taken -= 1

    def _retry_after_s(self) -> int:
        """When a place should be free, going by the last piece of work."""
        return max(1, math.ceil(self._last_s * self._taken / self._running))
