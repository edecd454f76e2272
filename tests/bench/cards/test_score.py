"""Cards against answers: what counts as the same, and how it is counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fourcorners.outline.card.card import Card, Fact, Party
from fourcorners.text.span import Span
from fourcorners_bench.cards.score import (
    card_measures,
    group_part,
    judge_card,
    named_types,
    read_cards,
    score_cards,
)
from fourcorners_bench.cards.truth import (
    named_parties,
    normal_law,
    normal_name,
    normal_party,
    title_variants,
)
from fourcorners_bench.extraction import loader as cuad
from fourcorners_bench.extraction.loader import CATEGORIES, AnnotatedContract

TEXT = "SUPPLY AGREEMENT\n\nMade on 3 March 2021 between Alder Mills, Inc. and Birch Foods Limited."
TRUTH = {
    "Document Name": "Supply Agreement",
    "Parties": 'Alder Mills Inc ("Supplier"); Birch Foods Ltd. ("Buyer")',
    "Agreement Date": "3/3/21",
    "Effective Date": "",
    "Expiration Date": "perpetual",
    "Governing Law": "England; Wales",
}
PLACE = Span(0, 6)


def fact(value: object) -> Fact[object]:
    return Fact(value, PLACE, 1.0)


def whole_card(**changes: object) -> Card:
    known: dict[str, object] = {
        "title": fact("SUPPLY AGREEMENT"),
        "type": fact("Supply"),
        "parties": (fact(Party("Alder Mills, Inc.")), fact(Party("Birch Foods Limited"))),
    }
    return Card(**{**known, **changes})  # type: ignore[arg-type]


def contract(name: str = "ALDER_01_EX-10.1-SUPPLY AGREEMENT.txt") -> AnnotatedContract:
    return AnnotatedContract(name, name, TEXT, dict.fromkeys(CATEGORIES, ()))


def verdicts(card: Card) -> dict[str, str]:
    return {name: each.verdict for name, each in judge_card(contract(), TRUTH, card).items()}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ALDER MILLS, INC.", "Alder Mills Incorporated"),
        ("The Alder Company L.L.C.", "Alder Co., LLC"),
        ("Alder & Birch Ltd", "Alder and Birch Limited"),
        ("Société Générale", "Societe Generale"),
    ],
)
def test_the_same_name(one: str, other: str) -> None:
    assert normal_name(one) == normal_name(other)


@pytest.mark.parametrize(
    "words",
    [
        'Alder Mills, Inc. ("Supplier")',
        "Alder Mills, Inc., a Delaware corporation",
        "Alder Mills, Inc. d/b/a Alder",
        "Alder Mills Inc. and its Affiliates",
    ],
)
def test_a_name_without_its_tail(words: str) -> None:
    assert normal_party(words) == "alder mills inc"


def test_other_names_stay_other() -> None:
    assert normal_party("Alder Mills, Inc.") != normal_party("Alder Mills Holdings, Inc.")


def test_titles_lose_what_is_no_title() -> None:
    assert title_variants("FORM OF SUPPLY AGREEMENT") & title_variants(
        "Supply Agreement, dated May 5, 2020"
    )
    assert not title_variants("Supply Agreement") & title_variants("Resupply Agreement")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("State of Delaware", "Delaware"),
        ("Province of Ontario, Canada", "Ontario"),
        ("England, United Kingdom; Wales, United Kingdom", "England and Wales"),
        ("People's Republic of China", "China"),
    ],
)
def test_the_same_law(one: str, other: str) -> None:
    assert normal_law(one) == normal_law(other) != frozenset()


def test_parties_without_blanks_and_collectives() -> None:
    answer = (
        'Alder Mills, Inc. ("Alder"); __________ ("Buyer"); Franchisee ("you"); '
        'Birch Ltd ("Birch"); '
        'Alder and Birch (individually as a "Party" and collectively as the "Parties")'
    )
    read = named_parties(answer)
    assert [party.spellings for party in read.parties] == [{"alder mills inc"}, {"birch ltd"}]
    assert read.unnamed == {"you", "buyer", "franchisee"}


def marks(text: str, *names: str) -> list[Span]:
    return [Span(text.index(name), text.index(name) + len(name)) for name in names]


def test_a_typed_answer_counts_as_the_marked_words() -> None:
    text = "between Kiromic, Inc. and others"
    (party,) = named_parties('Kriomic, Inc ("Company")', text, marks(text, "Kiromic, Inc.")).parties
    assert party.spellings == {"kriomic inc", "kiromic inc"}


def test_a_marked_name_is_the_party_of_its_short_name() -> None:
    text = 'between Alder Mills, a division of Ash Works ("AM"), and Birch Ltd ("Birch")'
    answer = 'Ash Works ("AM"); Birch Ltd ("Birch")'
    first, second = named_parties(answer, text, marks(text, "Alder Mills", "Birch Ltd")).parties
    assert first.spellings == {"ash works", "alder mills"}
    assert second.spellings == {"birch ltd"}


def test_a_short_name_alone_is_no_spelling() -> None:
    text = 'between Alder Mills, Inc. ("Alder") and Birch Ltd'
    answer = 'Alder Mills, Inc. ("Alder"); Birch Ltd'
    first, _ = named_parties(answer, text, marks(text, "Alder Mills, Inc.", "Alder")).parties
    assert not first.is_named("alder")
    assert not first.is_meant("alder", "Alder")


def test_joined_names_are_parties_of_their_own_if_each_was_marked() -> None:
    text = "between Alder Mills, Inc. and Birch Ltd"
    answer = "Alder Mills, Inc. and Birch Ltd"
    both = named_parties(answer, text, marks(text, "Alder Mills, Inc.", "Birch Ltd"))
    assert [party.spellings for party in both.parties] == [{"alder mills inc"}, {"birch ltd"}]
    assert len(named_parties(answer, text, marks(text, answer)).parties) == 1


def parties_of(answer: str, *parties: Party, text: str = "", marked: tuple[str, ...] = ()) -> str:
    categories = dict.fromkeys(CATEGORIES, ()) | {"Parties": tuple(marks(text, *marked))}
    annotated = AnnotatedContract("a.txt", "a", text, categories)
    card = Card(parties=tuple(Fact(party, PLACE, 1.0) for party in parties))
    return judge_card(annotated, {**TRUTH, "Parties": answer}, card)["Parties"].verdict


ALDER, BIRCH = Party("Alder Mills, Inc."), Party("Birch Ltd")
TWO = 'Alder Mills, Inc. ("Alder"); Birch Ltd ("Buyer")'


def test_more_or_fewer_parties_cost() -> None:
    assert parties_of(TWO, ALDER, BIRCH) == "right"
    assert parties_of(TWO, ALDER) == "wrong"
    assert parties_of(TWO, ALDER, BIRCH, Party("Carrier GmbH")) == "wrong"
    assert parties_of(TWO, ALDER, ALDER, BIRCH) == "wrong"
    assert parties_of(TWO, ALDER, Party("Buyer", "Buyer")) == "wrong"


def test_a_longer_name_is_right_with_the_same_short_name_only() -> None:
    assert parties_of(TWO, Party("United Alder Mills, Inc.", "Alder"), BIRCH) == "right"
    assert parties_of(TWO, Party("United Alder Mills, Inc.", "UAM"), BIRCH) == "wrong"
    assert parties_of(TWO, Party("Alder", "Alder"), BIRCH) == "wrong"
    long = Party("Made by the United and Merged Alder Mills, Inc.", "Alder")
    assert parties_of(TWO, long, BIRCH) == "wrong"


def test_a_role_in_an_answer_asks_for_no_name() -> None:
    answer = 'Alder Mills, Inc. ("Alder"); an individual ("Developer")'
    assert parties_of(answer, ALDER) == "right"
    assert parties_of(answer, ALDER, Party("Joan Ash", "Developer")) == "right"
    assert parties_of(answer, ALDER, Party("Joan Ash")) == "wrong"


def test_a_marked_company_that_was_not_typed_is_no_surplus() -> None:
    text = "ALDER MILLS, INC. BIRCH LTD CARRIER GMBH"
    marked = ("ALDER MILLS, INC.", "BIRCH LTD", "CARRIER GMBH")
    third = Party("Carrier GmbH")
    assert parties_of(TWO, ALDER, BIRCH, third, text=text, marked=marked) == "right"
    assert parties_of(TWO, ALDER, BIRCH, third, text=text, marked=marked[:2]) == "wrong"


def test_a_right_card() -> None:
    right = {"Document Name": "right", "Parties": "right", "Type": "right"}
    assert verdicts(whole_card()) == right


def test_wrong_and_missing() -> None:
    card = whole_card(
        title=None, parties=(fact(Party("Alder Mills, Inc.")), fact(Party("Carrier GmbH")))
    )
    found = verdicts(card)
    assert found["Document Name"] == "missing"
    assert found["Parties"] == "wrong"
    assert judge_card(contract(), TRUTH, card)["Parties"].counts[:3] == (2, 2, 1)


def test_short_names_of_parties() -> None:
    parties = (fact(Party("Alder Mills, Inc.", "Miller")), fact(Party("Birch Foods Limited")))
    card = whole_card(parties=parties)
    given = 'Alder Mills, Inc. ("Mill"); Birch Foods Limited ("Buyer")'
    judged = judge_card(contract(), TRUTH | {"Parties": given}, card)["Parties"]
    assert judged.counts == (2, 2, 2, 2, 1, 0)


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("ALDER_05_06_2020-EX-10.1-CONSULTING AGREEMENT(1).txt", {"Consulting"}),
        ("Alder_2019_8-K_EX-10.5_11_EX-10.5_Distributor Agreement.txt", {"Distributor"}),
        ("Alder Inc. - Manufacturing and Supply Agreement.txt", {"Manufacturing", "Supply"}),
        ("ALDER_2020-EX-10.1-.txt", set()),
    ],
)
def test_the_kinds_a_file_name_tells(name: str, kinds: set[str]) -> None:
    assert named_types(name) == kinds


def test_parts_hold_groups_together() -> None:
    parts = [group_part(f"group {n}") for n in range(400)]
    assert parts == [group_part(f"group {n}") for n in range(400)]
    assert 60 < parts.count("held-out") < 140


def test_scores_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "contracts").mkdir()
    (tmp_path / "contracts" / contract().name).write_text(TEXT)
    record = {
        "name": contract().name,
        "group": "a",
        "title": "",
        "annotations": {name: [] for name in CATEGORIES},
        "answers": TRUTH,
    }
    (tmp_path / "annotations.jsonl").write_text(json.dumps(record) + "\n")
    contracts = cuad.load_cuad(tmp_path)
    scores = score_cards(contracts, read_cards(contracts))
    assert scores.parts["all"]["Parties"].right == 1
    assert not scores.misses
    figures = card_measures(scores)["all"]
    assert isinstance(figures, dict)
    assert figures["Parties"]["exact"] == 1.0
