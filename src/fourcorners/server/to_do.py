"""What waits for a person in all reviews: second looks, high findings, and what no rule decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, product

import numpy as np
from pydantic import Field

from fourcorners.library.tokens import fold_name
from fourcorners.operations.access import Access
from fourcorners.operations.knowledge import playbooks
from fourcorners.operations.principal import Role
from fourcorners.operations.reviewing.findings import findings_at
from fourcorners.review import store
from fourcorners.review.annotations import assigned_to, split_assignment
from fourcorners.review.finding import Author, Finding, ReviewState, Severity
from fourcorners.review.overview.counts import (
    CellKey,
    FindingCounts,
    ToDoReason,
    to_do_reason,
)
from fourcorners.server.context import RequestContext
from fourcorners.server.cursors import encode_cursor, page_of
from fourcorners.server.grid.cell_summaries import count_filled
from fourcorners.server.grid.dates import dated_grid
from fourcorners.server.grid.matrix import REVIEWS, SEVERITIES, STATES, GridMatrix
from fourcorners.server.grid.windows import count_grid
from fourcorners.server.store.connection_pool import ConnectionPool
from fourcorners.value import Value

NOBODY = "-"
"""In the place of a name: findings that are assigned to nobody."""
_REASONS = tuple(ToDoReason)
# The place of a cell's reason among all, by what counts of it.
_RANKS = np.array(
    [
        -1 if (why := to_do_reason(CellKey(*cell))) is None else _REASONS.index(why)
        for cell in product(STATES, SEVERITIES, REVIEWS, (False, True), (False, True))
    ]
).reshape(len(STATES), len(SEVERITIES), len(REVIEWS), 2, 2)
_CURSORS = "to do"  # the list that the cursors belong to
_WORDS = 300  # characters of a contract's words that are shown


class ToDoRequest(Value):
    """Which of the things to do."""

    collection: str | None = Field(default=None, max_length=500, description="One; null for all.")
    playbook: str | None = Field(
        default=None, max_length=200, description="Only reviews by this one, by its id."
    )
    provision: str | None = Field(default=None, max_length=200, description="Only of this one.")
    reason: ToDoReason | None = Field(
        default=None,
        description="Why; null for any reason. `assigned`: all that somebody is to look at, for "
        "whatever reason it waits.",
    )
    assigned: str | None = Field(
        default=None,
        max_length=200,
        description="Only what this person is to look at; `-` for what nobody is; null for all.",
    )


class ToDoItem(Value):
    """A finding that waits for a person."""

    collection: str
    playbook: str
    document: str
    title: str = Field(description="What the contract is called.")
    provision: str
    name: str = Field(description="The provision's.")
    reason: ToDoReason
    explanation: str = Field(
        description="The reason in words: the open question, who asked, what failed."
    )
    severity: Severity
    open_questions: int = Field(
        default=0, description="How many decide whether it is as grave as it could be."
    )
    assigned: str = Field(default="", description="Who is to look at it; empty for nobody.")
    headline: str = ""
    words: str = Field(default="", description="The likeliest words of the contract.")


@dataclass(frozen=True, slots=True)
class ToDoGroup:
    """One provision that waits in one or more contracts for one reason and one person.

    Attributes:
        items: The first of them.
        cursors: Of each item, where the list goes on after it.
        count: How many contracts there are.
    """

    items: list[ToDoItem]
    cursors: list[str]
    count: int

    @property
    def explanation(self) -> str:
        """Why they wait; empty where they differ in it."""
        words = {each.explanation for each in self.items}
        return words.pop() if len(words) == 1 else ""


@dataclass(frozen=True, slots=True)
class ToDoPart:
    """A part of the list; of all of it, how many there are for each reason and each person.

    Attributes:
        next: Where the list goes on after it; None at the end.
        count: How many findings there are in all of it.
        people: What is assigned to nobody is under `-`.
    """

    groups: list[ToDoGroup]
    next: str | None
    count: int
    reasons: Mapping[ToDoReason, int]
    people: Mapping[str, int]

    @property
    def items(self) -> list[ToDoItem]:
        return [item for group in self.groups for item in group.items]

    @property
    def cursors(self) -> list[str]:
        return [cursor for group in self.groups for cursor in group.cursors]


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A cell that waits; `key` is its place in the list."""

    key: tuple[str, ...]
    collection: str
    matrix: GridMatrix
    place: tuple[int, int]
    reason: ToDoReason
    assigned: str


