"""What people wrote into a report, applied to what the library has."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import store
from fourcorners.review.annotations import finding_fingerprint
from fourcorners.review.finding import Author, CellState, Finding, ReviewState
from fourcorners.review.people import review_actions as states
from fourcorners.review.people.report_import import ImportOutcome, ReportEdit, import_edits
from tests.review.filled import ASSIGN, LAW, LEAVE, fill

CELL, OTHER = "change-of-control", "insurance"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "room.db") as opened:
        yield opened


@pytest.fixture
def room(library: Library, playbook: Playbook) -> str:
    return fill(library, playbook, {CELL: [LEAVE], OTHER: CellState.NOT_FOUND})


def stored(library: Library, playbook: Playbook, room: str, cell: str = CELL) -> Finding:
    return store.load_findings(library, playbook, room)[cell]


def exported(finding: Finding, row: int = 2) -> ReportEdit:
    """Return the row of a report that nobody edited."""
    people = [each for each in finding.remarks if each.author is Author.PERSON]
    judged = [each.by for each in people if each.state]
    return ReportEdit(
        row=row,
        document=finding.document,
        provision=finding.provision,
        fingerprint=finding_fingerprint(finding),
        annotation_count=len(people),
        state=finding.review,
        reviewer=judged[-1] if judged else "",
        value=finding.value,
        comment="",
    )


def imported(
    library: Library, playbook: Playbook, *edits: ReportEdit, dry_run: bool = False
) -> ImportOutcome:
    return import_edits(library, playbook, edits, by="Ann", source="f" * 64, dry_run=dry_run)


def test_what_nobody_edited_changes_nothing(
    library: Library, playbook: Playbook, room: str
) -> None:
    states.annotate_finding(
        library, playbook, room, CELL, states.NewAnnotation(by="Bob", value="six months")
    )
    before = list(library.audit_trail())
    rows = [exported(each) for each in store.load_findings(library, playbook, room).values()]
    outcome = imported(library, playbook, *rows)
    assert outcome == ImportOutcome((), (), untouched=2, known=0)
    assert list(library.audit_trail()) == before


@pytest.mark.parametrize(
    ("edit", "review", "value", "by"),
    [
        ({"state": ReviewState.CONFIRMED}, ReviewState.CONFIRMED, "", "Ann"),
        ({"state": ReviewState.REJECTED, "reviewer": "Cy"}, ReviewState.REJECTED, "", "Cy"),
        ({"state": ReviewState.CORRECTED, "value": LAW}, ReviewState.CORRECTED, LAW, "Ann"),
        ({"value": "six months"}, ReviewState.CORRECTED, "six months", "Ann"),
        ({"state": None, "value": "six months"}, ReviewState.CORRECTED, "six months", "Ann"),
        ({"comment": "look again"}, ReviewState.PROPOSED, "", "Ann"),
    ],
)
def test_an_edit_becomes_a_remark(
    library: Library,
    playbook: Playbook,
    room: str,
    edit: dict[str, str],
    review: ReviewState,
    value: str,
    by: str,
) -> None:
    row = replace(exported(stored(library, playbook, room)), **edit)  # type: ignore[arg-type]
    outcome = imported(library, playbook, row)
    assert (len(outcome.applied), outcome.problems) == (1, ())
    finding = stored(library, playbook, room)
    assert (finding.review, finding.value) == (review, value)
    assert finding.remarks[-1].by == by
    assert finding.remarks[-1].comment == edit.get("comment", "")
    entry = list(library.audit_trail())[-1]
    assert entry.event == "review-import"
    assert json.loads(entry.detail)["applied"] == 1


def test_the_same_report_read_twice_says_nothing_twice(
    library: Library, playbook: Playbook, room: str
) -> None:
    row = replace(exported(stored(library, playbook, room)), value="six months", comment="why")
    imported(library, playbook, row)
    again = imported(library, playbook, row)
    assert (again.applied, again.problems, again.known) == ((), (), 1)
    assert len(stored(library, playbook, room).remarks) == 1


def test_a_trial_leaves_nothing(library: Library, playbook: Playbook, room: str) -> None:
    row = replace(exported(stored(library, playbook, room)), state=ReviewState.CONFIRMED)
    before = list(library.audit_trail())
    tried = imported(library, playbook, row, dry_run=True)
    assert len(tried.applied) == 1
    assert stored(library, playbook, room).remarks == ()
    assert list(library.audit_trail()) == before
    assert imported(library, playbook, row) == tried


def test_another_persons_word_since_is_a_conflict(
    library: Library, playbook: Playbook, room: str
) -> None:
    row = replace(exported(stored(library, playbook, room)), state=ReviewState.CONFIRMED)
    states.annotate_finding(
        library, playbook, room, CELL, states.NewAnnotation(by="Bob", state=ReviewState.REJECTED)
    )
    outcome = imported(library, playbook, row)
    assert outcome.applied == ()
    assert "Bob has said something of it since (rejected)" in outcome.problems[0].reason
    assert stored(library, playbook, room).review is ReviewState.REJECTED


def test_a_finding_that_is_another_now_is_a_conflict(
    library: Library, playbook: Playbook, room: str
) -> None:
    row = replace(exported(stored(library, playbook, room)), state=ReviewState.CONFIRMED)
    fill(library, playbook, {CELL: [LAW]})
    outcome = imported(library, playbook, row)
    assert "has changed" in outcome.problems[0].reason
    assert stored(library, playbook, room).remarks == ()


def test_one_bad_row_does_not_stop_the_others(
    library: Library, playbook: Playbook, room: str
) -> None:
    good = replace(exported(stored(library, playbook, room)), state=ReviewState.CONFIRMED)
    bad = replace(exported(stored(library, playbook, room, OTHER), 3), state=ReviewState.REJECTED)
    outcome = imported(library, playbook, bad, good)
    assert [each.row for each in outcome.applied] == [2]
    assert [(each.row, each.document) for each in outcome.problems] == [(3, "supply.txt")]


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        ({"document": "0" * 16}, "not in the library"),
        ({"provision": "nothing"}, "no provision 'nothing'"),
        ({"provision": "=cmd()"}, "no provision '=cmd()'"),
        ({"annotation_count": 3}, "remarks that this library does not have"),
        ({"state": ReviewState.CORRECTED}, "has no corrected value"),
        ({"state": ReviewState.CONFIRMED, "value": "x"}, "choose Corrected"),
        ({"reviewer": "y" * 200, "comment": "x"}, "too long"),
    ],
)
def test_what_makes_no_sense_is_told(
    library: Library, playbook: Playbook, room: str, edit: dict[str, str], told: str
) -> None:
    plain = replace(exported(stored(library, playbook, room)), comment="said")
    outcome = imported(library, playbook, replace(plain, **edit))  # type: ignore[arg-type]
    assert outcome.applied == ()
    assert told in outcome.problems[0].reason


def test_rows_of_one_cell_must_agree(library: Library, playbook: Playbook, room: str) -> None:
    plain = exported(stored(library, playbook, room))
    confirmed = replace(plain, row=3, state=ReviewState.CONFIRMED)
    rejected = replace(plain, row=9, state=ReviewState.REJECTED)
    (problem,) = imported(library, playbook, plain, confirmed, rejected).problems
    assert problem.reason == "Rows 3 and 9 say different things of the same cell."
    outcome = imported(library, playbook, plain, confirmed, replace(confirmed, row=9))
    assert [each.row for each in outcome.applied] == [2]


def test_a_correction_is_taken_back_by_its_state_not_by_emptying_it(
    library: Library, playbook: Playbook, room: str
) -> None:
    states.annotate_finding(
        library, playbook, room, CELL, states.NewAnnotation(by="Ann", value=ASSIGN)
    )
    plain = exported(stored(library, playbook, room))
    (problem,) = imported(library, playbook, replace(plain, value="")).problems
    assert "choose Proposed" in problem.reason
    imported(library, playbook, replace(plain, value="", state=ReviewState.PROPOSED))
    assert stored(library, playbook, room).value == ""
