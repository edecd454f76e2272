from __future__ import annotations

import json
from pathlib import Path

from tests.conftest import Program

TEXT = "The Recipient may make copies. The Recipient shall not poach staff."


def test_a_run_is_answered_written_and_scored(program: Program) -> None:
    spans = [[0, 30], [31, len(TEXT)]]
    content = {
        "documents": [
            {
                "id": 3,
                "file_name": "nda.txt",
                "text": TEXT,
                "spans": spans,
                "annotation_sets": [
                    {
                        "annotations": {
                            "copy": {"choice": "Entailment", "spans": [0]},
                            "audit": {"choice": "NotMentioned", "spans": []},
                        }
                    }
                ],
            }
        ],
        "labels": {
            "copy": {"short_description": "", "hypothesis": "Recipient may make copies."},
            "audit": {"short_description": "", "hypothesis": "Discloser may audit accounts."},
        },
    }
    data = program.folder / "dev.json"
    data.write_text(json.dumps(content))
    made = program(
        "bench",
        "entailment",
        "--data",
        data,
        "--profile",
        "words",
        "--run-out",
        "run.jsonl",
        "--json",
        "a.json",
    )
    assert "PAKTON" in made.out
    lines = [json.loads(line) for line in (program.folder / "run.jsonl").read_text().splitlines()]
    assert [(each["document"], each["hypothesis"]) for each in lines] == [(3, "copy"), (3, "audit")]
    program("bench", "score", "run.jsonl", "--data", data.parent, "--json", "b.json")
    first, second = (measures(program.folder / name) for name in ("a.json", "b.json"))
    assert first == second
    assert first["accuracy"] == 1.0


def measures(path: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads(path.read_text())["measures"]
    return found
