"""A file that cannot be read stops no benchmark: it is named, and in it nothing is found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fourcorners_bench.extraction.loader import CATEGORIES, load_cuad
from tests.conftest import Program

LAW = "This deed is governed by the laws of Norway."
DEED = (
    f"CARRIAGE DEED\n\n1. INSURANCE\n\n1.1 The carrier insures the grain.\n\n2. LAW\n\n2.1 {LAW}\n"
)
CANAL = DEED.replace("CARRIAGE", "CANAL").replace("grain", "boats")
BROKEN = b"\xff\xfe\x00 not a text \xff"


@pytest.fixture
def data(program: Program) -> Path:
    """A folder of both data sets, of whose two contracts one cannot be read."""
    cuad = program.folder / "cuad"
    (cuad / "contracts").mkdir(parents=True)
    (cuad / "contracts" / "good.txt").write_text(DEED, "utf-8")
    (cuad / "contracts" / "torn.txt").write_bytes(BROKEN)
    start = DEED.index(LAW)
    lines = []
    for name in ("good.txt", "torn.txt"):
        marked: dict[str, Any] = {category: [] for category in CATEGORIES}
        marked |= {"Governing Law": [[start, start + len(LAW)]]}
        record = {"name": name, "group": name, "annotations": marked}
        answers = dict.fromkeys(CATEGORIES, "") | {"Governing Law": "Norway"}
        lines.append(json.dumps(record | {"answers": answers}))
    (cuad / "annotations.jsonl").write_text("\n".join(lines), "utf-8")
    legalbench = program.folder / "legalbench"
    tests = []
    for name, text in (("good.txt", DEED), ("torn.txt", CANAL)):
        path = legalbench / "corpus" / "cuad" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        start = text.index(LAW)
        snippet = {"file_path": f"cuad/{name}", "span": [start, start + len(LAW)], "answer": LAW}
        tests.append({"query": f"Consider {name}; Whose law?", "snippets": [snippet]})
    (legalbench / "corpus" / "cuad" / "torn.txt").write_bytes(BROKEN)
    (legalbench / "benchmarks").mkdir()
    (legalbench / "benchmarks" / "cuad.json").write_text(json.dumps({"tests": tests}))
    return program.folder


def outcome(program: Program, *words: str) -> tuple[dict[str, Any], list[dict[str, Any]], str]:
    done = program("bench", *words, "--json", "run.json", "--run-out", "run.jsonl")
    record = json.loads((program.folder / "run.json").read_text("utf-8"))
    lines = (program.folder / "run.jsonl").read_text("utf-8").splitlines()
    return record, [json.loads(line) for line in lines], " ".join(done.err.split())


@pytest.mark.parametrize(
    ("benchmark", "field", "lines"),
    [("extraction", "quotes", 41), ("values", "quotes", 6), ("provisions", "passages", 14)],
)
@pytest.mark.usefixtures("data")
def test_its_lines_are_not_found(program: Program, benchmark: str, field: str, lines: int) -> None:
    record, run, said = outcome(program, benchmark, "--data", "cuad")
    assert list(record["settings"]["unread"]) == ["torn.txt"]
    assert "torn.txt could not be read" in said
    torn = [line for line in run if line["name"] == "torn.txt"]
    assert len(torn) == lines
    assert not any(line[field] for line in torn)
    assert any(line[field] for line in run if line["name"] == "good.txt")
    scored = program("bench", "score", "run.jsonl", "--data", "cuad", "--json", "again.json")
    again = json.loads((program.folder / "again.json").read_text("utf-8"))["measures"]
    assert scored.out
    if benchmark == "extraction":
        assert again["provisions"]["Governing Law"]["recall"] == 0.5


@pytest.mark.parametrize("scope", ["given", "question"])
@pytest.mark.usefixtures("data")
def test_questions_to_it_have_no_snippets(program: Program, scope: str) -> None:
    record, run, said = outcome(program, "retrieval", "--data", "legalbench", "--scope", scope)
    assert list(record["settings"]["unread"]) == ["cuad/torn.txt"]
    assert "torn.txt could not be read" in said
    assert [bool(line["snippets"]) for line in run] == [True, False]


def test_questions_to_it_are_not_answered(program: Program) -> None:
    room = program.folder / "room"
    room.mkdir()
    (room / "01-deed.txt").write_text(DEED, "utf-8")
    (room / "02-torn.pdf").write_bytes(b"%PDF-1.7\n torn")
    asked = ["schema: 1", "questions:"]
    for number in ("01", "02"):
        asked += [
            f"  - id: law-{number}",
            "    kind: fact",
            "    ask: By which laws is the deed governed?",
            f'    in: ["{number}"]',
            "    evidence:",
            f'      - {{in: "{number}", words: "{LAW}"}}',
        ]
    (program.folder / "asked.yaml").write_text("\n".join(asked), "utf-8")
    words = ("answers", "--data", "asked.yaml", "--contracts", "room")
    record, run, said = outcome(program, *words)
    assert list(record["settings"]["unread"]) == ["02-torn.pdf"]
    assert "02-torn.pdf could not be read" in said
    assert record["measures"]["evidence_shown"] == 0.5
    assert [bool(line["answer"]["stopped"]) for line in run] == [False, True]


def test_training_still_refuses_a_contract_that_cannot_be_read(data: Path) -> None:
    from fourcorners.errors import ConfigError

    with pytest.raises(ConfigError, match="not UTF-8"):
        load_cuad(data / "cuad")
    good, torn = load_cuad(data / "cuad", keep_unread=True)
    assert (good.unread, torn.text, bool(torn.unread)) == ("", "", True)
