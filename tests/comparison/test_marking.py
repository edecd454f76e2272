from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import pytest

from fourcorners.comparison.comparison import Clause
from fourcorners.comparison.marking import BREAK, mark_side, mark_words, shorten_marked
from fourcorners.text.word_differences import Edit, EditKind
from tests.comparison.contracts import CLAUSES, compare, differing, replaced

CHANGED = {
    "a value": replaced("thirty (30) days", "sixty (60) days"),
    "words gone": replaced("Interest of 4% a year runs", "Interest runs"),
    "words new": replaced("may inspect", "may not inspect"),
    "a word at the end": replaced("on which they are due.", "on which they are due and payable."),
    "a clause gone": (*CLAUSES[:9], *CLAUSES[10:]),
    "a clause new": (*CLAUSES, "5.4 No other person may rely on this Agreement or enforce it."),
    "a clause moved": (*CLAUSES[:6], *CLAUSES[7:], CLAUSES[6].replace("2.1", "5.4")),
    "a number": (*CLAUSES[:9], CLAUSES[9].replace("2.4", "2.5"), *CLAUSES[10:]),
    "a clause split": (
        *CLAUSES[:8],
        *CLAUSES[8].replace(" Title", "\n\n2.4 Title").split("\n\n"),
        CLAUSES[9].replace("2.4", "2.5"),
        *CLAUSES[10:],
    ),
    "all backwards": tuple(reversed(CLAUSES)),
}


def plain(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace(BREAK, " ")).strip()


def words(edits: Sequence[Edit], left_out: EditKind) -> str:
    return plain("".join(each.text for each in edits if each.kind is not left_out))


def clauses(text: str, spans: Iterable[Clause]) -> str:
    return plain(" ".join(each.span.text_in(text) for each in spans))


@pytest.mark.parametrize("name", CHANGED)
@pytest.mark.parametrize("is_reversed", [False, True])
def test_accepted_and_rejected_the_marked_words_are_the_two_versions(
    name: str, is_reversed: bool
) -> None:
    sides = (CLAUSES, CHANGED[name])
    before, after = reversed(sides) if is_reversed else sides
    found = compare(*after, before=tuple(before))
    for change in found.clauses:
        edits = mark_words(found, change)
        assert words(edits, EditKind.DELETE) == clauses(found.after.text, change.after)
        assert words(edits, EditKind.INSERT) == clauses(found.before.text, change.before)


def test_each_side_alone_shows_its_own_words() -> None:
    found = compare(*CHANGED["a value"])
    (change,) = differing(found)
    before = mark_side(change, found.before.text, is_after=False)
    after = mark_side(change, found.after.text, is_after=True)
    assert [each.text for each in before if each.kind is EditKind.DELETE] == ["thirty (30"]
    assert [each.text for each in after if each.kind is EditKind.INSERT] == ["sixty (60"]
    assert "".join(each.text for each in after) == CHANGED["a value"][6]


def test_words_far_from_a_change_are_left_out() -> None:
    edits = [
        Edit(EditKind.EQUAL, "one two three four five six "),
        Edit(EditKind.INSERT, "seven "),
        Edit(EditKind.EQUAL, "eight nine"),
    ]
    shown = [each.text for each in shorten_marked(edits, 10)]
    assert shown == ["… five six ", "seven ", "eight nine"]
