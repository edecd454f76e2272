"""What rules say of a finding: answers with their words, and what cuts the other way."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.outline.passages.cut import cut_passages
from fourcorners.playbooks import load_playbook
from fourcorners.playbooks.playbook import (
    AnswerKind,
    CardField,
    Position,
    Provision,
    RiskQuestion,
    SeverityRule,
)
from fourcorners.review.finding import CellState, Evidence, Finding, RiskAnswer, Severity
from fourcorners.review.parties import UNKNOWN_SIDE, Side
from fourcorners.review.prepared_document import PreparedDocument, prepare_document
from fourcorners.review.risk.assessment import CANNOT_TELL, LIKELY_NO, LIKELY_YES, RiskAssessor
from fourcorners.search.query import parse_query
from fourcorners.text import evidence
from fourcorners.text.span import Span
from tests.review.conftest import document

TEXT = """SUPPLY AGREEMENT

This Supply Agreement is dated 4 March 2024 and made between Alder Components Limited
("Supplier") and Birch Retail Limited ("Customer").

1. DEFINITIONS

"Change of Control" means that another person acquires more than half of the shares of a party.

"Start Date" means 1 May 2024.

2. TERM AND TERMINATION

2.1 This Agreement takes effect on the Start Date and continues for three (3) years.

2.2 Subject to clause 4.2, the Customer may terminate this Agreement by thirty (30) days' written
notice on a Change of Control. It shall pay all sums then due.

2.3 The Supplier may end this Agreement at any time by ninety days' notice.

3. TRANSFER

3.1 Neither party may assign this Agreement without the prior written consent of the other. No
consent is needed for a transfer to an affiliate.

3.2 The Supplier may subcontract its duties.

4. LIABILITY

4.1 The liability of each party in a year shall not exceed the greater of $1,000,000 and 125% of
the Charges paid in that year.

4.2 The Customer shall pay a fee of five thousand pounds if it terminates early.

5. LAW

