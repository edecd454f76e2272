"""Find the clause around a quote, and the lead-in of its list, to be read before relying on it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

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


_LOOSE_NUMBER = re.compile(r"\s*(?:\d+(?:\.\d+)+\.?|\d+\.|\(\w{1,4}\))\s+(?=[A-Z])")
_KEYWORD = re.compile(r"(?:section|article|clause|sec\.|art\.|§+)\s*", re.IGNORECASE)
_TOKEN = re.compile(r"[^\s]+")
_QUOTE = re.compile(r"[\s“\"‘'*#]*")
_AFTER_HEADING = re.compile(
    r"\*{0,2}(?:\s*[.:;–—-]+\*{0,2}(?:\s+|$)|\s*\n\s*|\s+(?=[A-Z(“\"0-9§]))"
)


def skip_heading(words: str, path: Sequence[str]) -> int:
    """Return where the words of a clause begin, after its number and heading; 0 if they have none.

    `path` is the clause's, as `Outline.path` has it. A heading counts only after its number, or
    where more than a space follows it: a sentence may begin with the same word.
    """
    at = 0
    for step in path:
        label, _, heading = step.partition(" ")
        if _KEYWORD.fullmatch(f"{label} "):
            label, _, heading = heading.partition(" ")
        after_number = _skip_label(words, at, label)
        if after_number == at and not _is_label(label):
            heading = step
        after = _skip_words(words, after_number, heading, is_numbered=after_number > at)
        at = after
    number = _LOOSE_NUMBER.match(words, at)
    at = number.end() if number else at
    return at if at < len(words.rstrip()) else 0


def _is_label(token: str) -> bool:
    return any(each.isdigit() for each in token) or not token.isalpha()


def _skip_label(words: str, at: int, label: str) -> int:
    """Return the place after the label of a clause, or the end of it, such as `(1)` of `17(1)`."""
    start = _QUOTE.match(words, at)
    assert start is not None  # noqa: S101 - it matches nothing, too
    begin = start.end()
    keyword = _KEYWORD.match(words, begin)
    token = _TOKEN.match(words, keyword.end() if keyword else begin)
    if token is None or not label:
        return at
    written, whole = token[0].strip(".,:;()").casefold(), label.strip(".,:;()").casefold()
    is_part = whole.endswith(written) and not whole.removesuffix(written)[-1:].isalnum()
    if not written or not is_part or not (keyword or _is_label(token[0])):
        return at
    return token.end() + len(words[token.end() :]) - len(words[token.end() :].lstrip())


def _skip_words(words: str, at: int, heading: str, *, is_numbered: bool) -> int:
    """Return the place after a heading, if it is the next words."""
    parts = heading.split()
    if not parts:
        return at
    pattern = _QUOTE.pattern + r"\s+".join(map(re.escape, parts))
    found = re.compile(pattern, re.IGNORECASE).match(words, at)
    end = found and _AFTER_HEADING.match(words, found.end())
    if not end or not (is_numbered or end[0].strip(" \t*")):
        return at
    return end.end()
