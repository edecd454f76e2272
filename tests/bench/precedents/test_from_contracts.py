from __future__ import annotations

from fourcorners.precedents.clause import Clause, ClausePlace
from fourcorners.precedents.rank import ClauseStock
from fourcorners.text.span import Span
from fourcorners_bench.precedents.from_contracts import (
    ContractTexts,
    LocatedClause,
    covering_clauses,
    locate_clauses,
    located_split,
    rank_stock,
)
from fourcorners_bench.precedents.loader import AcordQuery, Format, Split
from tests.models.fake import HashEncoder

CAP = "In no event shall the liability of either party exceed the fees paid hereunder."
LAW = "This Agreement is governed by the laws of the State of New York."
TEXTS = {
    "one": f"1. Liability\n{CAP}\n2. Law\n{LAW}\n",
    "two": "1. Nothing of the kind stands in this contract, which is about lemons.",
}


def test_words_are_placed_whatever_the_space_and_the_case() -> None:
    shelf = ContractTexts(TEXTS)
    found = shelf.find(CAP.upper().replace(" ", "\n  "))
    assert found is not None
    document, span = found
    assert document == "one"
    assert span.text_in(TEXTS["one"]) == CAP
    assert shelf.find("lemons") is None
    assert shelf.find(CAP, document="two") is None
    assert shelf.find("which is about lemons. In no event") is None


def test_what_was_left_out_is_no_part_of_a_clause() -> None:
    located = locate_clauses(
        {"a": f"{CAP} <omitted> {LAW}", "b": "Words that stand nowhere at all."},
        ContractTexts(TEXTS),
    )
    assert set(located) == {"a"}
    assert [span.text_in(TEXTS["one"]) for span in located["a"].spans] == [CAP, LAW]


def clause(start: int, end: int) -> Clause:
    return Clause(
        TEXTS["one"][start:end], (ClausePlace("one", document="one", span=Span(start, end)),)
    )


def test_three_quarters_of_a_clause_must_be_covered() -> None:
    located = {"a": LocatedClause("one", (Span(0, 40),))}
    assert covering_clauses(located, [clause(0, 30), clause(11, 40), clause(0, 80)]) == {
        "a": [0, 2]
    }


def test_a_judged_clause_has_the_score_of_its_best_hit_and_one_without_comes_last() -> None:
    start = TEXTS["one"].index(CAP)
    clauses = [clause(TEXTS["one"].index(LAW), len(TEXTS["one"])), clause(start, start + len(CAP))]
    asked = AcordQuery(
        "liability", "", {Format.SHORT: "liability exceed fees"}, {"a": 0, "b": 4, "c": 1}
    )
    split = Split("test", (asked,), {})
    stock = ClauseStock(clauses, HashEncoder(384))
    found = rank_stock(split, "short", stock, {"a": [0], "b": [0, 1]})
    assert [name for name, _ in found.run[0].ranking] == ["b", "a", "c"]
    scores = dict(found.run[0].ranking)
    assert scores["c"] < scores["a"] - 0.5
    assert found.order == {"liability": {1: 0, 0: 1}}


def test_only_located_clauses_and_queries_with_a_relevant_one_are_left() -> None:
    asked = [
        AcordQuery("one", "", {Format.SHORT: "one"}, {"a": 0, "b": 4}),
        AcordQuery("two", "", {Format.SHORT: "two"}, {"a": 1, "b": 0, "c": 4}),
    ]
    left = located_split(Split("test", tuple(asked), {}), ["a", "b"])
    assert [each.id for each in left.queries] == ["one"]
    assert left.queries[0].judged == {"a": 0, "b": 4}
