"""Cases of a playbook: what passes, what fails and why, and how they are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.library.contract import Contract
from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import store
from fourcorners.review.extract.cells import extract_findings
from fourcorners.review.extract.scoring import Calibration, PreparedProvision
from fourcorners.review.finding import ReviewState
from fourcorners.review.people import review_actions as states
from fourcorners.review.people.cases import (
    Case,
    CaseOutcome,
    cases_yaml,
    confirmed_cases,
    read_cases,
    run_cases,
)
from fourcorners.review.risk import assessment
from tests.review.conftest import TEXT
from tests.review.scripted_reader import ScriptedReader

CONTROL = "The Customer may terminate this Agreement at once if there is a change of control"


@pytest.fixture(autouse=True)
def reader(monkeypatch: pytest.MonkeyPatch) -> None:
    scripted = ScriptedReader(says={CONTROL: {"terminate": ("yes", 0.95)}})
    monkeypatch.setattr(assessment, "default_verdict_reader", lambda: scripted)


def tried(
    playbook: Playbook, calibration: Calibration, *cases: Case, library: Library | None = None
) -> list[CaseOutcome]:
    return list(run_cases(library, playbook, cases, encoder=None, calibration=calibration))


def test_a_case_that_holds_passes(playbook: Playbook, calibration: Calibration) -> None:
    good = Case(
        text=TEXT,
        provision="Change of control",
        found=True,
        words=(CONTROL,),
        without=("Quality control",),
        severity="high",
        position="none",
        answers={"terminate": "Yes", "who": ""},
    )
    absent = Case(text=TEXT, provision="insurance", found=False, severity="low")
    assert [each.mismatches for each in tried(playbook, calibration, good, absent)] == [(), ()]


def test_all_that_is_wrong_is_told(playbook: Playbook, calibration: Calibration) -> None:
    bad = Case(
        text=TEXT,
        provision="change-of-control",
        found=False,
        words=("no such words",),
        without=("change  of control",),
        severity="low",
        position="preferred",
        answers={"terminate": "No", "who": "Customer", "nobody": "x"},
    )
    (outcome,) = tried(playbook, calibration, bad)
    assert not outcome.passed
    assert outcome.mismatches == (
        "found; nothing was to be found",
        "not quoted: no such words",
        "quoted: change  of control",
        "severity high, not low",
        "position none, not preferred",
        "terminate: Yes, not No",
        "who: left to a person, not Customer",
        "nobody: not asked, not x",
    )


def test_cases_name_what_there_is(playbook: Playbook, calibration: Calibration) -> None:
    with pytest.raises(ConfigError, match="no provision 'elephant'"):
        tried(playbook, calibration, Case(text=TEXT, provision="elephant"))
    with pytest.raises(ConfigError, match="needs a library"):
        tried(playbook, calibration, Case(document="supply", provision="insurance"))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("cases:\n  - {provision: a}\n", "line 2, cases#1: .*either a document or a text"),
        ("cases:\n  - {text: t, provision: a, fuond: true}\n", r"line 2, cases#1\.fuond"),
        ("cases:\n  - {text: t, provision: a, severity: bad}\n", "severity"),
        ("cases: [", "line 1"),
    ],
)
def test_a_bad_file_names_its_line(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "cases.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=what):
        read_cases(path)


def test_cases_come_from_what_people_judged_and_read_back(
    tmp_path: Path, playbook: Playbook, calibration: Calibration, reading: Contract
) -> None:
    with Library.open(tmp_path / "room.db", create=True) as library:
        library.add(
            reading.document,
            reading.outline,
            reading.card,
            list(reading.passages),
            None,
            collection="Room",
        )
        prepared = [PreparedProvision(each, None) for each in playbook.provisions]
        store.save_findings(
            library, playbook, "test", extract_findings(reading, prepared, calibration)
        )
        assert confirmed_cases(library, playbook) == []
        for provision in ("change-of-control", "insurance"):
            states.annotate_finding(
                library,
                playbook,
                reading.id,
                provision,
                states.NewAnnotation(by="A. Lawyer", state=ReviewState.CONFIRMED),
            )
        cases = confirmed_cases(library, playbook)
        assert [(each.provision, each.found, each.severity) for each in cases] == [
            ("change-of-control", True, "high"),
            ("insurance", False, None),
        ]
        path = tmp_path / "cases.yaml"
        path.write_text(cases_yaml(cases), "utf-8")
        again = read_cases(path)
        assert list(again) == cases
        outcomes = tried(playbook, calibration, *again, library=library)
        assert all(each.passed for each in outcomes)
