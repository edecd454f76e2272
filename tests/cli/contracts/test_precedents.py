from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Program

CAP = "In no event shall either party's total liability exceed the fees paid in the last year."
ONE_SIDED = (
    "Supplier's total liability shall not exceed the fees paid by Customer in the last year."
)
LAW = "This Agreement is governed by the laws of the State of New York, without more."


@pytest.fixture
def bank(program: Program) -> Program:
    rows = [
        {"provision": "Law", "text": LAW},
        {"provision": "Liability", "text": CAP, "source": "Cork v. Lime", "stars": 4},
        {"provision": "Caps", "text": f"7.2 {CAP}", "source": "Elm v. Ash"},
        {"provision": "Liability", "text": ONE_SIDED},
    ]
    (program.folder / "clauses.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    program("bank", "import", "clauses.jsonl", "--bank", "deals", "--library", "l.db")
    return program


def test_the_best_clause_comes_first_once_with_its_places(bank: Program) -> None:
    found = bank(
        "precedents", "mutual liability cap", "--bank", "deals", "--library", "l.db", "--json"
    ).json
    assert [each["text"] for each in found] == [CAP, ONE_SIDED, LAW]
    assert found[0]["count"] == 2
    assert [place["source"] for place in found[0]["places"]] == ["Cork v. Lime", "Elm v. Ash"]
    assert found[0]["stars"] == 4
    assert 1 <= found[2]["predicted_stars"] < found[0]["predicted_stars"] <= 5
    assert found[0]["reasons"]["covers"] == ["cap on liability", "of both parties"]
    assert found[2]["reasons"]["missing"] == ["cap on liability"]
    assert found[0]["difference"] == []


def test_a_draft_is_compared_word_by_word(bank: Program) -> None:
    (bank.folder / "draft.txt").write_text(CAP.replace("fees paid", "fees payable"))
    told = bank(
        *("precedents", "mutual liability cap", "--bank", "deals", "--library", "l.db"),
        *("--draft", "draft.txt", "--limit", "1"),
    ).out
    assert "[-payable-] {+paid+}" in told
    assert "stars expected" in told
    assert "Cork v. Lime" in told


def test_contracts_are_cut_into_clauses(larch: Program) -> None:
    found = larch(
        "precedents", "governing law", "--collection", "Project Larch", "--limit", "2", "--json"
    ).json
    assert len(found) == 2
    assert "govern" in found[0]["text"].lower()
    assert found[0]["places"][0]["path"]
    assert found[0]["places"][0]["start"] < found[0]["places"][0]["end"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["cap", "--bank", "nope", "--library", "l.db"], "no clause bank"),
        (["cap", "--bank", "deals", "--collection", "x", "--library", "l.db"], "not both"),
        (["cap", "--provision", "x", "--library", "l.db"], "whose provision"),
        (["  ", "--library", "l.db"], "what should the clause"),
        (["cap", "--bank", "deals", "--library", "l.db", "--profile", "best"], "no profile"),
        (["cap", "--bank", "deals", "--library", "l.db", "--draft", "none.txt"], "none.txt"),
    ],
)
def test_what_is_wrong_is_told(bank: Program, arguments: list[str], said: str) -> None:
    assert said in bank("precedents", *arguments, code=2).err


def test_a_benchmark_writes_a_run_that_is_scored_the_same(program: Program, tmp_path: Path) -> None:
    data = tmp_path / "acord"
    (data / "qrels").mkdir(parents=True)
    (data / "corpus.jsonl").write_text(
        "".join(
            json.dumps({"_id": name, "text": text}) + "\n"
            for name, text in (("a", LAW), ("b", CAP), ("c", ONE_SIDED))
        )
    )
    (data / "queries.jsonl").write_text(
        json.dumps({"_id": "liability cap", "text": "liability cap", "metadata": {}}) + "\n"
    )
    (data / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\n"
        "liability cap\tb\t4\nliability cap\tc\t2\nliability cap\ta\t0\n"
    )
    program(
        *("bench", "precedents", "--data", data, "--split", "test", "--json", "one.json"),
        *("--run-out", "run.jsonl"),
    )
    one = json.loads((program.folder / "one.json").read_text())
    program("bench", "score", "run.jsonl", "--data", data, "--json", "two.json")
    two = json.loads((program.folder / "two.json").read_text())
    assert one["measures"] == two["measures"]
    assert one["settings"]["seen"] == []
    assert one["models"]["precedents"].startswith("precedents/")
    line = json.loads((program.folder / "run.jsonl").read_text())
    assert {clause for clause, _ in line["ranking"]} == {"a", "b", "c"}
    assert line["ranking"][-1][0] == "a"
