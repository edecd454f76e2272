"""Import what people wrote into a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import annotations as annotation_log
from fourcorners.review import store
from fourcorners.review.finding import Author, Finding, ReviewState
from fourcorners.review.people import review_actions
from fourcorners.review.people.review_actions import NewAnnotation


@dataclass(frozen=True, slots=True)
class ReportEdit:
    """A row of a report after a person's edits.

    Attributes:
        fingerprint: Fingerprint of the finding that the report showed.
        annotation_count: How many remarks of people the report showed.
        state: The state in the row; None if it is empty.
    """

    row: int
    document: str
    provision: str
    fingerprint: str
    annotation_count: int
    state: ReviewState | None
    reviewer: str
    value: str
    comment: str


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """A row that was not applied, and why."""

    row: int
    document: str
    provision: str
    reason: str


@dataclass(frozen=True, slots=True)
class AppliedEdit:
    """What a row added."""

    row: int
    document: str
    provision: str
    by: str
    state: ReviewState | None
    value: str
    comment: str


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """The result of the rows; `untouched` cells were not edited, `known` edits are not new."""

    applied: tuple[AppliedEdit, ...]
    problems: tuple[ImportProblem, ...]
    untouched: int
    known: int


class _DryRunRollback(Exception):
    """Rolls back a dry run."""


def import_edits(
    library: Library,
    playbook: Playbook,
    edits: Iterable[ReportEdit],
    *,
    by: str,
    source: str,
    dry_run: bool = False,
) -> ImportOutcome:
    """Apply the edits in rows of a report, all in one transaction.

    A row is reported instead of applied if another person has said something of the cell since, if
    the finding has changed, if it is unknown, or if the edit is impossible.
    """
    cells: dict[tuple[str, str], list[ReportEdit]] = {}
    for edit in edits:
        cells.setdefault((edit.document, edit.provision), []).append(edit)
    outcome = ImportOutcome((), (), 0, 0)
    with suppress(_DryRunRollback), library.transaction():
        outcome = _apply(library, playbook, cells.values(), by)
        if outcome.applied:
            counts = {"applied": len(outcome.applied), "not_applied": len(outcome.problems)}
            library.record(
                "review-import", {"sha256": source, "playbook": playbook.id, "by": by, **counts}
            )
        if dry_run:
            raise _DryRunRollback
    return outcome


def _apply(
    library: Library, playbook: Playbook, cells: Iterable[Sequence[ReportEdit]], by: str
) -> ImportOutcome:
    applied: list[AppliedEdit] = []
    problems: list[ImportProblem] = []
    untouched = known = 0
    names = {entry.id: entry.name for entry in library.documents()}
    provisions = {each.id for each in playbook.provisions}
    current = store.load_cells(library, playbook, provisions)
    annotations = annotation_log.select_annotations(library, playbook.id)
    for rows in cells:
        first = rows[0]
        place = (first.document, first.provision)
        finding = current.get(first.document, {}).get(first.provision)
        try:
            if finding is None:
                raise ConfigError(_unknown(first, names, provisions))
            change = _changed_rows(rows, annotations.get(place, []), by)
            if change is None:
                untouched += 1
            elif _is_repeated(change, annotations.get(place, []), first.annotation_count):
                known += 1
            else:
                _require_current(first, finding, annotations.get(place, []))
                review_actions.annotate_finding(library, playbook, *place, change)
                name = names[first.document]
                parts = (change.by, change.state, change.value, change.comment)
                applied.append(AppliedEdit(first.row, name, first.provision, *parts))
        except ConfigError as error:
            name = names.get(first.document, first.document)
            problems.append(ImportProblem(first.row, name, first.provision, str(error)))
    return ImportOutcome(tuple(applied), tuple(problems), untouched, known)


def _unknown(edit: ReportEdit, names: dict[str, str], provisions: set[str]) -> str:
    if edit.document not in names:
        return "This contract is not in the library."
    if edit.provision not in provisions:
        return f"The playbook has no provision {edit.provision!r}."
    return "This cell was not reviewed by this version of the playbook."


def _changed_rows(
    rows: Sequence[ReportEdit], annotations: Sequence[annotation_log.StoredAnnotation], by: str
) -> NewAnnotation | None:
    """Return the single edit in the rows of a cell; None if there is none.

    Raises:
        ConfigError: If they differ, or the edit is inconsistent.
    """
    found: dict[NewAnnotation, int] = {}
    for row in rows:
        if change := _change(row, annotations, by):
            found.setdefault(change, row.row)
    if len(found) > 1:
        numbers = " and ".join(str(number) for number in sorted(found.values()))
        raise ConfigError(f"Rows {numbers} say different things of the same cell.")
    return next(iter(found), None)


def _change(
    row: ReportEdit, annotations: Sequence[annotation_log.StoredAnnotation], by: str
) -> NewAnnotation | None:
    before = [each for each in annotations if each.by_person][: row.annotation_count]
    shown = annotation_log.review_status(before, row.fingerprint)
    who = shown.judged.annotation.by if shown.judged else ""
    author = row.reviewer if row.reviewer and row.reviewer != who else by
    state = row.state or shown.review
    new_value = _same(row.value) != _same(shown.value)
    if state is shown.review and not new_value:
        return NewAnnotation(author, None, "", row.comment) if row.comment else None
    if new_value and row.value:
        if state not in (shown.review, ReviewState.CORRECTED):
            raise ConfigError(
                f"It has a new value, and is to be {state.value}: choose Corrected, "
                "or take out the value."
            )
        return NewAnnotation(author, ReviewState.CORRECTED, row.value, row.comment)
    if new_value and state not in (ReviewState.PROPOSED, ReviewState.REJECTED):
        raise ConfigError(
            "Its corrected value was taken out: choose Proposed to take the correction back."
        )
    if state is ReviewState.CORRECTED and not row.value:
        raise ConfigError("It is to be corrected, and has no corrected value: write one.")
    value = row.value if state is ReviewState.CORRECTED else ""
    return NewAnnotation(author, state, value, row.comment)


def _same(value: str) -> str:
    return " ".join(value.split())


def _is_repeated(
    change: NewAnnotation, annotations: Sequence[annotation_log.StoredAnnotation], seen: int
) -> bool:
    """Return whether the same person has said the same since: the report is imported again."""
    later = [each.annotation for each in annotations if each.annotation.author is Author.PERSON][
        seen:
    ]
    return any(
        each.by == change.by
        and each.state is change.state
        and _same(each.value) == _same(change.value)
        and each.comment == change.comment.strip()
        for each in later
    )


def _require_current(
    edit: ReportEdit, finding: Finding, annotations: Sequence[annotation_log.StoredAnnotation]
) -> None:
    """Refuse an edit of a finding that has changed.

    Raises:
        ConfigError: If someone said something since, or the finding has changed.
    """
    people = [each for each in annotations if each.by_person]
    if len(people) > edit.annotation_count:
        last = people[-1].annotation
        given = f" ({last.state.value})" if last.state else ""
        raise ConfigError(f"{last.by} has said something of it since{given}, on {last.at[:10]}.")
    if len(people) < edit.annotation_count:
        raise ConfigError("The report shows remarks that this library does not have.")
    if annotation_log.finding_fingerprint(finding) != edit.fingerprint:
        raise ConfigError("The finding has changed since the report was written.")
