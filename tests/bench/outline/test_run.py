"""The outline benchmark runs the program's own reading over a folder of contracts."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.settings import Settings
from fourcorners_bench.outline.run import audited_texts, contract_files, run_outlines
from tests.conftest import Program

LEASE = """MILL LEASE

1. Rent. The tenant pays the rent of the mill in flour on the first day of each month.

2. Term. The lease runs for one year from the day on which both of the parties sign it.

3. Law. The law of the valley governs this lease, and its courts alone decide upon it.
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "cuad"
    (folder / "contracts").mkdir(parents=True)
    (folder / "contracts" / "b.txt").write_text(LEASE)
    (folder / "contracts" / "a.txt").write_text(LEASE.replace("one year", "ten years"))
    (folder / "contracts" / "notes.md").write_text("none of them")
    (folder / "full_contract_pdf" / "Part_I").mkdir(parents=True)
    (folder / "full_contract_pdf" / "Part_I" / "c.PDF").write_bytes(b"%PDF-1.4 broken")
    return folder


def test_texts_come_first_then_pdfs(data: Path) -> None:
    assert [path.name for path in contract_files(data)] == ["a.txt", "b.txt", "c.PDF"]
    assert [path.name for path in contract_files(data, limit=1)] == ["a.txt"]
    with pytest.raises(ConfigError, match="holds no contracts"):
        contract_files(data / "contracts")
    assert [path.name for path in contract_files(data, names={"c.PDF", "b.txt"})] == [
        "b.txt",
        "c.PDF",
    ]
    assert audited_texts(data, ["b.txt", "missing.txt"]) == {"b.txt": LEASE}


def test_each_file_is_outlined_or_said_to_have_failed(data: Path) -> None:
    steps: list[tuple[str, int, int]] = []
    run = run_outlines(
        contract_files(data),
        settings=Settings.load(jobs=1),
        on_progress=lambda what, done, total: steps.append((what, done, total)),
    )
    assert [each.name for each in run.outlines] == ["a.txt", "b.txt"]
    assert [name for name, _ in run.failed] == ["c.PDF"]
    assert [reader.split("/")[0] for reader in run.readers] == ["plain"]
    assert steps[-1] == ("Outlining", 3, 3)
    labels = [node.label for node in run.outlines[1].nodes if node.label]
    assert labels == ["1", "2", "3"]
    rent = next(node for node in run.outlines[1].nodes if node.label == "1")
    assert (rent.heading, LEASE[rent.start :][:8]) == ("Rent", "1. Rent.")


def test_the_command_writes_what_score_reads(data: Path, program: Program) -> None:
    (data / "full_contract_pdf" / "Part_I" / "c.PDF").unlink()
    truth = program.folder / "truth.jsonl"
    truth.write_text("")
    options = ["--data", str(data), "--truth", str(truth)]
    said = program("bench", "outline", *options, "--run-out", "run.jsonl", "--json", "x.json").out
    assert "contracts" in said
    record = json.loads((program.folder / "x.json").read_text())
    assert record["measures"]["summary"]["contracts"] == 2
    assert record["settings"]["readers"][0].startswith("plain/")
    again = program("bench", "score", "run.jsonl", *options, "--json", "y.json").out
    assert again == said
    scored = json.loads((program.folder / "y.json").read_text())
    assert scored["measures"]["summary"] == record["measures"]["summary"]


def test_the_command_outlines_the_audited_alone_and_scores_each_set(
    data: Path, program: Program
) -> None:
    sets = []
    for name in ("a", "b"):
        digest = hashlib.sha256((data / "contracts" / f"{name}.txt").read_bytes()).hexdigest()
        tops = [
            {"label": label, "kind": "section", "start": LEASE.index(f"{label}. "), "anchor": ""}
            for label in ("1", "2", "3")
        ]
        record = {"name": f"{name}.txt", "source": "text", "flat": False, "sha256": digest}
        record |= {"top": tops[: 2 if name == "b" else 3], "deep": [], "not": []}
        path = program.folder / f"set-{name}.jsonl"
        path.write_text(json.dumps(record) + "\n")
        sets += ["--truth", str(path)]
    options = ["--data", str(data), "--audited-only", "--json", "x.json"]
    said = program("bench", "outline", *options, *sets).out
    assert "set-a" in said
    assert "set-b" in said
    measures = json.loads((program.folder / "x.json").read_text())["measures"]
    assert measures["summary"]["contracts"] == 2
    assert measures["failed"] == []
    assert {name: each["contracts"] for name, each in measures["sets"].items()} == {
        "set-a": 1,
        "set-b": 1,
    }
    assert measures["all"]["top_right"] == 0.5
    assert measures["sets"]["set-b"]["top_right"] == 0.0
