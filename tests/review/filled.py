"""A library with reviewed cells, whose quotes are given as words of the contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fourcorners.library.store import Library
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.outline.passages.cut import cut_passages
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import store
from fourcorners.review.finding import CellState, Evidence, Finding
from fourcorners.text import evidence
from fourcorners.text.span import Span
from tests.review.conftest import TEXT, document

ASSIGN = "Neither party may assign this Agreement without the consent of the other."
LAW = "This Agreement is governed by the laws of England and Wales."
LEAVE = "The Customer may terminate this Agreement at once"

Cells = Mapping[str, Sequence[str] | CellState]


def fill(
    library: Library,
    playbook: Playbook,
    cells: Cells,
    name: str = "supply.txt",
    collection: str = "Larch",
) -> str:
    """Add a contract, once, and store its cells: the words found, or another state."""
    added = document(f"{TEXT}\n{name}\n", name)
    outline = build_outline(added)
    card = read_card(added, outline)
    library.add(added, outline, card, cut_passages(added, outline), None, collection=collection)
    (identity,) = [each.id for each in library.documents(collection) if each.name == name]
    store.save_findings(
        library,
        playbook,
        "engine",
        [finding(identity, added.text, provision, found) for provision, found in cells.items()],
    )
    return identity


def finding(document: str, text: str, provision: str, found: Sequence[str] | CellState) -> Finding:
    """Return a cell."""
    if isinstance(found, CellState):
        error = "it crashed" if found is CellState.FAILED else ""
        return Finding(document, provision, found, error=error)
    quotes = [evidence.align_quote(words, text) for words in found]
    clause = Span(0, len(text))
    proof = tuple(
        Evidence(quote, quote.span or clause, ("3 GENERAL",), None, 0.9) for quote in quotes
    )
    assert all(quote.verified for quote in quotes)
    return Finding(document, provision, CellState.FOUND, proof)
