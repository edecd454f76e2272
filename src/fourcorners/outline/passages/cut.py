"""Cut a document into passages for the index, and into the sentences that can be quoted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fourcorners.documents.document import Document
from fourcorners.outline.exclusions import Exclusion, blank_text, shown_document
from fourcorners.outline.tree import Node, NodeKind, Outline, Passage, View
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span

MAX_PASSAGE = 1_000  # maximum characters of a passage
MIN_PASSAGE = 200  # characters below which a clause is joined with its neighbours
MIN_WORDS = 4  # of a sentence: what has fewer is a heading, a label or a signature
_HEADING = 120  # characters below which a first sentence is not a separate passage
_JOINED = frozenset({NodeKind.ITEM, NodeKind.PARAGRAPH})


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of text to become a passage or several, and the node it belongs to."""

    span: Span
    node: int | None


def cut_passages(document: Document, outline: Outline) -> list[Passage]:
    """Cut a document into passages, in order of position.

    They are disjoint, of bounded length, and together cover every character that is not white
    space. Invisible words are only in passages that surround them.
    """
    text = shown_document(document).text
    pieces = _windows(text) if outline.windows else _clauses(text, outline)
    view = View.WINDOW if outline.windows else View.NODE
    return [
        Passage(ordinal, piece.span, view, piece.node, _context(text, outline, piece))
        for ordinal, piece in enumerate(pieces)
    ]


def _windows(text: str) -> list[_Piece]:
    return [_Piece(span, None) for span in cut_span(text, Span(0, len(text)))]


def _clauses(text: str, outline: Outline) -> list[_Piece]:
    children = children_of(outline)
    pieces: list[_Piece] = []
    offset = 0
    for root in children.get(None, []):
        pieces.append(_Piece(Span(offset, max(offset, root.span.start)), None))
        pieces.extend(_of_node(text, root, children))
        offset = max(offset, root.span.end)
    pieces.append(_Piece(Span(offset, len(text)), None))
    whole = [_Piece(piece.span.strip(text), piece.node) for piece in pieces]
    return [
        _Piece(span, piece.node)
        for piece in whole
        if piece.span
        for span in cut_span(text, piece.span)
    ]


def children_of(outline: Outline) -> dict[int | None, list[Node]]:
    """Return the nodes below each node, and those at the top under None."""
    found: dict[int | None, list[Node]] = {}
    for node in outline.nodes:
        found.setdefault(node.parent, []).append(node)
    return found


def _of_node(text: str, top: Node, children: dict[int | None, list[Node]]) -> list[_Piece]:
    """Return the pieces of a node: itself if it is short, else its lead-in and its children's."""
    done: dict[int, list[_Piece]] = {}
    order = [top]
    for node in order:
        order.extend(children.get(node.id, ()))
    for node in reversed(order):
        done[node.id] = _join_passages(text, node, children.get(node.id, []), done)
    return done[top.id]


def _join_passages(
    text: str, node: Node, below: list[Node], done: dict[int, list[_Piece]]
) -> list[_Piece]:
    if not below:
        return [_Piece(node.span, node.id)]
    lead = Span(node.span.start, below[0].span.start)
    if len(node.span) <= MAX_PASSAGE and all(child.kind in _JOINED for child in below):
        return [_Piece(node.span, node.id)]
    pieces = [_Piece(lead, node.id)]
    bare = _only_heading(text, node, lead)
    for index, child in enumerate(below):
        parts = done.pop(child.id)
        last = pieces[-1]
        whole = Span(last.span.start, parts[0].span.end)
        fits = len(whole) <= MAX_PASSAGE
        if index == 0 and bare:
            pieces[-1] = _Piece(whole, parts[0].node)
        elif child.kind in _JOINED and fits and _small(last.span, parts[0].span, len(parts)):
            pieces[-1] = _Piece(whole, last.node if last.node == node.id else node.id)
        else:
            pieces.append(parts[0])
        pieces.extend(parts[1:])
    tail = Span(pieces[-1].span.end, node.span.end).strip(text) if pieces else node.span
    if tail:
        pieces.append(_Piece(tail, node.id))
    return pieces


def _small(last: Span, first: Span, parts: int) -> bool:
    return parts == 1 and min(len(last), len(first)) < MIN_PASSAGE


def _only_heading(text: str, node: Node, lead: Span) -> bool:
    """Return whether a node has no words other than its number and heading."""
    start = max(lead.start, node.heading.end if node.heading else 0)
    return len(text[start : lead.end].split()) <= 3


def cut_span(text: str, span: Span, *, longest: int = MAX_PASSAGE) -> list[Span]:
    """Cut a span at sentence ends into consecutive spans of at most `longest` characters.

    A longer sentence is cut between words, a longer word anywhere.
    """
    span = span.strip(text)
    if len(span) <= longest:
        return [span] if span else []
    units: list[Span] = []
    for sentence in _with_headings(split_sentences(text, span)):
        units.extend([sentence] if len(sentence) <= longest else _words(text, sentence, longest))
    parts = -(-len(span) // longest)
    target = min(longest, int(len(span) / parts * 1.15))
    found: list[Span] = []
    for unit in units:
        joined = Span(found[-1].start, unit.end) if found else unit
        room = longest if found and min(len(found[-1]), len(unit)) < MIN_PASSAGE else target
        if found and len(joined) <= room:
            found[-1] = joined
        else:
            found.append(unit)
    return found


def _with_headings(found: list[Span]) -> list[Span]:
    """Join short first sentences, most often headings, with the sentence after them."""
    while len(found) > 1 and len(found[0]) < _HEADING:
        found = [Span(found[0].start, found[1].end), *found[2:]]
    return found


def _words(text: str, sentence: Span, longest: int) -> list[Span]:
    """Cut a long sentence at the last white space that fits, a list item's if there is one."""
    found: list[Span] = []
    start = sentence.start
    while sentence.end - start > longest:
        limit, half = start + longest, start + longest // 2
        place = max(text.rfind(sign, half, limit) for sign in (";\n", "; ", "\n", ": "))
        if place < 0:
            place = max(text.rfind(" ", half, limit), text.rfind("\xa0", half, limit))
        end = place + 1 if place > 0 else limit
        piece = Span(start, end).strip(text)
        if piece:
            found.append(piece)
        start = end
    last = Span(start, sentence.end).strip(text)
    return [*found, last] if last else found


def _context(text: str, outline: Outline, piece: _Piece) -> str:
    """Return the headings above a piece that are not among its words."""
    if piece.node is None:
        return ""
    node = outline.nodes[piece.node]
    names = []
    for step in [*outline.ancestors(node), node]:
        if step.heading and piece.span.contains(step.heading):
            continue
        if step is node and piece.span.start == node.span.start and not step.heading:
            continue
        heading = " ".join(step.heading.text_in(text).split()) if step.heading else ""
        names.append(" ".join(part for part in (step.label, heading) if part))
    return " > ".join(filter(None, names))


@dataclass(frozen=True, slots=True)
class Unit:
    """A quotable sentence, cut where a passage ends. `passage` is the passage's position."""

    span: Span
    passage: int


def cut_units(
    text: str, passages: Sequence[Passage], exclusions: Sequence[Exclusion] = ()
) -> list[Unit]:
    """Return the sentences of passages that are in order and disjoint.

    Exclusions are in none, but may interrupt one.
    """
    shown = blank_text(text, exclusions)
    return [
        Unit(span, ordinal)
        for ordinal, passage in enumerate(passages)
        for span in split_sentences(shown, passage.span)
        if len(span.text_in(shown).split()) >= MIN_WORDS
    ]
