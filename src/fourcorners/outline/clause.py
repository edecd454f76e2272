"""Find the clause around a quote, and the lead-in of its list, to be read before relying on it."""

from __future__ import annotations

import re
from collections.abc import Collection

from fourcorners.outline.tree import Node, NodeKind, Outline
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span

MAX_LENGTH = 6_000  # characters; only the nearest part of a longer clause is shown
_AROUND = 1_200  # characters examined on either side without an outline
_PARTIAL = frozenset({NodeKind.ITEM, NodeKind.PARAGRAPH})
_UNFINISHED = " \t\n\r\xa0:,–—-("  # what may follow the words before a list
_ENDS = ".;!?"
_NUMBER = re.compile(r"\s*(?:\d[\d.]*\)?|\(\w{1,4}\)|\w\))\s+")  # of a clause, before its words


def enclosing_clause(outline: Outline, text: str, span: Span) -> Span:
    """Return the whole clause that contains a span.

    That is the innermost node around it, or, where this is an item of a list, the nearest node
    above that is a section of at most `MAX_LENGTH` characters. Without an outline, or if no node
    contains the whole span, it is the paragraph's sentences around the span.
    """
    node = None if outline.windows else _innermost(outline, span)
    if node is None:
        return _around(text, span)
    best = node
    above = outline.ancestors(node)
    while best.kind in _PARTIAL and above:
        wider = above.pop()
        if len(wider.span) > MAX_LENGTH or wider.kind in (NodeKind.SCHEDULE, NodeKind.RECITALS):
            break
        best = wider
    if len(best.span) > MAX_LENGTH:
        own = _own_span(outline, best)
        return own if own.contains(span) and len(own) <= MAX_LENGTH else _around(text, span)
    return best.span


def find_lead_ins(
    outline: Outline,
    text: str,
    offset: int,
    lengths: range = range(1, MAX_LENGTH),
    kinds: Collection[NodeKind] = _PARTIAL,
) -> list[Span]:
    """Return the words that lead to the point of a list at a place, the farthest first.

    They are without the sentences before them, and without what follows them. A lead-in is not
    taken where it is not of one of the `lengths`. Clauses below others are a list only after a
    colon.
    """
    node = outline.node_at(offset)
    leads: list[Span] = []
    while node is not None and node.kind in kinds and node.parent is not None:
        parent = outline.nodes[node.parent]
        first = next(outline.children(parent), node)
        number = _NUMBER.match(text, parent.span.start)
        start = number.end() if number else parent.span.start
        start = max(start, parent.heading.end if parent.heading else start)
        whole = text[start : first.span.start].rstrip()
        words = whole.rstrip(_UNFINISHED)
        begin = max((words.rfind(each) for each in _ENDS), default=-1) + 1
        lead = Span(start + begin, start + len(words)).strip(text)
        if not words or words[-1] in _ENDS or len(lead) not in lengths:
            break
        if node.kind is not NodeKind.ITEM and not whole.endswith(":"):
            break
        leads.insert(0, lead)
        node = parent
    return leads


def _innermost(outline: Outline, span: Span) -> Node | None:
    node = outline.node_at(span.start)
    while node is not None and not node.span.contains(span):
        node = outline.nodes[node.parent] if node.parent is not None else None
    return node


def _own_span(outline: Outline, node: Node) -> Span:
    first = next(outline.children(node), None)
    return Span(node.span.start, first.span.start) if first else node.span


def _around(text: str, span: Span) -> Span:
    """Return the sentences that contain the span, within the paragraph if that is not too long."""
    low, high = max(0, span.start - _AROUND), min(len(text), span.end + _AROUND)
    paragraph = text.rfind("\n\n", low, span.start)
    start = paragraph + 2 if paragraph >= 0 else low
    end = text.find("\n\n", span.end, high)
    window = Span(start, end if end >= 0 else high)
    if paragraph >= 0 and end >= 0:
        return window.strip(text) if window.strip(text).contains(span) else span
    inner = [each for each in split_sentences(text, window) if each.overlaps(span)]
    if not inner:
        return span
    return Span(min(span.start, inner[0].start), max(span.end, inner[-1].end))
