"""Words of a contract as evidence of a finding, verified, with their place."""

from __future__ import annotations

from fourcorners.library.contract import Contract
from fourcorners.outline.clause import enclosing_clause
from fourcorners.outline.exclusions import shown_parts
from fourcorners.review.finding import Evidence
from fourcorners.text import evidence
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span


def evidence_within(
    contract: Contract, span: Span, score: float, quote: Quote | None = None
) -> list[Evidence]:
    """Return the words at a span as evidence: each part without exclusions."""
    parts = shown_parts(span, contract.exclusions, contract.document.text)
    if parts == [span]:
        return [evidence_at(contract, span, score, quote)]
    return [evidence_at(contract, part, score) for part in parts]


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
    node = outline.node_at(span.start)
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
