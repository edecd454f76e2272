"""Answers that people confirmed for other contracts are examples, and never evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fourcorners.library.contract import read_contract
from fourcorners.library.store import Library
from fourcorners.llm import QuotedText
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import store
from fourcorners.review.extract.scoring import Calibration
from fourcorners.review.finding import Author, Finding, ReviewState, RiskAnswer
from fourcorners.review.people import review_actions
from fourcorners.review.prompting.answered_clauses import AnsweredClauses
from fourcorners.review.prompting.reviewer import ModelReviewer
from tests.review import asked
from tests.review.filled import ASSIGN, LAW, LEAVE, fill

CELL = "change-of-control"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "room.db") as opened:
        yield opened


def answer(
    library: Library,
    playbook: Playbook,
    name: str,
    words: Sequence[str] = (LEAVE,),
    collection: str = "Larch",
    state: ReviewState | None = ReviewState.CONFIRMED,
    given: str = "",
) -> str:
    """Add a contract whose cell has answers, and say what a person said of it."""
    document = fill(library, playbook, {CELL: words}, name, collection)
    cell = store.load_findings(library, playbook, document)[CELL]
    questions = playbook.provision(CELL).questions
    by_rule = [
        RiskAnswer(each.question, f"{each.id} of {name}", id=each.id, value="v", author=Author.RULE)
        for each in questions
    ]
    store.save_findings(library, playbook, "engine", [replace(cell, answers=tuple(by_rule))])
    if state is not None:
        said = review_actions.NewAnnotation(
            by="Ann",
            state=state,
            answers={questions[0].id: given} if given else {},
        )
        review_actions.annotate_finding(library, playbook, document, CELL, said)
    return document


def shown(library: Library, playbook: Playbook, finding: Finding) -> str:
    texts = []
    for each in AnsweredClauses(library, playbook).examples(finding):
        assert isinstance(each, dict)
        assert {type(value) for value in each.values()} == {QuotedText}
        texts += [str(value) for value in each.values()]
    return "\n".join(texts)


def own_finding(library: Library, playbook: Playbook) -> Finding:
    document = fill(library, playbook, {CELL: [LEAVE]}, "own.txt")
    return store.load_findings(library, playbook, document)[CELL]


def test_only_what_people_confirmed_in_other_contracts_of_the_collection_is_shown(
    library: Library, playbook: Playbook
) -> None:
    answer(library, playbook, "first.txt", [ASSIGN])
    answer(library, playbook, "proposed.txt", [LAW], state=None)
    answer(library, playbook, "rejected.txt", [LAW], state=ReviewState.REJECTED)
    answer(library, playbook, "walled.txt", [LAW], collection="Oak")
    own = answer(library, playbook, "own.txt")
    told = shown(library, playbook, store.load_findings(library, playbook, own)[CELL])
    assert "of first.txt" in told
    for name in ("proposed.txt", "rejected.txt", "walled.txt", "own.txt"):
        assert f"of {name}" not in told, name


def test_of_a_corrected_cell_only_the_persons_answers_are_shown(
    library: Library, playbook: Playbook
) -> None:
    first, second = (each.id for each in playbook.provision(CELL).questions[:2])
    answer(library, playbook, "put-right.txt", state=ReviewState.CORRECTED, given="yes")
    told = shown(library, playbook, own_finding(library, playbook))
    assert f"{first}: Yes" in told
    assert f"{second}: " not in told


def test_the_likest_clauses_are_shown_and_each_words_once(
    library: Library, playbook: Playbook
) -> None:
    for number, words in enumerate(
        ([ASSIGN], [LAW], [LEAVE], [LEAVE], [LEAVE, LAW], [ASSIGN, LAW])
    ):
        answer(library, playbook, f"{number}.txt", words)
    listed = AnsweredClauses(library, playbook).examples(own_finding(library, playbook))
    words = [str(each["words"]) for each in listed if isinstance(each, dict)]
    assert len(words) == 3
    assert LEAVE in words[0]
    assert LAW not in words[0]
    assert LEAVE in words[1]
    assert LAW in words[1]


def test_words_that_may_be_orders_to_a_reader_are_no_example(
    library: Library, playbook: Playbook, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Orders:
        def find(self, words: str) -> list[str]:
            return [words] if "assign" in words else []

    path = "fourcorners.review.prompting.answered_clauses.default_order_reader"
    monkeypatch.setattr(path, Orders)
    answer(library, playbook, "order.txt", [ASSIGN])
    answer(library, playbook, "term.txt", [LAW])
    told = shown(library, playbook, own_finding(library, playbook))
    assert "of term.txt" in told
    assert "of order.txt" not in told


def test_an_example_is_marked_in_the_prompt_and_is_no_source(
    library: Library, playbook: Playbook, calibration: Calibration
) -> None:
    foreign = "a rival of the Customer buys more than half of the shares"
    other = answer(library, playbook, "other.txt")
    cell = store.load_findings(library, playbook, other)[CELL]
    (kept,) = cell.evidence
    document = fill(library, playbook, {CELL: [LEAVE]}, "own.txt")
    reading = read_contract(library, document)
    own = asked.drafts(reading, playbook, calibration)
    question = playbook.provision(CELL).questions[0].id
    claim = {"id": question, "answer": "yes", "reasoning": "As elsewhere.", "source": [foreign]}
    by: dict[str, Any] = {
        "extract": lambda request: asked.quoted(
            *(() if "“Insurance”" in request.messages[-1].text else (LEAVE,))
        ),
        "requote": {"passages": []},
        "risks": {"answers": [claim], "severity": None},
    }
    port, model = asked.port(by)
    with port:
        asker = ModelReviewer(
            port,
            playbook,
            replace(asked.PAPER, risks=True),
            answered=AnsweredClauses(library, playbook),
        )
        cells = asker.fill(reading, [replace(each, document=document) for each in own]).cells
    (prompt,) = [each.messages[-1].text for each in model.requests if each.prompt.name == "risks"]
    assert "What people answered for other contracts" in prompt
    assert f"{question} of other.txt" in prompt
    assert f"{question} of other.txt" not in asked.outside_fences(prompt)
    assert kept.quote.words not in asked.outside_fences(prompt)
    found = next(each for each in cells if each.provision == CELL)
    assert found.answers[0].quotes == ()
    assert found.claims == (foreign,)
