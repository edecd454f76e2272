"""Find definitions by the words with which a model asks for them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fourcorners.library.contract import Contract
from fourcorners.outline.tree import DefinedTerm
from fourcorners.research.agents.clause_lookup import (
    MAX_SUGGESTIONS,
    OPEN_END,
    SEPARATOR,
    FoundPart,
    clause_part,
    fold_words,
    plain_words,
    split_part,
)
from fourcorners.research.tool import MAX_PART
from fourcorners.text.span import Span

_HEADED = (
    r"(?:^(?:[^\S\n]*(?:\(?\w{{1,3}}[.)]|[\d.]+|[•*|-]))?|(?<=[.;])[^\S\n])[^\S\n]*"
    r"[\"“*_]{{0,3}}(?P<term>{words})[\"”*_]{{0,3}}[^\S\n]*"
    r"(?:[:|=\t]|[-–—]\s|\s(?:means|shall\s+mean|has\s+the\s+meaning)\b)"
)
_HEADED_END = re.compile(
    r"(?<=[.;])\s+(?=[\"“]?[A-Z][\w’'-]*(?:\s[A-Z][\w’'-]*){0,4}[\"”]?:\s)|\n\s*\n|"
    r"\n(?=[^\S\n]*[\"“]?[A-Z][\w’'&-]*(?:[^\S\n][\w’'&-]+){0,5}[\"”]?[^\S\n]*[:|\t])|\n(?=\s*\d+\.\d)"
)
_FORMULA = re.compile(r"\s*(?:where\b[^\n]{0,40}:|[^\n]{0,80}[=×÷])", re.IGNORECASE)


def find_definitions(
    reading: Contract, wanted: str, longest: int = MAX_PART
) -> list[tuple[DefinedTerm, FoundPart]]:
    """Return the definitions of a term, or of several with commas between them, each whole."""
    plain, number = split_part(plain_words(wanted))
    plain = re.sub(r"^(?:the\s+)?(?:definition|meaning)s?\s+of\s+", "", plain, flags=re.I)
    found = _terms(reading, plain)
    if not found:
        found = [term for part in SEPARATOR.split(plain) for term in _terms(reading, part)]
    return [
        (term, clause_part(reading, whole_definition(reading, term), number, longest))
        for term in found
    ]


def _terms(reading: Contract, wanted: str) -> list[DefinedTerm]:
    fold = _term_key(wanted)
    joined = "".join(fold)  # a text may lack the space between two words
    found = [
        term for term in reading.outline.terms if fold and "".join(_term_key(term.term)) == joined
    ]
    return found or list(_headed_terms(reading.text, wanted))


def _headed_terms(text: str, wanted: str) -> Iterator[DefinedTerm]:
    """Yield where a term heads a line, a cell or a sentence: "Commencement Date: 1 April 2023".

    The outline treats such words as a definition only in an unmistakable list of them.
    """
    words = r"\s+".join(re.escape(each) for each in wanted.split())
    if not words:
        return
    for match in re.finditer(_HEADED.format(words=words), text, re.IGNORECASE | re.MULTILINE):
        end = _HEADED_END.search(text, match.end())
        definition = Span(match.start("term"), end.start() if end else len(text)).strip(text)
        yield DefinedTerm(match["term"], Span(*match.span("term")), definition)


def _term_key(term: str) -> tuple[str, ...]:
    words = fold_words(term).removeprefix("the ").split()
    return tuple(word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words)


def whole_definition(reading: Contract, term: DefinedTerm) -> Span:
    """Return the words that define a term, with the list or formula that they lead to."""
    span = reading.definition(term)
    goes_on = OPEN_END.search(span.text_in(reading.text)) or _FORMULA.match(reading.text, span.end)
    if not goes_on:
        return span
    node = reading.outline.node_at(term.span.start)
    lines = [line for line in reading.term_lines if line >= span.end]
    if node is None:
        others = (each.definition.start for each in reading.outline.terms)
        lines += [start for start in others if start >= span.end]
    end = min(lines, default=len(reading.text))
    while node is not None and node.span.end <= span.end:
        node = reading.outline.nodes[node.parent] if node.parent is not None else None
    if node is not None:
        end = min(end, node.span.end)
    return Span(span.start, max(span.end, end)).strip(reading.text)


def nearest_terms(reading: Contract, wanted: str) -> str:
    """Return the terms that are like one that is not defined, and where it is used, in words."""
    plain = plain_words(wanted)
    sought = set(_term_key(plain))
    alike = dict.fromkeys(
        each.term for each in reading.outline.terms if sought & set(_term_key(each.term))
    )
    uses = list(_uses(reading, plain))
    parts = [f"the nearest are {'; '.join(list(alike)[:MAX_SUGGESTIONS])}"] if alike else []
    if uses:
        times = "once" if len(uses) == 1 else f"{len(uses):,} times"
        parts.append(f"the words are used {times}, first in {reading.locate(uses[0])}")
    return "; ".join(parts)


def _uses(reading: Contract, words: str) -> Iterator[Span]:
    pattern = r"\s+".join(map(re.escape, words.split()))
    if pattern:
        for found in re.finditer(rf"(?<!\w){pattern}", reading.text, re.IGNORECASE):
            yield Span(*found.span())
