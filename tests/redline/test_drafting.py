"""Slots are filled with the contract's own names and terms; the rest stands in brackets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fourcorners.documents.read import read_document
from fourcorners.library.contract import Contract
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.redline.drafting import ContractTerms
from fourcorners.redline.proposal import find_blanks
from fourcorners.review.parties import side_for

SUPPLY = """SUPPLY AGREEMENT

This Supply Agreement (this "Agreement") is made on 4 March 2024 between Alder Components Limited,
a company of England (the "Supplier"), and Birch Retail Limited, a company of England (the
"Customer").

1. Supply

1.1 The Supplier shall deliver the Goods that the Customer orders under this Agreement.

1.2 "Affiliate" means a company in the group of a Party. Neither Party may act for an Affiliate.

1.3 This Agreement is governed by the laws of England and Wales.
"""


def terms(tmp_path: Path, text: str = SUPPLY, **given: str) -> ContractTerms:
    path = tmp_path / "supply.txt"
    path.write_text(text)
    document = read_document(path)
    outline = build_outline(document)
    card = read_card(document, outline)
    values = {name.replace("_", " "): words for name, words in given.items()}
    return ContractTerms(
        Contract.build(document, outline, card, []), side_for(card, ["Customer"]), values
    )


def test_what_the_contract_calls_things(tmp_path: Path) -> None:
    draft = terms(tmp_path).fill(
        "{Our party} may end {agreement} by notice to {other party}; the {parties} agree. "
        "{agreement} stands. No {Affiliate|affiliate} of a {party} is bound; {Works|works} are."
    )
    assert draft.text == (
        "The Customer may end this Agreement by notice to the Supplier; the Parties agree. "
        "This Agreement stands. No Affiliate of a Party is bound; works are."
    )
    assert draft.blanks == ()


@pytest.mark.parametrize("name", ["MSA", "Framework Agreement", "Deed", "NDA"])
def test_the_contract_has_the_name_that_it_gives_itself(tmp_path: Path, name: str) -> None:
    text = SUPPLY.replace('(this "Agreement")', f'(this "{name}")').replace(
        "under this Agreement", f"under this {name}"
    )
    held = terms(tmp_path, text.replace("1.3 This Agreement", f"1.3 This {name}"))
    assert held.fill("{agreement} ends.").text == f"This {name} ends."


def test_what_is_not_known_stands_in_brackets_once_listed(tmp_path: Path) -> None:
    draft = terms(tmp_path).fill("At most {cap}, and {cap} again, by {governing law}.")
    assert draft.text.startswith("At most [cap], and [cap] again, by ")
    assert "England" in draft.text
    assert draft.blanks == ("cap",)


def test_a_person_may_fill_a_slot(tmp_path: Path) -> None:
    draft = terms(tmp_path, the_cap="£1,000,000").fill("At most {the cap}.")
    assert (draft.text, draft.blanks) == ("At most £1,000,000.", ())


def test_parties_by_name_have_no_article(tmp_path: Path) -> None:
    text = re.sub(r'the\s+"Customer"', '"Birch"', SUPPLY).replace("the Customer", "Birch")
    path = tmp_path / "supply.txt"
    path.write_text(text)
    document = read_document(path)
    card = read_card(document, build_outline(document))
    own = ContractTerms(
        Contract.build(document, build_outline(document), card, []), side_for(card, ["Birch"])
    )
    assert own.fill("{our party} pays {other party}").text == "Birch pays the Supplier"


def test_a_precedent_has_what_this_contract_does_not_know_in_brackets(tmp_path: Path) -> None:
    draft = terms(tmp_path).adapt_clause(
        "Neither Party may transfer the Licence without consent of the Licensor or Affiliate."
    )
    assert draft.text == (
        "Neither Party may transfer the [Licence] without consent of the [Licensor] or Affiliate."
    )
    assert draft.blanks == ("Licence", "Licensor")


@pytest.mark.parametrize("hostile", ["{our party", "}{", "{}", "{a|}"])
def test_slots_that_do_not_close_are_refused_where_a_playbook_is_read(hostile: str) -> None:
    from fourcorners.playbooks.playbook import slot_problem

    assert slot_problem(hostile)


def test_a_precedents_numbers_and_references_stand_in_brackets(tmp_path: Path) -> None:
    draft = terms(tmp_path).adapt_clause(
        "Licensor shall pay at most $50,000 within thirty (30) days under Sections 4.2 and 5(a), "
        "and the CUSTOMER nothing."
    )
    assert draft.text == (
        "[Licensor] shall pay at most [$50,000] within [thirty (30) days] under "
        "[Sections 4.2 and 5(a)], and the Customer nothing."
    )
    assert draft.blanks == ("Licensor", "$50,000", "thirty (30) days", "Sections 4.2 and 5(a)")


def test_apostrophes_are_those_of_the_contract(tmp_path: Path) -> None:
    wording = "{Our party} gives thirty days' notice."
    assert terms(tmp_path).fill(wording).text == "The Customer gives thirty days' notice."
    typeset = SUPPLY.replace("1.3", "1.3 A party’s notice is in writing.\n\n1.4")
    assert terms(tmp_path, typeset).fill(wording).text == "The Customer gives thirty days’ notice."


@pytest.mark.parametrize(
    ("words", "blanks"),
    [
        ("Pay [●] by [date], or [●].", ("●", "date")),
        ("Pay £____ within … days, or ……… in all.", ("____", "………")),
        ("On ......... the Fee is [***].", (".........",)),
        ("Nothing is left (see clause 2) ...", ()),
    ],
)
def test_what_is_left_to_fill_in(words: str, blanks: tuple[str, ...]) -> None:
    assert find_blanks(words) == blanks
