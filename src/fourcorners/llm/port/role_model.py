"""`Voice`: a model as one role uses it, and what asking it costs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from fourcorners.llm.exchange import LanguageModel, Options, Request
from fourcorners.llm.limits.budget import Reservation
from fourcorners.llm.limits.circuit_breaker import CircuitBreaker
from fourcorners.llm.limits.rate_limiter import RateLimiter

Price: TypeAlias = Callable[[int, int], float]
"""The cost of so many tokens in and out."""

BYTES_PER_TOKEN = 4.0  # of English, before the model has told
_PER_MESSAGE = 8  # tokens of a chat's template


@dataclass(slots=True)
class TokenEstimator:
    """How many bytes a model has counted as how many tokens."""

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
        timeout: Seconds that one attempt may take.
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
    from genai_prices import Usage, calc_price

    def price(sent: int, got: int) -> float:
        usage = Usage(input_tokens=sent, output_tokens=got)
        return float(calc_price(usage, model, provider_id=provider).total_price)

    try:
        price(1, 1)
    except LookupError:
        return None
    return price
