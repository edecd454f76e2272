"""The words of a contract's sentences as sparse rows: what the clause reader looks at.

A sentence is described by its words, two and three in a row, by the words just before and just
after it, by the headings above it, and by its place and shape. All are numbers in one row; each
part is scaled separately, so that a long sentence does not outweigh a short one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fourcorners.text.span import Span, merge_spans
from fourcorners.text.tokenization import WordIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORDS_BEFORE = 25  # words before a sentence that are looked at: the lead-in of a list, mostly
WORDS_AFTER = 15  # of the next sentence, as trained
SCALES = {
    "own": 0.7,
    "pairs": 1.0,
    "triples": 0.7,
    "before": 0.5,
    "after": 0.35,
    "headings": 0.6,
    "place": 0.3,
}
PARTS = tuple(SCALES)
BASE = 1 << 20  # words in a row are the digits of one number to this base; there are fewer words
NEGATION = "non"


@dataclass(frozen=True, slots=True)
class Sentences:
    """The sentences of one document.

    Attributes:
        unseen: What of the text is not counted in a sentence's place, in order.
    """

    text: str
    index: WordIndex
    spans: Sequence[Span]
    headings: Sequence[Sequence[Span]]
    unseen: Sequence[Span] = ()


@dataclass(frozen=True, slots=True)
class SparseRows:
    """Sparse rows: the entries of row `i` are those from `starts[i]` to `starts[i + 1]`."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: NDArray[np.float32]


def fold_number(token: str) -> str:
    """Return a word with its digits made zero: `2024` and `1999` are one word, `1` and `12` two."""
    return "0" * min(len(token), 5) if token.isdigit() else token


def fold_words(index: WordIndex) -> list[str]:
    """Return the words of a document as they are compared: `non-exclusive` is not `exclusive`."""
    of = {token: fold_number(token) for token in index.vocabulary}
    tokens = [of[token] for token in index.words.tokens]
    for at in index.positions(NEGATION):
        if at + 1 < len(tokens):
            tokens[at + 1] = NEGATION + tokens[at + 1]
    return tokens


