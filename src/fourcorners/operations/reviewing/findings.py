"""The findings of a review, and what people say of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import Annotated

from pydantic import Field

from fourcorners.errors import ConfigError, name_remedy
from fourcorners.library.store import Library
from fourcorners.operations.access import Access
from fourcorners.operations.errors import Conflict, NotFound, Refusal
from fourcorners.operations.knowledge.playbooks import load_playbook
from fourcorners.operations.members import find_member, notify_of_comment
from fourcorners.operations.notices import Notice, NoticeKind
from fourcorners.operations.principal import Role
from fourcorners.playbooks.playbook import Level, Playbook
from fourcorners.research.columns import store as columns
from fourcorners.research.columns.store import PREFIX, DuplicateColumn, NoSuchColumn, QuestionColumn
from fourcorners.review import store
from fourcorners.review.annotations import assigned_to
from fourcorners.review.finding import CellState, Finding, ReviewState, Severity
from fourcorners.review.people import review_actions
from fourcorners.review.risk.answers import MAX_ANSWER
from fourcorners.review.risk.term_dates import apply_term_dates, dated_rules
from fourcorners.search.graph.in_force import card_in_force
from fourcorners.text.span import Span
from fourcorners.value import Value


class FindingsRequest(Value):
    """Which findings of a review."""

    collection: str = Field(max_length=500, description="A collection's name.")
    playbook: str = Field(default="due-diligence", max_length=200, description="A playbook's id.")
    documents: Annotated[
        list[Annotated[str, Field(max_length=40)]],
        Field(max_length=50, description="Only of these contracts, by id."),
    ] = Field(default_factory=list)
    provision: str | None = Field(default=None, max_length=200, examples=["assignment"])
    state: CellState | None = None
    severity: Severity | None = None
    review: ReviewState | None = None

    def fits(self, finding: Finding) -> bool:
        """Return whether a finding is wanted; `to_read` means the same as state and as severity."""
        to_read = Severity.TO_READ.value
        waits = to_read in (finding.state.value, finding.severity.value)
        asked = {name: getattr(self, name) for name in ("provision", "state", "severity", "review")}
        return all(
            value in (None, getattr(finding, name)) or (waits and value == to_read)
            for name, value in asked.items()
        )


class AnnotationRequest(Value):
    """What someone says of a finding: a state, other words, answers, a comment."""

    playbook: str = Field(default="due-diligence", max_length=200)
    document: str = Field(max_length=40, examples=["2843aeec286e22ab"])
    provision: str = Field(max_length=200, examples=["change-of-control"])
    state: ReviewState | None = None
    value: str = Field(
        default="",
        max_length=review_actions.MAX_VALUE,
        description="Words of the contract are found, read for their answers and judged by the "
        "playbook; any others are shown as yours.",
    )
    place: Span | None = Field(
        default=None, description="Instead of a value: where its words are in the contract."
    )
    answers: dict[
        Annotated[str, Field(max_length=200)], Annotated[str, Field(max_length=MAX_ANSWER)]
    ] = Field(
        default_factory=dict,
        max_length=50,
        description="Your answers to risk questions, by their ids: an option, a date, a period, an "
        "amount, a party or words; `-` where the contract does not say. Severity and "
        "recommendation follow from them.",
        examples=[{"effect": "consent"}],
    )
    severity: Level | None = Field(
        default=None, description="It wins over the playbook's rules; the comment is its reason."
    )
    comment: str = Field(default="", max_length=review_actions.MAX_COMMENT)
    assignee: str = Field(
        default="",
        max_length=review_actions.MAX_NAME,
        description="The member who is asked to look at it; the comment says why.",
    )

    @property
    def is_empty(self) -> bool:
        parts = (self.state, self.value, self.place, self.answers, self.severity)
        return not any((*parts, self.comment, self.assignee))


@contextmanager
def column_errors() -> Iterator[None]:
    """Give what the store of columns refuses its status."""
    try:
        yield
    except NoSuchColumn as error:
        raise NotFound(error.message, remedy=error.remedy) from error
    except DuplicateColumn as error:
        raise Conflict(error.message, remedy=error.remedy) from error
    except ConfigError as error:
        raise Refusal(error.message, remedy=error.remedy) from error


def visible_column(access: Access, identity: str, role: Role) -> QuestionColumn:
    """Return an active column, by its id or the provision name of its cells.

    Raises:
        NotFound: If there is no such column that they may see.
        NotAllowed: If they hold a lesser role in its collection.
    """
    with column_errors():
        column = columns.find_column(access.common(), identity)
    try:
        access.require(role, column.collection)
    except NotFound as error:  # a column discloses no more than its collection
        raise NotFound(
            f"column {identity[:60]!r} not found, or you don't have access.",
            remedy="It may have been removed.",
        ) from error
    return column


def _cell_playbook(access: Access, book: Playbook, provision: str, role: Role) -> Playbook:
    """Return the playbook of a cell: the review's, or that of the custom column.

    Raises:
        NotFound: If there is no such column that they may see.
        NotAllowed: If they hold a lesser role in its collection.
    """
    if not provision.startswith(PREFIX):
        return book
    column = visible_column(access, provision, role)
    return columns.columns_playbook(column.collection, column.playbook, [column])


def current_date() -> date:
    """Return the day by which findings are dated."""
    return datetime.now(UTC).date()


def findings_at(library: Library, playbook: Playbook, findings: Sequence[Finding]) -> list[Finding]:
    """Return findings with today's severities, where these depend on the end of a term."""
    dependent = {each.id for each in playbook.provisions if dated_rules(each)}
    documents = {each.document for each in findings if each.provision in dependent}
    cards = {each: card_in_force(library, each) for each in documents}
    return apply_term_dates(findings, cards, playbook, current_date())


