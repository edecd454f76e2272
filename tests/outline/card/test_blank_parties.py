"""Parties whose names a form leaves blank are on the card by their terms."""

from __future__ import annotations

from hashlib import sha256

import pytest

from fourcorners.documents.document import Document
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.card import Card
from fourcorners.outline.card.read import read_card

BODY = "\n\n1. DUTIES\n1.1 The {0} shall keep the sheds. The {0} may let them.\n"


def card_of(text: str) -> Card:
    digest = sha256(text.encode()).hexdigest()
    document = Document(digest[:16], "form.txt", "form.txt", digest, "text/plain", "text", text)
    return read_card(document, build_outline(document))


@pytest.mark.parametrize(
    ("opening", "term", "blank"),
    [
        (
            (
                "This Storage Agreement is made between Hobb Sheds Ltd (“Hobb”) and ________, a "
                "company of ________ (“Depositor”)."
            ),
            "Depositor",
            "________",
        ),
        (
            (
                "This Agency Agreement is made between Hobb Sheds Ltd (“Hobb”) and [agent's name], "
                "[address] (the “Agent”)."
            ),
            "Agent",
            "[agent's name]",
        ),
        (
            (
                "This Lease is made on ____ 2024 between [●] (the “Tenant”) and Hobb Sheds Ltd "
                "(“Hobb”)."
            ),
            "Tenant",
            "[●]",
        ),
        (
            (
                "This Agreement is entered into by and between Hobb Sheds, Inc., a Utah firm "
                "(“Hobb”), and ______________, a Utah limited liability company (“Grazier”)."
            ),
            "Grazier",
            "______________",
        ),
        (
            (
                "This Agreement is made between Hobb Sheds Ltd (the Licensor) and ................ "
                "(the Licensee)."
            ),
            "Licensee",
            "................",
        ),
    ],
)
def test_a_blank_with_a_term_is_a_party(opening: str, term: str, blank: str) -> None:
    text = f"SHEDS\n\n{opening}{BODY.format(term)}"
    parties = card_of(text).parties
    (found,) = [each for each in parties if each.value.is_blank]
    assert (found.value.name, found.value.short) == (term, term)
    assert found.span.text_in(text) == blank
    assert len(parties) == 2


@pytest.mark.parametrize(
    "opening",
    [
        "This Lease is made between Hobb Sheds Ltd of [address] (“Hobb”) and Ivor Penn (“Penn”).",
        (
            "This Lease is made on ________ (the “Start”) between Hobb Sheds Ltd (“Hobb”) and Penn "
            "Farms Ltd (“Penn”)."
        ),
        "This Lease is made between Hobb Sheds Ltd (“Hobb”) and [HOBB LAND LIMITED] (“Land”).",
        (
            "This Lease is made between Hobb Sheds Ltd (“Hobb”) and Penn Farms Ltd (“Penn”) of the "
            "sheds at ________ (the “Sheds”)."
        ),
    ],
)
def test_other_blanks_are_none(opening: str) -> None:
    parties = card_of(f"SHEDS\n\n{opening}{BODY.format('Penn')}").parties
    assert not any(each.value.is_blank for each in parties)
