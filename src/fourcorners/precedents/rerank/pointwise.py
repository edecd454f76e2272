"""Pointwise: a language model gives each clause its stars, by itself.

The scale is that of ACORD's annotators (table A-1), in words of our own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import BaseModel

from fourcorners.llm import Port, PromptRequest, QuotedText, Value
from fourcorners.precedents.verdict import ModelVerdict, parse_outcome, reorder

PROMPT = "stars"


class StarsAnswer(BaseModel):
    """How good a precedent a clause is, and why."""

    reason: str
    stars: Literal[1, 2, 3, 4, 5]


def rank_pointwise(
    wanted: Mapping[str, Value], texts: Sequence[str], port: Port
) -> tuple[list[int], list[ModelVerdict]]:
    """Return the order of clauses by the stars that the model gives, and its verdict on each.

    Equal ones stay in the order given, and one without an answer at its place.

    Args:
        wanted: What the prompt says of the clause that is looked for.
        texts: The clauses, in the order that stands without the model.
        port: What asks.

    Raises:
        ConfigError: If the model is not configured, or prompts or settings are wrong.
    """
    asks = [
        PromptRequest(
            PROMPT,
            {**wanted, "clause": QuotedText(text, "clause")},
            StarsAnswer,
            tag=f"clause {at}",
        )
        for at, text in enumerate(texts, start=1)
    ]
    verdicts = [ModelVerdict()] * len(asks)
    for outcome in port.ask_many(asks):
        told = parse_outcome(outcome)
        verdicts[outcome.index] = (
            ModelVerdict(asked=1, failed=1, failure=told)
            if isinstance(told, str)
            else ModelVerdict(stars=told.stars, reason=" ".join(told.reason.split()), asked=1)
        )
    stars = [each.stars or 0 for each in verdicts]
    order = sorted(range(len(texts)), key=lambda at: -stars[at])
    return reorder(order, [at for at, each in enumerate(stars) if not each]), verdicts
