"""Words used like defined terms that nothing defines: "the Steering Committee", who is that?"""

from __future__ import annotations

import re
from collections import defaultdict

from fourcorners.outline.terms import find_uses
from fourcorners.outline.tree import Outline
from fourcorners.text.span import Span

_BORROWED = re.compile(
    r"\bcapitali[sz]ed\s+(?:terms?|words?)[^.]{0,160}\b(?:meanings?|defined|ascribed|assigned)\b[^.]{0,120}"
    r"\b(?:Agreement|Contract|Lease|Plan|Terms|Indenture|therein|Offer)\b|"
    r"\b(?:terms|words)\s+(?:used|not)\b[^.]{0,80}\bnot\s+(?:otherwise\s+)?defined\b[^.]{0,120}\bmeanings?\b",
    re.IGNORECASE,
)
_PHRASE = re.compile(
    r"(?<=[a-z,] )(?:the|such|each|any|all|every)\s+"
    r"(?P<phrase>[A-Z][a-z]{2,}(?:[^\S\n](?:of[^\S\n])?[A-Z][a-z]+(?:-[A-Z]?[a-z]+)?){0,3})"
    r"(?=[\s,.;:)])(?![^\S\n][A-Z])(?!\s?[&’'])"
)
# Capitalised by custom, or names of what is outside the contract.
_CUSTOM = re.compile(
    r"\b(?:Agreement|Contract|Section|Article|Exhibit|Schedule|Annex|Appendix|Attachment|Clause|Paragraph|"
    r"Part(?:y|ies)|Recitals?|State|States|Court|Courts|Government|Commission|Board|Directors?|"
    r"Officers?|President|Secretary|Treasurer|Chair(?:man|person)?|Chief|Act|Code|Law|Laws|Rules?|"
    r"Regulations?|Statutes?|Internet|Web|World|Wide|Department|Ministry|Minister|Bureau|Office|"
    r"Agency|Authority|Administration|Association|Institute|University|Bank|Exchange|Reserve|"
    r"Chamber|Commerce|Council|Committee|County|City|Province|Commonwealth|Republic|Kingdom|Union|"
    r"January|February|March|April|May|June|July|August|September|October|November|December|"
    r"Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|English|American|European|Federal|"
    r"National|International|North|South|East|West|Eastern|Pacific|United|Securities|Treasury|"
    r"Company|Corporation|Inc|Ltd|Limited|Trust|Fund|Foundation|Society|Lease|License|Plan|"
    r"Certificate|Articles|Bylaws|Convention|Directive|Treaty|Patent|Trademark|Copyright|Table|"
    r"Contents|Page|Form|Item|Title|Chapter|Volume|Note|Figure|Constitution|Supreme|Circuit|"
    r"District|Attorney|General|Internal|Revenue|Service|God|Earth|Redacted|Knowledge|Crown|Sabbath|Christmas|Easter|"
    r"New|Year|Day|Holiday|Time|Standard|Daylight|Standards|Index|Journal|Times|Gazette|Street)\b"
)
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


_FEWEST = 5


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
