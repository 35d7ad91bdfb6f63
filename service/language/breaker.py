"""A circuit breaker: after some failures in a row nobody waits for the model until a while has passed."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from time import monotonic


class Breaker:
    """Counts failures in a row. Open, it lets one call through every `rest_s` seconds to try again."""

    def __init__(
        self, *, failures: int = 3, rest_s: float = 30.0, clock: Callable[[], float] = monotonic
    ) -> None:
        self._most = failures
        self._rest_s = rest_s
        self._clock = clock
        self._lock = Lock()
        self._failed = 0
        self._again = 0.0

    def allows(self) -> bool:
        """Whether a call may be made now; while open, the first to ask after the rest is the trial."""
        with self._lock:
            if self._failed < self._most:
                return True
            now = self._clock()
            if now < self._again:
                return False
            self._again = now + self._rest_s
            return True

    def succeeded(self) -> None:
        """A call went well: closed."""
        with self._lock:
            self._failed = 0

    def failed(self) -> None:
        """A call failed; enough of them in a row open it."""
        with self._lock:
            self._failed += 1
            if self._failed >= self._most:
                self._again = self._clock() + self._rest_s
