from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from fourcorners_bench.entailment.run import MIN_EXCERPT, excerpt_start, excerpts

TEXT = (
    "The Recipient shall return all samples within ten days of a request, and shall destroy "
    "every copy that it has made. It may keep one copy."
)
LONG, SHORT = split_sentences(TEXT, Span(0, len(TEXT)))


def test_what_fits_is_whole_and_the_first_that_does_not_is_begun() -> None:
    room = len(SHORT) + 75
    shown = [each.text_in(TEXT) for each in excerpts(TEXT, [SHORT, LONG], room)]
    assert shown == [
        "It may keep one copy.",
        "The Recipient shall return all samples within ten days of a request, and",
    ]


def test_the_end_of_a_clause_is_better_where_it_is_near() -> None:
    begun = excerpt_start(TEXT, LONG, 71)
    assert begun is not None
    assert begun.text_in(TEXT).endswith("of a request,")


def test_few_words_are_not_begun_and_nothing_comes_after_what_is_left_out() -> None:
    assert excerpts(TEXT, [LONG, SHORT], MIN_EXCERPT - 5) == []
    assert excerpt_start("x" * 900, Span(0, 900), 600) is None


@given(st.text(alphabet="ab ,.;\n", max_size=300), st.integers(0, 200))
def test_there_is_never_more_than_the_room(text: str, room: int) -> None:
    ranked = list(split_sentences(text, Span(0, len(text))))
    shown = excerpts(text, ranked, room)
    assert sum(map(len, shown)) <= room
    assert all(any(one.contains(each) for one in ranked) for each in shown)
