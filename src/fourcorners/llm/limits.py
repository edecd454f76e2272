"""A model as one role uses it, and the limits on asking it: its pace, its server, a budget."""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from fourcorners.errors import BudgetExceeded, LlmUnreachable
from fourcorners.llm.exchange import LanguageModel, Options, Request
from fourcorners.llm.ledger import Budget, Call, Spending

_MINUTE = 60.0  # seconds
MAX_FAILURES = 5  # in a row
OPEN_SECONDS = 30.0  # until one question is let through again
_REMEDY = "Check that the server runs, and url under [llm]; then go on with the same command."
Price: TypeAlias = Callable[[int, int], float]
"""The cost of so many tokens in and out."""

BYTES_PER_TOKEN = 4.0  # of English, before the model has told
_PER_MESSAGE = 8  # tokens of a chat's template


class RateLimiter:
    """One model's limits; used on one event loop.

    Args:
        requests: A minute; None for no limit.
        tokens: A minute, by estimate; one request with more goes alone.
    """

    def __init__(
        self,
        concurrency: int,
        requests: int | None = None,
        tokens: int | None = None,
        *,
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


class CircuitBreaker:
    """What one server's last attempts say of it; used on one event loop.

    After so many attempts in a row, over all questions, that got no connection or no answer in
    time, nothing is sent for a rest. Then one question goes through: its answer ends the pause, its
    failure begins another.
    """

    def __init__(
        self,
        after: int = MAX_FAILURES,
        rest: float = OPEN_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._after, self._rest, self._clock = after, rest, clock
        self._lost = 0
        self._until: float | None = None
        self._is_probed = False

    def is_open(self) -> bool:
        return self._until is not None and (self._is_probed or self._clock() < self._until)

    def enter(self, name: str) -> None:
        """Let an attempt begin, or refuse it; each that began must end by `answered` or `lost`.

        Raises:
            LlmUnreachable: If the server is taken for dead.
        """
        if self.is_open():
            raise self.open_error(name)
        if self._until is not None:
            self._is_probed = True

    def record_answer(self) -> None:
        self._lost, self._until, self._is_probed = 0, None, False

    def record_failure(self) -> None:
        self._lost += 1
        self._is_probed = False
        if self._lost >= self._after:
            self._until = self._clock() + self._rest

    def record_abandoned(self) -> None:
        """Say that an attempt was given up before anything was learned."""
        self._is_probed = False

    def open_error(self, name: str) -> LlmUnreachable:
        times = "once" if self._lost == 1 else f"{self._lost} times in a row"
        return LlmUnreachable(
            f"{name} was not asked, because its server did not answer {times}.", remedy=_REMEDY
        )


@dataclass(frozen=True, slots=True)
class Reservation:
    tokens: int
    cost: float


class BudgetMeter:
    """What a job has spent and set aside; used on one event loop, but for `spent`."""

    def __init__(self, budget: Budget, before: Spending) -> None:
        self._budget = budget
        self.spent = before
        self._staked = Reservation(0, 0.0)
        self._settled = asyncio.Condition()

    async def reserve(self, stake: Reservation) -> None:
        """Set aside what a call may use; wait for other calls to end where that may help.

        Raises:
            BudgetExceeded: If the call may exceed what is left.
        """
        async with self._settled:
            while self._staked.tokens and self._exceeded(stake, self._staked):
                if self._exceeded(stake, Reservation(0, 0.0)):
                    break
                await self._settled.wait()
            if over := self._exceeded(stake, self._staked):
                raise BudgetExceeded(
                    f"the budget of the language model stops here: {over}.",
                    remedy="Raise budget or budget_tokens under [llm], or lower max_tokens; "
                    "then go on with the same command.",
                )
            self._staked = Reservation(
                self._staked.tokens + stake.tokens, self._staked.cost + stake.cost
            )

    async def charge(self, stake: Reservation, call: Call | None) -> None:
        async with self._settled:
            self._staked = Reservation(
                self._staked.tokens - stake.tokens, self._staked.cost - stake.cost
            )
            if call is not None:
                self.spent = self.spent.add_call(call)
            self._settled.notify_all()

    def _exceeded(self, stake: Reservation, staked: Reservation) -> str:
        budget, spent = self._budget, self.spent
        if budget.tokens is not None:
            wanted = spent.tokens + staked.tokens + stake.tokens
            if wanted > budget.tokens:
                return (
                    f"{spent.tokens:,} tokens are used, and the next call may use "
                    f"{stake.tokens:,} of {budget.tokens:,}"
                )
        if budget.cost is not None:
            wanted_cost = spent.cost + staked.cost + stake.cost
            if wanted_cost > budget.cost + 1e-9:
                return (
                    f"{spent.cost:.4f} is spent, and the next call may cost {stake.cost:.4f} "
                    f"of {budget.cost:.4f}"
                )
        return ""


@dataclass(slots=True)
class TokenEstimator:
    bytes: int = 0
    tokens: int = 0

    def add(self, request: Request, tokens: int) -> None:
        if tokens > 0:
            self.bytes += request.size
            self.tokens += tokens

    def tokens_of(self, request: Request) -> int:
        ratio = self.bytes / self.tokens if self.tokens else BYTES_PER_TOKEN
        return math.ceil(request.size / ratio) + _PER_MESSAGE * len(request.messages)


@dataclass(frozen=True, slots=True)
class RoleModel:
    """A model as one role uses it.

    Attributes:
        name: Provider and model, as requests and the ledger name it.
        price: Of its tokens; None if it is not known.
        endpoint: The URL of its server, to be shown; empty if it has none.
        breaker: Shared by all that ask the same server.
    """

    name: str
    model: LanguageModel
    rate_limiter: RateLimiter
    options: Options = field(default_factory=Options)
    timeout: float = 120.0
    attempts: int = 4
    price: Price | None = None
    endpoint: str = ""
    tally: TokenEstimator = field(default_factory=TokenEstimator)
    breaker: CircuitBreaker = field(default_factory=CircuitBreaker)

    def reservation(self, request: Request) -> Reservation:
        """Return what a request may use at most: its tokens, and as long an answer as allowed."""
        sent = self.tally.tokens_of(request)
        most = request.options.max_tokens
        return Reservation(sent + most, self.price(sent, most) if self.price else 0.0)


def fixed_price(per_million_in: float, per_million_out: float) -> Price:
    return lambda sent, got: (sent * per_million_in + got * per_million_out) / 1e6


def known_price(provider: str, model: str) -> Price | None:
    """Return the list price in US dollars that the installed tables have; None if they lack it."""
    try:
        from genai_prices import Usage, calc_price
    except ImportError:  # a recording is replayed without the libraries
        return None

    def price(sent: int, got: int) -> float:
        usage = Usage(input_tokens=sent, output_tokens=got)
        return float(calc_price(usage, model, provider_id=provider).total_price)

    try:
        price(1, 1)
    except LookupError:
        return None
    return price
