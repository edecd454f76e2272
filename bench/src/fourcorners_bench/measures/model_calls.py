"""What a run asked a language model, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from fourcorners.errors import LlmError
from fourcorners.llm import Port, Spending
from fourcorners_bench.record import Json


@dataclass(slots=True)
class ModelCalls:
    """The questions of a run: how many, how many have no answer, and why the first has none."""

    port: Port
    call_count: int = field(default=0, init=False)
    failed: int = field(default=0, init=False)
    failure: str = field(default="", init=False)
    _before: Spending = field(init=False)

    def __post_init__(self) -> None:
        self._before = self.port.spending

    def count_calls(self, asked: int, failed: int, failure: str) -> None:
        self.call_count += asked
        self.failed += failed
        self.failure = self.failure or failure

    def require_answers(self) -> None:
        """Refuse a run in which the model has answered nothing.

        Raises:
            LlmError: If no question has an answer.
        """
        if self.call_count and self.failed == self.call_count:
            raise LlmError(
                f"none of {self.call_count:,} questions has an answer: {self.failure}",
                remedy="See whether the model answers: fourcorners llm check.",
            )

    @property
    def spent(self) -> Spending:
        return spending_since(self._before, self.port.spending)

    def to_json(self) -> dict[str, Json]:
        return {
            "asked": self.call_count,
            "failed": self.failed,
            "failure": self.failure,
            **spending_figures(self.spent),
        }


def spending_since(before: Spending, after: Spending) -> Spending:
    return Spending(
        **{
            each.name: getattr(after, each.name) - getattr(before, each.name)
            for each in fields(after)
        }
    )


def spending_figures(spent: Spending) -> dict[str, Json]:
    """Return for the record what was used; the cost only where every price is known."""
    counts = {name: getattr(spent, name) for name in ("calls", "cached", "tokens_in", "tokens_out")}
    return {**counts, "cost": None if spent.unpriced else round(spent.cost, 6)}
