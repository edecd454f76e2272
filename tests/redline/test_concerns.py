"""Words that may be in a refused position, for whom, and with which periods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fourcorners.documents.read import read_document
from fourcorners.library.contract import Contract
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.playbooks.load import load_playbook, parse_playbook
from fourcorners.playbooks.playbook import Provision
from fourcorners.redline.concerns import concerns_side, favours_side, find_concerns
from fourcorners.redline.drafting import ContractTerms
from fourcorners.redline.open_points import Preferences
from fourcorners.redline.proposal import OpenPoint, ProposedChange, Source
from fourcorners.redline.propose import propose
from fourcorners.review.finding import (
    CellState,
    Evidence,
    Finding,
    PositionMatch,
    RiskAnswer,
)
from fourcorners.review.parties import Side, side_for
from fourcorners.text.evidence import quote_span
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span

HEAD = """{title}

This Agreement is made on 4 May 2021 between Alder Mills Limited (the "{first}") and Birch Stores
Limited (the "{second}").

1. Terms

"""
Read = Callable[..., ContractTerms]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Return what reads a contract with one clause for one of its parties."""

    def read_for(
        party: str, clause: str, first: str = "Supplier", second: str = "Customer"
    ) -> ContractTerms:
        path = tmp_path / "agreement.txt"
        head = HEAD.format(title="SUPPLY AGREEMENT", first=first, second=second)
        path.write_text(f"{head}1.1 {clause}\n\n1.2 Notices shall be in writing.\n", "utf-8")
        document = read_document(path)
        outline = build_outline(document)
        card = read_card(document, outline)
        side = side_for(card, [party])
        assert side.names
        return ContractTerms(Contract.build(document, outline, card, []), side)

    return read_for


FALLBACK = "      - {kind: fallback, text: Mild., wording: {clause: It is mild.}}\n"
TIME = "      - {id: time, question: Within what time?, answer: duration}\n"
AT_HOME = """SUPPLY AGREEMENT

This Agreement is made on 4 May 2021 between Alder Mills LLC, a Texas limited liability company (the
"Supplier"), and Birch Stores Limited, a company incorporated in England and Wales (the "Customer").
"""


def refusing(position: str, others: str = "", questions: str = "") -> Provision:
    """Return a provision with a position that is refused, and others."""
    text = f"""
id: house
name: House
version: "1"
provisions:
  - id: clause
    name: Clause
    definition: A clause.
    query: clause
    questions:
      - {{id: mild, question: Is it mild?, answer: yes_no}}
      - {{id: bound, question: Who is bound?, answer: party}}
{questions}    positions:
      - {{kind: unacceptable, text: Too hard., {position}}}
{others}"""
    return parse_playbook(text, "house.yaml").provision("clause")


REFUSING = refusing("burdens: subject")


def quote_of(terms: ContractTerms, clause: str) -> Quote:
    return found(terms, clause).evidence[0].quote


def found(terms: ContractTerms, *clauses: str, answers: tuple[RiskAnswer, ...] = ()) -> Finding:
    text = terms.contract.full_text
    evidence = []
    for clause in clauses:
        span = Span(text.index(clause), text.index(clause) + len(clause))
        evidence.append(Evidence(quote_span(text, span), span, (), None, 0.9))
    return Finding("x", "clause", CellState.FOUND, evidence=tuple(evidence), answers=answers)


def is_concern(terms: ContractTerms, position: str, *clauses: str) -> bool:
    return bool(find_concerns(terms, refusing(position), found(terms, *clauses)))


@pytest.mark.parametrize(
    "clause",
    [
        "The Customer shall indemnify the Supplier against all losses.",
        "Subject to clause 1.2, the Customer shall indemnify the Supplier against all losses.",
        "In no event shall the Customer be entitled to a refund.",
        "The Customer is liable for all losses of the Supplier.",
        "The Customer hereby assigns its inventions to the Supplier.",
    ],
)
def test_a_duty_binds_its_subject_and_does_not_favour_it(read: Read, clause: str) -> None:
    ours, theirs = read("Customer", clause), read("Supplier", clause)
    assert is_concern(ours, "burdens: subject", clause)
    assert not is_concern(theirs, "burdens: subject", clause)
    assert not is_concern(ours, "favours: subject", clause)
    assert not is_concern(theirs, "favours: subject", clause)
    assert favours_side(theirs, REFUSING, found(theirs, clause), quote_of(theirs, clause))
    assert not favours_side(ours, REFUSING, found(ours, clause), quote_of(ours, clause))


