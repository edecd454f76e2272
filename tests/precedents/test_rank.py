from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from fourcorners.library.store import Library
from fourcorners.playbooks.bank import store as banks
from fourcorners.playbooks.bank.store import BankClause
from fourcorners.precedents import clause as gather
from fourcorners.precedents.clause import Clause, ClausePlace
from fourcorners.precedents.rank import MAX_RANKED, ClauseStock, rank_clauses
from fourcorners.precedents.scoring import vectors as kept
from fourcorners.precedents.scoring.score import model_for
from fourcorners.text.span import Span
from tests.models.fake import HashEncoder

CAP = "In no event shall either party's total liability exceed the fees paid."
LAW = "This Agreement is governed by the laws of the State of New York."


class Standing(HashEncoder):
    """A fake that takes the name of the encoder the model is for."""

    @property
    def name(self) -> str:
        from fourcorners.models import default_encoder

        return default_encoder().name


def clauses(*texts: str) -> list[Clause]:
    return [Clause(text, (ClausePlace(f"source {at}"),)) for at, text in enumerate(texts)]


def stock(encoder: HashEncoder, *texts: str) -> ClauseStock:
    return ClauseStock(clauses(*texts), encoder)


def test_the_clause_asked_for_comes_first_with_stars_and_reasons() -> None:
    found = rank_clauses("mutual liability cap", stock(Standing(384), LAW, CAP))
    assert [each.clause.text for each in found] == [CAP, LAW]
    assert found[0].expected is not None
    assert found[1].expected is not None
    assert 5 >= found[0].expected > found[1].expected >= 1
    assert found[0].reasons.covers == ("cap on liability", "of both parties")
    assert found[1].reasons.missing == ("cap on liability",)
    assert "speaks of both parties alike" in found[0].reasons.remarks
    assert any(each.startswith("short") for each in found[0].reasons.remarks)


def notice(who: str, other: str, days: str) -> str:
    return f"{who} may terminate this Agreement for convenience on {days} days' notice to {other}."


@pytest.mark.parametrize(
    ("query", "who", "days"),
    [
        ("customer may terminate for convenience on 30 days' notice", "The Customer", "30"),
        ("termination for convenience by the vendor, sixty days' notice", "The Supplier", "60"),
        ("mutual termination for convenience on 30 days' notice", "Either party", "30"),
        ("termination for convenience by a licensee on 60 days' notice", "Licensee", "sixty"),
    ],
)
def test_the_side_and_the_period_asked_for_come_first(query: str, who: str, days: str) -> None:
    wanted = notice(who, "the other", days)
    number = 60 if "60" in days or "sixty" in days else 30
    misses = [
        notice(each, "the other", f"{period}")
        for each in ("The Customer", "The Supplier", "Either party")
        for period in (30, 60, 90)
        if (each, period) != (who, number) and not (who == "Licensee" and each == "The Customer")
    ]
    for texts in ((*misses, wanted), (wanted, *misses)):
        first = rank_clauses(query, stock(HashEncoder(384), *texts), every=True)[0]
        assert first.clause.text == wanted
        assert any(each.startswith("of ") for each in first.reasons.covers)


def test_what_a_clause_lacks_names_the_side_and_the_period() -> None:
    text = notice("The Supplier", "the Customer", "60")
    found = rank_clauses("customer's termination on 30 days' notice", stock(HashEncoder(384), text))
    assert found[0].reasons.missing[-2:] == ("of the customer", "30 days")
    assert "speaks of both parties alike" not in found[0].reasons.remarks


def test_nearly_the_same_words_are_one_result_but_not_those_of_the_other_side() -> None:
    customer = [notice("The Customer", "the Supplier", days) for days in ("30", "45", "60")]
    vendor = notice("The Client", "the Vendor", "30")
    supplier = notice("The Supplier", "the Customer", "30")
    held = stock(HashEncoder(384), *customer, vendor, supplier, LAW)
    found = rank_clauses("customer's termination for convenience on 45 days' notice", held)
    assert [each.clause.text for each in found] == [customer[1], supplier, LAW]
    assert len(found[0].variants) == 3


def test_another_encoder_has_no_stars_but_an_order() -> None:
    assert model_for(HashEncoder(384)) is None
    found = rank_clauses("governing law", stock(HashEncoder(384), CAP, LAW), limit=1)
    assert [each.clause.text for each in found] == [LAW]
    assert found[0].expected is None
    assert found[0].relevant is None


def test_words_that_are_no_concept_are_told_one_by_one() -> None:
    found = rank_clauses("colour of roofs", stock(HashEncoder(384), "The roof has a colour."))
    assert found[0].reasons.covers == ("colour", "roofs")


