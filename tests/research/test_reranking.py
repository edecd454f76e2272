"""The configured reranker and its threshold act in `ask`, over one contract and over several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.models.reranker.protocol import Reranker, ThresholdReranker
from fourcorners.research.agents.contract_tools import contract_tools
from fourcorners.research.agents.inquiry import InquirySettings
from fourcorners.research.answerability.search import AnswerSearch, search_answer
from fourcorners.research.context import build_context
from fourcorners.research.run import ResearchQuestion, ask, final_answer
from fourcorners.research.tool import ToolQuery
from fourcorners.settings import Settings

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
