"""Many findings at once: confirmed, rejected, flagged, assigned or commented on, and taken back.

The audit trail has an entry of each action, with the numbers of the remarks that were made: nothing
else is kept of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from fourcorners.errors import ConfigError
from fourcorners.library import audit
from fourcorners.library.database import as_string
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name
from fourcorners.operations.access import Access
from fourcorners.operations.errors import Conflict, NotFound, Refusal
from fourcorners.operations.knowledge.playbooks import load_playbook
from fourcorners.operations.members import mention_warnings, notify_of_comment
from fourcorners.operations.notices import Notice, NoticeKind, withdraw_notice
from fourcorners.operations.principal import Role
from fourcorners.operations.reviewing.findings import FindingsRequest, comment_of, list_findings
from fourcorners.playbooks.playbook import Playbook
from fourcorners.research.columns import store as columns
from fourcorners.review import annotations as annotation_log
from fourcorners.review import store
from fourcorners.review.annotations import StoredAnnotation
from fourcorners.review.finding import Annotation, CellState, Finding, ReviewState, Severity
from fourcorners.review.people import review_actions
from fourcorners.value import Value

MOST = 2_000
"""Findings that are marked at once."""
_MARKED, _RESTORED = "findings marked", "findings restored"


class BulkAction(StrEnum):
    CONFIRM = "confirmed"
    REJECT = "rejected"
    SECOND_LOOK = "second_look"
    ASSIGN = "assigned"
    COMMENT = "commented"
    UNDO = "proposed"

    @property
    def state(self) -> ReviewState | None:
        """The state that it gives a finding; None where it only adds a comment."""
        return None if self in (self.ASSIGN, self.COMMENT) else ReviewState(self.value)


class BulkRequest(Value):
    """Which findings of a review that nobody has checked, and what is to be done to all of them."""

    action: Literal[
        BulkAction.CONFIRM,
        BulkAction.REJECT,
        BulkAction.SECOND_LOOK,
        BulkAction.ASSIGN,
        BulkAction.COMMENT,
    ]
    collection: str = Field(max_length=500, description="A collection's name.")
    playbook: str = Field(default="due-diligence", max_length=200, description="A playbook's id.")
    documents: Annotated[
        list[Annotated[str, Field(max_length=40)]],
        Field(max_length=50, description="Only of these contracts, by id."),
    ] = Field(default_factory=list)
    provision: str | None = Field(default=None, max_length=200, examples=["assignment"])
    state: CellState = CellState.FOUND
    severity: Severity | None = None
    to: str = Field(
        default="", max_length=review_actions.MAX_NAME, description="A member, where it assigns."
    )
    comment: str = Field(default="", max_length=review_actions.MAX_COMMENT)
    count: int | None = Field(
        default=None,
        ge=0,
        le=1_000_000,
        description="How many findings you agreed to. Without it nothing is marked, and the "
        "answer tells how many there are; where there are others by now, it is refused.",
    )


class BulkResult(Value):
    """What was done to many findings at once."""

    number: int = Field(default=0, description="What undoes it; 0 where nothing was marked.")
    collection: str
    playbook: str
    by: str
    action: BulkAction
    findings: int = Field(description="How many were marked, or are as they were before.")
    unanswered: int = Field(
        default=0,
        description="Asked first: how many of them have an open question that decides how grave "
        "they are.",
    )
    left: int = Field(
        default=0, description="How many could not be restored: changed or removed since."
    )
    warnings: list[str] = Field(
        default_factory=list, description="Who is mentioned in the comment, but is no member."
    )

    @property
    def is_undo(self) -> bool:
        return self.action is BulkAction.UNDO


def annotate_many(
    access: Access, asked: BulkRequest, cells: Iterable[tuple[str, str]] | None = None
) -> BulkResult:
    """Do one thing to many findings that nobody has checked, and return what undoes it.

    `cells` are those that are meant, by document and provision, where not the request names them.

    Raises:
        Conflict: If they are not as many as was agreed to.
        Refusal: If they are too many, or the action lacks what it needs.
        ConfigError: If no member of the collection has the name.
    """
    library = access.library_for(asked.collection, Role.REVIEWER)
    comment = _comment(access, asked)
    warnings = mention_warnings(access, asked.collection, asked.comment)
    given = list(_selected(access, asked) if cells is None else cells)
    if asked.count is None:
        found, by = _open_cells(access, asked, given), access.principal.name
        unanswered = sum(
            each.severity is Severity.TO_READ or each.possible_severity.rank > each.severity.rank
            for _, each in found
        )
        return BulkResult.make(
            asked, by=by, findings=len(found), unanswered=unanswered, warnings=warnings
        )
    with library.transaction():
        places = _open_cells(access, asked, given)
        if asked.count != len(places):
            raise Conflict(
                f"there are now {len(places):,} findings, not {asked.count:,}. Nothing was "
                "changed.",
                remedy="Check the grid and select them again.",
            )
        done = _carry_out(library, asked, places, comment, by=access.principal.name)
    return done.model_copy(update={"warnings": warnings})


def undo_many(access: Access, number: int) -> BulkResult:
    """Take back what one did to many findings; `number` is its entry in the audit trail.

    Each is as it was before. One of which somebody said anything since stays as it is.

    Raises:
        NotFound: If they did nothing so, or may not know of the collection.
    """
    done = _find(access.common(), number, access.principal.name)
    if done is None or done.is_undo:
        raise NotFound("there is nothing to undo.")
    library = access.library_for(done.collection, Role.REVIEWER)
    books = {each.id: each for each in _playbooks(access, done.collection, done.playbook)}
    inside = {each.id for each in access.documents(done.collection)}
    restored = 0
    with library.transaction():
        marks = annotation_log.annotated_cells(
            library, *_remarks(library, number), done.by, done.action.state
        )
        for remark, document, playbook, provision in marks:
            book = books.get(playbook)
            if document in inside and book and any(e.id == provision for e in book.provisions):
                restored += _restore(library, book, (document, provision), remark, done.by)
        withdraw_notice(library, number, done.by, done.collection, done.playbook)
        left = done.findings - restored
        detail: dict[str, str | int] = {"collection": done.collection, "playbook": done.playbook}
        detail |= {"by": done.by, "findings": restored, "left": left, "entry": number}
        entry = library.record(_RESTORED, detail).seq
    more = {"number": entry, "action": BulkAction.UNDO, "findings": restored, "left": left}
    return done.model_copy(update=more)


def recall_bulk_annotation(access: Access, number: int, collection: str) -> BulkResult | None:
    """Return what one did in a collection, with whom its comment did not reach.

    None if that entry of the audit trail is of something else.
    """
    library = access.library_for(collection, Role.READER)
    done = _find(library, number, access.principal.name)
    if done is None or fold_name(done.collection) != fold_name(collection):
        return None
    if done.is_undo:
        return done
    comment = annotation_log.comment_of(library, _remarks(library, number)[0])
    return done.model_copy(update={"warnings": mention_warnings(access, collection, comment)})


def _find(library: Library, number: int, by: str) -> BulkResult | None:
    """Return what somebody did, by its entry in the audit trail; None if they did not."""
    detail = _entry(library, number)
    if detail.get("by") != by:
        return None
    return BulkResult(
        number=number,
        collection=str(detail["collection"]),
        playbook=str(detail["playbook"]),
        by=by,
        action=BulkAction(str(detail.get("state", BulkAction.UNDO.value))),
        findings=int(detail["findings"]),
        left=int(detail.get("left", 0)),
    )


def _entry(library: Library, number: int) -> dict[str, str | int]:
    """Return the details of such an entry; nothing if it is another."""
    events = (_MARKED, _RESTORED)
    rows = library.execute(
        "SELECT detail FROM audit WHERE seq = ? AND event IN (?, ?)", (number, *events)
    )
    found: dict[str, str | int] = json.loads(as_string(rows[0][0])) if rows else {}
    return found


def _remarks(library: Library, number: int) -> tuple[int, int]:
    detail = _entry(library, number)
    return int(detail["first_remark"]), int(detail["last_remark"])


def _comment(access: Access, asked: BulkRequest) -> str:
    """Return the comment that each finding gets."""
    if asked.action is BulkAction.ASSIGN:
        if not asked.to.strip() and asked.count is not None:
            raise ConfigError("nobody is named.", remedy="Name a member.", field="to")
        return comment_of(access, asked.collection, asked.comment, asked.to) if asked.to else ""
    if asked.action is BulkAction.COMMENT and not asked.comment.strip() and asked.count is not None:
        raise ConfigError("the comment is empty.", remedy="Write something.", field="comment")
    return comment_of(access, asked.collection, asked.comment)


def _selected(access: Access, asked: BulkRequest) -> Iterator[tuple[str, str]]:
    names = ("collection", "playbook", "documents", "provision", "state", "severity")
    wanted = FindingsRequest(**{name: getattr(asked, name) for name in names})
    for each in list_findings(access, wanted):
        yield each.document, each.provision


def _playbooks(access: Access, collection: str, playbook: str) -> tuple[Playbook, Playbook]:
    """Return the playbook of a review, and that of its custom columns."""
    book = load_playbook(access, playbook, collection)
    library = access.library_for(collection, Role.READER)
    return book, columns.review_playbook(library, collection, book.id)


def _open_cells(
    access: Access, asked: BulkRequest, cells: Iterable[tuple[str, str]]
) -> list[tuple[Playbook, Finding]]:
    """Return those of some cells that nobody has checked, and to which this can be done.

    Raises:
        Refusal: If they are too many.
    """
    library = access.library_for(asked.collection, Role.REVIEWER)
    books = _playbooks(access, asked.collection, asked.playbook)
    inside = {each.id for each in access.documents(asked.collection)}
    by_document: dict[str, list[str]] = {}
    for document, provision in cells:
        if document in inside:
            by_document.setdefault(document, []).append(provision)
    places = []
    for document, names in by_document.items():
        for book in books:
            known = {each.id for each in book.provisions}
            own = [name for name in names if name in known]
            found = store.load_cells(library, book, own, document).get(document, {}) if own else {}
            places += [
                (book, found[name])
                for name in own
                if name in found and _is_open(found[name], asked.action)
            ]
    if len(places) > MOST:
        raise Refusal(
            f"there are {len(places):,} findings; at most {MOST:,} can be changed at once.",
            remedy="Choose one column, or fewer rows.",
        )
    return places


def _is_open(finding: Finding, action: BulkAction) -> bool:
    if action is BulkAction.REJECT and finding.state is not CellState.FOUND:
        return False
    is_failed = finding.state is CellState.FAILED
    return finding.review is ReviewState.PROPOSED and not (
        is_failed and action is BulkAction.CONFIRM
    )


def _carry_out(
    library: Library,
    asked: BulkRequest,
    places: Sequence[tuple[Playbook, Finding]],
    comment: str,
    *,
    by: str,
) -> BulkResult:
    given = review_actions.NewAnnotation(by=by, state=asked.action.state, comment=comment)
    first = annotation_log.last_number(library) + 1
    for book, each in places:
        review_actions.annotate_finding(library, book, each.document, each.provision, given)
    detail: dict[str, str | int] = {"collection": asked.collection, "playbook": asked.playbook}
    detail |= {"by": by, "state": asked.action.value, "findings": len(places)}
    detail |= {"first_remark": first, "last_remark": annotation_log.last_number(library)}
    entry = library.record(_MARKED, detail)
    notice = Notice(
        kind=NoticeKind.ASSIGNED,
        by=by,
        collection=asked.collection,
        playbook=asked.playbook,
        findings=len(places),
    )
    notify_of_comment(library, notice, comment, ())
    return BulkResult.make(asked, number=entry.seq, by=by, findings=len(places))


def _restore(
    library: Library, book: Playbook, place: tuple[str, str], remark: int, by: str
) -> bool:
    """Put a finding back as it was before a remark, unless somebody said anything since."""
    document, provision = place
    earlier = _annotations(library, book.id, document, provision)
    found = store.load_cells(library, book, [provision], document).get(document, {})
    if not earlier or earlier[-1].number != remark or provision not in found:
        return False
    before = _assignment([each.annotation for each in earlier[:-1]])
    undone = Annotation(by, audit.utc_now(), ReviewState.PROPOSED, comment=before)
    made = annotation_log.append_annotation(library, book.id, found[provision], undone)
    if earlier[-1].annotation.comment:
        annotation_log.withdraw(library, remark, made.number)
    return True


def _annotations(
    library: Library, playbook: str, document: str, provision: str
) -> list[StoredAnnotation]:
    """Return what people said of a cell, the oldest first."""
    known = annotation_log.select_annotations(
        library, playbook, document=document, provisions=[provision]
    )
    return [each for each in known.get((document, provision), []) if each.by_person]


def _assignment(annotations: Sequence[Annotation]) -> str:
    """Return the comment by which a cell is assigned to somebody; empty if it is not."""
    name = annotation_log.assignee(annotations)
    given = (
        each.comment for each in reversed(annotations) if annotation_log.assignee([each]) == name
    )
    return next(given) if name else ""
