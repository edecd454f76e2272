"""`Finding`: one cell of the grid, provision × document, as a value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from fourcorners.documents.change_marks import TrackedChange
from fourcorners.documents.document import PageLabel
from fourcorners.library.entries import Failure
from fourcorners.outline.card.card import Card
from fourcorners.outline.exclusions import SetApartClause
from fourcorners.text.invisible_characters import shorten
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span

if TYPE_CHECKING:
    from fourcorners.search.graph.family import FamilyLink

_SHOWN = 300  # characters of an excluded clause, among the cautions


class CellState(StrEnum):
    """The result of a cell."""

    FOUND = "found"
    NOT_FOUND = "not_found"
    TO_READ = "to_read"  # not found, but an excluded clause may concern it
    FAILED = "failed"
    NOT_APPLICABLE = "not_applicable"  # the playbook does not ask it of this type of contract


class Severity(StrEnum):
    """How much a finding matters to the deal, by the playbook's rules; the gravest comes first."""

    HIGH = "high"
    MEDIUM = "medium"
    TO_READ = "to_read"  # an unanswered question may make it high or medium
    LOW = "low"
    NONE = "none"

    @property
    def rank(self) -> int:
        """Return its place among all severities, from 0 for none."""
        return _RANKS[self]

    @property
    def words(self) -> str:
        return self.value.replace("to_read", "to be read").capitalize()


_RANKS = {severity: rank for rank, severity in enumerate(reversed(Severity))}


class ReviewState(StrEnum):
    """What a person has said of a finding."""

    PROPOSED = "proposed"
    CONFIRMED = "confirmed"
    CORRECTED = "corrected"
    REJECTED = "rejected"
    SECOND_LOOK = "second_look"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A verified quote with its context.

    Attributes:
        clause: The whole clause by the outline (or the window) that holds the quote.
        path: Label and heading of each node from the top of the contract down to the clause.
        pages: First and last page of the quote; None for formats without pages.
        score: The calibrated probability that the quote answers the provision, 0 to 1.
        ocr: The mean confidence of the quote's words, 0 to 1, if text recognition read them.
    """

    quote: Quote
    clause: Span
    path: tuple[str, ...]
    pages: tuple[PageLabel, PageLabel] | None
    score: float
    ocr: float | None = None


CANNOT_TELL = "Cannot tell from the document"
"""The answer of a model that leaves the question to a person."""


class Author(StrEnum):
    """Who said something: the program by its rules and local models, a language model, a person."""

    RULE = "rule"
    MODEL = "model"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class RiskAnswer:
    """The answer to a risk question of the provision; `answer` is empty if left to a person.

    Attributes:
        value: The answer for programs: an option's id, an ISO date or duration, a party's
            name; empty where there is none.
        said: How a cell displays it; empty if it does not.
        confidence: The probability that it is right, 0 to 1; None if none was measured.
        party: The party that the answer concerns, as the contract calls it; empty for all.
        quotes: The source text, verified.
        against: What in the contract says otherwise, with its source text in `against_quotes`.
    """

    question: str
    answer: str
    reason: str = ""
    id: str = ""
    author: Author = Author.RULE
    party: str = ""
    quotes: tuple[Quote, ...] = ()
    against: str = ""
    against_quotes: tuple[Quote, ...] = ()
    value: str = ""
    statement: str = ""
    confidence: float | None = None

    @property
    def is_open(self) -> bool:
        """Tell whether the question is left to a person."""
        return self.answer in ("", CANNOT_TELL)


@dataclass(frozen=True, slots=True)
class AnswerCorrection:
    """A person's answer to a risk question; `value` is empty where the contract does not say."""

    id: str
    value: str


@dataclass(frozen=True, slots=True)
class Annotation:
    """What a person said of a finding: a new state, a corrected value, a comment, or more of these.

    Attributes:
        at: When, in UTC, ISO 8601 to the second.
        state: The state they gave it; None where they only commented.
        value: What replaces the proposed words; empty if they are unchanged.
        author: A person, or the program by its rules, which says what a later review changed.
        place: Where the value is in the document; None for the person's own words.
        severity: The severity they set; None where they set none.
        withdrawn: The comment that was made and withdrawn; `comment` is empty then.
    """

    by: str
    at: str
    state: ReviewState | None = None
    value: str = ""
    comment: str = ""
    author: Author = Author.PERSON
    place: Span | None = None
    answers: tuple[AnswerCorrection, ...] = ()
    severity: Severity | None = None
    withdrawn: str = ""


@dataclass(frozen=True, slots=True)
class Amendment:
    """A change to the words found, by another document or by the same one elsewhere.

    Attributes:
        quote: The changing words, verified in the document that changes them.
        replaces: Whether the words found here are no longer in force.
        place: The clause of the amending document; empty where it has no number.
        old: The words that it changes, verified in the finding's document.
    """

    document: str
    name: str
    quote: Quote
    replaces: bool
    place: str = ""
    old: Quote | None = None

    def describe(self, document: str) -> str:
        """Describe briefly what it does to the words found in a document."""
        if self.document != document:
            return f"Amended by {self.name}{self.place and f', clause {self.place}'}"
        effect = "takes these words out of force" if self.replaces else "limits these words"
        return f"Elsewhere this contract {effect}"


