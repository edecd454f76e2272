"""Evidence: align claimed words with their place in the text, or mark them as unverified.

Exact words come first, then words that differ only as print does (`normalisation`), then near
matches of one contiguous stretch that differ in no denial, no number and no verb of permission or
duty. What is returned are the text's words, never the claim's.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache

from fourcorners.errors import EvidenceError
from fourcorners.text.normalisation import NormalText, normalise_text
from fourcorners.text.patterns import load_patterns
from fourcorners.text.quote import Match, Quote
from fourcorners.text.span import Span

FUZZY_SCORE = 95.0  # percent of similarity from which a near match counts
FUZZY_LENGTH = 12  # characters below which it never does: short words resemble too much

_PATTERNS = load_patterns("fourcorners.text", "evidence")
_DECISIVE = _PATTERNS["decisive"]
_PREFIX = _PATTERNS["prefix"]
_WORD = re.compile(r"[$€£¥%]|\w+(?:['’]\w+)?")
_ROUGH_SCORE = 88.0  # from which a window of the claim's own length is worth a closer look
_TRIM_WINDOW = 24  # characters around a near match within which its ends may move to a word's edge


def align_quote(words: str, text: str, *, within: Span | None = None) -> Quote:
    """Return the quote of `text` that says `words`, or an unverified one.

    Of several places one inside `within` is preferred, then one that does not split a word, then
    the first.
    """
    claim = words.strip()
    if not claim:
        return Quote(words, None, Match.UNVERIFIED, 0.0)
    place = _find_exact(claim, text, within)
    if place is not None:
        return quote_span(text, place)
    view = _normal_text(text)
    normal = normalise_text(claim).text.strip()
    if normal:
        inside = view.from_source(within) if within is not None else None
        place = _find_exact(normal, view.text, inside)
        if place is not None:
            span = view.to_source(place)
            return Quote(span.text_in(text), span, Match.NORMALISED)
        near = _find_fuzzy(normal, view, inside)
        if near is not None:
            span, score = view.to_source(near[0]), near[1]
            return Quote(span.text_in(text), span, Match.FUZZY, score)
    return Quote(words, None, Match.UNVERIFIED, 0.0)


def quote_span(text: str, span: Span) -> Quote:
    """Return the words at `span` as a quote; raise EvidenceError if there are none."""
    if not span or span.end > len(text):
        raise EvidenceError(
            f"no words at {span.start}-{span.end} of a text of {len(text)} characters"
        )
    return Quote(span.text_in(text), span, Match.EXACT)


def verify_quote(quote: Quote, text: str) -> None:
    """Raise EvidenceError unless the words are exactly at the quote's place."""
    if quote.span is None:
        if quote.match is not Match.UNVERIFIED:
            raise EvidenceError(f"a quote without a place claims to be {quote.match.value}")
        return
    if quote.match is Match.UNVERIFIED:
        raise EvidenceError("a quote with a place calls itself unverified")
    place = f"{quote.span.start}-{quote.span.end}"
    if not quote.words or quote.span.end > len(text):
        raise EvidenceError(f"no words at {place} of a text of {len(text)} characters")
    if quote.span.text_in(text) != quote.words:
        raise EvidenceError(
            f"the words at {place} are {quote.span.text_in(text)[:60]!r}, not {quote.words[:60]!r}"
        )


@lru_cache(maxsize=2)
def _normal_text(text: str) -> NormalText:
    """Normalise a text once for the many quotes that are aligned with it in a row."""
    return normalise_text(text)


def _find_exact(words: str, text: str, within: Span | None) -> Span | None:
    """Find words literally: inside before outside, whole words before parts, first before later."""
    edge = r"(?<!\w)" if words[0].isalnum() else ""
    whole = re.compile(edge + re.escape(words) + (r"(?!\w)" if words[-1].isalnum() else ""))
    for area in (within, Span(0, len(text))):
        if area is None:
            continue
        start = text.find(words, area.start, area.end)
        if start < 0:
            continue
        match = whole.search(text, start)
        if match and match.end() <= area.end:
            return Span(*match.span())
        return Span(start, start + len(words))
    return None


def _find_fuzzy(words: str, view: NormalText, within: Span | None) -> tuple[Span, float] | None:
    from rapidfuzz import fuzz

    if len(words) < FUZZY_LENGTH:
        return None
    for area in (within, Span(0, len(view.text))):
        if area is None or len(area) < FUZZY_LENGTH:
            continue
        part = area.text_in(view.text)
        if len(part) <= len(words):
            rough = Span(0, len(part))
        else:
            found = fuzz.partial_ratio_alignment(words, part, score_cutoff=_ROUGH_SCORE)
            if found is None or found.dest_end <= found.dest_start:
                continue
            rough = Span(found.dest_start, found.dest_end)
        best, score = _trim_match(words, part, rough)
        if score >= FUZZY_SCORE and not _differ_in_sense(words, best.text_in(part)):
            return best.shift(area.start), score
    return None


def _differ_in_sense(words: str, text: str) -> bool:
    """Return whether near matches differ in a word that reverses or changes the meaning."""
    one, other = (_WORD.findall(each.casefold()) for each in (words, text))
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    for kind, low, high, start, end in matcher.get_opcodes():
        if kind == "equal":
            continue
        removed, added = " ".join(one[low:high]), " ".join(other[start:end])
        if _DECISIVE.findall(removed) != _DECISIVE.findall(added):
            return True
        if _are_turned(one[low:high], other[start:end]):
            return True
    return False


def _are_turned(some: list[str], others: list[str]) -> bool:
    """Return whether a word and one of the others differ by a negating prefix."""
    bare = {_PREFIX.sub("", each): each for each in others}
    return any(bare.get(_PREFIX.sub("", each), each) != each for each in some)


def _trim_match(words: str, text: str, rough: Span) -> tuple[Span, float]:
    """Move the ends of a near match to edges of words nearby where that makes it more similar.

    The search slides a window of the claim's own length, which cuts off what the text says in
    more words and takes in what it says in fewer.
    """
    from rapidfuzz import fuzz

    best, score = rough, fuzz.ratio(words, rough.text_in(text))
    for move_start in (True, False):
        anchor = best.start if move_start else best.end
        low, high = max(0, anchor - _TRIM_WINDOW), min(len(text), anchor + _TRIM_WINDOW)
        edges = [match.start() for match in re.finditer(r"\b", text[low:high])]
        edges += [match.start() for match in re.finditer(r"(?<=\S)(?=\s)|\Z", text[low:high])]
        for edge in edges:
            start, end = (low + edge, best.end) if move_start else (best.start, low + edge)
            if start >= end:
                continue
            similar = fuzz.ratio(words, text[start:end])
            if similar > score:
                best, score = Span(start, end), similar
    return best.strip(text), score