def test_no_clauses_give_none_and_many_are_cut_to_the_likeliest() -> None:
    assert rank_clauses("cap", ClauseStock([], HashEncoder(384))) == []
    many = clauses(*(f"Item {at} of the schedule." for at in range(MAX_RANKED + 20)), CAP)
    asked: list[int] = []

    def vectors(texts: Sequence[str]) -> NDArray[np.float32]:
        asked.append(len(texts))
        return HashEncoder(384).encode(texts)

    found = rank_clauses(
        "liability cap", ClauseStock(many, HashEncoder(384), vectors=vectors), limit=1
    )
    assert asked == [MAX_RANKED]
    assert found[0].clause.text == CAP


def test_of_a_section_and_its_part_the_better_is_left_and_a_double_keeps_its_other_place() -> None:
    part = Clause(CAP, (ClausePlace("A", document="a", span=Span(10, 80)),))
    whole = Clause(f"{LAW} {CAP} {LAW}", (ClausePlace("A", document="a", span=Span(0, 150)),))
    double = Clause(
        f"1. {LAW}",
        (
            ClausePlace("A", document="a", span=Span(70, 90)),
            ClausePlace("B", document="b", span=Span(0, 60)),
        ),
    )
    held = ClauseStock([whole, part, double], HashEncoder(384))
    found = rank_clauses("total liability cap", held)
    assert [each.clause.text for each in found] == [part.text, double.text]
    assert [place.document for place in found[1].clause.places] == ["b"]
    assert [each.row for each in found] == [1, 2]
    assert len(rank_clauses("total liability cap", held, every=True)) == 3


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library.open(tmp_path / "l.db", create=True)


def test_a_bank_gives_its_clauses_once(library: Library) -> None:
    with library:
        banks.store_clauses(
            library,
            "deals",
            [
                BankClause("Liability", CAP, 4, "Cork v. Lime"),
                BankClause("Caps", "7.1 " + CAP, None, "Other"),
                BankClause("Law", LAW),
            ],
        )
        found = gather.bank_clauses(library, "deals")
        assert [len(each.places) for each in found] == [2, 1]
        assert found[0].stars == 4
        only = gather.bank_clauses(library, "deals", provision="Law")
        assert [each.text for each in only] == [LAW]


def test_a_label_that_a_bank_holds_is_no_clause(library: Library) -> None:
    with library:
        words = ["Termination", "12. Notices", "Time is of the essence."]
        banks.store_clauses(library, "deals", [BankClause("General", each) for each in words])
        assert [each.text for each in gather.bank_clauses(library, "deals")] == [words[2]]


def test_a_long_section_without_parts_is_cut_into_its_passages() -> None:
    text = "word " * 1_000
    whole, part = Span(0, 4_900), Span(100, 2_000)
    passages = [Span(0, 900), Span(900, 2_200), Span(2_200, 5_000)]
    path = ("1. Term",)
    cut = list(gather.cut_long([(part, path)], passages, text))
    assert cut == [(part, path)]
    cut = list(gather.cut_long([(whole, path), (part, path)], passages, text))
    assert cut == [(whole, path), (part, path)]
    cut = list(gather.cut_long([(whole, path)], passages, text))
    assert [span for span, _ in cut] == [*passages[:2], Span(2_200, 4_900)]


def test_vectors_are_made_once(library: Library) -> None:
    class Counting(HashEncoder):
        made = 0

        def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
            Counting.made += len(texts)
            return super().encode(texts)

    with library:
        first = kept.cached_vectors(library, [CAP, LAW, CAP], Counting(384))
        assert Counting.made == 2
        again = kept.cached_vectors(library, [LAW, CAP], Counting(384))
        assert Counting.made == 2
        assert np.array_equal(first[[1, 0]], again)
        assert kept.cached_vectors(library, [], Counting(384)).shape == (0, 384)


def test_who_is_meant_is_no_word_to_look_for() -> None:
    text = "Either party may mow the lawn on seven days' notice."
    held = stock(HashEncoder(384), text)
    found = rank_clauses("either party may mow the lawn on seven days", held)
    assert found[0].reasons.covers == ("lawn", "of both parties", "seven days")
    assert found[0].reasons.missing == ()


@pytest.mark.parametrize(
    "text",
    [
        "The Company's total liability shall not exceed the fees paid, on any basis whatsoever.",
        (
            "Each party's total liability shall not exceed the fees. The Supplier has no liability "
            "for loss of profit."
        ),
    ],
)
def test_whom_a_clause_favours_is_left_open_where_no_role_says_so(text: str) -> None:
    found = rank_clauses("liability cap", stock(HashEncoder(384), text))
    assert not any(each.startswith("one-sided") for each in found[0].reasons.remarks)
    alone = "In no event shall the Supplier's total liability exceed the fees paid."
    found = rank_clauses("liability cap", stock(HashEncoder(384), alone))
    assert "one-sided, for the seller" in found[0].reasons.remarks
