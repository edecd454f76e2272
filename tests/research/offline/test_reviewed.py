"""What a review found, in answers over contracts, and what answers assert of their words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from fourcorners.library.store import Library
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.outline.passages.cut import cut_passages
from fourcorners.playbooks.concepts import default_concepts
from fourcorners.playbooks.load import load_playbook
from fourcorners.research.answer import Answer, Verdict
from fourcorners.research.context import build_context
from fourcorners.research.follow_up import resolve_follow_up
from fourcorners.research.offline.reviewed import list_found, reviewed_kinds
from fourcorners.research.offline.run import naming_statements
from fourcorners.research.run import ResearchQuestion, ask, final_answer
from fourcorners.review import store
from fourcorners.review.finding import CellState, Evidence, Finding
from fourcorners.text.quote import Match, Quote
from fourcorners.text.span import Span
from tests.review.conftest import document

TEXT = """{title}

This {title} is dated {dated} and made between Ostler Ferries Limited ("Operator") and {other} \
Limited ("Customer").

1. CRATES

1.1 The Operator shall carry the crates of the Customer with care.

2. GENERAL

2.1 {clause}
"""
ASSIGNED = "Neither party may assign this Agreement without the consent of the other party."
SOLD = "If new owners take over the Operator, the Customer may leave."
ROOM = {
    "carriage": ("Carriage Agreement", "9 June 2022", "Tallow Quarries", ASSIGNED),
    "mooring": ("Mooring Agreement", "7 July 2024", "Dunnock Sails", SOLD),
    "storage": ("Storage Agreement", "2 May 2024", "Merrin Glass", "Notices are in writing."),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with Library.open(tmp_path_factory.mktemp("reviewed") / "room.db") as opened:
        for name, (title, dated, other, clause) in ROOM.items():
            text = TEXT.format(title=title, dated=dated, other=other, clause=clause)
            added = document(text, f"{name}.txt")
            outline = build_outline(added)
            card = read_card(added, outline)
            passages = cut_passages(added, outline)
            opened.add(added, outline, card, passages, None, collection="Quay")
            cells = [
                _cell(added.id, text, "change-of-control", SOLD),
                _cell(added.id, text, "assignment", ASSIGNED),
            ]
            store.save_findings(opened, load_playbook("due-diligence"), "engine", cells)
        yield opened


def _cell(contract: str, text: str, provision: str, words: str) -> Finding:
    if words not in text:
        return Finding(contract, provision, CellState.NOT_FOUND)
    span = Span(text.index(words), text.index(words) + len(words))
    evidence = Evidence(Quote(words, span, Match.EXACT), span, (), None, 0.9)
    return Finding(contract, provision, CellState.FOUND, evidence=(evidence,))


def _ask(library: Library, question: str, *contracts: str, earlier: Answer | None = None) -> Answer:
    asked = ResearchQuestion(question, contracts, collection="Quay", earlier=earlier)
    return final_answer(ask(library, asked, concepts=default_concepts()))


@pytest.mark.parametrize(
    "question", ["Who must consent to a change of control?", "Is a change of control forbidden?"]
)
def test_what_the_review_found_is_not_left_out_of_several_contracts(
    library: Library, question: str
) -> None:
    answer = _ask(library, question)
    shown = [quote.quote.words for each in answer.findings for quote in each.quotes]
    assert any(SOLD in each for each in shown)
    assert "Mooring Agreement" in answer.answer.headline
    assert answer.answer.ruling is not Verdict.ABSENT
    assert answer.counts.verified == len((*answer.statements, *answer.beside))


def test_a_clause_is_called_only_what_the_review_found_in_it(library: Library) -> None:
    context = build_context(library, collection="Quay")
    asked = [each for each in default_concepts() if each.id in ("change-of-control", "assignment")]
    (carriage,) = (each.id for each in context.contracts if each.name == "carriage.txt")
    start = context.read_contract(carriage).text.index(ASSIGNED)
    kinds = reviewed_kinds(context, asked, carriage, Span(start, start + len(ASSIGNED)))
    assert kinds == ["Assignment"]
    named = {(kind, each.quotes[0].quote.words) for kind, each in list_found(context, asked, [])}
    assert named == {("Assignment", ASSIGNED), ("Change of control", SOLD)}
    of_assignment = _ask(library, "May a party assign the agreement?", "carriage")
    found = [quote for each in of_assignment.findings for quote in each.quotes]
    assert "the review found “Assignment” here" in {each.because for each in found}


@pytest.mark.parametrize(
    ("question", "is_open"),
    [
        ("How much must a party pay to assign the agreement?", True),
        ("In what time must the other party consent to assign?", True),
        ("May a party assign the agreement?", False),
    ],
)
def test_words_without_a_figure_are_no_sure_answer_to_a_question_for_one(
    library: Library, question: str, *, is_open: bool
) -> None:
    answer = _ask(library, question, "carriage").answer
    assert ("The nearest words give no figure." in answer.headline) is is_open
    assert ASSIGNED.removesuffix(".") in answer.headline
    if is_open:
        assert (answer.ruling, answer.confidence) == (Verdict.UNSURE, 0.0)
    else:
        assert answer.confidence


def test_a_follow_up_to_a_table_asks_of_each_contract_what_is_done_with_contracts(
    library: Library,
) -> None:
    before = _ask(library, "Which contracts are governed by English law?")
    assert len(before.rows) == 3
    answer = _ask(library, "And on what notice can it be ended?", earlier=before)
    assert answer.question == "On what notice can each contract be ended?"
    assert "0 of" not in answer.answer.headline
    assert resolve_follow_up("Is it exclusive?", before) == "Is each contract exclusive?"
    assert "each contract clause" not in resolve_follow_up("Must that clause end?", before)
    of_a_clause = replace(before, question="Which contracts have a cap on liability?")
    assert resolve_follow_up("Is it waived for fraud?", of_a_clause).startswith("Is it waived for")
    assert resolve_follow_up("Can it be ended?", of_a_clause) == "Can each contract be ended?"


@pytest.mark.parametrize(
    "question", ["And how long is the notice?", "How long is it?", "What is the notice period?"]
)
def test_a_follow_up_that_names_nothing_is_asked_of_the_clause_that_answered(
    library: Library, question: str
) -> None:
    before = _ask(library, "May a party assign the agreement?", "carriage")
    answer = _ask(library, question, "carriage", earlier=before).answer
    assert answer.headline.startswith("The clause that answered before does not say it.")
    assert (answer.ruling, answer.confidence) == (Verdict.UNSURE, 0.0)


@pytest.mark.parametrize(
    ("question", "names_it"),
    [
        ("Which contracts can Ostler not assign?", False),
        ("Is Ostler liable for delay?", False),
        ("Who is Ostler?", True),
        ("With which companies has Ostler contracts?", True),
    ],
)
def test_what_merely_names_a_party_answers_only_who_it_is(
    library: Library, question: str, *, names_it: bool
) -> None:
    context = build_context(library, collection="Quay")
    assert bool([*naming_statements(context, question, ())]) is names_it
