"""Hidden characters, made visible."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from fourcorners.text.invisible_characters import (
    shorten,
    show_invisible,
    single_line,
    split_invisible,
)


def test_overrides_and_zero_widths_are_named() -> None:
    assert show_invisible("a\u202eb\u200bc\ufeff") == "a⟦U+202E⟧b⟦U+200B⟧c⟦U+FEFF⟧"
    assert show_invisible("null\x00 lone\ud800") == "null⟦U+0000⟧ lone⟦U+D800⟧"


def test_every_line_end_is_a_line_feed() -> None:
    assert show_invisible("a\r\nb\rc\x0bd\x0ce\x85f\u2028g\u2029h") == "\n".join("abcdefgh")


@given(st.text(st.characters(codec=None)))
def test_nothing_hidden_or_unprintable_is_left(text: str) -> None:
    shown = show_invisible(text)
    shown.encode("utf-8")
    assert all(
        unicodedata.bidirectional(c) not in {"RLO", "LRO", "RLE", "LRE", "PDF", "RLI", "LRI"}
        for c in shown
    )
    assert all(unicodedata.category(c) != "Cc" or c in "\t\n" for c in shown)
    assert "".join(piece for _, piece in split_invisible(text)) == shown


@given(st.text(), st.integers(2, 60))
def test_shortened_keeps_the_limit_on_one_line(text: str, limit: int) -> None:
    short = shorten(text, limit)
    assert len(short) <= limit
    assert "\n" not in short
    assert short == single_line(text) or short.endswith("…")
