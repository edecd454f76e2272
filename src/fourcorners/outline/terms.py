"""Defined terms: where the contract says what a word in capitals means."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from fourcorners.outline.tree import DefinedTerm
from fourcorners.text.span import Span

_QUOTED = re.compile(r"[\"“”](?P<term>[A-Z0-9][^\"“”\n]{0,70}?)[,.]?[\"“”]")
_MEANS = re.compile(
    r"\s*+(?:(?:,|or\b|and\b|[\"“][^\"“”\n]{1,70}[\"”]|\([^()\n]{0,120}\))\s*+){0,8}"
    r"(?:(?:shall|will|each|also|collectively)\s++){0,3}(?:means?\b|refers?\s+to|"
    r"ha(?:s|ve)\s+the\s+(?:respective\s+)?meanings?|(?:is|are)\s+(?:defined|used)|includes?\b)"
)
_ABBREVIATIONS = "".join(
    rf"(?<!\b{short}\.)" for short in ("Dr", "Mr", "Ms", "No", "Inc", "Ltd", "Co", "Corp", "St")
)
_BOUNDARY = re.compile(rf"[.;:](?=\s+[A-Z\"“(]){_ABBREVIATIONS}|\n\s*\n")
# A term without quotation marks: a line that is its definition, as British contracts write it.
_LINE = re.compile(
    r"^[^\S\n]*(?P<term>[A-Z][\w’'&/-]*(?:[^\S\n](?:[A-Z][\w’'&/-]*|of|and|the|to|for|in|or)){0,6})"
    r"(?::[^\S\n]+(?=[a-z(]|[A-Z][^\n]{20,}|\d)|[^\S\n]+(?:means|has the (?:same )?meaning)\b)",
    re.MULTILINE,
)
_FEWEST = 3  # lines of that form that make a list of definitions
_NO_TERM = re.compile(
    r"(?:Attn|Attention|Tel|Fax|E-?mail|Name|Title|By|Its|Date|Note|Source|Page|Address|To|From|Re|"
    r"Section|Exhibit|Schedule|Article|Phone|If|It|This|The|In|For|Signed)\b"
)
_LONGEST = 2_000


def find_terms(text: str) -> tuple[DefinedTerm, ...]:
    """Return the terms the text defines, each with the sentence that defines it, in order."""
    edges = [match.end() for match in _BOUNDARY.finditer(text)]
    found: list[DefinedTerm] = []
    for match in _QUOTED.finditer(text):
        span = Span(*match.span("term"))
        if not (_MEANS.match(text, match.end()) or _in_brackets(text, match)):
            continue
        found.append(DefinedTerm(span.of(text), span, _sentence(text, edges, Span(*match.span()))))
    found.extend(_lines(text))
    return tuple(sorted(found, key=lambda term: term.span))


def _lines(text: str) -> list[DefinedTerm]:
    """Return terms without quotation marks, if the text has a list of them."""
    found = []
    for match in _LINE.finditer(text):
        if _NO_TERM.match(match.group("term")):
            continue
        end = text.find("\n\n", match.end())
        end = min(end if end >= 0 else len(text), match.start() + _LONGEST)
        definition = Span(match.start("term"), end).strip(text)
        found.append(DefinedTerm(match.group("term"), Span(*match.span("term")), definition))
    return found if len(found) >= _FEWEST else []


def _in_brackets(text: str, match: re.Match[str]) -> bool:
    """Tell whether the quoted words are a short name in brackets, as in `(the "Supplier")`."""
    before = text[max(0, match.start() - 150) : match.start()]
    opening = before.rfind("(")
    if opening < 0 or ")" in before[opening:]:
        return False
    closing = text.find(")", match.end(), match.end() + 150)
    lead = before[opening + 1 :]
    return closing >= 0 and len(lead.split()) <= 14


def _sentence(text: str, edges: list[int], quoted: Span) -> Span:
    """Return the sentence around quoted words; `edges` are where sentences may end."""
    before = bisect_right(edges, quoted.start)
    after = bisect_left(edges, quoted.end)
    start = edges[before - 1] if before else 0
    end = edges[after] if after < len(edges) else len(text)
    start, end = max(start, quoted.start - _LONGEST), min(end, quoted.end + _LONGEST)
    return Span(start, end).strip(text)
