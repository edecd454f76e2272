"""The law firm's rule, on small contracts with known answers."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.review.prompting.passages import fixed_chunks
from fourcorners.text.span import Span
from fourcorners_bench.extraction import loader as cuad
from fourcorners_bench.extraction import loader as runs
from fourcorners_bench.extraction.loader import CATEGORIES, AnnotatedContract, Extraction
from fourcorners_bench.extraction.score import (
    Counts,
    count_provision,
    macro_means,
    score_run,
)
from fourcorners_bench.run_files import write_lines

TEXT = "Alpha shall audit. " * 5 + "Either party may assign. " + " ".join(map(str, range(900)))


def contract(name: str = "a.txt", **marked: list[tuple[int, int]]) -> AnnotatedContract:
    annotations = {
        category: tuple(Span(s, e) for s, e in marked.get(re.sub(r"\W", "_", category), []))
        for category in CATEGORIES
    }
    return AnnotatedContract(name=name, group=name, text=TEXT, annotations=annotations)


def test_three_quarters_of_an_instance_are_enough_and_less_is_not() -> None:
    one = contract(Insurance=[(200, 300)])
    assert count_provision(one, "Insurance", [Span(225, 300)]).true_positives == 1
    assert count_provision(one, "Insurance", [Span(226, 300)]).false_negatives == 1


def test_an_instance_may_be_covered_by_several_quotes_together() -> None:
    one = contract(Insurance=[(200, 300)])
    counts = count_provision(one, "Insurance", [Span(190, 240), Span(260, 310), Span(205, 230)])
    assert counts.true_positives == 1
    assert (counts.returned, counts.right) == (100, 80)


def test_the_same_words_count_wherever_they_stand() -> None:
    one = contract(Audit_Rights=[(0, 18)])
    assert count_provision(one, "Audit Rights", [Span(38, 56)]).true_positives == 1
    assert count_provision(one, "Audit Rights", [Span(95, 119)]).false_negatives == 1


def test_each_instance_is_a_sample() -> None:
    one = contract(Insurance=[(120, 140), (150, 160), (170, 180)])
    counts = count_provision(one, "Insurance", [Span(120, 160)])
    assert (counts.true_positives, counts.false_negatives) == (2, 1)


def test_a_related_provision_is_forgiven_but_not_strictly() -> None:
    one = contract(Anti_Assignment=[(95, 119)])
    counts = count_provision(one, "Change Of Control", [Span(95, 119)])
    assert (counts.false_positives, counts.forgiven) == (0, 1)
    total = counts + Counts(true_positives=1, contracts=1)
    assert total.precision() == 1.0
    assert total.precision(strict=True) == 0.5
    unrelated = count_provision(one, "Insurance", [Span(95, 119)])
    assert (unrelated.false_positives, unrelated.forgiven) == (1, 0)


def test_nothing_returned_where_there_is_nothing_is_a_true_negative() -> None:
    assert count_provision(contract(), "Insurance", []) == Counts(true_negatives=1, contracts=1)


def test_chunks_are_counted_as_the_paper_cuts_them() -> None:
    assert len(fixed_chunks(3_500)) == 1
    assert len(fixed_chunks(3_501)) == 2
    assert len(fixed_chunks(3_500 + 2_800)) == 2
    assert len(fixed_chunks(3_500 + 2_801)) == 3


def lines(name: str, quotes: dict[str, list[Span]]) -> list[Extraction]:
    return [
        Extraction(name, category, tuple(quotes.get(category, ())), 0.5) for category in CATEGORIES
    ]


def test_scores_add_up_over_contracts() -> None:
    first = contract("a.txt", Insurance=[(120, 160)])
    second = contract("b.txt")
    run = lines("a.txt", {"Insurance": [Span(120, 160)]}) + lines(
        "b.txt", {"Insurance": [Span(0, 40)]}
    )
    figures = score_run([first, second], run).provisions["Insurance"]
    assert (figures.recall, figures.precision()) == (1.0, 0.5)
    assert figures.characters == 40
    counts = {"Insurance": figures, "Audit Rights": Counts(true_negatives=2)}
    assert macro_means(counts, ["Insurance"])["f1"] == pytest.approx(2 / 3)
    assert macro_means(counts, list(counts)) == macro_means(counts, ["Insurance"])


def test_a_missing_line_is_an_error_and_so_is_a_second_one() -> None:
    run = lines("a.txt", {})
    with pytest.raises(ConfigError, match=r"no line for 'a\.txt' × 'Parties'"):
        score_run([contract()], [line for line in run if line.provision != "Parties"])
    with pytest.raises(ConfigError, match="two lines"):
        score_run([contract()], [*run, run[0]])


def test_a_run_survives_its_file(tmp_path: Path) -> None:
    run = [Extraction("é.txt", "Insurance", (Span(1, 4),), 0.25, ((Span(1, 4), 0.25),))]
    write_lines(tmp_path / "run.jsonl", run)
    assert runs.read_extractions(tmp_path / "run.jsonl") == run
    assert json.loads((tmp_path / "run.jsonl").read_text("utf-8")) == {
        "name": "é.txt",
        "provision": "Insurance",
        "quotes": [[1, 4]],
        "score": 0.25,
        "candidates": [[1, 4, 0.25]],
    }


def test_at_most_fifty_candidates_are_written(tmp_path: Path) -> None:
    many = tuple((Span(i, i + 1), 0.1) for i in range(80))
    write_lines(tmp_path / "run.jsonl", [Extraction("a", "Insurance", (), 0.1, many)])
    assert len(runs.read_extractions(tmp_path / "run.jsonl")[0].candidates) == 50


def test_a_line_that_is_no_answer_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text('{"name": "a"}\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="line 1"):
        runs.read_extractions(path)


def test_a_folder_without_the_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"annotations\.jsonl"):
        cuad.load_cuad(tmp_path)


def test_the_official_layout_is_read_too(tmp_path: Path) -> None:
    answer = {"text": "Alpha", "answer_start": 0}
    questions = [
        {"id": "T__Document Name", "answers": [answer]},
        {"id": "T__Insurance", "answers": []},
    ]
    entry = {"title": "T", "paragraphs": [{"context": "Alpha beta", "qas": questions}]}
    (tmp_path / "CUAD_v1.json").write_text(json.dumps({"data": [entry]}), encoding="utf-8")
    (only,) = cuad.load_cuad(tmp_path)
    assert only.name == "T.txt"
    assert only.annotations["Document Name"] == (Span(0, 5),)
    assert only.annotations["Insurance"] == ()


def test_folds_keep_groups_together_and_are_balanced() -> None:
    several = [
        AnnotatedContract(f"{group}-{n}", group, "", {})
        for group in (f"g{i}" for i in range(20))
        for n in range(3)
    ]
    fold = cuad.assign_folds(several)
    by_group: dict[str, set[int]] = {}
    for each, number in zip(several, fold, strict=True):
        by_group.setdefault(each.group, set()).add(number)
    assert all(len(numbers) == 1 for numbers in by_group.values())
    assert sorted(fold.count(number) for number in range(5)) == [12] * 5
    assert fold == cuad.assign_folds(several)


@pytest.mark.corpus
def test_the_annotations_of_the_corpus_lie_in_its_texts(corpus: Path) -> None:
    contracts = cuad.load_cuad(corpus / "cuad", limit=50)
    assert len(contracts) == 50
    for each in contracts:
        assert set(each.annotations) == set(CATEGORIES)
        for spans in each.annotations.values():
            assert all(span and span.end <= len(each.text) for span in spans)
