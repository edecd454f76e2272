"""How fast a model is asked: requests at once, and requests and tokens a minute."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

_MINUTE = 60.0  # seconds


class RateLimiter:
    """One model's limits; used on one event loop.

    Args:
        concurrency: Requests at once.
        requests: A minute; None for no limit.
        tokens: A minute, by estimate; one request with more goes alone.
    """

    def __init__(
        self,
        *,
        concurrency: int,
        requests: int | None = None,
        tokens: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.concurrency = concurrency
        self._slots = asyncio.Semaphore(concurrency)
        self._requests = requests
        self._tokens = tokens
        self._clock = clock
        self._sleep = sleep
        self._past: deque[tuple[float, int]] = deque()
        self._not_before = 0.0

    @asynccontextmanager
    async def acquire(self, tokens: int) -> AsyncIterator[None]:
        async with self._slots:
            while (wait := self._wait(tokens)) > 0:
                await self._sleep(wait)
            self._past.append((self._clock(), tokens))
            yield

    def pause(self, seconds: float) -> None:
        self._not_before = max(self._not_before, self._clock() + seconds)

    def _wait(self, tokens: int) -> float:
        """Return the seconds until the request fits into the last minute."""
        now = self._clock()
        while self._past and self._past[0][0] <= now - _MINUTE:
            self._past.popleft()
        waits = [self._not_before - now]
        if self._requests is not None and len(self._past) >= self._requests:
            waits.append(self._past[len(self._past) - self._requests][0] + _MINUTE - now)
        if self._tokens is not None and self._past:
            over = sum(each for _, each in self._past) + tokens - self._tokens
            for at, each in self._past:
                if over <= 0:
                    break
                waits.append(at + _MINUTE - now)
                over -= each
        return max(waits)
