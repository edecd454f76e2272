"""What only the other side has, or is bound by, changes neither our severity nor our position."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from fourcorners.outline.card.card import Card, Fact, Party
from fourcorners.playbooks import load_playbook
from fourcorners.review.finding import CellState, Finding, RiskAnswer, Severity
from fourcorners.review.parties import UNKNOWN_SIDE, Side
from fourcorners.review.risk.assessment import RiskConclusion
from fourcorners.text.span import Span

CARD = Card(
    parties=tuple(
        Fact(Party(name, short, short), Span(0, 1), 1.0)
        for name, short in (("Ferrol Mills plc", "Supplier"), ("Gantry Foods Ltd", "Customer"))
    )
)
OURS, THEIRS, EACH = "Customer", "Supplier", "each party"
US = Side(("Gantry Foods Ltd",))
HEAVY = "high high low to_read to_read"
LESS = "medium medium low to_read to_read"
BOOK = load_playbook("due-diligence")


def conclude(provision: str, answers: Mapping[str, str], side: Side = US) -> Finding:
    """Return a found cell with these answers, all other questions open."""
    asked = BOOK.provision(provision)
    given = tuple(
        RiskAnswer(
            each.question, answers.get(each.id, ""), id=each.id, value=answers.get(each.id, "")
        )
        for each in asked.questions
    )
    found = Finding("d", provision, CellState.FOUND, answers=given)
    return RiskConclusion(CARD, side).conclude(found, asked)


@pytest.mark.parametrize(
    ("free", "severity", "position"),
    [
        (OURS, Severity.LOW, "fallback"),
        (EACH, Severity.LOW, "fallback"),
        (THEIRS, Severity.MEDIUM, "unacceptable"),
        ("", Severity.MEDIUM, None),
        ("an affiliate of the Supplier", Severity.MEDIUM, None),
    ],
)
def test_an_exception_eases_whoever_has_it(
    free: str, severity: Severity, position: str | None
) -> None:
    told = conclude(
        "assignment",
        {
            "effect": "consent",
            "restricted": EACH,
            "successors": "yes",
            "affiliates": "no",
            "merger-counts": "no",
            "free-party": free,
        },
    )
    assert told.severity is severity
    assert (told.position.kind if told.position else None) == position


@pytest.mark.parametrize(
    ("provision", "answers", "asks", "severities"),
    [
        # for us bound, both bound, the other side bound, nobody knows, a stranger
        ("non-compete", {}, "bound", HEAVY),
        ("most-favoured-nation", {}, "bound", HEAVY),
        ("minimum-commitment", {"pay": "yes"}, "bound", HEAVY),
        ("exclusivity", {"kind": "supply"}, "bound", HEAVY),
        ("change-of-control", {"termination": "yes"}, "whose", HEAVY),
        (
            "right-of-first-refusal",
            {"shares": "yes"},
            "granted-by",
            HEAVY,
        ),
        ("termination-for-convenience", {}, "who", "low medium medium to_read to_read"),
        ("cap-on-liability", {"cap": "excluded"}, "protects", "low medium medium to_read to_read"),
        ("cap-on-liability", {"cap": "unlimited"}, "uncapped", HEAVY),
        ("warranty-duration", {"lasts": "P5Y"}, "bound", LESS),
        ("source-code-escrow", {"control": "yes"}, "depositor", HEAVY),
        (
            "licence-grant",
            {"exclusive": "exclusive", "affiliates": "yes"},
            "licensor",
            LESS,
        ),
        ("insurance", {"additional": "yes"}, "bound", "low low none low low"),
        ("audit-rights", {"cost": "yes"}, "audited", "low low none low low"),
    ],
)
def test_a_duty_or_exit_counts_by_whose_it_is(
    provision: str, answers: Mapping[str, str], asks: str, severities: str
) -> None:
    told = [
        conclude(provision, {**answers, asks: party}).severity.value
        for party in (OURS, EACH, THEIRS, "", "Ferrol Shipping")
    ]
    assert " ".join(told) == severities


@pytest.mark.parametrize("answer", ["termination", "consent"])
@pytest.mark.parametrize(
    ("whose", "acts", "severity"),
    [
        (OURS, THEIRS, Severity.HIGH),
        (OURS, "", Severity.HIGH),
        (OURS, "the Bank", Severity.HIGH),
        (OURS, OURS, Severity.LOW),
        (EACH, THEIRS, Severity.HIGH),
        (EACH, EACH, Severity.HIGH),
        (EACH, "", Severity.HIGH),
        (EACH, OURS, Severity.LOW),
        (THEIRS, OURS, Severity.LOW),
        ("", OURS, Severity.LOW),
        ("", THEIRS, Severity.TO_READ),
    ],
)
def test_a_right_of_ours_to_act_on_a_change_of_control_is_no_harm(
    answer: str, whose: str, acts: str, severity: Severity
) -> None:
    answers = dict.fromkeys(("termination", "consent", "deemed-assignment", "notice"), "no")
    answers |= {"other-effect": "no", answer: "yes", "whose": whose, "may-act": acts}
    cell = conclude("change-of-control", answers)
    assert cell.severity is severity
    assert (cell.position is None) is (severity is not Severity.HIGH)


@pytest.mark.parametrize(
    ("provision", "answers", "kind"),
    [
        ("warranty-duration", {"lasts": "P5Y"}, "unacceptable"),
        ("warranty-duration", {"lasts": "P2Y"}, "fallback"),
        ("warranty-duration", {"lasts": "P1Y"}, "preferred"),
        ("non-compete", {"exception": "yes", "excepted": OURS, "affiliates": "no"}, "fallback"),
        ("non-solicitation", {"staff": "yes", "after": "P6M"}, "fallback"),
    ],
)
def test_a_position_is_that_of_a_clause_which_binds_us(
    provision: str, answers: Mapping[str, str], kind: str
) -> None:
    kinds = []
    for bound in (OURS, EACH, THEIRS, ""):
        cell = conclude(provision, {**answers, "bound": bound})
        kinds.append(cell.position.kind if cell.position else None)
    assert kinds == [kind, kind, None, None]


def test_for_nobody_a_clause_counts_for_whomever_it_binds() -> None:
    assert conclude("non-compete", {"bound": THEIRS}, UNKNOWN_SIDE).severity is Severity.HIGH
    assert conclude("non-compete", {}, UNKNOWN_SIDE).severity is Severity.TO_READ
    told = conclude("minimum-commitment", {"pay": "yes"}, UNKNOWN_SIDE)
    assert told.severity is Severity.HIGH


def test_a_role_without_a_party_is_ours() -> None:
    nameless = Card(parties=(Fact(Party("Ferrol Mills plc"), Span(0, 1), 1.0),))
    side = Side(("Distributor",), ("Distributor",))
    asked = BOOK.provision("non-compete")
    for bound, severity in (("Distributor", "high"), ("Ferrol Mills plc", "to_read")):
        found = Finding(
            "d",
            asked.id,
            CellState.FOUND,
            answers=(RiskAnswer("", bound, id="bound", value=bound),),
        )
        assert RiskConclusion(nameless, side).conclude(found, asked).severity.value == severity
