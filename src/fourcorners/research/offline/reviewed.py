"""What a review says of the kinds of clause that a question asks for."""

from __future__ import annotations

from collections.abc import Iterator

from fourcorners.playbooks.load import load_playbook
from fourcorners.research.answer import Citation
from fourcorners.research.answerability.search import AnswerSearch
from fourcorners.research.context import ResearchContext
from fourcorners.review.finding import CellState
from fourcorners.review.severity import comes_close
from fourcorners.review.store import load_cells

PLAYBOOK = "due-diligence"
"""The review that questions are answered from."""


def review_says(
    context: ResearchContext, found: AnswerSearch, lead: Citation | None = None
) -> Iterator[str]:
    """Yield what a review says of the kinds of clause asked for, in one contract.

    That is what it surely reads in the words that answer, or that it recognised no such clause, and
    nothing that comes close to one.
    """
    asked = {each.id: each.name for each in found.concepts}
    book = load_playbook(PLAYBOOK)
    ids = [each.id for each in book.provisions if each.id in asked]
    if len(context.contracts) != 1 or not ids:
        return
    (entry,) = context.contracts
    for kind, cell in load_cells(context.library, book, ids, entry.id).get(entry.id, {}).items():
        if cell.state is CellState.NOT_FOUND and not comes_close(cell):
            yield f"The review recognised no clause of the kind “{asked[kind]}”."
        elif lead and cell.state is CellState.FOUND and cell.headline:
            spans = [each.quote.span for each in cell.evidence if each.quote.span]
            if any(lead.quote.span and each.overlaps(lead.quote.span) for each in spans):
                yield f"{asked[kind]}: {cell.headline.rstrip('.')}."
