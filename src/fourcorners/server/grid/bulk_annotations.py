"""Many findings marked at once, and put back as they were.

The audit trail has an entry of each, with the numbers of the remarks that were made: nothing else
is kept of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fourcorners.library.store import Library
from fourcorners.review import annotations as annotation_log
from fourcorners.review import store
from fourcorners.review.annotations import StoredAnnotation
from fourcorners.review.finding import Annotation, ReviewState
from fourcorners.review.people import review_actions
from fourcorners.server.grid.matrix import GridMatrix
from fourcorners.server.store import audit_trail

_MARKED, _RESTORED = "findings marked", "findings restored"


@dataclass(frozen=True, slots=True)
class BulkAnnotation:
    """What somebody did to many findings at once.

    Attributes:
        number: Of its entry in the audit trail.
        state: What they were marked as; PROPOSED where such a mark was taken back.
        findings: How many were marked, or are as they were before.
        left: How many could not be put back: they were changed or removed since.
        remarks: The numbers of the first and the last remark that marked them.
    """

    number: int
    collection: str
    playbook: str
    by: str
    state: ReviewState
    findings: int
    left: int = 0
    remarks: tuple[int, int] = (0, 0)

    @property
    def is_undo(self) -> bool:
        return self.state is ReviewState.PROPOSED


def annotate_findings(
    library: Library,
    matrix: GridMatrix,
    collection: str,
    places: Sequence[tuple[str, int]],
    state: ReviewState,
    *,
    by: str,
) -> BulkAnnotation:
    """Mark cells, by document and column; call it within a transaction."""
    first = annotation_log.last_number(library) + 1
    for document, column in places:
        place = (matrix.playbook_of(column), document, matrix.provisions[column])
        review_actions.annotate_finding(
            library, *place, review_actions.NewAnnotation(by=by, state=state)
        )
    last = annotation_log.last_number(library)
    entry = library.record(
        _MARKED,
        {
            "collection": collection,
            "playbook": matrix.playbook.id,
            "by": by,
            "state": state.value,
            "findings": len(places),
            "first_remark": first,
            "last_remark": last,
        },
    )
    return BulkAnnotation(
        entry.seq, collection, matrix.playbook.id, by, state, len(places), 0, (first, last)
    )


def open_places(
    library: Library, matrix: GridMatrix, places: Iterable[tuple[str, int]]
) -> list[tuple[str, int]]:
    """Return the cells of these that nobody has checked, as the library has them now."""
    wanted: dict[tuple[str, bool], list[int]] = {}
    for document, column in places:
        is_asked = matrix.playbook_of(column) is matrix.column_playbook
        wanted.setdefault((document, is_asked), []).append(column)
    found = []
    for (document, is_asked), columns in wanted.items():
        book = matrix.column_playbook if is_asked else matrix.playbook
        names = [matrix.provisions[column] for column in columns]
        cells = store.load_cells(library, book, names, document).get(document, {})
        found += [
            (document, column)
            for column, name in zip(columns, names, strict=True)
            if name in cells and cells[name].review is ReviewState.PROPOSED
        ]
    return found


def find_bulk_annotation(library: Library, number: int, by: str) -> BulkAnnotation | None:
    """Return what somebody did, by its entry in the audit trail; None if they did not."""
    entries = audit_trail.entries_after(library, number - 1, 1)
    if not entries or entries[0].seq != number or entries[0].event not in (_MARKED, _RESTORED):
        return None
    detail = json.loads(entries[0].detail)
    if detail["by"] != by:
        return None
    return BulkAnnotation(
        number,
        detail["collection"],
        detail["playbook"],
        by,
        ReviewState(detail.get("state", ReviewState.PROPOSED)),
        detail["findings"],
        detail.get("left", 0),
        (detail.get("first_remark", 0), detail.get("last_remark", 0)),
    )


def restore_findings(
    library: Library, matrix: GridMatrix, marked: BulkAnnotation
) -> BulkAnnotation:
    """Take a mark of many findings back; call it within a transaction.

    Each is as it was before: not checked, and assigned to whom it was. One of which somebody
    said anything since, or that is not in the grid any more, stays as it is.
    """
    rows = {row.id: number for number, row in enumerate(matrix.rows)}
    books = {book.id: book for book in matrix.playbooks}
    restored = 0
    marks = annotation_log.annotated_cells(library, *marked.remarks, marked.by, marked.state)
    for remark, document, playbook, provision in marks:
        row, column = rows.get(document), matrix.column(provision)
        if row is None or column is None or playbook not in books or not matrix.state[row, column]:
            continue
        annotations = _annotations(library, playbook, document, provision)
        if annotations[-1].number != remark:
            continue
        review_actions.annotate_finding(
            *(library, books[playbook], document, provision),
            review_actions.NewAnnotation(
                by=marked.by,
                state=ReviewState.PROPOSED,
                comment=_assignment([each.annotation for each in annotations[:-1]]),
            ),
        )
        restored += 1
    left = marked.findings - restored
    detail: dict[str, str | int] = {"collection": marked.collection, "playbook": marked.playbook}
    detail |= {"by": marked.by, "findings": restored, "left": left, "entry": marked.number}
    return BulkAnnotation(
        library.record(_RESTORED, detail).seq,
        *(marked.collection, marked.playbook, marked.by, ReviewState.PROPOSED, restored, left),
    )


def _annotations(
    library: Library, playbook: str, document: str, provision: str
) -> list[StoredAnnotation]:
    """Return what people said of a cell, the oldest first."""
    known = annotation_log.select_annotations(
        library, playbook, document=document, provisions=[provision]
    )
    return [each for each in known[document, provision] if each.by_person]


def _assignment(annotations: Sequence[Annotation]) -> str:
    """Return the comment by which a cell is assigned to somebody; empty if it is not."""
    name = review_actions.assignee(annotations)
    given = (
        each.comment for each in reversed(annotations) if review_actions.assignee([each]) == name
    )
    return next(given) if name else ""
