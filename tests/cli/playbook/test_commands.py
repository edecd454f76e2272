"""`fourcorners playbook`: a file written, shown, checked and tested."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fourcorners.cli.main import app
from fourcorners.playbooks import load_playbook

RUN = CliRunner()
CASES = """\
cases:
  - text: >-
      The Supplier shall not assign or transfer this Agreement, or any of its rights or
      obligations under it, without the prior written consent of the Customer.
    provision: assignment
    found: true
    severity: medium
    position: unacceptable
    answers: {effect: consent needed, restricted: Supplier}
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> tuple[int, str]:
    result = RUN.invoke(app, ["playbook", *words])
    return result.exit_code, result.stdout


def test_a_new_playbook_is_written_with_its_schema_and_not_written_over(here: Path) -> None:
    assert run("new", "Project Larch")[0] == 0
    assert load_playbook(here / "project-larch.yaml").id == "project-larch"
    assert json.loads((here / "playbook.schema.json").read_text("utf-8"))["title"]
    assert run("new", "Project Larch")[0] != 0
    code, _ = run("new", "Two", "--from", "Anti-Assignment", "--out", "two.yml")
    assert code == 0
    assert [each.id for each in load_playbook(here / "two.yml").provisions] == ["assignment"]


def test_what_stands_on_nothing_is_not_written(here: Path) -> None:
    assert run("new", "House", "--extends", "gone.yaml")[0] != 0
    assert list(here.iterdir()) == []


def test_what_is_shown_in_full_is_the_same_playbook(here: Path) -> None:
    assert run("new", "House", "--extends", "due-diligence")[0] == 0
    plain, whole = run("show", "house.yaml")[1], run("show", "house.yaml", "--resolved")[1]
    assert "extends: due-diligence" in plain
    (here / "whole.yaml").write_text(whole, "utf-8")
    assert load_playbook(here / "whole.yaml") == load_playbook(here / "house.yaml")


def test_check_tells_errors_and_doubts_to_a_program(here: Path) -> None:
    run("new", "Mine")
    path = here / "mine.yaml"
    code, told = run("check", "mine.yaml", "--json")
    doubts = json.loads(told)["doubts"]
    keys = [each["key"].rpartition(".")[2] for each in doubts]
    assert (code, keys) == (0, ["ceiling", "rate", "bound"])
    assert {each["what"].partition(" answers this ")[0] for each in doubts} == {
        "only a language model or a person"
    }
    text = path.read_text("utf-8")
    path.write_text(text.replace("aliases: [Delay]", "aliases: [LATE-DELIVERY]"), "utf-8")
    code, told = run("check", "mine.yaml", "--json")
    doubt, *_ = json.loads(told)["doubts"]
    assert (code, doubt["key"]) == (0, "provisions.late-delivery.aliases#1")
    assert f"line {doubt['line']}" in run("check", "mine.yaml")[1]
    path.write_text(text.replace("severity: high", "severity: hihg"), "utf-8")
    code, told = run("check", "mine.yaml", "--json")
    (fault,) = json.loads(told)["errors"]
    assert (code, fault["key"]) == (1, "provisions.late-delivery.severity#1.severity")
    assert "did you mean 'high'" in fault["what"]


def test_check_and_show_say_what_is_answered_offline(here: Path) -> None:
    run("new", "Mine", "--from", "assignment")
    code, told = run("check", "mine.yaml", "--json")
    result = json.loads(told)
    assert (code, result["doubts"]) == (0, []), "the program has learned these questions"
    offline = result["offline"]
    (assignment,) = offline
    assert (assignment["questions"], assignment["unknown"]) == (7, [])
    assert assignment["unsure"] == ["free-party", "merger-counts", "affiliates"]
    assert assignment["undecided"] == ["1 (high)"]
    assert "4 of 7 questions can be answered" in run("check", "mine.yaml")[1]
    assert json.loads(run("show", "mine.yaml", "--json")[1]) == offline
    shown = RUN.invoke(app, ["playbook", "show", "mine.yaml"])
    assert "assignment: free-party, merger-counts, affiliates" in shown.stderr
    assert shown.stdout == (here / "mine.yaml").read_text("utf-8")


def test_cases_pass_or_fail_the_command(here: Path) -> None:
    run("new", "Mine", "--from", "due-diligence")
    (here / "mine.cases.yaml").write_text(CASES, "utf-8")
    code, told = run("test", "mine.yaml", "--words-only")
    assert (code, told.splitlines()[-1]) == (0, "1 case. All passed."), told
    (here / "bad.yaml").write_text(CASES.replace("consent needed", "not transferable"), "utf-8")
    code, told = run("test", "mine.yaml", "--cases", "bad.yaml", "--words-only", "--json")
    assert code == 1
    assert json.loads(told)[0]["wrong"] == ["effect: consent needed, not not transferable"]