5.1 This Agreement is governed by the laws of England and Wales.
"""


def made(text: str) -> PreparedDocument:
    contract = document(text)
    outline = build_outline(contract)
    card = read_card(contract, outline)
    return prepare_document(contract, outline, card, cut_passages(contract, outline), None)


@pytest.fixture(scope="module")
def contract() -> PreparedDocument:
    return made(TEXT)


def found(contract: PreparedDocument, words: str) -> Finding:
    text = contract.document.text
    start = text.index(words)
    span = Span(start, start + len(words))
    node = contract.outline.node_at(start)
    assert node is not None
    quoted = Evidence(evidence.quote_span(text, span), node.span, (), None, 0.9)
    return Finding(contract.document.id, "it", CellState.FOUND, (quoted,))


def provision(
    *questions: RiskQuestion,
    severity: tuple[SeverityRule, ...] = (),
    positions: tuple[Position, ...] = (),
    card: CardField | None = None,
) -> Provision:
    return Provision(
        "it",
        "It",
        "It.",
        parse_query("it"),
        questions=questions,
        severity=severity,
        positions=positions,
        card=card,
    )


def asked(
    contract: PreparedDocument,
    words: str,
    *,
    answer: AnswerKind = "yes_no",
    card: CardField | None = None,
    yes: str = "",
    no: str = "",
    against: str = "",
) -> RiskAnswer:
    question = RiskQuestion(
        "q",
        "Is it so?",
        answer=answer,
        yes=parse_query(yes) if yes else None,
        no=parse_query(no) if no else None,
        against=parse_query(against) if against else None,
    )
    told = RiskAssessor(contract).assess(found(contract, words), provision(question, card=card))
    (only,) = told.answers
    assert only.id == "q"
    for quote in (*only.quotes, *only.against_quotes):
        assert quote.span is not None
        assert quote.span.text_in(contract.document.text) == quote.words
    return only


ASSIGN = "Neither party may assign this Agreement without the prior written consent of the other."
ENDS = "the Customer may terminate this Agreement by thirty (30) days' written\nnotice"
LEAVES = "The Supplier may end this Agreement at any time"
STARTS = "This Agreement takes effect on the Start Date"
CAP = "The liability of each party in a year shall not exceed"


def test_yes_comes_with_its_words_its_party_and_what_cuts_the_other_way(
    contract: PreparedDocument,
) -> None:
    told = asked(
        contract,
        ASSIGN,
        yes='"assign consent"~12',
        no='"no consent"~2',
        against="affiliate* AND transfer",
    )
    assert (told.answer, told.party) == (LIKELY_YES, "neither party")
    assert [quote.words for quote in told.quotes] == [f"3.1 {ASSIGN}"]
    (other,) = told.against_quotes
    assert other.words.startswith("No\nconsent is needed")
    assert told.against == "Cuts the other way: clause 3.1."


def test_a_party_is_told_by_its_name(contract: PreparedDocument) -> None:
    told = asked(contract, ENDS, yes='"terminate change of control"~40 OR "may terminate"')
    assert told.party == "Customer (Birch Retail Limited)"


def test_a_sentence_that_says_no_does_not_say_yes(contract: PreparedDocument) -> None:
    told = asked(contract, "No\nconsent is needed for a transfer", yes="consent", no='"no consent"')
    assert told.answer == LIKELY_YES  # the clause says so in its other sentence
    alone = made(TEXT.replace(ASSIGN, "A party may assign this Agreement."))
    told = asked(alone, "No\nconsent is needed for a transfer", yes="consent", no='"no consent"')
    assert told.answer == LIKELY_NO
    assert [quote.words[:11] for quote in told.quotes] == ["No\nconsent "]
    assert told.against == ""


def test_neither_wording_cannot_be_told_and_one_wording_is_left_to_a_person(
    contract: PreparedDocument,
) -> None:
    both = asked(contract, LEAVES, yes="escrow", no='"no escrow"')
    assert (both.answer, both.quotes) == (CANNOT_TELL, ())
    assert asked(contract, LEAVES, yes="escrow").answer == ""


def test_the_definition_of_a_term_answers(contract: PreparedDocument) -> None:
    told = asked(contract, "on a Change of Control", yes='"half of the shares"')
    assert told.answer == LIKELY_YES
    assert "the definition of “Change of Control”" in told.reason
    assert "more than half" in told.quotes[0].words


def test_the_clause_referred_to_answers(contract: PreparedDocument) -> None:
    told = asked(contract, ENDS, answer="amount")
    assert told.answer == "£5,000"
    assert "4.2, which it refers to" in told.reason


def test_values_are_read_from_the_words_found(contract: PreparedDocument) -> None:
    assert asked(contract, ENDS, answer="duration").answer == "30 days"
    assert asked(contract, LEAVES, answer="party").answer == "Supplier (Alder Components Limited)"
    told = asked(contract, CAP, answer="amount")
    assert told.answer == "$1,000,000; 125% of the Charges"
    assert len(told.quotes) == 1


def test_wording_says_which_sentence_holds_the_value(contract: PreparedDocument) -> None:
    assert asked(contract, STARTS, answer="duration", yes="continues").answer == "3 years"
    assert asked(contract, STARTS, answer="duration", yes="elephant").answer == ""


def test_a_date_comes_from_the_definition_or_from_the_card(contract: PreparedDocument) -> None:
    assert asked(contract, "takes effect on the Start Date", answer="date").answer == "2024-05-01"
    law = asked(contract, "governed by the laws", answer="text", card=CardField.GOVERNING_LAW)
    assert law.answer == "England and Wales"
    assert law.quotes


def test_severity_brings_its_recommendation_and_the_position_its_words(
    contract: PreparedDocument,
) -> None:
    asks = provision(
        severity=(
            SeverityRule("found", "high", "Bad.", parse_query("escrow"), recommend="Run."),
            SeverityRule("found", "medium", "So so.", parse_query("consent"), recommend="Ask."),
            SeverityRule("not_found", "low", "Silent.", recommend="Add it."),
        ),
        positions=(
            Position("fallback", "With consent.", parse_query("consent"), recommend="Take it."),
        ),
    )
    risks = RiskAssessor(contract)
    told = risks.assess(found(contract, ASSIGN), asks)
    assert (told.severity, told.reason, told.recommendation) == (Severity.MEDIUM, "So so.", "Ask.")
    assert told.position is not None
    assert (told.position.kind, told.position.recommend) == ("fallback", "Take it.")
    assert told.position.quotes[0].words == f"3.1 {ASSIGN}"
    absent = replace(found(contract, ASSIGN), state=CellState.NOT_FOUND, evidence=())
    told = risks.assess(absent, asks)
    assert (told.severity, told.recommendation) == (Severity.LOW, "Add it.")
    assert (told.position, told.answers) == (None, ())


def test_a_rule_may_ask_who_acts() -> None:
    def severity(sentence: str, side: Side) -> Severity:
        text = TEXT.replace("3.2 The Supplier may subcontract its duties.", f"3.2 {sentence}")
        contract = replace(made(text), side=side)
        asks = provision(
            severity=(
                SeverityRule("found", "none", "An asset.", by=("theirs",)),
                SeverityRule(
                    "found", "high", "Bound.", parse_query("compete*"), by=("ours", "mutual")
                ),
                SeverityRule("found", "medium", "Somebody is bound."),
            )
        )
        return RiskAssessor(contract).assess(found(contract, sentence), asks).severity

    alder = Side(("Alder Components Limited",))
    assert severity("The Customer shall not compete.", alder) is Severity.NONE
    assert severity("The Supplier shall not compete.", alder) is Severity.HIGH
    assert severity("Neither party shall compete.", alder) is Severity.HIGH
    assert severity("There shall be no rivalry.", alder) is Severity.MEDIUM
    opening = "If a shop competes, the Supplier shall not compete with it."
    assert severity(opening, alder) is Severity.HIGH
    passive = "It may not be told to compete unless the Supplier lets it compete."
    assert severity(passive, alder) is Severity.MEDIUM
    assert (
        severity("The Customer shall not compete.", Side(("Birch Retail Limited",)))
        is Severity.HIGH
    )
    assert severity("The Customer shall not compete.", UNKNOWN_SIDE) is Severity.MEDIUM


def test_a_question_for_other_types_of_contract_is_not_asked(contract: PreparedDocument) -> None:
    asks = provision(
        RiskQuestion("lease", "Is it a lease?", applies_to=("Lease",)),
        RiskQuestion("supply", "Is it a supply?", applies_to=("Supply", "Lease")),
    )
    told = RiskAssessor(contract).assess(found(contract, ASSIGN), asks)
    assert [answer.id for answer in told.answers] == ["supply"]


PIECES = st.lists(
    st.sampled_from(
        [
            "The Supplier shall not assign this Agreement without consent.",
            "No consent is needed for an affiliate, subject to clause 2.",
            "The Customer may terminate on thirty (30) days' notice",
            "for a fee of $1,000,000 or 5% of the Charges;",
            '"Charges" means the sums in clause 1.',
            "\n\n2. MORE\n\n",
            "(a) on a change of control; (b) on 3 May 2021",
            "\u200bÜbertragung\n",
        ]
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=25, deadline=None)
@given(PIECES)
def test_whatever_a_contract_says_answers_quote_it(pieces: list[str]) -> None:
    text = "SUPPLY AGREEMENT\n\n1. TERMS\n\n" + " ".join(pieces)
    reading = made(text)
    quoted = [
        Evidence(evidence.quote_span(text, unit.span), unit.span, (), None, 0.9)
        for unit in reading.segments
    ]
    finding = Finding(reading.document.id, "it", CellState.FOUND, tuple(quoted))
    risks = RiskAssessor(reading)
    for asked_of in load_playbook("due-diligence").provisions:
        told = risks.assess(finding, asked_of)
        assert len(told.answers) == len(asked_of.questions)
        for answer in told.answers:
            for quote in (*answer.quotes, *answer.against_quotes):
                assert quote.span is not None
                assert quote.span.text_in(text) == quote.words
            assert bool(answer.against) == bool(answer.against_quotes)
            assert answer.answer or not answer.quotes