@dataclass(frozen=True, slots=True)
class PositionMatch:
    """The house position, such as `preferred`, that a clause matches, with the deciding words."""

    kind: str
    text: str
    recommend: str = ""
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class Outlier:
    """How a clause differs from the others of its provision in the data room.

    Attributes:
        score: How different, 0 (like the others) to 1.
        nearest: The id of the document with the clause most like this one.
        clause: The place of that clause in the nearest document.
    """

    score: float
    nearest: str
    clause: Span


@dataclass(frozen=True, slots=True)
class SearchRecord:
    """What was searched to fill a cell: absence is a claim too.

    Attributes:
        threshold: The probability at and above which a quote counts as found.
        best: The strongest candidate, found or not; None if nothing scored at all.
        model: The language model that was asked; empty if none was.
        given: What of the document it was given to read, in that order.
    """

    query: str
    passages: int
    threshold: float
    best: Evidence | None = None
    model: str = ""
    given: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the program proposed for a cell that people changed."""

    state: CellState
    evidence: tuple[Evidence, ...]
    severity: Severity
    reason: str
    answers: tuple[RiskAnswer, ...]
    error: str
    remedy: str
    author: Author
    claims: tuple[str, ...]
    recommendation: str
    position: PositionMatch | None
    possible_severity: Severity = Severity.NONE
    open_questions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One cell of the grid.

    A failed cell carries its reason in `error` and what to do in `remedy`; a cell that is not
    found says in `searched` how far the best candidate was from counting.

    Attributes:
        review: What people last said of it; `value` replaces its words.
        place: Where that value is in the document; None for a person's own words.
        claims: What a language model attributed to the contract, and is not in it.
        recommendation: What the playbook says to do about it; empty if it says nothing.
        proposed: What the program proposed; None if people changed nothing.
        severity_by: Who set the severity; empty if the playbook's rules did.
        possible_severity: The highest severity that open questions may give it; `NONE` if none
            higher than it has. It depends on the answers with the ids in `open_questions`.
    """

    document: str
    provision: str
    state: CellState
    evidence: tuple[Evidence, ...] = ()
    searched: SearchRecord | None = None
    severity: Severity = Severity.NONE
    reason: str = ""
    answers: tuple[RiskAnswer, ...] = ()
    review: ReviewState = ReviewState.PROPOSED
    error: str = ""
    candidates: tuple[tuple[Span, float], ...] = field(default=())
    remedy: str = ""
    author: Author = Author.RULE
    value: str = ""
    claims: tuple[str, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    outlier: Outlier | None = None
    remarks: tuple[Annotation, ...] = ()
    recommendation: str = ""
    place: Span | None = None
    position: PositionMatch | None = None
    proposed: Proposal | None = None
    severity_by: str = ""
    possible_severity: Severity = Severity.NONE
    open_questions: tuple[str, ...] = ()

    @property
    def proposal(self) -> Proposal:
        """Return what the program proposed for the cell, before any changes by people."""
        return self.proposed or Proposal(
            **{each.name: getattr(self, each.name) for each in fields(Proposal)}
        )

    @property
    def best(self) -> Evidence | None:
        """Return the evidence with the highest score."""
        return max(self.evidence, key=lambda each: each.score, default=None)

    @property
    def nearest(self) -> Evidence | None:
        """Return the words closest to a provision that was not found; they are not a match."""
        is_absent = self.state is CellState.NOT_FOUND and self.author is not Author.PERSON
        return self.searched.best if is_absent and self.searched else None

    @property
    def headline(self) -> str:
        """Return the headline of the cell: its answers, in the playbook's order; may be empty."""
        return join_headline(each.statement for each in self.answers)


def join_headline(statement: Iterable[str]) -> str:
    """Join answers into one line without repetitions."""
    line = "; ".join(dict.fromkeys(filter(None, statement)))
    return line[:1].upper() + line[1:]


@dataclass(frozen=True, slots=True)
class ReviewedDocument:
    """A row of the grid: what reports need of a document.

    Attributes:
        warnings: What a person should know about how it was read, each one sentence.
        suspicions: What is addressed to a machine, or hidden from a reader, each one sentence.
        left_out: Words that were excluded from findings, each kind in one sentence.
        read_for: The names of the parties for whom it is read; empty for nobody.
        set_apart: Its clauses that give instructions to a reader.
    """

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
    suspicions: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    read_for: tuple[str, ...] = ()
    set_apart: tuple[SetApartClause, ...] = ()
    tracked_changes: tuple[TrackedChange, ...] = ()
    family: FamilyLink | None = None

    @property
    def cautions(self) -> tuple[str, ...]:
        """Return all that a person should know before relying on the reading."""
        orders = [
            f"{each.place[:1].upper()}{each.place[1:]}, gives instructions to its reader, and was "
            f"set apart: “{shorten(each.words, _SHOWN)}”."
            for each in self.set_apart
        ]
        return (*self.suspicions, *orders, *self.warnings)


@dataclass(frozen=True, slots=True)
class ColumnHeader:
    """A column of the grid: what reports need of a provision."""

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
    columns: tuple[ColumnHeader, ...]
    documents: tuple[ReviewedDocument, ...]
    findings: tuple[Finding, ...]
    unread: tuple[Failure, ...] = ()
    provenance: tuple[tuple[str, str], ...] = ()
    playbook_id: str = ""
    read_for: tuple[str, ...] = ()

    def cell(self, document: str, provision: str) -> Finding:
        """Return the finding of one document and one provision that the grid has."""
        place = document, provision
        return next(each for each in self.findings if (each.document, each.provision) == place)