@pytest.mark.parametrize(
    "clause",
    [
        "The Customer may use the name of the Supplier without consent.",
        "If control of the Supplier changes, the Customer may end this Agreement.",
        "The Customer shall have the exclusive right to sell the Goods in Wales.",
        "In no event shall the Customer be liable for loss of profit.",
        "The Customer shall not be obliged to accept late deliveries.",
        "The Customer is entitled to a refund.",
        "All works made under this Agreement shall belong to the Customer.",
        "The Customer's total liability shall not exceed £500.",
        "IN NO EVENT SHALL THE CUSTOMER'S LIABILITY EXCEED £500.",
        "The aggregate liability of the Customer is limited to the fees.",
    ],
)
def test_a_right_favours_whom_it_is_given(read: Read, clause: str) -> None:
    ours, theirs = read("Customer", clause), read("Supplier", clause)
    assert not is_concern(ours, "favours: subject", clause)
    assert not is_concern(ours, "burdens: subject", clause)
    assert favours_side(ours, REFUSING, found(ours, clause), quote_of(ours, clause))
    assert not favours_side(theirs, REFUSING, found(theirs, clause), quote_of(theirs, clause))


@pytest.mark.parametrize(
    "clause",
    [
        "Either party may end this Agreement at any time.",
        "The Customer may use the name of the Supplier only with its prior consent.",
        "Prices are those of the list in Schedule 2.",
        "Neither party shall solicit the employees of the other.",
        "The aggregate liability of each party shall not exceed £500.",
        "The Customer is under no obligation to accept orders.",
    ],
)
def test_what_is_mutual_or_conditional_favours_nobody(read: Read, clause: str) -> None:
    for party in ("Customer", "Supplier"):
        terms = read(party, clause)
        assert not favours_side(terms, REFUSING, found(terms, clause), quote_of(terms, clause))


def test_words_of_an_unknown_bearer_are_replaced_only_by_force(read: Read) -> None:
    clause = "Prices charged to the Customer are no higher than those charged to others."
    terms, of = read("Customer", clause), refusing("burdens: bound", FALLBACK)
    wanted = Preferences(Source("?"), decided={of.id})
    (point,) = propose(terms, of, found(terms, clause), wanted)
    assert isinstance(point, OpenPoint)
    assert point.reason.startswith("It may benefit your side; --force")
    bound = (RiskAnswer("?", "Customer", id="bound", value="Customer"),)
    (change,) = propose(terms, of, found(terms, clause, answers=bound), wanted)
    assert not isinstance(change, OpenPoint)


def test_a_period_that_is_refused_is_not_in_favour_of_our_side(read: Read) -> None:
    refused = refusing("favours: payer, over: 45 days")
    for days, favours in (("ninety", False), ("ten", True)):
        clause = f"The Customer shall pay each invoice within {days} days."
        terms = read("Supplier", clause)
        assert (
            favours_side(terms, refused, found(terms, clause), quote_of(terms, clause)) is favours
        )


@pytest.mark.parametrize(
    ("clause", "party", "changed"),
    [
        ("The Supplier shall give the Customer its lowest price.", "Customer", False),
        ("The Supplier shall give the Customer its lowest price.", "Supplier", True),
        ("The Customer may name the Supplier in its publicity.", "Customer", False),
        ("The Customer may name the Supplier in its publicity.", "Supplier", True),
    ],
)
def test_a_person_changes_what_favours_their_side_only_by_force(
    read: Read, clause: str, party: str, *, changed: bool
) -> None:
    of = refusing("burdens: bound", FALLBACK)
    terms = read(party, clause)
    wanted = Preferences(Source("?"), decided={of.id})
    (outcome,) = propose(terms, of, found(terms, clause), wanted)
    assert isinstance(outcome, OpenPoint) is not changed
    if isinstance(outcome, OpenPoint):
        assert outcome.reason == "It benefits your side; --force changes it all the same."
        assert outcome.offered is None
    (forced,) = propose(terms, of, found(terms, clause), replace(wanted, force=True))
    assert not isinstance(forced, OpenPoint)


