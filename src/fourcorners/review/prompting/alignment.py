"""What a model claims to quote, brought to its place in the contract, or left as a claim."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fourcorners.text import evidence
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span

_ELLIPSIS = re.compile(r"\s*(?:[\[(]\s*)?(?:\.\s?){3,}(?:\s*[\])])?\s*|\s*[\[(]?\s*…\s*[\])]?\s*")
_MARKS = "\"'“”‘’«»`"
_NOTHING = {"", "not found", "none", "n/a", "na", "not applicable", "null", "no provision found"}
_SHORTEST = 3  # letters and digits of a quotation: what is shorter stands everywhere
_PART = 10  # characters of a part beside an ellipsis: what is shorter proves nothing


@dataclass(frozen=True, slots=True)
class AlignedClaim:
    """A claim with the places of all its parts; none if any part has none."""

    claim: str
    quotes: tuple[Quote, ...]
    problem: str = ""


def align_claim(words: str, text: str, given: Sequence[Span]) -> AlignedClaim | None:
    """Find a claim in the contract; None if it claims nothing.

    What the model was given comes before the rest of the contract. Where it left words out inside
    a quotation, each part has to stand there, in this order.
    """
    claim = words.strip()
    bare = claim.strip(_MARKS).strip()
    if re.sub(r"[^\w/ ]", "", bare).strip().casefold() in _NOTHING:
        return None
    if sum(letter.isalnum() for letter in bare) < _SHORTEST:
        return AlignedClaim(claim, (), "It is too short to be found with certainty.")
    for candidate in dict.fromkeys((claim, bare)):
        quote = _found(candidate, text, given)
        if quote.span is not None:
            return AlignedClaim(claim, (quote,))
    parts = [part.strip() for part in _ELLIPSIS.split(bare) if part.strip()]
    if len(parts) > 1:
        quotes = _in_order(parts, text, given)
        if quotes:
            return AlignedClaim(claim, quotes)
        return AlignedClaim(
            claim, (), "Words are left out in it, and its parts do not stand there so."
        )
    return AlignedClaim(claim, (), "These words do not stand in the contract.")


def _found(words: str, text: str, given: Sequence[Span]) -> Quote:
    for span in given:
        if len(words) <= len(span) and text.find(words, span.start, span.end) >= 0:
            return evidence.align_quote(words, text, within=span)
    return evidence.align_quote(words, text, within=given[0] if len(given) == 1 else None)


def _in_order(parts: Sequence[str], text: str, given: Sequence[Span]) -> tuple[Quote, ...]:
    quotes: list[Quote] = []
    after = 0
    for part in parts:
        if len(part) < _PART:
            return ()
        quote = evidence.align_quote(part, text, within=Span(after, len(text)))
        if quote.span is None or quote.span.start < after:
            quote = _found(part, text, given)
        if quote.span is None or quote.span.start < after:
            return ()
        quotes.append(quote)
        after = quote.span.end
    return tuple(quotes)


def merge_quotes(quotes: Iterable[Quote], text: str) -> tuple[Quote, ...]:
    """Return quotes in order of position; those that overlap, or touch, become one."""
    known = {quote.span: quote for quote in quotes if quote.span is not None}
    joined: list[Span] = []
    for span in sorted(known):
        last = joined[-1] if joined else None
        if last is not None and (span.start <= last.end or not text[last.end : span.start].strip()):
            joined[-1] = Span(last.start, max(last.end, span.end))
        else:
            joined.append(span)
    found = tuple(known.get(span) or evidence.quote_span(text, span) for span in joined)
    for quote in found:
        evidence.verify_quote(quote, text)
    return found


def majority_quotes(samples: Sequence[Sequence[Quote]], text: str) -> tuple[Quote, ...]:
    """Return what more than half of several answers quote.

    An answer has a quote if it covers three quarters of its characters.
    """
    from fourcorners.text.span import covered_length, intersect_spans

    spans = [[quote.span for quote in sample if quote.span] for sample in samples]
    kept = []
    for quote in dict.fromkeys(quote for sample in samples for quote in sample):
        if quote.span is None:
            continue
        having = sum(
            4 * covered_length(intersect_spans([quote.span], own)) >= 3 * len(quote.span)
            for own in spans
        )
        if 2 * having > len(samples):
            kept.append(quote)
    return merge_quotes(kept, text)
