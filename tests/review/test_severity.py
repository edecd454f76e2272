"""Rules decide in order; questions are answered only by wording."""

from __future__ import annotations

from fourcorners.playbooks.playbook import Provision, RiskQuestion, SeverityRule
from fourcorners.review.finding import CellState, Severity
from fourcorners.review.severity import answers, judge
from fourcorners.search.query import parse

PROVISION = Provision(
    id="assignment",
    name="Assignment",
    definition="",
    query=parse("assign"),
    questions=(
        RiskQuestion("consent", "Is consent needed?", yes=parse('"consent assign"~10')),
        RiskQuestion("who", "Who may assign?"),
    ),
    severity=(
        SeverityRule("found", "high", "By merger.", matching=parse('"deemed assignment"~8')),
        SeverityRule("found", "none", "To affiliates.", unless=parse("consent OR void")),
        SeverityRule("found", "medium", "With consent."),
        SeverityRule("not_found", "low", "Silent."),
    ),
)


def test_the_first_rule_that_holds_decides() -> None:
    found = CellState.FOUND
    merger = ["A merger is deemed to be an assignment that needs consent."]
    assert judge(PROVISION, found, merger) == (Severity.HIGH, "By merger.")
    assert judge(PROVISION, found, ["It may assign with consent."]) == (
        Severity.MEDIUM,
        "With consent.",
    )
    assert judge(PROVISION, found, ["It may assign."]) == (Severity.NONE, "To affiliates.")


def test_words_of_two_clauses_never_make_one_match() -> None:
    apart = ["Notice is deemed given.", "An assignment needs consent."]
    assert judge(PROVISION, CellState.FOUND, apart)[0] is Severity.MEDIUM


def test_absence_has_rules_of_its_own_and_failure_none() -> None:
    assert judge(PROVISION, CellState.NOT_FOUND, []) == (Severity.LOW, "Silent.")
    assert judge(PROVISION, CellState.FAILED, []) == (Severity.NONE, "")


def test_a_question_is_answered_by_wording_or_left_open() -> None:
    yes, left = answers(PROVISION, ["It may not assign without the consent of the other."])
    assert yes.answer == "Likely yes"
    assert "a person should check" in yes.reason
    assert (left.answer, left.reason) == ("", "")
    assert answers(PROVISION, ["It may assign."])[0].answer == ""
