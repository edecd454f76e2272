"""`fourcorners redline --change` with a clause bank, for a file that is given by its path."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Program
from tests.redline.word_contracts import contract, word_file


@pytest.fixture
def supply(tmp_path: Path) -> Path:
    path = tmp_path / "supply.docx"
    path.write_bytes(word_file({"body": contract(typed=True)}))
    return path


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
