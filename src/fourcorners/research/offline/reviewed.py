"""What a review says of the kinds of clause that a question asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fourcorners.playbooks.load import load_playbook
from fourcorners.research.answer import Citation, Role, Statement, Verification
from fourcorners.research.answerability.search import AnswerSearch
from fourcorners.research.context import ResearchContext
from fourcorners.review.amendments import apply_amendments
from fourcorners.review.finding import CellState, Finding
from fourcorners.review.severity import comes_close
from fourcorners.review.store import load_cells
from fourcorners.search.concepts import Concept
from fourcorners.text.span import Span

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
    if len(context.contracts) != 1:
        return
    (entry,) = context.contracts
    for cell in _cells(context, found.concepts, entry.id):
        says = (cell.value or cell.headline).rstrip(".")
        if cell.state is CellState.NOT_FOUND and cell.nearest and not comes_close(cell):
            yield f"The review identified no clause of the kind “{asked[cell.provision]}”."
        elif says and not cell.amendments and any(_quotes(cell, each) for each in leads):
            yield f"{asked[cell.provision]}: {says}."


def reviewed_kinds(
    context: ResearchContext, concepts: Sequence[Concept], document: str, span: Span
) -> list[str]:
    """Return as which of the kinds asked for a review quotes some of these words, by name."""
    names = {each.id: each.name for each in concepts}
    return [
        names[cell.provision]
        for cell in _cells(context, concepts, document)
        if cell.state is CellState.FOUND
        and any(each.quote.span and each.quote.span.overlaps(span) for each in cell.evidence)
    ]


def list_found(
    context: ResearchContext, concepts: Sequence[Concept], shown: Sequence[Citation]
) -> Iterator[tuple[str, Statement]]:
    """Yield what kinds asked for a review found in contracts of which nothing is shown, quoted."""
    names = {each.id: each.name for each in concepts}
    quoted = {each.document for each in shown}
    left = [each.id for each in context.contracts if each.id not in quoted]
    for document in left:
        for cell in _cells(context, concepts, document):
            best = cell.best if cell.state is CellState.FOUND else None
            if best is None or best.quote.span is None:
                continue
            cited = context.cite(document, best.quote.span, because="found by the review")
            says = (cell.value or cell.headline).rstrip(".")
            lead = f"The review found “{names[cell.provision]}”{f' ({says})' if says else ''}"
            text = f"{lead} in {cited.name}, {cited.where}:"
            yield (
                names[cell.provision],
                Statement(text, Role.EVIDENCE, Verification.VERIFIED, quotes=(cited,)),
            )


def _cells(
    context: ResearchContext, concepts: Sequence[Concept], document: str
) -> Sequence[Finding]:
    """Return the cells of a contract for the kinds asked for, as amended."""
    asked, book = {each.id for each in concepts}, load_playbook(PLAYBOOK)
    ids = [each.id for each in book.provisions if each.id in asked]
    cells = load_cells(context.library, book, ids, document) if ids else {}
    return apply_amendments(context.library, cells.get(document, {}).values())


def _quotes(cell: Finding, lead: Citation) -> bool:
    """Return whether a cell that was found quotes some of the words that answer."""
    span = lead.quote.span
    if span is None or cell.state is not CellState.FOUND or cell.document != lead.document:
        return False
    return any(each.quote.span and each.quote.span.overlaps(span) for each in cell.evidence)
