"""Find words that a contract uses like defined terms and does not define."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from fourcorners.outline.terms import find_uses
from fourcorners.outline.tree import Outline
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

_PATTERNS = load_patterns("fourcorners.review.checks", "undefined_terms")
_BORROWED = _PATTERNS["borrowed"]
_PHRASE = _PATTERNS["phrase"]
# Capitalised by custom, or names of what is outside the contract.
_CUSTOM = _PATTERNS["custom"]
_MEASURE = _PATTERNS["measure"]  # that only a definition gives its length, day or size
_OFTEN = 4  # uses from which a phrase counts as used like a term
_QUOTES = "\"“”„'‘’"


def undefined_phrases(text: str, outline: Outline) -> list[tuple[str, list[Span]]] | None:
    """Return phrases used like terms but defined by no sentence, with their places.

    None if the contract says that its terms are defined in another document, or defines too few to
    establish its practice.
    """
    if _BORROWED.search(text):
        return None
    if len(outline.terms) < _FEWEST_FOR_MEASURES:
        return []
    known = [use.span for use in find_uses(text, outline.terms)]
    known += [term.span for term in outline.terms]
    covered = bytearray(len(text))
    for span in known:
        covered[span.start : span.end] = b"\x01" * len(span)
    places: dict[str, list[Span]] = defaultdict(list)
    for match in _PHRASE.finditer(text):
        span = Span(*match.span("phrase"))
        if not any(covered[span.start : span.end]) and not _CUSTOM.search(match["phrase"]):
            places[match["phrase"]].append(span)
    measures: dict[str, list[Span]] = defaultdict(list)
    for match in _MEASURE.finditer(text):
        span = Span(*match.span("phrase"))
        if not any(covered[span.start : span.end]):
            measures[match["phrase"]].append(span)
    headings = {
        " ".join(node.heading.text_in(text).split()).casefold()
        for node in outline.nodes
        if node.heading
    }
    found = {phrase: spans for phrase, spans in places.items() if len(spans) >= _OFTEN}
    if len(outline.terms) < _FEWEST:
        found = {}
    return [each for each in (found | measures).items() if each[0].casefold() not in headings]


def describe_undefined(
    text: str, phrases: Iterable[tuple[str, list[Span]]]
) -> Iterator[tuple[Span, str, int]]:
    """Yield the first place, message and number of uses of unexplained phrases."""
    for phrase, spans in phrases:
        if not _is_quoted(text, phrase) and not _is_named(text, phrase):
            message = f"“{phrase}” is used like a defined term, but is not defined."
            yield spans[0], message, len(spans)


_FEWEST = 5  # defined terms of a contract that defines its terms; by hand
_FEWEST_FOR_MEASURES = 2  # by hand


def _is_quoted(text: str, phrase: str) -> bool:
    """Return whether the phrase is in quotation marks or brackets somewhere, in any case."""
    words = r"\W+".join(map(re.escape, re.findall(r"\w+", phrase)))
    pattern = (
        rf"[{_QUOTES}(]\s?(?:the\s+)?{words}s?\W?[{_QUOTES})]|\b{words}s?\s*(?:[:–]|-\s|means\b)"
    )
    return bool(re.search(pattern, text, re.IGNORECASE))


def _is_named(text: str, phrase: str) -> bool:
    """Return whether the phrase is mostly part of a longer name, such as a company's."""
    longer = re.compile(
        rf"\b{re.escape(phrase)},?\s+(?:[A-Z][\w.]*|&)|[A-Z][a-z]+\s{re.escape(phrase)}\b"
    )
    return len(longer.findall(text)) > text.count(phrase) // 2
