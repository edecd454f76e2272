"""`Grid`: a review laid out as every exporter needs it: rows, cells, red flags, counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fourcorners.documents.document import PageLabel
from fourcorners.errors import EvidenceError
from fourcorners.outline.card.contract_titles import title_contracts
from fourcorners.review.finding import (
    Annotation,
    CellState,
    ColumnHeader,
    Finding,
    Review,
    ReviewedDocument,
    ReviewState,
    Severity,
)
from fourcorners.text.invisible_characters import single_line
from fourcorners.text.quote import Match, Quote

SEVERITIES = tuple(each for each in Severity if each is not Severity.NONE)
SEVERITY_WORDS = {severity: severity.words for severity in Severity}
STATE_WORDS = {
    CellState.FOUND: "Found",
    CellState.NOT_FOUND: "Not found",
    CellState.TO_READ: "To be read",
    CellState.FAILED: "Failed",
    CellState.NOT_APPLICABLE: "Not asked",
}
REVIEW_WORDS = {
    ReviewState.PROPOSED: "Proposed",
    ReviewState.CONFIRMED: "Confirmed",
    ReviewState.CORRECTED: "Corrected",
    ReviewState.REJECTED: "Rejected",
    ReviewState.SECOND_LOOK: "Second look",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """A finding with its row, its column, and their positions from 0."""

    row: int
    column: int
    document: ReviewedDocument
    head: ColumnHeader
    finding: Finding

    @property
    def flagged(self) -> bool:
        return self.finding.severity is not Severity.NONE

    @property
    def headline(self) -> str:
        """Return what the cell says first: a person's words, else its answers; or nothing."""
        return self.finding.value or self.finding.headline

    @property
    def label(self) -> str:
        state = STATE_WORDS[self.finding.state]
        if self.finding.severity is Severity.NONE or self.finding.state is CellState.TO_READ:
            return state
        return f"{state}, {SEVERITY_WORDS[self.finding.severity].lower()}"


class Grid:
    """A review whose cells are known to be complete and whose quotes are known to be verbatim.

    Raises:
        EvidenceError: If a quote is not the text at its span, or a cell is missing or doubled.
    """

    def __init__(self, review: Review) -> None:
        self.review = review
        self.documents = review.documents
        self.columns = review.columns
        cards = {each.id: each.card for each in review.documents}
        unnamed = {each.id: each.read_for for each in review.documents}
        self.titles = title_contracts(review.documents, cards.__getitem__, unnamed=unnamed)
        by_place: dict[tuple[str, str], Finding] = {}
        for finding in review.findings:
            place = (finding.document, finding.provision)
            if place in by_place:
                raise EvidenceError(f"two findings for document {place[0]!r} × {place[1]!r}")
            by_place[place] = finding
        self.rows = tuple(
            tuple(
                Cell(i, j, document, head, _build_lines(by_place, document, head))
                for j, head in enumerate(review.columns)
            )
            for i, document in enumerate(review.documents)
        )
        texts = {document.id: document.text for document in review.documents}
        for cell in self.cells():
            _verify(cell, texts)

    def cells(self) -> Iterator[Cell]:
        return (cell for row in self.rows for cell in row)

    def name(self, document: ReviewedDocument) -> str:
        """Return what a contract is called: by title, parties and date."""
        return str(self.titles[document.id])

    def family(self, document: ReviewedDocument) -> str:
        """Return what a contract is to the one that it belongs to; empty if it belongs to none."""
        link = document.family
        return link.relation.words(str(self.titles[link.head])) if link else ""

    @property
    def read_for_nobody(self) -> str:
        """What was read for nobody, by name, and what to do about it; empty if nothing was."""
        if not self.review.read_for:
            return (
                "All contracts are read for nobody: nothing is called ours or theirs. Name a party "
                "with --for, or on the page of reviews."
            )
        unread = [self.name(each) for each in self.documents if not each.read_for]
        if not unread:
            return ""
        named = "; ".join(single_line(each) for each in unread)
        sides = " or ".join(single_line(each) for each in self.review.read_for)
        return (
            f"Read for nobody, because {sides} is no party that was identified there: {named}. "
            "Correct its parties on the contract's page or with `fourcorners mark CONTRACT parties "
            "correct`, or name the side as the contract does, and review again."
        )

    def column(self, index: int) -> tuple[Cell, ...]:
        return tuple(row[index] for row in self.rows)

    def red_flags(self) -> list[Cell]:
        """Return the flagged cells, the gravest first, then by provision and document."""
        return sorted(
            (cell for cell in self.cells() if cell.flagged),
            key=lambda cell: (-cell.finding.severity.rank, cell.column, cell.row),
        )

    def failures(self) -> list[Cell]:
        return [cell for cell in self.cells() if cell.finding.state is CellState.FAILED]

    def states(self) -> Counter[CellState]:
        return Counter(cell.finding.state for cell in self.cells())

    def severities(self) -> Counter[Severity]:
        return Counter(cell.finding.severity for cell in self.red_flags())

    def quotes(self) -> Counter[bool]:
        """Count the verified (True) and the unverified (False) quotes of all findings.

        What a language model gave as the contract's words, and the contract does not say, is an
        unverified quote.
        """
        count: Counter[bool] = Counter()
        for cell in self.cells():
            count.update(each.quote.verified for each in cell.finding.evidence)
            count[False] += len(cell.finding.claims)
        return count


