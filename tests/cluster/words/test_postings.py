"""Postings come back from their blocks as they were, joined or apart, with or without the dead."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

pytest.importorskip("pyarrow")

from fourcorners.cluster.words.parts import IndexPart, unpack_part
from fourcorners.cluster.words.postings import (
    AFTER_ALL,
    BEFORE_ALL,
    TOKEN_PREFIX,
    Postings,
    count_postings,
    merge_postings,
    pack_postings,
    unpack_postings,
)

WORDS = [*"abcdefgh", "ab", "abc", "élan", "中", "𝔸", "0", "10"]


def some_rows(rng: random.Random, count: int) -> tuple[list[int], list[str], list[str]]:
    rows = sorted(rng.sample(range(5, 2**34, 7), count))
    texts = [" ".join(rng.choices(WORDS, k=rng.randrange(40))) for _ in rows]
    return (
        rows,
        texts,
        [" ".join(rng.sample(["vnode", "l1", "h2"], rng.randrange(4))) for _ in rows],
    )


def plain(postings: Postings) -> dict[tuple[str, int], int]:
    """Return how often each word stands in each row, and see that the order is right."""
    assert list(postings.terms) == sorted(set(postings.terms))
    told: dict[tuple[str, int], int] = {}
    for word, (low, high) in zip(
        postings.terms, zip(postings.bounds, postings.bounds[1:], strict=False), strict=True
    ):
        rows = postings.rows[low:high].tolist()
        assert rows == sorted(set(rows))
        assert rows
        told |= {
            (word, row): often
            for row, often in zip(rows, postings.often[low:high].tolist(), strict=True)
        }
    return told


def counted(rows: Sequence[int], texts: Sequence[str], marks: Sequence[str]) -> object:
    told: dict[tuple[str, int], int] = {}
    for row, text, tokens in zip(rows, texts, marks, strict=True):
        for word in [*text.split(), *(f"{TOKEN_PREFIX}{token}" for token in tokens.split())]:
            told[word, row] = told.get((word, row), 0) + 1
    return told


@pytest.mark.parametrize("seed", range(20))
def test_what_is_gathered_is_what_stands_there(seed: int) -> None:
    made = some_rows(random.Random(seed), seed)
    assert plain(count_postings(*made)) == counted(*made)


@pytest.mark.parametrize("entries", [1, 7, 10_000])
def test_blocks_hold_all_words_and_follow_each_other(entries: int) -> None:
    made = [each[:120] for each in some_rows(random.Random(1), 120)]
    rows = [row % 2**31 for row in made[0]]  # of one part: 32 bits are enough for the steps
    order = sorted(range(len(rows)), key=rows.__getitem__)
    rows, texts, marks = ([each[at] for at in order] for each in (rows, made[1], made[2]))
    whole = count_postings(rows, texts, marks)  # type: ignore[arg-type]
    blocks = list(pack_postings(whole, entries=entries))
    assert [blocks[0].first, blocks[-1].until] == [BEFORE_ALL, AFTER_ALL]
    assert [each.until for each in blocks[:-1]] == [each.first for each in blocks[1:]]
    parts = [unpack_postings(each.data) for each in blocks]
    for block, part in zip(blocks, parts, strict=True):
        assert all(block.first <= word < block.until for word in part.terms)
    assert plain(merge_postings(parts)) == plain(whole)


def test_no_words_make_one_block() -> None:
    [block] = pack_postings(count_postings([], [], []))
    assert plain(unpack_postings(block.data)) == {}


@pytest.mark.parametrize("data", [b"", b"short", bytes(40)])
def test_what_is_no_block_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="no block"):
        unpack_postings(data)


def test_joining_parts_is_gathering_them_together() -> None:
    rows, texts, marks = some_rows(random.Random(3), 90)
    pieces = [
        count_postings(rows[at::3], texts[at::3], marks[at::3]) for at in range(3)
    ]  # rows of one lie between those of others
    assert plain(merge_postings(pieces)) == counted(rows, texts, marks)


def test_rows_that_are_not_kept_leave_no_bare_word() -> None:
    rows, texts, marks = some_rows(random.Random(4), 30)
    whole = count_postings([*rows, rows[-1] + 1], [*texts, "alone"], [*marks, ""])
    left = plain(whole.filter(whole.rows <= rows[9]))
    assert left == counted(rows[:10], texts[:10], marks[:10])


def test_a_word_and_a_start_are_cut_out() -> None:
    whole = count_postings([1, 2, 3], ["a ab ab", "abc a", "b"], ["", "ab", ""])
    rows, often = whole.rows_of("ab", "ab!")
    assert (rows.tolist(), often.tolist()) == ([1], [2])
    rows, often = whole.rows_of("ab", f"ab{AFTER_ALL}")
    assert (rows.tolist(), often.tolist()) == ([1, 2], [2, 1])
    assert plain(whole.term_range("ab", "b")) == {("ab", 1): 2, ("abc", 2): 1}


def test_a_part_comes_back_from_its_bytes() -> None:
    numbers = [np.array(each, dtype=np.int64) for each in ([1, 2**40], [2, 1], [7, 8, 9])]
    part = IndexPart("p", numbers[0], numbers[1], ["one", "two"], numbers[2])
    back = unpack_part("p", part.pack())
    assert (back.name, list(back.generations)) == ("p", ["one", "two"])
    for mine, theirs in (
        (back.starts, part.starts),
        (back.counts, part.counts),
        (back.lengths, part.lengths),
    ):
        assert mine.tolist() == theirs.tolist()
    with pytest.raises(ValueError, match="no part"):
        unpack_part("p", b"nothing")
