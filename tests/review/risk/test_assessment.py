"""Answers are what the verdict reader asserts; severity and position follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourcorners.library.contract import Contract
from fourcorners.outline.card.card import Card, Fact, Party
from fourcorners.playbooks import load_playbook
from fourcorners.playbooks.playbook import (
    CardField,
    Level,
    Position,
    Provision,
    RiskQuestion,
    SeverityRule,
)
from fourcorners.review.finding import Author, CellState, Evidence, Finding, RiskAnswer, Severity
from fourcorners.review.parties import UNKNOWN_SIDE, Side
from fourcorners.review.risk.answers import answer_statement, answer_words
from fourcorners.review.risk.assessment import RiskAssessor, RiskConclusion
from fourcorners.review.risk.clauses import CLAUSE, clause_around
from fourcorners.review.severity import leave_to_read, possible_high_words, raise_severity
from fourcorners.search.query import parse_query
from fourcorners.text import evidence
from fourcorners.text.span import Span
from tests.review.conftest import prepared
from tests.review.scripted_reader import ScriptedReader

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


ASSIGN = "Neither party may assign this Agreement without the prior written consent of the other."
SUBCONTRACT = "The Supplier may subcontract its duties."
ENDS = "the Customer may terminate this Agreement by thirty (30) days' written\nnotice"
LEAVES = "The Supplier may end this Agreement at any time by ninety days' notice."
EFFECT = RiskQuestion(
    "effect",
    "What is allowed?",
    answer="one_of",
    options={"free": "free to assign", "consent": "consent needed", "silent": ""},
)
WHO = RiskQuestion("who", "Who may?", answer="party", says="{} may end it")
NOTICE = RiskQuestion("notice", "What notice?", answer="duration", says="on {} notice")


@pytest.fixture(scope="module")
def contract() -> Contract:
    return prepared(TEXT)


def found(contract: Contract, *quotes: str) -> Finding:
    text = contract.document.text
    proof = []
    for at, words in enumerate(quotes):
        start = text.index(words)
        span = Span(start, start + len(words))
        proof.append(Evidence(evidence.quote_span(text, span), span, (), None, 0.9 - at / 100))
    return Finding(contract.document.id, "it", CellState.FOUND, tuple(proof))


def provision(
    *questions: RiskQuestion,
    severity: tuple[SeverityRule, ...] = (),
    positions: tuple[Position, ...] = (),
    card: CardField | None = None,
    name: str = "it",
) -> Provision:
    return Provision(
        name,
        "It",
        "It.",
        parse_query("it"),
        questions=questions,
        severity=severity,
        positions=positions,
        card=card,
    )


def assess(
    contract: Contract,
    says: Mapping[str, Mapping[str, tuple[str, float]]],
    asked: Provision,
    side: Side = UNKNOWN_SIDE,
) -> Finding:
    """Return the finding that quotes all the words of which the reader says something."""
    return RiskAssessor(contract, side, ScriptedReader(says=says)).assess(
        found(contract, *says), asked
    )


def test_what_is_asserted_is_answered_with_its_words(contract: Contract) -> None:
    told = assess(contract, {ASSIGN: {"effect": ("consent", 0.97)}}, provision(EFFECT))
    (answer,) = told.answers
    assert (answer.id, answer.question) == ("effect", "What is allowed?")
    assert (answer.value, answer.answer, answer.statement) == (
        "consent",
        "consent needed",
        "consent needed",
    )
    assert answer.confidence == 0.97
    assert [quote.words for quote in answer.quotes] == [ASSIGN]
    assert told.headline == "Consent needed"


def test_what_is_not_asserted_is_left_to_a_person(contract: Contract) -> None:
    unsure = {ASSIGN: {"effect": ("consent", 0.89)}}
    left = RiskAnswer("What is allowed?", "", id="effect")
    assert assess(contract, unsure, provision(EFFECT)).answers == (left,)
    assert assess(contract, {ASSIGN: {}}, provision(EFFECT)).answers == (left,)
    sure = {ASSIGN: {"effect": ("consent", 0.97)}}
    unknown = assess(contract, sure, provision(EFFECT, name="unheard-of"))
    assert unknown.answers == (left,)
    assert unknown.headline == ""


def test_two_clauses_that_differ_leave_the_question_open(contract: Contract) -> None:
    differ = {ASSIGN: {"effect": ("consent", 0.97)}, SUBCONTRACT: {"effect": ("free", 0.99)}}
    (open_,) = assess(contract, differ, provision(EFFECT)).answers
    assert (open_.answer, open_.value, open_.statement, open_.quotes) == ("", "", "", ())
    assert open_.reason == "the clauses found say different things"
    unsure = {**differ, SUBCONTRACT: {"effect": ("free", 0.2)}}
    (told,) = assess(contract, unsure, provision(EFFECT)).answers
    assert told.value == "consent"


def test_clauses_that_agree_are_quoted_together(contract: Contract) -> None:
    agree = {ASSIGN: {"effect": ("free", 0.93)}, SUBCONTRACT: {"effect": ("free", 0.99)}}
    (told,) = assess(contract, agree, provision(EFFECT)).answers
    assert (told.value, told.confidence) == ("free", 0.99)
    assert [quote.words for quote in told.quotes] == [ASSIGN, SUBCONTRACT]


def test_quotes_are_read_with_the_clause_around_them(contract: Contract) -> None:
    reader = ScriptedReader()
    RiskAssessor(contract, reader=reader).assess(found(contract, ASSIGN, LEAVES), provision(EFFECT))
    text = contract.document.text
    assert {each.marked.text_in(text) for each in reader.seen} == {ASSIGN, LEAVES}
    clauses = {each.marked.text_in(text): each.clause.text_in(text) for each in reader.seen}
    assert "No\nconsent is needed" in clauses[ASSIGN]


def test_a_party_is_the_cards_by_its_short_name_or_role(contract: Contract) -> None:
    told = assess(
        contract,
        {LEAVES: {"who": ("supplier", 0.95), "notice": ("P90D", 0.95)}},
        provision(WHO, NOTICE),
    )
    who, notice = told.answers
    assert (who.value, who.answer) == ("Supplier", "Supplier (Alder Components Limited)")
    assert (notice.value, notice.answer) == ("P90D", "90 days")
    assert told.headline == "Alder Components may end it; on 90 days notice"
    both = assess(contract, {ASSIGN: {"who": ("each party", 0.95)}}, provision(WHO))
    assert (both.answers[0].value, both.headline) == ("each party", "Each party may end it")


def test_a_party_that_the_card_does_not_have_is_called_as_the_contract_does() -> None:
    contract = prepared(TEXT.replace(LEAVES, "The Warehouse may end this Agreement."))
    words = "The Warehouse may end this Agreement."
    (told,) = assess(contract, {words: {"who": ("warehouse", 0.95)}}, provision(WHO)).answers
    assert (told.value, told.answer) == ("Warehouse", "Warehouse")


def test_an_answer_quotes_the_sentence_that_holds_it(contract: Contract) -> None:
    words = f"{LEAVES}\n\n3. TRANSFER\n\n3.1 {ASSIGN}"
    (told,) = assess(contract, {words: {"notice": ("P90D", 0.95)}}, provision(NOTICE)).answers
    (quote,) = told.quotes
    assert quote.words == LEAVES


@pytest.mark.parametrize(
    ("written", "value", "answer"),
    [
        ("five (5) Business Days'", "5 business days", "5 business days"),
        ("one working day's", "1 working day", "1 working day"),
        ("five (5) days'", "P5D", "5 days"),
    ],
)
def test_business_days_are_not_said_to_be_days(written: str, value: str, answer: str) -> None:
    words = f"The Supplier may end this Agreement at any time by {written} notice."
    contract = prepared(TEXT.replace(LEAVES, words))
    key = "P1D" if "one" in written else "P5D"
    (told,) = assess(contract, {words: {"notice": (key, 0.95)}}, provision(NOTICE)).answers
    assert (told.value, told.answer, told.statement) == (value, answer, f"on {answer} notice")


def test_a_fact_of_the_card_is_answered_by_the_card(contract: Contract) -> None:
    law = provision(
        RiskQuestion("law", "Which law?", says="Law of {}"), card=CardField.GOVERNING_LAW
    )
    words = "governed by the laws of England and Wales"
    told = assess(contract, {words: {}}, law)
    (answer,) = told.answers
    assert (answer.value, told.headline) == ("England and Wales", "Law of England and Wales")
    assert "England and Wales" in answer.quotes[0].words
    assert answer.confidence is None
    day = RiskQuestion("date", "When?", answer="date", says="{}")
    told = assess(contract, {ASSIGN: {}}, provision(day, card=CardField.AGREEMENT_DATE))
    assert told.answers[0].value == "2024-03-04"
    told = assess(contract, {ASSIGN: {}}, provision(EFFECT, card=CardField.GOVERNING_LAW))
    assert told.answers[0].answer == ""


RULES = (
    SeverityRule("found", "high", "Bad.", {"effect": ("forbidden",)}, recommend="Run."),
    SeverityRule("found", "medium", "So so.", {"effect": ("consent", "varies")}, recommend="Ask."),
    SeverityRule("found", "low", "Look."),
    SeverityRule("not_found", "low", "Silent.", recommend="Add it."),
)
POSITIONS = (
    Position("preferred", "Whatever a person thinks."),
    Position("fallback", "With consent.", {"effect": ("consent",)}, recommend="Take it."),
)


def test_severity_and_position_follow_from_answers(contract: Contract) -> None:
    asks = provision(EFFECT, severity=RULES, positions=POSITIONS)
    told = assess(contract, {ASSIGN: {"effect": ("consent", 0.97)}}, asks)
    assert (told.severity, told.reason, told.recommendation) == (Severity.MEDIUM, "So so.", "Ask.")
    assert told.position is not None
    assert (told.position.kind, told.position.recommend) == ("fallback", "Take it.")
    assert [quote.words for quote in told.position.quotes] == [ASSIGN]
    open_ = assess(contract, {ASSIGN: {"effect": ("consent", 0.5)}}, asks)
    assert (open_.severity, open_.position) == (Severity.TO_READ, None)
    absent = replace(found(contract, ASSIGN), state=CellState.NOT_FOUND, evidence=())
    told = RiskAssessor(contract, reader=ScriptedReader()).assess(absent, asks)
    assert (told.severity, told.recommendation) == (Severity.LOW, "Add it.")
    assert (told.position, told.answers) == (None, ())
    failed = replace(absent, state=CellState.FAILED)
    assert (
        RiskAssessor(contract, reader=ScriptedReader()).assess(failed, asks).severity
        is Severity.NONE
    )


def test_a_rule_of_several_answers_needs_them_all(contract: Contract) -> None:
    rule = SeverityRule("found", "high", "Soon.", {"effect": ("free",), "notice": ("P30D",)})
    asks = provision(EFFECT, NOTICE, severity=(rule,))
    one = {ENDS: {"effect": ("free", 0.95)}}
    both = {ENDS: {"effect": ("free", 0.95), "notice": ("P30D", 0.95)}}
    assert assess(contract, one, asks).severity is Severity.TO_READ
    other = {ENDS: {"effect": ("consent", 0.95)}}
    assert assess(contract, other, asks).severity is Severity.NONE, "no notice makes it high"
    assert assess(contract, both, asks).severity is Severity.HIGH


def test_what_hangs_on_an_open_question_is_to_be_read_and_not_low(
    contract: Contract,
) -> None:
    asks = provision(EFFECT, severity=RULES)
    told = assess(contract, {ASSIGN: {}}, asks)
    assert (told.severity, told.possible_severity) == (Severity.TO_READ, Severity.HIGH)
    assert told.reason == (
        "Could be high, depending on a question that is not answered: “What is allowed?”"
    )
    assert told.recommendation == ""
    assert Severity.MEDIUM.rank > Severity.TO_READ.rank > Severity.LOW.rank
    answered = assess(contract, {ASSIGN: {"effect": ("free", 0.97)}}, asks)
    assert (answered.severity, answered.possible_severity) == (Severity.LOW, Severity.NONE)


@pytest.mark.parametrize(
    ("levels", "severity", "possible"),
    [
        (("low", "low"), Severity.LOW, Severity.NONE),  # whatever the answer is
        (("low", "none"), Severity.NONE, Severity.NONE),
        (("medium", "low"), Severity.TO_READ, Severity.MEDIUM),
        (("high", "none"), Severity.TO_READ, Severity.HIGH),
        (("high", "medium"), Severity.MEDIUM, Severity.HIGH),
        (("low", "high"), Severity.HIGH, Severity.NONE),
    ],
)
def test_only_an_answer_that_could_raise_the_severity_leaves_it_open(
    contract: Contract,
    levels: tuple[Level, Level],
    severity: Severity,
    possible: Severity,
) -> None:
    rules = (
        SeverityRule("found", levels[0], "If free.", {"effect": ("free",)}),
        SeverityRule("found", levels[1], "Else."),
    )
    told = assess(contract, {ASSIGN: {}}, provision(EFFECT, severity=rules))
    assert (told.severity, told.possible_severity) == (severity, possible)


def test_a_medium_finding_says_on_what_a_higher_severity_depends(contract: Contract) -> None:
    rules = (
        SeverityRule("found", "high", "If free.", {"effect": ("free",)}),
        SeverityRule("found", "medium", "Else.", recommend="Ask."),
    )
    told = assess(contract, {ASSIGN: {}}, provision(EFFECT, severity=rules))
    assert (told.reason, told.recommendation) == (
        "Else. Could be high, depending on a question that is not answered: “What is allowed?”",
        "Ask.",
    )
    assert told.open_questions == ("effect",)
    again = leave_to_read(told, Severity.HIGH, "Again.", ("effect", "consent"))
    assert again == replace(told, open_questions=("effect", "consent"))
    assert possible_high_words(again) == "could be high: 2 open questions"
    grave = raise_severity(told, Severity.HIGH, "It ended.", "")
    assert (grave.possible_severity, grave.reason) == (Severity.NONE, "It ended.")
    assert possible_high_words(grave) == ""
    assert not grave.open_questions


def test_a_finding_raised_to_medium_may_still_be_higher(contract: Contract) -> None:
    told = assess(contract, {ASSIGN: {}}, provision(EFFECT, severity=RULES))
    raised = raise_severity(told, Severity.MEDIUM, "The term ends soon.", "Renew.")
    assert (raised.severity, raised.possible_severity) == (Severity.MEDIUM, Severity.HIGH)
    assert raised.reason == f"The term ends soon. {told.reason}"


def test_a_person_who_says_that_the_contract_is_silent_has_answered(
    contract: Contract,
) -> None:
    asks = provision(EFFECT, severity=RULES)
    told = assess(contract, {ASSIGN: {}}, asks)
    silent = RiskAnswer("", "The contract does not say", id="effect", author=Author.PERSON)
    again = RiskConclusion(contract.card, UNKNOWN_SIDE).conclude(
        replace(told, answers=(silent,)), asks
    )
    assert (again.severity, again.possible_severity) == (Severity.LOW, Severity.NONE)


def test_an_open_question_of_the_other_sides_burden_raises_nothing(
    contract: Contract,
) -> None:
    asks = provision(
        RiskQuestion("bound", "Who?", answer="party"),
        EFFECT,
        severity=(
            SeverityRule("found", "high", "Bound.", {"effect": ("free",)}, burdens="bound"),
            SeverityRule("found", "low", "Look."),
        ),
    )
    says = {SUBCONTRACT: {"bound": ("supplier", 0.95)}}
    theirs = Side(("Birch Retail Limited",))
    assert assess(contract, says, asks, theirs).severity is Severity.LOW
    assert assess(contract, says, asks).severity is Severity.TO_READ


def test_what_a_person_answers_decides_anew(contract: Contract) -> None:
    asks = provision(EFFECT, severity=RULES, positions=POSITIONS)
    told = assess(contract, {ASSIGN: {"effect": ("consent", 0.97)}}, asks)
    answered = replace(told, answers=(RiskAnswer("", "forbidden", id="effect", value="forbidden"),))
    again = RiskConclusion(contract.card, UNKNOWN_SIDE).conclude(answered, asks)
    assert (again.severity, again.position) == (Severity.HIGH, None)


@pytest.mark.parametrize(
    ("bound", "side", "severity"),
    [
        ("supplier", Side(("Alder Components Limited",)), Severity.HIGH),
        ("supplier", Side(("Birch Retail Limited",)), Severity.NONE),
        ("supplier", UNKNOWN_SIDE, Severity.HIGH),
        ("each party", Side(("Birch Retail Limited",)), Severity.HIGH),
        ("", Side(("Birch Retail Limited",)), Severity.TO_READ),
        ("", UNKNOWN_SIDE, Severity.TO_READ),
    ],
)
def test_a_burden_of_the_other_side_alone_is_passed_over(
    contract: Contract, bound: str, side: Side, severity: Severity
) -> None:
    asks = provision(
        RiskQuestion("bound", "Who?", answer="party"),
        severity=(SeverityRule("found", "high", "Bound.", burdens="bound"),),
    )
    words = SUBCONTRACT if bound == "supplier" else ASSIGN
    says = {words: {"bound": (bound, 0.95)} if bound else {}}
    assert assess(contract, says, asks, side).severity is severity


def test_a_name_that_two_parties_bear_is_neither(contract: Contract) -> None:
    names = ("Alder Components Limited", "Birch Retail Limited")
    alike = [
        replace(fact, value=Party(name, "Member", "Member"))
        for name, fact in zip(names, contract.card.parties, strict=True)
    ]
    card = replace(contract.card, parties=tuple(alike))
    twins = Contract.build(contract.document, contract.outline, card, contract.passages)
    theirs = Side(("Birch Retail Limited",))
    asks = provision(
        RiskQuestion("who", "Who?", answer="party"),
        severity=(SeverityRule("found", "high", "Bound.", burdens="who"),),
    )
    told = assess(twins, {SUBCONTRACT: {"who": ("member", 0.95)}}, asks, theirs)
    assert told.answers[0].answer == "member"
    assert told.severity is Severity.TO_READ


def test_a_question_for_other_types_of_contract_is_not_asked(contract: Contract) -> None:
    asks = provision(
        RiskQuestion("lease", "Is it a lease?", applies_to=("Lease",)),
        RiskQuestion("supply", "Is it a supply?", applies_to=("Supply", "Lease")),
    )
    told = assess(contract, {ASSIGN: {}}, asks)
    assert [answer.id for answer in told.answers] == ["supply"]


@pytest.mark.parametrize(
    ("value", "words"),
    [("P1D", "1 day"), ("P90D", "90 days"), ("P2Y", "2 years"), ("P1Y6M", "1 year and 6 months")],
)
def test_periods_are_said_in_words(value: str, words: str) -> None:
    assert answer_words(NOTICE, value) == words


def test_options_are_said_as_the_playbook_does() -> None:
    yes_no = RiskQuestion("q", "?", answer="yes_no", options={"yes": "void otherwise", "no": ""})
    assert [answer_words(yes_no, each) for each in ("yes", "no")] == ["Yes", "No"]
    assert [answer_statement(yes_no, each, Card()) for each in ("yes", "no")] == [
        "void otherwise",
        "",
    ]
    assert answer_words(EFFECT, "silent") == "silent"
    assert answer_statement(RiskQuestion("q", "?", answer="amount"), "$5", Card()) == ""


@pytest.mark.parametrize(
    ("says", "party", "statement"),
    [
        ("{} is bound", "You", "you are bound"),
        ("applies to {}", "We", "applies to us"),
        ("applies to {}", "each party", "applies to each party"),
        ("{} may end it", "we", "we may end it"),
        ("{} pays", "us", "we pay"),
        ("from {}", "you", "from you"),
        ("{} is bound", "Supplier", "the Supplier is bound"),
        ("{} is bound", "the RESELLER", "the Reseller is bound"),
        ("{} is bound", "each party", "each party is bound"),
        ("{} has it", "Acme Ltd", "Acme Ltd has it"),
    ],
)
def test_a_party_and_its_verb_agree(says: str, party: str, statement: str) -> None:
    asked = RiskQuestion("q", "?", answer="party", says=says)
    assert answer_statement(asked, party, Card()) == statement


@pytest.mark.parametrize(
    ("says", "value", "statement"),
    [
        ("applies to {}", "the Supplier", "applies to ALDER MILLS"),
        ("{} is liable", "the HAULIER", "Quick & Sons is liable"),
        ("applies to {}", "you", "applies to BANK OF OSTRAVA"),
        ("applies to {}", "Ostrava", "applies to Ostrava"),
        ("applies to {}", "the Buyer", "applies to the Buyer"),
        ("applies to {}", "the Agent", "applies to the Agent"),
    ],
)
def test_a_party_that_has_a_role_is_called_by_its_name(
    says: str, value: str, statement: str
) -> None:
    parties = (
        Party("ALDER MILLS LIMITED", "Supplier", "Supplier"),
        Party("Quick & Sons", "the Haulier", ""),
        Party("BANK OF OSTRAVA PLC", "you", ""),
        Party("Ferd Ltd", "Buyer", "Buyer"),
        Party("Gerd Ltd", "Buyer", "Buyer"),  # which of the two is not known
        Party("Agent", "Agent", "Agent", is_blank=True),
    )
    card = Card(parties=tuple(Fact(each, Span(0, 1), 1.0) for each in parties))
    asked = RiskQuestion("q", "?", answer="party", says=says)
    assert answer_statement(asked, value, card) == statement


def test_a_clause_is_cut_at_paragraphs_and_at_a_length() -> None:
    text = "Before.\n\nOne. Two. Three.\n\nAfter."
    two = Span(text.index("Two"), text.index("Three"))
    assert clause_around(text, two).text_in(text).strip() == "One. Two. Three."
    long = "word " * 2_000
    around = clause_around(long, Span(5_000, 5_010))
    assert len(around) == CLAUSE
    assert around.contains(Span(5_000, 5_010))


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
    reading = prepared(text)
    quoted = [
        Evidence(evidence.quote_span(text, unit.span), unit.span, (), None, 0.9)
        for unit in reading.sentences
    ]
    finding = Finding(reading.id, "it", CellState.FOUND, tuple(quoted))
    risks = RiskAssessor(reading)
    for asked_of in load_playbook("due-diligence").provisions:
        told = risks.assess(finding, asked_of)
        assert len(told.answers) == len(asked_of.questions)
        for answer in told.answers:
            for quote in answer.quotes:
                assert quote.span is not None
                assert quote.span.text_in(text) == quote.words
            assert answer.answer or not answer.quotes
            assert bool(answer.answer) == bool(answer.value)
