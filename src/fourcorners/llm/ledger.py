"""What calls cost (the record of each, sums, a budget), and a cache that answers a request once.

The port keeps the sums itself; a `Ledger` records each call and knows what a job spent before.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Protocol

from fourcorners.llm.exchange import PromptId, Role


@dataclass(frozen=True, slots=True)
class Call:
    """One exchange with a model, or one answered from the cache.

    Attributes:
        at: When it ended, UTC in ISO 8601.
        key: The request's hash, as in the cache and in recordings.
        cost: In the currency of the prices; None where the price is not known.
        measured: Whether the provider reported the tokens; else they are estimates.
        outcome: `answered`, `cached`, or the kind of error.
        tag: The caller's own name for the question: an agent and its turn, a cell.
    """

    at: str
    job: str
    role: Role
    model: str
    prompt: PromptId
    key: str
    tokens_in: int
    tokens_out: int
    cost: float | None
    seconds: float
    measured: bool
    outcome: str
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Spending:
    """A sum over calls.

    Attributes:
        calls: Exchanges with a model, failed ones included; not those answered from the cache.
        unpriced: Calls among them whose price is not known: the cost is without them.
    """

    calls: int = 0
    cached: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    unpriced: int = 0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out

    def add_call(self, call: Call) -> Spending:
        was_cached = call.outcome == "cached"
        return Spending(
            calls=self.calls + (not was_cached),
            cached=self.cached + was_cached,
            tokens_in=self.tokens_in + call.tokens_in,
            tokens_out=self.tokens_out + call.tokens_out,
            cost=self.cost + (call.cost or 0.0),
            unpriced=self.unpriced + (call.cost is None and not was_cached),
            seconds=self.seconds + call.seconds,
        )


def total_spending(calls: Iterable[Call]) -> Spending:
    return reduce(Spending.add_call, calls, Spending())


class Ledger(Protocol):
    """A record of calls; it is used in the caller's thread."""

    def add(self, call: Call) -> None: ...

    def job_spending(self, job: str) -> Spending: ...


class MemoryLedger:
    def __init__(self) -> None:
        self._calls: list[Call] = []

    def add(self, call: Call) -> None:
        self._calls.append(call)

    @property
    def calls(self) -> tuple[Call, ...]:
        return tuple(self._calls)

    def job_spending(self, job: str) -> Spending:
        return total_spending(call for call in self.calls if call.job == job)


class Cache(Protocol):
    """Text by key, used in the thread that asks; a key is the hash of all that matters."""

    def get(self, key: str) -> str | None: ...

    def put(self, key: str, value: str) -> None: ...


class MemoryCache:
    """A cache of this process; the one that was not used for longest goes first."""

    def __init__(self, most: int = 10_000) -> None:
        self._most = most
        self._cached: dict[str, str] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._cached)

    def get(self, key: str) -> str | None:
        with self._lock:
            value = self._cached.pop(key, None)
            if value is not None:
                self._cached[key] = value
            return value

    def put(self, key: str, value: str) -> None:
        with self._lock:
            self._cached.pop(key, None)
            self._cached[key] = value
            if len(self._cached) > self._most:
                del self._cached[next(iter(self._cached))]


@dataclass(frozen=True, slots=True)
class Budget:
    """What one job may spend; None for no limit.

    Attributes:
        cost: In the currency of the prices.
    """

    cost: float | None = None
    tokens: int | None = None
