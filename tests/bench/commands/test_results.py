"""`bench all`: a page of results that is kept, goes on, and takes run files from elsewhere."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Program

LEASE = (
    "LEASE AGREEMENT\n\nThis Lease Agreement is made between Quarry Estates Ltd. and Ninefold "
    "Books Inc.\n\n1. Rent. The Tenant shall pay the rent on the first day of each month.\n\n"
    "2. Insurance. The Tenant shall insure the shop against fire and flood.\n"
)
QUERY = (
    "Consider the Lease Agreement between Quarry Estates Ltd. and Ninefold Books Inc.; "
    "What must be insured?"
)


@pytest.fixture
def data(program: Program) -> Path:
    folder = program.folder / "data" / "legalbench-rag"
    (folder / "corpus" / "cuad").mkdir(parents=True)
    (folder / "corpus" / "cuad" / "lease.txt").write_text(LEASE, "utf-8")
    (folder / "benchmarks").mkdir()
    start = LEASE.index("The Tenant shall insure")
    snippet = {
        "file_path": "cuad/lease.txt",
        "span": [start, start + 40],
        "answer": LEASE[start : start + 40],
    }
    content = {"tests": [{"query": QUERY, "snippets": [snippet], "tags": ["Insurance"]}]}
    (folder / "benchmarks" / "cuad.json").write_text(json.dumps(content), "utf-8")
    return folder.parent


def test_a_page_of_results_is_written_kept_and_extended(program: Program, data: Path) -> None:
    run = ("bench", "all", "--data", data, "--out", "site")
    done = program(*run, "--only", "rcts", "--only", "precedents")
    assert "1 run in site/index.html" in done.out
    assert "the data hold no acord" in done.err
    site = program.folder / "site"
    listed = json.loads((site / "results.json").read_text("utf-8"))["runs"]
    assert [each["name"] for each in listed] == ["rcts"]
    assert listed[0]["command"].startswith(f"fourcorners bench retrieval --data {data}/")
    page = (site / "index.html").read_text("utf-8")
    assert listed[0]["sha256"][:16] in page
    assert "cuad-mini: recall at 4" in page
    assert "precedents" not in [each["name"] for each in listed]
    for name in (listed[0]["record"], listed[0]["run"], "figures/cuad-mini-recall.svg"):
        assert (site / name).is_file(), name

    answer = {
        "query": QUERY,
        "snippets": [{"file_path": "cuad/lease.txt", "span": [0, 15], "score": 1}],
    }
    (program.folder / "theirs.jsonl").write_text(json.dumps(answer) + "\n", "utf-8")
    done = program(*run, "--only", "rcts", "--run", "theirs.jsonl")
    assert "rcts: there already" in done.err
    listed = json.loads((site / "results.json").read_text("utf-8"))["runs"]
    assert [each["name"] for each in listed] == ["rcts", "theirs"]
    assert 'id="theirs"' in (site / "index.html").read_text("utf-8")


def test_what_is_not_there_is_told(program: Program, data: Path) -> None:
    assert data.is_dir()
    run = ("bench", "all", "--data", "data", "--out", "site")
    said = program(*run, "--only", "retreival", code=2).err
    assert "no benchmark 'retreival'" in said
    assert "is no file" in program(*run, "--only", "precedents", "--run", "none.jsonl", code=2).err
