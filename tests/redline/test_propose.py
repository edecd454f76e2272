"""What is changed, what is left to a person, and what is left alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from fourcorners.documents.read import read_document
from fourcorners.library.contract import Contract
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.card import Fact, Party
from fourcorners.outline.card.read import read_card
from fourcorners.playbooks.load import load_playbook
from fourcorners.playbooks.playbook import Provision
from fourcorners.redline.drafting import BankPrecedent, ContractTerms
from fourcorners.redline.open_points import Preferences
from fourcorners.redline.proposal import Basis, Extent, OpenPoint, ProposedChange, Source
from fourcorners.redline.propose import propose
from fourcorners.review.finding import (
    Author,
    CellState,
    Evidence,
    Finding,
    PositionMatch,
    RiskAnswer,
    SearchRecord,
    Severity,
)
from fourcorners.review.parties import side_for
from fourcorners.text.evidence import quote_span
from fourcorners.text.span import Span
from tests.redline.word_contracts import NUMBERING, contract, word_file

CONSENT = "Neither party may assign this Agreement without the prior written consent of the other"
OWN = Source("the playbook")


@pytest.fixture
def supply(tmp_path: Path) -> ContractTerms:
    path = tmp_path / "supply.docx"
    path.write_bytes(word_file({"body": contract(), "numbering": NUMBERING}))
    document = read_document(path)
    outline = build_outline(document)
    card = read_card(document, outline)
    side = side_for(card, ["Customer"])
    assert side.names
    return ContractTerms(Contract.build(document, outline, card, []), side)


def provision(name: str) -> Provision:
    return load_playbook("due-diligence").provision(name)


def found(
    supply: ContractTerms,
    of: Provision,
    words: str,
    answers: Mapping[str, str],
    position: int | None,
) -> Finding:
    """Return a finding of some words, with answers and the position of that number."""
    start = supply.contract.document.text.index(words)
    quote = quote_span(
        supply.contract.document.text,
        Span(start, supply.contract.document.text.index(".", start) + 1),
    )
    given = tuple(
        RiskAnswer("?", value, id=name, value=value, quotes=(quote,))
        for name, value in answers.items()
    )
    held = of.positions[position] if position is not None else None
    return Finding(
        supply.contract.document.id,
        of.id,
        CellState.FOUND,
        evidence=(Evidence(quote, quote.span or Span(0, 1), (), None, 0.99),),
        answers=given,
        position=PositionMatch(held.kind, held.text, held.recommend, (quote,)) if held else None,
    )


REFUSED = 4  # of the positions on assignment: no transfer without consent


def assignment(
    supply: ContractTerms, restricted: str = "each party", position: int | None = REFUSED
) -> Finding:
    answers = {"effect": "consent", "restricted": restricted}
    given = {name: value for name, value in answers.items() if value}
    return found(supply, provision("assignment"), CONSENT, given, position)


def test_a_refused_position_is_changed_by_the_fewest_words(supply: ContractTerms) -> None:
    (change,) = propose(supply, provision("assignment"), assignment(supply), Preferences(OWN))
    assert isinstance(change, ProposedChange)
    assert change.extent is Extent.WORDS
    assert change.added == "(not to be unreasonably withheld, conditioned or delayed)"
    assert change.removed == ""
    assert supply.contract.document.text[: change.span.start].endswith("prior written consent")
    assert change.target_kind == "fallback"
    assert change.path[-1].startswith("6.1")
    assert change.basis is Basis.PROGRAM
    assert change.quotes[0].verified


def test_a_clause_that_binds_the_other_side_alone_is_left_alone(supply: ContractTerms) -> None:
    assert (
        propose(supply, provision("assignment"), assignment(supply, "Supplier"), Preferences(OWN))
        == []
    )
    (change,) = propose(
        supply, provision("assignment"), assignment(supply, "Customer"), Preferences(OWN)
    )
    assert isinstance(change, ProposedChange)


def test_whom_it_binds_must_be_known(supply: ContractTerms) -> None:
    wanted = Preferences(OWN)
    (change,) = propose(supply, provision("assignment"), assignment(supply, ""), wanted)
    assert isinstance(change, ProposedChange)  # the words say "neither party"
    alone = replace(supply.contract.card, parties=supply.contract.card.parties[:1])
    contract = Contract.build(supply.contract.document, supply.contract.outline, alone, [])
    terms = ContractTerms(contract, supply.side)
    (point,) = propose(terms, provision("assignment"), assignment(supply, ""), wanted)
    assert isinstance(point, OpenPoint)
    assert "it is uncertain whether it binds your side" in point.reason
    assert point.offered is not None
    assert "this Agreement" in point.offered.text


def test_what_is_in_no_position_for_sure_is_left_to_a_person(supply: ContractTerms) -> None:
    (point,) = propose(
        supply, provision("assignment"), assignment(supply, position=None), Preferences(OWN)
    )
    assert isinstance(point, OpenPoint)
    assert point.quotes[0].words.startswith("Neither party")
    wanted = (
        "It binds your side; to be read for what it refuses: no transfer at all, or none without"
    )
    assert point.reason.startswith(wanted)


def test_what_binds_the_other_side_alone_is_not_even_asked(supply: ContractTerms) -> None:
    finding = assignment(supply, "Supplier", position=None)
    assert propose(supply, provision("assignment"), finding, Preferences(OWN)) == []


def test_what_a_language_model_says_is_left_to_a_person(supply: ContractTerms) -> None:
    finding = assignment(supply)
    answers = tuple(replace(each, author=Author.MODEL) for each in finding.answers)
    told = replace(finding, answers=answers)
    (point,) = propose(supply, provision("assignment"), told, Preferences(OWN))
    assert isinstance(point, OpenPoint)
    assert "a language model says so" in point.reason


@pytest.mark.parametrize("position", [1, 5])
def test_what_is_accepted_is_not_changed(supply: ContractTerms, position: int) -> None:
    finding = assignment(supply, position=position)
    assert propose(supply, provision("assignment"), finding, Preferences(OWN)) == []


def test_a_person_may_decide(supply: ContractTerms) -> None:
    decided = Preferences(OWN, decided={"assignment"}, target="preferred")
    (change,) = propose(supply, provision("assignment"), assignment(supply, ""), decided)
    assert isinstance(change, ProposedChange)
    assert (change.basis, change.extent) == (Basis.PERSON, Extent.CLAUSE)
    assert change.target_kind == "preferred"
    assert "A party may assign this Agreement as a whole" in "".join(
        each.text for each in change.edits if each.kind != "delete"
    )


def test_a_clause_that_says_it_already_stays_with_all_else_that_was_found(
    supply: ContractTerms,
) -> None:
    of = provision("assignment")
    text = supply.contract.document.text
    soft = CONSENT.replace("consent", "consent (not to be unreasonably withheld)")
    path = Path(supply.contract.document.path)
    other = path.with_suffix(".txt")
    other.write_text(text.replace(CONSENT, soft), "utf-8")
    document = read_document(other)
    outline = build_outline(document)
    card = read_card(document, outline)
    terms = ContractTerms(Contract.build(document, outline, card, []), supply.side)
    finding = found(terms, of, soft, {}, None)
    (evidence,) = finding.evidence
    start = document.text.index("Either party may terminate")
    also = quote_span(document.text, Span(start, document.text.index(".", start) + 1))
    finding = replace(finding, evidence=(evidence, replace(evidence, quote=also, score=0.9)))
    (point,) = propose(terms, of, finding, Preferences(OWN, decided={of.id}))
    assert isinstance(point, OpenPoint)
    assert point.reason == "It says already what the playbook would insert."


def test_no_other_clause_is_replaced_where_the_likeliest_cannot_be(supply: ContractTerms) -> None:
    of = provision("assignment")
    text = supply.contract.document.text
    sentence = text.index("Either party may terminate")
    heading = quote_span(text, Span(text.index("Miscellaneous"), text.index("Miscellaneous") + 13))
    other = quote_span(text, Span(sentence, text.index(".", sentence) + 1))
    finding = found(supply, of, CONSENT, {}, None)
    (evidence,) = finding.evidence
    evidence = replace(evidence, quote=other, score=0.9)
    decided = Preferences(OWN, "preferred", {of.id})
    (change,) = propose(supply, of, replace(finding, evidence=(evidence,)), decided)
    assert isinstance(change, ProposedChange)
    both = (replace(evidence, quote=heading, score=0.95), evidence)
    (point,) = propose(supply, of, replace(finding, evidence=both), decided)
    assert isinstance(point, OpenPoint)


@pytest.mark.parametrize("position", [1, 5])
def test_what_is_where_a_person_wants_it_stays(supply: ContractTerms, position: int) -> None:
    of = provision("assignment")
    met = assignment(supply, position=position)
    met = replace(met, answers=tuple(each for each in met.answers if each.id != "effect"))
    (point,) = propose(supply, of, met, Preferences(OWN, decided={of.id}))
    assert isinstance(point, OpenPoint)
    assert "as it is" in point.reason


def test_an_uncertain_clause_is_replaced_only_by_force(supply: ContractTerms) -> None:
    of = provision("assignment")
    wanted = Preferences(OWN, "preferred", {of.id})
    sure = assignment(supply)
    (evidence,) = sure.evidence
    unsure = replace(sure, evidence=(replace(evidence, score=0.3),))
    (change,) = propose(supply, of, sure, wanted)
    assert isinstance(change, ProposedChange)
    assert change.extent is Extent.CLAUSE
    (point,) = propose(supply, of, unsure, wanted)
    assert isinstance(point, OpenPoint)
    assert "only 30% likely" in point.reason
    assert "--force" in point.reason
    assert isinstance(propose(supply, of, unsure, replace(wanted, force=True))[0], ProposedChange)


def test_a_clause_beside_similar_words_is_added_only_by_force(supply: ContractTerms) -> None:
    of = provision("cap-on-liability")
    wanted = Preferences(OWN, decided={of.id})
    (point,) = propose(supply, of, missing(0.2), wanted)
    assert isinstance(point, OpenPoint)
    assert "; --force adds the clause" in point.reason
    (change,) = propose(supply, of, missing(0.2), replace(wanted, force=True))
    assert isinstance(change, ProposedChange)


def missing(score: float) -> Finding:
    best = Evidence(quote_span("No words.", Span(0, 9)), Span(0, 9), (), None, score)
    searched = SearchRecord("liability", 9, 0.5, best)
    return Finding(
        "x", "cap-on-liability", CellState.NOT_FOUND, searched=searched, severity=Severity.MEDIUM
    )


def test_a_clause_that_is_surely_missing_is_added(supply: ContractTerms) -> None:
    (change,) = propose(supply, provision("cap-on-liability"), missing(0.01), Preferences(OWN))
    assert isinstance(change, ProposedChange)
    assert change.extent is Extent.NEW_CLAUSE
    assert change.blanks == ("amount of the cap",)
    assert not change.reached.startswith("Meets")
    assert replace(change, blanks=()).reached.startswith(f"Meets the {change.target_kind} position")
    assert change.new_clause is not None
    assert change.new_clause.number == "6.4"


def test_one_that_may_be_there_is_not(supply: ContractTerms) -> None:
    (point,) = propose(supply, provision("cap-on-liability"), missing(0.2), Preferences(OWN))
    assert isinstance(point, OpenPoint)
    assert point.reason.startswith("No such clause was found, but the contract has similar words")


def test_a_usual_clause_that_does_not_matter_to_a_review_is_offered(supply: ContractTerms) -> None:
    confidentiality = load_playbook("commercial-terms").provision("confidentiality")
    silent = replace(missing(0.02), provision="confidentiality", severity=Severity.NONE)
    (similar,) = propose(
        supply, confidentiality, replace(silent, searched=missing(0.2).searched), Preferences(OWN)
    )
    assert isinstance(similar, OpenPoint)
    assert similar.reason.startswith("No such clause was found for certain")
    assert [each.words for each in similar.quotes] == ["No words."]
    (point,) = propose(supply, confidentiality, silent, Preferences(OWN))
    assert isinstance(point, OpenPoint)
    assert point.reason == "No such clause was found; contracts of this type usually have one."
    assert point.offered
    assert point.quotes == ()
    card = replace(supply.contract.card, title=None, type=Fact("Lease", Span(0, 6), 1.0))
    read = supply.contract
    lease = ContractTerms(Contract.build(read.document, read.outline, card, []), supply.side)
    assert propose(lease, confidentiality, silent, Preferences(OWN)) == []


def test_a_law_that_the_contract_names_is_not_missing(supply: ContractTerms) -> None:
    law = load_playbook("commercial-terms").provision("law-and-forum")
    silent = replace(missing(0.01), provision=law.id, severity=Severity.NONE)
    (point,) = propose(supply, law, silent, Preferences(OWN))
    assert isinstance(point, OpenPoint)
    assert point.reason.startswith("No such clause was found for certain")
    assert "governed by" in point.quotes[0].words


@pytest.mark.parametrize(("party", "points"), [("Customer", 1), ("Supplier", 0)])
def test_a_clause_that_serves_the_payer_is_offered_to_it_alone(
    supply: ContractTerms, party: str, points: int
) -> None:
    warranties = load_playbook("commercial-terms").provision("warranties")
    silent = replace(missing(0.01), provision="warranties", severity=Severity.NONE)
    terms = ContractTerms(supply.contract, side_for(supply.contract.card, [party]))
    assert len(propose(terms, warranties, silent, Preferences(OWN))) == points


def test_contracts_of_other_types_are_asked_about(supply: ContractTerms) -> None:
    read = supply.contract
    card = replace(read.card, title=None, type=Fact("Joint Venture", Span(0, 6), 1.0))
    venture = ContractTerms(Contract.build(read.document, read.outline, card, []), supply.side)
    (point,) = propose(venture, provision("cap-on-liability"), missing(0.01), Preferences(OWN))
    assert isinstance(point, OpenPoint)
    assert "does not say whether this contract needs one" in point.reason


def test_wording_for_two_parties_is_put_into_no_contract_of_three(supply: ContractTerms) -> None:
    read = supply.contract
    guarantor = Fact(Party("Cedar Holdings Inc.", "Guarantor"), Span(0, 6), 1.0)
    card = replace(read.card, parties=(*read.card.parties, guarantor))
    three = ContractTerms(Contract.build(read.document, read.outline, card, []), supply.side)

    cap = provision("cap-on-liability")
    (point,) = propose(three, cap, missing(0.01), Preferences(OWN))
    assert isinstance(point, OpenPoint)
    assert "more than two parties" in point.reason
    decided = Preferences(OWN, decided={cap.id})
    (point,) = propose(three, cap, missing(0.01), decided)
    assert isinstance(point, OpenPoint)
    assert "--force" in point.reason
    (change,) = propose(three, cap, missing(0.01), replace(decided, force=True))
    assert change.basis is Basis.PERSON if isinstance(change, ProposedChange) else False
    (change,) = propose(three, provision("assignment"), assignment(three), Preferences(OWN))
    assert isinstance(change, ProposedChange)  # its words are for any number


def test_no_cap_is_added_to_the_contract_of_an_officer(tmp_path: Path) -> None:
    path = tmp_path / "services.txt"
    path.write_text(
        """SERVICES AGREEMENT

