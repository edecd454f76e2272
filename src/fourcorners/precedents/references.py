"""Find what a clause of a contract refers to: other sections, and the terms it uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from fourcorners.library.catalogue import Catalogue
from fourcorners.library.contract import Contract, read_contract
from fourcorners.outline.tree import Node
from fourcorners.precedents.clause import OMITTED, ClausePlace
from fourcorners.text.span import Span, merge_spans

MAX_LENGTH = 600
"""Characters of a section or definition that are shown."""
MAX_TERMS = 4
"""Definitions that are shown of a clause: those of the terms that its contract uses least."""


class ReferencedKind(StrEnum):
    """What a clause refers to."""

    SECTION = "section"
    DEFINITION = "definition"


@dataclass(frozen=True, slots=True)
class ReferencedText:
    """A section or a definition that a clause refers to.

    Attributes:
        raw: How the clause names it: `Section 7.2`, or the defined term.
        path: Label and heading of the sections above it, the outermost first.
        span: The span of the words in the contract.
        text: The words: all of it, or the first of them if it is long.
    """

    kind: ReferencedKind
    raw: str
    path: tuple[str, ...]
    document: str
    span: Span
    text: str
    is_whole: bool


def find_references(library: Catalogue, place: ClausePlace) -> list[ReferencedText]:
    """Return the sections outside a clause that it refers to, then its terms, each once."""
    if not place.document or place.span is None:
        return []
    reading = read_contract(library, place.document)
    sections = list(_sections(reading, place.span))
    shown = [place.span, *(each.span for each in sections)]
    return [*sections, *_find_terms(reading, place.span.text_in(reading.text), shown)]


def joined_sections(reading: Contract, clause: Span) -> str:
    """Return the words of a clause with the sections that it refers to, in the contract's order.

    Where they are apart, a mark joins them (ACORD, appendix C.4).
    """
    referred = (node.span.strip(reading.text) for _, node in _referred_nodes(reading, clause))
    spans = merge_spans((clause.strip(reading.text), *referred))
    return f" {OMITTED} ".join(each.text_in(reading.text) for each in spans)


def _sections(reading: Contract, clause: Span) -> Iterator[ReferencedText]:
    for raw, node in _referred_nodes(reading, clause):
        yield _referred(reading, ReferencedKind.SECTION, raw, node, node.span)


def _referred_nodes(reading: Contract, clause: Span) -> Iterator[tuple[str, Node]]:
    taken = set()
    for reference, node in reading.references_from(clause):
        if node.id in taken or clause.contains(node.span) or node.span.contains(clause):
            continue
        taken.add(node.id)
        yield reference.raw or reference.span.text_in(reading.text), node


def _find_terms(reading: Contract, words: str, shown: Sequence[Span]) -> Iterator[ReferencedText]:
    """Yield the definitions of the terms in some words that overlap no earlier ones."""
    used = sorted(reading.uses(words), key=lambda use: use[1])
    found = [(term.term, reading.definition(term)) for term, _ in used]
    outside = [
        (term, span) for term, span in found if not any(span.overlaps(each) for each in shown)
    ]
    for term, span in outside[:MAX_TERMS]:
        yield _referred(
            reading, ReferencedKind.DEFINITION, term, reading.outline.node_at(span.start), span
        )


def _referred(
    reading: Contract, kind: ReferencedKind, raw: str, node: Node | None, span: Span
) -> ReferencedText:
    text, whole = reading.text, span.strip(reading.text)
    shown = whole
    if len(whole) > MAX_LENGTH:
        end = text.rfind(" ", whole.start, whole.start + MAX_LENGTH)
        shown = Span(whole.start, end if end > whole.start else whole.start + MAX_LENGTH).strip(
            text
        )
    path = reading.outline.path(node, text) if node is not None else ()
    return ReferencedText(kind, raw, path, reading.id, shown, shown.text_in(text), shown == whole)
