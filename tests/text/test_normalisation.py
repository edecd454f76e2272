"""The normalised view and its way back."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.text.normalisation import normalise_text
from fourcorners.text.span import Span

# Texts of the characters that matter, so that they meet each other often.
texts = st.text(
    st.sampled_from("aZé1 \t\n\r\u00a0\u00ad\u200b\ufb01\u2026-\u2010\u201c\u037e\ufffe.,")
)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("the\u00a0 fee\n\nis  due", "the fee is due"),
        ("\u201cFee\u201d, the party\u2019s", '"Fee", the party\'s'),
        ("2019\u20132020 \u2014 net", "2019-2020 - net"),
        ("a\u037e b", "a; b"),
        ("ter\u00admi\u200bnate", "terminate"),
        ("of\ufb01ce, a\ufb04uent, wait\u2026", "office, affluent, wait..."),
        ("the agree-\nment and agree- \r\n  ment", "the agreement and agreement"),
        ("Non-\nCompete, 2-\n3, -\nx", "Non- Compete, 2- 3, - x"),
        ("The Fee", "The Fee"),
        (" a ", " a "),
        ("", ""),
    ],
)
def test_what_reads_the_same_becomes_the_same(text: str, normal: str) -> None:
    assert normalise_text(text).text == normal


def test_a_span_comes_back_to_all_the_characters_it_shows() -> None:
    text = "The agree-\nment  of\ufb01ce"
    view = normalise_text(text)
    for words, source in [("agreement", "agree-\nment"), ("office", "of\ufb01ce"), (" of", "  of")]:
        start = view.text.index(words)
        assert view.to_source(Span(start, start + len(words))).text_in(text) == source


def test_a_span_outside_is_refused() -> None:
    with pytest.raises(IndexError):
        normalise_text("abc").to_source(Span(2, 4))


@given(texts, st.data())
def test_every_span_comes_back_inside_the_source_in_order(text: str, data: st.DataObject) -> None:
    view = normalise_text(text)
    assert len(view.offsets) == len(view.ends) == len(view.text)
    assert all(a <= b for a, b in pairwise(view.offsets))
    assert all(a <= b for a, b in pairwise(view.ends))
    start = data.draw(st.integers(0, len(view.text)))
    end = data.draw(st.integers(start, len(view.text)))
    source = view.to_source(Span(start, end))
    assert Span(0, len(text)).contains(source)
    assert bool(source) == (end > start)
    if source:
        assert view.from_source(source).contains(Span(start, end))


@given(texts)
def test_a_character_kept_is_the_character_shown(text: str) -> None:
    view = normalise_text(text)
    for character, start, end in zip(view.text, view.offsets, view.ends, strict=True):
        if character in "aZé1.,":
            assert character in normalise_text(text[start:end]).text


@given(texts)
def test_normal_text_has_no_runs_of_space(text: str) -> None:
    normal = normalise_text(text).text
    assert "  " not in normal
    assert not set(normal) & set("\t\n\r\u00a0\u00ad\u200b\ufb01\u2026\u201c\u037e")


def test_a_long_contract_takes_no_time() -> None:
    text = (
        "The \u201cSupplier\u201d  shall pay\nthe fee of \u00a35,000 with-\nin ten\u00a0days.\n\n"
        * 5000
    )
    assert len(text) > 300_000
    times = []
    for _ in range(3):
        start = time.process_time()
        normalise_text(text)
        times.append(time.process_time() - start)
    assert min(times) < 2  # a bound for busy machines; a laptop takes a twentieth of it