def feature_parts(
    sentences: Sentences, words: NDArray[np.int64]
) -> dict[str, tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return for each part what it holds: the row of each entry and its code, each pair once."""
    import numpy as np

    ranges = [sentences.index.word_range(span) for span in sentences.spans]
    first = np.array([low for low, _ in ranges], np.int64)
    beyond = np.array([high for _, high in ranges], np.int64)
    row, at = _spread(first, beyond)
    in_row = {}
    for many in (2, 3):
        its_row, start = _spread(first, np.maximum(first, beyond - many + 1))
        code = np.zeros(len(start), np.int64)
        known = np.ones(len(start), np.bool_)
        for step in range(many):
            code = code * BASE + words[start + step]
            known &= words[start + step] >= 0
        in_row[many] = _drop_repeated(its_row, np.where(known, code, -1))
    before_row, before_at = _spread(np.maximum(0, first - WORDS_BEFORE), first)
    after_row, after_at = _spread(beyond, np.minimum(len(words), beyond + WORDS_AFTER))
    heading_row, heading_at = _heading_words(sentences)
    return {
        "own": _drop_repeated(row, words[at]),
        "pairs": in_row[2],
        "triples": in_row[3],
        "before": _drop_repeated(before_row, words[before_at]),
        "after": _drop_repeated(after_row, words[after_at]),
        "headings": _drop_repeated(heading_row, words[heading_at]),
        "place": _places(sentences),
    }


def _spread(
    first: NDArray[np.int64], beyond: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return every number of the half-open ranges, with the place of its range before it."""
    import numpy as np

    sizes = beyond - first
    row = np.repeat(np.arange(len(sizes)), sizes)
    within = np.arange(len(row)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return row, first[row] + within if len(row) else row


def _heading_words(sentences: Sentences) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    import numpy as np

    rows: list[int] = []
    places: list[int] = []
    ranges: dict[Span, tuple[int, int]] = {}
    for row, path in enumerate(sentences.headings):
        for heading in path:
            if heading not in ranges:
                ranges[heading] = sentences.index.word_range(heading)
            low, high = ranges[heading]
            places.extend(range(low, high))
            rows.extend([row] * (high - low))
    return np.array(rows, np.int64), np.array(places, np.int64)


def _drop_repeated(
    row: NDArray[np.int64], code: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    import numpy as np

    row, code = row[code >= 0], code[code >= 0]
    order = np.lexsort((code, row))
    row, code = row[order], code[order]
    new = np.ones(len(row), np.bool_)
    new[1:] = (row[1:] != row[:-1]) | (code[1:] != code[:-1])
    return row[new], code[new]


def _places(sentences: Sentences) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return in which tenth of the document, how near its start, how long and of what shape."""
    import numpy as np

    text = sentences.text
    starts, lengths, whole = shown_places(text, sentences.spans, sentences.unseen)
    tenth = np.minimum(9, (10 * starts / max(1, whole)).astype(np.int64))
    near = 10 + np.searchsorted([400.0, 1_500.0, 4_000.0], starts)
    long = 14 + np.searchsorted([40.0, 80.0, 160.0, 320.0, 640.0], lengths)
    ends = np.array([20 + ":;.".find(text[span.end - 1]) + 1 for span in sentences.spans], np.int64)
    begins = np.array([24 + text[span.start].islower() for span in sentences.spans], np.int64)
    row = np.arange(len(starts))
    return np.tile(row, 5), np.concatenate([tenth, near, long, ends, begins]).astype(np.int64)


def shown_places(
    text: str, spans: Sequence[Span], unseen: Sequence[Span]
) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """Return starts and lengths of spans and the length of a text, as if the unseen were not there.

    `text` has white space for what is unseen.
    """
    import numpy as np

    starts = np.array([span.start for span in spans], np.float64)
    ends = np.array([span.end for span in spans], np.float64)
    gone = merge_spans(_with_space(span, text) for span in unseen)
    if not gone:
        return starts, ends - starts, len(text)
    firsts = np.array([span.start for span in gone], np.float64)
    sizes = np.array([len(span) for span in gone], np.float64)
    before = np.concatenate([[0.0], np.cumsum(sizes)])

    def visible_offsets(offsets: NDArray[np.float64]) -> NDArray[np.float64]:
        at = np.searchsorted(firsts, offsets, side="right")
        last = np.maximum(at - 1, 0)
        within = np.minimum(offsets - firsts[last], sizes[last])
        return np.where(at > 0, offsets - before[last] - within, offsets)

    return (
        visible_offsets(starts),
        visible_offsets(ends) - visible_offsets(starts),
        len(text) - int(before[-1]),
    )


def _with_space(span: Span, text: str) -> Span:
    """Return a span with the white space after it."""
    end = span.end
    while end < len(text) and text[end].isspace():
        end += 1
    return Span(span.start, end)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Which words and pairs count, in which part, and how much.

    Attributes:
        words: The number of each word, from 0.
        codes: For each part the codes that count, in order; their place is their column, counted
            on from part to part.
        rarity: The weight of each column: the rarer, the more.
    """

    words: Mapping[str, int]
    codes: Mapping[str, NDArray[np.int64]]
    rarity: NDArray[np.float32]

    def rows(self, sentences: Sentences) -> SparseRows:
        return self._rows(sentences, self._numbers(sentences))

    def row_blocks(self, sentences: Sentences, most: int) -> Iterator[SparseRows]:
        """Yield the rows of a document's sentences, at most so many at a time."""
        numbers = self._numbers(sentences)
        for start in range(0, len(sentences.spans), most):
            beyond = start + most
            spans, headings = sentences.spans[start:beyond], sentences.headings[start:beyond]
            yield self._rows(replace(sentences, spans=spans, headings=headings), numbers)

    def _numbers(self, sentences: Sentences) -> NDArray[np.int64]:
        import numpy as np

        return np.array(
            [self.words.get(each, -1) for each in fold_words(sentences.index)], np.int64
        )

    def _rows(self, sentences: Sentences, numbers: NDArray[np.int64]) -> SparseRows:
        import numpy as np

        found = feature_parts(sentences, numbers)
        rows, columns, values = [], [], []
        offset = 0
        for part in PARTS:
            known = self.codes[part]
            row, code = found[part]
            column = np.minimum(np.searchsorted(known, code), max(0, len(known) - 1))
            is_seen = known[column] == code if len(known) else np.zeros(len(code), np.bool_)
            row, column = row[is_seen], column[is_seen] + offset
            value = self.rarity[column]
            squares = np.bincount(row, value.astype(np.float64) ** 2, len(sentences.spans))
            rows.append(row)
            columns.append(column)
            values.append(SCALES[part] * value / np.sqrt(squares)[row])
            offset += len(known)
        row = np.concatenate(rows)
        order = np.argsort(row, kind="stable")
        starts = np.zeros(len(sentences.spans) + 1, np.int64)
        np.cumsum(np.bincount(row, minlength=len(sentences.spans)), out=starts[1:])
        return SparseRows(
            starts,
            np.concatenate(columns)[order],
            np.concatenate(values)[order].astype(np.float32),
        )
