"""The money and tokens of one job: set aside before a call, settled after it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from fourcorners.errors import BudgetExceeded
from fourcorners.llm.ledger import Budget, Call, Spending


@dataclass(frozen=True, slots=True)
class Reservation:
    """What one call may use at most, by estimate."""

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
            while self._staked.tokens and self._over(stake, self._staked):
                if self._over(stake, Reservation(0, 0.0)):
                    break
                await self._settled.wait()
            if over := self._over(stake, self._staked):
                raise BudgetExceeded(
                    f"the budget of the language model stops here: {over}.",
                    remedy="Raise budget or budget_tokens under [llm], or lower max_tokens; "
                    "then go on with the same command.",
                )
            self._staked = _sum(self._staked, stake)

    async def charge(self, stake: Reservation, call: Call | None) -> None:
        """Put back what was set aside, and take what was used."""
        async with self._settled:
            self._staked = Reservation(
                self._staked.tokens - stake.tokens, self._staked.cost - stake.cost
            )
            if call is not None:
                self.spent = self.spent.add_call(call)
            self._settled.notify_all()

    def _over(self, stake: Reservation, staked: Reservation) -> str:
        """Say which limit the call would pass; empty if none."""
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


def _sum(first: Reservation, second: Reservation) -> Reservation:
    return Reservation(first.tokens + second.tokens, first.cost + second.cost)
