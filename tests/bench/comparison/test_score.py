from __future__ import annotations

from dataclasses import replace

import pytest

from fourcorners.comparison.compare import compare_documents
from fourcorners.comparison.comparison import Comparison, Relation
from fourcorners.text.span import Span
from fourcorners_bench.comparison.run import (
    comparison_measures,
    failure_lines,
    measure_pairing,
    measure_speed,
    read_version,
    run_comparisons,
    summary_lines,
)
from fourcorners_bench.comparison.score import Score
from fourcorners_bench.comparison.versions import VersionPair, make_version
from fourcorners_bench.extraction.loader import AnnotatedContract
from tests.bench.comparison.test_versions import made_contract


@pytest.fixture(scope="module")
def pair() -> VersionPair:
    return make_version("made", made_contract(), [made_contract(6).replace("lot", "batch")], 3)


@pytest.fixture(scope="module")
def comparison(pair: VersionPair) -> Comparison:
    return compare_documents(read_version(pair.before), read_version(pair.after))


def test_a_comparison_that_reports_nothing_has_missed_all(
    pair: VersionPair, comparison: Comparison
) -> None:
    score = Score()
    score.add(pair, replace(comparison, clauses=()))
    assert score.recall == 0
    assert len(score.missed) == len(pair.edits)


def test_what_touches_no_edit_is_false(pair: VersionPair, comparison: Comparison) -> None:
    score = Score()
    score.add(replace(pair, edits=()), comparison)
    assert score.false_rate == 1
    assert score.recall == 1


def test_the_wrong_kind_is_a_miss_and_false(pair: VersionPair, comparison: Comparison) -> None:
    clauses = tuple(
        replace(each, relation=Relation.MERGED) if each.relation is Relation.SPLIT else each
        for each in comparison.clauses
    )
    score = Score()
    score.add(pair, replace(comparison, clauses=clauses))
    assert score.kinds["split"].reported == 0
    assert score.false["merged"] >= score.kinds["split"].known


def test_a_run_has_its_figures_and_lists_what_went_wrong(pair: VersionPair) -> None:
    run = run_comparisons([pair])
    speed = measure_speed([pair], 10)
    contract = AnnotatedContract("a", "a", pair.before, {"Price": (Span(0, len(pair.before)),)})
    pairing = measure_pairing([contract, replace(contract, name="b", group="b")], "report", 1, None)
    measures = comparison_measures(run, speed, pairing)
    assert measures["pairs"] == 1
    assert measures["known"] == len(pair.edits)
    assert speed.pages >= 10
    assert any("False: " in line for line in summary_lines(run, speed, pairing))
    wrong = len(run.score.missed) + len(run.score.unknown)
    assert len(list(failure_lines(run, [pair]))) == wrong
