"""`fourcorners redline --change`: what is uncertain needs --force; a bank for a file by path."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Program
from tests.redline.word_contracts import contract, paragraph, run, word_file

SIMILAR = "All right, title and interest in the deliverables shall vest in the Supplier."


@pytest.fixture
def supply(tmp_path: Path) -> Path:
    path = tmp_path / "supply.docx"
    body = contract(typed=True, between=paragraph(run(SIMILAR)))
    path.write_bytes(word_file({"body": body}))
    return path


def test_an_uncertain_clause_is_changed_only_by_force(program: Program, supply: Path) -> None:
    asked = ("redline", supply, "--for", "Supplier", "-p", "commercial-terms")
    asked = (*asked, "--change", "ownership-of-results", "--json")
    value = program(*asked).json
    assert [each for each in value["changes"] if each["provision"] == "ownership-of-results"] == []
    (point,) = [each for each in value["to_decide"] if each["provision"] == "ownership-of-results"]
    assert "--force" in point["reason"]
    forced = program(*asked, "--force").json
    (change,) = [each for each in forced["changes"] if each["provision"] == "ownership-of-results"]
    assert change["basis"] == "person"
    assert change["cautions"]


def test_a_bank_for_a_contract_given_by_its_path(program: Program, supply: Path) -> None:
    clause = (
        "Licensor shall keep insurance of $5,000,000 with a sound insurer while this Agreement "
        "lasts, and shall show a certificate of it under Section 4.2 within ten (10) days."
    )
    row = {"provision": "Insurance", "text": clause, "source": "Cork v. Lime", "stars": 5}
    (program.folder / "clauses.jsonl").write_text(json.dumps(row) + "\n")
    program("bank", "import", "clauses.jsonl", "--bank", "deals", "--library", "l.db")
    value = program(
        *("redline", supply, "--for", "Supplier", "--change", "insurance", "--force", "--json"),
        *("--bank", "deals", "--library", "l.db"),
    ).json
    (change,) = [each for each in value["changes"] if each["provision"] == "insurance"]
    assert change["source"]["name"] == "Cork v. Lime"
    assert {"$5,000,000", "Section 4.2", "ten (10) days"} <= {*change["blanks"]}
