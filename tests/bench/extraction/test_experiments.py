"""The law firm's axes: in what is asked, in which order, how often."""

from __future__ import annotations

from typing import Any

import pytest

from fourcorners.errors import ConfigError
from fourcorners.llm import Request
from fourcorners.playbooks.load import parse_playbook
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review.finding import CellState, Finding
from fourcorners_bench.experiments.read import read_experiment
from fourcorners_bench.extraction.experiments import (
    Experiment,
    ExperimentReviewer,
    FollowUp,
    PassageOrder,
    SystemPrompt,
)
from tests.review import asked
from tests.review.asked import LEAVE, NOTICE, quoted
from tests.review.conftest import PLAYBOOK

FILLER = "The parties meet each month and talk of the weather and of the harvest. " * 60
LONG = (
    "AGREEMENT\n\n1. “Control” means the power to direct a company.\n\n"
    f"2. {FILLER}\n\n3. {FILLER}\n\n4. {LEAVE} On a change of Control this ends.\n\n5. {FILLER}"
)


@pytest.fixture
def playbook() -> Playbook:
    return parse_playbook(PLAYBOOK, "small.yaml")


@pytest.fixture
def fill(playbook: Playbook) -> Any:
    def run(text: str, answer: Any = None, **axes: Any) -> tuple[Finding, list[Request]]:
        reading = asked.reading_of(text)
        experiment = Experiment(name="x", **{"keywords": False, "follow_up": "none", **axes})
        by: dict[str, Any] = {
            "extract": answer or quoted(LEAVE),
            "follow_up": {"missed": [], "wrong": []},
        }
        port, model = asked.port({**by, "requote": {"passages": []}})
        with port:
            asker = ExperimentReviewer(port, playbook, experiment, encoder=None)
            filled = asker.fill(
                reading,
                [Finding(reading.id, each.id, CellState.NOT_FOUND) for each in playbook.provisions],
            )
        cell = next(each for each in filled.cells if each.provision == "change-of-control")
        return cell, model.requests

    return run


def first(requests: list[Request], name: str = "extract") -> Request:
    return next(each for each in requests if each.prompt.name == name)


def test_words_of_an_experiment_are_in_the_question(fill: Any) -> None:
    plain = first(fill(LONG)[1])
    assert "due diligence of an acquisition" in plain.messages[0].text
    short = first(fill(LONG, system=SystemPrompt.SHORT)[1])
    assert "due diligence" not in short.messages[0].text
    assert short.messages[1:] == plain.messages[1:]
    emotive = first(fill(LONG, emotive=True)[1])
    assert emotive.messages[-1].text.endswith("Please do your very best.")
    assert len({each.prompt.hash for each in (plain, short, emotive)}) == 3


@pytest.mark.parametrize("kind", [FollowUp.NEUTRAL, FollowUp.ACCUSING])
def test_a_follow_up_is_neutral_or_accusing(fill: Any, kind: FollowUp) -> None:
    told = first(fill(LONG, follow_up=kind)[1], "follow_up").messages[-1].text
    assert ("You have missed provisions" in told) == (kind is FollowUp.ACCUSING)
    assert ("Please check your answer" in told) == (kind is FollowUp.NEUTRAL)


def test_passages_come_by_score_or_with_definitions_first(fill: Any) -> None:
    def given(order: PassageOrder) -> list[str]:
        cell, _ = fill(LONG, order=order, passages=3)
        return [each.text_in(LONG) for each in cell.searched.given]

    assert LEAVE in given(PassageOrder.SCORE)[0]
    assert all(len(each) <= 3_500 for each in given(PassageOrder.SCORE))
    starts = [LONG.index(each) for each in given(PassageOrder.DOCUMENT)]
    assert starts == sorted(starts)
    assert LEAVE in "".join(given(PassageOrder.DEFINITIONS))


def test_most_of_several_answers_count(fill: Any) -> None:
    def answer(request: Request) -> dict[str, Any]:
        return quoted(LEAVE, NOTICE) if request.sample == 1 else quoted(LEAVE)

    cell, requests = fill(f"{LONG}\n\n6. {NOTICE}", answer, best_of=3)
    assert [each.quote.words for each in cell.evidence] == [LEAVE]
    assert len([each for each in requests if each.prompt.name == "extract"]) == 6


def test_a_drafted_clause_needs_an_encoder(playbook: Playbook) -> None:
    port, _ = asked.port({})
    with port, pytest.raises(ConfigError, match="no encoder"):
        ExperimentReviewer(port, playbook, Experiment(name="x", hypothetical=True), encoder=None)


def test_runs_are_found_by_experiment_by_name_and_in_files(tmp_path: Any) -> None:
    assert len(read_experiment("extraction", "recorded", Experiment)) == 2
    (one,) = read_experiment("extraction", "… best of 3", Experiment)
    assert (one.best_of, one.chunks) == (3, (40, 60))
    with pytest.raises(ConfigError, match="no experiment 'x'") as caught:
        read_experiment("extraction", "x", Experiment)
    assert "recorded-clauses" in caught.value.remedy
    path = tmp_path / "own.yaml"
    for text in ("runs: [{name: a, passages: 0}]", "runs: [{name: a, nope: 1}]", "[", "x: 1"):
        path.write_text(text, "utf-8")
        with pytest.raises(ConfigError, match="is no experiment"):
            read_experiment("extraction", str(path), Experiment)
