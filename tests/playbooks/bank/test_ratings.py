"""Clauses rated by several people: means, disputes, a panel's word, and nobody sees the others'."""

from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.playbooks.bank import store as banks
from fourcorners.playbooks.bank.files import read_clauses, write_beir
from fourcorners.playbooks.bank.ratings import (
    Ratings,
    bank_ratings,
    disagreement,
    own_stars,
    rate_clause,
)
from fourcorners.playbooks.bank.store import BankClause

CLAUSE = BankClause("Insurance", "The Carrier shall insure the Goods.")
OTHER = BankClause("Termination", "Either party may end this Agreement.", source="larch.docx")


@pytest.fixture
def library(tmp_path: Path) -> Library:
    found = Library.open(tmp_path / "bank.db")
    banks.store_clauses(found, "ours", [CLAUSE, OTHER])
    return found


def test_the_stars_are_the_mean_of_what_people_say(library: Library) -> None:
    assert rate_clause(library, "ours", CLAUSE.id, 4, "Ada").stars == 4
    assert rate_clause(library, "ours", CLAUSE.id, 5, "Ben").stars == 5  # 4.5, halves up
    assert rate_clause(library, "ours", CLAUSE.id, 4, "Cyd").stars == 4
    assert rate_clause(library, "ours", CLAUSE.id, 3, " Ada ").stars == 4  # she thought again
    ratings = bank_ratings(library, "ours")
    assert ratings[CLAUSE.id].given == {"Ada": 3, "Ben": 5, "Cyd": 4}
    assert ratings[CLAUSE.id].average == 4.0
    assert own_stars(ratings, CLAUSE.id, "Ada") == 3
    assert own_stars(ratings, CLAUSE.id, "Dan") is None
    assert own_stars(ratings, OTHER.id, "Ada") is None
    assert rate_clause(library, "ours", CLAUSE.id, None, "Ada").stars == 5
    with pytest.raises(ConfigError, match="needs a name"):
        rate_clause(library, "ours", CLAUSE.id, 3, " ")


def test_a_panel_decides_where_people_differ(library: Library) -> None:
    rate_clause(library, "ours", CLAUSE.id, 2, "Ada")
    rate_clause(library, "ours", CLAUSE.id, 3, "Ben")
    assert bank_ratings(library, "ours")[CLAUSE.id].is_disputed
    assert rate_clause(library, "ours", CLAUSE.id, 2).stars == 2
    assert rate_clause(library, "ours", CLAUSE.id, 5, "Cyd").stars == 2
    assert bank_ratings(library, "ours")[CLAUSE.id].decided == 2
    assert rate_clause(library, "ours", CLAUSE.id, None).stars == 3


@pytest.mark.parametrize(
    ("stars", "disputed"),
    [((3, 5), False), ((1, 2), False), ((2, 3), True), ((1, 4), True), ((5,), False)],
)
def test_people_differ_by_stars_or_on_relevance(stars: tuple[int, ...], disputed: bool) -> None:
    ratings = Ratings("x", {str(at): each for at, each in enumerate(stars)})
    assert ratings.is_disputed is disputed
    assert disagreement([ratings]) == (int(disputed), int(len(stars) > 1))


def test_a_bank_in_beirs_layout_is_read_back(library: Library, tmp_path: Path) -> None:
    rate_clause(library, "ours", CLAUSE.id, 1)
    rate_clause(library, "ours", OTHER.id, 5)
    clauses = banks.bank_clauses(library, "ours")
    assert write_beir(clauses, tmp_path / "beir") == 2
    qrels = (tmp_path / "beir" / "qrels" / "test.tsv").read_text("utf-8").splitlines()
    assert qrels[1:] == [f"q1\t{CLAUSE.id}\t0", f"q2\t{OTHER.id}\t4"]
    read = {(each.provision, each.text): each.stars for each in read_clauses(tmp_path / "beir")}
    assert read == {(each.provision, each.text): each.stars for each in clauses}


def judgements(folder: Path, split: str) -> list[list[str]]:
    lines = (folder / "qrels" / f"{split}.tsv").read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines[1:]]


@pytest.mark.parametrize(
    ("provisions", "sizes"),
    [(1, (0, 0, 1)), (2, (1, 0, 1)), (3, (0, 1, 2)), (20, (9, 1, 10)), (100, (45, 5, 50))],
)
def test_the_queries_of_a_bank_are_divided_each_into_one_split(
    provisions: int, sizes: tuple[int, ...], tmp_path: Path
) -> None:
    clauses = [BankClause(f"Kind {at}", f"Words {at}.", 3) for at in range(provisions)]
    assert write_beir(clauses, tmp_path, split=True) == provisions
    parts = [judgements(tmp_path, split) for split in ("train", "valid", "test")]
    assert tuple(map(len, parts)) == sizes
    assert len({row[0] for part in parts for row in part}) == provisions
    before = (tmp_path / "qrels" / "test.tsv").read_bytes()
    write_beir(clauses, tmp_path, split=True)
    assert (tmp_path / "qrels" / "test.tsv").read_bytes() == before


def test_clauses_of_other_provisions_are_added_as_irrelevant_and_never_ones_own(
    tmp_path: Path,
) -> None:
    clauses = [
        BankClause("Insurance", "The Carrier insures the Goods.", 4),
        BankClause("Insurance", "Words of both kinds.", 3),
        BankClause("Cover", "Words of both kinds.", 2),
        BankClause("Law", "The law of Norway applies."),
    ]
    assert write_beir(clauses, tmp_path, expand=5) == 3
    added = {(row[0], row[1]) for row in judgements(tmp_path, "test") if row[2] == "0"}
    assert ("q1", clauses[3].id) in added
    assert not {("q1", clauses[1].id), ("q1", clauses[2].id), ("q2", clauses[2].id)} & added


@pytest.mark.parametrize("split", [False, True])
def test_clauses_that_were_added_are_not_read_back_as_judged(tmp_path: Path, split: bool) -> None:
    clauses = [BankClause(name, f"Words of {name}.", 4) for name in ("Cover", "Law", "Rent")]
    write_beir(clauses, tmp_path, split=split, expand=2)
    with pytest.raises(ConfigError, match="nobody has rated them") as refused:
        list(read_clauses(tmp_path))
    assert "without --expand" in refused.value.remedy
    write_beir(clauses, tmp_path, split=split)
    assert {each.stars for each in read_clauses(tmp_path)} == {4}
