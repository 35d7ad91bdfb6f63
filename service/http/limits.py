"""How many requests an address or a key may send in a while: counted before anything is read of them."""

from __future__ import annotations

import ipaddress
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Literal

import structlog
from limits import RateLimitItem, parse_many
from limits.aio.storage import MemoryStorage, RedisStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter
from limits.errors import StorageError
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.http.errors import NoRedis, RateLimited
from service.http.problems import problem_of

if TYPE_CHECKING:
    from redis.asyncio import ConnectionPool

By = Literal["address", "key"]
_FREE: Final = frozenset({"/livez", "/readyz"})
_PAUSE_S: Final = 5.0
_REDIS_S: Final = 0.25
_NETWORK_BITS: Final = 64
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where somebody stands in the window that is nearest to its end."""

    allowed: bool
    quota: int
    window_s: int
    remaining: int
    reset_s: int


class HitCounter:
    """Counts in the memory of this process, or in Redis for several; while Redis is away, in memory again.

    Raises:
        NoRedis: an address is given, and the extra `redis` is not installed.
    """

    def __init__(self, address: str, *, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._away_until = clock()
        self._own = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._connections = _connections(address) if address else None
        self._shared = self._counting_in(address)

    async def hit(self, rates: Sequence[RateLimitItem], who: str) -> Standing:
        """Count a request in each window; refused when one of them is full."""
        if self._shared is not None and self._clock() >= self._away_until:
            try:
                return await _hit(self._shared, rates, who)
            except StorageError as error:
                self._away_until = self._clock() + _PAUSE_S
                _log.warning("limits.redis_away", reason=type(error.storage_error).__name__)
        return await _hit(self._own, rates, who)

    async def close(self) -> None:
        """End the connections to Redis."""
        if self._connections is not None:
            await self._connections.disconnect()

    def _counting_in(self, address: str) -> SlidingWindowCounterRateLimiter | None:
        if self._connections is None:
            return None
        pool: Any = self._connections
        return SlidingWindowCounterRateLimiter(
            RedisStorage(
                f"async+{address}",
                wrap_exceptions=True,
                implementation="redispy",
                connection_pool=pool,
            )
        )


class RateGuard:
    """Refuses with 429 whoever has sent too much, and tells everybody where he stands. Probes are free."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        by: By,
        rate: str,
        counter: HitCounter,
        refused: Callable[[By], None],
    ) -> None:
        self._app = app
        self._by = by
        self._rates = parse_many(rate) if rate else []
        self._counter = counter
        self._refused = refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count, then refuse or pass on."""
        who = self._who(scope) if scope["type"] == "http" and self._rates else ""
        if not who or scope["path"] in _FREE:
            await self._app(scope, receive, send)
            return
        standing = await self._counter.hit(self._rates, f"{self._by}:{who}")
        telling = _telling(self._by, standing, send)
        if standing.allowed:
            await self._app(scope, receive, telling)
            return
        self._refused(self._by)
        error = RateLimited(self._by, standing.quota, standing.window_s, standing.reset_s)
        response = problem_of(error).response(scope["state"]["request_id"])
        await response(scope, receive, telling)

    def _who(self, scope: Scope) -> str:
        if self._by == "key":
            name: str = scope["state"]["caller"].name
            return name
        return _network(scope["client"][0]) if scope.get("client") else ""


def _network(address: str) -> str:
    """An address; of IPv6 the network, since one customer has 2**64 addresses of it."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if parsed.version == 4:
        return str(parsed)
    return str(ipaddress.ip_network((parsed, _NETWORK_BITS), strict=False))


def _connections(address: str) -> ConnectionPool:
    try:
        from redis.asyncio import ConnectionPool
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff
    except ImportError as error:
        raise NoRedis from error
    return ConnectionPool.from_url(
        address,
        socket_timeout=_REDIS_S,
        socket_connect_timeout=_REDIS_S,
        retry=Retry(NoBackoff(), 0),  # nobody waits for it
    )


async def _hit(
    counter: SlidingWindowCounterRateLimiter, rates: Sequence[RateLimitItem], who: str
) -> Standing:
    standings = [await _standing(counter, rate, who) for rate in rates]
    return min(standings, key=lambda each: (each.allowed, each.remaining))


async def _standing(
    counter: SlidingWindowCounterRateLimiter, rate: RateLimitItem, who: str
) -> Standing:
    allowed = await counter.hit(rate, who)
    ends, remaining = await counter.get_window_stats(rate, who)
    left_s = ends - datetime.now(UTC).timestamp()
    return Standing(
        allowed=allowed,
        quota=rate.amount,
        window_s=rate.get_expiry(),
        remaining=remaining,
        reset_s=max(1, math.ceil(left_s)),
    )


def _telling(by: By, standing: Standing, send: Send) -> Send:
    """Adds the fields of the IETF's draft on RateLimit header fields for HTTP."""

    async def telling(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.append("RateLimit-Policy", f'"{by}";q={standing.quota};w={standing.window_s}')
            headers.append("RateLimit", f'"{by}";r={standing.remaining};t={standing.reset_s}')
        await send(message)

    return telling
