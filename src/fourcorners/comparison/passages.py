"""Parts of one clause paired with those of another, so that they are read next to each other."""

from __future__ import annotations

from collections.abc import Sequence

from fourcorners.text.stems import content_tokens
from fourcorners.text.tokenization import tokenize

_SHARED = 0.12  # of the words of two parts that both must have to be about the same


def align_parts(base: Sequence[str], other: Sequence[str]) -> list[int | None]:
    """Return for each part of `other` the part of `base` that it is about, or None.

    The likest pairs come first, and each part is paired once, wherever it is.
    """
    words = [
        [frozenset(content_tokens(tokenize(each).tokens)) for each in of] for of in (base, other)
    ]
    scores = sorted(
        (
            (-len(one & two) / len(one | two), at, number)
            for at, one in enumerate(words[0])
            for number, two in enumerate(words[1])
            if one & two
        ),
    )
    paired: list[int | None] = [None] * len(other)
    taken: set[int] = set()
    for score, at, number in scores:
        is_like = -score >= _SHARED or not taken  # the likest two: the clauses are on one matter
        if is_like and at not in taken and paired[number] is None:
            paired[number] = at
            taken.add(at)
    return paired