def quote_place(quote: Quote) -> str:
    if quote.span is None:
        return "Not verified: not in the text, so no evidence"
    if quote.match is Match.FUZZY:
        return f"The contract’s words, aligned at {quote.score:.0f}%"
    return "Verbatim"


def page_range(span: tuple[PageLabel, PageLabel] | None) -> str:
    """Return `page 3` or `pages 3–4`; empty for a format without pages."""
    if span is None:
        return ""
    return f"page {span[0]}" if span[0] == span[1] else f"pages {span[0]}–{span[1]}"


def ocr_note(confidence: float | None) -> str:
    """Say that a quote was read by text recognition, and how surely; empty if it was not."""
    return "" if confidence is None else f"Read by OCR, {confidence:.0%}"


def _build_lines(
    by_place: dict[tuple[str, str], Finding], document: ReviewedDocument, head: ColumnHeader
) -> Finding:
    finding = by_place.get((document.id, head.id))
    if finding is None:
        raise EvidenceError(f"{document.name}: no finding for the provision {head.id!r}")
    return finding


def _verify(cell: Cell, texts: Mapping[str, str]) -> None:
    """Compare every quote of a cell with its text: an amendment's with that of its document."""
    corrected_place, value = cell.finding.place, cell.finding.value
    if corrected_place is not None and corrected_place.text_in(cell.document.text) != value:
        raise EvidenceError(
            f"{cell.document.name}: the corrected value for {cell.head.name!r} is not the text at "
            f"characters {corrected_place.start}–{corrected_place.end}"
        )
    for document, name, quote in _quotes(cell):
        text = texts.get(document)
        if quote.span is not None and text is not None and quote.span.text_in(text) != quote.words:
            raise EvidenceError(
                f"{name}: the quote for {cell.head.name!r} is not the text at "
                f"characters {quote.span.start}–{quote.span.end}"
            )


def _quotes(cell: Cell) -> Iterator[tuple[str, str, Quote]]:
    """Yield the quotes of a cell, each with the document that it is said to come from."""
    finding, own = cell.finding, (cell.document.id, cell.document.name)
    best = finding.searched.best if finding.searched else None
    proposed = finding.proposed.evidence if finding.proposed else ()
    for evidence in [*finding.evidence, *proposed, *([best] if best else [])]:
        yield *own, evidence.quote
    for answer in finding.answers:
        for quote in (*answer.quotes, *answer.against_quotes):
            yield *own, quote
    for change in finding.amendments:
        yield change.document, change.name, change.quote
        if change.old is not None:
            yield *own, change.old


def format_annotation(annotation: Annotation) -> str:
    state = {**REVIEW_WORDS, ReviewState.PROPOSED: "taken back"}
    state_words = f": {state[annotation.state].lower()}" if annotation.state else ":"
    value = f", “{single_line(annotation.value)}”" if annotation.value else ""
    value += "".join(
        f", {each.id}: {single_line(each.value) or 'not said'}" for each in annotation.answers
    )
    if annotation.severity:
        value += f", severity {annotation.severity.value}"
    comment = f" {single_line(annotation.comment)}" if annotation.comment else ""
    at, end = annotation.at[:16].replace("T", " "), "." if annotation.state else ""
    return f"{at} {single_line(annotation.by)}{state_words}{value}{end}{comment}"
