"""`playbook learn` from a bank and from annotated contracts, as a person runs it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from fourcorners.playbooks import load_playbook
from fourcorners.search.query.match import is_match
from fourcorners.text.tokenization import WordIndex
from tests.cli import tiny

if TYPE_CHECKING:
    from tests.conftest import Program


@pytest.fixture
def filled(program: Program) -> Program:
    """A program whose library holds a bank of three provisions, and a contract."""
    lines = [
        json.dumps({"provision": provision, "text": words, "source": f"deed {number}"})
        for number in range(12)
        for provision, words in tiny.clauses(number).items()
        if provision
    ]
    (program.folder / "clauses.jsonl").write_text("\n".join(lines), "utf-8")
    others = "\n\n".join(tiny.clauses(number)[""] for number in range(12))
    (program.folder / "deed.txt").write_text(f"DEED\n\n{others}\n", "utf-8")
    program("bank", "import", "clauses.jsonl", "--bank", "ours", "--library", "a.db")
    program("add", "deed.txt", "--library", "a.db")
    return program


def test_a_playbook_is_learned_from_a_bank(filled: Program) -> None:
    run = ("playbook", "learn", "--from", "ours", "--library", "a.db", "--out", "own.yaml")
    said = filled(*run).out
    assert "3 provisions written to own.yaml." in said
    made = load_playbook(filled.folder / "own.yaml")
    by_id = {provision.id: provision for provision in made.provisions}
    assert set(by_id) == {"insurance", "audit-rights", "governing-law"}
    insurance = by_id["insurance"]
    assert insurance.learned is not None
    for number in range(12):
        told = {name: WordIndex(words) for name, words in tiny.clauses(number).items()}
        assert [name for name in told if is_match(insurance.learned, told[name])] == ["Insurance"]
    assert insurance.examples
    assert set(insurance.examples) <= {tiny.clauses(n)["Insurance"] for n in range(12)}


def test_words_alone_and_one_provision(filled: Program) -> None:
    run = ("playbook", "learn", "--from", "ours", "--library", "a.db", "--out", "own.yaml")
    told = filled(*run, "--words-only", "--provision", "insurance", "--json").json
    (insurance,) = told["provisions"]
    assert insurance["provision"] == "Insurance"
    assert insurance["examples"] == []
    assert insurance["clauses"] == 12
    assert insurance["learned"] == pytest.approx(1.0)
    assert told["left_out"] == {}


def test_what_is_learned_is_added_to_a_playbook(filled: Program) -> None:
    run = ("playbook", "learn", "--from", "ours", "--library", "a.db", "--out", "own.yaml")
    said = filled(*run, "--words-only", "--playbook", "due-diligence").out
    assert "its own query" in said
    before, after = load_playbook("due-diligence"), load_playbook(filled.folder / "own.yaml")
    assert len(after.provisions) == len(before.provisions)
    assert str(after.provision("insurance").query) == str(before.provision("insurance").query)
    assert str(after.provision("insurance").learned) != str(before.provision("insurance").learned)


def test_a_playbook_is_learned_from_annotated_contracts(program: Program) -> None:
    tiny.write(program.folder / "cuad")
    run = ("playbook", "learn", "--data", "cuad", "--out", "own.yaml", "--words-only")
    told = program(*run, "--json").json
    assert {each["provision"] for each in told["provisions"]} == {
        "Insurance",
        "Audit Rights",
        "Governing Law",
    }
    assert all(each["learned"] > 0.9 for each in told["provisions"])
    assert len(load_playbook(program.folder / "own.yaml").provisions) == 3


def test_what_is_wrong_is_told(filled: Program) -> None:
    run = ("playbook", "learn", "--out", "own.yaml", "--library", "a.db")
    assert "Give --from or --data." in filled(*run, code=2).err
    assert "Give --from or --data." in filled(*run, "--from", "ours", "--data", ".", code=2).err
    assert "no clause bank 'x'" in filled(*run, "--from", "x", code=2).err
    asked = filled(*run, "--from", "ours", "--provision", "Rent", code=2, columns=200)
    assert "There are: Insurance, Audit Rights, Governing Law." in asked.err
    few = '{"provision": "Rent", "text": "The rent is due monthly."}'
    (filled.folder / "few.jsonl").write_text(few, "utf-8")
    filled("bank", "import", "few.jsonl", "--bank", "few", "--library", "a.db")
    said = filled(*run, "--from", "few", "--words-only", code=2, columns=200).err
    assert "too few clauses of 'Rent'" in said
    assert not (filled.folder / "own.yaml").exists()
