"""`Scope`: which documents a question is about, and what it asks once they are named."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scope:
    """What a question names and what it asks.

    Attributes:
        asked: The question without the words that name a contract.
        naming: The words that name it, as they stand in the question; empty if none do.
        documents: Ids with the probability that each is meant, the likeliest first; empty if the
            question names none, which leaves everything within the filters.
        sure: Whether the likeliest alone is to be searched. If not, the named ones are preferred,
            and the rest is searched too.
    """

    asked: str
    naming: str = ""
    documents: tuple[tuple[str, float], ...] = ()
    sure: bool = False
