"""`bank import|list|rate|export` as a person runs them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Program

INSURED = "The Carrier shall keep the Goods insured against fire and theft."
AUDIT = "The Shipper may inspect the Carrier's books once a year."
CLAUSES = [
    {"provision": "Insurance", "text": INSURED, "stars": 4, "source": "larch.docx"},
    {"provision": "Insurance", "text": INSURED.upper()},
    {"provision": "Audit Rights", "text": AUDIT},
]


@pytest.fixture
def filled(program: Program) -> Program:
    """A program whose library holds the clauses in a bank "ours"."""
    lines = "".join(f"{json.dumps(clause)}\n" for clause in CLAUSES)
    (program.folder / "clauses.jsonl").write_text(lines, "utf-8")
    said = program("bank", "import", "clauses.jsonl", "--bank", "ours", "--library", "a.db").out
    assert said == "2 clauses added to 'ours'; 1 it held already.\n"
    return program


def test_banks_and_their_clauses_are_listed(filled: Program) -> None:
    listed = filled("bank", "list", "--library", "a.db").out.splitlines()
    assert listed == [
        "ours  Audit Rights: 1 clause, 0 with stars",
        "ours  Insurance: 1 clause, 1 with stars",
    ]
    said = filled("bank", "list", "--bank", "ours", "--library", "a.db").out
    assert "Insurance  ★★★★  larch.docx" in said
    assert INSURED in said
    assert "Audit Rights  no stars" in said
    starred = filled("bank", "list", "-b", "ours", "--stars", "4", "--library", "a.db", "--json")
    assert [each["text"] for each in starred.json] == [INSURED]


def test_stars_are_given_and_taken(filled: Program) -> None:
    run = ("bank", "list", "--bank", "ours", "--provision", "audit rights", "--library", "a.db")
    (clause,) = filled(*run, "--json").json
    said = filled("bank", "rate", clause["id"][:5], "5", "-b", "ours", "--library", "a.db").out
    assert "★★★★★" in said
    assert filled(*run, "--json").json[0]["stars"] == 5
    filled("bank", "rate", clause["id"], "0", "-b", "ours", "--library", "a.db")
    assert filled(*run, "--json").json[0]["stars"] is None


def test_what_is_exported_imports_again(filled: Program) -> None:
    said = filled("bank", "export", "--bank", "ours", "--out", "o.jsonl", "--library", "a.db").out
    assert said == "2 clauses written to o.jsonl.\n"
    again = filled("bank", "import", "o.jsonl", "--bank", "b", "--library", "b.db", "--json").json
    assert again == {"bank": "b", "added": 2, "known": 0}
    run = ("bank", "list", "--json")
    ours = filled(*run, "--bank", "ours", "--library", "a.db").json
    assert filled(*run, "--bank", "b", "--library", "b.db").json == ours


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("list", "--bank", "theirs"), "It has: ours."),
        (("list", "--bank", "ours", "--provision", "Rent"), "It holds: Audit Rights, Insurance."),
        (("list", "--stars", "4"), "Name the bank with --bank."),
        (("rate", "zzz", "3", "--bank", "ours"), "no clause whose id starts with 'zzz'"),
        (("import", "nothing.jsonl"), "there is no such file or folder"),
    ],
)
def test_what_is_wrong_is_told(filled: Program, arguments: tuple[str, ...], told: str) -> None:
    assert told in filled("bank", *arguments, "--library", "a.db", code=2, columns=200).err


def test_an_empty_library_says_how_to_fill_it(program: Program) -> None:
    (program.folder / "none.jsonl").write_text("", "utf-8")
    program("bank", "import", "none.jsonl", "--library", "a.db")
    assert "Import one: fourcorners bank import" in program("bank", "list", "--library", "a.db").out
