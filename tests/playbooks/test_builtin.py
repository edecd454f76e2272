"""The playbooks that come with the package, against each other and against the clause reader."""

from __future__ import annotations

import pytest

from fourcorners.evaluation.extraction.loader import CATEGORY_PROVISIONS
from fourcorners.models.registry import default_clause_reader
from fourcorners.outline.card.types import KINDS
from fourcorners.playbooks import Playbook, builtin_names, load_playbook
from fourcorners.playbooks.concepts import default_concepts
from fourcorners.playbooks.file.checks import find_warnings
from fourcorners.playbooks.load import open_playbook
from fourcorners.review.extract.reader import query_hash
from fourcorners.search.query.match import is_match
from fourcorners.text.tokenization import WordIndex


@pytest.fixture(scope="module")
def cuad() -> Playbook:
    return load_playbook("cuad-41")


def test_all_of_cuads_categories_go_by_their_names(cuad: Playbook) -> None:
    assert len(cuad.provisions) == len(CATEGORY_PROVISIONS) == 41
    for category, (_, provision) in CATEGORY_PROVISIONS.items():
        assert cuad.provision(category).id == provision


@pytest.mark.parametrize("category", sorted(CATEGORY_PROVISIONS))
def test_the_clause_reader_judges_every_category(cuad: Playbook, category: str) -> None:
    provision = cuad.provision(category)
    other = load_playbook(CATEGORY_PROVISIONS[category][0]).provision(provision.id)
    assert (provision.query, provision.avoid, provision.learned, provision.examples) == (
        other.query,
        other.avoid,
        other.learned,
        other.examples,
    )
    assert (provision.extent, provision.card) == (other.extent, other.card)
    if category not in ("Document Name", "Parties", "Agreement Date"):  # the card speaks for them
        assert default_clause_reader().is_known(provision.id, query_hash(provision))


def test_every_provision_of_due_diligence_says_what_to_do(cuad: Playbook) -> None:
    for provision in load_playbook("due-diligence").provisions:
        assert provision.questions, provision.id
        assert any(rule.recommend for rule in provision.severity), provision.id
        high = [rule for rule in provision.severity if rule.severity in ("high", "medium")]
        assert all(rule.recommend for rule in high), provision.id
    for provision in cuad.provisions:
        high = [rule for rule in provision.severity if rule.severity in ("high", "medium")]
        assert all(rule.recommend for rule in high), provision.id


@pytest.mark.parametrize("name", builtin_names())
def test_types_of_contract_are_those_that_the_card_knows(name: str) -> None:
    for provision in load_playbook(name).provisions:
        asked = {*provision.applies_to}.union(*(each.applies_to for each in provision.questions))
        assert asked | {*provision.except_for} <= set(KINDS), provision.id


def test_the_positions_of_due_diligence_hold_for_their_own_examples() -> None:
    """What an example of wording shows is in the first position whose wording it holds."""
    for provision in load_playbook("due-diligence").provisions:
        for position in provision.positions:
            if position.example and position.matching:
                index = WordIndex(position.example)
                first = next(
                    each
                    for each in provision.positions
                    if (each.matching is None or is_match(each.matching, index))
                    and not (each.unless and is_match(each.unless, index))
                )
                assert first == position, (provision.id, position.text)


def test_a_kind_of_clause_is_one_concept() -> None:
    ids = [concept.id for concept in default_concepts()]
    doubled = {each for each in ids if ids.count(each) > 1}
    assert doubled <= {"non-solicitation"}  # another thing in an NDA


@pytest.mark.parametrize("name", ["due-diligence", "cuad-41", "commercial-terms"])
def test_nothing_is_doubtful_in_what_comes_with_the_program(name: str) -> None:
    assert find_warnings(*open_playbook(name)) == []
