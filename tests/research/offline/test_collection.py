from __future__ import annotations

from collections.abc import Sequence

import pytest

from fourcorners.library.store import Library
from fourcorners.models import Encoder
from fourcorners.research.answer import Answer, Verdict
from fourcorners.research.offline import collection, run
from fourcorners.research.offline.collection import contract_question
from fourcorners.research.run import ResearchQuestion, ask, final_answer
from fourcorners.search.concepts import Concept


@pytest.mark.parametrize(
    ("question", "of_each"),
    [
        ("Which contracts are exclusive?", "Is this contract exclusive?"),
        ("How many of our leases can be assigned?", "Can this contract be assigned?"),
        ("Which supplier agreements have a cap?", "Does this contract have a cap?"),
        ("Under which contracts may we audit?", "May we audit?"),
        ("Which lease has the longest term?", "Does this contract have the longest term?"),
        ("Do any of our leases renew?", "Does this contract renew?"),
        ("What is the longest notice period?", "What is the longest notice period?"),
        ("For which leases must we insure?", "Must we insure?"),
        ("Where may the landlord inspect?", "May the landlord inspect?"),
        ("Who may inspect, and under which leases?", "Who may inspect, and under which leases?"),
        ("How long does each contract last?", "How long does each contract last?"),
        ("Which clause governs assignment?", ""),
        ("What does the contract say of delay?", ""),
    ],
)
def test_what_is_asked_of_each_contract(question: str, of_each: str) -> None:
    assert contract_question(question) == of_each


def test_each_contract_of_a_collection_is_asked(
    library: Library, encoder: Encoder, concepts: Sequence[Concept]
) -> None:
    run = ask(
        library,
        ResearchQuestion("Which contracts are governed by English law?"),
        encoder=encoder,
        concepts=concepts,
    )
    answer = final_answer(run)
    assert answer.answer.headline.startswith("1 of 2 contracts: “Lease of Premises")
    states = [each.state.value for each in answer.rows]
    assert states == ["yes", "not said"]
    assert answer.rows[0].value == "England and Wales"
    assert answer.counts.verified == len(answer.statements)
    assert len(answer.answer.sentences) == 1
    assert Answer.from_json(answer.to_json()).rows == answer.rows


def test_what_was_not_read_is_said(
    library: Library,
    encoder: Encoder,
    concepts: Sequence[Concept],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (collection, run):
        monkeypatch.setattr(module, "MAX_CONTRACTS", 1)
    answer = final_answer(
        ask(
            library,
            ResearchQuestion("Which contracts are exclusive?"),
            encoder=encoder,
            concepts=concepts,
        )
    )
    assert answer.gaps[0].what == "1 of 2 contracts were not read."
    assert answer.answer.ruling in Verdict
