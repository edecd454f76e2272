"""What a review comes to in numbers: counted once, for the grid, the reports and programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final, NamedTuple, Self

from pydantic import Field

from fourcorners.review.annotations import assignee
from fourcorners.review.finding import CellState, Finding, ReviewState, Severity
from fourcorners.value import Value

CHECKED_STATES: Final = (ReviewState.CONFIRMED, ReviewState.CORRECTED, ReviewState.REJECTED)


class CellKey(NamedTuple):
    """What counts of a cell; its state is None before it is reviewed.

    Attributes:
        possible_high: Whether an open question could make it high.
        is_assigned: Whether somebody is asked to look at it.
    """

    state: CellState | None
    severity: Severity
    review: ReviewState
    possible_high: bool = False
    is_assigned: bool = False

    @classmethod
    def from_finding(cls, finding: Finding) -> Self:
        possible_high = finding.possible_severity is Severity.HIGH
        assigned = bool(assignee(finding.remarks))
        return cls(finding.state, finding.severity, finding.review, possible_high, assigned)


class ToDoReason(StrEnum):
    """Why a person should look at a finding, the most urgent first."""

    SECOND_LOOK = "second_look"
    HIGH = "high"
    POSSIBLE_HIGH = "possible_high"
    TO_READ = "to_read"
    FAILED = "failed"
    ASSIGNED = "assigned"  # and for no other reason


class FindingCounts(Value):
    """The cells of a review by what they say and by what people said of them."""

    cells: int = Field(default=0, description="Contracts times provisions.")
    filled: int = Field(default=0, description="Cells that are reviewed.")
    found: int = 0
    not_found: int = 0
    not_applicable: int = 0
    failed: int = 0
    high: int = 0
    medium: int = 0
    low: int = 0
    to_read: int = Field(
        default=0, description="Cells whose severity a person must read the contract to know."
    )
    to_read_found: int = Field(
        default=0, description="Of these, found: an open question decides how grave they are."
    )
    to_read_apart: int = Field(
        default=0, description="Of these, not found, but a clause that was set apart may say it."
    )
    to_read_possible_high: int = Field(
        default=0, description="Of those to be read, the ones that could be high."
    )
    medium_possible_high: int = Field(
        default=0,
        description="Of the medium ones, those that an open question could make high. Reports list "
        "them as to be read, too.",
    )
    checked: int = Field(default=0, description="Confirmed, corrected or rejected.")
    high_checked: int = 0
    to_read_checked: int = 0
    second_look: int = 0
    to_do: int = Field(default=0, description="What the list of things to do has of this review.")

    @property
    def to_read_absent(self) -> int:
        """Return how many of those to be read are not found, and nothing was set apart."""
        return self.to_read - self.to_read_found - self.to_read_apart

    @property
    def share_checked(self) -> int:
        """Return the checked cells in percent of the filled: 1 at least, if any is."""
        return max(1, 100 * self.checked // self.filled) if self.checked else 0


def to_do_reason(cell: CellKey) -> ToDoReason | None:
    """Return why a person should look at a cell; None if nobody need, or somebody did."""
    assigned = ToDoReason.ASSIGNED if cell.is_assigned else None  # after it was checked, perhaps
    if cell.review is ReviewState.SECOND_LOOK:
        return ToDoReason.SECOND_LOOK
    if cell.review is not ReviewState.PROPOSED:
        return assigned
    if cell.state is CellState.FAILED:
        return ToDoReason.FAILED
    if cell.possible_high and cell.severity is not Severity.HIGH:
        return ToDoReason.POSSIBLE_HIGH
    by_severity = {Severity.HIGH: ToDoReason.HIGH, Severity.TO_READ: ToDoReason.TO_READ}
    return by_severity.get(cell.severity, assigned)


def count_cells(cells: Mapping[CellKey, int]) -> FindingCounts:
    """Count cells that are given with how many of them are alike."""
    total: dict[str, int] = {}
    for cell, number in cells.items():
        for name in _names(cell):
            total[name] = total.get(name, 0) + number
    return FindingCounts(**total)


def count_findings(findings: Iterable[Finding]) -> FindingCounts:
    return count_cells(Counter(map(CellKey.from_finding, findings)))


def _names(cell: CellKey) -> Iterable[str]:
    """Yield the counts that a cell belongs to."""
    state, severity, review, possible_high, _ = cell
    yield "cells"
    if state is None:
        return
    yield "filled"
    if state is not CellState.TO_READ:
        yield state.value
    if severity is not Severity.NONE:
        yield severity.value
    if severity is Severity.TO_READ and state in (CellState.FOUND, CellState.TO_READ):
        yield "to_read_found" if state is CellState.FOUND else "to_read_apart"
    if possible_high and severity in (Severity.MEDIUM, Severity.TO_READ):
        yield f"{severity.value}_possible_high"
    if review in CHECKED_STATES:
        yield "checked"
        if severity in (Severity.HIGH, Severity.TO_READ):
            yield f"{severity.value}_checked"
    if review is ReviewState.SECOND_LOOK:
        yield "second_look"
    if to_do_reason(cell) is not None:
        yield "to_do"
