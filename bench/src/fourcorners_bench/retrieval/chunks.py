"""The papers' ways to cut a document into chunks."""

from __future__ import annotations

from collections.abc import Iterator

from fourcorners.documents.document import Document
from fourcorners.outline.exclusions import shown_document
from fourcorners.outline.passages.cut import children_of, cut_passages
from fourcorners.outline.tree import Node, Outline, Passage, View
from fourcorners.text.span import Span

OUTLINE = "outline"
"""The chunking of the library itself, for which no vectors need be made."""
STRUCTURAL = "views-or-recursive-1000"
"""PAKTON's chunking: views of the outline's nodes, plain chunks where the outline failed."""
_SEPARATORS = ("\n\n", "\n", " ", "")
_MAX_DESCENDANT = 6_000  # maximum characters of a descendant view: anything longer is not a clause
_MAX_OVERLAP = 0.95  # views of which one covers this share of the other are near duplicates


def chunk_document(document: Document, outline: Outline, chunks: str) -> list[Passage]:
    """Cut a document: `fixed-SIZE` makes plain windows, `recursive-SIZE` ends them where it can."""
    if chunks == OUTLINE:
        return cut_passages(document, outline)
    text = shown_document(document).text
    if chunks == STRUCTURAL and not outline.windows:
        return _cut_views(text, outline)
    kind, _, size = chunks.removeprefix("views-or-").partition("-")
    spans = (_cut_fixed if kind == "fixed" else split_recursively)(text, int(size))
    return [Passage(ordinal, span, View.WINDOW) for ordinal, span in enumerate(spans)]


def _cut_fixed(text: str, size: int) -> list[Span]:
    spans = (Span(at, min(at + size, len(text))).strip(text) for at in range(0, len(text), size))
    return [span for span in spans if span]


def _cut_views(text: str, outline: Outline) -> list[Passage]:
    """Return three views of every node, after PAKTON (section 3.1), in order of position.

    The node view holds a node's own words; the ancestor view the same words with the headings above
    as context; the descendant view the node with everything below it. A view that adds nothing to
    one before it (a leaf's descendants, a top node's ancestors, a parent that is little more than
    its only child) is left out.
    """
    children = children_of(outline)
    found = [each for node in outline.nodes for each in _views_of(text, outline, node, children)]
    ordered = sorted(found, key=lambda each: (each[0], each[1].value))
    passages: list[Passage] = []
    for span, view, at, context in ordered:
        if not _is_repeated(span, view, context, passages):
            passages.append(Passage(len(passages), span, view, at, context))
    return passages


def _views_of(
    text: str, outline: Outline, node: Node, children: dict[int | None, list[Node]]
) -> Iterator[tuple[Span, View, int, str]]:
    below = children.get(node.id, [])
    own = Span(node.span.start, below[0].span.start if below else node.span.end).strip(text)
    above = outline.ancestors(node)
    context = " > ".join(outline.path(above[-1], text)) if above else ""
    if own:
        yield own, View.NODE, node.id, ""
        if context:
            yield own, View.ANCESTOR, node.id, context
    whole = node.span.strip(text)
    if below and len(whole) <= _MAX_DESCENDANT and len(own) < _MAX_OVERLAP * len(whole):
        yield whole, View.DESCENDANT, node.id, context


def _is_repeated(span: Span, view: View, context: str, passages: list[Passage]) -> bool:
    """Return whether one of the last few views shows nearly the same words in the same way."""
    shown = context, view is View.DESCENDANT
    for other in passages[-4:]:
        both = other.span.intersection(span)
        alike = both and len(both) >= _MAX_OVERLAP * max(len(other.span), len(span))
        if alike and (other.context, other.view is View.DESCENDANT) == shown:
            return True
    return False


def split_recursively(text: str, size: int) -> list[Span]:
    """Cut a text into spans of at most `size` characters, as LegalBench-RAG's baselines do.

    It is cut at paragraphs, where a piece is still too long at lines, then at words, then anywhere;
    pieces in a row are joined again while they fit.
    """
    pieces = _cut(text, Span(0, len(text)), size, 0)
    joined: list[Span] = []
    for piece in pieces:
        if joined and piece.end - joined[-1].start <= size:
            joined[-1] = Span(joined[-1].start, piece.end)
        else:
            joined.append(piece)
    return [span for span in (each.strip(text) for each in joined) if span]


def _cut(text: str, span: Span, size: int, level: int) -> Iterator[Span]:
    if len(span) <= size:
        yield span
        return
    separator = _SEPARATORS[level]
    if not separator:
        for start in range(span.start, span.end, size):
            yield Span(start, min(start + size, span.end))
        return
    start = span.start
    while start < span.end:
        found = text.find(separator, start, span.end)
        end = found + len(separator) if found >= 0 else span.end
        yield from _cut(text, Span(start, end), size, level + 1)
        start = end
