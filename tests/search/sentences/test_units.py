from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from fourcorners.errors import LibraryError
from fourcorners.library.contract import read_contract
from fourcorners.library.memory import Memory
from fourcorners.library.store import Library
from fourcorners.search.concepts import Concept
from fourcorners.search.query import parse_query
from fourcorners.search.sentences.units import ExampleVectors, SentenceIndex, sentence_index
from tests.models.fake import HashEncoder


def index_of(library: Library, document: str) -> SentenceIndex:
    return sentence_index(read_contract(library, document))


Add = Callable[..., str]


def test_units_are_the_sentences_of_passages(library: Library, add: Add) -> None:
    document = add("The rent is due monthly. It is paid in advance.", "RENT", "The roof may leak.")
    units = index_of(library, document)
    assert [unit.span.text_in(units.text) for unit in units.units] == [
        "The rent is due monthly.",
        "It is paid in advance.",
        "The roof may leak.",
    ]
    assert units.passage_of.tolist() == [0, 0, 2]


def test_each_word_knows_its_unit_and_forms_are_found_by_stem(library: Library, add: Add) -> None:
    document = add("He rents it from us. No rent is due.", "RENT", "The renting ends at last.")
    units = index_of(library, document)
    places = sorted(units.places("rent").tolist())
    assert [units.index.words.tokens[at] for at in places] == ["rents", "rent", "rent", "renting"]
    nowhere = len(units.units)
    assert [units.unit_at[at] for at in places] == [0, 1, nowhere, 2]
    assert [units.passage_at[at] for at in places] == [0, 0, 1, 2]


def test_shelf_lets_go_of_what_was_asked_longest_ago(library: Library, add: Add) -> None:
    one, two, three = [add(f"The house number {at} is let.", name=f"{at}.txt") for at in range(3)]
    library.memory = Memory(2)
    first, second = index_of(library, one), index_of(library, two)
    assert index_of(library, one) is first
    index_of(library, three)
    assert index_of(library, one) is first
    assert index_of(library, two) is not second


def test_clauses_of_a_concept_are_encoded_once() -> None:
    calls: list[int] = []

    class Counting(HashEncoder):
        def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
            calls.append(len(texts))
            return super().encode(texts)

    concept = Concept(
        "rent", "Rent", (), parse_query("rent"), clauses=("Rent is due.", "He pays rent.")
    )
    vectors, encoder = ExampleVectors(), Counting(16)
    for _ in range(2):
        examples = vectors.add_to(concept, encoder).examples
        assert examples is not None
        assert examples.shape == (2, 16)
    assert calls == [2]
    bare = Concept("rent", "Rent", (), parse_query("rent"))
    assert vectors.add_to(bare, encoder) is bare


def test_a_document_stays_prepared_while_others_come_and_go(library: Library, add: Add) -> None:
    one = add("The rent is due on the first day.", name="one.txt")
    ready = index_of(library, one)
    other = add("The roof is mended by the landlord.", name="two.txt")
    assert index_of(library, one) is ready
    library.remove(other)
    assert index_of(library, one) is ready


def test_a_document_is_prepared_anew_once_it_has_vectors(library: Library, add: Add) -> None:
    one = add("The rent is due on the first day.")
    library.execute("DELETE FROM vectors")
    assert index_of(library, one).vectors is None
    dimension = library.encoder.dimension if library.encoder else 0
    library.set_vectors(one, np.eye(1, dimension, dtype=np.float32))
    assert index_of(library, one).vectors is not None


def test_what_was_kept_of_a_document_is_what_is_found_anew(library: Library, add: Add) -> None:
    one = add("The rent is due monthly. It is paid in advance.", "RENT", "The roof may leak.")
    kept = index_of(library, one)
    library.execute("DELETE FROM concordances")
    anew = index_of(library, one)
    assert kept.units == anew.units
    assert list(kept.index.words) == list(anew.index.words)


def test_a_flipped_byte_of_what_was_kept_is_told(library: Library, add: Add) -> None:
    one = add("The rent is due monthly. It is paid in advance.")
    library.execute("UPDATE concordances SET crc32 = crc32 + 1")
    with pytest.raises(LibraryError, match="is damaged"):
        index_of(library, one)
    assert [fault for fault in library.check() if "concordance" in fault]
