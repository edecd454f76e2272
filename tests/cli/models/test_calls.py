"""`llm calls`: the ledger of a library, run by run, in sums that can be checked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from fourcorners.cli.main import app
from fourcorners.errors import ConfigError
from fourcorners.library.llm_store import LibraryLedger
from fourcorners.library.store import Library
from fourcorners.llm.exchange import PromptId, Role
from fourcorners.llm.ledger import Call

FIRST, SECOND = "ask 2026-11-01T09:00:00", "review 2026-11-02\x1b[31m"


def call(job: str, at: str, *, outcome: str = "answered", cost: float | None = 0.25) -> Call:
    return Call(
        at=at,
        job=job,
        role=Role.RESEARCHER,
        model="compatible:stub",
        prompt=PromptId("research", 2, "abc"),
        key=at,
        tokens_in=1_000,
        tokens_out=50,
        cost=cost,
        seconds=1.5,
        measured=True,
        outcome=outcome,
        tag="researcher turn 1" if outcome == "answered" else "",
    )


@pytest.fixture
def firm(tmp_path: Path) -> str:
    path = tmp_path / "firm.db"
    with Library.open(path) as library:
        ledger = LibraryLedger(library)
        ledger.add(call(FIRST, "2026-11-01T09:00:01"))
        ledger.add(call(SECOND, "2026-11-02T09:00:01", cost=None))
        ledger.add(call(FIRST, "2026-11-01T09:00:02", outcome="cached", cost=0.0))
    return str(path)


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["llm", "calls", *words], env={"COLUMNS": "160"})


def test_runs_are_listed_with_their_sums_the_latest_first(firm: str) -> None:
    done = run("--library", firm)
    assert done.exit_code == 0, done.output
    assert "\x1b" not in done.output
    lines = [line for line in done.output.splitlines() if line.strip()]
    assert [line.split()[0] for line in lines] == ["Run", "review", "ask", "Total"]
    assert lines[2].split()[-6:] == ["1", "1", "2,000", "100", "0.2500", "3.0"]
    assert "0.2500 + 1 of unknown price" in lines[3]


def test_one_run_is_listed_call_by_call(firm: str) -> None:
    done = run("--library", firm, "--job", "ask")
    assert "researcher turn 1" in done.output
    assert "researcher, research" in done.output
    assert "cached" in done.output
    assert "review" not in done.output


def test_json_has_the_calls_and_the_total(firm: str) -> None:
    value = json.loads(run("--library", firm, "--job", "ask", "--json").output)
    (listed,) = value["runs"]
    assert (listed["job"], listed["calls"], listed["cached"]) == (FIRST, 1, 1)
    assert [each["cached"] for each in listed["each"]] == [False, True]
    assert listed["each"][0]["role"] == "researcher"
    assert value["total"]["tokens_in"] == 2_000
    every = json.loads(run("--library", firm, "--json", "--limit", "1").output)
    assert [each["job"] for each in every["runs"]] == [SECOND]
    assert every["total"] == {
        "calls": 2,
        "cached": 1,
        "tokens_in": 3_000,
        "tokens_out": 150,
        "cost": 0.25,
        "unpriced": 1,
        "seconds": 4.5,
    }


def test_a_library_that_was_never_asked_says_so(tmp_path: Path, firm: str) -> None:
    Library.open(tmp_path / "new.db").close()
    assert "was ever asked" in run("--library", str(tmp_path / "new.db")).output
    assert isinstance(run("--library", firm, "--job", "chat").exception, ConfigError)
