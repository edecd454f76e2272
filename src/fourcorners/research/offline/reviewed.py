"""What a review says of the kinds of clause that a question asks for."""

from __future__ import annotations

from collections.abc import Iterator

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
    context: ResearchContext, found: AnswerSearch, lead: Citation | None = None
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
        kind = asked[cell.provision]
        if cell.state is CellState.NOT_FOUND and cell.nearest and not comes_close(cell):
            yield f"The review recognised no clause of the kind “{kind}”."
        elif lead and _quotes(cell, lead) and not cell.amendments:
            says = cell.value or cell.headline
            yield from [f"{kind}: {says.rstrip('.')}."] if says else []


def _quotes(cell: Finding, lead: Citation) -> bool:
    """Return whether a cell that was found quotes some of the words that answer."""
    span = lead.quote.span
    spans = [each.quote.span for each in cell.evidence]
    is_same = cell.state is CellState.FOUND and cell.document == lead.document
    return is_same and any(span and each and each.overlaps(span) for each in spans)
