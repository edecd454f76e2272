"""What of a contract a model is told: all of it but headings, labels and what runs on."""

from __future__ import annotations

import re
from itertools import pairwise

from fourcorners.outline.exclusions import Exclusion, ExclusionKind
from fourcorners.outline.passages.cut import MIN_WORDS
from fourcorners.research.agents.sentence_list import make_readable
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span

PAGE = (
    "The Seller shall keep the goods dry and in good order, as the Buyer has asked it to do. " * 12
)
TEXT = f"""SALE OF FLINT

1. Care
{PAGE}
The Buyer and the

Sale of Flint - 1 -

Seller agree on the prices below.

{PAGE}

Sale of Flint - 2 -

{PAGE}

Sale of Flint - 3 -

2. Prices
Flint $610
1. Gravel 100.00
Signature Stones $70
SIGNED by the Seller
Name: A. Flint
"""


def told() -> list[str]:
    """Return what is told of the text, cut into sentences as search knows them: line by line."""
    units = [
        each
        for line in re.finditer(r"[^\n]+", TEXT)
        for each in split_sentences(TEXT, Span(*line.span()))
        if len(each.text_in(TEXT).split()) >= MIN_WORDS
    ]
    headings = [
        Span(TEXT.index(each), TEXT.index(each) + len(each))
        for each in ("Care", "Prices", "Gravel")
    ]
    readable = make_readable(TEXT, units, headings)
    for one, other in pairwise(readable.sentences):
        assert one.end <= other.start
    return [readable.show(each) for each in readable.sentences]


def test_short_lines_are_told_and_what_runs_on_is_not() -> None:
    words = "\n".join(told())
    for part in ("Flint $610", "1. Gravel 100.00", "Signature Stones $70", "SALE OF FLINT"):
        assert part in words
    for part in ("Sale of Flint -", "2. Prices", "Name: A. Flint"):
        assert part not in words


def test_a_sentence_goes_on_behind_the_end_of_a_page() -> None:
    assert [each for each in told() if "The Buyer and the Seller agree on the prices" in each]


def test_what_is_no_evidence_is_not_told() -> None:
    words = "Flint $610"
    span = Span(TEXT.index(words), TEXT.index(words) + len(words))
    for kind in ExclusionKind:
        readable = make_readable(TEXT, [], [], [Exclusion(span, kind)])
        assert not [each for each in readable.sentences if each.overlaps(span)]
        assert readable.orders == ((span,) if kind is ExclusionKind.ORDERS else ())
