"""Three views of each node, after PAKTON (section 3.1): alone, under headings, with its parts."""

from __future__ import annotations

from collections.abc import Iterator

from fourcorners.outline.tree import Node, Outline, Passage, View
from fourcorners.text.span import Span

MAX_LENGTH = 6_000  # characters of a descendant view: what is longer is no clause any more
MAX_OVERLAP = 0.95  # views of which one covers this share of the other are near duplicates


def cut_views(text: str, outline: Outline) -> list[Passage]:
    """Return the views of every node, near duplicates left out, in order of position.

    The node view holds a node's own words; the ancestor view the same words with the headings above
    as context; the descendant view the node with everything below it. A view that adds nothing to
    one before it (a leaf's descendants, a top node's ancestors, a parent that is little more than
    its only child) is left out.
    """
    children: dict[int | None, list[Node]] = {}
    for node in outline.nodes:
        children.setdefault(node.parent, []).append(node)
    found = [each for node in outline.nodes for each in _views_of(text, outline, node, children)]
    ordered = sorted(found, key=lambda each: (each[0], each[1].value))
    kept: list[Passage] = []
    for span, view, at, context in ordered:
        if not _is_repeated(span, view, context, kept):
            kept.append(Passage(len(kept), span, view, at, context))
    return kept


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
    if below and len(whole) <= MAX_LENGTH and len(own) < MAX_OVERLAP * len(whole):
        yield whole, View.DESCENDANT, node.id, context


def _is_repeated(span: Span, view: View, context: str, kept: list[Passage]) -> bool:
    """Tell whether one of the last few views shows nearly the same words in the same way."""
    for other in kept[-4:]:
        if (other.context, other.view is View.DESCENDANT) != (context, view is View.DESCENDANT):
            continue
        both = other.span.intersection(span)
        if both and len(both) >= MAX_OVERLAP * max(len(other.span), len(span)):
            return True
    return False
