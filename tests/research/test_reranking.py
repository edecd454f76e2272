"""The configured reranker and its threshold act in `ask`, over one contract and over several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from fourcorners.errors import CallError
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.llm import FakeModel, Port
from fourcorners.models.reranker.protocol import Reranker, ThresholdReranker
from fourcorners.research.agents.contract_tools import contract_tools
from fourcorners.research.agents.inquiry import InquirySettings, estimate_cost, find_plain_lookups
from fourcorners.research.answer import Answer
from fourcorners.research.answerability.search import AnswerSearch, search_answer
from fourcorners.research.context import build_context
from fourcorners.research.run import ResearchQuestion, ask, final_answer, prepare_answer
from fourcorners.research.tool import ToolQuery
from fourcorners.search.filters import Filters
from fourcorners.search.run import search_library
from fourcorners.search.scope import QuestionScope, route_question
from fourcorners.settings import Settings
from tests.models.fake import HashEncoder

QUESTION = "Who shall mend the fence?"
MENDS = "The Grazier shall mend the fence of the lower field before the first of May."
PAINTS = "The Owner shall paint the fence, and shall not mend what the Grazier has broken."
TEXT = f"""GRAZING AGREEMENT

This Grazing Agreement is made between Fell Farms Limited (the "Owner") and Ewe Limited (the \
"Grazier").

1. FENCES
1.1 {PAINTS}
1.2 {MENDS}

