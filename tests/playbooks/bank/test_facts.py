"""What a firm notes of a clause: stored, exported, imported from columns, and told."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.playbooks.bank import store as banks
from fourcorners.playbooks.bank.facts import ClauseFacts, ClauseStanding, clause_facts, parse_day
from fourcorners.playbooks.bank.files import read_clauses
from fourcorners.playbooks.bank.store import BankClause
from fourcorners.precedents import clause as precedents
from tests.documents.test_tables import word_file, workbook

INSURED = "The Carrier shall keep the Goods insured against fire and theft."
FACTS = ClauseFacts("Ada", "Bram", date(2026, 1, 2), "England", date(2027, 12, 31))
HEADS = ("Kind of clause", "Text", "Stars", "Owner", "Approved by", "Approved on", "Law", "Expires")


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library.open(tmp_path / "bank.db")


def test_facts_are_kept_exported_and_read_again(library: Library, tmp_path: Path) -> None:
    clause = BankClause("Insurance", INSURED, facts=FACTS)
    banks.store_clauses(library, "ours", [clause])
    assert banks.bank_clauses(library, "ours") == [clause]
    assert banks.find_clause(library, "ours", clause.id[:6]).facts == FACTS
    (tmp_path / "out.jsonl").write_text("\n".join(banks.clause_lines([clause])), "utf-8")
    assert list(read_clauses(tmp_path / "out.jsonl")) == [clause]


def test_facts_are_changed_and_an_import_without_any_leaves_them(library: Library) -> None:
    plain = BankClause("Insurance", INSURED)
    banks.store_clauses(library, "ours", [plain])
    banks.set_facts(library, "ours", plain.id, FACTS)
    banks.store_clauses(library, "ours", [plain])
    assert clause_facts(library, "ours") == {plain.id: FACTS}
    assert clause_facts(library, "theirs") == {}
    banks.set_facts(library, "ours", plain.id, ClauseFacts())
    assert banks.bank_clauses(library, "ours") == [plain]
    with pytest.raises(ConfigError):
        banks.set_facts(library, "ours", "0" * 12, FACTS)
    for wrong in (
        ClauseFacts("x" * 201),
        ClauseFacts(approved=date(2027, 1, 1), expires=date(2026, 1, 1)),
    ):
        with pytest.raises(ConfigError):
            banks.set_facts(library, "ours", plain.id, wrong)


@pytest.mark.parametrize(
    ("facts", "standing"),
    [
        (ClauseFacts(), "unknown"),
        (ClauseFacts(owner="Ada"), "unapproved"),
        (ClauseFacts(approved_by="Ada"), "approved"),
        (ClauseFacts(approved=date(2026, 1, 1)), "approved"),
        (ClauseFacts(approved_by="Ada", expires=date(2026, 5, 2)), "approved"),
        (ClauseFacts(approved_by="Ada", expires=date(2026, 5, 1)), "expired"),
    ],
)
def test_a_clause_stands_as_its_facts_say(facts: ClauseFacts, standing: str) -> None:
    assert facts.standing(date(2026, 5, 2)) is ClauseStanding(standing)


def test_an_expired_clause_is_not_drafted_from(library: Library) -> None:
    old = ClauseFacts(expires=date(2026, 5, 1))
    banks.store_clauses(library, "ours", [BankClause("Insurance", INSURED, facts=old)])
    assert len(precedents.bank_clauses(library, "ours")) == 1
    assert len(precedents.bank_clauses(library, "ours", on=date(2026, 5, 1))) == 1
    assert precedents.bank_clauses(library, "ours", on=date(2026, 5, 2)) == []


@pytest.mark.parametrize("kind", ["xlsx", "docx"])
def test_a_bank_is_imported_from_columns(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"bank.{kind}"
    row = ("Insurance", INSURED, "4", "Ada", "Bram", "2 January 2026", "England", "2027-12-31")
    found = list(read_clauses((workbook if kind == "xlsx" else word_file)(path, [HEADS, row])))
    assert found == [BankClause("Insurance", INSURED, 4, facts=FACTS)]


def test_a_day_of_a_workbook_is_read_as_excel_stores_it(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "a.xlsx", [("Topic", "Clause", "Expiry"), ("Cap", INSURED, date(2027, 12, 31))]
    )
    (found,) = read_clauses(path)
    assert (found.provision, found.text, found.facts.expires) == (
        "Cap",
        INSURED,
        date(2027, 12, 31),
    )


@pytest.mark.parametrize("words", ["05/03/2027", "soon", "31 April 2027", "2027-13-01", "99999999"])
def test_what_is_no_day_is_refused(words: str) -> None:
    with pytest.raises(ConfigError, match="not a date"):
        parse_day(words)


@pytest.mark.parametrize(
    "rows",
    [
        [("Who", "When"), ("a", "b")],
        [("Topic", "Text"), ("Cap", "")],
        [("Topic", "Text", "Stars"), ("Cap", "x", "9")],
        [("Topic", "Text", "Expires"), ("Cap", "x", "soon")],
        [("Topic", "Text", "Expires"), ("Cap", "x", "05/03/2027")],
    ],
)
def test_a_table_with_an_error_is_refused_with_its_row(
    tmp_path: Path, rows: list[tuple[str, ...]]
) -> None:
    with pytest.raises(ConfigError):
        list(read_clauses(workbook(tmp_path / "a.xlsx", rows)))