@pytest.mark.parametrize(
    ("clause", "whose"),
    [
        ("It is governed by the laws of Texas, whose courts have jurisdiction.", "Supplier"),
        ("Disputes are decided by the courts located in Austin, Texas.", "Supplier"),
        ("It is governed by English law.", "Customer"),
        ("The law of England applies; the courts of England and Wales decide.", "Customer"),
        ("It is governed by the laws of Texas, and the courts of England decide.", ""),
        ("It is governed by the laws of Texas, and the courts of Lisbon decide.", ""),
        ("It is governed by the laws of France.", ""),
        ("It is governed by the laws of [place].", ""),
    ],
)
def test_law_and_courts_at_home_are_no_concern(tmp_path: Path, clause: str, whose: str) -> None:
    path = tmp_path / "agreement.txt"
    path.write_text(f"{AT_HOME}\n1. Law\n\n1.1 {clause}\n\n1.2 Notices are in writing.\n", "utf-8")
    document = read_document(path)
    outline = build_outline(document)
    card = read_card(document, outline)
    contract = Contract.build(document, outline, card, [])
    for party in ("Supplier", "Customer"):
        terms = ContractTerms(contract, side_for(card, [party]))
        concerns = find_concerns(terms, refusing("favours: seat"), found(terms, clause))
        assert bool(concerns) is (whose != party)
        assert all(each.is_recognised is bool(whose) for each in concerns)


def test_a_period_that_an_answer_would_be_is_read_from_the_words(read: Read) -> None:
    of = refusing("answers: {time: [P14D]}", questions=TIME)
    for days, refused in (("fourteen (14)", True), ("thirty (30)", False)):
        clause = f"The Customer shall pay within {days} days."
        terms = read("Customer", clause)
        concerns = find_concerns(terms, of, found(terms, clause))
        assert bool(concerns) is refused
        assert all(each.periods == ("fourteen (14) days",) for each in concerns)


def test_what_is_recognised_is_listed_without_the_rest(read: Read) -> None:
    clause = "A breach shall be cured within ninety days."
    others = "      - {kind: unacceptable, text: No time is given., unless: [week]}\n"
    terms = read("Customer", clause)
    (point,) = propose(
        terms, refusing("over: 30 days", others), found(terms, clause), Preferences(Source("?"))
    )
    assert isinstance(point, OpenPoint)
    assert point.reason == "The playbook refuses: “ninety days”: too hard."
    assert point.is_recognised
    (point,) = propose(
        terms, refusing("over: 120 days", others), found(terms, clause), Preferences(Source("?"))
    )
    assert isinstance(point, OpenPoint)
    assert point.reason == "To be read for what it refuses: no time is given."
    assert not point.is_recognised


@pytest.mark.parametrize(
    ("clause", "listed"),
    [
        ("The Supplier may end this Agreement at any time.", True),
        ("The Customer may end this Agreement at any time.", False),
        ("This Agreement may be ended at any time.", False),
    ],
)
def test_a_burden_is_listed_where_the_playbook_only_says_what_it_wants(
    read: Read, clause: str, *, listed: bool
) -> None:
    of = refusing("burdens: subject", FALLBACK)
    of = replace(of, positions=of.positions[1:])
    terms = read("Customer", clause)
    finding, wanted = found(terms, clause), Preferences(Source("?"))
    points = propose(terms, of, finding, wanted)
    assert [each.reason for each in points if isinstance(each, OpenPoint)] == (
        ["The playbook asks for this: Mild."] if listed else []
    )
    met = replace(finding, position=PositionMatch("fallback", "Mild.", "", ()))
    assert propose(terms, of, met, wanted) == []