def list_to_do(
    context: RequestContext, asked: ToDoRequest, cursor: str, limit: int, *, shown: int = 0
) -> ToDoPart:
    """Return at most `limit` things to do after a cursor: what is assigned to the person first.

    With `shown`, contracts that wait for the same cause are one thing, with the first of them.

    Raises:
        NotFound: If the collection is none that they may read.
        Refusal: If the cursor is invalid.
    """
    pool = context.state.connection_pool
    with context.access() as access:
        reviews = read_grids(pool, access, asked.collection)
        every = [
            each
            for collection, matrix in reviews
            if asked.playbook in (None, matrix.playbook.id)
            for each in _find(collection, matrix, context.principal.name)
            if asked.provision in (None, matrix.provisions[each.place[1]])
        ]
    by = asked.assigned
    name = None if by is None else "" if by == NOBODY else " ".join(by.split()).casefold()
    theirs = [each for each in every if name is None or each.assigned.casefold() == name]
    chosen = [each for each in theirs if _waits_for(each, asked.reason)]
    chosen.sort(key=_key)
    alike = groupby(chosen, lambda each: each.key[: -2 if shown else None])
    groups = [list(some) for _, some in alike]
    here, after = page_of(context, _CURSORS, groups, lambda some: some[-1].key, cursor, limit)
    with context.access() as access:
        described = [
            ToDoGroup(
                items=[_describe(access, each) for each in some[: shown or 1]],
                cursors=[encode_cursor(context, _CURSORS, each.key) for each in some[: shown or 1]],
                count=len(some),
            )
            for some in here
        ]
    people = [each.assigned or NOBODY for each in every if _waits_for(each, asked.reason)]
    reasons = Counter(each.reason for each in theirs)
    reasons[ToDoReason.ASSIGNED] = sum(bool(each.assigned) for each in theirs)
    return ToDoPart(
        groups=described,
        next=after,
        count=len(chosen),
        reasons=reasons,
        people=Counter(people),
    )


def _waits_for(each: _Waiting, reason: ToDoReason | None) -> bool:
    """Return whether a cell waits for a reason; it may be assigned and wait for another, too."""
    is_assigned = reason is ToDoReason.ASSIGNED and bool(each.assigned)
    return is_assigned or reason in (None, each.reason)


def _key(each: _Waiting) -> tuple[str, ...]:
    return each.key


def _find(collection: str, matrix: GridMatrix, person: str) -> Iterator[_Waiting]:
    """Yield the cells of a review that wait."""
    ranks = _RANKS[matrix.cell_keys]
    for row, column in np.argwhere(ranks >= 0).tolist():
        rank, summary = int(ranks[row, column]), matrix.annotations.get((row, column))
        assigned = summary.assigned if summary else ""
        whose = "0" if assigned.casefold() == person.casefold() else "2" if assigned else "1"
        cause = (whose, str(rank), fold_name(collection), matrix.playbook.id, f"{column:05}")
        key = (*cause, assigned.casefold(), f"{row:07}", matrix.rows[row].id)
        yield _Waiting(key, collection, matrix, (row, column), _REASONS[rank], assigned)


def _describe(access: Access, each: _Waiting) -> ToDoItem:
    """Return something to do in words."""
    row, column = each.place
    matrix, provision = each.matrix, each.matrix.columns[column]
    library = access.library_for(each.collection, Role.READER)
    book, document = matrix.playbook_of(column), matrix.rows[row].id
    cells = store.load_cells(library, book, [provision.id], document)[document]
    (finding,) = findings_at(library, book, list(cells.values()))
    return ToDoItem(
        collection=each.collection,
        playbook=matrix.playbook.id,
        document=document,
        title=str(matrix.title(library, row)),
        provision=provision.id,
        name=provision.name,
        reason=each.reason,
        explanation=_explain(finding, each.reason),
        severity=SEVERITIES[matrix.severity[each.place]],
        open_questions=len(finding.open_questions),
        assigned=each.assigned,
        headline=finding.value[:_WORDS] or finding.headline,
        words=finding.best.quote.words[:_WORDS] if finding.best else "",
    )


def _explain(finding: Finding, reason: ToDoReason) -> str:
    """Return why a finding waits."""
    if reason is ToDoReason.FAILED:
        return f"{finding.error} {finding.remedy}".strip()
    if reason is ToDoReason.ASSIGNED:
        asked = next(e for e in reversed(finding.remarks) if assigned_to(e.comment))
        name, why = split_assignment(asked.comment)
        return f"{asked.by} asked {name}: {why}"
    if reason is not ToDoReason.SECOND_LOOK:
        return finding.reason
    asked = next(e for e in reversed(finding.remarks) if e.state is ReviewState.SECOND_LOOK)
    if asked.author is not Author.PERSON:
        return asked.comment
    return f"{asked.by} asked for a second look{f': {asked.comment}' if asked.comment else '.'}"


def read_grids(
    pool: ConnectionPool, access: Access, collection: str | None
) -> Iterator[tuple[str, GridMatrix]]:
    """Yield the reviews that a person may read, of one collection or all, each with its name.

    Raises:
        NotFound: If the collection is none that they may read.
    """
    if collection is not None:
        access.require(Role.READER, collection)
    library = access.common()
    names = {fold_name(each.name): each.name for each in access.collections()}
    if collection is not None:
        names = {fold: name for fold, name in names.items() if fold == fold_name(collection)}
    known = playbooks.playbooks_of_reviews(access)
    filled = count_filled(library, {hash_ for _, hash_ in known})
    for each in sorted(filled, key=lambda e: (e.collection, e.playbook)):
        fold = fold_name(each.collection)
        if fold in names and (book := known.get((fold, each.playbook))):
            yield names[fold], dated_grid(pool, access, names[fold], book)


def count_review(
    pool: ConnectionPool, access: Access, collection: str, playbook: str
) -> FindingCounts:
    """Return the numbers of a review, as the grid and the reports have them.

    Raises:
        NotFound: If the collection is none that they may read, or there is no such playbook.
    """
    book = playbooks.load_playbook(access, playbook, collection)
    matrix = dated_grid(pool, access, collection, book)
    return count_grid(matrix, range(len(matrix.columns)))
