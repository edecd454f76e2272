"""`Finding`: one cell of the grid, provision × document, as a value."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum

from fourcorners.outline.card import Card
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span


class CellState(StrEnum):
    """What became of a cell."""

    FOUND = "found"
    NOT_FOUND = "not_found"
    FAILED = "failed"


class Severity(StrEnum):
    """How much a finding matters to the deal, by the playbook's rules."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    NONE = "none"


class ReviewState(StrEnum):
    """What a person has said of a finding."""

    PROPOSED = "proposed"
    CONFIRMED = "confirmed"
    CORRECTED = "corrected"
    REJECTED = "rejected"
    SECOND_LOOK = "second_look"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A verified quote with what surrounds it.

    Attributes:
        clause: The whole clause by the outline (or the window) that holds the quote.
        path: Label and heading of each node from the top of the contract down to the clause.
        pages: First and last page the quote stands on; None for formats without pages.
        score: The calibrated probability that the quote answers the provision, 0 to 1.
        ocr: The mean confidence of the quote's words, 0 to 1, where text recognition read them.
    """

    quote: Quote
    clause: Span
    path: tuple[str, ...]
    pages: tuple[int, int] | None
    score: float
    ocr: float | None = None


@dataclass(frozen=True, slots=True)
class RiskAnswer:
    """The answer to a risk question of the provision; `answer` is empty if left to a person."""

    question: str
    answer: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Searched:
    """What was looked through to fill a cell: absence is a claim too.

    Attributes:
        passages: How many passages of the document were scored.
        threshold: The probability at and above which a quote counts as found.
        best: The strongest candidate, found or not; None where nothing scored at all.
    """

    query: str
    passages: int
    threshold: float
    best: Evidence | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One cell of the grid.

    A failed cell carries its reason in `error` and what to do in `remedy`; a cell that is not
    found says in `searched` how far the best candidate was from counting.
    """

    document: str
    provision: str
    state: CellState
    evidence: tuple[Evidence, ...] = ()
    searched: Searched | None = None
    severity: Severity = Severity.NONE
    reason: str = ""
    answers: tuple[RiskAnswer, ...] = ()
    review: ReviewState = ReviewState.PROPOSED
    error: str = ""
    candidates: tuple[tuple[Span, float], ...] = field(default=())
    remedy: str = ""

    @property
    def best(self) -> Evidence | None:
        """Return the evidence with the highest score: what to show where there is room for one."""
        return max(self.evidence, key=lambda each: each.score, default=None)


@dataclass(frozen=True, slots=True)
class ReviewedDocument:
    """A row of the grid: a document as the reports need it."""

    id: str
    name: str
    path: str
    media_type: str
    text: str
    card: Card
    outline_confidence: float
    windows: bool
    page_count: int
    needs_ocr: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """A file of the data room that could not be read: as visible as a finding."""

    path: str
    reason: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class ColumnHead:
    """A column of the grid: a provision as the reports need it."""

    id: str
    name: str
    definition: str


@dataclass(frozen=True, slots=True)
class Review:
    """A finished grid: every document × every provision has exactly one finding."""

    title: str
    created: datetime
    as_of: date
    playbook: str
    playbook_version: str
    playbook_hash: str
    columns: tuple[ColumnHead, ...]
    documents: tuple[ReviewedDocument, ...]
    findings: tuple[Finding, ...]
    unread: tuple[UnreadFile, ...] = ()
    provenance: tuple[tuple[str, str], ...] = ()

    def cell(self, document: str, provision: str) -> Finding:
        """Return the finding of one document and one provision.

        Raises:
            KeyError: If the grid has no such row or column.
        """
        for finding in self.findings:
            if finding.document == document and finding.provision == provision:
                return finding
        raise KeyError(f"no cell {document!r} × {provision!r}")