This Services Agreement is made on 4 March 2024 between Ann Lee ("Lee") and Alder Components
Limited, a company of England (the "Company"), which wishes to retain Lee as its Chief Financial
Officer.

1. Services. Lee shall make herself available for three days a week.

2. Notices. A notice must be in writing and is given when it has been received.
"""
    )
    document = read_document(path)
    outline = build_outline(document)
    card = read_card(document, outline)
    side = side_for(card, ["Company"])
    terms = ContractTerms(Contract.build(document, outline, card, []), side)
    (point,) = propose(terms, provision("cap-on-liability"), missing(0.01), Preferences(OWN))
    assert isinstance(point, OpenPoint)
    assert "a person for an office" in point.reason


def test_what_the_playbook_does_not_miss_is_not_added(supply: ContractTerms) -> None:
    harmless = replace(missing(0.01), severity=Severity.NONE)
    (point,) = propose(supply, provision("cap-on-liability"), harmless, Preferences(OWN))
    assert isinstance(point, OpenPoint)
    other = replace(missing(0.01), provision="insurance")
    assert propose(supply, provision("insurance"), other, Preferences(OWN)) == []


def test_a_precedent_comes_before_the_playbooks_own_wording(supply: ContractTerms) -> None:
    source = Source("Oakham Services", ("9 Liability",), Span(10, 60), 4)
    clause = "The Contractor is liable up to {twice} the Fees."
    bank = Preferences(OWN, precedent=lambda *_: BankPrecedent(clause, source))
    (change,) = propose(supply, provision("cap-on-liability"), missing(0.01), bank)
    assert isinstance(change, ProposedChange)
    assert change.source is source
    assert "up to (twice) the [Fees]." in change.added
    assert change.blanks == ("Contractor", "Fees")


@pytest.mark.parametrize("state", [CellState.FAILED, CellState.NOT_APPLICABLE])
def test_nothing_is_said_of_what_was_not_read(supply: ContractTerms, state: CellState) -> None:
    finding = Finding(supply.contract.document.id, "assignment", state)
    assert propose(supply, provision("assignment"), finding, Preferences(OWN)) == []
