"""`Quote`: words with the span they were verified against."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from fourcorners.text.span import Span


class Match(StrEnum):
    """How a quote was found in the text, from the strictest to none."""

    EXACT = "exact"
    NORMALISED = "normalised"
    FUZZY = "fuzzy"
    UNVERIFIED = "unverified"


@dataclass(frozen=True, slots=True)
class Quote:
    """Words and their place.

    `words` are always the text's own: `text[span] == words`. An unverified quote has no span, and
    its words are a claim, never evidence. `score` is the similarity in percent.
    """

    words: str
    span: Span | None
    match: Match
    score: float = 100.0

    @property
    def verified(self) -> bool:
        return self.span is not None