@pytest.mark.parametrize(
    "clause",
    ["All losses are to be made good.", "Each party shall indemnify the other."],
)
def test_words_of_nobody_or_of_both_are_looked_at_by_both(read: Read, clause: str) -> None:
    for party in ("Supplier", "Customer"):
        assert is_concern(read(party, clause), "burdens: subject", clause)


@pytest.mark.parametrize(
    ("supplier", "customer"), [("Licensor", "Licensee"), ("Seller", "Buyer"), ("Alder", "Dealer")]
)
def test_the_roles_say_who_pays(read: Read, supplier: str, customer: str) -> None:
    clause = "Invoices are payable within ten days."
    payer = read(customer, clause, supplier, customer)
    paid = read(supplier, clause, supplier, customer)
    assert is_concern(payer, "burdens: payer", clause)
    assert not is_concern(paid, "burdens: payer", clause)
    assert is_concern(paid, "favours: payer", clause)


@pytest.mark.parametrize("clause", ["Birch shall pay in ten days.", "Birch shall remit all fees."])
def test_without_roles_the_one_that_is_to_pay_pays(read: Read, clause: str) -> None:
    assert is_concern(read("Birch", clause, "Alder", "Birch"), "burdens: payer", clause)
    assert not is_concern(read("Alder", clause, "Alder", "Birch"), "burdens: payer", clause)


def test_a_point_of_a_list_has_the_subject_of_what_leads_to_it(read: Read) -> None:
    clause = "The Customer shall:\n\n(a) bear all losses; and\n\n(b) make good all damage."
    point = "(b) make good all damage."
    assert is_concern(read("Customer", clause), "burdens: subject", point)
    assert not is_concern(read("Supplier", clause), "burdens: subject", point)


@pytest.mark.parametrize(
    ("clause", "position", "reason"),
    [
        ("Invoices are payable in ten (10) days.", "under: 30 days", "“ten (10) days”: too hard"),
        ("Invoices are payable within 45 days.", "under: 30 days", ""),
        ("Pay in thirty days, and object in ten days.", "under: 30 days", ""),
        ("The duty lasts two years.", "over: 18 months", "“two years”: too hard"),
        ("The duty lasts six months.", "over: 18 months", ""),
        ("The duty lasts for good.", "over: 18 months", ""),
    ],
)
def test_a_period_is_compared_with_the_playbooks(
    read: Read, clause: str, position: str, reason: str
) -> None:
    terms = read("Customer", clause)
    concerns = find_concerns(terms, refusing(position), found(terms, clause))
    assert [each.reason for each in concerns] == [reason][: bool(reason)]


def test_phrases_have_the_parties_names(read: Read) -> None:
    clause = "All rights in the designs belong to the Supplier. Drawings are lent."
    about = "about: ['belong to {other party}']"
    assert is_concern(read("Customer", clause), about, clause)
    assert not is_concern(read("Supplier", clause), about, clause)
    unless = "unless: ['belong to {other party}']"
    assert not is_concern(read("Customer", clause), unless, "Drawings are lent.")


def test_what_binds_both_in_two_sentences_binds_no_side_alone(read: Read) -> None:
    first = "The Supplier shall keep the prices secret."
    second = "The Customer shall keep the recipes secret."
    terms = read("Customer", f"{first} {second}")
    assert is_concern(terms, "burdens: subject, alone: true", second)
    assert not is_concern(terms, "burdens: subject, alone: true", first, second)


def test_an_answer_rules_a_position_out(read: Read) -> None:
    clause = "The Customer shall indemnify the Supplier."
    terms, refused = read("Customer", clause), refusing("answers: {mild: [no]}")
    yes = (RiskAnswer("?", "Yes", id="mild", value="yes"),)
    assert find_concerns(terms, refused, found(terms, clause, answers=yes)) == []
    no = tuple(replace(each, value="no") for each in yes)
    assert find_concerns(terms, refused, found(terms, clause, answers=no))


