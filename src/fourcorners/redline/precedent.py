"""The best clause of a bank to draft a position from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Position, Provision
from fourcorners.precedents.clause import bank_clauses
from fourcorners.precedents.rank import ClauseStock, rank_clauses
from fourcorners.precedents.scoring.vectors import clause_vectors
from fourcorners.redline.proposal import Source

if TYPE_CHECKING:
    from fourcorners.models.encoder.protocol import Encoder

LEAST_RELEVANT = 0.5
"""The chance of three stars or more from which a clause is drafted from."""


@dataclass(frozen=True, slots=True)
class BankPrecedent:
    """A clause of a bank, as it is written, with where it comes from."""

    text: str
    source: Source


class PrecedentBank:
    """A clause bank, made ready once and asked for each position."""

    def __init__(self, library: Library, bank: str, encoder: Encoder) -> None:
        self._name = bank
        clauses = bank_clauses(library, bank)
        self._stock = ClauseStock(
            clauses, encoder, vectors=clause_vectors(library, clauses, encoder)
        )

    def best(self, provision: Provision, position: Position) -> BankPrecedent | None:
        """Return the best clause of a position; None if none is good enough to draft from."""
        query = f"{provision.name}: {position.text}"
        found = rank_clauses(query, self._stock, longer=position.example or None, limit=1)
        if not found or (found[0].relevant or 0.0) < LEAST_RELEVANT:
            return None
        clause = found[0].clause
        place = clause.places[0]
        name = place.source or f"the bank {self._name}"
        return BankPrecedent(
            " ".join(clause.text.split()), Source(name, place.path, place.span, clause.stars)
        )
