"""What people say of findings leads: to flags, reports, the grid, and to later reviews."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.playbooks.load import parse_playbook
from fourcorners.playbooks.playbook import Playbook, SeverityRule
from fourcorners.reports.grid import Grid
from fourcorners.reports.json import review_json
from fourcorners.reports.send import write_report
from fourcorners.reports.tree import ReportKind
from fourcorners.review import annotations as remarks
from fourcorners.review import store
from fourcorners.review.finding import (
    AnswerCorrection,
    Author,
    CellState,
    Finding,
    Review,
    ReviewState,
    RiskAnswer,
    Severity,
)
from fourcorners.review.parties import set_side
from fourcorners.review.people import review_actions
from fourcorners.review.people.labelled_clauses import clause_labels, format_labels
from fourcorners.review.stored_review import load_review
from fourcorners.text.span import Span
from tests.review.conftest import PLAYBOOK
from tests.review.filled import ASSIGN, LAW, LEAVE, fill

CONTROL, INSURANCE, ASSIGNMENT, LAW_ROW = (
    "change-of-control", "insurance", "assignment", "governing-law",
)  # fmt: skip
MORE = """
  - id: assignment
    name: Assignment
    definition: Whether the agreement may be transferred.
    query: '"assign"^6'
    questions:
      - id: effect
        question: May it be transferred?
        answer: one_of
        options: {free: transferable without consent, consent: consent needed, forbidden: ''}
      - id: restricted
        question: Which party is bound?
        answer: party
        says: '{} is bound'
      - id: notice
        question: After what period?
        answer: duration
      - id: until
        question: Until when?
        answer: date
      - id: fee
        question: For what fee?
        answer: amount
    severity:
      - when: found
        answers: {effect: [consent]}
        burdens: restricted
        severity: medium
        because: It cannot be transferred without consent.
        recommend: Ask for consent.
      - when: found
        answers: {effect: [free]}
        severity: none
        because: It may be transferred.
      - when: found
        severity: low
        because: It says how it may be transferred.
      - when: not_found
        severity: none
        because: Nothing is said.
