from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.errors import ConfigError
from fourcorners.models.entailment.model import EntailmentModel
from fourcorners.models.entailment.verdict import Label, Verdict
from fourcorners.playbooks.load import load_playbook as load_playbook
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from fourcorners_bench.entailment import run as entailing
from fourcorners_bench.entailment.loader import (
    AnnotatedDocument,
    JudgedHypothesis,
    Quote,
    Split,
    Truth,
    find_split,
    load_split,
    match_run,
    read_run,
)
from fourcorners_bench.entailment.paper import paper_figures
from fourcorners_bench.entailment.report import (
    evidence_table,
    hypothesis_table,
    label_table,
)
from fourcorners_bench.entailment.score import (
    average_precision,
    entailment_measures,
    f1,
    macro_f1,
    score_document,
    span_scores,
    weighted_f1,
)
from fourcorners_bench.run_files import run_benchmark, write_lines

SENTENCES = (
    "The Recipient may make copies of the Information.",
    "The Recipient shall not poach staff of the Discloser.",
    "This deed is governed by the law of Norway.",
)
TEXT = " ".join(SENTENCES)
STARTS = [TEXT.index(each) for each in SENTENCES]
SPANS = [[start, start + len(each)] for start, each in zip(STARTS, SENTENCES, strict=True)]
LABELS = {
    "copy": {"short_description": "Copies", "hypothesis": "Recipient may make copies."},
    "poach": {"short_description": "Staff", "hypothesis": "Recipient may poach staff."},
    "audit": {"short_description": "Audit", "hypothesis": "Discloser may audit accounts."},
}
ANNOTATIONS = {
    "copy": {"choice": "Entailment", "spans": [0]},
    "poach": {"choice": "Contradiction", "spans": [1]},
    "audit": {"choice": "NotMentioned", "spans": []},
}


def content(*ids: int) -> dict[str, object]:
    return {
        "documents": [
            {
                "id": each,
                "file_name": f"{each}.txt",
                "text": TEXT,
                "spans": SPANS,
                "annotation_sets": [{"annotations": ANNOTATIONS}],
            }
            for each in ids
        ],
        "labels": LABELS,
    }


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "dev.json"
    path.write_text(json.dumps(content(7, 8)))
    return path


def perfect(split: Split) -> list[JudgedHypothesis]:
    chance = {
        Label.ENTAILMENT: (1.0, 0.0, 0.0),
        Label.CONTRADICTION: (0.0, 1.0, 0.0),
        Label.NOT_MENTIONED: (0.0, 0.0, 1.0),
    }
    return [
        JudgedHypothesis(
            document.id,
            key,
            truth.label,
            chance[truth.label],
            tuple(Quote(document.spans[at], 1.0) for at in sorted(truth.evidence)),
        )
        for document in split.documents
        for key, truth in document.truths.items()
    ]


def scored(split: Split, run: list[JudgedHypothesis]) -> dict[str, object]:
    return dict(entailment_measures([score_document(*each) for each in match_run(split, run)]))


def test_a_perfect_run_gets_all(data: Path) -> None:
    split = load_split(data)
    figures = scored(split, perfect(split))
    for name in ("accuracy", "f1_weighted", "f1_contradiction", "evidence_map"):
        assert figures[name] == 1.0
    assert figures["evidence_recall_600_characters"] == 1.0
    assert figures["evidence_map_pooled"] == 1.0
    assert figures["intervals"]["accuracy"] == [1.0, 1.0]  # type: ignore[index]


class Ranking:
    """Finds each span likelier than the one before it."""

    def judge(
        self, text: str, spans: Sequence[Span], hypotheses: Sequence[str]
    ) -> Sequence[Verdict]:
        assert all(span.text_in(text) for span in spans)
        evidence = tuple((at, 0.8 + at / 10) for at in reversed(range(len(spans))))
        return [Verdict(Label.ENTAILMENT, (1.0, 0.0, 0.0), evidence) for _ in hypotheses]


def test_what_is_too_long_for_the_room_is_quoted_from_its_beginning_before_the_whole() -> None:
    long, short = "The Recipient " + "shall wait and " * 60 + "rest.", "It may copy the plans."
    text = f"{long} {short}"
    spans = (Span(0, len(long)), Span(len(long) + 1, len(text)))
    truth = Truth(Label.ENTAILMENT, frozenset((0, 1)))
    document = AnnotatedDocument(7, "7.txt", text, spans, {"copy": truth})
    (judged,) = entailing.answer_document(
        document, spans, {"copy": "Recipient may copy."}, Ranking()
    )
    first, begun, whole = judged.quotes
    assert (first.span, whole.span) == (spans[1], spans[0])
    assert begun.span.start == 0
    assert 560 < len(begun.span) + len(short) <= 600
    assert begun.score == whole.score
    (outcome,) = score_document(document, {"copy": judged})
    assert outcome.evidence is not None
    found = (len(begun.span) + len(short)) / (len(long) + len(short))
    assert outcome.evidence.characters == pytest.approx(found)
    assert outcome.evidence.precision == 1.0


