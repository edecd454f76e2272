"""A finding in the terminal: what it says, the words for it, the clause, what is left open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import pytest

from fourcorners.cli.output.contract import print_finding
from fourcorners.documents.read import read_document
from fourcorners.review.finding import CellState, Evidence, Finding, SearchRecord, Severity
from fourcorners.text.span import Span
from tests.server.conftest import LEASE
from tests.server.grids import WORDS, found

Printed: TypeAlias = Callable[[Finding], str]


@pytest.fixture
def printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Printed:
    monkeypatch.setenv("COLUMNS", "110")
    path = tmp_path / "lease.txt"
    path.write_text(LEASE)
    document = read_document(path)

    def printing(finding: Finding) -> str:
        print_finding(document, "Ending", finding, whole=False)
        return " ".join(capsys.readouterr().out.split())

    return printing


def cell() -> Finding:
    return found("lease", "ending", LEASE, Severity.HIGH)


def test_the_value_comes_first_and_scores_last(printed: Printed) -> None:
    shown = printed(cell())
    told = (
        "Ending: Tenant may end it (high)", "Who may end it? the tenant",
        f"“{WORDS}”", "Why: An end at will.", "2. Ending", "Left to you: For what price?",
        "How this was found: 0.90 at characters", "0.50 counts as found",
    )  # fmt: skip
    places = [shown.index(each) for each in told]
    assert places == sorted(places)


def test_what_a_person_put_there_stands_before_what_the_program_says(printed: Printed) -> None:
    shown = printed(replace(cell(), value="Only the Landlord may."))
    assert shown.startswith("Ending: Only the Landlord may. (high)")
    assert "Corrected to a person’s own words" in shown


def test_without_an_assertion_the_words_are_shown(printed: Printed) -> None:
    open_cell = replace(cell(), answers=cell().answers[1:], severity=Severity.NONE)
    shown = printed(open_cell)
    assert shown.startswith("Ending: found Why: An end at will.")
    assert WORDS in shown
    assert "Left to you: For what price?" in shown


def test_what_is_not_found_says_what_came_nearest_and_how_far_it_was(printed: Printed) -> None:
    near: Evidence = replace(cell().evidence[0], score=0.21)
    searched = SearchRecord("end", 9, 0.5, near)
    shown = printed(Finding("lease", "ending", CellState.NOT_FOUND, searched=searched))
    span = near.quote.span
    assert isinstance(span, Span)
    assert shown.startswith("Ending: not found 9 passages were searched for end Closest words")
    assert WORDS in shown
    assert f"0.21 at characters {span.start}-{span.end}; 0.50 counts as found" in shown