2. HAY
2.1 The Grazier shall not cut the hay of the upper field.
"""


class Judge:
    """A reranker for which a passage answers, or does not, by a word that it has."""

    name = "judge/1"

    def __init__(self, word: str) -> None:
        self.word = word
        self.asked: list[str] = []

    def scores(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        self.asked.append(question)
        return np.array([4.0 if self.word in each else -4.0 for each in passages], np.float32)


class Sure(Judge):
    """A reranker that says the same of every passage."""

    def __init__(self, logit: float) -> None:
        super().__init__("")
        self.logit = logit

    def scores(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        return np.full_like(super().scores(question, passages), self.logit)


class Unreachable(Judge):
    """A reranker whose server does not answer."""

    def __init__(self) -> None:
        super().__init__("")

    def scores(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        super().scores(question, passages)
        raise CallError("the reranker at localhost:9 cannot be reached.", remedy="Start it.")


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("farm")
    for name in ("fell", "moor"):
        (folder / f"{name}.txt").write_text(TEXT.replace("Fell", name.title()), "utf-8")
    with Library.open(folder / "farm.db") as library:
        add_files(library, sorted(folder.glob("*.txt")), collection="Farm", encoder=None,
                  settings=Settings(jobs=1))  # fmt: skip
        yield library


def search(library: Library, reranker: Reranker | None, *contracts: str) -> AnswerSearch:
    return search_answer(build_context(library, contracts, reranker=reranker), QUESTION)


@pytest.mark.parametrize("contracts", [("fell",), ()])
@pytest.mark.parametrize("word", ["lower field", "paint"])
def test_what_the_reranker_prefers_comes_first(
    farm: Library, contracts: tuple[str, ...], word: str
) -> None:
    found = search(farm, Judge(word), *contracts)
    assert word in found.snippets[0].words
    assert not found.left_out


@pytest.mark.parametrize("contracts", [("fell",), ()])
def test_what_is_below_the_threshold_is_left_out_and_counted(
    farm: Library, contracts: tuple[str, ...]
) -> None:
    found = search(farm, ThresholdReranker(Judge("lower field"), 0.5), *contracts)
    assert found.snippets
    assert all("lower field" in each.words for each in found.snippets)
    assert found.left_out
    assert f"the reranker left out {found.left_out} of what was found" in found.description


def test_of_nothing_above_the_threshold_the_nearest_stays(farm: Library) -> None:
    found = search(farm, ThresholdReranker(Judge("no such words"), 0.5), "fell")
    assert len(found.snippets) == 1


def test_the_agents_search_is_reranked(farm: Library) -> None:
    context = build_context(farm, ["fell"], reranker=ThresholdReranker(Judge("paint"), 0.5))
    (tool,) = [each for each in contract_tools(context) if each.name == "search"]
    assert all("paint" in each.words for each in tool.run(ToolQuery(QUESTION)) if each.span)


@pytest.mark.parametrize("contracts", [["fell"], []])
def test_an_answer_asks_the_reranker_and_names_it(farm: Library, contracts: list[str]) -> None:
    judge = Judge("lower field")
    how = InquirySettings(reranker=ThresholdReranker(judge, 0.5))
    answer = final_answer(ask(farm, ResearchQuestion(QUESTION, contracts=contracts, how=how)))
    assert judge.asked
    assert "reranker judge/1" in answer.made.engine


MENDING = "Shall the Grazier mend the fence of the field?"


@pytest.fixture(scope="module")
def estate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """Yield twenty contracts of which each has one sentence that answers: too many to be read."""
    folder = tmp_path_factory.mktemp("estate")
    for at in range(20):
        words = f"LICENCE\n\n1. FENCE\n1.1 The Grazier shall mend the fence of field {at + 10}.\n"
        (folder / f"field-{at:02}.txt").write_text(words, "utf-8")
    with Library.open(folder / "estate.db") as library:
        add_files(library, sorted(folder.glob("*.txt")), collection="Estate", encoder=None,
                  settings=Settings(jobs=1))  # fmt: skip
        yield library


@pytest.mark.parametrize("logit", [-30.0, 30.0])
def test_whether_it_answers_is_judged_without_the_rerankers_scores(
    farm: Library, logit: float
) -> None:
    plain, reranked = search(farm, None, "fell"), search(farm, Sure(logit), "fell")
    assert reranked.judgements == plain.judgements
    assert reranked.answers


@pytest.mark.parametrize("threshold", [None, 0.5])
def test_contracts_that_the_reranker_did_not_read_are_counted_and_named(
    estate: Library, threshold: float | None
) -> None:
    judge: Reranker = Judge("fence")
    judge = judge if threshold is None else ThresholdReranker(judge, threshold)
    names = [entry.name for entry in estate.documents()]
    context = build_context(estate, names, reranker=judge)
    found = search_answer(context, MENDING, limit=20)
    assert len(found.judgements) == len(names)
    assert {each.document for each in found.snippets} == {*context.documents}
    (note,) = context.rerank_record.describe(estate)
    unread = [each for each in found.snippets if "reranker" not in each.parts]
    unread_names = {each.name for each in unread if each.name in note}
    read = {each.name for each in found.snippets if "reranker" in each.parts}
    assert len(unread_names) == len(names) - len(read) > 0
    assert f"none of {len(unread_names)} contracts" in note
    assert not any(each in note for each in read)
    how = InquirySettings(reranker=judge)
    answer = final_answer(ask(estate, ResearchQuestion(MENDING, contracts=names, how=how)))
    assert any("none of 4 contracts" in gap.what for gap in answer.gaps)


def test_what_was_not_read_is_behind_what_was(estate: Library) -> None:
    names = [entry.name for entry in estate.documents()]
    context = build_context(estate, names, reranker=Sure(-30.0))
    found = search_answer(context, MENDING, limit=20)
    is_read = ["reranker" in each.parts for each in found.snippets]
    assert is_read == sorted(is_read, reverse=True)
    assert any(is_read)
    assert not all(is_read)


def fails_once(answer_gaps: Sequence[str], reranker: Unreachable) -> bool:
    named = [each for each in answer_gaps if "localhost:9 cannot be reached. Start it." in each]
    return (
        len(reranker.asked) == 1 and len(named) == 1 and named[0].startswith("The reranker failed")
    )


@pytest.mark.parametrize("contracts", [["fell"], []])
@pytest.mark.parametrize("question", [QUESTION, "Which contracts say who shall mend the fence?"])
def test_a_reranker_that_fails_costs_its_order_alone_and_the_answer_says_so(
    farm: Library, contracts: list[str], question: str
) -> None:
    broken = Unreachable()

    def answer(reranker: Reranker | None) -> Answer:
        how = InquirySettings(reranker=reranker)
        return final_answer(ask(farm, ResearchQuestion(question, contracts=contracts, how=how)))

    plain, done = answer(None), answer(broken)
    assert done.answer == plain.answer
    assert fails_once([gap.what for gap in done.gaps], broken)


@pytest.mark.parametrize("said", ["{}", "no JSON"])
def test_an_inquiry_goes_on_without_a_reranker_that_fails(farm: Library, said: str) -> None:
    broken = ThresholdReranker(Unreachable(), 0.5)
    with Port.for_model(FakeModel(lambda _: said), attempts=1) as port:
        asked = ResearchQuestion(
            QUESTION, contracts=["fell"], how=InquirySettings(turns=1, reranker=broken)
        )
        answer = final_answer(ask(farm, asked, port=port))
    assert isinstance(broken.reranker, Unreachable)
    assert fails_once([gap.what for gap in answer.gaps], broken.reranker)


def test_a_search_says_that_the_reranker_failed(tmp_path: Path) -> None:
    (tmp_path / "fell.txt").write_text(TEXT, "utf-8")
    encoder = HashEncoder()
    with Library.open(tmp_path / "farm.db") as library:
        add_files(library, [tmp_path / "fell.txt"], collection="Farm", encoder=encoder,
                  settings=Settings(jobs=1))  # fmt: skip
        plain = search_library(library, QUESTION, encoder=encoder)
        found = search_library(library, QUESTION, encoder=encoder, reranker=Unreachable())
    assert found.hits == plain.hits
    assert "localhost:9 cannot be reached" in found.failure
    assert not plain.failure


def test_an_estimate_sends_nothing_to_the_reranker(farm: Library) -> None:
    judge = Judge("fence")
    asked = ResearchQuestion(QUESTION, contracts=["fell"], how=InquirySettings(reranker=judge))
    context, started = prepare_answer(farm, asked)
    with Port.for_model(FakeModel(lambda _: "{}")) as port:
        assert estimate_cost(context, port, started, asked.how).calls
    assert not judge.asked


def test_the_scope_of_a_plain_question_is_found_once(
    farm: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def route(library: Library, question: str, filters: Filters) -> QuestionScope:
        asked.append(question)
        return route_question(library, question, filters)

    monkeypatch.setattr("fourcorners.research.context.route_question", route)
    context, started = prepare_answer(farm, ResearchQuestion(QUESTION))
    find_plain_lookups(context, started)
    search_answer(context, QUESTION)
    assert asked == [QUESTION]
    (only,) = build_context(farm, ["fell"]).entries
    assert replace(context, entries=(only,)).scope(QUESTION) != context.scope(QUESTION)
