"""What a person may edit of a change, and what becomes of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fourcorners.errors import ConfigError
from fourcorners.redline.decisions import (
    Decision,
    DecisionState,
    change_id,
    decided_redline,
    edit_change,
    edit_place,
    proposed_words,
)
from fourcorners.redline.proposal import Extent, ProposedChange, Redline, Source
from fourcorners.text.evidence import quote_span
from fourcorners.text.span import Span
from fourcorners.text.word_differences import Edit, EditKind

TEXT = "6.1 No party may assign it. It ends in ten days.\n\n6.2 Other words."


def change(words: str, added: str, quoted: str) -> ProposedChange:
    """Return a change that adds words after others, with a quote around them."""
    at = TEXT.index(words) + len(words)
    start = TEXT.index(quoted)
    return ProposedChange(
        provision="assignment",
        name="Assignment",
        extent=Extent.WORDS,
        span=Span(at, at),
        edits=(Edit(EditKind.INSERT, added),),
        found="It is refused.",
        target_kind="fallback",
        target="It is accepted.",
        quotes=(quote_span(TEXT, Span(start, start + len(quoted))),),
        path=(),
        source=Source("the playbook"),
    )


def redline(*changes: ProposedChange) -> Redline:
    return Redline("d", "supply", "Ada", "book", "1", changes, ())


FIRST = change("assign it", " freely", "6.1 No party may assign it.")
SECOND = change("ten days", " or less", "It ends in ten days.")


def edited(words: str) -> Decision:
    return Decision(DecisionState.EDITED, "Ada", words, is_edited=True)


def test_the_clause_is_edited_without_its_number() -> None:
    place = edit_place(redline(FIRST, SECOND), FIRST, TEXT)
    assert place.text_in(TEXT) == "No party may assign it."
    assert proposed_words(FIRST, place, TEXT) == "No party may assign it freely."


def test_words_that_another_change_is_in_are_not_edited() -> None:
    around = replace(SECOND, quotes=(quote_span(TEXT, Span(0, TEXT.index("\n"))),))
    assert edit_place(redline(FIRST, around), FIRST, TEXT) == FIRST.span
    assert edit_place(redline(FIRST, around), around, TEXT) == around.span
    made = edit_change(redline(FIRST, around), FIRST, edited("at will"), TEXT)
    assert [each.text for each in made.edits] == [" at will"]


def test_only_decided_changes_are_left() -> None:
    whole = redline(FIRST, SECOND)
    no = Decision(DecisionState.REJECTED, "Ada")
    decisions = {change_id(FIRST): edited("No party may sell it."), change_id(SECOND): no}
    (made,) = decided_redline(whole, decisions, TEXT).changes
    assert made.removed == "assign"
    assert made.added == "sell"
    assert made.source.name == "the playbook, edited by Ada"
    assert decided_redline(whole, {}, TEXT).changes == ()


def test_the_contracts_own_words_are_no_edit() -> None:
    with pytest.raises(ConfigError):
        edit_change(redline(FIRST), FIRST, edited("No party may\nassign it."), TEXT)
