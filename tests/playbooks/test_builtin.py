"""The playbooks that come with the package, against each other and against the clause reader."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fourcorners.models import default_encoder
from fourcorners.models.registry import default_clause_reader, default_verdict_reader
from fourcorners.outline.card.contract_titles import KINDS
from fourcorners.playbooks import Playbook, builtin_names, load_playbook
from fourcorners.playbooks.concepts import default_concepts
from fourcorners.playbooks.file.checks import find_warnings
from fourcorners.playbooks.load import open_playbook
from fourcorners.playbooks.playbook import PAYER, Position
from fourcorners.review.extract.reader import query_hash
from fourcorners.review.people.cases import read_cases, run_cases
from fourcorners_bench.extraction.loader import CATEGORY_PROVISIONS


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


def test_what_follows_from_answers_says_nothing_of_sides() -> None:
    """A reason holds for whichever party the clause binds."""
    for name in ("due-diligence", "cuad-41"):
        for provision in load_playbook(name).provisions:
            reasons = [each.because for each in provision.severity]
            reasons += [each.text for each in provision.positions if each.answers]
            for reason in reasons:
                assert not re.search(r"\bthe (target|counterparty|buyer)\b", reason), reason


def test_a_rule_of_last_resort_is_never_grave() -> None:
    for name in ("due-diligence", "cuad-41", "due-diligence-by-type"):
        for provision in load_playbook(name).provisions:
            for rule in provision.severity:
                parties = rule.burdens or rule.favours
                known = rule.answers or parties or rule.ends_within is not None
                if rule.when == "found" and not known:
                    assert rule.severity in ("low", "none"), (provision.id, rule.because)


def test_of_due_diligence_every_answer_but_text_is_told() -> None:
    """What a reader learned to answer can be said in a cell; what is left to people is not."""
    for provision in load_playbook("due-diligence").provisions:
        for question in provision.questions:
            if question.answer in ("yes_no", "one_of"):
                assert any(question.options.values()), (provision.id, question.id)
            elif question.answer != "text":
                assert question.says, (provision.id, question.id)


def test_a_kind_of_clause_is_one_concept() -> None:
    ids = [concept.id for concept in default_concepts()]
    doubled = {each for each in ids if ids.count(each) > 1}
    assert doubled <= {"non-solicitation"}  # another thing in an NDA


def test_what_is_asked_by_type_is_added_to_due_diligence_and_changes_nothing_of_it() -> None:
    base, by_type = load_playbook("due-diligence"), load_playbook("due-diligence-by-type")
    own = by_type.provisions[len(base.provisions) :]
    assert by_type.provisions[: len(base.provisions)] == base.provisions
    assert own
    assert all(each.applies_to for each in own)
    assert not any(default_clause_reader().is_known(each.id, query_hash(each)) for each in own)
    asked = [question for each in own for question in each.questions]
    assert any(question.applies_to for question in asked)
    assert not any(default_verdict_reader().is_known(each.id) for each in own)


BY_TYPE = ("data-processing", "employment", "leases", "loans")


@pytest.mark.parametrize("name", BY_TYPE)
def test_a_playbook_of_a_type_finds_what_its_cases_say(name: str) -> None:
    book = load_playbook(name)
    cases = read_cases(Path(__file__).with_name("cases") / f"{name}.cases.yaml")
    outcomes = [*run_cases(None, book, cases, encoder=default_encoder(threads=1))]
    assert [(each.case.text, each.mismatches) for each in outcomes if not each.passed] == []
    for provision in book.provisions:
        own = [each.found for each in cases if each.provision == provision.id]
        assert (own.count(True), own.count(False)) >= (2, 2), provision.id


@pytest.mark.parametrize("name", BY_TYPE)
def test_a_playbook_of_a_type_has_wording_for_either_side(name: str) -> None:
    book = load_playbook(name)
    assert 12 <= len(book.provisions) <= 16
    sides = [
        {side for each in provision.positions for side in _sides(each)}
        for provision in book.provisions
    ]
    assert sum(side == {"payer", "other"} for side in sides) >= len(sides) - 3
    for provision in book.provisions:
        assert len(provision.examples) >= 2, provision.id
        assert not default_verdict_reader().is_known(provision.id), provision.id
        assert not default_clause_reader().is_known(provision.id, query_hash(provision))
        for each in provision.positions:
            assert each.kind != "preferred" or each.wording is not None, provision.id


@pytest.mark.parametrize("name", builtin_names())
def test_positions_of_two_sides_say_whose_they_are(name: str) -> None:
    book = load_playbook(name)
    for provision in book.provisions:
        by_side = [
            (each.kind, book.whose(each))
            for each in provision.positions
            if PAYER in (each.burdens, each.favours) and each.kind == "preferred"
        ]
        assert len(set(by_side)) == len(by_side), provision.id
        assert not any("side that" in whose for _, whose in by_side), "it is called by its name"


def _sides(position: Position) -> set[str]:
    if position.wording is None:
        return set()
    return {"payer"} if position.burdens == "payer" else {"other"}


@pytest.mark.parametrize("name", [each for each in builtin_names() if each != "nda-review"])
def test_nothing_is_doubtful_in_what_comes_with_the_program(name: str) -> None:
    assert find_warnings(*open_playbook(name)) == []
