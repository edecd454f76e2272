"""`bench answers` from the command line."""

from __future__ import annotations

import json

from tests.conftest import Program

DEED = """CARRIAGE DEED

1. INSURANCE

1.1 The carrier shall insure the grain against fire.

2. LAW

2.1 The laws of Norway govern this deed.
"""
QUESTIONS = """
schema: 1
questions:
  - id: fire
    kind: fact
    ask: Against what shall the carrier insure the grain?
    in: ["01"]
    evidence:
      - {in: "01", words: "The carrier shall insure the grain against fire."}
  - id: dancing
    kind: silent
    ask: Who pays for the dancing lessons of the staff?
    in: ["01"]
    silent: true
"""


def test_questions_are_put_and_measured(program: Program) -> None:
    (program.folder / "room").mkdir()
    (program.folder / "room" / "01-deed.txt").write_text(DEED)
    (program.folder / "asked.yaml").write_text(QUESTIONS)
    common = ("bench", "answers", "--data", "asked.yaml", "--contracts", "room")
    told = program(*common, "--json", "a.json", "--run-out", "run.jsonl")
    assert "fire" in told.out
    measures = json.loads((program.folder / "a.json").read_text())["measures"]
    assert measures["evidence_shown"] == 1.0
    assert measures["abstained"] == 1.0
    lines = (program.folder / "run.jsonl").read_text().splitlines()
    assert [json.loads(line)["question"] for line in lines] == ["fire", "dancing"]
    assert not program.asked
    for more, says in (
        (("--only", "riddle"), "no question 'riddle'"),
        (("--replay", "x.jsonl"), "Add --with-model"),
        (("--contracts", "nowhere"), "is no folder"),
    ):
        assert says in " ".join(program(*common, *more, code=2).err.split())
    assert "--data FILE" in program("bench", "answers", code=2).err
