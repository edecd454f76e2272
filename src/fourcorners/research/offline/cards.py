"""When a contract ends and which law it chooses, by its card, as far as that is certain."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from fourcorners.library.contract import Contract
from fourcorners.library.store import Library
from fourcorners.outline.card.card import Card
from fourcorners.outline.card.term import Standing, find_final_end, find_status, read_term
from fourcorners.research.answer import RowState
from fourcorners.search.graph.in_force import read_in_force
from fourcorners.text.span import Span


@dataclass(frozen=True, slots=True)
class ContractEnd:
    """What a contract's dates say to a question about its end.

    Attributes:
        end: The day that decides it; None where a person must read when it ends.
    """

    state: RowState
    value: str
    end: date | None = None


def read_end(card: Card, first: date | None, last: date | None, *, is_over: bool) -> ContractEnd:
    """Return whether a contract ends from a first to a last day, or at all where none is given.

    `is_over` says that the question is whether it has ended: one that renews by itself has not by
    its words, though somebody may have stopped it.
    """
    term = read_term(card)
    end, final = term.end_day, find_final_end(card)
    if end is None or not term.is_asserted:
        return ContractEnd(RowState.TO_READ, "")
    value = f"first term until {end.isoformat()}"
    if final is None and (first or last) and not (last and last < end):
        runs = is_over and find_status(term, last or end).standing is Standing.RENEWING
        value += ", renews by itself" if term.is_automatic else ", may be renewed"
        return ContractEnd(RowState.NO if runs else RowState.TO_READ, value)
    if final is not None and final != end:
        end, value = final, f"{value}, renewals until {final.isoformat()}"
    is_within = (first or end) <= end <= (last or end)
    return ContractEnd(RowState.YES if is_within else RowState.NO, value, end)


@dataclass(frozen=True, slots=True)
class GoverningLaw:
    """A choice of law, and the words that make it.

    Attributes:
        document: The document with these words, which may be an amendment.
        is_certain: Whether it is known that they are in force.
    """

    value: str
    document: str
    span: Span
    is_certain: bool = True


def read_law(library: Library, contract: Contract) -> GoverningLaw | None:
    """Return the law of a contract in force today; None if no choice of law was found."""
    own, amended = contract.card.governing_law, read_in_force(library, contract.id)
    law = own if amended is None else amended.contract.card.governing_law
    whole = amended.restatement if amended else None
    if law is None or amended is None or whole is not None:
        if own is None:
            return None
        document, span = contract.id, contract.sentence(own.span)
        if whole is not None:
            document, span = whole.document, whole.span
        return GoverningLaw(own.value, document, span, is_certain=amended is None)
    changes = amended.revisions_at(law.span)
    if changes:
        last, is_certain = changes[-1], all(each.is_certain for each in changes)
        return GoverningLaw(law.value, last.document, last.span, is_certain)
    span = amended.own_span(law.span) or law.span
    return GoverningLaw(law.value, contract.id, contract.sentence(span))
