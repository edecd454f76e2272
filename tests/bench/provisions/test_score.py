from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourcorners.errors import ConfigError
from fourcorners.review.prompting.passages import fixed_chunks
from fourcorners.text.span import Span
from fourcorners_bench.extraction.loader import (
    CATEGORIES,
    FOURTEEN_PROVISIONS,
    AnnotatedContract,
)
from fourcorners_bench.provisions.score import (
    SCENARIOS,
    ProvidedPassages,
    count_instances,
    instance_recall,
    max_passages,
    read_run,
    scenario_measures,
    score_run,
)
from fourcorners_bench.record import published_data
from fourcorners_bench.run_files import run_benchmark, write_lines


def contract(length: int = 9_000, **marked: list[tuple[int, int]]) -> AnnotatedContract:
    spans = {name: tuple(Span(*span) for span in marked.get(name, [])) for name in CATEGORIES}
    return AnnotatedContract("a.txt", "a", "x" * length, spans)


def answers(passages: tuple[Span, ...]) -> list[ProvidedPassages]:
    return [ProvidedPassages("a.txt", provision, passages) for provision in FOURTEEN_PROVISIONS]


@settings(deadline=None)
@given(st.integers(1, 60_000))
def test_chunks_cover_the_text_and_overlap(length: int) -> None:
    chunks = fixed_chunks(length)
    assert (chunks[0].start, chunks[-1].end) == (0, length)
    assert all(len(chunk) <= 3_500 for chunk in chunks)
    assert all(b.start - a.start == 2_800 for a, b in itertools.pairwise(chunks))
    assert len(chunks) == 1 or chunks[-2].end < length


def test_an_instance_counts_if_the_union_holds_it_wholly() -> None:
    marked = contract(Insurance=[(100, 200), (300, 400), (500, 600)])
    passages = [Span(0, 150), Span(150, 320), Span(340, 599)]
    assert count_instances(marked, "Insurance", passages).found == 1
    assert count_instances(marked, "Insurance", [*passages, Span(310, 350)]).found == 2
    assert count_instances(marked, "Insurance", []).found == 0


def test_recall_is_over_all_instances_together() -> None:
    marked = contract(Insurance=[(0, 10), (20, 30), (40, 50)], Exclusivity=[(5_000, 5_010)])
    scores = score_run([marked], answers((Span(0, 100),)), SCENARIOS[0])
    assert instance_recall(each for counts in scores.values() for each in counts) == 0.75
    whole = scenario_measures(scores)
    assert whole["all"] == {"recall": 0.75, "interval": [0.75, 0.75], "instances": 4}


def test_scenarios_hold_contracts_by_their_chunks() -> None:
    lengths = {1: 10, 2: 3_500 + 19 * 2_800, 3: 3_500 + 39 * 2_800}
    for scenario in SCENARIOS:
        length = lengths[scenario.number]
        assert scenario.includes(contract(length))
        assert scenario.fewest_chunks == 0 or not scenario.includes(contract(length - 2_800))
    assert [scenario.most for scenario in SCENARIOS] == [10, 10, 20]


def test_a_run_that_breaks_the_rules_is_refused() -> None:
    first = SCENARIOS[0]
    good = answers((Span(0, 3_500),))
    with pytest.raises(ConfigError, match=r"no line for 'a\.txt' × 'Anti-Assignment'"):
        score_run([contract()], good[1:], first)
    with pytest.raises(ConfigError, match="3,501 characters"):
        score_run([contract()], answers((Span(0, 3_501),)), first)
    with pytest.raises(ConfigError, match="11 passages"):
        score_run([contract()], answers(tuple(Span(n, n + 1) for n in range(11))), first)


def test_more_passages_are_allowed_where_they_hold_half_the_characters() -> None:
    first = SCENARIOS[0]
    short = answers(tuple(Span(at, at + 437) for at in range(0, 437 * 40, 437)))
    assert max_passages(short, first) == 40
    score_run([contract(20_000)], short, first, most=40)
    assert max_passages(answers((Span(0, 9),)), first) == 10
    assert max_passages([*short, *answers((Span(0, 17_501),))], first) == 10


def test_a_run_file_reads_as_it_was_written(tmp_path: Path) -> None:
    run = [replace(each, name="ä.txt") for each in answers((Span(5, 9), Span(0, 3)))]
    path = tmp_path / "run.jsonl"
    write_lines(path, run)
    assert read_run(path) == run
    assert run_benchmark(path) == "provisions"
    path.write_text('{"name": "a.txt"}\n', "utf-8")
    assert run_benchmark(path) != "provisions"
    with pytest.raises(ConfigError, match="line 1: not a line"):
        read_run(path)


def test_the_published_figures_agree_with_their_own_averages() -> None:
    for figures in published_data("provisions")["scenarios"].values():
        for kind in ("plain", "optimised"):
            total = sum(figures[name]["instances"] for name in FOURTEEN_PROVISIONS)
            mean = (
                sum(
                    figures[name]["instances"] * figures[name][kind] for name in FOURTEEN_PROVISIONS
                )
                / total
            )
            assert mean == pytest.approx(figures["all"][kind], abs=0.02)
            assert figures["all"]["instances"] == total
