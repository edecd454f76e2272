from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from fourcorners.errors import LibraryError
from fourcorners.library.store import Library
from fourcorners.search.concepts import Concept
from fourcorners.search.query import parse_query
from fourcorners.search.sentences.units import DocumentCache
from tests.models.fake import HashEncoder

Add = Callable[..., str]


def test_units_are_the_sentences_of_passages(library: Library, add: Add) -> None:
    document = add("The rent is due monthly. It is paid in advance.", "RENT", "The roof may leak.")
    units = DocumentCache().get(library, document)
    assert [unit.span.text_in(units.text) for unit in units.units] == [
        "The rent is due monthly.",
        "It is paid in advance.",
        "The roof may leak.",
    ]
    assert units.passage_of.tolist() == [0, 0, 2]


def test_each_word_knows_its_unit_and_forms_are_found_by_stem(library: Library, add: Add) -> None:
    document = add("He rents it from us. No rent is due.", "RENT", "The renting ends at last.")
    units = DocumentCache().get(library, document)
    places = sorted(units.places("rent").tolist())
    assert [units.index.words.tokens[at] for at in places] == ["rents", "rent", "rent", "renting"]
    nowhere = len(units.units)
    assert [units.unit_at[at] for at in places] == [0, 1, nowhere, 2]
    assert [units.passage_at[at] for at in places] == [0, 0, 1, 2]


def test_shelf_lets_go_of_what_was_asked_longest_ago(library: Library, add: Add) -> None:
    one, two, three = [add(f"The house number {at} is let.", name=f"{at}.txt") for at in range(3)]
    shelf = DocumentCache(size=2)
    first, second = shelf.get(library, one), shelf.get(library, two)
    assert shelf.get(library, one) is first
    shelf.get(library, three)
    assert shelf.get(library, one) is first
    assert shelf.get(library, two) is not second


def test_clauses_of_a_concept_are_encoded_once() -> None:
    calls: list[int] = []

    class Counting(HashEncoder):
        def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
            calls.append(len(texts))
            return super().encode(texts)

    concept = Concept(
        "rent", "Rent", (), parse_query("rent"), clauses=("Rent is due.", "He pays rent.")
    )
    shelf, encoder = DocumentCache(), Counting(16)
    for _ in range(2):
        examples = shelf.with_examples(concept, encoder).examples
        assert examples is not None
        assert examples.shape == (2, 16)
    assert calls == [2]
    bare = Concept("rent", "Rent", (), parse_query("rent"))
    assert shelf.with_examples(bare, encoder) is bare


def test_a_document_stays_prepared_while_others_come_and_go(library: Library, add: Add) -> None:
    one = add("The rent is due on the first day.", name="one.txt")
    shelf = DocumentCache()
    ready = shelf.get(library, one)
    other = add("The roof is mended by the landlord.", name="two.txt")
    assert shelf.get(library, one) is ready
    library.remove(other)
    assert shelf.get(library, one) is ready


def test_a_document_is_prepared_anew_once_it_has_vectors(library: Library, add: Add) -> None:
    one = add("The rent is due on the first day.")
    library.execute("DELETE FROM vectors")
    shelf = DocumentCache()
    assert shelf.get(library, one).vectors is None
    dimension = library.encoder.dimension if library.encoder else 0
    library.set_vectors(one, np.eye(1, dimension, dtype=np.float32))
    assert shelf.get(library, one).vectors is not None


def test_what_was_kept_of_a_document_is_what_is_found_anew(library: Library, add: Add) -> None:
    one = add("The rent is due monthly. It is paid in advance.", "RENT", "The roof may leak.")
    kept = DocumentCache().get(library, one)
    library.execute("DELETE FROM concordances")
    anew = DocumentCache().get(library, one)
    assert kept.units == anew.units
    assert list(kept.index.words) == list(anew.index.words)


def test_a_flipped_byte_of_what_was_kept_is_told(library: Library, add: Add) -> None:
    one = add("The rent is due monthly. It is paid in advance.")
    library.execute("UPDATE concordances SET crc32 = crc32 + 1")
    with pytest.raises(LibraryError, match="is damaged"):
        DocumentCache().get(library, one)
    assert [fault for fault in library.check() if "concordance" in fault]
