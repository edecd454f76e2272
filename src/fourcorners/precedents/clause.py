"""A clause to choose from, and where the same words stand."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from fourcorners.text.normal import normalise
from fourcorners.text.span import Span

_LABEL = re.compile(
    r"\s*(?:(?:section|article|clause|paragraph)\s+)?(?:\d{1,3}(?:\.\d{1,3})*\.?|\([a-z0-9]{1,4}\)|"
    r"[a-z]\)|[ivx]{1,5}\.)\s+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a clause stands.

    Attributes:
        source: The contract, or the citation that a bank has; empty if that is not known.
        path: Label and heading of the sections it stands under, the outermost first.
        document: The id of the contract in the library; empty for a clause of a bank.
        span: Where it stands in the contract; None if that is not known.
    """

    source: str
    path: tuple[str, ...] = ()
    document: str = ""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause, once for all places that have the same words.

    Attributes:
        places: At least one, in the order in which they were found.
        stars: What somebody gave it, 1 to 5; None if nobody has.
        provision: What the bank holds it under; empty for a clause of a contract.
    """

    text: str
    places: tuple[Place, ...]
    stars: int | None = None
    provision: str = ""


def same_words(text: str) -> str:
    """Return what two clauses share if they are the same but for number, case and typography."""
    plain = " ".join(normalise(text).text.casefold().split())
    return _LABEL.sub("", plain, count=1)


def once(clauses: Iterable[Clause]) -> list[Clause]:
    """Fold clauses of the same words into the first of them, which takes stars if it has none."""
    kept: dict[str, Clause] = {}
    for clause in clauses:
        key = same_words(clause.text)
        first = kept.get(key)
        if first is None:
            kept[key] = clause
            continue
        kept[key] = Clause(
            first.text,
            (*first.places, *clause.places),
            first.stars if first.stars is not None else clause.stars,
            first.provision or clause.provision,
        )
    return list(kept.values())
