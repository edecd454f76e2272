from __future__ import annotations

import json

from tests.conftest import Program


def test_statements_are_checked_and_their_run_is_scored(program: Program) -> None:
    quote = "The Tenant may assign this Lease and may not sublet the Flat."
    turned = "The Tenant may not assign this Lease and may sublet the Flat."
    lines = [
        {"id": 1, "quote": quote, "statement": quote, "label": "true"},
        {"id": 2, "quote": quote, "statement": turned, "label": "false"},
        {"id": 3, "quote": quote, "statement": "The Tenant may sell 7,000 hens.", "label": "false"},
    ]
    data = program.folder / "statements.jsonl"
    data.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    made = program(
        "bench", "statements", "--data", data, "--run-out", "run.jsonl", "--json", "a.json"
    )
    assert "refused" in made.out
    run = [json.loads(line) for line in (program.folder / "run.jsonl").read_text().splitlines()]
    assert [each["verdict"] for each in run] == ["verified", "refused", "refused"]
    record = json.loads((program.folder / "a.json").read_text("utf-8"))
    assert record["models"]["reader"]
    assert record["measures"]["labels"]["false"]["verified_count"] == 0
    scored = program("bench", "score", "run.jsonl", "--data", data, "--json", "b.json")
    assert scored.out == made.out
    again = json.loads((program.folder / "b.json").read_text("utf-8"))
    assert again["measures"] == record["measures"]
    few = program("bench", "statements", "--data", data, "--limit", "1")
    assert "false" not in few.out
