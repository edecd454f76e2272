from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.errors import ConfigError
from fourcorners.precedents.profile import Profile, parse_method
from fourcorners_bench.precedents import run as preceding
from fourcorners_bench.precedents.loader import (
    AcordQuery,
    Format,
    Ranking,
    load_split,
    match_run,
    rank_by_score,
    read_run,
)
from fourcorners_bench.precedents.paper import paper_figures
from fourcorners_bench.precedents.report import (
    category_table,
    format_table,
    summary_table,
)
from fourcorners_bench.precedents.run import ClauseRanker
from fourcorners_bench.precedents.score import (
    mean_figures,
    precedent_measures,
    score_query,
    score_run,
)
from fourcorners_bench.run_files import run_benchmark, run_line, write_lines
from tests.models.fake import HashEncoder

CLAUSES = {
    "c1": "The liability of either party shall not exceed the fees paid.",
    "a1": "This Agreement is governed by the laws of New York.",
    "b1": "Each party shall keep the information of the other confidential.",
    "d1": "Supplier is liable without limit.",
}
SCORES = [
    ("cap on liability", "c1", 4),
    ("cap on liability", "d1", 1),
    ("cap on liability", "a1", 0),
]
QUOTED = '"New York" law'


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "qrels").mkdir()
    lines = [json.dumps({"_id": key, "text": text}) for key, text in CLAUSES.items()]
    (tmp_path / "corpus.jsonl").write_text("\n".join(lines) + "\n")
    queries = [("cap on liability", "Liability"), (QUOTED, "Governing Law")]
    (tmp_path / "queries.jsonl").write_text(
        "".join(
            json.dumps({"_id": query, "text": query, "metadata": {"category": category}}) + "\n"
            for query, category in queries
        )
    )
    rows = [*SCORES, ('"""New York"" law"', "a1", 3), ('"""New York"" law"', "b1", 0)]
    (tmp_path / "qrels" / "train.tsv").write_text(
        "query-id\tcorpus-id\tscore\n" + "".join(f"{q}\t{c}\t{s}\n" for q, c, s in rows)
    )
    (tmp_path / "query_formats.tsv").write_text(
        "ACORD Query\tMedium Format\tLong Format\nnew york LAW\tA clause\tA longer clause\n"
    )
    return tmp_path


def test_a_split_has_its_clauses_in_order_of_ids_and_its_wordings(data: Path) -> None:
    split = load_split(data, "train")
    assert [asked.id for asked in split.queries] == ["cap on liability", QUOTED]
    assert list(split.queries[0].judged.items()) == [("a1", 0), ("c1", 4), ("d1", 1)]
    assert split.queries[1].wording(Format.LONG) == "A longer clause"
    assert split.queries[0].wording(Format.LONG) == "cap on liability"
    assert split.queries[1].category == "Governing Law"
    assert preceding.queries_without_wording(split, "medium") == ["cap on liability"]
    assert preceding.wordings(split.queries[1], "both") == [QUOTED, "A longer clause"]
    assert preceding.wordings(split.queries[0], "both") == ["cap on liability"]


def test_a_split_that_is_not_there_is_told_with_those_that_are(data: Path) -> None:
    with pytest.raises(ConfigError, match=r"qrels/test\.tsv") as caught:
        load_split(data, "test")
    assert "train" in caught.value.remedy


@pytest.mark.parametrize("row", ["cap on liability\tc1\t5", "cap on liability\tc1", "x\tc1\t1"])
def test_a_wrong_score_is_refused(data: Path, row: str) -> None:
    (data / "qrels" / "train.tsv").write_text(f"query-id\tcorpus-id\tscore\n{row}\n")
    with pytest.raises(ConfigError):
        load_split(data, "train")


def test_gains_are_linear_and_stars_are_plain_hits_of_five() -> None:
    asked = AcordQuery(
        "q", "k", {Format.SHORT: "q"}, {"a": 0, "b": 4, "c": 2, "d": 0, "e": 0, "f": 0}
    )
    row = score_query(asked, rank_by_score("q", {"a": 6, "b": 5, "c": 4, "d": 3, "e": 2, "f": 1}))
    best = 4 + 2 / 1.584962500721156
    got = 4 / 1.584962500721156 + 2 / 2
    assert row.values[0] == pytest.approx(got / best)
    assert row.values[2:] == (2 / 5, 1 / 5, 1 / 5)


def test_measures_are_those_of_ir_measures() -> None:
    judged = {"a": 4, "b": 0, "c": 2, "d": 3, "e": 1, "f": 2, "g": 0}
    asked = AcordQuery("q", "k", {Format.SHORT: "q"}, judged)
    row = score_query(asked, rank_by_score("q", {name: -at for at, name in enumerate("bcadgfe")}))
    ndcg = (0.5593774567339876, 0.6878319864200335)  # nDCG@5, nDCG@10 of ir-measures 0.4.3
    assert row.values == pytest.approx((*ndcg, 0.6, 0.4, 0.2), abs=1e-15)


def test_a_query_without_a_five_star_clause_does_not_count_for_them() -> None:
    asked = AcordQuery("q", "k", {Format.SHORT: "q"}, {"a": 2, "b": 0})
    row = score_query(asked, rank_by_score("q", {"a": 1.0, "b": 0.0}))
    assert row.values == (1.0, 1.0, 1 / 5, None, None)
    part = mean_figures([row])
    assert part["5-star@5"].value is None
    assert part["ndcg@5"].to_json() == [1.0, 1.0, 1.0]


