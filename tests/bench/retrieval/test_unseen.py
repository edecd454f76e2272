"""What a model has learned from is left out where a benchmark is asked to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners_bench.extraction import loader as cuad
from fourcorners_bench.extraction.run import document_id
from fourcorners_bench.retrieval import loader as retrieval
from fourcorners_bench.retrieval import unseen
from fourcorners_bench.retrieval.loader import Answer
from tests.cli import tiny

MODEL = "fourcorners-encoder"


@pytest.fixture
def learned(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Stand in for what the card names; a test fills it."""
    found: set[str] = {"0" * 16}

    class Card:
        learned_from = found

    monkeypatch.setattr(unseen, "describe_model", lambda _folder: Card)
    return found


def test_contracts_that_were_learned_from_are_left_out(tmp_path: Path, learned: set[str]) -> None:
    tiny.write(tmp_path, many=3)
    contracts = cuad.load_cuad(tmp_path)
    learned.add(document_id(contracts[1].text))
    kept = unseen.contracts_unseen(contracts, MODEL)
    assert [each.name for each in kept] == ["deed 0.txt", "deed 2.txt"]
    assert unseen.contracts_unseen(contracts, None) == contracts


def test_questions_go_with_their_contracts(tmp_path: Path, learned: set[str]) -> None:
    (tmp_path / "corpus/set").mkdir(parents=True)
    (tmp_path / "benchmarks").mkdir()
    tests = []
    for name in ("one", "two"):
        (tmp_path / f"corpus/set/{name}.txt").write_text(f"Carriage of {name}.", "utf-8")
        snippet = {"file_path": f"set/{name}.txt", "span": [0, 8]}
        tests.append({"query": f"What of {name}?", "snippets": [snippet]})
    (tmp_path / "benchmarks/set.json").write_text(json.dumps({"tests": tests}), "utf-8")
    learned.add(document_id("Carriage of one."))
    whole = retrieval.load_set(tmp_path, "set")
    answered = [(whole, [Answer(each.query, ()) for each in whole.questions])]
    (part, answers), *rest = unseen.questions_unseen(answered, tmp_path, MODEL)
    assert not rest
    assert [each.query for each in part.questions] == ["What of two?"]
    assert [each.query for each in answers] == ["What of two?"]


def test_a_model_that_is_not_there_is_named(learned: set[str]) -> None:
    assert learned
    with pytest.raises(ConfigError, match="no model is called 'nobody'"):
        unseen.unseen_by("nobody")


def test_a_card_that_names_nothing_cannot_tell(learned: set[str]) -> None:
    learned.clear()
    with pytest.raises(ConfigError, match="names no document"):
        unseen.unseen_by(MODEL)
