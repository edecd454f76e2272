"""A model as one role uses it, and the limits on asking it: its pace, its server, a budget."""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from fourcorners.errors import BudgetExceeded, LlmUnreachable
from fourcorners.llm.exchange import AttemptError, LanguageModel, Options, Request
from fourcorners.llm.ledger import Budget, Call, Spending

_MINUTE = 60.0  # seconds
MAX_FAILURES = 5  # in a row
OPEN_SECONDS = 30.0  # until one question is let through again
Price: TypeAlias = Callable[[int, int], float]
"""The cost of so many tokens in and out."""

CONTEXT = 32_000
"""Tokens that a model reads at once where its settings do not say: most read more."""
BYTES_PER_TOKEN = 4.0  # bytes per token of English, before the model has reported tokens
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
        self._requests = math.inf if requests is None else requests
        self._tokens = math.inf if tokens is None else tokens
        self._clock, self._sleep = clock, sleep
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
        """Return the seconds until enough of the last minute's requests are older than that."""
        now = self._clock()
        while self._past and self._past[0][0] <= now - _MINUTE:
            self._past.popleft()
        wait = self._not_before - now
        count, total = len(self._past), sum(each for _, each in self._past)
        for at, each in self._past:
            if count < self._requests and total + tokens <= self._tokens:
                break
            wait = max(wait, at + _MINUTE - now)
            count, total = count - 1, total - each
        return wait


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

    def require_server(self, name: str) -> None:
        """Raise LlmUnreachable if the server is considered down."""
        if self.is_open():
            times = "once" if self._lost == 1 else f"{self._lost} times in a row"
            raise LlmUnreachable(
                f"{name} was not asked, because its server did not answer {times}.",
                remedy="Check that the server runs, and url under [llm]; then run the same "
                "command.",
            )

    @contextmanager
    def attempt(self, name: str) -> Iterator[None]:
        """Allow an attempt in the block, and record how it ends.

        Raises:
            LlmUnreachable: If the server is considered down.
        """
        self.require_server(name)
        self._is_probed = self._until is not None
        try:
            yield
        except AttemptError as trouble:
            self._learn(is_silent=trouble.silent)
            raise
        except BaseException:  # given up before anything was learned
            self._is_probed = False
            raise
        self._learn(is_silent=False)

    def _learn(self, *, is_silent: bool) -> None:
        self._is_probed = False
        self._lost = self._lost + 1 if is_silent else 0
        if not is_silent:
            self._until = None
        elif self._lost >= self._after:
            self._until = self._clock() + self._rest


@dataclass(frozen=True, slots=True)
class Reservation:
    tokens: int = 0
    cost: float = 0.0


class BudgetMeter:
    """What a job has spent and set aside; used on one event loop, but for `spent`."""

    def __init__(self, budget: Budget, before: Spending) -> None:
        self._budget = budget
        self.spent = before
        self._reserved: list[Reservation] = []
        self._settled = asyncio.Condition()

    async def reserve(self, stake: Reservation) -> None:
        """Set aside what a call may use; wait for other calls to end where that may help.

        Raises:
            BudgetExceeded: If the call may exceed what is left.
        """
        async with self._settled:
            while over := self._excess(*self._reserved, stake):
                if not self._reserved or self._excess(stake):
                    raise BudgetExceeded(
                        f"the budget of the language model stops here: {over}.",
                        remedy="Raise budget or budget_tokens under [llm], or lower max_tokens; "
                        "then run the same command again.",
                    )
                await self._settled.wait()
            self._reserved.append(stake)

    async def charge(self, stake: Reservation, call: Call | None) -> None:
        """Give back what was set aside, and count what was used instead."""
        async with self._settled:
            self._reserved.remove(stake)
            if call is not None:
                self.spent = self.spent.add_call(call)
            self._settled.notify_all()

    def _excess(self, *stakes: Reservation) -> str:
        """Return what says that the last of these calls is too much; empty if it is not."""
        budget, spent, last = self._budget, self.spent, stakes[-1]
        tokens = spent.tokens + sum(each.tokens for each in stakes)
        if budget.tokens is not None and tokens > budget.tokens:
            return (
                f"{spent.tokens:,} tokens are used, and the next call may use {last.tokens:,} "
                f"of {budget.tokens:,}"
            )
        cost = spent.cost + sum(each.cost for each in stakes)
        if budget.cost is not None and cost > budget.cost + 1e-9:
            return (
                f"{spent.cost:.4f} is spent, and the next call may cost {last.cost:.4f} "
                f"of {budget.cost:.4f}"
            )
        return ""


@dataclass(slots=True)
class TokenEstimator:
    """How many bytes of requests a model counts as one token, from what it has answered."""

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
        context: Tokens that it reads at once, question and answer together.
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
    context: int = CONTEXT

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
