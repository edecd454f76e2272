"""The measures of retrieval, on answers small enough to count by hand, and against an oracle."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.text.span import Span
from fourcorners_bench.retrieval.loader import Answer, Question, Snippet
from fourcorners_bench.retrieval.measures import MEASURES
from fourcorners_bench.retrieval.score import (
    FIRST,
    KS,
    mean_of_sets,
    resample_scores,
    score_question,
)


def snippet(start: int, end: int, path: str = "a") -> Snippet:
    return Snippet(path, Span(start, end))


def figures(question: Question, answer: Answer) -> dict[str, list[float]]:
    values = score_question(question, answer)
    size = len(KS)
    assert len(values) == size * len(MEASURES) + 1
    found = {name: values[size * at : size * (at + 1)] for at, name in enumerate(MEASURES)}
    return found | {FIRST: values[-1:]}


def test_an_overlap_counts_twice_officially_and_once_in_the_union() -> None:
    question = Question("?", (snippet(10, 20), snippet(30, 50)))
    answer = Answer("?", (snippet(10, 20), snippet(0, 20), snippet(45, 60), snippet(30, 50, "b")))
    found = figures(question, answer)
    assert found["official_recall"][:3] == pytest.approx([10 / 30, 20 / 30, 25 / 30])
    assert found["official_precision"][:3] == pytest.approx([1.0, 20 / 30, 25 / 65])
    assert found["union_recall"][:3] == pytest.approx([10 / 30, 10 / 30, 15 / 30])
    assert found["union_precision"][:3] == pytest.approx([1.0, 10 / 20, 15 / 55])
    assert found["span_precision"][:3] == pytest.approx([1.0, 1.0, 3 / 4])
    assert found["span_recall"][:3] == pytest.approx([1 / 2, 1 / 2, 1.0])
    assert found["characters"] == [10, 30, 65, 65, 65, 65, 65]
    assert found["bound_recall"][:2] == pytest.approx([20 / 30, 1.0])
    assert found[FIRST] == [1.0]


def test_the_same_place_twice_has_an_official_recall_of_two() -> None:
    question = Question("?", (snippet(0, 10),))
    found = figures(question, Answer("?", (snippet(0, 10), snippet(0, 10))))
    assert (found["official_recall"][1], found["union_recall"][1]) == (2.0, 1.0)


def test_methods_are_compared_at_equal_characters() -> None:
    question = Question("?", (snippet(0, 400), snippet(5_000, 5_600)))
    answer = Answer("?", (snippet(100, 300), snippet(0, 400), snippet(5_000, 9_000)))
    found = figures(question, answer)["recall_in_characters"]
    # Of 500 characters 400 are the first two snippets', and what is left of the third's begins.
    assert found[:3] == pytest.approx([500 / 1000, 1.0, 1.0])


def test_nothing_found_is_nothing() -> None:
    found = figures(Question("?", (snippet(0, 10),)), Answer("?", ()))
    assert all(
        value == 0.0 for name, row in found.items() if name != "bound_recall" for value in row
    )


SNIPPETS = st.lists(
    st.builds(
        lambda path, start, length: snippet(start, start + length, path),
        st.sampled_from("ab"),
        st.integers(0, 60),
        st.integers(1, 20),
    ),
    min_size=1,
    max_size=8,
)


@given(SNIPPETS, SNIPPETS)
def test_the_union_is_that_of_sets_of_characters(gold: list[Snippet], got: list[Snippet]) -> None:
    found = figures(Question("?", tuple(gold)), Answer("?", tuple(got)))
    wanted = {(one.file_path, at) for one in gold for at in range(one.span.start, one.span.end)}
    for place, k in enumerate(KS):
        held = {(o.file_path, at) for o in got[:k] for at in range(o.span.start, o.span.end)}
        assert found["union_recall"][place] == pytest.approx(len(wanted & held) / len(wanted))
        assert found["union_precision"][place] == pytest.approx(len(wanted & held) / len(held))
    assert all(low <= high for low, high in pairwise(found["union_recall"]))


def test_intervals_draw_contracts_and_sets_weigh_the_same() -> None:
    def asked(path: str, count: int) -> list[Question]:
        return [Question(f"{path}{at}", (snippet(0, 10, path),)) for at in range(count)]

    questions = [*asked("a", 30), *asked("b", 10)]
    answers = [Answer(each.query, (snippet(0, 10, "a"),)) for each in questions]
    big = resample_scores("big", questions, answers)
    scores = big.scores()
    recall = scores.at["union_recall"][0]
    assert (scores.questions, scores.contracts) == (40, 2)
    # Two contracts are drawn: both a, both b, or one of each.
    assert (recall.value, recall.low, recall.high) == (0.75, 0.0, 1.0)
    small = resample_scores("small", asked("c", 1), [Answer("c0", (snippet(0, 10, "c"),))])
    both = mean_of_sets([big, small]).scores()
    assert both.at["union_recall"][0].value == pytest.approx((0.75 + 1.0) / 2)
    assert both.questions == 41
    again = resample_scores("big", questions, answers).scores()
    assert again.at == scores.at
    assert scores.curve()[0] == (0.75, 0.75)