def test_a_wrong_label_and_a_missed_span_cost(data: Path) -> None:
    split = load_split(data)
    run = perfect(split)
    run[1] = JudgedHypothesis(
        7,
        "poach",
        Label.NOT_MENTIONED,
        (0, 0, 1),
        (Quote(Span(*SPANS[2]), 0.9), Quote(Span(*SPANS[1]), 0.1)),
    )
    figures = scored(split, run)
    assert figures["accuracy"] == pytest.approx(5 / 6, abs=1e-4)
    assert figures["f1_contradiction"] == pytest.approx(2 / 3, abs=1e-4)
    assert figures["f1_notmentioned"] == pytest.approx(4 / 5, abs=1e-4)
    assert figures["evidence_map"] == pytest.approx(3.5 / 4)
    assert figures["evidence_recall@1"] == pytest.approx(3 / 4)
    assert figures["confusion"]["Contradiction"]["NotMentioned"] == 1  # type: ignore[index]


def test_f1_is_as_counted_by_hand(data: Path) -> None:
    split = load_split(data)
    outcomes = [each for pair in match_run(split, perfect(split)) for each in score_document(*pair)]
    assert f1(outcomes, Label.ENTAILMENT) == 1.0
    assert weighted_f1(outcomes) == 1.0
    assert macro_f1(outcomes, Label.CONTRADICTION) == 1.0  # of the one hypothesis that has it
    assert f1([], Label.ENTAILMENT) == 0.0


@pytest.mark.parametrize(
    ("relevant", "scores", "expected"),
    [
        ([True, False, False], [3, 2, 1], 1.0),
        ([False, True, True], [3, 2, 1], (1 / 2 + 2 / 3) / 2),
        ([True, False, False], [1, 1, 1], 1 / 3),  # equal scores stand together
        ([False, True], [1, -np.inf], 1 / 2),
    ],
)
def test_average_precision(relevant: list[bool], scores: list[float], expected: float) -> None:
    found = average_precision(np.array(relevant), np.array(scores, np.float64))
    assert found == pytest.approx(expected)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3)), min_size=1, max_size=12))
def test_average_precision_needs_no_order(pairs: list[tuple[bool, int]]) -> None:
    def precision(rows: list[tuple[bool, int]]) -> float:
        return average_precision(
            np.array([each for each, _ in rows]), np.array([each for _, each in rows], np.float64)
        )

    assert precision(pairs) == pytest.approx(precision(pairs[::-1]))
    assert 0.0 <= precision(pairs) <= 1.0


def test_a_quote_ranks_the_spans_it_covers_by_half() -> None:
    spans = [Span(0, 10), Span(10, 30), Span(40, 50)]
    found = span_scores(spans, [Quote(Span(0, 18), 0.4), Quote(Span(0, 4), 0.9)])
    assert found.tolist() == [0.4, -np.inf, -np.inf]


def test_a_run_file_is_read_as_it_was_written(data: Path, tmp_path: Path) -> None:
    run = perfect(load_split(data))
    path = tmp_path / "run.jsonl"
    write_lines(path, run)
    assert run_benchmark(path) == "entailment"
    assert read_run(path) == run
    assert json.loads(path.read_text().splitlines()[0]) == {
        "document": 7,
        "hypothesis": "copy",
        "label": "Entailment",
        "scores": [1.0, 0.0, 0.0],
        "quotes": [[*SPANS[0], 1.0]],
    }


