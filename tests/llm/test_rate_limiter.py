from __future__ import annotations

import asyncio
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from fourcorners.llm.limits import RateLimiter


class Clock:
    """A clock that goes on only where somebody waits."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


def begun(pace: RateLimiter, clock: Clock, sizes: Iterable[int]) -> list[float]:
    """Return when each request began, one after the other."""

    async def run() -> list[float]:
        at = []
        for size in sizes:
            async with pace.acquire(size):
                at.append(clock.now - 1_000)
        return at

    return asyncio.run(run())


def test_without_limits_nobody_waits() -> None:
    clock = Clock()
    pace = RateLimiter(concurrency=2, clock=clock, sleep=clock.sleep)
    assert begun(pace, clock, [10**9] * 5) == [0] * 5


def test_requests_a_minute() -> None:
    clock = Clock()
    pace = RateLimiter(concurrency=9, requests=2, clock=clock, sleep=clock.sleep)
    assert begun(pace, clock, [1] * 6) == [0, 0, 60, 60, 120, 120]


def test_tokens_a_minute() -> None:
    clock = Clock()
    pace = RateLimiter(concurrency=9, tokens=100, clock=clock, sleep=clock.sleep)
    assert begun(pace, clock, [60, 40, 10, 500, 5]) == [0, 0, 60, 120, 180]


def test_a_busy_server_holds_all() -> None:
    clock = Clock()
    pace = RateLimiter(concurrency=9, clock=clock, sleep=clock.sleep)
    pace.pause(7)
    pace.pause(3)
    assert begun(pace, clock, [1, 1]) == [7, 7]


@given(
    st.lists(st.integers(1, 80), max_size=30),
    st.integers(1, 5),
    st.integers(80, 200),
)
def test_no_minute_holds_more_than_allowed(sizes: list[int], requests: int, tokens: int) -> None:
    clock = Clock()
    pace = RateLimiter(
        concurrency=9, requests=requests, tokens=tokens, clock=clock, sleep=clock.sleep
    )
    times = begun(pace, clock, sizes)
    for start in times:
        inside = [size for at, size in zip(times, sizes, strict=True) if start <= at < start + 60]
        assert len(inside) <= requests
        assert sum(inside) <= tokens
