"""Clauses that read unlike the others of the room."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook
from fourcorners.precedents.difference import Change, word_difference
from fourcorners.review.finding import CellState, Evidence, Finding
from fourcorners.review.outliers import (
    ComparedClause,
    find_outliers,
    flag_outliers,
)
from fourcorners.text.evidence import quote_span
from fourcorners.text.span import Span

STATES = ("England", "Scotland", "Delaware", "Bavaria", "Ontario", "Victoria", "Texas", "Kenya")
ODD = "All rules made by the spirits of the forest bind whoever enters beneath its oldest oak."


def usual(place: str) -> str:
    return f"This Agreement is governed by and construed in accordance with the laws of {place}."


def readings(texts: list[str]) -> list[ComparedClause]:
    return [ComparedClause(str(at), Span(0, len(text)), text) for at, text in enumerate(texts)]


def test_the_odd_one_is_found_with_its_nearest() -> None:
    texts = [usual(each) for each in STATES]
    odd = "Any claim goes to arbitration under the laws of Texas, in Austin, by three arbitrators."
    found = find_outliers(readings([*texts, odd]), [None] * 9)
    assert list(found) == [8]
    assert found[8].nearest == "6"
    assert 0.5 <= found[8].score <= 1
    assert found[8].clause == Span(0, len(texts[6]))


def test_a_room_of_one_template_has_no_outlier() -> None:
    texts = [usual(each) for each in STATES]
    assert (
        find_outliers(readings([*texts, texts[0].replace("and construed ", "")]), [None] * 9) == {}
    )


def test_fewer_than_five_clauses_tell_nothing() -> None:
    texts = [usual(each) for each in STATES[:3]]
    assert find_outliers(readings([*texts, ODD]), [None] * 4) == {}
    assert list(find_outliers(readings([*texts, usual("Fife"), ODD]), [None] * 5)) == [4]


def test_two_odd_ones_do_not_hide_each_other() -> None:
    texts = [usual(each) for each in STATES]
    assert set(find_outliers(readings([*texts, ODD, ODD]), [None] * 10)) == {8, 9}


def test_vectors_speak_where_every_clause_has_one() -> None:
    texts = [usual(each) for each in STATES]
    same = [np.array([1, 0], np.float32)] * 7
    assert set(find_outliers(readings(texts), [*same, np.array([-1, 0], np.float32)])) == {7}
    assert find_outliers(readings(texts), [*same, None]) == {}


def test_what_people_rejected_and_facts_are_not_compared(
    tmp_path: Path, playbook: Playbook
) -> None:
    texts = {str(at): usual(each) for at, each in enumerate(STATES)} | {"8": ODD}
    findings = [
        Finding(name, "insurance", CellState.FOUND,
                (Evidence(quote_span(text, Span(0, len(text))), Span(0, len(text)), (), None,
                          0.9),))
        for name, text in texts.items()
    ]  # fmt: skip
    with Library.open(tmp_path / "none.db") as library:
        marked = flag_outliers(library, playbook, findings, texts)
        assert [bool(each.outlier) for each in marked] == [False] * 8 + [True]
        assert [replace(each, outlier=None) for each in marked] == findings
        rejected = [*findings[:-1], replace(findings[-1], state=CellState.NOT_FOUND)]
        assert flag_outliers(library, playbook, rejected, texts) == rejected


def test_the_difference_leads_from_the_nearest_to_the_clause() -> None:
    pieces = word_difference("Paid within 30 days.", "Paid within 60 days.")
    assert [(each.change, each.text) for each in pieces] == [
        (Change.SAME, "Paid within"),
        (Change.REMOVED, "30"),
        (Change.ADDED, "60"),
        (Change.SAME, "days."),
    ]


@pytest.mark.parametrize("count", [5, 6, 20])
def test_clauses_that_share_nothing_are_no_outliers(count: int) -> None:
    words = [f"alpha{n} beta{n} gamma{n} delta{n}" for n in range(count)]
    assert find_outliers(readings(words), [None] * count) == {}
