"""Rules decide in order, and so do positions."""

from __future__ import annotations

from fourcorners.playbooks.playbook import Position, Provision, SeverityRule
from fourcorners.review.finding import CellState, Severity
from fourcorners.review.risk.severity import judge_severity, position_taken
from fourcorners.search.query import parse_query
from fourcorners.text.tokenization import WordIndex

PROVISION = Provision(
    id="assignment",
    name="Assignment",
    definition="",
    query=parse_query("assign"),
    positions=(
        Position("preferred", "Free within the group.", matching=parse_query("affiliate*")),
        Position("fallback", "Whatever a person thinks."),
        Position("unacceptable", "Not at all.", unless=parse_query("consent")),
    ),
    severity=(
        SeverityRule("found", "high", "By merger.", matching=parse_query('"deemed assignment"~8')),
        SeverityRule("found", "none", "To affiliates.", unless=parse_query("consent OR void")),
        SeverityRule("found", "medium", "With consent."),
        SeverityRule("not_found", "low", "Silent."),
    ),
)


def test_the_first_rule_that_holds_decides() -> None:
    found = CellState.FOUND
    merger = ["A merger is deemed to be an assignment that needs consent."]
    assert judge_severity(PROVISION, found, merger) == (Severity.HIGH, "By merger.")
    assert judge_severity(PROVISION, found, ["It may assign with consent."]) == (
        Severity.MEDIUM,
        "With consent.",
    )
    assert judge_severity(PROVISION, found, ["It may assign."]) == (Severity.NONE, "To affiliates.")


def test_words_of_two_clauses_never_make_one_match() -> None:
    apart = ["Notice is deemed given.", "An assignment needs consent."]
    assert judge_severity(PROVISION, CellState.FOUND, apart)[0] is Severity.MEDIUM


def test_absence_has_rules_of_its_own_and_failure_none() -> None:
    assert judge_severity(PROVISION, CellState.NOT_FOUND, []) == (Severity.LOW, "Silent.")
    assert judge_severity(PROVISION, CellState.FAILED, []) == (Severity.NONE, "")


def test_the_first_position_whose_wording_holds_is_taken() -> None:
    def stand(clause: str) -> str:
        position = position_taken(PROVISION, [WordIndex(clause)])
        return position.kind if position else ""

    assert stand("It may assign to affiliates.") == "preferred"
    assert stand("It may not assign.") == "unacceptable"
    assert stand("It may assign with consent.") == ""  # a position without wording decides nothing