def test_equal_scores_are_ordered_by_id_and_unjudged_clauses_do_not_count() -> None:
    asked = AcordQuery("q", "k", {Format.SHORT: "q"}, {"a": 0, "b": 4})
    assert rank_by_score("q", {"b": 1.0, "a": 1.0}).ranking == (("a", 1.0), ("b", 1.0))
    with_unjudged = score_query(asked, rank_by_score("q", {"z": 9.0, "b": 1.0, "a": 0.5}))
    assert with_unjudged.values[0] == 1.0


def test_what_is_missing_is_an_error(data: Path) -> None:
    asked = AcordQuery("q", "k", {Format.SHORT: "q"}, {"a": 0, "b": 4})
    with pytest.raises(ConfigError, match="lacks 1 of its 2"):
        score_query(asked, rank_by_score("q", {"a": 1.0}))
    with pytest.raises(ConfigError, match="no line for 'q'"):
        score_run([asked], [])
    one = rank_by_score("cap on liability", {"a1": 1.0, "c1": 2.0, "d1": 3.0})
    with pytest.raises(ConfigError, match="no line for 1 of the 2"):
        match_run(data, [one])
    assert [each.id for each in match_run(data, [one], partial=True).queries] == [
        "cap on liability"
    ]
    with pytest.raises(ConfigError, match="no split"):
        match_run(data, [rank_by_score("other", {"a1": 1.0})])


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=8),
        st.floats(allow_nan=False, allow_infinity=False),
        min_size=1,
        max_size=8,
    )
)
def test_a_run_file_holds_what_was_ranked(
    tmp_path_factory: pytest.TempPathFactory, scores: dict[str, float]
) -> None:
    path = tmp_path_factory.mktemp("run") / "run.jsonl"
    run = [rank_by_score("a query", scores)]
    write_lines(path, run)
    assert run_benchmark(path) == "precedents"
    assert read_run(path) == run
    line = json.loads(path.read_text(encoding="utf-8"))
    assert list(line) == ["query", "ranking"]


def test_a_line_that_is_none_of_a_run_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text('{"query": "q", "ranking": [["a", 1]]}\n{"query": "q", "ranking": [1]}\n')
    with pytest.raises(ConfigError, match="line 2"):
        read_run(path)
    path.write_text("[]\n")
    assert run_benchmark(path) != "precedents"


@pytest.mark.parametrize("how", [Profile.BM25, Profile.DENSE, Profile.HYBRID, Profile.DEFAULT])
def test_every_query_ranks_all_that_was_judged_and_nothing_else(data: Path, how: Profile) -> None:
    split = load_split(data, "train")
    run = preceding.run_precedents(split, ClauseRanker(HashEncoder(384), "both", how))
    assert [{clause for clause, _ in each.ranking} for each in run] == [
        set(asked.judged) for asked in split.queries
    ]
    assert run[0].ranking[0][0] in {"c1", "d1"}
    rows = score_run(split.queries, run)
    told = precedent_measures(rows)
    assert told["queries"] == 2
    assert summary_table(rows, "t").row_count > 10
    assert category_table(rows).row_count >= 4


def test_stars_are_never_looked_at(data: Path) -> None:
    before = preceding.run_precedents(load_split(data, "train"), ClauseRanker(HashEncoder(384)))
    path = data / "qrels" / "train.tsv"
    path.write_text(path.read_text().replace("c1\t4", "c1\t0").replace("a1\t0", "a1\t4"))
    assert (
        preceding.run_precedents(load_split(data, "train"), ClauseRanker(HashEncoder(384)))
        == before
    )


def test_a_profile_that_is_none_is_told_with_those_that_are() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_method("best")
    assert "hybrid" in caught.value.remedy


def test_the_papers_figures_are_percentages_of_five_measures() -> None:
    known = paper_figures()
    assert len(known.systems) == 20
    for each in known.systems:
        assert len(each.figures) == 5
        assert all(value is not None and 1 < value < 100 for value in each.figures)
    assert len(known.categories) == 9
    assert len(known.formats) == 6
    assert format_table().row_count == 18
    gpt = [each for each in known.systems if each.system == "Bi-Encoder-MiniLM + GPT4o"]
    assert gpt[0].figures == (79.1, 81.2, 81.4, 62.1, 17.2)


@pytest.mark.corpus
def test_words_alone_reach_what_they_reached_in_the_trials(corpus: Path) -> None:
    split = load_split(corpus / "acord", "train")
    assert len(split.queries) == 51
    assert preceding.queries_without_wording(split, "long") == [
        "indemnification clauses that include hold harmless"
    ]
    run = preceding.run_precedents(split, ClauseRanker(HashEncoder(384), profile=Profile.BM25))
    values = [figure.value for figure in mean_figures(score_run(split.queries, run)).values()]
    assert values[0] == pytest.approx(0.545, abs=0.01)
    assert values[1] == pytest.approx(0.563, abs=0.01)


def test_a_ranking_is_written_as_the_run_file_has_it() -> None:
    assert run_line(Ranking("q", (("a", 0.5),))) == '{"query": "q", "ranking": [["a", 0.5]]}'
