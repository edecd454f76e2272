"""What a language model said of a clause when it read the first of a ranking again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from fourcorners.errors import BudgetExceeded, LlmError
from fourcorners.llm import Outcome

if TYPE_CHECKING:
    from pydantic import BaseModel

    M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ModelVerdict:
    """What a language model said of a clause, or why it said nothing.

    Attributes:
        stars: 1 to 5; None where clauses were compared, or there is no answer.
        reason: The model's own words: a claim.
        better: How many of the clauses that it was compared with it was preferred to, whichever
            of the two stood first.
        worse: How many were preferred to it.
        undecided: How many comparisons hung on which of the two stood first.
        asked: How many questions were asked of it.
        failed: How many of them have no answer.
        failure: Why, of the first of these; empty if none failed.
    """

    stars: int | None = None
    reason: str = ""
    better: int = 0
    worse: int = 0
    undecided: int = 0
    asked: int = 0
    failed: int = 0
    failure: str = ""

    @property
    def is_empty(self) -> bool:
        """Tell whether nothing was answered: the clause then stays where it stood."""
        return self.failed == self.asked


def parse_outcome(outcome: Outcome[M]) -> M | str:
    """Return the answer to a question, or why there is none.

    Raises:
        ConfigError: If the settings or the prompt are wrong: nothing will be answered.
    """
    error = outcome.error
    if isinstance(error, LlmError):
        return f"the language model failed ({error.kind}): {error.message}"
    if isinstance(error, BudgetExceeded):
        return error.message
    if error is not None:
        raise error
    if outcome.reply is None:
        raise RuntimeError("a question ended with neither answer nor error")
    return outcome.reply.value


def reorder(order: Sequence[int], silent: Collection[int]) -> list[int]:
    """Return an order in which some stay at their places, the others around them in theirs."""
    rest = iter([at for at in order if at not in silent])
    return [at if at in silent else next(rest) for at in range(len(order))]
