"""Rules decide in order, and so do positions."""

from __future__ import annotations

from fourcorners.playbooks.playbook import Position, Provision, SeverityRule
from fourcorners.review.finding import CellState
from fourcorners.review.risk.severity import deciding_rule, position_taken
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


def decide(state: CellState, clauses: list[str]) -> tuple[str, str]:
    rule = deciding_rule(PROVISION, state, [WordIndex(clause) for clause in clauses])
    return (rule.severity, rule.because) if rule else ("", "")


def test_the_first_rule_that_holds_decides() -> None:
    found = CellState.FOUND
    merger = ["A merger is deemed to be an assignment that needs consent."]
    assert decide(found, merger) == ("high", "By merger.")
    assert decide(found, ["It may assign with consent."]) == (
        "medium",
        "With consent.",
    )
    assert decide(found, ["It may assign."]) == ("none", "To affiliates.")


def test_words_of_two_clauses_never_make_one_match() -> None:
    apart = ["Notice is deemed given.", "An assignment needs consent."]
    assert decide(CellState.FOUND, apart)[0] == "medium"


def test_absence_has_rules_of_its_own_and_failure_none() -> None:
    assert decide(CellState.NOT_FOUND, []) == ("low", "Silent.")
    assert decide(CellState.FAILED, []) == ("", "")


def test_the_first_position_whose_wording_holds_is_taken() -> None:
    def stand(clause: str) -> str:
        position = position_taken(PROVISION, [WordIndex(clause)])
        return position.kind if position else ""

    assert stand("It may assign to affiliates.") == "preferred"
    assert stand("It may not assign.") == "unacceptable"
    assert stand("It may assign with consent.") == ""  # a position without wording decides nothing
