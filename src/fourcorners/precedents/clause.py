"""A clause to choose from, and where the same words stand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fourcorners.text.normalisation import normalise_text
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

_PATTERNS = load_patterns("fourcorners.precedents", "clause")
_LABEL = _PATTERNS["label"]
_RUN = 8  # words
_BROKEN = _PATTERNS["broken"]


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


def normalised_words(text: str) -> str:
    """Return what two clauses share if they are the same but for number, case and typography."""
    if text.isascii() and not _BROKEN.search(text):  # most are: what remains then is quick
        seen = text.replace("`", "'")
    else:
        seen = normalise_text(text).text
    plain = " ".join(seen.casefold().split())
    label = _LABEL.match(plain)
    return plain[label.end() :] if label else plain


def shingles(text: str) -> frozenset[int]:
    """Return the hashes of all runs of eight words; of a shorter text that of its words."""
    tokens = normalised_words(text).split()
    runs = range(max(1, len(tokens) - _RUN + 1))
    return frozenset(hash(tuple(tokens[at : at + _RUN])) for at in runs)


def fold_duplicates(clauses: Iterable[Clause]) -> list[Clause]:
    """Fold clauses of the same words into the first of them.

    It takes the most stars, with the provision under which they were given: what is no good for one
    provision may be for another.
    """
    kept: dict[str, Clause] = {}
    for clause in clauses:
        key = normalised_words(clause.text)
        first = kept.get(key)
        if first is None:
            kept[key] = clause
            continue
        better = (clause.stars or 0) > (first.stars or 0)
        places = dict.fromkeys((*first.places, *clause.places))
        kept[key] = Clause(
            first.text,
            tuple(places),
            clause.stars if better else first.stars,
            clause.provision if better else first.provision or clause.provision,
        )
    return list(kept.values())
