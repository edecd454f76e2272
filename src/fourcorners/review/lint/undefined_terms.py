"""Words used like defined terms that nothing defines: "the Steering Committee", who is that?"""

from __future__ import annotations

import re
from collections import defaultdict

from fourcorners.outline.terms import find_uses
from fourcorners.outline.tree import Outline
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

_PATTERNS = load_patterns("fourcorners.review.lint", "undefined_terms")
_BORROWED = _PATTERNS["borrowed"]
_PHRASE = _PATTERNS["phrase"]
# Capitalised by custom, or names of what is outside the contract.
_CUSTOM = _PATTERNS["custom"]
_OFTEN = 4  # uses from which a phrase is used like a term
_QUOTES = "\"“”„'‘’"


def find_undefined_terms(text: str, outline: Outline) -> list[tuple[Span, str, int]] | None:
    """Return phrases used as terms are and defined nowhere: first place, message, number of uses.

    None if the contract says that its terms are defined in another document, or if it defines too
    few to tell its habit.
    """
    if _BORROWED.search(text):
        return None
    if len(outline.terms) < _FEWEST:
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
    headings = {
        " ".join(node.heading.text_in(text).split()).casefold()
        for node in outline.nodes
        if node.heading
    }
    found = []
    for phrase, spans in places.items():
        if len(spans) < _OFTEN or phrase.casefold() in headings or _is_quoted(text, phrase):
            continue
        if _is_named(text, phrase):
            continue
        message = f"“{phrase}” is used like a defined term, but is not defined."
        found.append((spans[0], message, len(spans)))
    return found


_FEWEST = 5  # defined terms of a contract that defines its terms; by hand


def _is_quoted(text: str, phrase: str) -> bool:
    """Tell whether the phrase stands in quotation marks or brackets somewhere, in any case."""
    words = r"\W+".join(map(re.escape, re.findall(r"\w+", phrase)))
    pattern = (
        rf"[{_QUOTES}(]\s?(?:the\s+)?{words}s?\W?[{_QUOTES})]|\b{words}s?\s*(?:[:–]|-\s|means\b)"
    )
    return bool(re.search(pattern, text, re.IGNORECASE))


def _is_named(text: str, phrase: str) -> bool:
    """Tell whether the phrase is mostly part of a longer name, such as a company's."""
    longer = re.compile(
        rf"\b{re.escape(phrase)},?\s+(?:[A-Z][\w.]*|&)|[A-Z][a-z]+\s{re.escape(phrase)}\b"
    )
    return len(longer.findall(text)) > text.count(phrase) // 2
