"""Units: the quotable sentences of a document, each in one passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fourcorners.outline.exclusions import Exclusion, blank_text
from fourcorners.outline.tree import Passage
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span

MIN_WORDS = 4  # of a sentence: what has fewer is a heading, a label or a signature


@dataclass(frozen=True, slots=True)
class Unit:
    """A quotable sentence, cut where a passage ends. `passage` is the passage's position."""

    span: Span
    passage: int


def cut_units(
    text: str, passages: Sequence[Passage], exclusions: Sequence[Exclusion] = ()
) -> list[Unit]:
    """Return the sentences of passages that are in order and disjoint.

    Exclusions are in none, but may interrupt one.
    """
    shown = blank_text(text, exclusions)
    return [
        Unit(span, ordinal)
        for ordinal, passage in enumerate(passages)
        for span in split_sentences(shown, passage.span)
        if len(span.text_in(shown).split()) >= MIN_WORDS
    ]