def list_findings(access: Access, asked: FindingsRequest) -> list[Finding]:
    """Return the findings of a review that fit, with today's severities, by document and provision.

    Raises:
        NotFound: If they may not know of the collection or a document, there is no such playbook,
            or neither it nor the review's columns have the provision.
    """
    book = load_playbook(access, asked.playbook, asked.collection)
    inside = {entry.id for entry in access.documents(asked.collection)}
    if asked.documents:
        inside &= {access.visible(each).entry.id for each in asked.documents}
    library = access.library_for(asked.collection, Role.READER)
    own = columns.review_playbook(library, asked.collection, book.id)
    if asked.provision is not None:
        _require_provision(asked.provision, book, own)
    cells: dict[str, dict[str, Finding]] = {}
    documents: Sequence[str | None] = asked.documents or [None]
    for each in (book, own):
        wanted = [p.id for p in each.provisions if asked.provision in (None, p.id)]
        for document in documents:
            for place, row in store.load_cells(library, each, wanted, document).items():
                cells.setdefault(place, {}).update(row)
    access.record("findings", {"collection": asked.collection, "playbook": book.id})
    rows = [cells[key] for key in sorted(inside & cells.keys())]
    dated = findings_at(library, book, [row[name] for row in rows for name in sorted(row)])
    return [each for each in dated if asked.fits(each)]


class Coverage(Value):
    """How many contracts of a collection a playbook has reviewed."""

    reviewed: int
    contracts: int


def review_coverage(access: Access, collection: str, playbook: str) -> Coverage:
    """Return how many contracts of a collection have findings of a playbook.

    Raises:
        NotFound: If they may not know of the collection, or there is no such playbook.
    """
    book = load_playbook(access, playbook, collection)
    inside = {entry.id for entry in access.documents(collection)}
    answered = store.answered_cells(access.library_for(collection, Role.READER), book)
    return Coverage(reviewed=len(inside & answered.keys()), contracts=len(inside))


def find_finding(access: Access, document: str, provision: str, playbook: str) -> Finding:
    """Return one finding, with today's severity.

    Raises:
        NotFound: If they may not know of the document, there is no such playbook or provision, or
            the cell was not reviewed.
    """
    library = access.library_of(document, Role.READER)
    book = load_playbook(access, playbook, access.visible(document).entry.collection)
    own = _cell_playbook(access, book, provision, Role.READER)
    _require_provision(provision, own)
    access.text(document)  # the audit trail records that it was read
    try:
        found = review_actions.load_finding(library, own, document, provision)
    except ConfigError as error:
        raise NotFound(error.message, remedy="Start a review first.") from error
    return findings_at(library, book, [found])[0]


def annotate(access: Access, asked: AnnotationRequest, book: Playbook | None = None) -> Finding:
    """Store what a person says of a finding, and return the finding.

    `book` is the cell's playbook, where it is not found by the request.

    Raises:
        NotFound: If they may not know of the document, or there is no such playbook or provision.
        NotAllowed: If they may not review it.
        ConfigError: If the cell was not reviewed, or cannot be annotated so.
    """
    library = access.library_of(asked.document, Role.REVIEWER)
    collection = library.entry(asked.document).collection
    if book is None:
        book = load_playbook(access, asked.playbook, collection)
        book = _cell_playbook(access, book, asked.provision, Role.REVIEWER)
    _require_provision(asked.provision, book)
    given = review_actions.NewAnnotation(
        by=access.principal.name,
        state=asked.state,
        value=asked.value,
        comment=comment_of(access, collection, asked.comment, asked.assignee),
        place=asked.place,
        answers=asked.answers,
        severity=Severity(asked.severity) if asked.severity else None,
    )
    with library.transaction():
        found = review_actions.annotate_finding(
            library, book, asked.document, asked.provision, given
        )
        notice = Notice(
            kind=NoticeKind.ANSWERED,
            by=given.by,
            collection=collection,
            document=asked.document,
            playbook=asked.playbook,
            provision=asked.provision,
        )
        notify_of_comment(library, notice, given.comment, found.remarks[:-1])
    return found


def comment_of(access: Access, collection: str, comment: str, to: str = "") -> str:
    """Return a comment as it is kept, with whom it asks to look at the finding.

    Raises:
        ConfigError: If no member of the collection is called that.
    """
    library = access.library_for(collection, Role.REVIEWER)
    asked = to.strip() or assigned_to(comment)
    if not asked:
        return comment
    name = find_member(access, library, collection, asked)
    return review_actions.assignment(name, comment if to.strip() else comment.partition(":")[2])


def _require_provision(provision: str, *playbooks: Playbook) -> None:
    """Check that a playbook has a provision.

    Raises:
        NotFound: If none has; it names the nearest.
    """
    known = [each.id for book in playbooks for each in book.provisions]
    if provision not in known:
        own = [each for each in known if not each.startswith(PREFIX)]
        raise NotFound(
            f"the playbook {playbooks[0].id!r} has no provision {provision[:60]!r}.",
            remedy=name_remedy(provision, own),
        )