@pytest.mark.parametrize(
    "line",
    [
        "no JSON",
        '{"label": "Maybe", "scores": [1, 0, 0], "quotes": []}',
        '{"label": "Entailment", "scores": [1], "quotes": []}',
        '{"label": "Entailment", "scores": [1, 0, 0], "quotes": [[5, 2, 1]]}',
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(line.replace("{", '{"document": 7, "hypothesis": "copy", ') + "\n")
    with pytest.raises(ConfigError, match="line 1"):
        read_run(path)


def test_a_missing_a_double_and_an_unasked_line_are_errors(data: Path) -> None:
    split = load_split(data)
    run = perfect(split)
    with pytest.raises(ConfigError, match="no line for 7 × 'copy'"):
        match_run(split, run[1:])
    with pytest.raises(ConfigError, match="two lines for"):
        match_run(split, [*run, run[0]])
    with pytest.raises(ConfigError, match="document 8, which is not asked"):
        match_run(load_split(data, limit=1), run)


def test_a_file_of_another_form_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "dev.json"
    with pytest.raises(ConfigError, match="No such file"):
        load_split(path)
    path.write_text('{"documents": [{}], "labels": {}}')
    with pytest.raises(ConfigError, match="not of ContractNLI's form"):
        load_split(path)
    broken = content(1)
    broken["documents"][0]["spans"] = [[0, 99_999]]  # type: ignore[index]
    path.write_text(json.dumps(broken))
    with pytest.raises(ConfigError, match="beyond its end"):
        load_split(path)


def test_the_file_of_a_run_is_found_in_a_folder(data: Path) -> None:
    (data.parent / "test.json").write_text(json.dumps(content(9)))
    run = perfect(load_split(data))
    assert find_split(data.parent, run) == data
    assert find_split(data, run) == data
    with pytest.raises(ConfigError, match="no file"):
        find_split(data.parent, [JudgedHypothesis(10, "copy", Label.ENTAILMENT, (1, 0, 0), ())])


def test_words_say_what_is_meant(data: Path) -> None:
    split = load_split(data)
    judge = entailing.judge_for(entailing.Profile.WORDS)
    run = entailing.run_entailment(split, judge)
    assert [each.label for each in run[:3]] == [
        Label.ENTAILMENT,
        Label.CONTRADICTION,
        Label.NOT_MENTIONED,
    ]
    assert run[0].quotes[0].span == Span(*SPANS[0])
    assert sum(run[1].scores) == pytest.approx(1.0)


def test_tables_show_the_paper_beside(data: Path) -> None:
    split = load_split(data)
    figures = entailment_measures(
        [score_document(*each) for each in match_run(split, perfect(split))]
    )
    assert label_table(figures, "title").row_count == 2 + len(paper_figures().systems)
    assert evidence_table(figures).row_count == 4
    assert hypothesis_table(figures, split.hypotheses).row_count == 3
    best = max(paper_figures().systems, key=lambda each: each.figures[0])
    assert (best.system, best.figures[0]) == ("Gemma 3 27B, PAKTON", 0.8287)


@pytest.mark.corpus
def test_the_development_split_is_read(corpus: Path) -> None:
    split = load_split(corpus / "contractnli" / "dev.json")
    assert (len(split.documents), len(split.hypotheses)) == (61, 17)
    figures = scored(split, perfect(split))
    assert (figures["questions"], figures["accuracy"]) == (1037, 1.0)


def test_the_model_answers_among_given_spans_and_among_sentences(data: Path) -> None:
    split = load_split(data, limit=1)
    judge = entailing.judge_for(entailing.Profile.DEFAULT)
    given = entailing.run_entailment(split, judge)
    own = entailing.run_entailment(split, judge, given=False)
    spans = {Span(*each) for each in SPANS}
    assert {quote.span for answer in given for quote in answer.quotes} == spans
    assert {quote.span for answer in own for quote in answer.quotes} <= set(split_sentences(TEXT))
    assert [answer.hypothesis for answer in given] == list(LABELS)
    for answer in given:
        assert sum(answer.scores) == pytest.approx(1.0)


def test_unseen_hypotheses_are_judged_by_the_general_model() -> None:
    known = entailing.judge_for(entailing.Profile.DEFAULT)
    assert isinstance(known, EntailmentModel)
    asked = known.hypotheses[:1]
    spans = [Span(*each) for each in SPANS]
    guided, alone = (
        entailing.judge_for(how).judge(TEXT, spans, asked)
        for how in (entailing.Profile.UNSEEN, entailing.Profile.ALONE)
    )
    assert known.judge(TEXT, spans, asked) != guided != alone


def test_all_hypotheses_of_the_model_are_rules_of_the_playbook() -> None:
    known = entailing.judge_for(entailing.Profile.DEFAULT)
    assert isinstance(known, EntailmentModel)
    rules = entailing.rule_provisions(load_playbook(entailing.PLAYBOOK))
    assert set(rules) == set(known.hypotheses)


def test_documents_that_were_learned_from_are_named(data: Path) -> None:
    split = load_split(data)
    judge = entailing.judge_for(entailing.Profile.DEFAULT)
    assert entailing.trained_documents(judge, split) == []
    assert entailing.run_notes(judge, split) == []
    assert entailing.model_names(judge)["entailment"] is not None
    assert entailing.model_names(entailing.WordJudge())["entailment"] is None


@pytest.mark.corpus
def test_the_development_split_is_told_to_be_learned_from(corpus: Path) -> None:
    split = load_split(corpus / "contractnli" / "dev.json")
    judge = entailing.judge_for(entailing.Profile.DEFAULT)
    assert len(entailing.trained_documents(judge, split)) == 61
    assert "not out of fold" in entailing.run_notes(judge, split)[0]
