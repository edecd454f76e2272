"""Whether a contract ends between two days, by its card, as far as that is certain."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from fourcorners.outline.card.card import Card
from fourcorners.outline.card.term import Standing, find_final_end, find_status, read_term
from fourcorners.research.answer import RowState


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
