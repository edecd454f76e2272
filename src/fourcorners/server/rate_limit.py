"""How often one caller may ask: a bucket of tokens each, which fills again with time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil

from fourcorners.server.errors import TooManyRequests

_MOST_KNOWN = 10_000  # addresses remembered
REQUESTS_PER_MINUTE = 600
"""Requests of one program a minute, in the long run."""


_FREE = 5  # failures of a source that cost no time
_FIRST_DELAY, _LONGEST_DELAY = 2.0, 3600.0  # seconds; twice as long with each failure
_FORGIVEN = 600.0  # seconds after which one failure counts no more


class FailureLimiter:
    """Makes a source wait longer with each failure, whoever it says it is.

    A source is an address, of IPv6 its network: one host has as many addresses there as it likes.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failed: dict[str, tuple[float, float]] = {}  # how often, and when last
        self._lock = threading.Lock()

    def require(self, address: str) -> None:
        """Refuse a source that has to wait.

        Raises:
            TooManyRequests: If it has; it says how long.
        """
        source, at = source_of(address), self._clock()
        with self._lock:
            count, last = self._count(source, at)
        over = count - _FREE
        delay = min(_LONGEST_DELAY, _FIRST_DELAY * 2.0 ** min(over, 20)) if over >= 0 else 0.0
        wait = last + delay - at
        if wait > 0:
            seconds = max(1, round(wait + 0.5))
            raise TooManyRequests(
                "too many attempts from your address.",
                remedy=f"Wait {seconds} seconds.",
                after=seconds,
            )

    def note_failure(self, address: str) -> None:
        source, at = source_of(address), self._clock()
        with self._lock:
            if len(self._failed) > _MOST_KNOWN:
                self._failed.clear()
            self._failed[source] = (self._count(source, at)[0] + 1, at)

    def _count(self, source: str, at: float) -> tuple[float, float]:
        count, last = self._failed.get(source, (0.0, at))
        return max(0.0, count - int((at - last) / _FORGIVEN)), last


def source_of(address: str) -> str:
    """Return the source that an address belongs to: itself, or of IPv6 its network."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ip_network((found, 64), strict=False))
    return str(found)


@dataclass(frozen=True, slots=True)
class RateStatus:
    """How often a caller may still ask: `left` of `burst`, which are all there again in `seconds`.

    `window` is how many seconds an empty bucket takes to fill.
    """

    burst: int
    left: int
    window: int
    seconds: int

    @property
    def headers(self) -> dict[str, str]:
        """Return it as draft-ietf-httpapi-ratelimit-headers has it."""
        return {
            "RateLimit-Policy": f'"requests";q={self.burst};w={self.window}',
            "RateLimit": f'"requests";r={self.left};t={self.seconds}',
        }


class RateLimiter:
    """Lets each caller ask `burst` times at once, and `a_minute` times in the long run."""

    def __init__(
        self, a_minute: float, burst: int, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._speed, self._burst, self._clock = a_minute / 60, burst, clock
        self._left: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def spend(self, caller: str) -> RateStatus:
        """Count a request, and tell how many more there may be.

        Raises:
            TooManyRequests: If the caller has asked too often; it says how long to wait.
        """
        at = self._clock()
        with self._lock:
            left, since = self._left.get(caller, (float(self._burst), at))
            left = min(self._burst, left + (at - since) * self._speed)
            if len(self._left) > _MOST_KNOWN:
                self._left.clear()
            refused = left < 1
            self._left[caller] = (left if refused else left - 1, at)
        left = left if refused else left - 1
        status = RateStatus(
            self._burst,
            int(left),
            ceil(self._burst / self._speed),
            ceil((self._burst - left) / self._speed),
        )
        if refused:
            wait = max(1, ceil((1 - left) / self._speed))
            raise TooManyRequests(
                "too many requests.",
                remedy=f"Wait {wait} seconds.",
                after=wait,
                headers=status.headers,
            )
        return status
