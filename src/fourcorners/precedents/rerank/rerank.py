"""The first of a ranking, read again by a language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fourcorners.llm import Port, Role, Value
from fourcorners.precedents.profile import Rerank
from fourcorners.precedents.rank import Ranked
from fourcorners.precedents.verdict import ModelVerdict

MAX_RERANKED = 20
"""How many of the first are read by default."""
MAX_LENGTH = 12_000
"""Characters of a clause that are read: 3,000 tokens, and all of ACORD's 3,200 but one."""
ROLE = Role.JUDGE


def rerank_clauses(
    query: str,
    found: Sequence[Ranked],
    port: Port,
    how: Rerank,
    *,
    longer: str | None = None,
    first: int = MAX_RERANKED,
) -> list[Ranked]:
    """Return clauses with the first of them in the model's order, each with its verdict.

    One that the model did not answer for stays at its place, and its verdict says why.

    Args:
        query: What is looked for.
        found: The ranking that stands without the model.
        port: What asks.
        how: Whether clauses are read one by one, or compared.
        longer: The query described at length.
        first: How many are read.

    Raises:
        ConfigError: If the model is not configured, or prompts or settings are wrong.
    """
    texts = [each.clause.text for each in found[:first]]
    order, verdicts = rerank_texts(query, texts, port, how, longer=longer)
    read = [replace(found[at], verdict=verdicts[at]) for at in order]
    return [*read, *found[first:]]


def rerank_texts(
    query: str, texts: Sequence[str], port: Port, how: Rerank, *, longer: str | None = None
) -> tuple[list[int], list[ModelVerdict]]:
    """Return the order of clauses by the model, and its verdict on each as they were given.

    Raises:
        ConfigError: If the model is not configured, or prompts or settings are wrong.
    """
    from fourcorners.precedents.rerank.pairwise import rank_pairwise
    from fourcorners.precedents.rerank.pointwise import rank_pointwise

    port.role_model(ROLE)  # what is not configured is said before the work
    wanted: dict[str, Value] = {"wanted": query, "longer": longer or ""}
    cut = [text[:MAX_LENGTH] for text in texts]
    return (rank_pointwise if how is Rerank.POINTWISE else rank_pairwise)(wanted, cut, port)