def test_what_is_accepted_may_be_in_a_position_that_no_answer_rules_out(read: Read) -> None:
    clause = "The Supplier's liability is limited to the fees of a month."
    terms, accepted = read("Customer", clause), PositionMatch("fallback", "A cap.", "", ())
    finding = replace(found(terms, clause), position=accepted)
    assert find_concerns(terms, refusing("about: [liability]"), finding)
    assert not find_concerns(terms, refusing("answers: {mild: [no]}"), finding)


@pytest.mark.parametrize("before", ["Either party may give notice. ", "Each party bears its tax. "])
def test_other_sentences_of_a_long_clause_rule_no_position_out(read: Read, before: str) -> None:
    clause = "The Supplier is not liable for lost profits."
    refused = "unless: [either party, each party]"
    assert not is_concern(read("Customer", before + clause), refused, clause)
    assert is_concern(read("Customer", before * 60 + clause), refused, clause)


def test_the_role_for_which_a_contract_is_read_says_who_pays(read: Read) -> None:
    clause = "Invoices are payable within ten days."
    terms = read("Alder", clause, "Alder", "Birch")
    payer, paid = (
        ContractTerms(terms.contract, Side((role,), roles=(role,)))
        for role in ("Customer", "Supplier")
    )
    assert is_concern(payer, "burdens: payer", clause)
    assert not is_concern(paid, "burdens: payer", clause)


def test_one_party_with_the_other_sides_name_decides_nothing(read: Read) -> None:
    clause = "The Supplier may end this Agreement at any time."
    terms = read("Supplier", clause)
    card = replace(terms.contract.card, parties=terms.contract.card.parties[:1])
    contract = terms.contract
    alone = ContractTerms(Contract.build(contract.document, contract.outline, card, []), terms.side)
    assert not is_concern(terms, "favours: subject", clause)
    assert is_concern(alone, "favours: subject", clause)


def test_each_side_is_offered_its_wording(read: Read) -> None:
    clause = "Invoices are payable within twenty days."
    targets = "".join(
        f"      - {{kind: fallback, text: {days} days., {key}: payer, example: '{days} days.'}}\n"
        for days, key in (("Sixty", "burdens"), ("Ten", "favours"))
    )
    offered = {}
    for party in ("Customer", "Supplier"):
        terms = read(party, clause)
        (point,) = propose(
            terms, refusing("over: 1 day", targets), found(terms, clause), Preferences(Source("?"))
        )
        assert isinstance(point, OpenPoint)
        assert point.offered
        offered[party] = point.offered.text
    assert offered == {"Customer": "Sixty days.", "Supplier": "Ten days."}


@pytest.mark.parametrize(
    ("rate", "is_refused"),
    [
        ("eight per cent a year", True),
        ("three per cent a year", False),
        ("4%", False),
        ("1.5% per month", True),
        ("one percent (1%) per month", True),
        ("0.25% a month", False),
    ],
)
def test_a_rate_is_compared_with_the_playbooks(read: Read, rate: str, *, is_refused: bool) -> None:
    clause = f"The Customer shall pay interest on overdue sums at {rate}."
    assert is_concern(read("Customer", clause), "burdens: subject, over: 4%", clause) == is_refused


def test_a_sentence_that_is_about_something_else_is_passed_over(read: Read) -> None:
    free = "The Supplier may end this Agreement on ten days' notice."
    clause = f"{free} The Supplier may end it if a sum is unpaid."
    terms, position = read("Customer", clause), "favours: subject, not_about: [unpaid]"
    assert is_concern(terms, position, free)
    assert not is_concern(terms, position, "The Supplier may end it if a sum is unpaid.")


def test_a_phrase_that_names_a_party_is_no_sign_of_both(read: Read) -> None:
    clause = "The Recipient shall keep the information secret."
    position = "burdens: subject, unless: [recipient]"
    assert is_concern(read("Recipient", clause, "Discloser", "Recipient"), position, clause)
    clause = "The Customer shall keep what it learns as the recipient secret."
    assert not is_concern(read("Customer", clause), position, clause)