"""


@pytest.fixture
def book() -> Playbook:
    return parse_playbook(PLAYBOOK + MORE, "more.yaml")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "room.db") as opened:
        yield opened


@pytest.fixture
def room(library: Library, book: Playbook) -> str:
    found = {CONTROL: [LEAVE], INSURANCE: CellState.NOT_FOUND, ASSIGNMENT: CellState.NOT_FOUND}
    return fill(library, book, found)


def say(
    library: Library, book: Playbook, room: str, cell: str, by: str = "Ann", **what: Any
) -> Finding:
    remark = review_actions.NewAnnotation(by, **what)
    return review_actions.annotate_finding(library, book, room, cell, remark)


def stored(library: Library, book: Playbook, room: str, cell: str) -> Finding:
    return store.load_findings(library, book, room)[cell]


def reviewed(library: Library, book: Playbook) -> Review:
    return load_review(library, book, as_of=date(2026, 1, 1))


def flags(library: Library, book: Playbook) -> dict[str, Severity]:
    grid = Grid(reviewed(library, book))
    return {cell.finding.provision: cell.finding.severity for cell in grid.red_flags()}


def in_json(library: Library, book: Playbook, cell: str) -> dict[str, object]:
    whole = json.loads(json.dumps(review_json(Grid(reviewed(library, book)))))
    return next(each for each in whole["findings"] if each["provision"] == cell)


def conclude(library: Library, book: Playbook, room: str, *answers: RiskAnswer) -> None:
    """Store the assignment cell as if the program had found and answered it."""
    fill(library, book, {ASSIGNMENT: [ASSIGN]})
    cell = replace(
        stored(library, book, room, ASSIGNMENT),
        answers=answers,
        severity=Severity.MEDIUM,
        reason="It cannot be transferred without consent.",
        recommendation="Ask for consent.",
    )
    store.save_findings(library, book, "engine", [cell])


CONSENT = RiskAnswer(
    "May it be transferred?",
    "consent needed",
    id="effect",
    value="consent",
    statement="consent needed",
)


def test_a_rejected_finding_is_no_flag_and_counts_as_missing(
    library: Library, book: Playbook, room: str
) -> None:
    fill(library, book, {INSURANCE: [LAW]})
    assert flags(library, book) == {}, "these cells have no severity of their own"
    rejected = say(library, book, room, INSURANCE, state=ReviewState.REJECTED)
    assert (rejected.state, rejected.evidence) == (CellState.NOT_FOUND, ())
    assert (rejected.severity, rejected.reason) == (Severity.LOW, "Nobody must insure.")
    assert flags(library, book) == {INSURANCE: Severity.LOW}
    told = in_json(library, book, INSURANCE)
    assert (told["state"], told["severity"], told["review"]) == ("not_found", "low", "rejected")
    assert isinstance(told["proposed"], dict)
    assert told["proposed"]["evidence"][0]["quote"]["text"] == LAW
    back = say(library, book, room, INSURANCE, state=ReviewState.PROPOSED)
    assert (back.state, back.proposed) == (CellState.FOUND, None)
    assert flags(library, book) == {}


def test_a_rejected_flag_is_gone(library: Library, book: Playbook, room: str) -> None:
    conclude(library, book, room, CONSENT)
    assert flags(library, book) == {ASSIGNMENT: Severity.MEDIUM}
    say(library, book, room, ASSIGNMENT, state=ReviewState.REJECTED)
    assert flags(library, book) == {}
    assert in_json(library, book, ASSIGNMENT)["recommendation"] == ""


def test_a_clause_that_a_person_adds_is_found_read_and_flagged(
    library: Library, book: Playbook, room: str
) -> None:
    start = library.text(room).index(ASSIGN)
    place = Span(start, start + len(ASSIGN))
    added = say(library, book, room, ASSIGNMENT, place=place)
    assert (added.state, added.author) == (CellState.FOUND, Author.PERSON)
    assert [each.quote.span for each in added.evidence] == [place]
    assert added.evidence[0].path[-1].startswith("3.1")
    effect = next(each for each in added.answers if each.id == "effect")
    assert (effect.value, effect.author) == ("consent", Author.RULE), "the reader answers it"
    assert added.headline.startswith("Consent needed")
    assert (added.severity, added.recommendation) == (Severity.MEDIUM, "Ask for consent.")
    assert flags(library, book) == {ASSIGNMENT: Severity.MEDIUM}
    told = in_json(library, book, ASSIGNMENT)
    assert (told["state"], told["severity"]) == ("found", "medium")
    assert isinstance(told["proposed"], dict)
    assert told["proposed"]["state"] == "not_found"


def test_what_a_person_says_in_own_words_is_found_too(
    library: Library, book: Playbook, room: str
) -> None:
    fill(library, book, {INSURANCE: CellState.NOT_FOUND})
    added = say(library, book, room, INSURANCE, value="The framework agreement has it.")
    assert (added.state, added.evidence, added.severity) == (CellState.FOUND, (), Severity.NONE)


def test_an_answer_raises_and_removes_a_flag(library: Library, book: Playbook, room: str) -> None:
    conclude(library, book, room, CONSENT)
    free = say(library, book, room, ASSIGNMENT, answers={"effect": "Free"})
    assert (free.review, free.severity, free.reason) == (
        ReviewState.CORRECTED, Severity.NONE, "It may be transferred.",
    )  # fmt: skip
    given = free.answers[0]
    assert (given.author, given.value, given.answer) == (
        Author.PERSON, "free", "transferable without consent",
    )  # fmt: skip
    assert free.headline == "Transferable without consent"
    assert free.evidence == stored(library, book, room, ASSIGNMENT).proposal.evidence
    assert flags(library, book) == {}
    assert in_json(library, book, ASSIGNMENT)["recommendation"] == ""
    say(library, book, room, ASSIGNMENT, by="Bob", answers={"effect": "consent needed"})
    assert flags(library, book) == {ASSIGNMENT: Severity.MEDIUM}
    silent = say(library, book, room, ASSIGNMENT, answers={"effect": "-"})
    assert (silent.answers[0].answer, silent.answers[0].value) == ("The contract does not say", "")
    assert silent.severity is Severity.LOW


def test_an_answer_concludes_for_whom_one_reads(
    library: Library, book: Playbook, room: str
) -> None:
    conclude(library, book, room, CONSENT)
    set_side(library, "Larch", ["Alder Components Limited"])
    theirs = say(library, book, room, ASSIGNMENT, answers={"restricted": "the customer"})
    assert theirs.answers[-1].value == "Customer"
    assert theirs.answers[-1].answer == "Customer (Birch Retail Limited)"
    assert theirs.severity is Severity.LOW, "a duty of the other side is no burden"
    ours = say(library, book, room, ASSIGNMENT, answers={"restricted": "Supplier"})
    assert ours.severity is Severity.MEDIUM


@pytest.mark.parametrize(
    ("question", "written", "value"),
    [
        ("effect", "CONSENT", "consent"),
        ("restricted", "Both parties", "each party"),
        ("restricted", "Cedar Limited", "Cedar Limited"),
        ("notice", "ninety (90) days", "P90D"),
        ("notice", "P1Y6M", "P1Y6M"),
        ("until", "31 March 2026", "2026-03-31"),
        ("until", "2026-03-31", "2026-03-31"),
        ("fee", "EUR 1,000", "€1,000"),
    ],
)
def test_answers_as_people_write_them(
    library: Library, book: Playbook, room: str, question: str, written: str, value: str
) -> None:
    conclude(library, book, room, CONSENT)
    said = say(library, book, room, ASSIGNMENT, answers={question: written})
    assert said.remarks[-1].answers == (AnswerCorrection(question, value),)
    assert {each.id: each.value for each in said.answers}[question] == value


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ({"effect": "perhaps"}, "is not one of its answers"),
        ({"notice": "soon"}, "a period"),
        ({"until": "31 March 2026 or 30 June 2026"}, "one only"),
        ({"fee": "much"}, "an amount"),
        ({"nothing": "yes"}, "no question 'nothing'"),
        ({"effect": ""}, "no answer"),
    ],
)
def test_what_is_no_answer_is_refused(
    library: Library, book: Playbook, room: str, answers: dict[str, str], told: str
) -> None:
    conclude(library, book, room, CONSENT)
    with pytest.raises(ConfigError, match=told):
        say(library, book, room, ASSIGNMENT, answers=answers)
    with pytest.raises(ConfigError, match="nothing was found"):
        say(library, book, room, INSURANCE, answers=answers)
    assert remarks.select_annotations(library, book.id) == {}


def test_a_severity_that_a_person_set_survives_a_new_review(
    library: Library, book: Playbook, room: str
) -> None:
    conclude(library, book, room, CONSENT)
    said = say(
        library, book, room, ASSIGNMENT, severity=Severity.HIGH, comment="The deal hangs on it."
    )
    assert (said.severity, said.reason) == (Severity.HIGH, "The deal hangs on it.")
    assert (said.severity_by, said.recommendation) == ("Ann", "Ask for consent.")
    conclude(library, book, room, CONSENT)
    assert flags(library, book) == {ASSIGNMENT: Severity.HIGH}
    fill(library, book, {ASSIGNMENT: [LAW]})
    changed = stored(library, book, room, ASSIGNMENT)
    assert (changed.review, changed.severity) == (ReviewState.SECOND_LOOK, Severity.HIGH)
    say(library, book, room, ASSIGNMENT, state=ReviewState.PROPOSED)
    assert stored(library, book, room, ASSIGNMENT).severity_by == ""


@pytest.mark.parametrize("comment", ["@Bob: please look at this.", "@Bob Lee: is it 30 days?"])
def test_what_a_colleague_is_asked_is_no_reason_of_a_severity(
    library: Library, book: Playbook, room: str, comment: str
) -> None:
    conclude(library, book, room, CONSENT)
    high = say(library, book, room, ASSIGNMENT, severity=Severity.HIGH, comment=comment)
    assert (high.severity, high.reason) == (Severity.HIGH, "Ann set the severity.")
    assert say(library, book, room, ASSIGNMENT, comment="See the mail.").reason == high.reason
    assert in_json(library, book, ASSIGNMENT)["reason"] == high.reason


def test_a_severity_that_a_person_set_is_not_raised_by_the_day(
    library: Library, book: Playbook, room: str
) -> None:
    dated = SeverityRule("found", "high", "It ends.", ends_within=1200)
    rules = [replace(each, severity=(*each.severity, dated)) for each in book.provisions]
    dated_book = replace(book, provisions=tuple(rules))
    conclude(library, dated_book, room, CONSENT)
    say(library, dated_book, room, ASSIGNMENT, severity=Severity.NONE)
    assert ASSIGNMENT not in flags(library, dated_book)
    cell = next(each for each in reviewed(library, dated_book).findings
                if each.provision == ASSIGNMENT)  # fmt: skip
    assert cell.reason == "Ann set the severity."


def test_other_words_take_back_answers_that_were_of_the_words_before(
    library: Library, book: Playbook, room: str
) -> None:
    conclude(library, book, room, CONSENT)
    say(library, book, room, ASSIGNMENT, answers={"effect": "free"})
    other = say(library, book, room, ASSIGNMENT, value=LAW)
    assert all(each.author is Author.RULE for each in other.answers)
    assert [each.quote.words for each in other.evidence] == [LAW]


def test_a_confirmation_keeps_what_was_corrected(
    library: Library, book: Playbook, room: str
) -> None:
    conclude(library, book, room, CONSENT)
    say(library, book, room, ASSIGNMENT, answers={"effect": "free"})
    kept = say(library, book, room, ASSIGNMENT, by="Bob", state=ReviewState.CONFIRMED)
    assert (kept.review, kept.severity) == (ReviewState.CONFIRMED, Severity.NONE)


def test_a_corrected_finding_stored_again_is_the_programs(
    library: Library, book: Playbook, room: str
) -> None:
    conclude(library, book, room, CONSENT)
    said = say(library, book, room, ASSIGNMENT, answers={"effect": "free"}, severity=Severity.HIGH)
    store.save_findings(library, book, "engine", [said])
    assert stored(library, book, room, ASSIGNMENT) == said
    back = say(library, book, room, ASSIGNMENT, state=ReviewState.PROPOSED)
    assert (back.severity, back.answers) == (Severity.MEDIUM, (CONSENT,))


def test_the_trail_notices_changed_answers(library: Library, book: Playbook, room: str) -> None:
    conclude(library, book, room, CONSENT)
    say(library, book, room, ASSIGNMENT, answers={"effect": "free"}, severity=Severity.HIGH)
    assert remarks.annotation_faults(library) == []
    library.execute("DROP TRIGGER remarks_refuse_update")
    library.execute("UPDATE remarks SET severity = NULL, answers = NULL")
    assert remarks.annotation_faults(library) == ["remark 1 was changed"]


def test_what_people_said_is_labelled_for_training(
    library: Library, book: Playbook, room: str
) -> None:
    conclude(library, book, room, CONSENT)
    say(library, book, room, ASSIGNMENT, answers={"effect": "consent", "restricted": "both",
                                                  "notice": "-"})  # fmt: skip
    say(library, book, room, CONTROL, state=ReviewState.REJECTED)
    assignment, control = sorted(clause_labels(library, book), key=lambda each: str(each["id"]))
    text = library.text(room)
    start = text.index(ASSIGN)
    assert assignment["span"] == [start, start + len(ASSIGN)]
    assert assignment["hash"] == sha256(ASSIGN.encode()).hexdigest()[:16]
    assert assignment["reader-1"] == {
        "is": "yes", "effect": "consent", "restricted": "both", "notice": "", "until": "unclear",
        "fee": "unclear",
    }  # fmt: skip
    assert (control["marked"], control["reader-1"]) == (False, {"is": "no"})
    plain = format_labels([assignment, control])
    assert not any(each in plain for each in ("Neither party", "supply.txt", "Customer"))
    whole = next(each for each in clause_labels(library, book, words=True) if each["marked"])
    assert f"⟦{ASSIGN}⟧" in str(whole["text"])
    assert whole["name"] == "supply.txt"


def test_a_labelled_party_is_a_place_of_the_clause(
    library: Library, book: Playbook, room: str
) -> None:
    fill(library, book, {ASSIGNMENT: [LEAVE]})
    say(library, book, room, ASSIGNMENT, answers={"restricted": "Birch Retail Limited"})
    (label,) = clause_labels(library, book)
    said = label["reader-1"]
    assert isinstance(said, dict)
    ((start, end),) = said["restricted"]
    assert library.text(room)[start:end] == "Customer"


def test_the_red_flag_report_follows_what_people_say(
    library: Library, book: Playbook, room: str, tmp_path: Path
) -> None:
    def told() -> str:
        path = tmp_path / "flags.html"
        write_report(reviewed(library, book), ReportKind.RED_FLAGS, path)
        return " ".join(re.sub(r"<[^>]+>", " ", path.read_text("utf-8")).split())

    because = "It cannot be transferred without consent."
    conclude(library, book, room, CONSENT)
    assert because in told()
    say(library, book, room, ASSIGNMENT, answers={"effect": "free"})
    assert because not in told()
    say(library, book, room, ASSIGNMENT, answers={"effect": "consent"})
    assert because in told()
    say(library, book, room, ASSIGNMENT, state=ReviewState.REJECTED)
    assert because not in told()
    say(library, book, room, ASSIGNMENT, value=ASSIGN)
    assert because in told()
    say(library, book, room, ASSIGNMENT, severity=Severity.HIGH, comment="The deal hangs on it.")
    assert "The deal hangs on it." in told()
