"""How often one caller may ask: a bucket of tokens each, which fills again with time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from fourcorners.server.errors import TooManyRequests

_MOST_KNOWN = 10_000  # addresses remembered
REQUESTS_PER_MINUTE = 600
"""Requests of one program a minute, in the long run."""


class RateLimiter:
    """Lets each caller ask `burst` times at once, and `a_minute` times in the long run."""

    def __init__(
        self, a_minute: float, burst: int, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._speed, self._burst, self._clock = a_minute / 60, burst, clock
        self._left: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def spend(self, caller: str) -> None:
        """Count a request.

        Raises:
            TooManyRequests: If the caller has asked too often; it says how long to wait.
        """
        at = self._clock()
        with self._lock:
            left, since = self._left.get(caller, (float(self._burst), at))
            left = min(self._burst, left + (at - since) * self._speed)
            if len(self._left) > _MOST_KNOWN:
                self._left.clear()
            if left < 1:
                self._left[caller] = (left, at)
                wait = max(1, round((1 - left) / self._speed + 0.5))
                raise TooManyRequests(
                    "too many requests.", remedy=f"Wait {wait} seconds.", after=wait
                )
            self._left[caller] = (left - 1, at)
