"""`bench retrieval`, `bench score` on its run, and `bench build`, as a person runs them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

if TYPE_CHECKING:
    from tests.conftest import Program

LEASE = (
    "LEASE AGREEMENT\r\n\r\nThis Lease Agreement is made between Quarry Estates Ltd. and Ninefold "
    "Books Inc.\r\n\r\n1. Rent. The Tenant shall pay the rent on the first day of each month.\r\n"
    "\r\n2. Insurance. The Tenant shall insure the shop against fire and flood.\r\n"
)
TITLE = "Lease Agreement between Quarry Estates Ltd. and Ninefold Books Inc."


@pytest.fixture
def built(program: Program) -> Path:
    """A benchmark made from a CUAD of one contract."""
    source = program.folder / "cuad"
    (source / "contracts").mkdir(parents=True)
    (source / "contracts" / "lease.txt").write_bytes(LEASE.encode())
    start = LEASE.index("The Tenant shall insure")
    marked = {"Insurance": [[start, LEASE.index("\r\n", start)]], "Rent": []}
    record = {"name": "lease.txt", "group": "lease", "title": TITLE, "annotations": marked}
    (source / "annotations.jsonl").write_text(json.dumps(record), "utf-8")
    asked = {"cuad": {"Insurance": "What must be insured?", "Rent": "Who pays?"}}
    (program.folder / "questions.json").write_text(json.dumps(asked), "utf-8")
    said = program("bench", "build", "made", "--questions", "questions.json", "--cuad", "cuad").out
    assert said == "cuad: 1 questions of 1 documents.\n"
    return program.folder / "made"


@pytest.mark.usefixtures("built")
def test_a_build_names_what_it_cannot_read(program: Program) -> None:
    source = program.folder / "cuad"
    with (source / "annotations.jsonl").open("a", encoding="utf-8") as lines:
        torn = {"name": "torn.txt", "group": "torn", "annotations": {"Insurance": [[0, 4]]}}
        lines.write("\n" + json.dumps(torn))
    (source / "contracts" / "torn.txt").write_bytes(b"\xff\xfe torn")
    again = program("bench", "build", "made", "--questions", "questions.json", "--cuad", "cuad")
    assert again.out == "cuad: 1 questions of 1 documents.\n"
    assert "torn.txt was not read: it is not UTF-8." in again.err


def test_a_run_is_written_scored_and_drawn(program: Program, built: Path) -> None:
    run = ("bench", "retrieval", "--data", "made", "--benchmark", "cuad", "--library", "kept.db")
    out = ("--run-out", "run.jsonl", "--json", "run.json", "--plots", "plots")
    said = program(*run, "--profile", "hybrid", *out).out
    assert "cuad: 1 questions of 1 contracts" in said
    assert "pakton-1" in said
    assert "100.0% were searched" in " ".join(said.split())
    (line,) = (program.folder / "run.jsonl").read_text("utf-8").splitlines()
    answer = json.loads(line)
    assert answer["query"] == f"Consider the {TITLE}; What must be insured?"
    text = (built / "corpus" / "cuad" / "lease.txt").read_bytes().decode()
    (start, end) = answer["snippets"][0]["span"]
    assert "insure the shop" in text[start:end]
    record = json.loads((program.folder / "run.json").read_text("utf-8"))
    scores = record["measures"]["sets"]["cuad"]
    assert scores["union_recall"]["1"][0] == 1.0
    assert record["measures"]["routing"]["cuad"]["right_first"][0] == 1.0
    assert record["models"]["encoder"]
    program("bench", "score", "run.jsonl", "--data", "made", "--json", "score.json")
    again = json.loads((program.folder / "score.json").read_text("utf-8"))
    assert again["measures"]["sets"]["cuad"] == scores
    drawn = {path.name for path in (program.folder / "plots").iterdir()}
    names = ("cuad-curve", "cuad-precision", "cuad-recall")
    assert drawn == {
        f"{name}{end}" for name in names for end in (".svg", ".png", "-dark.svg", "-dark.png")
    }
    ElementTree.parse(program.folder / "plots" / "cuad-curve.svg")  # noqa: S314
    shutil.copy(program.folder / "run.jsonl", program.folder / "theirs.jsonl")
    program("bench", "score", "run.jsonl", "theirs.jsonl", "--data", "made", "--plots", "both")
    both = (program.folder / "both" / "cuad-recall.svg").read_text("utf-8")
    assert ">theirs<" in both
    refused = program(
        "bench", "score", "run.jsonl", "theirs.jsonl", "--data", "made", "--json", "x", code=2
    )
    assert "holds one run" in refused.err


def test_what_cannot_be_run_is_told(program: Program, built: Path) -> None:
    assert built.is_dir()
    run = ("bench", "retrieval", "--data", "made")
    assert "reranked by reader/" in program(*run, "--profile", "rcts-rerank").err
    assert "no profile 'hybird'" in program(*run, "--profile", "hybird", code=2).err
    assert "no benchmark 'maud'" in program(*run, "--benchmark", "maud", code=2).err
    assert "bench build" in program("bench", "retrieval", "--data", "cuad", code=2).err
    assert "--cuad" in program("bench", "build", "x", "--questions", "questions.json", code=2).err


def test_the_default_says_where_its_weights_are_from(program: Program, built: Path) -> None:
    assert built.is_dir()
    done = program("bench", "retrieval", "--data", "made", "--json", "run.json")
    record = json.loads((program.folder / "run.json").read_text("utf-8"))
    provenance = record["models"]["weights"]["provenance"]
    assert provenance
    assert " ".join(provenance.split()) in " ".join(done.err.split())
    assert record["measures"]["sets"]["cuad"]["union_recall"]["64"][0] == 1.0


def test_a_run_that_lacks_a_question_is_not_scored(program: Program, built: Path) -> None:
    assert built.is_dir()
    other = {"query": "Consider the Lease; who pays?", "snippets": []}
    (program.folder / "run.jsonl").write_text(json.dumps(other) + "\n", "utf-8")
    said = program("bench", "score", "run.jsonl", "--data", "made", code=2).err
    assert "no benchmark asks" in said
