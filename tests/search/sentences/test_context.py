from __future__ import annotations

from collections.abc import Callable

from fourcorners.library.contract import read_contract
from fourcorners.library.store import Library
from fourcorners.search.sentences.answer_scores import MAX_LEAD, sentence_in_context
from fourcorners.search.sentences.units import SentenceIndex, sentence_index


def index_of(library: Library, document: str) -> SentenceIndex:
    return sentence_index(read_contract(library, document))


Add = Callable[..., str]


def test_a_sentence_stands_alone_where_there_is_no_heading(library: Library, add: Add) -> None:
    units = index_of(library, add("The rent is due\nmonthly. It is paid in advance."))
    assert [sentence_in_context(units, at) for at in range(2)] == [
        "The rent is due monthly.",
        "It is paid in advance.",
    ]


def test_an_item_stands_after_the_words_that_open_its_list(library: Library, add: Add) -> None:
    opening = "The Landlord may end this lease if the Tenant:"
    units = index_of(library, add(f"{opening}\n(a) does not pay the rent; or\n(b) dies at last."))
    told = [sentence_in_context(units, at) for at in range(len(units.units))]
    assert any(each.startswith(f"{opening} (a) does not pay") for each in told)


def test_long_openings_are_cut_at_a_word(library: Library, add: Add) -> None:
    opening = "Where the Landlord finds " + "that nobody lives there " * 8 + "and the Tenant:"
    units = index_of(library, add(f"{opening}\n(a) does not pay the rent; or\n(b) dies at last."))
    told = [sentence_in_context(units, at) for at in range(len(units.units))]
    assert any("(b) dies at last" in each for each in told)
    for each in told:
        lead, _, _ = each.partition(" (")
        if not lead.startswith("Where"):
            assert len(lead) <= MAX_LEAD
            assert opening.endswith(f" {lead}")
