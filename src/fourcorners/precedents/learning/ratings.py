"""What a firm has said of clauses, as something to learn a ranking from.

Each provision of a bank is a query, and so is each of its tags that clauses of several sources
bear; a clause of the provision has its stars there, any other none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from fourcorners.errors import ConfigError
from fourcorners.playbooks.bank.store import BankClause
from fourcorners.precedents.clause import normalised_words

UNRATED = 3
"""The stars of what belongs to a provision, and nobody has said how good it is."""
FEWEST_CLAUSES, FEWEST_SOURCES, FEWEST_QUERIES = 4, 3, 5


@dataclass(frozen=True, slots=True)
class RatedClause:
    """Words that a person has put under a query, or found not to belong there.

    Attributes:
        query: The name of a provision, or another phrase.
        stars: 1 to 5; 1 is what does not belong there.
        source: The contract or company it is from; empty if that is not known.
    """

    query: str
    text: str
    stars: int = UNRATED
    source: str = ""


@dataclass(slots=True)
class RatedItem:
    """A clause once, with its score (stars less one) for each query that it has any for."""

    text: str
    source: str
    gains: dict[str, int] = field(default_factory=dict)

    @property
    def hash(self) -> str:
        """Return the SHA-256 by which a card names it."""
        return sha256(self.text.encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True, slots=True)
class Ratings:
    """Clauses, and the queries that enough of them were rated for."""

    items: tuple[RatedItem, ...]
    queries: tuple[str, ...]

    @property
    def sources(self) -> list[str]:
        """Return the source of each clause; one of which nothing is known stands alone."""
        return [each.source or f"clause {at}" for at, each in enumerate(self.items)]


def bank_ratings(clauses: Iterable[BankClause]) -> list[RatedClause]:
    """Return what a bank says of its clauses, under their provisions and their tags."""
    rated = []
    for each in clauses:
        stars = UNRATED if each.stars is None else each.stars
        queries = dict.fromkeys((each.provision, *each.tags))
        rated += [RatedClause(query, each.text, stars, each.source) for query in queries]
    return rated


def merge_ratings(rated: Sequence[RatedClause]) -> Ratings:
    """Put together what was said of the same words, and keep the queries that can teach.

    Raises:
        ConfigError: If too few are left.
    """
    items: dict[str, RatedItem] = {}
    named: dict[str, str] = {}
    for each in rated:
        if not each.text.strip():
            continue
        query = named.setdefault(" ".join(each.query.casefold().split()), each.query)
        item = items.setdefault(normalised_words(each.text), RatedItem(each.text, each.source))
        item.gains[query] = max(item.gains.get(query, 0), each.stars - 1)
    held = Ratings(tuple(items.values()), ())
    sources: dict[str, set[str]] = {}
    counts: dict[str, int] = {}
    for item, source in zip(held.items, held.sources, strict=True):
        for query, gain in item.gains.items():
            if gain:
                sources.setdefault(query, set()).add(source)
                counts[query] = counts.get(query, 0) + 1
    kept = tuple(
        query
        for query in dict.fromkeys(named.values())
        if counts.get(query, 0) >= FEWEST_CLAUSES
        and len(sources[query]) >= FEWEST_SOURCES
        and counts[query] < len(held.items)
    )
    if len(kept) < FEWEST_QUERIES:
        raise ConfigError(
            f"there is too little to learn from: {len(kept)} provisions or tags with "
            f"{FEWEST_CLAUSES} clauses from {FEWEST_SOURCES} sources, and clauses beside them.",
            remedy=f"Import or rate more; it takes at least {FEWEST_QUERIES}.",
        )
    return Ratings(held.items, kept)
