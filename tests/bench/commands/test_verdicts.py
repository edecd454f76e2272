from __future__ import annotations

import json

from tests.conftest import Program


def test_a_run_is_scored_with_contrary_clauses(program: Program) -> None:
    def line(name: str, fold: int, right: str | None) -> str:
        answer = {"id": name, "provision": "cap", "question": "limited", "value": "yes"}
        judged = {"right": right, "settled": right is not None, "fold": fold}
        silence = {"silent": False, "silences": []}
        return json.dumps({**answer, **judged, "probability": 0.99, **silence})

    clauses = [line(f"cap-{at}", at % 2, "yes") for at in range(400)]
    run = program.folder / "oof.jsonl"
    run.write_text("\n".join([*clauses, line("contrary-0", 0, None)]), "utf-8")
    contrary = program.folder / "contrary.jsonl"
    contrary.write_text('{"wrong": {"limited": ["yes"]}}\n', "utf-8")
    made = program("bench", "verdicts", run, "--contrary", contrary, "--json", "scores.json")
    assert "limited" in made.out
    assert "something wrong is asserted of 1 of 1" in made.out
    measures = json.loads((program.folder / "scores.json").read_text("utf-8"))["measures"]
    assert measures["contrary"] == {"wrong": 1, "judged": 1}
    assert measures["all"]["asserted"] == 400
    assert measures["questions"]["cap.limited"]["precision"] == 1.0
    alone = program("bench", "verdicts", run)
    assert "contrary" not in alone.out
