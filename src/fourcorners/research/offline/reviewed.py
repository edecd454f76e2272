"""What a review says of the kinds of clause that a question asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fourcorners.playbooks.load import load_playbook
from fourcorners.research.answer import Citation
from fourcorners.research.answerability.search import AnswerSearch
from fourcorners.research.context import ResearchContext
from fourcorners.review.amendments import apply_amendments
from fourcorners.review.finding import CellState, Finding
from fourcorners.review.severity import comes_close
from fourcorners.review.store import load_cells

PLAYBOOK = "due-diligence"
"""The review that questions are answered from."""


def review_says(
    context: ResearchContext, found: AnswerSearch, leads: Sequence[Citation]
) -> Iterator[str]:
    """Yield what a review says of the kinds of clause asked for, in one contract.

    That is what it surely reads in the words that answer, or that it recognised no such clause, and
    nothing that comes close to one. Where an amendment or a person changed what it found, only the
    person's words are said.
    """
    asked = {each.id: each.name for each in found.concepts}
    book = load_playbook(PLAYBOOK)
    ids = [each.id for each in book.provisions if each.id in asked]
    if len(context.contracts) != 1 or not ids:
        return
    (entry,) = context.contracts
    cells = load_cells(context.library, book, ids, entry.id).get(entry.id, {})
    for cell in apply_amendments(context.library, cells.values()):
        says = (cell.value or cell.headline).rstrip(".")
        if cell.state is CellState.NOT_FOUND and cell.nearest and not comes_close(cell):
            yield f"The review recognised no clause of the kind “{asked[cell.provision]}”."
        elif says and not cell.amendments and any(_quotes(cell, each) for each in leads):
            yield f"{asked[cell.provision]}: {says}."


def _quotes(cell: Finding, lead: Citation) -> bool:
    """Return whether a cell that was found quotes some of the words that answer."""
    span = lead.quote.span
    if span is None or cell.state is not CellState.FOUND or cell.document != lead.document:
        return False
    return any(each.quote.span and each.quote.span.overlaps(span) for each in cell.evidence)
