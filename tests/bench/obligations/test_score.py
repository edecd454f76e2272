"""The labels fit the texts, and the figures are those that the page on obligations has."""

from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.text.span import Span
from fourcorners_bench.obligations.score import (
    ReadContract,
    ReadObligation,
    load_truth,
    obligation_table,
    score_contract,
    total_measures,
)
from tests.review.obligations.contracts import CONTRACT


def _read(words: str, party: str) -> ReadObligation:
    start = CONTRACT.index(words)
    return ReadObligation((Span(start, start + len(words)),), party.rstrip("?"), party[-1] == "?")


def test_right_wrong_missing_and_debatable() -> None:
    debatable = CONTRACT.index("shall keep the other's")
    parties = {"S": frozenset({"supplier"}), "B": frozenset({"birch foods llc"})}
    labels = [
        _read("shall deliver the Panels", "S"),
        _read("shall give its comments", "B"),
        _read("shall be paid within", "B?"),
        _read("shall commence", "S"),  # not found
        _read("must inform", "*"),
    ]
    contract = ReadContract(
        "supply", "blind", CONTRACT, parties, tuple(labels), (Span(debatable, debatable + 5),)
    )
    score = score_contract(contract)
    assert (score.labelled, score.found, score.right, score.debatable) == (5, 3, 3, 1)
    assert score.wrong == 15 - 3 - 1
    assert {miss.what for miss in score.misses} == {"not right", "not found"}
    figures = total_measures([score])
    assert figures["recall"] == 3 / 5
    assert obligation_table([score]).row_count == 2


def test_other_texts_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no contracts"):
        load_truth(tmp_path)


def test_in_a_file_that_cannot_be_read_nothing_is_found(tmp_path: Path) -> None:
    (tmp_path / "contracts").mkdir()
    contracts = load_truth(tmp_path)
    assert all("No such file" in each.unread for each in contracts)
    scores = [score_contract(each) for each in contracts]
    assert all(each.labelled and not each.found and not each.wrong for each in scores)


@pytest.mark.corpus
def test_figures_hold(corpus: Path) -> None:
    scores = [score_contract(each) for each in load_truth(corpus / "cuad")]
    blind = total_measures([each for each in scores if each.part == "blind"])
    assert blind["labelled"] == 100
    assert float(str(blind["precision"])) >= 0.95
    assert float(str(blind["recall"])) >= 0.95