@pytest.mark.parametrize(
    ("who", "of_supplier"),
    [
        ("the Customer gives", False),
        ("the Customer has given", False),
        ("either party gives", True),
        ("the Supplier serves", True),
    ],
)
def test_a_notice_binds_whoever_must_give_it(read: Read, who: str, *, of_supplier: bool) -> None:
    clause = f"It is renewed for a year at a time unless {who} notice of 180 days."
    terms = read("Supplier", clause)
    position = refusing("burdens: subject").positions[0]
    bound = concerns_side(terms, position, found(terms, clause), [quote_of(terms, "180 days")])
    assert bound is of_supplier


def test_what_only_binds_our_side_is_not_refused_for_sure(read: Read) -> None:
    clause = "The Customer shall report its sales each day."
    terms = read("Customer", clause)

    def reason(position: str) -> str:
        cell = found(terms, clause)
        (point,) = propose(terms, refusing(position), cell, Preferences(Source("the playbook")))
        assert isinstance(point, OpenPoint)
        assert point.is_recognised
        return point.reason

    read_it = "It binds your side; to be read for what it refuses: too hard."
    assert reason("burdens: subject") == read_it
    signed = "These words may be what the playbook refuses: too hard."
    assert reason("burdens: subject, about: [report]") == signed


@pytest.mark.parametrize(
    "right",
    [
        "The Supplier may assign this Agreement to a purchaser of its business.",
        "The Supplier may at any time transfer this Agreement to an affiliate of its choice.",
    ],
)
def test_a_right_of_the_other_side_alone_does_not_bind_ours(read: Read, right: str) -> None:
    bound = "The Customer may not assign this Agreement unless the Supplier agrees in writing."
    assignment, wanted = load_playbook("due-diligence").provision("assignment"), Source("us")
    terms = read("Customer", f"{right} {bound}")
    (point,) = propose(terms, assignment, found(terms, right, bound), Preferences(wanted))
    assert isinstance(point, OpenPoint)
    assert point.reason.startswith("It binds your side")
    assert [each.words for each in point.quotes] == [bound]
    alone = propose(terms, assignment, found(terms, right), Preferences(wanted))
    assert all(isinstance(each, OpenPoint) and "binds" not in each.reason for each in alone)


def test_a_right_over_our_side_binds_it(read: Read) -> None:
    right = "The Supplier may audit the records of the Customer."
    audit = load_playbook("due-diligence").provision("audit-rights")
    refused = next(each for each in audit.positions if each.is_refused and each.burdens)
    terms = read("Customer", right)
    assert concerns_side(terms, refused, found(terms, right), [quote_of(terms, right)])


def test_a_longer_time_to_pay_is_not_taken_from_the_payer(read: Read) -> None:
    payment = load_playbook("commercial-terms").provision("payment-term")
    clause = "The Customer shall pay each proper invoice within seventy-five days of its receipt."

    def outcome(party: str, *, force: bool = False) -> object:
        terms, source = read(party, clause), Source("the playbook")
        wanted = Preferences(source, decided={payment.id}, force=force)
        (found_of,) = propose(terms, payment, found(terms, clause), wanted)
        return found_of

    kept = outcome("Customer")
    assert isinstance(kept, OpenPoint)
    assert kept.reason == "The playbook accepts its period; --force changes it all the same."
    assert isinstance(outcome("Customer", force=True), ProposedChange)
    assert isinstance(outcome("Supplier"), ProposedChange)


@pytest.mark.parametrize(
    ("words", "times"),
    [("{Our party} may leave.", 1), ("This does not bind {our party} for good.", 2)],
)
def test_a_right_is_not_given_twice(read: Read, words: str, times: int) -> None:
    first = "The Customer shall not leave the mill."
    second = "The Customer shall not close the shop."
    terms = read("Customer", f"{first}\n\n1.2 {second}")
    edit = f"      - {{kind: fallback, text: Mild., wording: {{edits: [{{words: '{words}'}}]}}}}\n"
    of = refusing("burdens: subject", edit)
    wanted = Preferences(Source("the playbook"), decided={of.id})
    changes = propose(terms, of, found(terms, first, second), wanted)
    assert len(changes) == times
    assert all(isinstance(each, ProposedChange) for each in changes)
