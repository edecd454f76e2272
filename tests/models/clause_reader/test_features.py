from __future__ import annotations

import numpy as np
import pytest

from fourcorners.models.clause_reader.features import (
    BASE,
    PARTS,
    SCALES,
    Sentences,
    Vocabulary,
    feature_parts,
    fold_number,
    fold_words,
)
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex

TEXT = "Term\nAlder grants a non-exclusive licence. it ends in 2031; the fee is 12."
HEADING, FIRST, SECOND = Span(0, 4), Span(5, 42), Span(43, len(TEXT))


def sentences(text: str = TEXT, spans: tuple[Span, ...] = (FIRST, SECOND)) -> Sentences:
    return Sentences(text, WordIndex(text), spans, [(HEADING,)] * len(spans))


def numbered(of: Sentences) -> tuple[list[str], np.ndarray]:
    tokens = fold_words(of.index)
    words = sorted(set(tokens))
    return words, np.array([words.index(token) for token in tokens], np.int64)


def vocabulary(of: Sentences) -> Vocabulary:
    words, numbers = numbered(of)
    codes = {part: np.unique(code) for part, (_, code) in feature_parts(of, numbers).items()}
    columns = sum(map(len, codes.values()))
    known = {word: at for at, word in enumerate(words)}
    return Vocabulary(known, codes, np.ones(columns, np.float32))


def test_numbers_are_one_word_by_their_length() -> None:
    assert [fold_number(each) for each in ("1999", "2031", "12", "a1")] == [
        "0000",
        "0000",
        "00",
        "a1",
    ]


def test_non_exclusive_is_not_exclusive() -> None:
    assert "nonexclusive" in fold_words(WordIndex(TEXT))
    assert "exclusive" not in fold_words(WordIndex(TEXT))
    assert fold_words(WordIndex("none non"))[-1] == "non"


def test_each_part_holds_what_stands_there() -> None:
    of = sentences()
    words, numbers = numbered(of)
    found = feature_parts(of, numbers)

    def held(part: str, row: int) -> list[str]:
        return [words[code] for at, code in zip(*found[part], strict=True) if at == row]

    assert held("own", 0) == sorted(["alder", "grants", "a", "non", "nonexclusive", "licence"])
    assert held("before", 0) == ["term"]
    assert set(held("before", 1)) >= {"licence", "alder", "term"}
    assert set(held("after", 0)) >= {"it", "ends", "0000"}
    assert held("headings", 1) == ["term"]
    pairs = {divmod(int(code), BASE) for at, code in zip(*found["pairs"], strict=True) if at == 0}
    assert (words.index("alder"), words.index("grants")) in pairs
    assert (words.index("licence"), words.index("it")) not in pairs  # not across sentences
    assert len([at for at in found["triples"][0] if at == 0]) == 4


def test_shape_tells_a_sentence_that_goes_on() -> None:
    of = sentences()
    row, place = feature_parts(of, numbered(of)[1])["place"]
    assert [25 in place[row == at] for at in (0, 1)] == [False, True]  # begins with a small letter
    assert 22 + 1 in place[row == 0]  # ends with a full stop


def test_every_part_of_a_row_has_its_length() -> None:
    of = sentences()
    known = vocabulary(of)
    rows = known.rows(of)
    ends = np.cumsum([len(known.codes[part]) for part in PARTS])
    for row in range(2):
        entries = slice(rows.starts[row], rows.starts[row + 1])
        part = np.searchsorted(ends, rows.columns[entries], side="right")
        for at, name in enumerate(PARTS):
            values = rows.values[entries][part == at]
            size = np.sqrt((values**2).sum())
            assert size == pytest.approx(SCALES[name] if len(values) else 0.0, abs=1e-5)


def test_unknown_words_and_no_sentences_are_no_error() -> None:
    known = vocabulary(sentences())
    strange = sentences("Xylophones quietly hum.", (Span(0, 23),))
    strange = Sentences(strange.text, strange.index, strange.spans, [()])
    rows = known.rows(strange)
    places = len(known.codes["place"])
    assert (rows.columns >= len(known.rarity) - places).all()
    none = known.rows(Sentences(TEXT, WordIndex(TEXT), [], []))
    assert list(none.starts) == [0]
    assert len(none.columns) == 0


@pytest.mark.parametrize("most", [1, 2, 5])
def test_a_long_document_is_read_in_blocks_as_it_is_at_once(most: int) -> None:
    text = TEXT + " The Term ends when either party gives notice."
    spans = (FIRST, SECOND, Span(len(TEXT) + 1, len(text)))
    of = sentences(text, spans)
    known = vocabulary(of)
    whole = known.rows(of)
    blocks = list(known.row_blocks(of, most))
    assert len(blocks) == -(-len(spans) // most)
    assert np.array_equal(np.concatenate([each.columns for each in blocks]), whole.columns)
    assert np.allclose(np.concatenate([each.values for each in blocks]), whole.values)
    sizes = np.concatenate([np.diff(each.starts) for each in blocks])
    assert np.array_equal(sizes, np.diff(whole.starts))
