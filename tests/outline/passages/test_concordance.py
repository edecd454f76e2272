from __future__ import annotations

import struct
import zlib
from hashlib import sha256
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.outline.passages.concordance import FORMAT, Concordance
from fourcorners.outline.passages.cut import cut_units
from fourcorners.outline.tree import Passage, View
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex

TEXT = (
    "SUPPLY AGREEMENT\n\n1. Term. This Agreement runs for five (5) years from the Effective Date. "
    "Acme, Inc. may end it on 30 days' notice.\n\n2. Fees. Société Générale pays €1,000 a month; "
    "no. 7 of Schedule B applies to the rest.\n\n(a) Taxes are borne by the Buyer under "
    "Section 12.3 of the Act."
)


def passages_of(text: str, bounds: list[int]) -> list[Passage]:
    edges = sorted({0, len(text), *(at % (len(text) + 1) for at in bounds)})
    return [
        Passage(ordinal, Span(start, end), View.WINDOW)
        for ordinal, (start, end) in enumerate(pairwise(edges))
    ]


def same(one: Concordance, other: Concordance | None) -> bool:
    assert other is not None
    mine, theirs = one.index, other.index
    return (
        one.units == other.units
        and list(mine.words) == list(theirs.words)
        and mine.vocabulary == theirs.vocabulary
        and all(
            list(mine.positions(word)) == list(theirs.positions(word)) for word in mine.vocabulary
        )
    )


@given(st.text(max_size=400), st.lists(st.integers(0, 400), max_size=6))
def test_what_is_kept_of_any_text_reads_back_the_same(text: str, bounds: list[int]) -> None:
    made = Concordance.build(text, passages_of(text, bounds))
    assert same(made, Concordance.load(made.dump()))


def test_it_holds_the_words_of_the_text_and_the_units_of_its_passages_in_order() -> None:
    passages = passages_of(TEXT, [18, 150, 270])
    made = Concordance.build(TEXT, reversed(passages))
    assert made.units == tuple(cut_units(TEXT, passages))
    assert len(made.units) >= 4
    assert list(made.index.words) == list(WordIndex(TEXT).words)


def test_another_form_is_none_and_damage_is_told() -> None:
    data = Concordance.build(TEXT, passages_of(TEXT, [150])).dump()
    other = struct.pack("<I", FORMAT + 1) + data[4:]
    assert Concordance.load(other) is None
    for harmed in (b"", data[:10], data[:-9], data[:40] + b"\0\0\0" + data[43:]):
        with pytest.raises(ValueError, match="damaged"):
            Concordance.load(harmed)


def test_words_and_sentences_come_out_as_in_the_form_that_libraries_hold() -> None:
    """Where this fails, words or sentences are found otherwise than before: raise `FORM`."""
    data = Concordance.build(TEXT, passages_of(TEXT, [18, 150, 270])).dump()
    told = sha256(data[:20] + zlib.decompress(data[20:])).hexdigest()[:16]
    assert (FORMAT, told) == (4, "4368d50e95c5fd71")
