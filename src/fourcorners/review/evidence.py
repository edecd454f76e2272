"""Words of a contract as evidence of a finding, verified, with their place."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from fourcorners.documents.document import MarkKind
from fourcorners.documents.running_headers import find_page_numbers, find_running_lines
from fourcorners.library.contract import Contract
from fourcorners.outline.clause import enclosing_clause
from fourcorners.outline.exclusions import shown_parts
from fourcorners.outline.parser.lines import has_verb
from fourcorners.outline.tree import Node, NodeKind
from fourcorners.review.finding import Evidence
from fourcorners.text import evidence
from fourcorners.text.quote import Quote
from fourcorners.text.sentences import BLANK_LINE
from fourcorners.text.span import Span, merge_spans, subtract_spans

SHORT = 60  # characters of an item that is quoted with the words before it, such as "(i) fraud;"
_NUMBER = 14  # characters before a heading: its number
_FURNITURE = 160  # characters of what a page has printed at its edge, at most
_ENDS = ".;:!?"


def evidence_within(
    contract: Contract, span: Span, score: float, quote: Quote | None = None
) -> list[Evidence]:
    """Return the words at a span as evidence: each part without exclusions and page furniture."""
    parts = quoted_parts(contract, span)
    if parts == [span]:
        return [evidence_at(contract, span, score, quote)]
    return [evidence_at(contract, part, score) for part in parts]


def quoted_parts(contract: Contract, span: Span) -> list[Span]:
    """Return the parts of a span that are quoted: without exclusions and page furniture."""
    shown = shown_parts(span, contract.exclusions, contract.document.text)
    return [own for each in shown for own in _without_furniture(contract, each)]


def evidence_at(
    contract: Contract, span: Span, score: float, quote: Quote | None = None
) -> Evidence:
    """Return the words at a span as evidence; `quote` is a part of them, if given.

    Raises:
        EvidenceError: If the span is not in the text.
    """
    document, outline, text = contract.document, contract.outline, contract.document.text
    quote = quote or evidence.quote_span(text, span)
    evidence.verify_quote(quote, text)
    node = _cited_node(contract, span.start)
    first = document.page_of(span.start)
    last = document.page_of(max(span.start, span.end - 1))
    sure = document.confidence(span)
    return Evidence(
        quote=quote,
        clause=enclosing_clause(outline, text, span),
        path=outline.path(node, text) if node else (),
        pages=None if first is None or last is None else (first, last),
        score=round(score, 4),
        ocr=None if sure is None else round(sure, 4),
    )


def cut_by_clause(contract: Contract, span: Span) -> list[Span]:
    """Cut words where another clause or item begins, so that each part is cited by its own."""
    text, outline = contract.document.text, contract.outline
    starts = {each.span.start for each in outline.nodes if each.label}
    starts |= {gap.end() for gap in BLANK_LINE.finditer(text, span.start, span.end)}
    edges = [span.start]
    for at in sorted(each for each in starts if span.start < each < span.end):
        if _cited_node(contract, at) is not _cited_node(contract, edges[-1]):
            edges.append(at)
    parts: list[Span] = []
    for start, end in pairwise([*edges, span.end]):
        part, node = Span(start, end).strip(text), _cited_node(contract, start)
        if parts and is_heading(contract, parts[-1]):
            parts.pop()
        if parts and len(part) < SHORT and node and node.kind is NodeKind.ITEM:
            parts[-1] = Span(parts[-1].start, part.end)
        elif part:
            parts.append(part)
    return parts


def is_heading(contract: Contract, span: Span) -> bool:
    """Tell whether words are the bare number and heading of a clause that has other words."""
    text = contract.document.text
    return any(
        span.contains(each.heading)
        and each.heading.start - span.start <= _NUMBER
        and span.end - each.heading.end <= len(":.")
        and text[span.end : each.span.end].strip()
        for each in contract.outline.nodes
        if each.heading
    )


def _cited_node(contract: Contract, at: int) -> Node | None:
    """Return the innermost node by which words are cited.

    A list's closing words, which continue the sentence below its last item, are the whole list's.
    """
    outline, text = contract.outline, contract.document.text
    node = outline.node_at(at)
    if node is None or node.kind is not NodeKind.ITEM:
        return node
    gaps = list(BLANK_LINE.finditer(text, node.span.start, at))
    if gaps and text[gaps[-1].end()].islower() and text[gaps[-1].start() - 1] in ",;.":
        above = [each for each in outline.ancestors(node) if each.kind is not NodeKind.ITEM]
        return above[-1] if above else node
    return node


def _without_furniture(contract: Contract, span: Span) -> list[Span]:
    text = contract.document.text
    furniture = contract.compute("page furniture", lambda: tuple(_page_furniture(contract)))
    within = [each for each in furniture if each.overlaps(span)]
    within += _page_break(text, span) if len(within) == 0 else []
    if not within:
        return [span]
    left = (each.strip(text) for each in subtract_spans([span], within))
    return [each for each in left if any(map(str.isalnum, each.text_in(text)))] or [span]


def _page_furniture(contract: Contract) -> list[Span]:
    """Return headers, footers, page numbers and source lines: what each page has at its edge.

    In a text without pages these are the paragraphs whose every line recurs as if on each page.
    """
    document = contract.document
    text = document.text
    margins = (MarkKind.HEADER, MarkKind.FOOTER)
    printed = [mark.span for mark in document.marks if mark.kind in margins]
    printed += [each for each in find_page_numbers(text) if _tears_sentence(text, each)]
    running = find_running_lines(text)
    lines = merge_spans(running, gap=1)
    for paragraph in _paragraphs(text, Span(0, len(text))) if running else ():
        beyond = subtract_spans([paragraph], lines)
        if not any(map(str.isalnum, "".join(each.text_in(text) for each in beyond))):
            printed.append(paragraph)
    return merge_spans(printed)


def _tears_sentence(text: str, number: Span) -> bool:
    """Return whether a page's number is between two parts of a sentence."""
    before = text[max(0, number.start - _FURNITURE) : number.start].split()
    after = text[number.end : number.end + _FURNITURE].lstrip()
    if not before or not after or before[-1][-1] in _ENDS:
        return False
    return after[0].islower() or before[-1].islower() or before[-1].endswith(",")


def _page_break(text: str, span: Span) -> list[Span]:
    """Return what is between the two halves of a sentence that a page break has torn.

    That is a page's number, with the short lines without a verb around it.
    """
    blocks = list(_paragraphs(text, span))
    for at, before in enumerate(blocks[:-2]):
        if text[before.end - 1] in _ENDS:
            continue
        between: list[Span] = []
        for block in blocks[at + 1 : -1]:
            words = block.text_in(text)
            if len(words) > _FURNITURE or has_verb(words) or words[-1] in _ENDS:
                break
            between.append(block)
            if text[blocks[at + 1 + len(between)].start].islower():
                break
        numbered = any(not any(map(str.isalpha, each.text_in(text))) for each in between)
        if numbered and text[blocks[at + 1 + len(between)].start].islower():
            return between
    return []


def _paragraphs(text: str, span: Span) -> Iterator[Span]:
    """Yield what blank lines and page breaks set apart."""
    gaps = list(BLANK_LINE.finditer(text, span.start, span.end))
    edges = [span.start, *(edge for gap in gaps for edge in gap.span()), span.end]
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        if paragraph := Span(start, end).strip(text):
            yield paragraph
