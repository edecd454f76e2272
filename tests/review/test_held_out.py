"""Invented clauses that no rule of wording was made with: what the playbook makes of them."""

from __future__ import annotations

from pathlib import Path

from fourcorners.models import default_encoder
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.people.cases import read_cases, run_cases

CASES = read_cases(Path(__file__).with_name("held_out_clauses.yaml"))
RIGHT = 9  # of twenty, when they were written: words this rare are mostly missed


def test_rare_words_and_look_alikes_fare_no_worse_than_when_they_were_written() -> None:
    assert [case.found for case in CASES] == [True] * 10 + [False] * 10
    encoder = default_encoder(threads=1)
    outcomes = run_cases(None, load_playbook("due-diligence"), CASES, encoder=encoder)
    assert sum(each.passed for each in outcomes) >= RIGHT
