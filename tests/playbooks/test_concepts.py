from __future__ import annotations

import numpy as np
import pytest

from fourcorners.playbooks.concepts import EXCLUDED, default_concepts, playbook_concepts
from fourcorners.playbooks.load import builtin_names, load_playbook
from fourcorners.search.concepts import recognise_concepts
from tests.models.fake import HashEncoder


def test_provisions_become_concepts_with_what_they_know() -> None:
    playbook = load_playbook("due-diligence")
    encoder = HashEncoder(64)
    found = playbook_concepts([playbook], encoder)
    assert [concept.id for concept in found] == [one.id for one in playbook.provisions]
    for concept, provision in zip(found, playbook.provisions, strict=True):
        assert concept.query == provision.query
        assert concept.avoid == provision.avoid
        assert concept.aliases == provision.aliases
        assert concept.clauses == (provision.definition, *provision.examples)
        assert concept.examples is not None
        assert np.array_equal(concept.examples, encoder.encode(concept.clauses))


def test_without_an_encoder_nothing_is_encoded_and_a_playbook_counts_once() -> None:
    playbook = load_playbook("due-diligence")
    found = playbook_concepts([playbook, playbook])
    assert len(found) == len(playbook.provisions)
    assert all(concept.examples is None for concept in found)


def test_default_concepts_are_those_of_every_playbook_that_comes_along() -> None:
    told = [name for name in builtin_names() if name not in EXCLUDED]
    listed = [
        provision.id
        for name in told
        for provision in load_playbook(name).provisions
        if provision.threshold is None  # nothing has weighed the others
    ]
    assert all(each.id in listed for each in load_playbook("cuad-41").provisions)
    assert [concept.id for concept in default_concepts()] == listed


def test_what_is_asked_of_a_type_alone_is_no_default_concept() -> None:
    general = {each.id for each in load_playbook("due-diligence").provisions}
    by_type = load_playbook("due-diligence-by-type").provisions
    added = {each.id for each in by_type} - general
    assert added == {each.id for each in by_type if each.applies_to}
    assert not added & {concept.id for concept in default_concepts()}


@pytest.mark.parametrize(
    ("question", "concept"),
    [
        ("When does the contract end?", "expiration-date"),
        ("Does it renew automatically?", "renewal-term"),
        ("What notice prevents renewal?", "renewal-notice"),
        ("Which law applies?", "governing-law"),
        ("Which state's law governs?", "governing-law"),
        ("Can the distributor sell competing products?", "non-compete"),
        ("May the supplier raise its prices?", "price-restrictions"),
        ("Does the customer have to buy a minimum quantity?", "minimum-commitment"),
        ("May the licensee sublicense?", "non-transferable-licence"),
        ("Is the licence perpetual?", "irrevocable-licence"),
        ("Are there penalties for late delivery?", "liquidated-damages"),
        ("May the agreement be transferred to an affiliate?", "assignment"),
        ("Who are the parties?", "parties"),
        ("Does the audit committee approve the budget?", None),
        ("Where should notices be sent?", None),
        ("Who bears the cost of shipping?", None),
        ("What are the payment terms?", None),
        ("What happens after termination?", None),
    ],
)
def test_natural_questions_meet_what_the_playbooks_know(question: str, concept: str | None) -> None:
    found = recognise_concepts(question, default_concepts())
    assert (found[0][0].id if found else None) == concept
